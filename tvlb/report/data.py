"""What the scripts of a report draw from: points and documents, cut down and rounded."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from tvlb.documents import link_kinds, plain
from tvlb.errors import InvalidInput
from tvlb.report.front import pareto_front
from tvlb.report.points import Point
from tvlb.statistics import (
    Estimator,
    change_text,
    drawn_search,
    estimator,
    judging_patterns,
    mean_interval,
    modelled_half,
    shortened,
)

COSTS = ("switches_per_node", "cables_per_node", "cost_per_node")
_DIGITS = 6
# The largest whole number that scripts tell from its neighbours.
_MAX_EXACT = 2**53

Document = Mapping[str, Any]


def drawn_data(points: Sequence[Point], documents: Mapping[str, Document]) -> dict[str, Any]:
    """Return the data of the scripts.

    Parameters
    ----------
    documents : of tables, by the key of the point; points without one have no details.

    Returns
    -------
    ``columns`` and ``rows`` of the points; ``sizes``, the facts of each by its name; ``details`` by
    the number of the point; ``probes``, each with the points that share it; ``fronts`` by cost.

    Raises
    ------
    InvalidInput : a document is none of a table.
    """
    # What options differ in is in the settings.
    elsewhere = ("options", "facts")
    columns = [name for name in points[0] if name not in elsewhere] if points else []
    probes: dict[str, dict[str, Any]] = {}
    details: dict[str, Any] = {}
    for point in points:
        document = documents.get(point["key"])
        if document is None or point["status"] != "succeeded":
            continue
        try:
            probe, detail = _probe(document), _detail(document)
        except (KeyError, TypeError, StopIteration) as error:
            raise InvalidInput(
                f"point {point['point']}: no document of a table: {error!r}"
            ) from error
        text = json.dumps([point["topology"], probe])
        shared = probes.setdefault(text, probe | {"topology": point["topology"], "points": []})
        shared["points"].append(point["point"])
        details[str(point["point"])] = detail | {"probe": list(probes).index(text)}
    computed = [one for one in points if one["status"] == "succeeded"]
    data = {
        "columns": columns,
        "rows": [[point[name] for name in columns] for point in points],
        "sizes": {point["size"]: point["facts"] for point in reversed(points)},
        "details": details,
        "probes": list(probes.values()),
        "fronts": {cost: pareto_front(computed, cost, "saturation_chosen") for cost in COSTS}
        | {"price": pareto_front(_exact(computed), "price", "common_chosen")},
    }
    return cast("dict[str, Any]", _rounded(plain(data)))


def _exact(points: Sequence[Point]) -> list[Point]:
    """Return points whose common traffic has intervals of no width: it is of named patterns."""
    ends = ("common_chosen_low", "common_chosen_high")
    return [one | dict.fromkeys(ends, one["common_chosen"]) for one in points]


def script_text(data: object) -> str:
    """Return data as JSON that may stand inside a script element, whatever its texts hold."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    # A browser looks for the end of the element without knowing of JSON.
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _probe(document: Document) -> dict[str, Any]:
    return {
        "cut": document["cut"],
        "patterns": len(document["patterns"]),
        "available": document["patterns_available"],
        "table1": [_modelled(point) for point in document["probe"]],
        "strategic": [_modelled(point) for point in document["strategic"]],
    }


def _modelled(point: Document) -> list[Any]:
    half = modelled_half(point)
    kept = ("within_tolerance", "mean_vlb_hops")
    return [point["expression"], point["theta_mean"], half, *(point[name] for name in kept)]


def _loaded(point: Document) -> list[Any]:
    # Documents of earlier versions have the standard error alone.
    kept = ("accepted", "saturated_patterns")
    half = point.get("latency_ci95")
    return [point["load"], point["latency_mean"], half, *(point[name] for name in kept)]


def _detail(document: Document) -> dict[str, Any]:
    balance, verdict = document["balance"], document.get("verdict")
    return {
        "reference_load": document["reference_load"],
        "stopped": document["stopped"],
        "sampled_pairs": balance["sampled_pairs"],
        "simulated": [
            _simulated(one, document) for one in (document["baseline"], *document["candidates"])
        ],
        "search": drawn_search(document),
        "patterns": judging_patterns(document),
        "verdict": verdict and verdict["text"],
        "judgements": [
            [one["expression"], one["against"], *map(_told, (one["saturation"], *one["latency"]))]
            for one in (verdict["judgements"] if verdict else ())
        ],
        "curves": [
            [expression, [_loaded(point) for point in curve], shortened(expression)]
            for expression, curve in sorted(document["curves"].items())
        ],
        "usage": [
            [kind, when, balance[kind][f"percentiles_{when}"]]
            for kind in link_kinds(balance)
            for when in ("before", "after")
        ],
    }


def _simulated(one: Document, document: Document) -> dict[str, Any]:
    windows, balance, of = one["windows"], one["balance"], estimator(document)
    comparison: Document = one["comparison"] or {}
    # Those of earlier versions tell differences.
    known = comparison if "saturation" in comparison else None
    return {
        "expression": one["expression"],
        "label": shortened(one["expression"]),
        "hops": one["mean_vlb_hops"],
        "saturation": [one["saturation_mean"], _half_width(one, "saturation", of)],
        "latency": [one["latency_at_reference_load"], _half_width(one, "latency", of)],
        "windows": [windows["warmup"], windows["measured"], windows["grid"]],
        "confirmed": one["confirmed"],
        "changes": known and [_told(known["saturation"]), _told(known["latency"][0])],
        "verdict": known and known["verdict"],
        "removed": None if balance is None else balance["removed"],
    }


def _told(change: Document | None) -> str:
    return "none" if change is None else change_text(change["mean"], change["half_width"])


def _half_width(one: Document, figure: str, of: Estimator) -> float:
    low, high = mean_interval(one, figure, of)
    return (high - low) / 2


def _rounded(value: object) -> object:
    """Round floats to what can be seen, and make texts of numbers that scripts cannot hold."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, int) and abs(value) > _MAX_EXACT:
        return str(value)
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {name: _rounded(one) for name, one in items}
    if isinstance(value, list):
        return [_rounded(one) for one in cast("list[object]", value)]
    return value
