"""The decision of Step 2: does a candidate replace the conventional set, and which one.

Comparisons are paired per pattern, so what all sets have in common cancels.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tvlb.search.objective import Aim, Objective
from tvlb.statistics import LEVEL, MeanEstimate, estimate
from tvlb.statistics import Verdict as Words

SMALLEST_GAIN = 0.005
STANDARD_ERRORS = 2.0
# Share of a latency that counts where the error is unknown.
_SMALLEST_CHANGE = 0.01
_LEAST_LOAD = 1e-6


@dataclass(frozen=True, eq=False)
class Measured:
    """Simulated figures of one path set.

    Attributes
    ----------
    expression : the path set.
    saturation : float64 (patterns,), saturation throughput, flits/cycle/node.
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
        """Mean saturation throughput, flits/cycle/node."""
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

    def less(self, other: "Measured") -> tuple[MeanEstimate, MeanEstimate]:
        """Return how much more saturation and latency there is than of another set, paired."""
        return self._of(self.saturation - other.saturation), self._of(self.latency - other.latency)

    def _of(self, values: NDArray[np.float64]) -> MeanEstimate:
        case = None
        if self.rounds > 1:
            case = np.arange(len(values)) % (len(values) // self.rounds)
        return estimate(values, self.share, case)


class Verdict(StrEnum):
    """How a candidate compares with the baseline."""

    HIGHER_SATURATION = Words.HIGHER.value
    LOWER_LATENCY = Words.FASTER.value
    LOWER_LATENCY_AT_LEAST = Words.FASTER_AT_LEAST.value
    NO_GAIN = "no significant gain"
    LOWER_SATURATION = Words.LOWER.value


@dataclass(frozen=True)
class Comparison:
    """A candidate against a baseline; differences are candidate minus baseline.

    Attributes
    ----------
    expression : the candidate.
    saturation_gain, saturation_sem : paired mean and standard error, flits/cycle/node.
    latency_change, latency_sem : the same of the latency at the reference load, cycles.
    verdict : what follows from them.
    """

    expression: str
    saturation_gain: float
    saturation_sem: float
    latency_change: float
    latency_sem: float
    verdict: Verdict


@dataclass(frozen=True)
class Decision:
    """The outcome.

    Attributes
    ----------
    expression : the chosen set, `all` if no candidate is better.
    replaces_all : whether a candidate was chosen.
    reason : one sentence.
    comparisons : every candidate against `all`.
    """

    expression: str
    replaces_all: bool
    reason: str
    comparisons: tuple[Comparison, ...]


def compare(candidate: Measured, baseline: Measured) -> Comparison:
    """Compare per pattern.

    Notes
    -----
    The saturation differs if the paired mean difference exceeds both two standard errors and
    0.005. A lower latency counts if its paired mean difference exceeds two standard errors and the
    mean saturation is lower by no more than 0.005: a large loss that the few patterns leave
    uncertain is none to accept. Saturation throughputs are then level if the 95% interval of their
    difference lies within 1% of that of the baseline, and else undecided. Of a single pattern the
    errors are unknown; a latency then counts as lower by more than 1%.
    """
    saturation, latency = candidate.less(baseline)
    gain = saturation.mean
    # In this order, so that an unknown error, nan, counts for nothing.
    margin = max(SMALLEST_GAIN, STANDARD_ERRORS * saturation.error)
    if gain > margin:
        verdict = Verdict.HIGHER_SATURATION
    elif gain < -margin:
        verdict = Verdict.LOWER_SATURATION
    elif gain >= -SMALLEST_GAIN and _is_lower(latency.mean, latency.error, baseline):
        level = abs(gain) + saturation.half_width() <= LEVEL * baseline.saturation_mean
        verdict = Verdict.LOWER_LATENCY if level else Verdict.LOWER_LATENCY_AT_LEAST
    else:
        verdict = Verdict.NO_GAIN
    return Comparison(
        candidate.expression, gain, saturation.error, latency.mean, latency.error, verdict
    )


def _is_lower(change: float, error: float, baseline: Measured) -> bool:
    """Whether a latency is significantly below that of the baseline."""
    if math.isnan(error):
        return -change > _SMALLEST_CHANGE * baseline.latency_mean
    return -change > STANDARD_ERRORS * error


_BETTER = (Verdict.HIGHER_SATURATION, Verdict.LOWER_LATENCY, Verdict.LOWER_LATENCY_AT_LEAST)


def decide_by(objective: Objective, baseline: Measured, candidates: Sequence[Measured]) -> Decision:
    """Choose by an objective; see `decide` for `saturation` and `front`.

    Notes
    -----
    By latency, candidates count that are not significantly below the baseline in saturation and
    sustain the load wherever it does, if their latency is significantly lower or they sustain the
    load under more patterns; the one that sustains it under most wins, then the lowest latency. By
    the worst pattern, the candidate that is better than the baseline and gains most where it gains
    least.
    """
    match objective.aim:
        case Aim.LATENCY:
            return _decide(baseline, candidates, _lowest_latency)
        case Aim.WORST_PATTERN:
            return _decide(baseline, candidates, _best_at_worst)
        case _:
            return _decide(baseline, candidates, _highest_saturation)


def decide(baseline: Measured, candidates: Sequence[Measured]) -> Decision:
    """Choose the candidate that replaces the baseline, or the baseline.

    Notes
    -----
    Of the candidates better than the baseline the one with the highest mean saturation leads;
    among those whose saturation equals the leader's, the lowest latency wins.
    """
    return _decide(baseline, candidates, _highest_saturation)


_Choice = Callable[[Measured, Sequence[Measured], Sequence[Comparison]], Measured | None]


def _decide(baseline: Measured, candidates: Sequence[Measured], choose: _Choice) -> Decision:
    comparisons = tuple(compare(candidate, baseline) for candidate in candidates)
    chosen = choose(baseline, candidates, comparisons)
    if chosen is None:
        reason = (
            "no candidate was simulated: the model puts every shorter set below the cut"
            if not candidates
            else f"no candidate gains significantly over {baseline.expression}"
        )
        return Decision(baseline.expression, False, reason, comparisons)
    comparison = next(one for one in comparisons if one.expression == chosen.expression)
    reason = _reason(comparison.verdict, chosen, baseline)
    return Decision(chosen.expression, True, reason, comparisons)


def _better(candidates: Sequence[Measured], comparisons: Sequence[Comparison]) -> list[Measured]:
    return [
        candidate
        for candidate, comparison in zip(candidates, comparisons, strict=True)
        if comparison.verdict in _BETTER
    ]


def _highest_saturation(
    _: Measured, candidates: Sequence[Measured], comparisons: Sequence[Comparison]
) -> Measured | None:
    better = _better(candidates, comparisons)
    if not better:
        return None
    leader = max(better, key=lambda measured: measured.saturation_mean)
    equals = [
        candidate for candidate in better if candidate is leader or _level_with(candidate, leader)
    ]
    return min(equals, key=lambda measured: (measured.missed, measured.latency_mean))


def _lowest_latency(
    baseline: Measured, candidates: Sequence[Measured], comparisons: Sequence[Comparison]
) -> Measured | None:
    faster = [
        (candidate.missed, candidate.latency_mean, position)
        for position, (candidate, comparison) in enumerate(
            zip(candidates, comparisons, strict=True)
        )
        if comparison.verdict is not Verdict.LOWER_SATURATION
        and not (np.isnan(candidate.latency) & ~np.isnan(baseline.latency)).any()
        and (
            candidate.missed < baseline.missed
            or _is_lower(comparison.latency_change, comparison.latency_sem, baseline)
        )
    ]
    return candidates[min(faster)[-1]] if faster else None


def _best_at_worst(
    baseline: Measured, candidates: Sequence[Measured], comparisons: Sequence[Comparison]
) -> Measured | None:
    def least_gain(measured: Measured) -> float:
        gains = measured.saturation / np.maximum(baseline.saturation, _LEAST_LOAD)
        # Of a pattern the mean over its runs: the worst run of many is hardly more than luck.
        return float(gains.reshape(baseline.rounds, -1).mean(axis=0).min())

    return max(_better(candidates, comparisons), key=least_gain, default=None)


def _level_with(candidate: Measured, leader: Measured) -> bool:
    return compare(candidate, leader).saturation_gain >= -SMALLEST_GAIN


def _reason(verdict: Verdict, chosen: Measured, baseline: Measured) -> str:
    saturation, latency = chosen.less(baseline)
    return (
        f"{verdict}; against {baseline.expression}, paired, with 95% intervals: saturation "
        f"{_interval(saturation, 4)} flits/cycle/node, latency {_interval(latency, 2)} cycles"
    )


def _interval(change: MeanEstimate, digits: int) -> str:
    half = change.half_width()
    return f"{change.mean:+.{digits}f}" + ("" if math.isnan(half) else f" +- {half:.{digits}f}")
