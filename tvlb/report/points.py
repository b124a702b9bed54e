"""The points of a report: result rows, checked, with the names of their pages."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from tvlb.documents import plain
from tvlb.errors import InvalidInput

__all__ = ["ROW_COLUMNS", "Point", "page_name", "points_of"]

# The columns of result rows that the report shows.
ROW_COLUMNS = (
    "point",
    "key",
    "status",
    "error",
    "topology",
    "arrangement",
    "p",
    "a",
    "h",
    "g",
    "links_per_pair",
    "radix",
    "nodes",
    "switches",
    "cables",
    "switches_per_node",
    "cables_per_node",
    "routing",
    "seed",
    "simulated_patterns",
    "confirmed_candidates",
    "chosen",
    "replaces_all",
    "theta_chosen",
    "theta_chosen_sem",
    "theta_all",
    "theta_all_sem",
    "saturation_chosen",
    "saturation_chosen_sem",
    "saturation_all",
    "saturation_all_sem",
    "saturation_gain",
    "saturation_gain_low",
    "saturation_gain_high",
    "latency_chosen",
    "latency_chosen_sem",
    "latency_all",
    "latency_all_sem",
    "latency_change",
    "latency_change_low",
    "latency_change_high",
    "best",
    "best_saturation_gain",
    "best_saturation_gain_low",
    "best_saturation_gain_high",
    "paths",
    "removed_by_balance",
    "table_id",
    "version",
)

Point = dict[str, Any]


def points_of(rows: Sequence[Mapping[str, Any]]) -> list[Point]:
    """Return what the report shows of result rows; nan becomes None.

    Raises
    ------
    InvalidInput : a row lacks a column, or two have the same number.
    """
    points = [_point(row) for row in rows]
    seen: set[int] = set()
    for point in points:
        if point["point"] in seen:
            raise InvalidInput(f"point {point['point']} is there twice; numbers must differ")
        seen.add(point["point"])
    return points


def _point(row: Mapping[str, Any]) -> Point:
    for name in ROW_COLUMNS:
        if name not in row:
            raise InvalidInput(f"row of point {row.get('point')}: column {name!r} is missing")
    return cast("Point", plain({name: row[name] for name in ROW_COLUMNS}))


def page_name(point: Point) -> str:
    """Return the name of the page of a point: the sizes of its topology."""
    return f"{point['p']},{point['a']},{point['h']},{point['g']}"
