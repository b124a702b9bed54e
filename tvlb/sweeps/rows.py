"""Points of a sweep as flat rows: what was asked, what the network costs, what a table gains."""

import json
import math
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from tvlb.designs import Bill
from tvlb.documents import VERSION, link_kinds
from tvlb.errors import InvalidInput
from tvlb.requests import TableBody
from tvlb.requests.request import network_of
from tvlb.search import CommonTraffic
from tvlb.statistics import Estimator, estimator, mean_interval, modelled_half
from tvlb.sweeps.columns import ResultColumn, columns_of
from tvlb.sweeps.points import Point
from tvlb.sweeps.requested import requested_columns, requested_values
from tvlb.topology import (
    DegradedNetwork,
    ExplicitTopology,
    Family,
    families,
    parse_named_topology,
)

Value = str | int | float | bool | None
Row = dict[str, Value]
Document = Mapping[str, Any]

# Sets that what a search found is held against, and their names in the columns.
_RIVALS = {"conventional": "all", "published": "published"}


def succeeded_row(
    point: int,
    key: str,
    body: TableBody,
    document: Document,
    bill: Bill | None = None,
    common: tuple[CommonTraffic, CommonTraffic] | None = None,
) -> Row:
    """Return the row of a computed point.

    Parameters
    ----------
    point : number of the point in the order of the sweep.
    key : key of the request.
    body : the resolved request.
    document : of the table, as `tvlb.requests.TableDocument` describes it.
    bill : what the network costs; None without prices.
    common : what it carries of common traffic, by the chosen and the conventional set.

    Returns
    -------
    The values by name, in the order of the columns of the network's family; None for figures that
    do not exist.

    Raises
    ------
    InvalidInput : the document is none of a table, or not of this request.
    """
    try:
        network = _network(body.topology, document["topology_metadata"])
        if document["topology"] != network["topology"]:
            raise InvalidInput(
                f"point {point}: the document is of {document['topology']}, the request of "
                f"{network['topology']}"
            )
        result = _result(document) | ({} if common is None else _common(document, *common))
        priced = _priced(bill, network, result)
        row = _request(point, key, "succeeded", body) | network | result | priced
        return _complete(body, row)
    except (KeyError, TypeError, StopIteration) as error:
        raise InvalidInput(f"point {point}: no document of a table: {error!r}") from error


def failed_row(point: int, key: str, body: TableBody, error: str, bill: Bill | None = None) -> Row:
    """Return the row of a point that could not be computed; its results are None.

    Parameters
    ----------
    point, key, body, bill : see `succeeded_row`.
    error : what happened, in words.
    """
    network = _network(body.topology, body.network().metadata)
    row = _request(point, key, "failed", body) | network | _priced(bill, network, {})
    return _complete(body, row | {"error": _said(error), "version": VERSION})


def requested_row(
    point: Point,
    error: str | None,
    documents: Sequence[Document],
) -> Row:
    """Return the row of a point that is no table; see `tvlb.sweeps.requested`.

    Parameters
    ----------
    error : why it could not be computed, in words; None if it could.
    documents : of its requests, in their order; none if it could not be computed.
    """
    bodies = point.bodies
    network = _network(point.topology, _metadata(cast("Hashable", point.topology)))
    row: Row = requested_values(bodies, documents) | {
        "point": point.number,
        "key": point.key,
        "status": "succeeded" if error is None else "failed",
        "error": error and _said(error),
        "version": VERSION,
    }
    row |= network | _priced(point.bill, network, {})
    return _completed(point.topology, requested_columns([*map(type, bodies)]), row)


@lru_cache(maxsize=1)
def _metadata(topology: Hashable) -> Document:
    # Points of a network stand side by side.
    return network_of(cast("str | ExplicitTopology", topology)).metadata


def family_of(topology: str | ExplicitTopology) -> Family:
    """Return the family of a network of requests, with failures or without."""
    if isinstance(topology, DegradedNetwork):
        topology = topology.network
    if isinstance(topology, str):
        return parse_named_topology(topology).family
    return next(
        one for one in families().values() if one.explicit and isinstance(topology, one.explicit)
    )


def _said(error: str) -> str:
    # Texts of operating systems may hold what UTF-8 cannot say.
    return error.encode("utf-8", "replace").decode()


def _complete(body: TableBody, values: Row) -> Row:
    return _completed(body.topology, None, values)


def _completed(
    topology: str | ExplicitTopology, results: Sequence[ResultColumn] | None, values: Row
) -> Row:
    columns = columns_of([family_of(topology).name], results)
    return {column.name: _existing(values.get(column.name)) for column in columns}


def _existing(value: Value) -> Value:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _request(point: int, key: str, status: str, body: TableBody) -> Row:
    others = body.model_dump(mode="json", exclude={"topology", "routing", "seed"})
    return {
        "point": point,
        "key": key,
        "status": status,
        "routing": body.routing,
        "method": body.method,
        "objective": body.objective,
        "seed": body.seed,
        "options": json.dumps(others, sort_keys=True, separators=(",", ":")),
    }


def _network(topology: str | ExplicitTopology, metadata: Document) -> Row:
    nodes, switches, cables = metadata["nodes"], metadata["switches"], metadata["links"] // 2
    return {
        "topology": str(topology),
        "nodes": nodes,
        "switches": switches,
        "cables": cables,
        "switches_per_node": switches / nodes,
        "cables_per_node": cables / nodes,
        **_own(topology, metadata),
    }


def _own(topology: str | ExplicitTopology, metadata: Document) -> Row:
    """Return what only networks of the family have; nothing of one with failures."""
    sizing = family_of(topology).sizing
    if sizing is None or isinstance(topology, DegradedNetwork):
        return {}
    is_text = isinstance(topology, str)
    given = parse_named_topology(topology).parameters if is_text else dict(topology)
    facts = sizing.facts(given, metadata)
    return {column.name: column.of(facts) for column in sizing.columns}


def _priced(bill: Bill | None, network: Document, result: Document) -> Row:
    if bill is None:
        return {}
    per_node = bill.cost / network["nodes"]
    return {
        "currency": bill.currency,
        "cost": bill.cost,
        "cost_per_node": per_node,
        "watts": bill.watts,
        **{
            f"cost_per_{unit}_{name}": per_node / result[f"{figure}_{name}"]
            for unit, figure in (("flit", "saturation"), ("common", "common"))
            for name in ("chosen", "all")
            if result.get(f"{figure}_{name}")
        },
    }


def _common(document: Document, chosen: CommonTraffic, conventional: CommonTraffic) -> Row:
    """Return what both sets carry of common traffic, and the worst of that and of their own."""
    name, row = document["decision"]["expression"], Row()
    simulated = (document["baseline"], *document["candidates"])
    own = next(one for one in simulated if one["expression"] == name)
    for which, found, of in (("chosen", chosen, own), ("all", conventional, simulated[0])):
        worst = min(of["per_pattern"], key=lambda one: one["saturation"])
        is_own = worst["saturation"] < found.least
        row |= {
            f"uniform_{which}": found.uniform,
            f"permutation_{which}": found.permutation,
            f"all_to_all_{which}": found.all_to_all,
            f"common_{which}": found.mean,
            f"worst_{which}": worst["saturation"] if is_own else found.least,
            f"worst_pattern_{which}": worst["pattern"] if is_own else found.least_pattern,
        }
    return row


def _result(document: Document) -> Row:
    baseline, conventional = document["baseline"], document["baseline"]["expression"]
    confirmed = [one for one in document["candidates"] if one["confirmed"]]
    decision = document["decision"]
    chosen = baseline
    if decision["replaces_all"]:
        chosen = next(one for one in confirmed if one["expression"] == decision["expression"])
    of = estimator(document)
    best = max(confirmed, key=lambda one: one["saturation_mean"], default=None)
    return {
        "simulated_patterns": len(baseline["per_pattern"]),
        "confirmed_candidates": len(confirmed),
        "chosen": decision["expression"],
        "path_set": document["table"]["expression"],
        "balancing": document["table"]["balancing"],
        "replaces_all": decision["replaces_all"],
        "verdict": document["verdict"]["verdict"],
        **_modelled(document, "chosen", chosen["path_set"]),
        **_modelled(document, "all", conventional),
        "mean_vlb_hops_chosen": document["table"]["mean_vlb_hops"],
        "mean_vlb_hops_all": baseline["mean_vlb_hops"],
        **_simulated(chosen, "chosen", of),
        **_simulated(baseline, "all", of),
        "reference_load": document["reference_load"],
        **_gains(document, chosen["expression"], conventional),
        **_gains_on_vct(document, chosen["expression"], conventional),
        **({} if best is None else {"best": best["expression"]}),
        **({} if best is None else _gains(document, best["expression"], conventional, "best_{}")),
        **_found(document),
        **_table(document),
        "programs": document["work"]["programs"],
        "flit_hops": document["work"]["flit_hops"],
        "version": document["provenance"]["tvlb"],
    }


def _modelled(document: Document, name: str, expression: str) -> Row:
    for point in (*document["probe"], *document["strategic"]):
        if point["expression"] == expression:
            ends = _interval(f"theta_{name}", point["theta_mean"], modelled_half(point))
            return ends | {f"theta_{name}_sem": point["theta_sem"]}
    return {}


def _gains_on_vct(document: Document, one: str, against: str) -> Row:
    told = document["verdict"].get("on_vct")
    return {} if told is None else _gains(document, one, against, "vct_{}", told)


def _gains(
    document: Document,
    one: str,
    against: str,
    columns: str = "{}",
    told: Sequence[Document] | None = None,
) -> Row:
    """Return the changes of a set against another, in such columns; none where it is that.

    They are those of the verdict, or of other judgements that are `told`.
    """
    saturation, latency = map(columns.format, ("saturation_gain", "latency_change"))
    if one == against:
        return _interval(saturation, 0.0, 0.0) | _interval(latency, 0.0, 0.0)
    for judgement in document["verdict"]["judgements"] if told is None else told:
        if (judgement["expression"], judgement["against"]) == (one, against):
            # The lower of both loads is the reference load.
            changes = {saturation: judgement["saturation"], latency: judgement["latency"][0]}
            row: Row = {}
            for name, change in changes.items():
                if change is not None:
                    row |= _interval(name, change["mean"], change["half_width"])
            return row
    return {}


def _simulated(figures: Document, name: str, of: Estimator) -> Row:
    row: Row = {}
    for figure, mean in (
        ("saturation", "saturation_mean"),
        ("latency", "latency_at_reference_load"),
    ):
        low, high = mean_interval(figures, figure, of)
        row |= {
            f"{figure}_{name}": figures[mean],
            f"{figure}_{name}_sem": figures[f"{figure}_sem"],
            f"{figure}_{name}_low": low,
            f"{figure}_{name}_high": high,
        }
    return row


def _found(document: Document) -> Row:
    """Return what a search found against what was known before."""
    search = document["search"]
    if search is None:
        return {}
    chosen = document["decision"]["expression"]
    answers = sorted(
        search["front"], key=lambda one: (one["expression"] != chosen, -one["saturation_mean"])
    )
    name = answers[0]["expression"]
    row: Row = {"found": name}
    for one in search["held_out"]:
        if rival := _RIVALS.get(one["known_as"]):
            row |= _gains(document, name, one["expression"], f"found_{{}}_over_{rival}")
    return row


def _interval(name: str, mean: float, half: float | None) -> Row:
    ends = (None, None) if half is None else (mean - half, mean + half)
    return {name: mean, f"{name}_low": ends[0], f"{name}_high": ends[1]}


def _table(document: Document) -> Row:
    table, balance = document["table"], document["balance"]
    return {
        "paths": table["paths"],
        "removed_by_balance": table["removed_by_balance"],
        **{
            f"{kind}_usage_{when}": balance[kind][when]
            for kind in link_kinds(balance)
            for when in ("before", "after")
        },
        "table_id": table["id"],
    }
