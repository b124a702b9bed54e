"""Rows and documents of sweeps that nobody computed: the example document, varied."""

import copy
import json
import random
from typing import Any, Literal

from tests.made_verdict import with_verdict
from tests.plots.made_documents import table_of
from tests.plots.made_search import ANSWERS, made_judgements, made_search
from tvlb.designs import Bill
from tvlb.paths import data_points
from tvlb.requests import TableBody, example, request_key
from tvlb.search import CommonTraffic
from tvlb.sweeps.rows import Row, failed_row, succeeded_row
from tvlb.topology import Dragonfly

_ARRANGEMENTS = ("absolute", "palmtree")
_ROUTINGS = ("ugal-l", "par")
_NETWORKS = {
    "dfly": "dfly(2,4,2,5)",
    "dflyplus": "dflyplus(2,2,2,5)",
    "hyperx": "hyperx(2,3,3)",
    "slimfly": "slimfly(3)",
}
_LONG = "shape(g.g:100, g.gl:33, g.lg:57, g.lgl:8.8, lg.g:35, lgl.lgl:3), by removal"
_PATTERNS = tuple(f"type2(seed={seed})" for seed in range(3))


def made_up_sweep(
    sizes: list[str],
    *,
    failures: int = 0,
    method: Literal["search", "paper"] = "paper",
) -> tuple[list[Row], dict[str, dict[str, Any]]]:
    """Return rows and documents of every arrangement and routing; the last points failed."""
    bodies = [
        TableBody(
            topology=f"dfly({size},{arrangement})",
            routing=routing,
            method=method,
            objective="saturation" if method == "paper" else "front",
        ).resolved()
        for size in sizes
        for arrangement in _ARRANGEMENTS
        for routing in _ROUTINGS
    ]
    rows: list[Row] = []
    documents: dict[str, dict[str, Any]] = {}
    for point, body in enumerate(bodies):
        key = request_key(body)
        if point >= len(bodies) - failures:
            rows.append(failed_row(point, key, body, "SolverFailed: <b>the LP</b> & more"))
            continue
        documents[key] = _document(body, random.Random(f"{body.topology}/{point}"))
        rows.append(succeeded_row(point, key, body, documents[key]))
    return rows, documents


def families_sweep(*names: str) -> tuple[list[Row], dict[str, dict[str, Any]]]:
    """Return rows and documents of a network of each of these families; without names of all."""
    rows: list[Row] = []
    documents: dict[str, dict[str, Any]] = {}
    for point, (name, text) in enumerate(_NETWORKS.items()):
        if names and name not in names:
            continue
        body = TableBody(topology=text).resolved()
        key = request_key(body)
        made = json.dumps(table_of(body.network()))
        documents[key] = json.loads(made.replace(ANSWERS[0], _LONG) if name == "slimfly" else made)
        bill = Bill("EUR", 1000.0 * (40 + point), 500.0)
        common = CommonTraffic(0.9 - point / 10, 0.5, 0.4, 0.3, "permutation(seed=2)")
        worse = CommonTraffic(0.8 - point / 10, 0.45, 0.4, 0.2, "node-shift(2)")
        rows.append(succeeded_row(point, key, body, documents[key], bill, (common, worse)))
    return rows, documents


def _document(body: TableBody, draw: random.Random) -> dict[str, Any]:
    made = example("table")
    network = body.network()
    assert isinstance(network, Dragonfly)
    links = network.links_per_group_pair[0]
    made |= {"topology": str(network), "topology_metadata": network.metadata}
    made["table"]["id"] = f"{draw.getrandbits(256):064x}"
    made["cut"], made["probe"] = _probe(network, random.Random(str(network)))
    base = draw.uniform(0.15, 0.3)
    made["baseline"] |= _figures("all", base, draw)
    shape = made["candidates"][0]
    gain = 0.06 * (links - 1.5) / links
    made["candidates"] = [
        copy.deepcopy(shape)
        | {"path_set": expression, "balancing": "removal"}
        | _figures(expression, base * (1 + gain + draw.uniform(-0.01, 0.04)), draw)
        | {"confirmed": number < 3}
        for number, expression in enumerate(("<=4+60%", "short(2,3)", "<=5", "<=4+(2,3)"))
    ]
    kept = links == 1
    chosen = "all" if kept else "short(2,3)"
    made["decision"] = {"expression": chosen, "replaces_all": not kept, "reason": "made up"}
    made["curves"] = {name: _curve(draw) for name in ("all", "short(2,3)")}
    made = _judged(made)
    return made if body.method == "paper" else _found(made)


def _judged(made: dict[str, Any]) -> dict[str, Any]:
    """Return a document with the verdict that follows, and with it what is told of candidates."""
    made = with_verdict(made)
    judgements = {
        one["expression"]: one
        for one in made["verdict"]["judgements"]
        if one["against"] == made["baseline"]["expression"]
    }
    for one in made["candidates"]:
        one["comparison"] = judgements.get(one["expression"])
    return made


def _found(made: dict[str, Any]) -> dict[str, Any]:
    """Return the document of a search with two answers, the first of which was chosen."""
    best = made["candidates"][1]
    named = {"expression": ANSWERS[0], "path_set": ANSWERS[0], "balancing": None}
    made["candidates"][1] = best | named | {"comparison": made["candidates"][0]["comparison"]}
    made["decision"] = {"expression": ANSWERS[0], "replaces_all": True, "reason": "made up"}
    made["table"] |= {"expression": ANSWERS[0], "balancing": None}
    made["curves"][ANSWERS[0]] = made["curves"].pop("short(2,3)")
    return with_verdict(made | {"search": made_search()}, made_judgements())


def _probe(network: Dragonfly, draw: random.Random) -> tuple[float, list[dict[str, Any]]]:
    point = example("table")["probe"][0]
    best = draw.uniform(0.4, 0.6)
    cut = 0.92 * best
    points: list[dict[str, Any]] = []
    for number, path_set in enumerate(data_points(network)):
        theta = best * min(1.0, 0.55 + 0.06 * number) - 0.001 * number
        points.append(
            point
            | {"expression": str(path_set), "theta_mean": theta, "theta_sem": 0.05 / (1 + number)}
            | {"within_tolerance": theta >= cut}
        )
    return cut, points


def _figures(expression: str, saturation: float, draw: random.Random) -> dict[str, Any]:
    per_pattern = [
        {
            "pattern": pattern,
            "saturation": saturation * draw.uniform(0.99, 1.01),
            "latency": 50 - 20 * saturation + draw.uniform(-0.5, 0.5),
        }
        for pattern in _PATTERNS
    ]
    values = [float(one["saturation"]) for one in per_pattern]
    return {
        "expression": expression,
        "saturation_mean": sum(values) / len(values),
        "per_pattern": per_pattern,
    }


def _curve(draw: random.Random) -> list[dict[str, Any]]:
    point = example("table")["curves"]["all"][0]
    base = draw.uniform(45, 50)
    return [point | {"load": load / 20, "latency_mean": base + load**2 / 4} for load in range(1, 6)]
