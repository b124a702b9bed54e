"""What a sweep leaves behind: result rows, a report, and what it took."""

from collections.abc import Sequence
from pathlib import Path

from tvlb.documents import atomic_file
from tvlb.report import report_html
from tvlb.sweeps.columns import ResultColumn, columns_of
from tvlb.sweeps.points import PointResult
from tvlb.sweeps.row_files import CSV_NAME, PARQUET_NAME, write_rows
from tvlb.sweeps.rows import Row, failed_row, family_of_point, succeeded_row
from tvlb.sweeps.timings import TIMINGS_NAME, write_timings

_REPORT_NAME = "report.html"
RESULT_NAMES = (PARQUET_NAME, CSV_NAME, _REPORT_NAME)
"""Files that equal sweeps have in common, to the byte."""
OUTPUT_NAMES = (*RESULT_NAMES, TIMINGS_NAME)
"""All files."""


def rows_of(results: Sequence[PointResult]) -> list[Row]:
    """Return the result row of every point, in order, all with the columns of the sweep."""
    names = [column.name for column in _columns(results)]
    rows = map(_row, results)
    return [{name: row.get(name) for name in names} for row in rows]


def _columns(results: Sequence[PointResult]) -> tuple[ResultColumn, ...]:
    return columns_of({family_of_point(result.point.body).name for result in results})


def _row(result: PointResult) -> Row:
    point = result.point
    if result.stored is None:
        return failed_row(point.number, point.key, point.body, result.error or "", point.bill)
    document = result.stored.document
    return succeeded_row(point.number, point.key, point.body, document, point.bill, result.common)


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
    with atomic_file(directory / _REPORT_NAME) as stream:
        stream.write(report_html(name, rows, documents))
    return [directory / one for one in OUTPUT_NAMES]
