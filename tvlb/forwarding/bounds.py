"""How low the highest load of a link can be, whatever routes there are: bounds on the EFI.

Routes here are shortest in the graph and split freely; no forwarding table of shortest routes does
better.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.errors import SolverFailed
from tvlb.forwarding.forwarding import graph_of
from tvlb.native import kernels
from tvlb.topology import Topology

# Columns of a program that takes seconds; larger ones are bracketed.
_MOST_COLUMNS = 70_000
_ROUNDS = 1000


@dataclass(frozen=True)
class EfiBound:
    """A proven lower bound on the EFI.

    Attributes
    ----------
    value : no routes have a lower EFI.
    kind : what shows it: `hops`, `switch` (a cut around one), `group`, or `entries` (see
        `table_bound`).
    """

    value: int
    kind: str


@dataclass(frozen=True)
class SplitEfi:
    """The lowest EFI of shortest routes that split freely, EFI_LP.

    Attributes
    ----------
    low, high : proven bounds on it; equal, but for rounding, where it was solved exactly.
    """

    low: float
    high: float


def efi_bound(topology: Topology) -> EfiBound:
    """Return the best bound of those that need no program.

    All routes take at least the links of shortest ones, and what leaves a switch or a group takes a
    link that leaves it.
    """
    source, target = topology.network.link_source, topology.network.link_target
    nodes, every = topology.switch_nodes.astype(np.float64), float(topology.num_nodes)
    hops = kernels.price_bound(graph_of(topology), np.ones(topology.num_links))
    out = np.bincount(source, minlength=topology.num_switches)
    found = [EfiBound(_ceil(hops), "hops"), EfiBound(_cut(nodes, out, every), "switch")]
    groups = topology.layout.groups
    if 1 < groups < topology.num_switches:
        group = np.arange(topology.num_switches) // topology.layout.switches_per_group
        leaves = group[source] != group[target]
        inside = np.bincount(group, weights=nodes, minlength=groups).astype(np.float64)
        out = np.bincount(group[source[leaves]], minlength=groups)
        found.append(EfiBound(_cut(inside, out, every), "group"))
    return max(found, key=lambda one: one.value)


def table_bound(topology: Topology) -> EfiBound:
    """Return the best bound on forwarding tables, of those that need no program.

    A switch has one entry for every node elsewhere, and all its own nodes send by it: one of its
    links has the ceiling of entries over links, times its nodes.
    """
    nodes = topology.switch_nodes
    out = np.bincount(topology.network.link_source, minlength=topology.num_switches)
    some = out > 0
    entries = -(-(topology.num_nodes - nodes[some]) // out[some])
    value = int((nodes[some] * entries).max(initial=0))
    return max(efi_bound(topology), EfiBound(value, "entries"), key=lambda one: one.value)


def _cut(inside: NDArray[np.float64], out: NDArray[np.integer], every: float) -> int:
    """Bound by what leaves sets of switches that have nodes inside and links that lead out."""
    some = out > 0
    return _ceil(float((inside[some] * (every - inside[some]) / out[some]).max(initial=0.0)))


def _ceil(value: float) -> int:
    # Sums of whole numbers, divided once.
    return int(np.ceil(value * (1 - 1e-12)))


def split_efi(topology: Topology) -> SplitEfi:
    """Return EFI_LP: exact by a linear program, or on large networks within the bounds told.

    Notes
    -----
    A program by destination switch over the links of its shortest ways. Both bounds are computed
    outside the solver: the highest load of its flows, and the cost of the cheapest routes at its
    prices.
    """
    graph = graph_of(topology)
    ways = _Ways(topology)
    if ways.columns > _MOST_COLUMNS:
        loads, bound = kernels.even_loads(graph, _ROUNDS)
        return SplitEfi(bound, float(loads.max(initial=0.0)))
    flows, prices = ways.solve()
    loads = np.bincount(ways.link, weights=flows, minlength=topology.num_links)
    return SplitEfi(kernels.price_bound(graph, prices), float(loads.max(initial=0.0)))


class _Ways:
    """The links that lead nearer to every switch with nodes, as columns of a program."""

    def __init__(self, topology: Topology) -> None:
        source, target = topology.network.link_source, topology.network.link_target
        ends = np.flatnonzero(topology.switch_nodes)
        hops = np.array([kernels.shortest_hops(graph_of(topology), one) for one in ends.tolist()])
        nearer = hops[:, source] == hops[:, target] + 1
        row, self.link = np.nonzero(nearer)
        self.columns = len(self.link)
        self._topology, self._ends = topology, ends
        # A row of flow conservation for every target and every other switch.
        switches = topology.num_switches
        self._leaves = row * switches + source[self.link]
        arrives = row * switches + target[self.link]
        at_target = target[self.link] == ends[row]
        self._arrives = np.where(at_target, -1, arrives)

    def solve(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the flow of every column, and the price of every link."""
        topology, columns = self._topology, self.columns
        nodes = topology.switch_nodes.astype(np.float64)
        rows = len(self._ends) * topology.num_switches
        supply = np.outer(nodes[self._ends], nodes)
        supply[np.arange(len(self._ends)), self._ends] = 0.0
        every = np.arange(columns)
        inner = self._arrives >= 0
        balance = scipy.sparse.csr_array(
            (
                np.concatenate([np.ones(columns), -np.ones(int(inner.sum()))]),
                (
                    np.concatenate([self._leaves, self._arrives[inner]]),
                    np.concatenate([every, every[inner]]),
                ),
            ),
            shape=(rows, columns + 1),
        )
        links = topology.num_links
        capacity = scipy.sparse.csr_array(
            (
                np.concatenate([np.ones(columns), -np.ones(links)]),
                (
                    np.concatenate([self.link, np.arange(links)]),
                    np.concatenate([every, np.full(links, columns)]),
                ),
            ),
            shape=(links, columns + 1),
        )
        cost = np.zeros(columns + 1)
        cost[-1] = 1.0
        # Its types know no sparse matrices.
        linprog: Any = scipy.optimize.linprog
        found = linprog(
            cost,
            A_ub=capacity,
            b_ub=np.zeros(links),
            A_eq=balance,
            b_eq=supply.ravel(),
            method="highs",
        )
        if found.status != 0:
            raise SolverFailed(f"EFI_LP of {topology}: {found.message}")
        return found.x[:-1], np.maximum(-found.ineqlin.marginals, 0.0)
