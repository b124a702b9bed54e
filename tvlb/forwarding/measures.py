"""What routes are worth: loads of links, and bandwidth under random bisections.

Source: Hoefler, Schneider, Lumsdaine 2009, sections II and IV-A.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.forwarding import Forwarding, graph_of
from tvlb.native import kernels
from tvlb.processes import Progress, Reporter, silent

_CHUNK = 64


@dataclass(frozen=True, eq=False)
class LinkLoads:
    """Routes of all ordered pairs of nodes over every link between switches.

    Attributes
    ----------
    of_link : uint64 (links,): routes by link.
    pairs : ordered pairs of nodes that have a route, of one switch too.
    shortest_pairs : of those of two switches, pairs with a shortest route.
    hops : links of all routes.
    lost_pairs : pairs whose packets do not arrive.
    holes : entries that are missing, or name no link of their switch.
    own_pairs : pairs of nodes of one switch.
    """

    of_link: NDArray[np.uint64]
    pairs: int
    shortest_pairs: int
    hops: int
    lost_pairs: int
    holes: int
    own_pairs: int

    @cached_property
    def efi(self) -> int:
        """Edge forwarding index: the highest load of a link."""
        return int(self.of_link.max(initial=0))

    @cached_property
    def efi_links(self) -> int:
        """Number of links with that load."""
        return int(np.count_nonzero(self.of_link == self.efi))

    @property
    def mean_load(self) -> float:
        """Mean load of a link."""
        return float(self.of_link.mean())

    @property
    def hops_mean(self) -> float:
        """Mean links of a route, over all ordered pairs of nodes, those of one switch too."""
        return self.hops / max(self.pairs + self.own_pairs, 1)

    @property
    def minimal_share(self) -> float:
        """Share of the routes between two switches that are shortest."""
        return self.shortest_pairs / max(self.pairs, 1)


def loads_of(forwarding: Forwarding) -> LinkLoads:
    """Count the routes over every link. O(nodes x switches); entries may be wrong."""
    topology = forwarding.topology
    found = kernels.forwarding_loads(graph_of(topology), forwarding.ports)
    nodes = topology.switch_nodes
    return LinkLoads(**found, own_pairs=int((nodes * (nodes - 1)).sum()))


@dataclass(frozen=True, eq=False)
class Bandwidth:
    """Effective bisection bandwidth: rates of streams, as shares of full bandwidth.

    Attributes
    ----------
    means, worsts : float64 (bisections,): mean and lowest rate of the streams of each.
    seed : of the draws.
    """

    means: NDArray[np.float64]
    worsts: NDArray[np.float64]
    seed: int

    @property
    def ebb(self) -> float:
        """Mean rate over all bisections."""
        return float(self.means.mean())

    @property
    def standard_error(self) -> float:
        """Of that mean; 0 of a single bisection."""
        count = len(self.means)
        return float(self.means.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0


def bandwidth_of(
    forwarding: Forwarding,
    bisections: int,
    seed: int = 0,
    *,
    both: bool = False,
    job: int | None = None,
    workers: int = 1,
    report: Reporter = silent,
) -> Bandwidth:
    """Draw random bisections and share the links among their streams.

    Node i of one half sends to node i of the other; a stream gets one over the largest number of
    streams on a link of its route. With an odd number of nodes one idles.

    Parameters
    ----------
    bisections : how many; each is drawn by the seed and its number.
    both : streams in both directions.
    job : nodes that every bisection draws for itself; None for all.
    workers : threads; they change no figure.

    Raises
    ------
    InvalidInput : the job is larger than the network, or a packet would not arrive.
    """
    topology = forwarding.topology
    nodes = topology.num_nodes if job is None else job
    if not 2 <= nodes <= topology.num_nodes:
        raise InvalidInput(f"job {nodes} is out of range: 2..{topology.num_nodes} nodes")
    graph = graph_of(topology)

    def rates(first: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        count = min(_CHUNK, bisections - first)
        drawn = kernels.Bisections(seed, first, count, nodes, both)
        return kernels.bisection_rates(graph, forwarding.ports, drawn)

    found: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    with ThreadPoolExecutor(workers) as executor:
        for chunk in executor.map(rates, range(0, bisections, _CHUNK)):
            found.append(chunk)
            done = min(len(found) * _CHUNK, bisections)
            report(Progress("bisections", done, bisections))
    means, worsts = (np.concatenate(part) for part in zip(*found, strict=True))
    return Bandwidth(means, worsts, seed)


def stream_rates(
    forwarding: Forwarding, sources: NDArray[np.int32], targets: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the rates of streams from nodes to others, float64 (streams,), see `bandwidth_of`."""
    graph = graph_of(forwarding.topology)
    return kernels.stream_rates(graph, forwarding.ports, sources, targets)
