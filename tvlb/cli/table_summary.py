"""The document of a search for a table, printed for people."""

import math
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any, cast

from rich.console import Console

from tvlb.cli.terminal import grid
from tvlb.paths import UgalRule
from tvlb.statistics import change_text, estimate, judged_on, judging_patterns

Document = Mapping[str, Any]

# Expressions that are longer get a letter, and are written out below.
_LONGEST_NAME = 24
_MOST_WEIGHTS = 12
_POINT_COLUMNS = ("theta", "std. error", "VLB hops", "to the cut")


def print_document(document: Document, console: Console) -> None:
    """Print a table document."""
    if document["search"] is None:
        print_probe(document, console)
        _print_simulated(document, console)
        print_changes(document, {}, console)
        print_verdict(document, console)
        _print_times(document, console)
        return
    _print_candidates(document, console)
    letters = _letters(document["search"]["held_out"])
    _print_held_out(document, letters, console)
    print_changes(document, letters, console)
    if document["search"]["objective"] == "front":
        _print_front(document, letters, console)
    _print_found(document, console)


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def print_probe(document: Document, console: Console) -> None:
    """Print the probe curve."""
    title = f"Step 1: modelled throughput on {document['topology']}"
    listed = grid(("path set", *_POINT_COLUMNS, "in"), ("path set",), title)
    for point in (*document["probe"], *document["strategic"]):
        listed.add_row(*_point_cells(point), "yes" if point["within_tolerance"] else "")
    console.print(listed)
    console.print(_patterns_used(document))


def _print_candidates(document: Document, console: Console) -> None:
    """Print what of the probe curve reaches the cut."""
    every = [*document["probe"], *document["strategic"]]
    points = [point for point in every if point["within_tolerance"]]
    title = f"Modelled throughput on {document['topology']}"
    listed = grid(("path set", *_POINT_COLUMNS), ("path set",), title)
    for point in points:
        listed.add_row(*_point_cells(point))
    console.print(listed)
    console.print(
        f"{len(points)} of {len(every)} path sets, those within {100 * document['tolerance']:g}% "
        f"of the best; {_patterns_used(document)}"
    )


def _point_cells(point: Document) -> list[str]:
    return [
        point["expression"],
        _number(point["theta_mean"], 4),
        _number(point["theta_sem"], 4),
        _number(point["mean_vlb_hops"], 3),
        f"{point['distance_to_cut']:+.4f}",
    ]


def _patterns_used(document: Document) -> str:
    used = f"{len(document['patterns'])} of {document['patterns_available']} patterns"
    return f"{used}: {document['stopped']}"


def _print_simulated(document: Document, console: Console) -> None:
    load = document["reference_load"]
    listed = grid(
        ("path set", "VLB hops", "saturation", f"latency at {load:g}", "windows", "change"),
        left=("path set", "change"),
        title=f"Step 2: simulated on {len(document['baseline']['per_pattern'])} patterns, with "
        "95% intervals",
    )
    for row in cast("Sequence[Document]", [document["baseline"], *document["candidates"]]):
        comparison = row["comparison"]
        listed.add_row(
            row["expression"],
            _number(row["mean_vlb_hops"], 3),
            _mean(row, "saturation", 4),
            _mean(row, "latency", 2),
            f"{row['windows']['warmup']}+{row['windows']['measured']}",
            comparison["verdict"] if comparison else "",
        )
    console.print(listed)


def _mean(one: Document, figure: str, digits: int) -> str:
    """Return the mean of a figure over the patterns, with its 95% interval."""
    found = estimate([each[figure] for each in one["per_pattern"]])
    if math.isnan(found.mean):
        return "-"
    half = found.half_width()
    return f"{found.mean:.{digits}f}" + ("" if math.isnan(half) else f" +- {half:.{digits}f}")


def _letters(sets: Sequence[Document]) -> dict[str, str]:
    """Give long path sets a letter, and so each form of them."""
    long = [one["path_set"] for one in sets if len(one["path_set"]) > _LONGEST_NAME]
    letters = dict(zip(dict.fromkeys(long), ascii_uppercase, strict=False))
    forms = {
        one["expression"]: one["expression"].replace(one["path_set"], letters[one["path_set"]])
        for one in sets
        if one["path_set"] in letters
    }
    return letters | forms


def _short(one: Document, letters: Mapping[str, str]) -> str:
    return letters.get(one["path_set"], one["path_set"])


def _print_held_out(document: Document, letters: Mapping[str, str], console: Console) -> None:
    search = document["search"]
    cases = judged_on(document)
    title = f"Judged on {cases}{', other seeds' if cases.given else ''}"
    low, high = (f"latency at {load:g}" for load in search["loads"])
    ruled = any("ugal" in one for one in search["held_out"])
    texts = ("path set", *(("rule of UGAL",) if ruled else ()), "balanced by", "")
    listed = grid((*texts, "VLB hops", "saturation", low, high), texts, title)
    hops = {one["expression"]: one["mean_vlb_hops"] for one in document["candidates"]}
    hops[document["baseline"]["expression"]] = document["baseline"]["mean_vlb_hops"]
    for one in search["held_out"]:
        listed.add_row(
            _short(one, letters),
            *((_rule(one),) if ruled else ()),
            one["balancing"] or "",
            one["known_as"] or "found",
            _number(hops[one["expression"]], 3),
            _number(one["saturation_mean"], 4),
            *_latencies(one),
        )
    console.print(listed)
    if any(None in latencies for one in search["held_out"] for latencies in one["latency"]):
        console.print(f"(n): only n of the {cases.case}s are not saturated at that load")
    for path_set, letter in letters.items():
        if len(letter) == 1:
            console.print(f"{letter} = {path_set}", soft_wrap=True)


def _rule(one: Document) -> str:
    return str(UgalRule(**one["ugal"])) if "ugal" in one else ""


def _latencies(one: Document) -> list[str]:
    """Return the mean latency at both loads, and of how many patterns or runs if not of all."""
    cells: list[str] = []
    for mean, latencies in zip(one["latency_mean"], one["latency"], strict=True):
        known = len(latencies) - latencies.count(None)
        cells.append(_number(mean, 1) + ("" if known == len(latencies) else f" ({known})"))
    return cells


def print_changes(document: Document, letters: Mapping[str, str], console: Console) -> None:
    """Print the changes against the sets that others are compared with."""
    verdict = document["verdict"]
    if not verdict["judgements"]:
        return
    listed = grid(
        ("set", "against", "saturation", *(f"latency at {load:g}" for load in verdict["loads"])),
        left=("set", "against"),
        title="Changes, paired run by run; with 95% confidence, all intervals hold at once",
    )
    for one in verdict["judgements"]:
        listed.add_row(
            letters.get(one["expression"], one["expression"]),
            letters.get(one["against"], one["against"]),
            *(_change(change) for change in (one["saturation"], *one["latency"])),
        )
    console.print(listed)


def _change(change: Document | None) -> str:
    return "-" if change is None else change_text(change["mean"], change["half_width"])


def print_verdict(document: Document, console: Console) -> None:
    """Print the sentences of the verdict."""
    first, *others = document["verdict"]["text"]
    console.print(first, style="bold", soft_wrap=True)
    for line in others:
        console.print(f"  {line}", soft_wrap=True)
    if "baseline" in document:
        console.print(f"  Means are over {', '.join(judging_patterns(document))}.", soft_wrap=True)


def _with_form(one: Document, letters: Mapping[str, str]) -> str:
    told = (one["balancing"] and f"by {one['balancing']}", _rule(one))
    return ", ".join(part for part in (_short(one, letters), *told) if part)


def _print_front(document: Document, letters: Mapping[str, str], console: Console) -> None:
    low, high = (f"latency at {load:g}" for load in document["search"]["loads"])
    listed = grid(("", "path set", "saturation", low, high, "table"), ("", "path set"), "Front")
    for number, one in enumerate(document["search"]["front"], 1):
        listed.add_row(
            str(number),
            _with_form(one, letters),
            _number(one["saturation_mean"], 4),
            *_latencies(one),
            one["table_id"][:16],
        )
    console.print(listed)


def _print_found(document: Document, console: Console) -> None:
    search = document["search"]
    name = document["decision"]["expression"]
    print_verdict(document, console)
    weights = next(one["weights"] for one in search["held_out"] if one["expression"] == name)
    if weights is not None:
        ordered = sorted(weights.items(), key=lambda item: -item[1])
        shapes = ", ".join(f"{shape} {weight:g}" for shape, weight in ordered[:_MOST_WEIGHTS])
        left_out = len(ordered) - _MOST_WEIGHTS
        more = f", and {left_out:,} more that weigh no more" if left_out > 0 else ""
        console.print(f"  weight of a path by its shape: {shapes}{more}")
    console.print(
        f"  searched for {search['objective']}: {search['sets']} sets simulated, "
        f"{search['pruned']} ruled out by bounds, {search['flit_hops']:,} flit-hops "
        f"(budget {search['budget']:,}{_overrun(search)})"
    )
    _print_times(document, console)


def _overrun(search: Document) -> str:
    """Say why a search simulated more than its budget, where it did."""
    if search["flit_hops"] <= search["budget"]:
        return ""
    return "; the sets to begin with are always simulated, and what has begun is finished"


def _print_times(document: Document, console: Console) -> None:
    timings = ", ".join(f"{name} {value:.1f} s" for name, value in document["timings"].items())
    console.print(f"  wall time: {timings}; table {document['table']['id'][:16]}")
