"""The decision of Step 2: does a candidate replace the conventional set, and which one.

Comparisons are paired per pattern, so what all sets have in common cancels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tvlb.statistics import standard_error

__all__ = ["Comparison", "Decision", "Measured", "Verdict", "compare", "decide"]

SMALLEST_GAIN = 0.005
STANDARD_ERRORS = 2.0


@dataclass(frozen=True, eq=False)
class Measured:
    """Simulated figures of one path set.

    Attributes
    ----------
    expression : the path set.
    saturation : float64 (patterns,), saturation throughput, flits/cycle/node.
    latency : float64 (patterns,), mean latency at the reference load, cycles.
    """

    expression: str
    saturation: NDArray[np.float64]
    latency: NDArray[np.float64]


class Verdict(StrEnum):
    """How a candidate compares with the baseline."""

    HIGHER_SATURATION = "higher saturation"
    LOWER_LATENCY = "equal saturation, lower latency"
    NO_GAIN = "no significant gain"
    LOWER_SATURATION = "lower saturation"


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


def _paired(first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[float, float]:
    difference = first - second
    return float(difference.mean()), standard_error(difference)


def compare(candidate: Measured, baseline: Measured) -> Comparison:
    """Compare per pattern.

    Notes
    -----
    The saturation differs if the paired mean difference exceeds both two standard errors and
    0.005. A lower latency counts if its paired mean difference exceeds two standard errors and the
    mean saturation is lower by no more than 0.005: a large loss that the few patterns leave
    uncertain is no equality.
    """
    gain, gain_error = _paired(candidate.saturation, baseline.saturation)
    change, change_error = _paired(candidate.latency, baseline.latency)
    margin = max(STANDARD_ERRORS * gain_error, SMALLEST_GAIN)
    if gain > margin:
        verdict = Verdict.HIGHER_SATURATION
    elif gain < -margin:
        verdict = Verdict.LOWER_SATURATION
    elif gain >= -SMALLEST_GAIN and -change > STANDARD_ERRORS * change_error:
        verdict = Verdict.LOWER_LATENCY
    else:
        verdict = Verdict.NO_GAIN
    return Comparison(candidate.expression, gain, gain_error, change, change_error, verdict)


_BETTER = (Verdict.HIGHER_SATURATION, Verdict.LOWER_LATENCY)


def decide(baseline: Measured, candidates: Sequence[Measured]) -> Decision:
    """Choose the candidate that replaces the baseline, or the baseline.

    Notes
    -----
    Of the candidates better than the baseline the one with the highest mean saturation leads;
    among those whose saturation equals the leader's, the lowest latency wins.
    """
    comparisons = tuple(compare(candidate, baseline) for candidate in candidates)
    better = [
        candidate
        for candidate, comparison in zip(candidates, comparisons, strict=True)
        if comparison.verdict in _BETTER
    ]
    if not better:
        reason = (
            "no candidate was simulated: the model puts every shorter set below the cut"
            if not candidates
            else f"no candidate gains significantly over {baseline.expression}"
        )
        return Decision(baseline.expression, False, reason, comparisons)
    leader = max(better, key=lambda measured: float(measured.saturation.mean()))
    equals = [
        candidate for candidate in better if candidate is leader or _level_with(candidate, leader)
    ]
    chosen = min(equals, key=lambda measured: float(measured.latency.mean()))
    comparison = next(one for one in comparisons if one.expression == chosen.expression)
    return Decision(chosen.expression, True, _reason(comparison, baseline), comparisons)


def _level_with(candidate: Measured, leader: Measured) -> bool:
    return compare(candidate, leader).saturation_gain >= -SMALLEST_GAIN


def _reason(comparison: Comparison, baseline: Measured) -> str:
    return (
        f"{comparison.verdict} than {baseline.expression}, paired: saturation "
        f"{comparison.saturation_gain:+.4f} +- {comparison.saturation_sem:.4f} "
        f"flits/cycle/node, latency {comparison.latency_change:+.2f} +- "
        f"{comparison.latency_sem:.2f} cycles"
    )
