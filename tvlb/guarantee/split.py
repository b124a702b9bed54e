"""The best fixed split: how every pair shares its traffic over its paths whatever the traffic is.

The load of a link is linear in the traffic, so its worst is one assignment; the best split is a
linear program with the dual of these inside (Towles, Dally, Boyd: Throughput-Centric Routing
Algorithm Design, SPAA'03). Splits that symmetries map to each other may be averaged, which leaves
one split for every orbit of pairs and one link of every orbit.

HiGHS solves a small program (`tvlb.guarantee.program`). A large one is a game:
each orbit mixes over its vertices by regret matching plus, and the opponent smooths the worst links
and assignments by entropy (Sinkhorn), less and less. Either way what is told is recomputed.
"""

from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tvlb.guarantee.program import MARGIN, Goal, Judged, LinearProgram, Program
from tvlb.guarantee.symmetry import Orbits
from tvlb.guarantee.usage import PairUsage
from tvlb.processes import Progress, Reporter, silent
from tvlb.traffic import Assigned

# Relative error of a sum of numbers that are not negative in single precision, per term.
_PER_TERM = float(np.finfo(np.float32).eps)

_STAGE = "split"
# Variables times links. Measured: dfly(4,8,4,9,palmtree), 35 orbits and 7 links, 1,000, takes .2 s,
# random(20,4,6,seed=1), 380 and 120, 180,000, takes 2 s, and one of a million 40.
_MOST_EXACT = 200_000

_GAME_GAP = 0.02
_MOST_ITERATIONS = 1000
_MOST_WORK = 3e10  # iterations times cells
_BETWEEN_CHECKS = 25
# Measured on dfly(4,8,4,9): temperatures that are fixed, twice as high or half end with wider gaps.
_TEMPERATURE, _LINK_TEMPERATURE = 0.9, 0.125
_HALF_LIFE, _COOLING = 30.0, 0.9
_SWEEPS = 2
_TINY = np.float32(1e-20)


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
    program = Program(usage, orbits)
    if program.size <= _MOST_EXACT:
        best, bound = LinearProgram(program).solve(Goal())
        return _answer(program, best, bound.least_load(0.0))
    with ThreadPoolExecutor(workers) as threads:
        return _by_game(program, _Opponent(program, threads, workers), report)


def _answer(program: Program, best: Judged, least: float) -> FixedSplit:
    """Tell a split pair by pair, and what is proved of all of them with its rounding."""
    load = best.load * (1.0 + MARGIN)
    return FixedSplit(best.share[program.orbits.pair], load, min(least, best.load), best.worst)


def _by_game(program: Program, opponent: "_Opponent", report: Reporter) -> FixedSplit:
    split, there = program.even, program.is_vertex
    best, least = program.judged(split), 0.0
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
        least = max(least, program.least(mean_costs) * (1.0 - rounding))
        if done % _BETWEEN_CHECKS == 0 or done == iterations:
            best = min(best, program.judged(mean.copy()), key=lambda one: one.load)
        report(Progress(_STAGE, done, iterations, f"load {best.load:.4f}, at least {least:.4f}"))
        if best.load - least <= _GAME_GAP * best.load:
            break
    return _answer(program, best, least * (1.0 - MARGIN))


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

    def __init__(self, program: Program, threads: Executor, workers: int) -> None:
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
        used : of the newest split, as `Program.used`.
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
