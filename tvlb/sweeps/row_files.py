"""Result rows as Parquet and CSV files; equal rows give equal bytes."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tvlb.documents import atomic_file
from tvlb.errors import InvalidInput
from tvlb.sweeps.columns import ResultColumn
from tvlb.sweeps.rows import Row, Value

PARQUET_NAME = "results.parquet"
CSV_NAME = "results.csv"
_ARROW_TYPES = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "text": pa.string(),
}


def row_schema(columns: Sequence[ResultColumn], rows: Sequence[Row] = ()) -> Any:
    """Return the Arrow schema of rows; fields carry unit and description as metadata."""
    lacking = {name for row in rows for name, value in row.items() if value is None}
    return pa.schema(
        [_field(column, not column.always or column.name in lacking) for column in columns]
    )


def write_rows(columns: Sequence[ResultColumn], rows: Sequence[Row], directory: Path) -> None:
    """Write `results.parquet` and `results.csv` into a directory, each complete or not at all.

    Parameters
    ----------
    columns : of the rows.
    rows : of `tvlb.sweeps.rows`, in the order in which they are to stand.
    directory : an existing directory; files of these names in it are replaced.

    Raises
    ------
    InvalidInput : a row lacks a column, or has one that is unknown.

    Notes
    -----
    CSV is that of RFC 4180: lines end in CRLF, text is quoted where it has to be, an empty cell is
    null, booleans are true and false, and floats are the shortest text that reads back exactly.
    """
    names = {column.name for column in columns}
    for row in rows:
        if wrong := names.symmetric_difference(row):
            raise InvalidInput(
                f"row of point {row.get('point')}: column {min(wrong)!r} is missing or unknown"
            )
    with atomic_file(directory / PARQUET_NAME) as stream:
        schema = row_schema(columns, rows)
        table = pa.Table.from_pylist(list(rows), schema=schema)
        with pq.ParquetWriter(
            stream, schema, compression="zstd", write_page_checksum=True
        ) as writer:
            writer.write_table(table)
    with atomic_file(directory / CSV_NAME) as stream:
        stream.write(_csv_text(columns, rows).encode())


def _field(column: ResultColumn, nullable: bool) -> Any:
    metadata = {"unit": column.unit, "description": column.description}
    return pa.field(column.name, _ARROW_TYPES[column.type], nullable, metadata)


def _csv_text(columns: Sequence[ResultColumn], rows: Sequence[Row]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.name for column in columns])
    for row in rows:
        writer.writerow([_cell(row[column.name]) for column in columns])
    return text.getvalue()


def _cell(value: Value) -> Value:
    return str(value).lower() if isinstance(value, bool) else value
