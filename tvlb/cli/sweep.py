"""`tvlb sweep`: many networks, from a file, and a report that compares them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tvlb.cli.executors import ExecutorOptions
from tvlb.cli.options import Json
from tvlb.cli.service import StoreOptions
from tvlb.cli.settings import takes_settings
from tvlb.cli.terminal import (
    grid,
    in_words,
    print_json,
    print_notice,
    progress_display,
    stdout,
)
from tvlb.documents import check_directory
from tvlb.errors import InvalidInput
from tvlb.jobs.results import Results
from tvlb.jobs.table_store import ResultTableStore
from tvlb.processes import UnitCache, duration_text
from tvlb.requests import SweepBody, TableBody, TotalCost, read_sweep_file
from tvlb.statistics import change_text
from tvlb.sweeps import (
    OUTPUT_NAMES,
    Point,
    PointResult,
    points_of,
    reported,
    rows_of,
    run_points,
    write_outputs,
)

_FAILED = 1
_LONGEST_NAME = 30


@takes_settings
def sweep(
    file: Annotated[
        Path,
        typer.Argument(metavar="SWEEP.toml", help="The sweep; see docs/sweeps.md."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Directory for results.parquet, results.csv, report.html and timings.parquet; "
            "made if it does not exist.",
            show_default="the file's name without its suffix, and -results",
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Print the points and what they cost; compute nothing."),
    ] = False,
    *,
    store: StoreOptions,
    where: ExecutorOptions,
    json: Json = False,
) -> None:
    """Compute the tables of many networks, or routes, measures, .., and compare them.

    What is in the store are not computed again, and neither is any finished piece of work
    of a sweep that was interrupted: start it again with the same file.
    """
    body = read_sweep_file(file)
    points = _points(body, file)
    if dry_run:
        _print_plan(points, _known(points, store), where.count, as_json=json)
        return
    directory = output if output is not None else Path(f"{file.stem}-results")
    check_directory(directory, OUTPUT_NAMES)
    workspace = store.workspace(where.workers)
    tables = ResultTableStore(Results(store.opened()), workspace.blobs)
    with progress_display() as report, where.started(report) as started:
        results = run_points(
            points,
            tables,
            UnitCache(started.executor, workspace.units),
            workers=started.workers,
            report=report,
        )
    written = write_outputs(body.name or _printable(file.stem), results, directory)
    if json:
        print_json({"rows": rows_of(results), "written": [str(path) for path in written]})
    else:
        print_results(results, stdout())
    for path in written:
        print_notice(f"written {path}")
    failed = [result for result in results if result.stored is None]
    if failed:
        first = failed[0]
        print_notice(
            f"error: {len(failed)} of {len(results)} points failed; the first, "
            f"{first.point.name}: {first.detail}"
        )
        raise typer.Exit(_FAILED)


def _printable(text: str) -> str:
    return "".join(one if one.isprintable() else "?" for one in text)


def _points(body: SweepBody, file: Path) -> tuple[Point, ...]:
    try:
        with progress_display() as report:
            return points_of(body.expanded(report=report))
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error


def _known(points: Sequence[Point], store: StoreOptions) -> set[str]:
    """Return the keys of the points that are in the store, which is not made if there is none."""
    if not store.is_there:
        return set()
    return Results(store.opened()).known([point.key for point in points])


def _print_plan(
    points: Sequence[Point], known: Collection[str], workers: int | None, *, as_json: bool
) -> None:
    missing = [point for point in points if point.key not in known]
    total = TotalCost()
    for point in missing:
        total.add(point.body, point.cost)
    cpu_seconds = total.cost.cpu_seconds
    if as_json:
        print_json(
            {
                "points": [
                    {
                        "point": point.number,
                        "key": point.key,
                        "known": point.key in known,
                        "request": point.body.model_dump(mode="json"),
                        "cost": asdict(point.cost),
                    }
                    for point in points
                ],
                "missing": len(missing),
                "cpu_seconds": cpu_seconds,
                "workers": workers,
                "wall_seconds": None if workers is None else cpu_seconds / workers,
            }
        )
        return
    listed = grid(
        ("point", "network and settings", "nodes", "CPU time", "memory", "in the store"),
        left=("network and settings", "in the store"),
        title="Points",
    )
    for point in points:
        listed.add_row(
            str(point.number),
            point.name,
            f"{point.nodes:,}",
            duration_text(point.cost.cpu_seconds),
            f"{point.cost.memory_bytes / 2**20:,.0f} MiB",
            "yes" if point.key in known else "",
        )
    console = stdout()
    console.print(listed)
    wall = (
        "the scheduler knows on how many workers"
        if workers is None
        else f"about {duration_text(cpu_seconds / workers)} on {workers} workers"
    )
    common = total.cost.stages.get("common")
    compared = (
        ""
        if common is None
        else f", {duration_text(common)} of that for traffic that all networks are compared on"
    )
    console.print(
        f"{len(points)} points, {len(missing)} to compute: about {duration_text(cpu_seconds)} of "
        f"CPU time{compared}; {wall}"
    )


def print_results(results: Sequence[PointResult], console: Console) -> None:
    """Print what was chosen in every point that was computed, and what that gains.

    Of points that are no tables: their first figures.
    """
    if results and not isinstance(results[0].point.body, TableBody):
        _print_figures(results, console)
        return
    listed = grid(
        (
            "point",
            "topology and routing",
            "chosen",
            "saturation",
            "conventional",
            "gain",
            "latency",
        ),
        left=("topology and routing", "chosen"),
        title="Chosen against conventional UGAL, with 95% intervals",
    )
    for result, row in zip(results, rows_of(results), strict=True):
        point = result.point
        if result.stored is None:
            listed.add_row(str(point.number), point.name, "failed")
            continue
        listed.add_row(
            str(point.number),
            point.name,
            _name(str(row["chosen"])),
            f"{row['saturation_chosen']:.4f}",
            f"{row['saturation_all']:.4f}",
            _change(row, "saturation_gain"),
            _change(row, "latency_change"),
        )
    console.print(listed)


def _print_figures(results: Sequence[PointResult], console: Console) -> None:
    rows = rows_of(results)
    told = reported(results[0].point.bodies, rows)
    listed = grid(
        (*("point", "network"), *told.varied, *(one.title for one in told.shown)),
        left=("network", *told.varied),
        title=", ".join(told.kinds),
    )
    for row in rows:
        asked = ("" if row[one] is None else str(row[one]) for one in told.varied)
        figures = (in_words(row[one.name]) for one in told.shown)
        found = figures if row["status"] == "succeeded" else ["failed"]
        listed.add_row(str(row["point"]), str(row["topology"]), *asked, *found)
    console.print(listed)


def _name(chosen: str) -> str:
    """Return the name of a set, in words where it lists weights; the results have it in full."""
    form = chosen[chosen.rindex(")") + 1 :] if ")" in chosen else ""
    return chosen if len(chosen) <= _LONGEST_NAME else f"weighted by shape{form}"


def _change(row: Mapping[str, Any], figure: str) -> str:
    mean, high = row.get(figure), row.get(f"{figure}_high")
    return "-" if mean is None else change_text(mean, None if high is None else high - mean)
