"""What all panels look like, and the types that they share."""

from collections.abc import Mapping
from typing import Any

__all__ = ["COLOURS", "Axis", "Document", "shortened"]

# Okabe and Ito's palette, told apart with every common colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

Document = Mapping[str, Any]
# matplotlib.axes.Axes; its keyword arguments have no types to check against.
Axis = Any


def shortened(expression: str, most: int = 52) -> str:
    """Return a path set's expression, without the middle of a long one.

    Examples
    --------
    >>> shortened("shape(g.g:16, g.gl:4, g.lg:4, g.lgl), by removal", 30)
    'shape(g.g:16, ..., by removal'
    """
    if len(expression) <= most:
        return expression
    end = expression.partition(")")[2]
    end = end if len(end) <= most // 2 else ""
    room = most - len(end) - len("...")
    return f"{expression[:room].rpartition(' ')[0] or expression[:room]} ...{end}"
