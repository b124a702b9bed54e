"""Plots of results: probe curve, latency-load curves, link usage, and what a search found.

They are drawn from the JSON documents, so a result can be plotted long after it was computed.
"""

from tvlb.plots.figures import (
    COURSES,
    FIGURE_SUFFIXES,
    MOST_RESULTS,
    CourseBand,
    figure_of,
    has_load_curve,
    load_step,
    save_figure,
    stability_bands,
)

__all__ = [
    "COURSES",
    "FIGURE_SUFFIXES",
    "MOST_RESULTS",
    "CourseBand",
    "figure_of",
    "has_load_curve",
    "load_step",
    "save_figure",
    "stability_bands",
]
