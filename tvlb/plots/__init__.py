"""Plots of results: probe curve, latency-load curves, link usage, and what a search found.

They are drawn from the JSON documents, so a result can be plotted long after it was computed.
"""

from tvlb.plots.figures import FIGURE_SUFFIXES, figure_of, save_figure
from tvlb.plots.judged import JudgedSet, ShapeRow, judged_sets, shape_rows
from tvlb.plots.style import shortened

__all__ = [
    "FIGURE_SUFFIXES",
    "JudgedSet",
    "ShapeRow",
    "figure_of",
    "judged_sets",
    "save_figure",
    "shape_rows",
    "shortened",
]
