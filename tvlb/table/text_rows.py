"""What the two text formats share: rows as Python numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.table.columns import COLUMN_TYPES, Columns

__all__ = ["MAX_TEXT_ROWS", "Row", "check_text_rows", "columns_of", "iterate_rows"]

MAX_TEXT_ROWS = 1_000_000

Row = tuple[int, int, int, int, int, int, float]


def iterate_rows(columns: Columns) -> Iterator[Row]:
    """Yield the rows; `repr` of a weight gives its shortest text that reads back bit for bit."""
    return zip(
        columns.src_switch.tolist(),
        columns.dst_switch.tolist(),
        columns.intermediate.tolist(),
        columns.first_link.tolist(),
        columns.second_link.tolist(),
        columns.hops.tolist(),
        columns.weight.tolist(),
        strict=True,
    )


def columns_of(rows: Sequence[Row]) -> Columns:
    """Undo `iterate_rows`; raises InvalidInput if a number does not fit into its column."""
    values = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMN_TYPES)
    return Columns.from_arrays(
        {name: _array(name, column) for name, column in zip(COLUMN_TYPES, values, strict=True)}
    )


def _array(name: str, column: Sequence[float]) -> NDArray[Any]:
    wide = np.int64 if COLUMN_TYPES[name].kind == "i" else np.float64
    try:
        return np.array(column, dtype=wide)
    except OverflowError as error:
        raise InvalidInput(f"column {name} holds a number that is out of range") from error


def check_text_rows(rows: int) -> None:
    """Raise InvalidInput if a text file has more rows than it may."""
    if rows > MAX_TEXT_ROWS:
        raise InvalidInput(f"more than {MAX_TEXT_ROWS:,} rows; use a .parquet file")
