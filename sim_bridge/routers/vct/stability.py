"""Whether throughput under full load lasts: long runs of the virtual cut-through router.

Reference: the paper of docs/virtual-cut-through.md, section VI, which shows accepted load over
510,000 cycles. It tells stable networks from others by eye; the categories here are ours.
"""

import json
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from sim_bridge.config import INTERVAL
from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.routers.vct.proof import DeadlockProof
from sim_bridge.routers.vct.scenario import VctScenario
from sim_bridge.scenario import SEEDS
from tvlb.documents import Frame
from tvlb.errors import InvalidInput
from tvlb.processes import Progress, Reporter, tell_part
from tvlb.processes.units import Unit, Units
from tvlb.statistics import check_seed
from tvlb.topology import Topology
from tvlb.traffic import Pattern

BIN = INTERVAL  # cycles
FEWEST_BINS = 100
_FIRST_BIN = 5
_BINS_OF_MEAN = 10
_LOW, _END_LEVEL, _MOST_LOW = 0.85, 0.9, 0.1
_LAST_BINS = 50
_LEAST_PACKETS = 2000  # of a mean, so that noise is not low
_MOST_NOTES = 10  # of runs whose throughput is low, while they last

_Series = NDArray[np.float64]


@dataclass(frozen=True)
class Stability:
    """What a run of full load shows.

    Attributes
    ----------
    category : 1 where throughput is never low; 2 where it is low for at most a tenth of the time
        and ends high; 3 otherwise. Low is below 0.85 of the peak; it ends high where the last
        50,000 cycles average 0.9 of it.
    level : mean accepted load from cycle 5,000 on, phits/cycle/node.
    peak, lowest : largest and smallest mean of 10,000 cycles in a row, from there on.
    low_share : of these means, those that are low.
    end_level : mean of the last 50,000 cycles.
    low_from : the first cycle of the first 10,000 that are low; None where none are.
    """

    category: int
    level: float
    peak: float
    lowest: float
    low_share: float
    end_level: float
    low_from: int | None


def judge_stability(series: _Series) -> Stability:
    """Judge accepted load per 1,000 cycles, from cycle 0 on.

    Raises
    ------
    InvalidInput : there are fewer than 100 values.
    """
    if len(series) < FEWEST_BINS:
        raise InvalidInput(
            f"{len(series) * BIN:,} cycles tell too little of stability; at least "
            f"{FEWEST_BINS * BIN:,} are needed"
        )
    return _judged(series)


def _judged(series: _Series) -> Stability:
    means = sliding_window_view(series[_FIRST_BIN:], _BINS_OF_MEAN).mean(axis=1)
    peak = float(means.max())
    low = np.flatnonzero(means < _LOW * peak)
    low_share = len(low) / len(means)
    end_level = float(series[-_LAST_BINS:].mean())
    if low_share == 0.0:
        category = 1
    elif low_share <= _MOST_LOW and end_level >= _END_LEVEL * peak:
        category = 2
    else:
        category = 3
    return Stability(
        category,
        float(series[_FIRST_BIN:].mean()),
        peak,
        float(means.min()),
        low_share,
        end_level,
        (_FIRST_BIN + int(low[0])) * BIN if len(low) else None,
    )


class CollapseWatch:
    """Looks at a run of so many bins while it lasts.

    What is low beside the largest mean so far is low beside the largest of the whole run, too, so
    what it finds is never taken back.

    Attributes
    ----------
    low_from : the first cycle of the first 10,000 known to be low; None while none are.
    """

    def __init__(self, bins: int) -> None:
        self._most_low = _MOST_LOW * (bins - _FIRST_BIN - _BINS_OF_MEAN + 1)
        self._to_skip = _FIRST_BIN
        self._last: deque[float] = deque(maxlen=_BINS_OF_MEAN)
        self._means: list[float] = []
        self._peak = 0.0
        self._low = 0
        self.low_from: int | None = None

    @property
    def is_certain(self) -> bool:
        """Whether the run is sure to be of category 3."""
        return self._low > self._most_low

    def __str__(self) -> str:
        """Say in words what is wrong; empty while nothing is."""
        if self.low_from is None:
            return ""
        return ("category 3, " if self.is_certain else "") + f"low from cycle {self.low_from:,}"

    def add(self, accepted: float) -> None:
        """Take the next bin."""
        if self._to_skip:
            self._to_skip -= 1
            return
        self._last.append(accepted)
        if len(self._last) < _BINS_OF_MEAN:
            return
        self._means.append(float(np.mean(self._last)))
        if self._means[-1] > self._peak:
            self._peak = self._means[-1]
            low = [place for place, one in enumerate(self._means) if self._is_low(one)]
            self._low = len(low)
            self._note_low(low[0] if low else None)
        elif self._is_low(self._means[-1]):
            self._low += 1
            self._note_low(len(self._means) - 1)

    def _is_low(self, mean: float) -> bool:
        return mean < _LOW * self._peak

    def _note_low(self, place: int | None) -> None:
        if place is not None:
            cycle = (_FIRST_BIN + place) * BIN
            self.low_from = cycle if self.low_from is None else min(self.low_from, cycle)


@dataclass(frozen=True)
class StabilityCase:
    """A routing and the settings of its router; the number of VCs is known."""

    routing: str
    config: VctConfig

    def __str__(self) -> str:
        return f"{self.routing}, {self.config.vc_policy}, {self.config.vc_count} VCs"


@dataclass(frozen=True, eq=False)
class StabilityRun:
    """A long run.

    Attributes
    ----------
    seed : of its random streams.
    series : float64, accepted load per 1,000 cycles, phits/cycle/node; shorter than was asked for
        where the run ended at a collapse.
    stability : what it shows.
    jain : Jain's index of what each node was delivered in the whole run.
    cpu_seconds : processor time, where it was computed.
    """

    seed: int
    series: _Series
    stability: Stability
    jain: float
    cpu_seconds: float


@dataclass(frozen=True, eq=False)
class StabilityStudy(Frame):
    """Long runs of several cases.

    Attributes
    ----------
    topology, pattern : what was simulated.
    load : offered, phits/cycle/node.
    until_collapse : runs ended as soon as they were sure to be of category 3.
    runs : by case, one for each seed.
    proofs : by case, why it cannot deadlock.
    """

    topology: Topology
    pattern: Pattern
    load: float
    until_collapse: bool
    runs: Mapping[StabilityCase, tuple[StabilityRun, ...]]
    proofs: Mapping[StabilityCase, DeadlockProof]

    def worst(self, case: StabilityCase) -> int:
        """Return the category of a case: the worst of its runs."""
        return max(run.stability.category for run in self.runs[case])

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one for each run."""
        return [
            {
                "routing": case.routing,
                "vc_policy": case.config.vc_policy,
                "vc_count": case.config.vc_count,
                "seed": run.seed,
                **asdict(run.stability),
                "jain": run.jain,
                "cpu_seconds": run.cpu_seconds,
            }
            for case, runs in self.runs.items()
            for run in runs
        ]


@dataclass(frozen=True, eq=False)
class _RunUnit(Unit[StabilityRun]):
    """One long run."""

    topology: Topology
    case: StabilityCase
    pattern: Pattern
    load: float
    until_collapse: bool
    seed: int

    def __str__(self) -> str:
        return f"{self.case}, seed {self.seed}"

    @property
    def parts(self) -> int:
        """See `Unit.parts`: every 1,000 cycles are one."""
        return (self.case.config.warmup_cycles + self.case.config.measured_cycles) // BIN

    def key_fields(self) -> Mapping[str, object]:
        """See `Unit.key_fields`."""
        ended = {"until_collapse": True} if self.until_collapse else {}
        return {
            "unit": "stability",
            "network": self.topology.identity,
            "routing": self.case.routing,
            "config": _told_config(self.case.config),
            "pattern": self.pattern.identity,
            "load": self.load,
            "seed": self.seed,
            **ended,
        }

    def compute(self) -> bytes:
        """See `Unit.compute`."""
        scenario = VctScenario(self.topology, self.case.routing, self.pattern, self.seed)
        judge = CollapseWatch(self.parts)
        bins = count(1)

        def watch(accepted: float) -> bool:
            judge.add(accepted)
            tell_part(next(bins), str(judge))
            return not (self.until_collapse and judge.is_certain)

        run = scenario.run(self.load, self.case.config, watch=watch)
        found = {"series": run.series.tolist(), "jain": run.jain, "cpu_seconds": run.cpu_seconds}
        return json.dumps(found).encode()

    def decode(self, data: bytes) -> StabilityRun:
        """See `Unit.decode`."""
        found = json.loads(data)
        series = np.array(found["series"], dtype=np.float64)
        judged = _judged(series)
        return StabilityRun(self.seed, series, judged, found["jain"], found["cpu_seconds"])


def _told_config(config: VctConfig) -> dict[str, object]:
    """Return what decides a series; runs of earlier versions, with less settings, are known."""
    later = ("traced_packets", "interval")
    return {name: one for name, one in asdict(config).items() if name not in later}


def study_stability(
    topology: Topology,
    cases: Sequence[StabilityCase],
    pattern: Pattern,
    *,
    load: float = 1.0,
    seed: int = 0,
    seeds: int = 1,
    until_collapse: bool = False,
    units: Units,
    report: Reporter,
) -> StabilityStudy:
    """Run all cases with consecutive seeds.

    Parameters
    ----------
    load : offered, phits/cycle/node.
    seed : the first one.
    seeds : how many, 1..1000.
    until_collapse : end a run as soon as it is sure to be of category 3; categories are the same.
    units : where runs are computed and kept.

    Raises
    ------
    InvalidInput : an argument is out of range, or a case does not fit the network.
    SimulationDeadlock, Cancelled : as `VctScenario.run`.
    """
    sent = pattern.settled(topology, seed)
    known = checked_cases(topology, cases, sent, load=load, seed=seed, seeds=seeds)
    runs_asked = [
        _RunUnit(topology, case, sent, load, until_collapse, one)
        for case in known
        for one in range(seed, seed + seeds)
    ]
    total = sum(run.parts for run in runs_asked)

    def show(runs: int, parts: int, notes: Sequence[str]) -> None:
        low = [f"{run}: {note}" for run, note in zip(runs_asked, notes, strict=True) if note]
        note = f"thousand cycles, {runs} of {len(runs_asked)} runs"
        report(Progress("stability", parts, total, "; ".join([note, *low[:_MOST_NOTES]])))

    found = units.map(runs_asked, on_parts=show)
    runs = {
        case: tuple(found[place * seeds : (place + 1) * seeds]) for place, case in enumerate(known)
    }
    return StabilityStudy(topology, pattern, load, until_collapse, runs, known)


def checked_cases(
    topology: Topology,
    cases: Sequence[StabilityCase],
    pattern: Pattern,
    *,
    load: float,
    seed: int,
    seeds: int,
) -> dict[StabilityCase, DeadlockProof]:
    """Return the cases with their numbers of VCs, in their order, and why they cannot deadlock.

    Raises
    ------
    InvalidInput : as `study_stability`.
    """
    SEEDS.checked("seeds", seeds)
    check_seed(seed + seeds - 1)
    pattern.check_stationary()
    # Compiled once; what is compiled does not depend on the routing.
    first = VctScenario(topology, "min", pattern)
    known: dict[StabilityCase, DeadlockProof] = {}
    for asked in cases:
        scenario = first.with_routing(asked.routing)
        case = _resolved(scenario, asked, load)
        if case in known:
            raise InvalidInput(f"two cases are the same: {case}")
        known[case] = scenario.proof(case.config.vc_policy)
    return known


def _resolved(scenario: VctScenario, case: StabilityCase, load: float) -> StabilityCase:
    """Return a case with its number of VCs; raise InvalidInput where it cannot be run."""
    config = case.config
    if config.warmup_cycles + config.measured_cycles < FEWEST_BINS * BIN:
        raise InvalidInput(
            f"cycles {config.measured_cycles} is too few: stability takes at least "
            f"{FEWEST_BINS * BIN}"
        )
    if config.interval != BIN:
        raise InvalidInput(f"interval {config.interval}: stability is judged by {BIN} cycles")
    scenario.check([load])
    packets = scenario.topology.num_nodes * load * _BINS_OF_MEAN * BIN / config.packet_phits
    if packets < _LEAST_PACKETS:
        raise InvalidInput(
            f"load {load:g} is too low: {packets:,.0f} packets in {_BINS_OF_MEAN * BIN:,} cycles "
            f"tell nothing of stability; at least {_LEAST_PACKETS:,} are needed"
        )
    return StabilityCase(scenario.routing, scenario.resolved(config))
