"""Figures that show themselves in notebooks, with or without the matplotlib backend of these."""

import io
from typing import Any, cast

from matplotlib.figure import Figure


class NotebookFigure(Figure):
    """A figure that notebooks show as SVG."""

    def _repr_svg_(self) -> str:
        stream = io.StringIO()
        cast("Any", self).savefig(stream, format="svg")
        return stream.getvalue()
