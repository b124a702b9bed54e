"""The pages of results: what they take from the documents."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from api.library import links_document
from api.pages.commands import Commands, commands_of
from api.pages.rendering import render
from api.resources import ServedResource
from tvlb.documents import link_kinds
from tvlb.languages import offered, settings
from tvlb.plots import COURSES, has_load_curve, load_step, stability_bands
from tvlb.requests import RepairOptions, request_kinds
from tvlb.requests.kinds.worst import GuaranteeBody
from tvlb.requests.routers import FIRST, router_named
from tvlb.requests.routers.vct import no_deadlock
from tvlb.statistics import (
    drawn_search,
    half_widths,
    judged_on,
    judged_sets,
    judging_patterns,
    modelled_half,
    shape_rows,
    shortened,
)
from tvlb.table import (
    FORWARDING,
    ForwardingTable,
    Routes,
    TableKind,
    VcScheme,
    foreign_formats,
    written_formats,
)
from tvlb.topology import NetworkFormat

_LOADS_BY_SWITCH = 100
_MOST_LISTED = 100

Document = dict[str, Any]
View = Callable[[Document], Document]


@dataclass(frozen=True)
class Visitor:
    """For whom a page is.

    Attributes
    ----------
    base : URL of the service, without a slash at its end.
    needs_token : whether the service wants one.
    signed_in : whether the browser has one.
    label : of the result that a page shows; None without.
    """

    base: str
    needs_token: bool
    signed_in: bool
    label: str | None = None

    def commands(self, kind: str, body: Document) -> Commands:
        """Return the commands of a resolved request."""
        return commands_of(kind, body, self.base, token=self.needs_token)


@dataclass(frozen=True)
class Page:
    """The page of a result.

    Attributes
    ----------
    view : takes from a document what its template shows besides.
    output : name of a file for its table; empty without one.
    related : kinds of results that the page lists where they name this one.
    """

    view: View = lambda _: {}
    output: str = ""
    related: tuple[str, ...] = ()


def render_result(
    kind: str, resources: Sequence[ServedResource], visitor: Visitor, more: Document
) -> str:
    """Return the page of a result; `more` is what it shows besides.

    The template is named by the kind; kinds that have none share one.
    """
    document, shown = resources[0].parsed(), PAGES.get(kind, Page())
    commands = visitor.commands(kind, document["request"])
    facts = {
        name: value
        for name, value in document.items()
        if isinstance(value, int | float | str) and name not in ("id", "url")
    }
    return render(
        [f"{kind}.html", "result.html"],
        signed_in=visitor.signed_in,
        label=visitor.label,
        kind=request_kinds()[kind],
        result=document,
        facts=facts,
        commands=commands.shown(shown.output, document.get("download_url", "")),
        **more,
        **shown.view(document),
    )


def render_comparison(
    kind: str, resources: Sequence[ServedResource], visitor: Visitor, more: Document
) -> str:
    """Return the page of several tables."""
    tables = [one.parsed() for one in resources]
    return render(
        "compare.html",
        signed_in=visitor.signed_in,
        tables=[_compared(table, visitor) for table in tables],
        data=[plotted_table(table) for table in tables],
        **more,
    )


def _compared(table: Document, visitor: Visitor) -> tuple[Document, Document, Document, str | None]:
    chosen, (conventional, *_) = simulated_sets(table)
    return table, chosen, conventional, visitor.commands("table", table["request"]).line


def view_repair(repair: Document) -> Document:
    """Return what the page of a repair shows."""
    shown = {"most_listed": _MOST_LISTED, "data": {"id": repair["id"]}}
    down = repair["request"]["without"]
    if "must_change" in repair:
        return {
            "foreign": _foreign(ForwardingTable),
            "formats": _formats(0, FORWARDING),
            **shown,
            **_repair_form(down, "rebalance"),
        }
    return {
        "foreign": _foreign(),
        "formats": _formats(repair["paths"]),
        **shown,
        **_repair_form(down, "strike_only"),
    }


def view_route(route: Document) -> Document:
    """Return what the page of a forwarding table shows."""
    entries = route["table"]["endpoints"] * route["table"]["switches"]
    return {
        "foreign": _foreign(ForwardingTable),
        "formats": _formats(entries, FORWARDING),
        **_repair_form(_down(route["request"]["topology"]), "rebalance"),
    }


def view_measure(measures: Document) -> Document:
    """Return what the page of measures shows."""
    bound = measures.get("efi_lp", measures["efi_bound"])
    loads = [{"name": "links", "values": measures["load_percentiles"]}]
    jobs = [
        {"name": f"{job['nodes']:,} nodes", "values": job["bandwidth_percentiles"]}
        for job in measures["jobs"]
    ]
    return {
        "data": {
            "loads": {
                "curves": loads,
                "marks": [{"name": "bound", "value": bound}],
                "of": "links",
                "value": "pairs of nodes routed over a link",
            },
            "bandwidth": {
                "curves": jobs,
                "marks": [],
                "of": "bisections",
                "value": "mean rate (share of full)",
                "most": 1,
            },
        }
    }


def view_guarantee(guarantee: Document) -> Document:
    """Return what the page of a guarantee shows: the network by the loads of its worst traffic."""
    network = GuaranteeBody.model_validate_json(json.dumps(guarantee["request"])).network()
    loads = np.array(guarantee["witness_loads"])
    return {"data": {"links": links_document(network, loads)}}


def view_simulation(simulation: Document) -> Document:
    """Return what the page of a simulation shows."""
    router = router_named(simulation.get("router", FIRST))
    rows, data = plotted_simulation(simulation)
    return {
        "router": router,
        "title": router.title(simulation),
        "summary": router.summary(simulation),
        "columns": router.shown_columns(rows),
        "rows": [(row, router.state(row)) for row in rows],
        "data": data | {"load_unit": router.load_unit},
    }


def view_stability(study: Document) -> Document:
    """Return what the page of a study of stability shows."""
    return {
        "proofs": [no_deadlock(case) for case in study["stability"]],
        "data": {"bands": [asdict(band) for band in stability_bands(study)]},
    }


def view_sweep(sweep: Document) -> Document:
    """Return what the page of a sweep shows."""
    kinds = [request_kinds()[name] for name in sweep.get("computed", ())]
    return {"computed": kinds}


def simulated_sets(table: Document) -> tuple[Document, list[Document]]:
    """Return the chosen set, and all that were simulated, the conventional one first.

    Each has besides what the document says of it `half`: half widths of its 95% intervals.
    """
    every = [
        one | {"half": half_widths(one, table)} for one in (table["baseline"], *table["candidates"])
    ]
    chosen = next(one for one in every if one["expression"] == table["decision"]["expression"])
    return chosen, every


def shown_table(table: Document) -> Document:
    """Return what the page of a table shows, besides commands.

    Documents of earlier versions know nothing of a search, nor of balanced sets with equal
    expressions.
    """
    chosen, simulated = simulated_sets(table)
    found = table.get("search")
    judged = judged_sets(table) if found else ()
    cases = judged_on(table) if found else None
    is_full = table["table"]["form"] == "full"
    by_pattern = [one["pattern"] for one in chosen["per_pattern"]]
    return {
        "table": table,
        "chosen": chosen,
        "simulated": simulated,
        "found": found,
        "judged": judged,
        "cases": cases,
        "case": cases.case if cases else "pattern",
        "judged_on": judging_patterns(table),
        "names": {one.expression: one.name for one in judged},
        "shapes": shape_rows(table) if found else (),
        "patterns": tuple(dict.fromkeys([*by_pattern, "uniform"])),
        "formats": _formats(table["table"]["paths"] if is_full else 0),
        "foreign": _foreign(),
        **_repair_form(_down(table["request"]["topology"]), "strike_only"),
        "repairable": is_full,
        "versions": {
            name: text for name, text in table["provenance"].items() if isinstance(text, str)
        },
        "data": plotted_table(table),
    }


def _down(topology: str | Document) -> Document:
    """Return what of a network is down; empty for nothing."""
    given = {} if isinstance(topology, str) else topology
    return given.get("without", {})


def _repair_form(down: Document, option: str) -> dict[str, Any]:
    """Return what the form of a repair shows, with the option that sorts of tables have."""
    return {
        "repairable": True,
        "down": json.dumps(down) if down else "",
        "schemes": tuple(VcScheme),
        option: offered(RepairOptions)[option].text,
    }


def _formats(rows: int, kind: TableKind[Any] | None = None) -> tuple[str, ...]:
    """Return the formats that hold so many rows, of a table of a kind or of any."""
    able = written_formats(kind).items()
    return tuple(name for name, each in able if rows <= each.max_rows)


def _foreign(taken: type = Routes) -> dict[str, Any]:
    """Return the formats of other tools that take tables of paths or others.

    What each holds, and its settings by name.
    """
    # Without weights to be fixed, any table of routes will do.
    return {
        name: ("the network", {})
        if isinstance(one, NetworkFormat)
        else ("its paths", {} if one.settings is None else settings(one.settings))
        for name, one in foreign_formats().items()
        if isinstance(one, NetworkFormat)
        or one.takes is taken
        or (one.takes is Routes and not one.fixed_weights)
    }


def plotted_table(table: Document) -> Document:
    """Return what the figures of a table draw."""
    chosen, every = simulated_sets(table)
    kept = ("expression", "saturation_mean", "half", "per_pattern", "confirmed")
    return {
        "id": table["id"],
        "url": table["url"],
        "topology": table["topology"],
        "request": {name: table["request"][name] for name in ("topology", "routing", "seed")},
        "table_id": table["table"]["id"],
        "chosen": chosen["expression"],
        "labels": {one["expression"]: shortened(one["expression"]) for one in every},
        "reference_load": table["reference_load"],
        "probe": [_modelled(point) for point in table["probe"]],
        "strategic": [_modelled(point) for point in table["strategic"]],
        "cut": table["cut"],
        "curves": {
            name: [_loaded(point) for point in curve] for name, curve in table["curves"].items()
        },
        "simulated": [{name: one[name] for name in kept} for one in every],
        "balance": {
            kind: {
                when: table["balance"][kind][f"percentiles_{when}"] for when in ("before", "after")
            }
            for kind in link_kinds(table["balance"])
        },
        "search": drawn_search(table),
    }


def _modelled(point: Document) -> Document:
    return point | {"theta_half": modelled_half(point)}


def _loaded(point: Document) -> Document:
    # Documents of earlier versions have the standard error alone.
    return {"latency_ci95": None} | point


def plotted_simulation(simulation: Document) -> tuple[list[Document], Document]:
    """Return the rows of a simulation by load, and what its figures draw.

    Searches with several seeds visit loads of their own: their rows are not shown as one curve.
    """
    rows: list[Document] = list(simulation["rows"])
    if simulation["seeds"] == 1:
        rows += simulation.get("saturation_runs", [])
    rows.sort(key=lambda row: row["load"])
    # Not every router tells which loads are saturated, nor what switches accepted.
    kept = ("load", "latency_mean", "latency_ci95", "saturated", "accepted", "accepted_ci95")
    drawn = [{name: row[name] for name in kept if name in row} for row in rows]
    # Of many loads those that are drawn switch by switch are spread evenly.
    step = max(1, math.ceil(len(rows) / _LOADS_BY_SWITCH))
    for row, shown in zip(rows[::step], drawn[::step], strict=True):
        runs = row.get("runs", [row])
        if "switch_accepted" in runs[0]:
            shown["by_switch"] = _by_switch(runs)
    return rows, {
        "rows": drawn,
        "routing": simulation["routing"],
        "has_load_curve": has_load_curve(simulation),
        "courses": _courses(simulation),
    }


def _courses(simulation: Document) -> list[Document]:
    """Return what figures draw of the course of the runs, where it was asked for."""
    unit, step = simulation.get("load_unit", "packets/cycle/node"), load_step(simulation)
    return [
        {
            "title": one.title,
            "axis": one.axis.format(unit),
            "along": one.along,
            "look": one.look,
            "note": one.note,
            "bands": [asdict(band) for band in one.bands(simulation)],
            "step": asdict(step) if step and one.along == "cycle" else None,
        }
        for one in COURSES
        if one.applies(simulation)
    ]


def _by_switch(of_seeds: Sequence[Document]) -> list[float]:
    """Return what every switch accepted, the mean over the runs."""
    runs = [run["switch_accepted"]["by_switch"] for run in of_seeds]
    return [sum(values) / len(runs) for values in zip(*runs, strict=True)]


PAGES: Mapping[str, Page] = {
    "table": Page(shown_table, "table.parquet", ("repair",)),
    "repair": Page(view_repair, "repaired.parquet", ("repair",)),
    "route": Page(view_route, "forwarding.parquet", ("repair",)),
    "measure": Page(view_measure),
    "guarantee": Page(view_guarantee),
    "split": Page(output="split.parquet"),
    "sweep": Page(view_sweep),
    "simulation": Page(view_simulation),
    "stability": Page(view_stability),
}
"""Those that show more than their template takes from the document, by kind."""
