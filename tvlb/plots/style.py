"""What all panels look like, and the types that they share."""

from collections.abc import Mapping
from typing import Any

# Okabe and Ito's palette, told apart with every common colour blindness.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")

Document = Mapping[str, Any]
# matplotlib.axes.Axes; its keyword arguments have no types to check against.
Axis = Any
