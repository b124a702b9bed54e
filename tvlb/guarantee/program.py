"""The linear program of the best fixed split, with the dual of the assignment of a link inside.

A split loads a link by no more than nodes pay to send and to receive, if each pair of switches pays
what it crosses of that link. What symmetries that keep the link make alike may pay alike.
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Self

import highspy
import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.errors import InvalidInput, SolverFailed
from tvlb.guarantee.symmetry import Orbits, orbits_keeping
from tvlb.guarantee.usage import PairUsage
from tvlb.model.solvers.highs import run_engine
from tvlb.topology import Topology
from tvlb.traffic import Assigned, Assignments

# Relative errors of sums of numbers that are not negative: of a split over its classes, whose
# shares are in single precision.
MARGIN = 2e-6
MOST_CELLS = 250_000_000

# An interior point needs no vertex: what it finds is proved by itself. Nor does a first-order
# method, which takes over where programs are large: on dfly(4,8,4,9,palmtree) without a global
# cable, 171,000 rows, it ends within .1% in 43 CPU seconds, an interior point is at .6% after 75.
_SETTINGS = {"output_flag": False, "threads": 1, "solver": "ipm", "run_crossover": "choose"}
_LARGE_SETTINGS = {
    "output_flag": False,
    "threads": 1,
    "solver": "pdlp",
    "kkt_tolerance": 1e-4,
    "pdlp_iteration_limit": 100_000,
}
_MOST_INTERIOR_ROWS = 120_000
# Shares that an interior point leaves where a vertex has none, and more.
_NEGLIGIBLE = 1e-7


@dataclass(frozen=True, eq=False)
class Judged:
    """A split and what it does.

    Attributes
    ----------
    share : float64 (orbits, columns), of the traffic of each pair of an orbit by vertex.
    load : no admissible traffic loads a link more, flits/cycle at throughput 1.
    hops : mean links of its paths.
    found : the traffic that loads each link of the program most.
    """

    share: NDArray[np.float64]
    load: float
    hops: float
    found: tuple[Assigned, ...]

    @property
    def worst(self) -> Assigned:
        """The traffic that loads a link most."""
        return max(self.found, key=lambda one: one.bound)


@dataclass(frozen=True)
class Goal:
    """What is sought: least load * load of a split + hops * mean hops of it.

    Attributes
    ----------
    load, hops : what a unit of each counts.
    full : load below which less is no better.
    most_load, most_hops : that a split may have.
    """

    load: float = 1.0
    hops: float = 0.0
    full: float = 0.0
    most_load: float = inf
    most_hops: float = inf


@dataclass(frozen=True)
class Bound:
    """What was proved of every split: load * its load + hops * its mean hops >= least."""

    load: float
    hops: float
    least: float

    def least_load(self, hops: float) -> float:
        """Return what load a split of so many mean hops has at least."""
        spent = self.hops * hops if self.hops else 0.0
        return (self.least * (1.0 - MARGIN) - spent) / self.load if self.load else 0.0


def check_cells(topology: Topology, links: int, vertices: int) -> None:
    """Raise InvalidInput where the shares of vertices that cross links take too much memory.

    Parameters
    ----------
    links : that no symmetry makes alike.
    vertices : of all pairs.
    """
    if links * vertices > MOST_CELLS:
        raise InvalidInput(
            f"{topology} has too little symmetry: shares of {vertices:,} classes of paths on "
            f"{links:,} links that differ are {links * vertices:,}; the limit is {MOST_CELLS:,}"
        )


class Program:
    """Vertices of the orbits of pairs, and their use of one link of every orbit."""

    def __init__(self, usage: PairUsage, orbits: Orbits) -> None:
        links = orbits.first_links
        check_cells(usage.topology, len(links), usage.weight.size)
        self.usage, self.orbits = usage, orbits
        self.assignments = Assignments(usage.topology)
        self.is_vertex = usage.is_vertex[orbits.first_pairs]
        # float32 (pairs, columns, links)
        shares = usage.vertices_on_links(links)
        self.shares = np.ascontiguousarray(shares.transpose(1, 2, 0), dtype=np.float32)

    @property
    def size(self) -> int:
        """Vertices of all orbits, times links."""
        return int(self.is_vertex.sum()) * self.shares.shape[2]

    @cached_property
    def hops(self) -> NDArray[np.float64]:
        """Links that each vertex adds to the mean of all pairs, float64 (orbits, columns).

        Pairs count as there are nodes at both ends, so it is that of uniform traffic to others.
        """
        usage = self.usage
        nodes = usage.topology.switch_nodes
        pairs = (nodes[usage.source] * nodes[usage.target])[:, np.newaxis]
        links = usage.costs(np.ones(usage.topology.num_links))
        crossed = np.where(usage.is_vertex, links, 0.0) * (pairs / pairs.sum())
        return self.by_orbit(np.arange(len(usage)), crossed)

    @property
    def even(self) -> NDArray[np.float64]:
        """The split that has equal shares of all vertices."""
        return self.is_vertex / self.is_vertex.sum(axis=1, keepdims=True)

    def used(self, split: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return how much of a unit of each pair crosses each link, (pairs, links).

        Not by BLAS, whose sums depend on the number of threads; it would take twice as long.
        """
        of_pair = split[self.orbits.pair].astype(np.float32)
        return np.einsum("pc,pcl->pl", of_pair, self.shares)

    def costs(self, traffic: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return what a unit of each vertex adds, float64 (orbits, columns), to loads by traffic.

        Parameters
        ----------
        traffic : (pairs, links), times the weight of the link.
        """
        by_pair = np.einsum("pcl,pl->pc", self.shares, traffic)
        return self.by_orbit(np.arange(len(by_pair)), by_pair)

    def by_orbit(
        self, pair: NDArray[np.int64], values: NDArray[np.floating]
    ) -> NDArray[np.float64]:
        """Add up values of pairs, float64 (orbits, columns)."""
        found = np.zeros_like(self.is_vertex, dtype=np.float64)
        orbit = self.orbits.pair[pair]
        for column in range(values.shape[1]):
            found[:, column] = np.bincount(orbit, values[:, column], len(found))
        return found

    def judged(self, split: NDArray[np.float64]) -> "Judged":
        """Find what a split, float64 (orbits, columns), guarantees: the worst traffic by link."""
        used = self.used(split).T.astype(np.float64)
        found = tuple(self.assignments.worst(one) for one in used)
        load = max(one.bound for one in found)
        return Judged(split, load, float((split * self.hops).sum()), found)

    def costs_of(self, link: int, traffic: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what a unit of each vertex adds to the load of a link, float64 (orbits, columns).

        Parameters
        ----------
        traffic : (pairs,).
        """
        used = np.flatnonzero(traffic)
        return self.by_orbit(used, self.shares[used, :, link] * traffic[used, np.newaxis])

    def least(self, costs: NDArray[np.float64]) -> float:
        """Return what the cheapest splits cost in all."""
        return float(np.where(self.is_vertex, costs, np.inf).min(axis=1).sum())


@dataclass(frozen=True, eq=False)
class Protection:
    """What is left of classes where something is down, as far as pairs differ in that.

    Attributes
    ----------
    orbit : int64 (rows,), of the pair.
    left : float64 (rows, columns), share of each class; some are above 0.
    """

    orbit: NDArray[np.int64]
    left: NDArray[np.float64]

    @classmethod
    def none(cls, program: Program) -> Self:
        """Return that of a network where nothing is ever down."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros((0, program.is_vertex.shape[1])))


class LinearProgram:
    """The whole program, for several goals.

    With a protection, every pair has such rates, of 1 in all or more, that those left are 1 at
    least, and these are what loads links; splits are told with rates that sum to 1.
    """

    def __init__(self, program: Program, protection: Protection | None = None) -> None:
        self._program = program
        self._protection = protection or Protection.none(program)
        self._there = program.is_vertex
        self._links = [
            _Link.of(program, place, link) for place, link in enumerate(program.orbits.first_links)
        ]
        matrix = self._matrix()
        orbits, columns = len(self._there), int(self._there.sum())
        rows, variables = matrix.shape
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = variables, rows
        lp.col_cost_, lp.col_lower_ = np.zeros(variables), np.zeros(variables)
        lp.col_upper_ = np.full(variables, highspy.kHighsInf)
        kept = len(self._protection.orbit)
        whole = 1.0 if protection is None else highspy.kHighsInf
        unbounded, zero = np.full(rows - orbits - kept, -highspy.kHighsInf), rows - orbits - kept
        lp.row_lower_ = np.concatenate([np.ones(orbits), unbounded, np.ones(kept)])
        lp.row_upper_ = np.concatenate(
            [np.full(orbits, whole), np.zeros(zero), np.full(kept, highspy.kHighsInf)]
        )
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = matrix.indptr.astype(np.int32)
        lp.a_matrix_.index_ = matrix.indices.astype(np.int32)
        lp.a_matrix_.value_ = matrix.data
        self._engine = highspy.Highs()
        settings = _SETTINGS if rows <= _MOST_INTERIOR_ROWS else _LARGE_SETTINGS
        for name, value in settings.items():
            self._engine.setOptionValue(name, value)
        self._engine.passModel(lp)
        self._columns = columns

    def solve(self, goal: Goal) -> tuple[Judged, Bound]:
        """Return the best split by a goal, and what the prices prove of all splits.

        Raises
        ------
        SolverFailed : HiGHS has no answer.
        """
        engine, program = self._engine, self._program
        orbits, columns = self._there.shape[0], self._columns
        variables = engine.getNumCol()
        cost = np.zeros(variables)
        cost[:columns], cost[-1] = goal.hops * program.hops[self._there], goal.load
        engine.changeColsCost(variables, np.arange(variables, dtype=np.int32), cost)
        engine.changeColBounds(variables - 1, goal.full, goal.most_load)
        engine.changeRowBounds(orbits, -highspy.kHighsInf, goal.most_hops)
        engine.clearSolver()
        run_engine(engine)
        found = engine.getSolution()
        if not (found.value_valid and found.dual_valid):
            raise SolverFailed(f"fixed split: HiGHS says {engine.getModelStatus().name}")
        split = np.zeros(self._there.shape)
        split[self._there] = np.array(found.col_value)[:columns]
        split[split < _NEGLIGIBLE] = 0.0
        price = np.abs(np.array(found.row_dual)[orbits:])
        dearer = float(price[0]) if goal.most_hops < inf else 0.0
        judged = program.judged(split / split.sum(axis=1, keepdims=True))
        return judged, self._proved(goal.hops + dearer, price[1:])

    def _proved(self, hops: float, price: NDArray[np.float64]) -> Bound:
        """Return what holds by prices of hops and of the rows of links, whatever they are."""
        costs, load, at = hops * self._program.hops, 0.0, 0
        for link in self._links:
            traffic = link.traffic(price[at : at + len(link.first)])
            load += self._program.assignments.scale(traffic)
            costs = costs + self._program.costs_of(link.place, traffic)
            at += len(link.first) + 1
        return Bound(load, hops, self._program.least(costs))

    def _matrix(self) -> "scipy.sparse.csr_array":
        """Return the rows: shares of an orbit, hops; of each link those of pairs and its load.

        Those of the protection are the last.
        """
        there, columns = self._there, int(self._there.sum())
        number = np.full(there.shape, -1)
        number[there] = np.arange(columns)
        prices = [link.sent.max() + link.received.max() + 2 for link in self._links]
        variables = columns + int(sum(prices)) + 1
        entries = [_entries(np.nonzero(there)[0], np.arange(columns), np.ones(columns))]
        hops = self._program.hops[there]
        entries.append(_entries(np.full(columns, len(there)), np.arange(columns), hops))
        row, first = len(there) + 1, columns
        for link, count in zip(self._links, prices, strict=True):
            entries += link.entries(self._program, number, row, first, variables - 1)
            row += len(link.first) + 1
            first += int(count)
        kept, column = np.nonzero(np.where(there[self._protection.orbit], self._protection.left, 0))
        mine = number[self._protection.orbit[kept], column]
        entries.append(_entries(row + kept, mine, self._protection.left[kept, column]))
        row += len(self._protection.orbit)
        rows, at, values = (np.concatenate(one) for one in zip(*entries, strict=True))
        shape = (row, variables)
        return scipy.sparse.coo_array((values, (rows, at)), shape=shape).tocsr()


_Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def _entries(
    row: NDArray[np.integer], column: NDArray[np.integer], value: NDArray[np.number]
) -> _Entries:
    return row.astype(np.int64), column.astype(np.int64), value.astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Link:
    """One link of an orbit, and what is alike under symmetries that keep it.

    Attributes
    ----------
    place : of the link in the program.
    orbit : int64 (pairs,), orbit of every pair.
    first : int64 (rows,), one pair of every orbit that may cross the link.
    sent, received : int64 (senders,), orbit of every switch that pays to send and to receive.
    source, target : int64 (pairs,), senders by position.
    nodes : int64 (senders,).
    """

    place: int
    orbit: NDArray[np.int64]
    first: NDArray[np.int64]
    sent: NDArray[np.int64]
    received: NDArray[np.int64]
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    nodes: NDArray[np.int64]

    @classmethod
    def of(cls, program: Program, place: int, link: int) -> "_Link":
        """Find them."""
        usage = program.usage
        senders = np.flatnonzero(usage.topology.switch_nodes)
        source, target = (np.searchsorted(senders, one) for one in (usage.source, usage.target))
        network = usage.topology.network
        ends = int(network.link_source[link]), int(network.link_target[link])
        orbit = orbits_keeping(usage, program.orbits, ends).pair
        first = np.unique(orbit, return_index=True)[1]
        return cls(
            place,
            orbit,
            first[program.shares[first, :, place].any(axis=1)],
            _alike(source, orbit),
            _alike(target, orbit),
            source,
            target,
            usage.topology.switch_nodes[senders],
        )

    def entries(
        self,
        program: Program,
        number: NDArray[np.int64],
        row: int,
        first: int,
        load: int,
    ) -> list[_Entries]:
        """Return its rows: what pairs cross is paid, and all that is paid is no more than the load.

        Parameters
        ----------
        number : int64 (orbits, columns), variables of the split.
        row, first : its first row, and its first variable.
        load : the variable of the load.
        """
        shares = program.shares[self.first, :, self.place]
        pair, column = np.nonzero(shares)
        mine = number[program.orbits.pair[self.first[pair]], column]
        rows = row + np.arange(len(self.first))
        ones, last = np.ones(len(self.first)), row + len(self.first)
        found = [_entries(row + pair, mine, shares[pair, column])]
        at = first
        for ends, alike in ((self.source, self.sent), (self.target, self.received)):
            found.append(_entries(rows, at + alike[ends[self.first]], -ones))
            nodes = np.bincount(alike, self.nodes)
            paid = at + np.arange(len(nodes))
            found.append(_entries(np.full(len(nodes), last), paid, nodes))
            at += len(nodes)
        found.append(_entries(np.array([last]), np.array([load]), -np.ones(1)))
        return found

    def traffic(self, price: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return prices of its rows as traffic, float64 (pairs,), even within an orbit."""
        of_orbit = np.zeros(int(self.orbit.max()) + 1)
        of_orbit[self.orbit[self.first]] = price
        return (of_orbit / np.bincount(self.orbit, minlength=len(of_orbit)))[self.orbit]


def _alike(ends: NDArray[np.int64], orbit: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the orbit of every sender, int64 (senders,): equal ones have pairs of an orbit."""
    least = np.full(int(ends.max()) + 1, len(orbit))
    np.minimum.at(least, ends, orbit)
    return np.unique(least, return_inverse=True)[1]
