"""Formats of other tools that hold paths as switches: a module each, found by looking here.

A module declares ``FORMAT``: what `tvlb export --to` calls it, and what it writes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tvlb.languages import declared
from tvlb.table.routes import Routes

__all__ = ["RouteFormat", "route_formats"]


@dataclass(frozen=True)
class RouteFormat:
    """A format that holds the switch sequences of a network.

    Attributes
    ----------
    name : what `tvlb export --to` calls it.
    suffixes : of its file, with their dots; none if any name will do.
    endings : of the names of the files that it writes, each behind the path that is given.
    fixed_weights : whether MIN paths and detours are drawn alike, by weight, so that the share of
        MIN paths has to be fixed.
    write : writes the files of a name and returns what has to be said about them, a line each;
        raises InvalidInput if the format cannot hold the routes.
    """

    name: str
    suffixes: tuple[str, ...]
    endings: tuple[str, ...]
    fixed_weights: bool
    write: Callable[[Routes, Path], Sequence[str]]


@cache
def route_formats() -> dict[str, RouteFormat]:
    """Return the formats by name."""
    return {each.name: each for each in declared(__name__, "FORMAT", RouteFormat)}
