"""How tables are judged: on patterns, seeds and loads that the search never saw.

What was found and the choice of Algorithm 1 are compared with the conventional set and the
published one, in pairs by run. Intervals hold for all judgements together (Bonferroni), since the
best set is picked by these very figures, and are not narrower than the grid of loads allows.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim_bridge import SimulationConfig
from tvlb.processes import Reporter, counter
from tvlb.processes.units import Units
from tvlb.search.decision import Measured
from tvlb.search.preparation import Candidate
from tvlb.search.simulation_units import Recipe, RunUnit, SaturationUnit
from tvlb.search.windows import Windows
from tvlb.search.work import Work
from tvlb.search.workload import Workload
from tvlb.statistics import Judgement, KeyedStream, Pairing, SetFigures, judgements
from tvlb.traffic import Pattern

# Saturation of a pattern that is no matter of detours.
_LATE = 0.6


@dataclass(frozen=True, eq=False)
class Judged:
    """What was measured of one set, float64 (patterns,) each.

    Attributes
    ----------
    candidate : the set.
    saturation : saturation load, packets/cycle/node.
    latency : float64 (2, patterns), mean latency at both loads of `HeldOut`, cycles; nan where the
        run was saturated.
    """

    candidate: Candidate
    saturation: NDArray[np.float64]
    latency: NDArray[np.float64]

    @property
    def figures(self) -> SetFigures:
        """The same under its name alone."""
        return SetFigures(self.candidate.name, self.saturation, self.latency)


@dataclass(frozen=True)
class HeldOut:
    """The comparison on held-out patterns.

    Attributes
    ----------
    workload : the cases: patterns, and how much each counts.
    windows : of every run, and the grid of saturation loads.
    loads : where latencies were compared, packets/cycle/node.
    sets : what was compared, the answers of the search first.
    judgements : every set against each of those that others are compared with.
    undecided : how many of the runs were too short to tell whether they are saturated.
    work : of all simulations.
    """

    workload: Workload
    windows: Windows
    loads: tuple[float, float]
    sets: tuple[Judged, ...]
    judgements: tuple[Judgement, ...]
    undecided: int
    work: Work

    def of(self, name: str) -> Judged:
        """Return the figures of a set."""
        return next(one for one in self.sets if one.candidate.name == name)

    def measured(self, name: str, load: int = 0) -> Measured:
        """Return the figures of a set with its latency at one of `loads`."""
        one = self.of(name)
        workload = self.workload
        return Measured(name, one.saturation, one.latency[load], workload.share, workload.rounds)

    def by_load(self, name: str) -> list[Measured]:
        """Return the same at each of `loads`."""
        return [self.measured(name, load) for load in range(len(self.loads))]


def judged_cases(workload: Workload, seed: int) -> list[tuple[Pattern, int]]:
    """Return what is run of every set: patterns of one round after another, with seeds.

    The seeds are others than that of any search.
    """
    seeds = [KeyedStream(seed, "held-out", one).next64() >> 1 for one in range(workload.rounds)]
    return [(pattern, one) for one in seeds for pattern in workload.first_round]


class _Runs:
    """Runs what is compared, all sets on equal patterns and seeds.

    Parameters
    ----------
    workload : the cases that figures are of, patterns of one round after another.
    """

    def __init__(
        self,
        routing: str,
        config: SimulationConfig,
        workload: Workload,
        windows: Windows,
        seed: int,
        units: Units,
        own: Mapping[str, SimulationConfig],
    ) -> None:
        self._routing = routing
        self._cases = judged_cases(workload, seed)
        self._grid = windows.grid
        self._config = windows.on(config)
        self._own = {name: windows.on(one) for name, one in own.items()}
        self._units = units
        self.work = Work()
        self.undecided = 0

    def saturations(
        self,
        candidates: Sequence[Candidate],
        guesses: Sequence[Sequence[float | None]],
        count: Callable[[], None],
        first: int = 0,
        last: int | None = None,
    ) -> NDArray[np.float64]:
        """Saturation loads in the cases `first` to `last`, float64 (sets, cases)."""
        found = self._units.map(
            [
                SaturationUnit(recipe, self._of(one), self._grid, guess)
                for one, of_set in zip(candidates, guesses, strict=True)
                for recipe, guess in zip(self._recipes(one)[first:last], of_set, strict=True)
            ],
            count,
        )
        self.work = sum((one.work for one in found), self.work)
        self.undecided += sum(one.undecided for one in found)
        loads = [one.load for one in found]
        cases = len(self._cases[first:last])
        return np.array(loads, dtype=np.float64).reshape(len(candidates), cases)

    def latencies(
        self,
        candidates: Sequence[Candidate],
        loads: Sequence[float],
        count: Callable[[], None],
    ) -> NDArray[np.float64]:
        """Mean latencies, float64 (sets, loads, cases); nan where saturated."""
        found = self._units.map(
            [
                RunUnit(recipe, replace(self._of(one), stop_when_saturated=True), load)
                for one in candidates
                for load in loads
                for recipe in self._recipes(one)
            ],
            count,
        )
        self.work = sum((one.work for one in found), self.work)
        self.undecided += sum(run.saturated is None for run in found)
        values = [math.nan if run.saturated else run.latency for run in found]
        return np.array(values, dtype=np.float64).reshape(
            len(candidates), len(loads), len(self._cases)
        )

    def _of(self, candidate: Candidate) -> SimulationConfig:
        return self._own.get(candidate.name, self._config)

    def _recipes(self, candidate: Candidate) -> list[Recipe]:
        return [
            Recipe(candidate.named_set, self._routing, pattern, seed)
            for pattern, seed in self._cases
        ]


def judge(
    sets: Sequence[Candidate],
    rivals: Sequence[str],
    workload: Workload,
    loads: tuple[float, float],
    expected: Mapping[str, float],
    *,
    routing: str,
    config: SimulationConfig,
    windows: Windows,
    seed: int,
    units: Units,
    report: Reporter,
    own: Mapping[str, SimulationConfig] | None = None,
    alike: Mapping[tuple[str, type[Pattern]], float] | None = None,
) -> HeldOut:
    """Compare sets with each other.

    Parameters
    ----------
    sets : different ones.
    rivals : names of those that others are compared with, the first one with none of them.
    workload : patterns that no search saw, or that it saw with another seed.
    loads : where latencies are compared.
    expected : saturation of the sets under adversarial patterns, roughly, by name; decides only
        where the searches for it begin.
    alike : the same of sets under patterns of a type, by name and type, where it is known.
    own : settings of the routers of sets that have others than `config`, by name.

    Raises
    ------
    SimulationDeadlock, Cancelled : as `sim_bridge.simulate`.
    """
    cases = workload.patterns
    runs = _Runs(routing, config, workload, windows, seed, units, own or {})
    count = counter(report, "compare", len(sets) * len(cases) * (1 + len(loads)))
    typical = [expected.get(one.name) for one in sets]

    def known_of(one: Candidate, guesses: Sequence[float | None]) -> list[float | None]:
        """Return what is known of a set, and guesses elsewhere."""
        keys = [(one.name, type(pattern)) for pattern in cases]
        return [(alike or {}).get(*pair) for pair in zip(keys, guesses, strict=True)]

    likely = [typical[0] if one.is_adversarial else None for one in cases]
    first = runs.saturations(sets[:1], [known_of(sets[0], likely)], count)
    guesses = [_guesses(first[0], typical[0], of_set) for of_set in typical[1:]]
    # Rules change what sets accept beyond saturation otherwise than where they saturate.
    ahead = int(len({one.ugal for one in sets}) > 1)
    starts = [known_of(*one)[:ahead] for one in zip(sets[1:], guesses, strict=True)]
    begun = runs.saturations(sets[1:], starts, count, last=ahead)
    moved = [_moved(*one) for one in zip(guesses, begun.tolist(), strict=True)]

    def the_rest(which: slice, known: NDArray[np.float64]) -> NDArray[np.float64]:
        late = [_as_late(known, one) for one in moved[which]]
        starts = [known_of(*one)[ahead:] for one in zip(sets[1:][which], late, strict=True)]
        found = runs.saturations(sets[1:][which], starts, count, first=ahead)
        return np.concatenate([begun[which], found], axis=1)

    second = the_rest(slice(0, 1), first)
    others = the_rest(slice(1, None), np.concatenate([first, second]))
    saturation = np.concatenate([first, second, others])
    latency = runs.latencies(sets, loads, count)
    judged = tuple(Judged(*figures) for figures in zip(sets, saturation, latency, strict=True))
    pairing = Pairing(tuple(map(str, cases)), workload.share, workload.rounds, windows.grid)
    return HeldOut(
        workload=workload,
        windows=windows,
        loads=loads,
        sets=judged,
        judgements=judgements([one.figures for one in judged], rivals, pairing),
        undecided=runs.undecided,
        work=runs.work,
    )


def _guesses(found: NDArray[np.float64], typical: float | None, other: float | None) -> list[float]:
    """Expect another set to differ as it did before."""
    ratio = other / typical if other and typical else 1.0
    return np.minimum(ratio * found, 1.0).tolist()


def _moved(guesses: Sequence[float], found: Sequence[float]) -> list[float]:
    """Move the guesses of a set by how far the first of them was off, if that is known."""
    off = found[0] - guesses[0] if found else 0.0
    return [min(max(one + off, 0.0), 1.0) for one in guesses]


def _as_late(known: NDArray[np.float64], guesses: Sequence[float]) -> list[float]:
    """Expect no other load than of the sets that are known where saturation comes late."""
    return np.where(known[0] > _LATE, known.mean(axis=0), guesses).tolist()
