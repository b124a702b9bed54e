"""The points of a report: result rows, checked, and what they differ in."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from tvlb.documents import plain
from tvlb.errors import InvalidInput
from tvlb.statistics import ChangeInterval, Verdict, verdict_of
from tvlb.topology import UNNAMED, Sizing, sized_families

# Of a figure: means and their errors; of a change: the mean, and the ends of its interval.
_BOTH = ("chosen", "chosen_sem", "all", "all_sem")
_ENDS = ("", "_low", "_high")

# The columns of result rows that the report shows.
ROW_COLUMNS = (
    "point",
    "key",
    "status",
    "error",
    "topology",
    "nodes",
    "switches",
    "cables",
    "switches_per_node",
    "cables_per_node",
    "routing",
    "seed",
    "options",
    "simulated_patterns",
    "confirmed_candidates",
    "chosen",
    "replaces_all",
    *(f"theta_{one}" for one in _BOTH),
    *(f"saturation_{one}" for one in _BOTH),
    *(f"saturation_gain{end}" for end in _ENDS),
    *(f"latency_{one}" for one in _BOTH),
    *(f"latency_change{end}" for end in _ENDS),
    "best",
    *(f"best_saturation_gain{end}" for end in _ENDS),
    *(f"best_latency_change{end}" for end in _ENDS),
    "paths",
    "removed_by_balance",
    "table_id",
    "version",
)

# The columns that some rows lack: those that only some families have, and in rows of earlier
# versions what networks cost, intervals of means, and what a search found.
LATER_COLUMNS = (
    "arrangement",
    "links_per_pair",
    "radix",
    "currency",
    "cost_per_node",
    "watts",
    "cost_per_flit_chosen",
    "cost_per_flit_all",
    *(
        f"{figure}_{which}{end}"
        for figure in ("theta", "saturation", "latency")
        for which in ("chosen", "all")
        for end in _ENDS[1:]
    ),
    *(
        f"{name}_{which}"
        for name in ("uniform", "permutation", "all_to_all", "common", "worst", "worst_pattern")
        for which in ("chosen", "all")
    ),
    "method",
    "objective",
    "balancing",
    "found",
    *(
        f"found_{figure}_over_{rival}{end}"
        for rival in ("all", "published")
        for figure in ("saturation_gain", "latency_change")
        for end in _ENDS
    ),
)

Point = dict[str, Any]
"""The columns above, and what is made of them.

`size`, `facts` : the size of the network, see `size_name` and `size_facts`.
`price` : the cost per node; without prices the ports of switches per node.
`settings` : the family, and what else was asked for, as far as points differ in it.
`tvlb`, `tvlb_saturation_gain`, `tvlb_latency_change`, with the ends of their intervals: the T-VLB
set of the point and its changes, as measured. That is the chosen set or, where the conventional one
was kept, the best candidate; None without a candidate.
`verdict` : what follows from these intervals, see `tvlb.statistics.verdict`.
"""


def points_of(rows: Sequence[Mapping[str, Any]]) -> list[Point]:
    """Return what the report shows of result rows; nan becomes None, and so does what a row lacks.

    Raises
    ------
    InvalidInput : a row lacks a column, its options are no JSON object, or two have the same
        number.
    """
    points = [_point(row) for row in rows]
    seen: set[int] = set()
    for point in points:
        if point["point"] in seen:
            raise InvalidInput(f"point {point['point']} is there twice; numbers must differ")
        seen.add(point["point"])
    for point, settings in zip(points, _settings(points), strict=True):
        point["settings"] = settings
    return points


def size_name(point: Mapping[str, Any]) -> str:
    """Return the size of a point's network, p,a,h,g; also the name of its page.

    Networks of other families than the Dragonfly are named by their topology.
    """
    sizing = _sizing_of(point)
    if sizing is None or _called(point) != UNNAMED:
        return point["topology"]
    return ",".join(str(point[name]) for name in sizing.names)


def size_facts(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page of a size says of the network of a row.

    Returns
    -------
    ``title``; ``parameters`` and ``others``, what it is given by and what follows, each a list of
    name and value.
    """
    size, sizing = size_name(row), _sizing_of(row)
    if sizing is None:
        return {"title": size, "parameters": [], "others": []}
    follow = (*sizing.others, *(f"{kind}_cables" for kind in sizing.cables))
    return {
        "title": size if size == row["topology"] else f"{_called(row)}({size})",
        "parameters": [
            [f"{one.text[:-1]}, {one.name}", row[one.name]] for one in sizing.parameters
        ],
        "others": [
            [name.replace("_", " ").capitalize(), row[name]]
            for name in follow
            if row.get(name) is not None
        ],
    }


def _sizing_of(row: Mapping[str, Any]) -> Sizing | None:
    """Return what is known of the sizes of a network; None where its row does not tell them."""
    family = sized_families().get(_called(row))
    if family is None or family.sizing is None:
        return None
    lacks = any(row.get(name) is None for name in family.sizing.names)
    return None if lacks else family.sizing


def _called(row: Mapping[str, Any]) -> str:
    """Return the name of the family in the text of a network, with or without failures."""
    return str(row["topology"]).partition("(")[0]


def _point(row: Mapping[str, Any]) -> Point:
    for name in ROW_COLUMNS:
        if name not in row:
            raise InvalidInput(f"row of point {row.get('point')}: column {name!r} is missing")
    later = {name: row.get(name) for name in LATER_COLUMNS}
    point = cast("Point", plain({name: row[name] for name in ROW_COLUMNS} | later))
    known = cast("Point", plain(dict(row)))
    made: Point = {"size": size_name(known), "facts": size_facts(known), "price": _price(point)}
    return point | tvlb_values(point) | made


def _price(point: Point) -> float:
    """Return the price per node; without prices the ports of switches that it takes."""
    if point["cost_per_node"] is not None:
        return point["cost_per_node"]
    return (2 * point["cables"] + point["nodes"]) / point["nodes"]


def tvlb_values(point: Point) -> Point:
    """Return the T-VLB set of a point, its changes and what follows; see `Point`."""
    prefix = "" if point["replaces_all"] else "best_"
    values: Point = {"tvlb": point["chosen"] if point["replaces_all"] else point["best"]}
    for figure in ("saturation_gain", "latency_change"):
        values |= {f"tvlb_{figure}{end}": point[f"{prefix}{figure}{end}"] for end in _ENDS}
    return values | {"verdict": changes_verdict(values, "tvlb_")}


def changes_verdict(changes: Point, prefix: str = "") -> Verdict:
    """Say what follows from the changes of a set against the conventional one."""
    saturation = interval_of(changes, f"{prefix}saturation_gain")
    return verdict_of(saturation, interval_of(changes, f"{prefix}latency_change"))


def interval_of(point: Point, figure: str) -> ChangeInterval | None:
    """Return a figure of a point; None if it has none."""
    if point.get(figure) is None:
        return None
    return ChangeInterval(point[figure], point[f"{figure}_low"], point[f"{figure}_high"])


def _settings(points: Sequence[Point]) -> list[str]:
    """Return the families and options in which points differ, by point; empty if they do not."""
    options = [{"family": _called(point), **_flat(_options(point))} for point in points]
    names = sorted({name for one in options for name in one})
    differing = [name for name in names if len({one.get(name) for one in options}) > 1]
    return [
        ", ".join(f"{name} {one[name]}" for name in differing if name in one) for one in options
    ]


def _options(point: Point) -> dict[str, Any]:
    try:
        read = json.loads(point["options"])
    except (TypeError, ValueError):
        read = None
    if not isinstance(read, dict):
        raise InvalidInput(f"row of point {point['point']}: options are no JSON object")
    return cast("dict[str, Any]", read)


def _flat(options: Mapping[str, Any]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for name, value in options.items():
        if isinstance(value, dict):
            inner = _flat(cast("dict[str, Any]", value))
            flat |= {f"{name}.{below}": text for below, text in inner.items()}
        else:
            flat[name] = value if isinstance(value, str) else json.dumps(value)
    return flat
