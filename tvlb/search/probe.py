"""Step 1: model the throughput of many path sets under the adversarial patterns.

Reference: Rahman et al., SC'19, section 3.3.2 and Table 1.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from threading import Event

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import Frame
from tvlb.languages import Number
from tvlb.model import PatternTask, RegretSolver
from tvlb.paths import PathSet, data_points, strategic_choices
from tvlb.processes import Progress, Reporter, Stop, silent
from tvlb.processes.units import Units, own_units
from tvlb.search.pattern_unit import PatternUnit
from tvlb.search.sampling import (
    BATCH,
    PRECISION,
    Assessment,
    PatternOrder,
    Sample,
    assess,
    choose_patterns,
)
from tvlb.statistics import standard_error
from tvlb.topology import Topology, as_topology
from tvlb.traffic import Pattern

_STAGE = "probe"
# Relative gap between the certified bounds of every LP.
DEFAULT_GAP = 1e-3
TOLERANCE = Number(0, 1, below=True)
# Means of equal values may differ in the last bits; the tolerance is inclusive.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class ProbePoint:
    """Modelled throughput of one path set, averaged over the patterns.

    Attributes
    ----------
    expression : the path set.
    theta_mean, theta_sem : mean and standard error of what is proven to be reached (the certified
        lower bounds), packets/cycle/node; the error is nan for a single pattern. A set that was
        left out of later patterns is estimated by its difference from the best data point.
    theta_low, theta_up : means of the certified bounds; theta_low is theta_mean.
    patterns : number of patterns that it was solved for.
    mean_vlb_hops : mean hops of a drawn VLB path.
    distance_to_cut : theta_up minus the candidate cut; a candidate has at least 0, so the gap
        between the bounds never costs a point its place.
    """

    expression: str
    theta_mean: float
    theta_sem: float
    theta_low: float
    theta_up: float
    patterns: int
    mean_vlb_hops: float
    distance_to_cut: float

    @property
    def within_tolerance(self) -> bool:
        """Whether the point reaches the candidate cut."""
        return self.distance_to_cut >= -_ROUNDING


@dataclass(frozen=True)
class ProbeResult(Frame):
    """The probe curve.

    Attributes
    ----------
    points : the 31 data points of Table 1, shortest first.
    strategic : the deterministic choices considered for Step 2.
    best : expression of the data point with the largest mean (the shortest of equals).
    cut : (1 - tolerance) times the largest mean; candidates reach it.
    sample : the patterns behind it.
    """

    points: tuple[ProbePoint, ...]
    strategic: tuple[ProbePoint, ...]
    best: str
    cut: float
    sample: Sample

    @property
    def programs(self) -> int:
        """LPs that were bounded for it."""
        return sum(point.patterns for point in (*self.points, *self.strategic))

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one for each path set, data points first."""
        return [
            {**asdict(point), "within_tolerance": point.within_tolerance}
            for point in (*self.points, *self.strategic)
        ]

    def __repr__(self) -> str:
        return (
            f"<ProbeResult {len(self.points)} data points and {len(self.strategic)} strategic "
            f"choices: best {self.best}, cut {self.cut:.4f} packets/cycle/node>"
        )


def probe(
    topology: Topology | str,
    *,
    patterns: str = "auto",
    tolerance: float = 0.08,
    gap: float = DEFAULT_GAP,
    seed: int = 0,
    workers: int = 1,
    report: Reporter = silent,
    stop: Stop | None = None,
) -> ProbeResult:
    """Model the 31 data points and the strategic choices under the adversarial patterns.

    Parameters
    ----------
    topology : also as the text that commands take.
    patterns : see `choose_patterns`.
    tolerance : a candidate's mean is at least (1 - tolerance) of the best, 0 <= tolerance < 1.
    gap : relative gap between the certified bounds of every LP, see `RegretSolver`.
    seed : keys the random fractions and the order of the patterns.
    workers : processes.

    Raises
    ------
    InvalidInput : an argument is out of range, or g < 3 (no VLB path between groups).
    SolverFailed : the bounds of an LP could not be brought together.
    Cancelled : `stop` was set.
    """
    plan = ProbePlan(as_topology(topology), patterns, tolerance, gap, seed)
    with own_units(workers, stop or Event()) as units:
        return plan.run(units, report)


class ProbePlan:
    """What `probe` does, checked when it is made; parameters and errors are those of `probe`."""

    def __init__(
        self,
        topology: Topology,
        patterns: str = "auto",
        tolerance: float = 0.08,
        gap: float = DEFAULT_GAP,
        seed: int = 0,
    ) -> None:
        check_searchable(topology, tolerance)
        self._topology = topology
        self._patterns = choose_patterns(topology, patterns, seed)
        self._tolerance = tolerance
        self._solver = RegretSolver(gap)
        self._seed = seed

    def run(self, units: Units, report: Reporter) -> ProbeResult:
        """Solve the models."""
        points = data_points(self._topology, self._seed)
        sets = [*points, *strategic_choices(self._topology, self._seed)]
        study = _Study(self._patterns, sets, len(points), self._tolerance, report)
        while batch := study.next_batch():
            active = tuple(str(sets[index]) for index in study.active)
            tasks = [
                PatternTask(self._topology, pattern, active, self._seed, self._solver)
                for pattern in batch
            ]
            study.add(units.map([PatternUnit(task) for task in tasks], study.count))
        return study.result()


@dataclass(eq=False)
class _Study:
    """The patterns solved so far, and what they say.

    Attributes
    ----------
    active : the sets that more patterns can tell something about, increasing.
    """

    patterns: PatternOrder
    sets: Sequence[PathSet]
    data_points: int
    tolerance: float
    report: Reporter

    def __post_init__(self) -> None:
        self._theta = np.zeros((len(self.sets), 0, 2))
        self._finished = 0
        self._assessment: Assessment | None = None
        self.active = list(range(len(self.sets)))
        self._show()

    def next_batch(self) -> list[Pattern]:
        """Return the patterns to solve next, none at the end."""
        done = self._theta.shape[1]
        adaptive = self.patterns.adaptive
        # Only for sets that were not left out: another reference later brings none of them back.
        if adaptive and self._assessment and not self._assessment.undecided[self.active].any():
            return []
        size = BATCH if adaptive else self.patterns.most
        order = self.patterns.order[: self.patterns.most][done : done + size]
        return [self.patterns.everything[index] for index in order]

    def count(self) -> None:
        """Note that one more pattern is solved."""
        self._finished += 1
        self._show()

    def add(self, solved: list[NDArray[np.float64]]) -> None:
        """Add the bounds of the batch, each float64 (active sets, 2)."""
        batch = np.full((len(self.sets), len(solved), 2), math.nan)
        batch[self.active] = np.stack(solved, axis=1)
        self._theta = np.concatenate([self._theta, batch], axis=1)
        found = assess(
            self._theta[..., 0],
            self._theta[..., 1],
            self.data_points,
            self.tolerance,
            len(self.patterns.everything),
        )
        self._assessment = found
        if self.patterns.adaptive:
            wanted = found.undecided.copy()
            wanted[found.reference] = True
            self.active = [index for index in self.active if wanted[index]]

    def result(self) -> ProbeResult:
        """Average over the patterns."""
        assert self._assessment is not None
        used = self._theta.shape[1]
        sample = Sample(
            tuple(str(pattern) for pattern in self.patterns.first(used)),
            len(self.patterns.everything),
            self._assessment.half_width,
            self._reason(used),
        )
        return _summarise(
            self.sets,
            self.data_points,
            self._theta,
            self._assessment.reference,
            self.tolerance,
            sample,
        )

    def _reason(self, used: int) -> str:
        assert self._assessment is not None
        if used == len(self.patterns.everything):
            return "all patterns were used"
        if not self.patterns.adaptive:
            return "as many patterns as were asked for"
        return (
            f"the side of the cut that every path set is on is known with 95% confidence, or its "
            f"distance to {PRECISION:.1%} of the best mean"
        )

    def _show(self) -> None:
        note = "" if self._assessment is None else f"patterns, {len(self.active)} path sets left"
        self.report(Progress(_STAGE, self._finished, self.patterns.most, note))


def check_searchable(topology: Topology, tolerance: float) -> None:
    """Raise InvalidInput unless the search makes sense on this topology."""
    topology.check_searchable()
    TOLERANCE.checked("tolerance", tolerance)


def _summarise(
    sets: Sequence[PathSet],
    data_points: int,
    theta: NDArray[np.float64],
    reference: int,
    tolerance: float,
    sample: Sample,
) -> ProbeResult:
    """Average `theta`, float64 (sets, patterns, 2), and place the candidate cut."""
    means = [_estimate(theta[index], theta[reference]) for index in range(len(sets))]
    low = np.array([mean.low for mean in means])
    best = int(np.argmax(low[:data_points] > low[:data_points].max() - _ROUNDING))
    cut = (1.0 - tolerance) * float(low[:data_points].max())
    points = tuple(
        ProbePoint(
            expression=str(path_set),
            theta_mean=mean.low,
            theta_sem=mean.error,
            theta_low=mean.low,
            theta_up=mean.up,
            patterns=mean.patterns,
            mean_vlb_hops=path_set.mean_hops(),
            distance_to_cut=mean.up - cut,
        )
        for path_set, mean in zip(sets, means, strict=True)
    )
    return ProbeResult(
        points=points[:data_points],
        strategic=points[data_points:],
        best=points[best].expression,
        cut=cut,
        sample=sample,
    )


@dataclass(frozen=True)
class _Mean:
    """Means of the bounds of one set over all patterns used, from those it was solved for."""

    low: float
    up: float
    error: float
    patterns: int


def _estimate(theta: NDArray[np.float64], reference: NDArray[np.float64]) -> _Mean:
    """Average the bounds of one set, float64 (patterns, 2); nan where it was left out.

    Notes
    -----
    What the patterns that it missed do to all sets is taken from the reference: its mean over all
    patterns plus the mean difference from it over the patterns in common.
    """
    known = ~np.isnan(theta[:, 0])
    patterns = int(known.sum())
    if patterns == len(theta):
        low, up = theta.mean(axis=0)
        return _Mean(float(low), float(up), standard_error(theta[:, 0]), patterns)
    base = reference[:, 0]
    low, up = base.mean() + (theta[known] - base[known, np.newaxis]).mean(axis=0)
    error = math.hypot(standard_error(base), standard_error(theta[known, 0] - base[known]))
    return _Mean(float(low), float(up), error, patterns)
