"""What all panels look like: colours, axes that end where values may, legends below."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

# Okabe and Ito's palette, told apart with every common colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
LINE_STYLES = ("-", "--", ":", "-.")
LOAD_UNIT = "packets/cycle/node"

Document = Mapping[str, Any]
# matplotlib.axes.Axes; its keyword arguments have no types to check against.
Axis = Any

_ROOM = 1.08
# Of intervals that are longer than what they are of: of two patterns 12 times their spread.
_LONGEST_BAR = 0.5
_MOST_LOAD = 1.02
_DASH = 5.0


def bars(values: Sequence[float], halves: Sequence[float | None]) -> list[list[float]]:
    """Return error bars that end at 0: what is drawn is never negative."""
    known = [half or 0.0 for half in halves]
    below = [min(half, max(value, 0.0)) for half, value in zip(known, values, strict=True)]
    return [below, known]


def from_zero(
    values: Iterable[float], halves: Iterable[float | None] = (), most: float | None = None
) -> tuple[float, float]:
    """Return the ends of an axis of figures that are 0 or more, and `most` or less.

    Intervals much longer than the figures are cut at the frame.
    """
    every = [value for value in values if np.isfinite(value)]
    top = max(every, default=0.0)
    longest = max((half or 0.0 for half in halves), default=0.0)
    end = _ROOM * (top + min(longest, _LONGEST_BAR * top)) or 1.0
    return 0.0, end if most is None else min(end, _MOST_LOAD * most)


def note(axis: Axis, text: str) -> None:
    """Say why there is nothing to see."""
    axis.text(0.5, 0.5, text, transform=axis.transAxes, ha="center", va="center", wrap=True)


def tell_apart(axis: Axis) -> None:
    """Draw lines that lie on each other in turns, a dash each, with ever smaller markers."""
    same: defaultdict[bytes, list[Any]] = defaultdict(list)
    for line in axis.lines:
        if line.get_linestyle() not in ("None", "none", " ", "") or line.get_marker() == "o":
            same[np.asarray(line.get_xydata(), dtype=np.float64).tobytes()].append(line)
    for lines in same.values():
        if len(lines) == 1:
            continue
        for number, line in enumerate(lines):
            line.set_markersize(line.get_markersize() + 3.0 * (len(lines) - 1 - number))
            if line.get_linestyle() not in ("None", "none", " ", ""):
                line.set_linestyle((_DASH * number, (_DASH, _DASH * (len(lines) - 1))))
