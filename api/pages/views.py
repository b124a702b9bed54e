"""What the pages take from the documents."""

from typing import Any

from tvlb.schemas import TableBody

__all__ = ["fields", "plotted_simulation", "plotted_table", "simulated_sets"]

Document = dict[str, Any]


def fields() -> dict[str, Document]:
    """Return the options of a table request by name: default, text, choices, description."""
    schema = TableBody.model_json_schema()["properties"]
    found: dict[str, Document] = {}
    for name, field in TableBody.model_fields.items():
        if name == "topology":
            continue
        default = field.get_default()
        found[name] = {
            "default": default,
            "text": str(default.value()) if hasattr(default, "value") else str(default),
            "choices": schema[name].get("enum", []),
            "description": field.description,
        }
    return found


def simulated_sets(table: Document) -> tuple[Document, list[Document]]:
    """Return the chosen set, and all that were simulated, the conventional one first."""
    every = [table["baseline"], *table["candidates"]]
    chosen = next(one for one in every if one["expression"] == table["decision"]["expression"])
    return chosen, every


def plotted_table(table: Document) -> Document:
    """Return what the figures of a table draw."""
    chosen, every = simulated_sets(table)
    kept = ("expression", "saturation_mean", "saturation_sem", "per_pattern", "confirmed")
    return {
        "id": table["id"],
        "url": table["url"],
        "topology": table["topology"],
        "request": {name: table["request"][name] for name in ("topology", "routing", "seed")},
        "chosen": chosen["expression"],
        "reference_load": table["reference_load"],
        "probe": table["probe"],
        "strategic": table["strategic"],
        "cut": table["cut"],
        "curves": table["curves"],
        "simulated": [{name: one[name] for name in kept} for one in every],
        "balance": {
            kind: {
                when: table["balance"][kind][f"percentiles_{when}"] for when in ("before", "after")
            }
            for kind in ("local", "global")
        },
    }


def plotted_simulation(simulation: Document) -> tuple[list[Document], Document]:
    """Return the rows of a simulation by load, and what its figures draw.

    Searches with several seeds visit loads of their own: their rows are not shown as one curve.
    """
    rows: list[Document] = list(simulation["rows"])
    if simulation["seeds"] == 1:
        rows += simulation.get("saturation_runs", [])
    rows.sort(key=lambda row: row["load"])
    kept = ("load", "latency_mean", "latency_ci95", "saturated", "accepted")
    drawn = [{name: row[name] for name in kept} | {"by_switch": _by_switch(row)} for row in rows]
    return rows, {"rows": drawn, "routing": simulation["routing"]}


def _by_switch(row: Document) -> list[float]:
    """Return what every switch accepted, the mean over the runs."""
    runs = [run["switch_accepted"]["by_switch"] for run in row.get("runs", [row])]
    return [sum(values) / len(runs) for values in zip(*runs, strict=True)]
