"""What a sweep leaves behind: result rows, a report, and what it took."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tvlb.documents import Frame, atomic_file, check_directory
from tvlb.processes import (
    Reporter,
    UnitCache,
    available_cores,
    check_workers,
    local_workers,
    silent,
)
from tvlb.report import Reported, ReportedFigure, figures_html, report_html
from tvlb.requests import (
    Answer,
    Question,
    SweepBody,
    TableBody,
    request_key,
    request_kinds,
)
from tvlb.requests.sweep_file import read_sweep_file
from tvlb.sweeps.columns import ResultColumn, columns_of
from tvlb.sweeps.engine import run_points
from tvlb.sweeps.points import Point, PointResult, Stored, points_of
from tvlb.sweeps.requested import requested_columns, requested_figures, requested_options
from tvlb.sweeps.row_files import CSV_NAME, PARQUET_NAME, write_rows
from tvlb.sweeps.rows import Row, failed_row, family_of, requested_row, succeeded_row
from tvlb.sweeps.timings import TIMINGS_NAME, write_timings

_REPORT_NAME = "report.html"
RESULT_NAMES = (PARQUET_NAME, CSV_NAME, _REPORT_NAME)
"""Files that equal sweeps have in common, to the byte."""
OUTPUT_NAMES = (*RESULT_NAMES, TIMINGS_NAME)
"""All files."""
_SHOWN_FIGURES = 8


def rows_of(results: Sequence[PointResult]) -> list[Row]:
    """Return the result row of every point, in order, all with the columns of the sweep."""
    names = [column.name for column in _columns(results)]
    rows = map(_row, results)
    return [{name: row.get(name) for name in names} for row in rows]


@dataclass(frozen=True, eq=False)
class Swept(Frame):
    """What became of the points of a sweep, in order."""

    name: str
    results: tuple[PointResult, ...]

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one for each point, as in `results.parquet`."""
        return [dict(row) for row in rows_of(self.results)]

    def write(self, directory: Path | str) -> list[Path]:
        """Write rows and report into a directory; see `write_outputs`."""
        check_directory(Path(directory), OUTPUT_NAMES)
        return write_outputs(self.name, self.results, Path(directory))

    def __repr__(self) -> str:
        failed = sum(one.stored is None for one in self.results)
        return f"<Swept {self.name}: {len(self.results)} points, {failed} failed>"


class _Memory:
    """Keeps results in this process."""

    def __init__(self) -> None:
        self._kept: dict[str, Stored] = {}

    def check(self) -> None:
        """See `TableStore`."""

    def find(self, key: str) -> Stored | None:
        """See `TableStore`."""
        return self._kept.get(key)

    def add(self, body: Question, answer: Answer) -> None:
        """See `TableStore`."""
        table = answer.table
        read = None if table is None else (lambda: table)
        table_id = None if table is None else table.id
        self._kept[request_key(body)] = Stored(answer.document, time.time(), table_id, read)


def sweep(
    asked: SweepBody | Path | str, *, workers: int | None = None, report: Reporter = silent
) -> Swept:
    """Compute the tables of many networks, and compare them; nothing is kept.

    Parameters
    ----------
    asked : also the path of a sweep file.
    workers : processes; None for one per core.

    Raises
    ------
    InvalidInput : the file, or what is asked, is malformed.
    Cancelled, NoWorkers : see `run_points`.
    """
    body = asked if isinstance(asked, SweepBody) else read_sweep_file(Path(asked))
    count = available_cores() if workers is None else workers
    check_workers(count)
    with local_workers(count) as executor:
        cache, points = UnitCache(executor), points_of(body.expanded(report=report))
        results = run_points(points, _Memory(), cache, workers=count, report=report)
    return Swept(body.name or "sweep", tuple(results))


def told_of(results: Sequence[PointResult], rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return what the document of a sweep says of points that are no tables: names of columns."""
    bodies = results[0].point.bodies
    if isinstance(bodies[0], TableBody):
        return {}
    told = reported(bodies, rows)
    return {
        "computed": [one.kind for one in bodies],
        "varied": [*told.varied],
        "shown": [one.name for one in told.shown],
    }


def reported(bodies: Sequence[Question], rows: Sequence[Row]) -> Reported:
    """Return what is shown of points that are no tables: figures that some point has.

    Parameters
    ----------
    bodies : the requests of one of them.
    rows : of all.
    """
    varied = [one for one in requested_options(bodies) if len({row[one] for row in rows}) > 1]
    known = {name for row in rows for name, value in row.items() if value is not None}
    figures = [
        ReportedFigure(one.name, one.description)
        for one in requested_figures(bodies)
        if one.name in known
    ]
    kinds = [request_kinds()[one.kind].noun for one in bodies]
    return Reported(kinds, varied, figures[:_SHOWN_FIGURES], figures)


def _results_of(points: Sequence[Point]) -> tuple[ResultColumn, ...] | None:
    """Return the columns of what is asked of all points; None where these are tables."""
    if not points or isinstance(points[0].body, TableBody):
        return None
    return requested_columns([*map(type, points[0].bodies)])


def _columns(results: Sequence[PointResult]) -> tuple[ResultColumn, ...]:
    points = [result.point for result in results]
    return columns_of({family_of(point.topology).name for point in points}, _results_of(points))


def _row(result: PointResult) -> Row:
    point, stored = result.point, result.stored
    if not isinstance(point.body, TableBody):
        documents = () if stored is None else (stored.document, *result.followed)
        return requested_row(point, result.error, documents)
    if stored is None:
        return failed_row(point.number, point.key, point.body, result.error or "", point.bill)
    return succeeded_row(
        point.number, point.key, point.body, stored.document, point.bill, result.common
    )


def write_outputs(name: str, results: Sequence[PointResult], directory: Path) -> list[Path]:
    """Write `results.parquet`, `results.csv`, `report.html` and `timings.parquet`.

    Parameters
    ----------
    name : of the sweep.
    directory : an existing directory; files of these names in it are replaced.

    Returns
    -------
    The files, each complete. Only `timings.parquet` depends on machine, day and interruptions.

    Raises
    ------
    OSError : a file could not be written.
    """
    rows = rows_of(results)
    write_rows(_columns(results), rows, directory)
    write_timings(results, directory)
    documents = {
        result.point.key: result.stored.document for result in results if result.stored is not None
    }
    is_tables = _results_of([result.point for result in results]) is None
    with atomic_file(directory / _REPORT_NAME) as stream:
        stream.write(
            report_html(name, rows, documents)
            if is_tables
            else figures_html(name, rows, reported(results[0].point.bodies, rows))
        )
    return [directory / one for one in OUTPUT_NAMES]
