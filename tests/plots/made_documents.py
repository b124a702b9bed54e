"""Documents of every family that nobody computed: the examples, with other networks and sets."""

import copy
from collections.abc import Callable, Mapping
from typing import Any

from tests.made_verdict import with_verdict
from tests.plots.made_search import ANSWERS, made_search
from tvlb.requests import example
from tvlb.topology import families, parse_topology

Document = dict[str, Any]


def documents_of(family: str) -> tuple[str, list[Document]]:
    """Return a network of a family and its documents: all that commands write and figures draw."""
    network = parse_topology(families()[family].example)
    name = str(network)
    table = table_of(network)
    probe = {key: table[key] for key in ("topology", "probe", "strategic", "cut")}
    vct = example("vct") | {"load_unit": "phits/cycle/node"}
    return name, [
        table,
        probe,
        {"topology": name, "expression": "all"} | table["balance"],
        example("simulation") | {"topology": name, "pattern": "step(uniform,2000,0.3)"},
        example("stability") | {"topology": name},
        vct | {"topology": name},
        misrouted(vct | {"topology": name}, network.layout.switches_per_group),
        *(example(kind) | {"topology": name} for kind in ("route", "measure", "split")),
    ]


def misrouted(vct: Document, switches: int) -> Document:
    """Return a simulation by levels, and of one group switch by switch."""
    course = {
        "generated_latency_mean": [50.0, 60.0, None],
        "level_mean": [1.0, 1.5, 2.0],
        "levels": [[level] * switches for level in (1.0, 1.5, 2.0)],
    }
    row = vct["rows"][0].copy()
    loads = {"by_switch": [0.1 + 0.001 * one for one in range(switches)]}
    row |= {"series": row["series"] | course, "switch_injected": loads}
    return vct | {"config": vct["config"] | {"levels_group": 0}, "rows": [row]}


def table_of(network: Any) -> Document:
    """Return the document of a search, balanced links of every kind included."""
    made, search = example("table"), made_search()
    conventional = network.conventional_set
    sets = [str(one) for one in network.data_points()]
    made |= {"topology": str(network), "topology_metadata": network.metadata, "search": search}
    made["baseline"] |= {"expression": conventional, "path_set": conventional}
    made["baseline"]["per_pattern"] = [
        {"pattern": one, "saturation": 0.3, "latency": 54.0} for one in ("uniform", "a", "b")
    ]
    _rename(search, conventional)
    made["decision"] |= {"expression": ANSWERS[0], "replaces_all": True}
    made["table"] |= {"expression": ANSWERS[0]}
    best = {"expression": ANSWERS[0], "path_set": ANSWERS[0], "confirmed": True, "balancing": None}
    runs = [one | {"saturation": 0.4} for one in made["baseline"]["per_pattern"]]
    made["candidates"] = [made["candidates"][0] | best | {"per_pattern": runs}]
    first = made["probe"][0]
    made["probe"] = [first | {"expression": one} for one in sets]
    points = made["curves"]["all"]
    made["curves"] = {conventional: points, ANSWERS[0]: points}
    usage = {
        f"percentiles_{when}": [1.0 + 1e-13 * one for one in range(101)]
        for when in ("before", "after")
    }
    kinds = dict.fromkeys(network.kinds.names, made["balance"]["local"] | usage)
    others = {key: one for key, one in made["balance"].items() if not isinstance(one, dict)}
    asked = {"topology": str(network), "routing": "ugal-l", "seed": 0}
    stored = {"id": "1", "url": "/v1/tables/1", "request": asked}
    return with_verdict(made | {"balance": kinds | others} | stored)


def _rename(search: Document, conventional: str) -> None:
    """Give the conventional set its name."""
    for one in search["held_out"]:
        if one["expression"] == "all":
            one["expression"] = conventional


def harder() -> Mapping[str, Callable[[Document], Document]]:
    """Return what figures have to stand, by a name."""
    return {
        "one load, wide intervals": _with_points(lambda points: points[:1], 500.0),
        "no intervals": _with_points(lambda points: points, None),
        "earlier columns": _without,
        "names of 40 letters, many shapes": _long,
        "all saturated, no steps": _saturated,
    }


def _with_points(
    kept: Callable[[list[Any]], list[Any]], half: float | None
) -> Callable[[Document], Document]:
    def changed(document: Document) -> Document:
        made = copy.deepcopy(document)
        points = [
            *made.get("rows", []),
            *(one for curve in made.get("curves", {}).values() for one in curve),
        ]
        for one in points:
            one["latency_ci95"] = half
            if "accepted_ci95" in one:
                one["accepted_ci95"] = half
        for one in (*made.get("probe", []), *made.get("strategic", [])):
            one["theta_sem"] = half
        if "curves" in made:
            made["curves"] = {name: kept(curve) for name, curve in made["curves"].items()}
        for name in ("rows", "probe"):
            if name in made:
                made[name] = kept(made[name])
        for case in made.get("stability", []):
            case["runs"] = kept(case["runs"])
            for run in case["runs"]:
                run["series"] = kept(run["series"])
        return made

    return changed


def _without(document: Document) -> Document:
    made = copy.deepcopy(document)
    if "strategic" in made:
        made["strategic"] = []
    for name in ("saturation_runs", "config", "warnings"):
        made.pop(name, None)
    for curve in made.get("curves", {}).values():
        for point in curve:
            point.pop("latency_ci95", None)
            point.pop("saturated_patterns", None)
    if "search" in made:
        made["search"] = None
    return made


def _long(document: Document) -> Document:
    made = copy.deepcopy(document)
    for number, point in enumerate(made.get("probe", [])):
        point["expression"] = f"a set of forty letters, the number is {number:03}"
    if "curves" in made:
        made["curves"] = {
            f"a curve of forty letters, the number is {number:02}": curve
            for number, curve in enumerate(made["curves"].values())
        }
    if made.get("search"):
        shares = {f"a shape of forty letters, the number is {one:02}": 1 / 36 for one in range(36)}
        for one in made["search"]["held_out"]:
            one |= {"shares": shares, "weights": dict.fromkeys(shares, 2.0)}
    for name in ("pattern", "path_set"):
        if name in made:
            made[name] = f"a {name} of forty letters, and that is enough"
    return made


def _saturated(document: Document) -> Document:
    made = copy.deepcopy(document)
    for curve in made.get("curves", {}).values():
        for point in curve:
            point |= {"latency_mean": None, "latency_ci95": None, "saturated_patterns": 3}
    for row in made.get("rows", []):
        row |= {"latency_mean": None, "latency_ci95": None, "saturated": True}
    if made.get("search"):
        made["search"] = made_search(steps=0)
        _rename(made["search"], made["baseline"]["expression"])
        for one in made["search"]["held_out"]:
            one |= {"latency_mean": [None, None], "latency": [[None] * 3] * 2}
    return made
