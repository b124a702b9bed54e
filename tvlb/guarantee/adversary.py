"""The worst traffic found for splits that adapt to it: link prices and assignments in turn.

The prices that prove the throughput of some traffic say what every pair pays on its cheapest paths.
By these, traffic that pays most has no more throughput; it has prices of its own, and so on. Where
that ends, prices are disturbed, at random by a seed, and it goes on from the traffic that is worst
by those, as long as there is something worse to be found.
"""

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import Cancelled
from tvlb.guarantee.usage import PairUsage
from tvlb.model import PatternModel, Proof
from tvlb.paths import PathSet
from tvlb.processes import Progress, Reporter, Stop, map_threads
from tvlb.statistics import KeyedStream
from tvlb.traffic import Assigned, Assignments, MatrixPattern

_STAGE = "adversary"
_SCOUT = "rm+:0.001"
_JUDGE = "highs"
_LEAST_GAIN = 1e-6
# A start begins with few links that are dear. Disturbances are weak and strong in turn: which
# helps differs from set to set.
_CONTRAST = 4
_DISTURBANCES = (0.3, 1.0, 3.0)
_FLOOR_PRICE = 0.02
_MOST_FAILURES = 12
# Traffic tried times entries of all classes, which are priced: a minute of slimfly(13), where each
# takes 3 s. Smaller networks end before that by themselves.
_MOST_WORK = 9e8
_LEAST_TRIED = 3


@dataclass(frozen=True, eq=False)
class Witness:
    """Traffic and what the model says of it.

    Attributes
    ----------
    pattern : a matrix between switches.
    theta : proven upper bound on its throughput, packets/cycle/node.
    load : float64 (links,), of the best routing at that throughput, flits/cycle.
    """

    pattern: MatrixPattern
    theta: float
    load: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Found:
    traffic: Assigned
    theta: float
    price: NDArray[np.float64]


def find_witness(
    usage: PairUsage,
    path_set: PathSet,
    first: Assigned | None,
    *,
    starts: int,
    seed: int,
    workers: int,
    report: Reporter,
) -> Witness:
    """Search from the traffic `first`, if any, and from as many drawn as are missing to `starts`.

    Each start is a task for a thread, and does not depend on others.

    Raises
    ------
    SolverFailed : the model of the traffic was not solved.
    """
    stop = threading.Event()

    def begin(start: int) -> _Found:
        search = _Search(usage, path_set, most_tried(usage.entries, starts), stop)
        stream = KeyedStream(seed, "adversary", start)
        if first is not None and start == 0:
            return search.descend(first, stream)
        return search.descend(search.costliest(search.drawn(stream) ** _CONTRAST), stream)

    done = 0

    def tell() -> None:
        report(Progress(_STAGE, done, starts))

    def count() -> None:
        nonlocal done
        done += 1
        tell()

    tell()
    found = map_threads(begin, range(starts), min(workers, starts), stop, count, tell)
    best = min(found, key=lambda one: one.theta)
    return _Search(usage, path_set, 0, stop).judged(best.traffic)


def most_tried(entries: float, starts: int) -> int:
    """Return how much traffic each of so many starts tries, where classes have so many entries."""
    return max(int(_MOST_WORK / max(entries, 1.0)) // starts, _LEAST_TRIED)


class _Search:
    """Tries traffic, as much as is left to it, until `stop` is set."""

    def __init__(self, usage: PairUsage, path_set: PathSet, left: int, stop: Stop) -> None:
        self._usage, self._path_set = usage, path_set
        self._assignments = Assignments(usage.topology)
        self._left, self._stop = left, stop

    def drawn(self, stream: KeyedStream) -> NDArray[np.float64]:
        """Draw a number from 0 to 1 for every link, float64 (links,)."""
        return np.array([stream.uniform() for _ in range(self._usage.topology.num_links)])

    def costliest(self, price: NDArray[np.float64]) -> Assigned:
        """Return the traffic that pays most on its cheapest paths."""
        return self._assignments.worst(self._usage.costs(price).min(axis=1))

    def descend(self, traffic: Assigned, stream: KeyedStream) -> _Found:
        """Return traffic with a throughput that no attempt lowers."""
        best, failures = self._alternate(traffic), 0
        while failures < _MOST_FAILURES and self._left > 0:
            strength = _DISTURBANCES[failures % len(_DISTURBANCES)]
            noise = np.exp(strength * (2.0 * self.drawn(stream) - 1.0))
            # Where no link is full, none has a price.
            least = _FLOOR_PRICE * best.price.mean() or 1.0
            found = self._alternate(self.costliest((best.price + least) * noise), best)
            if found.theta < best.theta - _LEAST_GAIN:
                best, failures = found, 0
            else:
                failures += 1
        return best

    def _alternate(self, traffic: Assigned, known: _Found | None = None) -> _Found:
        best = known
        while best is None or not np.array_equal(traffic.pair, best.traffic.pair):
            if best is not None and self._left <= 0:
                return best
            if self._stop.is_set():
                raise Cancelled("the search for the worst traffic was cancelled")
            self._left -= 1
            proof = self._prove(traffic, _SCOUT)
            found = _Found(
                traffic, proof.certificate.theta_up, np.maximum(proof.solution.price, 0.0)
            )
            if best is not None and best is not known and found.theta > best.theta - _LEAST_GAIN:
                return best
            best = found
            if not best.price.any():
                return best
            traffic = self.costliest(best.price)
        return best

    def judged(self, traffic: Assigned) -> Witness:
        """Solve the model of traffic exactly."""
        proof = self._prove(traffic, _JUDGE)
        load = proof.instance.loads(proof.solution.minimal, proof.solution.detour)
        return Witness(self._matrix(traffic), proof.certificate.theta_up, load)

    def _prove(self, traffic: Assigned, solver: str) -> Proof:
        pattern = self._matrix(traffic)
        return PatternModel(self._usage.topology, pattern, solver=solver).prove(self._path_set)

    def _matrix(self, traffic: Assigned) -> MatrixPattern:
        usage = self._usage
        rows = zip(
            usage.source[traffic.pair].tolist(),
            usage.target[traffic.pair].tolist(),
            traffic.rate.tolist(),
            strict=True,
        )
        return MatrixPattern.between(usage.topology, rows)
