"""The pages of results: what they take from the documents."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from api.pages.commands import Commands, commands_of
from api.pages.rendering import render
from api.resources import Resource
from tvlb.documents import link_kinds
from tvlb.languages import Names, offered
from tvlb.plots import stability_bands
from tvlb.schemas import StabilityBody, TableBody
from tvlb.schemas.routers import FIRST, router_named
from tvlb.schemas.routers.vct import no_deadlock
from tvlb.search import OLD_TABLE, ROUTERS, LongRun, SearchOptions
from tvlb.statistics import (
    choice_text,
    drawn_search,
    half_widths,
    judged_on,
    judged_sets,
    modelled_half,
    shape_rows,
    shortened,
)
from tvlb.table import table_formats

# Any network: no default depends on it.
_NETWORK = "2,4,2,5"
_LOADS_BY_SWITCH = 100
_MOST_LISTED = 100

Document = dict[str, Any]
View = Callable[[Sequence[Document], "Visitor"], Document]


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


def render_results(
    template: str, view: View, resources: Sequence[Resource], visitor: Visitor, more: Document
) -> str:
    """Return the page of some results.

    Parameters
    ----------
    view : takes from their documents what the template shows.
    more : what it shows besides.
    """
    shown = view([one.parsed() for one in resources], visitor)
    return render(template, signed_in=visitor.signed_in, label=visitor.label, **more, **shown)


def view_table(documents: Sequence[Document], visitor: Visitor) -> Document:
    """Return what the page of a table shows."""
    (table,) = documents
    commands = visitor.commands("table", table["request"])
    return shown_table(table) | {
        "commands": {
            "line": commands.with_output("table.parquet"),
            "curl": commands.curl,
            "download": commands.curl_of("GET", table["download_url"], "table.parquet"),
        }
    }


def view_repair(documents: Sequence[Document], visitor: Visitor) -> Document:
    """Return what the page of a repair shows."""
    (repair,) = documents
    commands = visitor.commands("repair", repair["request"])
    return {
        "repair": repair,
        "old_table": OLD_TABLE,
        "formats": _formats(repair["paths"]),
        "most_listed": _MOST_LISTED,
        "commands": {
            "line": commands.with_output("repaired.parquet"),
            "curl": commands.curl,
            "download": commands.curl_of("GET", repair["download_url"], "repaired.parquet"),
        },
    }


def view_comparison(documents: Sequence[Document], visitor: Visitor) -> Document:
    """Return what the page of several tables shows."""
    return {
        "tables": [_compared(table, visitor) for table in documents],
        "data": [plotted_table(table) for table in documents],
    }


def _compared(table: Document, visitor: Visitor) -> tuple[Document, Document, Document, str | None]:
    chosen, (conventional, *_) = simulated_sets(table)
    return table, chosen, conventional, visitor.commands("table", table["request"]).line


def view_simulation(documents: Sequence[Document], visitor: Visitor) -> Document:
    """Return what the page of a simulation shows."""
    (simulation,) = documents
    router = router_named(simulation.get("router", FIRST))
    rows, data = plotted_simulation(simulation)
    return {
        "simulation": simulation,
        "router": router,
        "title": router.title(simulation),
        "summary": router.summary(simulation),
        "rows": [(row, router.state(row)) for row in rows],
        "data": data | {"load_unit": router.load_unit},
        "commands": visitor.commands("simulation", simulation["request"]),
    }


def view_stability(documents: Sequence[Document], visitor: Visitor) -> Document:
    """Return what the page of a study of stability shows."""
    (study,) = documents
    return {
        "study": study,
        "proofs": [no_deadlock(case) for case in study["stability"]],
        "data": {"bands": [asdict(band) for band in stability_bands(study)]},
        "commands": visitor.commands("stability", study["request"]),
    }


def view_sweep(documents: Sequence[Document], visitor: Visitor) -> Document:
    """Return what the page of a sweep shows."""
    (sweep,) = documents
    return {"sweep": sweep, "commands": visitor.commands("sweep", sweep["request"])}


def view_model(documents: Sequence[Document], visitor: Visitor) -> Document:
    """Return what the page of a model shows."""
    (model,) = documents
    return {
        "model": model,
        "facts": {
            name: value
            for name, value in model.items()
            if isinstance(value, int | float | str) and name not in ("id", "url")
        },
        "commands": visitor.commands("model", model["request"]),
    }


def simulated_sets(table: Document) -> tuple[Document, list[Document]]:
    """Return the chosen set, and all that were simulated, the conventional one first.

    Each has besides what the document says of it `half`: half widths of its 95% intervals.
    """
    every = [
        one | {"half": asdict(half_widths(one, table))}
        for one in (table["baseline"], *table["candidates"])
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
        "reason": choice_text(table),
        "simulated": simulated,
        "found": found,
        "judged": judged,
        "cases": cases,
        "case": cases.case if cases else "pattern",
        "names": {one.expression: one.name for one in judged},
        "shapes": shape_rows(table) if found else (),
        "patterns": tuple(dict.fromkeys([*by_pattern, "uniform"])),
        "formats": _formats(table["table"]["paths"] if is_full else 0),
        "repairable": is_full and "without" not in table["request"]["topology"],
        "versions": {
            name: text for name, text in table["provenance"].items() if isinstance(text, str)
        },
        "data": plotted_table(table),
    }


def _formats(rows: int) -> tuple[str, ...]:
    """Return the formats that hold so many rows."""
    able = ((name, each) for name, each in table_formats().items() if each.write is not None)
    return tuple(name for name, each in able if rows <= each.max_rows)


def plotted_table(table: Document) -> Document:
    """Return what the figures of a table draw."""
    chosen, every = simulated_sets(table)
    kept = ("expression", "saturation_mean", "half", "per_pattern", "confirmed")
    return {
        "id": table["id"],
        "url": table["url"],
        "topology": table["topology"],
        "request": {name: table["request"][name] for name in ("topology", "routing", "seed")},
        "chosen": chosen["expression"],
        # Balancing has no expression; documents of earlier versions name sets by theirs.
        "chosen_path_set": chosen.get("path_set", chosen["expression"]),
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
    return rows, {"rows": drawn, "routing": simulation["routing"]}


def _by_switch(of_seeds: Sequence[Document]) -> list[float]:
    """Return what every switch accepted, the mean over the runs."""
    runs = [run["switch_accepted"]["by_switch"] for run in of_seeds]
    return [sum(values) / len(runs) for values in zip(*runs, strict=True)]


def long_run_options() -> list[tuple[str, str, Any]]:
    """Return name, description and default of the settings of long runs."""
    described = StabilityBody.model_fields
    names = list(offered(LongRun))
    return [(name, described[name].description or "", described[name].default) for name in names]


def router_options() -> list[Document]:
    """Return the settings of the routers that a search simulates, in words."""
    described = TableBody.model_fields
    return [
        {
            "name": name,
            "description": described[name].description or "",
            "usual": described[name].default,
            "choices": tuple(one.kind.names) if isinstance(one.kind, Names) else (),
        }
        for name, one in offered(SearchOptions).items()
        if one in ROUTERS.inner.values()
    ]


def fields() -> dict[str, Document]:
    """Return the options of a table request by name.

    Returns
    -------
    Their choices and description, and the default by method as a text, empty where there is none.
    """
    schema = TableBody.model_json_schema()["properties"]
    usual = {
        method: TableBody.model_validate({"topology": _NETWORK, "method": method}).usual()
        for method in schema["method"]["enum"]
    }
    return {
        name: {
            "choices": schema[name].get("enum", []),
            "description": field.description,
            "usual": {
                method: "" if values[name] is None else str(values[name])
                for method, values in usual.items()
            },
        }
        for name, field in TableBody.model_fields.items()
        if name != "topology"
    }
