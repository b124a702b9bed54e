"""Points of a sweep as flat rows: what was asked, what the network costs, what a table gains."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import link_kinds
from tvlb.errors import InvalidInput
from tvlb.judged import Estimator, estimator
from tvlb.provenance import VERSION
from tvlb.schemas import TableBody
from tvlb.sweeps.columns import COLUMNS
from tvlb.sweeps.dragonflies import dragonfly_values

__all__ = ["Row", "Value", "failed_row", "succeeded_row"]

Value = str | int | float | bool | None
Row = dict[str, Value]
Document = Mapping[str, Any]

# Sets that what a search found is held against, and their names in the columns.
_RIVALS = {"conventional": "all", "published": "published"}


def succeeded_row(point: int, key: str, body: TableBody, document: Document) -> Row:
    """Return the row of a computed point.

    Parameters
    ----------
    point : number of the point in the order of the sweep.
    key : key of the request.
    body : the resolved request.
    document : of the table, as `tvlb.schemas.TableDocument` describes it.

    Returns
    -------
    The values by name, in the order of `COLUMNS`; None for figures that do not exist.

    Raises
    ------
    InvalidInput : the document is none of a table, or not of this request.
    """
    try:
        network = _network(body, document["topology_metadata"])
        if document["topology"] != network["topology"]:
            raise InvalidInput(
                f"point {point}: the document is of {document['topology']}, the request of "
                f"{network['topology']}"
            )
        return _complete(_request(point, key, "succeeded", body) | network | _result(document))
    except (KeyError, TypeError, StopIteration) as error:
        raise InvalidInput(f"point {point}: no document of a table: {error!r}") from error


def failed_row(point: int, key: str, body: TableBody, error: str) -> Row:
    """Return the row of a point that could not be computed; its results are None.

    Parameters
    ----------
    point, key, body : see `succeeded_row`.
    error : what happened, in words.
    """
    # Texts of operating systems may hold what UTF-8 cannot say.
    text = error.encode("utf-8", "replace").decode()
    return _complete(
        _request(point, key, "failed", body)
        | _network(body, body.network().metadata)
        | {"error": text, "version": VERSION}
    )


def _complete(values: Row) -> Row:
    return {column.name: _existing(values.get(column.name)) for column in COLUMNS}


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


def _network(body: TableBody, metadata: Document) -> Row:
    nodes, switches, cables = metadata["nodes"], metadata["switches"], metadata["links"] // 2
    return {
        "topology": str(body.topology),
        "nodes": nodes,
        "switches": switches,
        "cables": cables,
        "switches_per_node": switches / nodes,
        "cables_per_node": cables / nodes,
        **dragonfly_values(body.description, metadata),
    }


def _result(document: Document) -> Row:
    baseline = document["baseline"]
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
        "verdict": chosen["comparison"]["verdict"] if decision["replaces_all"] else None,
        **_modelled(document, "chosen", chosen["path_set"]),
        **_modelled(document, "all", baseline["expression"]),
        "mean_vlb_hops_chosen": document["table"]["mean_vlb_hops"],
        "mean_vlb_hops_all": baseline["mean_vlb_hops"],
        **_simulated(chosen, "chosen"),
        **_simulated(baseline, "all"),
        "reference_load": document["reference_load"],
        **_changes(chosen, baseline, of, ""),
        **(
            {}
            if best is None
            else {"best": best["expression"]} | _changes(best, baseline, of, "best_")
        ),
        **_found(document),
        **_table(document),
        "programs": document["work"]["programs"],
        "flit_hops": document["work"]["flit_hops"],
        "version": document["provenance"]["tvlb"],
    }


def _modelled(document: Document, name: str, expression: str) -> Row:
    for point in (*document["probe"], *document["strategic"]):
        if point["expression"] == expression:
            return {f"theta_{name}": point["theta_mean"], f"theta_{name}_sem": point["theta_sem"]}
    return {}


def _simulated(figures: Document, name: str) -> Row:
    return {
        f"saturation_{name}": figures["saturation_mean"],
        f"saturation_{name}_sem": figures["saturation_sem"],
        f"latency_{name}": figures["latency_at_reference_load"],
        f"latency_{name}_sem": figures["latency_sem"],
    }


def _found(document: Document) -> Row:
    """Return what a search found against what was known before; see `tvlb.search.Judgement`."""
    search = document["search"]
    if search is None:
        return {}
    chosen = document["decision"]["expression"]
    answers = sorted(
        search["front"], key=lambda one: (one["expression"] != chosen, -one["saturation_mean"])
    )
    name = answers[0]["expression"]
    row: Row = {"found": name}
    known = {one["expression"]: one["known_as"] for one in search["held_out"]}
    for judgement in search["judgements"]:
        rival = _RIVALS.get(known[judgement["against"]])
        if judgement["expression"] != name or rival is None:
            continue
        # The lower of both loads is the reference load.
        row |= _interval(f"found_saturation_gain_over_{rival}", judgement["saturation"])
        row |= _interval(f"found_latency_change_over_{rival}", judgement["latency"][0])
    return row


def _interval(name: str, change: Document | None) -> Row:
    if change is None:
        return {}
    mean, half = change["mean"], change["half_width"]
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


def _changes(one: Document, baseline: Document, of: Estimator, prefix: str) -> Row:
    """Relative changes against the baseline, which against itself are 0 with interval 0..0."""
    if [each["pattern"] for each in one["per_pattern"]] != [
        each["pattern"] for each in baseline["per_pattern"]
    ]:
        raise InvalidInput(
            f"{one['expression']} and {baseline['expression']} were simulated under different "
            "patterns; only equal ones can be paired"
        )
    row: Row = {}
    for figure, name in (("saturation", "saturation_gain"), ("latency", "latency_change")):
        values, others = _per_pattern(one, figure), _per_pattern(baseline, figure)
        base, change = of(others), of(values - others)
        if np.isnan(values - others).any():
            continue  # Means over different patterns say nothing of a change.
        least = _rounding(one, baseline) if figure == "saturation" else 0.0
        half = 0.0 if one is baseline else change.half_width(least)
        mean, low, high = _relative(change.mean, half, base.mean)
        row |= {
            f"{prefix}{name}": mean,
            f"{prefix}{name}_low": low,
            f"{prefix}{name}_high": high,
        }
    return row


def _per_pattern(figures: Document, figure: str) -> NDArray[np.float64]:
    values: Sequence[float | None] = [each[figure] for each in figures["per_pattern"]]
    return np.array([math.nan if value is None else value for value in values])


def _rounding(one: Document, other: Document) -> float:
    """Return the standard deviation that the grid of loads alone gives a difference.

    Each saturation is rounded to the grid, so the error of the difference is triangular, from minus
    one step to plus one.
    """
    return max(float(each["windows"]["grid"]) for each in (one, other)) / math.sqrt(6.0)


def _relative(mean: float, half: float, base: float) -> tuple[float, float, float]:
    """Mean and ends of its interval over `base`; nan if none."""
    if not base > 0.0:
        return math.nan, math.nan, math.nan
    return mean / base, (mean - half) / base, (mean + half) / base
