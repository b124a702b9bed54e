"""Figures that show themselves in notebooks, whatever the backend of these; loaded to draw."""

import io
from typing import Any, cast

import matplotlib
from matplotlib.figure import Figure
from matplotlib.transforms import ScaledTranslation

from tvlb.plots.style import Axis

_POINTS_PER_INCH, _BELOW_TICKS, _LEGEND_SIZE = 72.0, 36.0, 8.0
# Numbers at axes as they are: neither less an offset nor times a power of ten.
_PLAIN = {"axes.formatter.useoffset": False, "axes.formatter.limits": (-9, 12)}


class NotebookFigure(Figure):
    """A figure that notebooks show as SVG."""

    def _repr_svg_(self) -> str:
        stream = io.StringIO()
        cast("Any", self).savefig(stream, format="svg")
        return stream.getvalue()

    def add_subplot(self, *args: Any, **kwargs: Any) -> Any:
        """See `Figure.add_subplot`; axes have plain numbers."""
        with cast("Any", matplotlib).rc_context(_PLAIN):
            return cast("Any", super()).add_subplot(*args, **kwargs)


def new_figure(rows: int, columns: int) -> tuple[Any, Any]:
    """Return a figure and its grid for so many panels."""
    figure = cast("Any", NotebookFigure(layout="constrained"))
    return figure, figure.add_gridspec(rows, columns)


def legend_below(axis: Axis, title: str, ticks: float) -> float:
    """Put the legend below the axis and its labels; return its height, inches.

    Parameters
    ----------
    ticks : height of the labels at the ticks, points.
    """
    handles, labels = axis.get_legend_handles_labels()
    if not labels:
        return 0.0
    down = -(ticks + _BELOW_TICKS) / _POINTS_PER_INCH
    axis.legend(
        handles,
        labels,
        title=title or None,
        loc="upper left",
        bbox_to_anchor=(0.0, 0.0),
        bbox_transform=axis.transAxes
        + ScaledTranslation(0.0, down, axis.get_figure().dpi_scale_trans),
        borderaxespad=0.0,
        fontsize=_LEGEND_SIZE,
        title_fontsize=_LEGEND_SIZE,
        alignment="left",
        frameon=False,
    )
    lines = len(labels) + bool(title) + sum(label.count("\n") for label in labels)
    return 1.5 * _LEGEND_SIZE * lines / _POINTS_PER_INCH
