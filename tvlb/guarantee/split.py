"""The best fixed split: how every pair shares its traffic over its paths whatever the traffic is.

The load of a link is linear in the traffic, so its worst is one assignment; the best split is a
linear program with a row for every link and assignment (Towles, Dally, Boyd: Throughput-Centric
Routing Algorithm Design, SPAA'03). Splits that symmetries map to each other may be averaged, which
leaves one split for every orbit of pairs and the rows of one link of every orbit.

A small program is solved by HiGHS, which gets rows as they are violated. A large one is a game:
each orbit mixes over its vertices by regret matching plus, and the opponent smooths the worst links
and assignments by entropy (Sinkhorn), less and less. Either way what is told is recomputed.
"""

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import highspy
import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.guarantee.assignment import Assigned, Assignments
from tvlb.guarantee.symmetry import Orbits
from tvlb.guarantee.usage import PairUsage
from tvlb.processes import Progress, Reporter, silent
from tvlb.topology import Topology

# Relative errors of sums of numbers that are not negative: of a split over its classes, whose
# shares are in single precision; and per term of such a sum.
_MARGIN = 2e-6
_PER_TERM = float(np.finfo(np.float32).eps)

_STAGE = "split"
_GOOD_GAP = 3e-5
# Variables times links. Measured: with 35 orbits and 7 links, 2,000, 200 rounds take 3 s; with 380
# and 100, 114,000, as many as a minute.
_MOST_EXACT = 20_000
_MOST_ROUNDS = 600
# Rows are sought between the best split and that of the program, nearer to the best.
_TOWARDS_PROGRAM = 0.3

_GAME_GAP = 0.02
_MOST_ITERATIONS = 1000
_MOST_WORK = 3e10  # iterations times cells
_BETWEEN_CHECKS = 25
# Measured on dfly(4,8,4,9): temperatures that are fixed, twice as high or half end with wider gaps.
_TEMPERATURE, _LINK_TEMPERATURE = 0.9, 0.125
_HALF_LIFE, _COOLING = 30.0, 0.9
_SWEEPS = 2
_TINY = np.float32(1e-20)
MOST_CELLS = 250_000_000


@dataclass(frozen=True, eq=False)
class FixedSplit:
    """A split and what it guarantees.

    Attributes
    ----------
    share : float64 (pairs, columns), of the traffic of each pair by vertex; sums to 1.
    load : no admissible traffic loads a link more, flits/cycle at throughput 1.
    least : every fixed split has a link and traffic by which it is loaded at least so much.
    worst : the traffic that loads a link most.
    """

    share: NDArray[np.float64]
    load: float
    least: float
    worst: Assigned


def best_split(
    usage: PairUsage, orbits: Orbits, *, workers: int = 1, report: Reporter = silent
) -> FixedSplit:
    """Find the best fixed split, or one nearly as good where there are many orbits.

    On threads, which change nothing of it.

    Raises
    ------
    InvalidInput : there is so little symmetry that the program takes too much memory.
    """
    program = _Program(usage, orbits)
    if program.size <= _MOST_EXACT:
        return _by_rows(program, report)
    with ThreadPoolExecutor(workers) as threads:
        return _by_game(program, _Opponent(program, threads, workers), report)


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


class _Program:
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

    def worst(self, split: NDArray[np.float64]) -> list[Assigned]:
        """Return the worst traffic of each link."""
        return [self.assignments.worst(one) for one in self.used(split).T.astype(np.float64)]

    def row(self, link: int, traffic: Assigned) -> NDArray[np.float64]:
        """Return what the vertices add to the load of a link, float64 (orbits, columns)."""
        crossing = self.shares[traffic.pair, :, link] * traffic.rate[:, np.newaxis]
        return self.by_orbit(traffic.pair, crossing)

    def least(self, costs: NDArray[np.float64]) -> float:
        """Return what the cheapest splits cost in all."""
        return float(np.where(self.is_vertex, costs, np.inf).min(axis=1).sum())


class _Best:
    """The best split and bound so far."""

    def __init__(self, program: _Program) -> None:
        self.program = program
        self.split, self.load, self.least = program.even, np.inf, 0.0
        self.worst: Assigned | None = None

    def take(self, split: NDArray[np.float64]) -> list[Assigned]:
        """Evaluate a split, and keep it if it is the best; return the worst traffic by link."""
        found = self.program.worst(split)
        worst = max(found, key=lambda one: one.bound)
        if worst.bound < self.load:
            self.split, self.load, self.worst = split, worst.bound, worst
        return found

    @property
    def gap(self) -> float:
        return 1.0 - self.least / self.load if self.load > 0 else 0.0

    @property
    def note(self) -> str:
        return f"load {self.load:.4f}, at least {self.least:.4f}"

    def answer(self) -> FixedSplit:
        assert self.worst is not None
        share = self.split[self.program.orbits.pair]
        least = min(self.least * (1.0 - _MARGIN), self.load)
        return FixedSplit(share, self.load * (1.0 + _MARGIN), least, self.worst)


def _by_rows(program: _Program, report: Reporter) -> FixedSplit:
    best, rows = _Best(program), _Rows(program)
    split = best.split
    for done in range(_MOST_ROUNDS):
        found = best.take(split)
        report(Progress(_STAGE, done, _MOST_ROUNDS, best.note))
        if best.gap <= _GOOD_GAP:
            break
        for link, traffic in enumerate(found):
            rows.add(program.row(link, traffic))
        solved = rows.solve()
        if solved is None:
            break
        best.least = max(best.least, rows.least)
        split = _TOWARDS_PROGRAM * solved + (1.0 - _TOWARDS_PROGRAM) * best.split
    return best.answer()


class _Rows:
    """The program of some rows: minimise what the largest of them has."""

    def __init__(self, program: _Program) -> None:
        self._program = program
        self._there = program.is_vertex
        self._rows: list[NDArray[np.float64]] = []
        self.least = 0.0
        orbits, columns = len(self._there), int(self._there.sum())
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = columns + 1, orbits
        lp.col_cost_ = np.append(np.zeros(columns), 1.0)
        lp.col_lower_ = np.zeros(columns + 1)
        lp.col_upper_ = np.full(columns + 1, highspy.kHighsInf)
        lp.row_lower_ = lp.row_upper_ = np.ones(orbits)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.append(0, np.cumsum(self._there.sum(axis=1))).astype(np.int32)
        lp.a_matrix_.index_ = np.arange(columns, dtype=np.int32)
        lp.a_matrix_.value_ = np.ones(columns)
        self._engine = highspy.Highs()
        for name, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
            self._engine.setOptionValue(name, value)
        self._engine.passModel(lp)

    def add(self, row: NDArray[np.float64]) -> None:
        """Add the load of a link by some traffic, float64 (orbits, columns)."""
        self._rows.append(row)
        values = row[self._there]
        used = np.flatnonzero(values)
        index = np.append(used, len(values)).astype(np.int32)
        self._engine.addRow(
            -highspy.kHighsInf, 0.0, len(index), index, np.append(values[used], -1.0)
        )

    def solve(self) -> NDArray[np.float64] | None:
        """Return the best split, None where HiGHS finds none; `least` is what prices prove."""
        self._engine.run()
        if self._engine.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        found = self._engine.getSolution()
        price = np.abs(np.array(found.row_dual)[len(self._there) :])
        if price.sum() > 0:
            mixed = np.tensordot(price / price.sum(), np.stack(self._rows), axes=1)
            self.least = self._program.least(mixed)
        split = np.zeros(self._there.shape)
        split[self._there] = np.maximum(np.array(found.col_value)[:-1], 0.0)
        return split / split.sum(axis=1, keepdims=True)


def _by_game(program: _Program, opponent: "_Opponent", report: Reporter) -> FixedSplit:
    best = _Best(program)
    split, there = best.split, program.is_vertex
    best.take(split)
    regret, mean, mean_costs = (np.zeros(there.shape) for _ in range(3))
    iterations = _iterations(program.shares.size)
    # Costs are sums over the links.
    rounding = _PER_TERM * program.shares.shape[2]
    total = 0.0
    for done in range(1, iterations + 1):
        weight = float(done * done)
        total += weight
        mean += (split - mean) * (weight / total)
        traffic = opponent.reply(program.used(split), weight / total, best.load, done)
        costs = program.costs(traffic)
        mean_costs += (costs - mean_costs) * (weight / total)
        paid = (split * costs).sum(axis=1, keepdims=True)
        gain = np.where(there, paid - costs, 0.0)
        regret = np.maximum(regret + gain, 0.0)
        # As if the same came again.
        expected = np.maximum(regret + gain, 0.0)
        all_regret = expected.sum(axis=1, keepdims=True)
        split = np.where(
            all_regret > 0, expected / np.where(all_regret > 0, all_regret, 1.0), split
        )
        best.least = max(best.least, program.least(mean_costs) * (1.0 - rounding))
        if done % _BETWEEN_CHECKS == 0 or done == iterations:
            best.take(mean.copy())
        report(Progress(_STAGE, done, iterations, best.note))
        if best.gap <= _GAME_GAP:
            break
    return best.answer()


def _iterations(cells: int) -> int:
    many = int(_MOST_WORK / max(cells, 1))
    return max(_BETWEEN_CHECKS, min(_MOST_ITERATIONS, many))


def most_split_work(cells: int) -> float:
    """Return iterations times shares, of a program of so many of these."""
    return float(_iterations(cells)) * cells


class _Opponent:
    """Chooses links and traffic that load them, nearly the worst by the mean of the splits so far.

    Traffic of a link is proportional to exp(use / temperature), scaled to what nodes send and
    receive; what is left beyond is cut off, so that it is admissible.
    """

    def __init__(self, program: _Program, threads: Executor, workers: int) -> None:
        nodes = program.usage.topology.switch_nodes
        self._nodes = nodes[nodes > 0].astype(np.float32)
        senders = len(self._nodes)
        self._place = np.flatnonzero(~np.eye(senders, dtype=bool))
        links = program.shares.shape[2]
        edges = [links * one // workers for one in range(workers + 1)]
        self._threads, self._parts = threads, [slice(*ends) for ends in pairwise(edges)]
        self._use: NDArray[np.float32] = np.zeros((links, senders, senders), np.float32)
        self._price: NDArray[np.float32] = np.zeros((links, 1, senders), np.float32)

    def reply(
        self, used: NDArray[np.float32], newest: float, load: float, done: int
    ) -> NDArray[np.float32]:
        """Return traffic times the weight of the link, (pairs, links).

        Parameters
        ----------
        used : of the newest split, as `_Program.used`.
        newest : its weight in the mean.
        load : about the largest.
        """
        now = np.zeros((self._use[0].size, len(self._use)), dtype=np.float32)
        now[self._place] = used
        self._use += (now.T.reshape(self._use.shape) - self._use) * np.float32(newest)
        cooled = (_HALF_LIFE / (_HALF_LIFE + done)) ** _COOLING
        temperature = np.float32(_TEMPERATURE * cooled * load / self._nodes.sum())
        shares = self._threads.map(partial(self._traffic, temperature), self._parts)
        traffic = np.concatenate(list(shares))
        loads = (traffic * self._use).sum(axis=(1, 2), dtype=np.float64)
        weight = np.exp((loads - loads.max()) / (_LINK_TEMPERATURE * cooled * load))
        traffic *= (weight / weight.sum()).astype(np.float32)[:, np.newaxis, np.newaxis]
        flat = traffic.reshape(len(traffic), -1)[:, self._place]
        return np.ascontiguousarray(flat.T)

    def _traffic(self, temperature: np.float32, part: slice) -> NDArray[np.float32]:
        """Return the traffic of a part of the links."""
        use, price = self._use[part], self._price[part]
        traffic, received = self._scaled(use - price, temperature)
        for _ in range(_SWEEPS - 1):
            price += temperature * np.log(np.maximum(received, _TINY))
            traffic, received = self._scaled(use - price, temperature)
        price += temperature * np.log(np.maximum(received, _TINY))
        # Rounding must not let a node send or receive more than it can.
        cut = np.float32(1.0 + 2.0 * _PER_TERM * len(self._nodes))
        traffic /= np.maximum(received, np.float32(1.0)) * cut
        return traffic

    def _scaled(
        self, traffic: NDArray[np.float32], temperature: np.float32
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return traffic in which all nodes send, and what those of a switch receive each."""
        traffic -= traffic.max(axis=2, keepdims=True)
        traffic /= temperature
        np.exp(traffic, out=traffic)
        traffic *= self._nodes[:, np.newaxis] / traffic.sum(axis=2, keepdims=True)
        return traffic, traffic.sum(axis=1, keepdims=True) / self._nodes
