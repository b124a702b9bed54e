"""By which intervals the report says what."""

import pytest

from tvlb.statistics import ChangeInterval, Verdict, verdict_of


def around(mean: float | None, half: float | None) -> ChangeInterval | None:
    if mean is None:
        return None
    if half is None:
        return ChangeInterval(mean, None, None)
    return ChangeInterval(mean, mean - half, mean + half)


@pytest.mark.parametrize(
    ("gain", "half", "change", "verdict"),
    [
        (0.10, 0.05, -0.05, Verdict.HIGHER),
        (0.10, 0.05, +0.05, Verdict.HIGHER),
        # Printed as +4.0% +- 4.0, and +0.1% +- 0.1: not above 0 for a reader.
        (0.0404, 0.0396, None, Verdict.UNDECIDED),
        (0.0014, 0.0006, None, Verdict.LEVEL),
        (0.0406, 0.0394, None, Verdict.HIGHER),
        (0.002, 0.005, -0.05, Verdict.FASTER),
        (0.04, 0.05, -0.05, Verdict.FASTER_AT_LEAST),
        # Nothing says that 2.9 % less is as much: the interval would have to lie within 1 %.
        (-0.029, 0.03, -0.05, Verdict.FASTER_AT_LEAST),
        (-0.029, 0.02, -0.05, Verdict.LOWER),
        (0.002, 0.005, -0.005, Verdict.LEVEL),
        (0.002, 0.005, None, Verdict.LEVEL),
        (0.04, 0.05, -0.005, Verdict.UNDECIDED),
        (0.04, 0.05, None, Verdict.UNDECIDED),
        (0.06, 0.77, -0.005, Verdict.UNDECIDED),
        (-0.10, 0.05, -0.05, Verdict.LOWER),
        (0.04, 0.05, +0.05, Verdict.SLOWER),
        (0.10, None, -0.05, Verdict.UNKNOWN),
        (None, None, None, Verdict.UNMEASURED),
    ],
)
def test_verdicts(
    gain: float | None, half: float | None, change: float | None, verdict: Verdict
) -> None:
    """Changes of latency have a half width of 0.01."""
    assert verdict_of(around(gain, half), around(change, 0.01)) is verdict
