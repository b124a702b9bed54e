"""The decision of Step 2: does a candidate replace the conventional set, and which one.

It follows from what is told of every candidate, its `Judgement` against the conventional set: what
no printed interval shows, decides nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.search.objective import Aim, Objective
from tvlb.statistics import LEVEL, Judgement, MeanEstimate, SetFigures, Verdict, estimate

# By so many standard deviations a set is saturated in more runs than another, of those in which
# they differ.
_DEVIATIONS = 2.0
_LEAST_LOAD = 1e-6


@dataclass(frozen=True, eq=False)
class Measured:
    """Simulated figures of one path set.

    Attributes
    ----------
    expression : the path set.
    saturation : float64 (patterns,), saturation throughput, packets/cycle/node.
    latency : float64 (patterns,), mean latency at the reference load, cycles; nan where that was
        not sustained.
    share : float64 (patterns,), how much each pattern counts; None where all count alike.
    rounds : in how many rounds of the same patterns, each with another seed.
    """

    expression: str
    saturation: NDArray[np.float64]
    latency: NDArray[np.float64]
    share: NDArray[np.float64] | None = None
    rounds: int = 1

    @property
    def saturation_mean(self) -> float:
        """Mean saturation throughput, packets/cycle/node."""
        return self._of(self.saturation).mean

    @property
    def saturation_sem(self) -> float:
        """Standard error of that, over the patterns or, of several rounds, over their runs."""
        return self._of(self.saturation).error

    @property
    def latency_mean(self) -> float:
        """Mean latency of the patterns that have one, cycles; nan without any."""
        return self._of(self.latency).mean

    @property
    def latency_sem(self) -> float:
        """Standard error of that; see `saturation_sem`."""
        return self._of(self.latency).error

    @property
    def missed(self) -> int:
        """How many patterns have no latency."""
        return int(np.isnan(self.latency).sum())

    @property
    def figures(self) -> SetFigures:
        """The same with the latency at one load of several."""
        return SetFigures(self.expression, self.saturation, self.latency[None])

    def saturates_more_than(self, other: "Measured") -> bool:
        """Whether it is saturated at the reference load in more runs, beyond chance."""
        mine = np.isnan(self.latency) & ~np.isnan(other.latency)
        theirs = np.isnan(other.latency) & ~np.isnan(self.latency)
        more, differing = int(mine.sum()) - int(theirs.sum()), int(mine.sum()) + int(theirs.sum())
        return more > _DEVIATIONS * math.sqrt(differing)

    def latency_over(self, runs: NDArray[np.bool_]) -> float:
        """Return the mean latency of some of the runs, cycles; nan without any."""
        share = np.ones(len(runs)) if self.share is None else self.share
        known = runs & ~np.isnan(self.latency)
        return (
            float(np.average(self.latency[known], weights=share[known]))
            if known.any()
            else math.nan
        )

    def _of(self, values: NDArray[np.float64]) -> MeanEstimate:
        case = None
        if self.rounds > 1:
            case = np.arange(len(values)) % (len(values) // self.rounds)
        return estimate(values, self.share, case)


@dataclass(frozen=True)
class Decision:
    """The outcome.

    Attributes
    ----------
    expression : the chosen set, the conventional one if no candidate is better.
    replaces_all : whether a candidate was chosen.
    """

    expression: str
    replaces_all: bool


def decide(
    objective: Objective,
    baseline: Measured,
    candidates: Sequence[Measured],
    judgements: Sequence[Judgement],
    floors: Mapping[str, float] | None = None,
) -> Decision:
    """Choose the candidate that replaces the baseline, or the baseline.

    Parameters
    ----------
    judgements : of every candidate against the baseline, and others.
    floors : what a fixed split over the paths of each guarantees, packets/cycle/node; needed by
        `guaranteed` alone.

    Notes
    -----
    Candidates count that are better by the intervals of their judgement: higher saturation, by more
    than 1% or with a lower latency, or a lower latency and a mean saturation that is lower by no
    more than 1%, since a large loss that few patterns leave uncertain is none to accept. Without
    intervals, of a single run, changes above 1% count. By `saturation` and `front` the one of
    highest mean saturation leads, and among those within 1% of it the lowest latency wins. By
    latency, candidates also count that sustain the load where the baseline does not, and the lowest
    latency wins of those whose saturation is not lower. By the worst pattern the one wins that
    gains most where it gains least. By `guaranteed` the one wins whose product of mean saturation
    and floor is the largest, by more than 1% than that of the baseline. Latencies are compared over
    the runs that all of them sustain; a set that is saturated in more runs than another, by two
    standard deviations of those in which they differ, is behind it.
    """
    against = {one.expression: one for one in judgements if one.against == baseline.expression}
    match objective.aim:
        case Aim.LATENCY:
            chosen = _fastest([one for one in candidates if _is_faster(one, baseline, against)])
        case Aim.WORST_PATTERN:
            better = [one for one in candidates if is_better(against[one.expression])]
            chosen = max(better, key=lambda one: _least_gain(one, baseline), default=None)
        case Aim.GUARANTEED:
            assert floors is not None
            weighed = {
                one.expression: one.saturation_mean * floors[one.expression]
                for one in (baseline, *candidates)
            }
            least = (1.0 + LEVEL) * weighed[baseline.expression]
            better = [
                one
                for one in candidates
                if is_better(against[one.expression]) and weighed[one.expression] > least
            ]
            chosen = max(better, key=lambda one: weighed[one.expression], default=None)
        case _:
            better = [one for one in candidates if is_better(against[one.expression])]
            chosen = _highest_saturation(better)
    name = (chosen or baseline).expression
    return Decision(name, chosen is not None)


def is_better(judgement: Judgement) -> bool:
    """Whether a set is better than another by its judgement, see `decide`."""
    saturation, latency = judgement.saturation, judgement.latency[0]
    if judgement.verdict is Verdict.UNKNOWN:
        faster = latency is not None and latency.mean < -LEVEL
        return saturation.mean > LEVEL or (faster and saturation.mean >= -LEVEL)
    faster = latency is not None and latency.interval.below
    if judgement.verdict is Verdict.HIGHER:
        return saturation.mean > LEVEL or faster
    return judgement.verdict.is_gain and saturation.mean >= -LEVEL


def _is_faster(one: Measured, baseline: Measured, against: Mapping[str, Judgement]) -> bool:
    judgement = against[one.expression]
    if judgement.saturation.interval.below or one.saturates_more_than(baseline):
        return False
    latency = judgement.latency[0]
    if latency is None:
        return baseline.saturates_more_than(one)
    known = latency.interval
    below = latency.mean < -LEVEL if known.high is None else known.below
    return below or baseline.saturates_more_than(one)


def _highest_saturation(better: Sequence[Measured]) -> Measured | None:
    highest = max((one.saturation_mean for one in better), default=0.0)
    return _fastest([one for one in better if one.saturation_mean >= (1.0 - LEVEL) * highest])


def _fastest(sets: Sequence[Measured]) -> Measured | None:
    """Return the set of lowest latency, of those that are saturated in the fewest runs."""
    if not sets:
        return None
    steadiest = min(sets, key=lambda one: one.missed)
    level = [one for one in sets if not one.saturates_more_than(steadiest)]
    shared = np.logical_and.reduce([np.isfinite(one.latency) for one in level])
    return min(level, key=lambda one: (_or_last(one.latency_over(shared)), one.missed))


def _or_last(latency: float) -> float:
    return math.inf if math.isnan(latency) else latency


def _least_gain(one: Measured, baseline: Measured) -> float:
    gains = one.saturation / np.maximum(baseline.saturation, _LEAST_LOAD)
    # Of a pattern the mean over its runs: the worst run of many is hardly more than luck.
    return float(gains.reshape(baseline.rounds, -1).mean(axis=0).min())
