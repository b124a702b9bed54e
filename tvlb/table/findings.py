"""What a check of a table found: offences of one sort, counted, with the first one named."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.table.columns import Columns

__all__ = ["Finding", "describe_row", "rows_that"]


@dataclass(frozen=True)
class Finding:
    """Offences of one sort.

    Attributes
    ----------
    count : how many there are.
    text : one line that names the sort and the first offender.
    """

    count: int
    text: str


def describe_row(columns: Columns, row: int) -> str:
    """Name one row by its position and its path."""
    return (
        f"row {row}: {columns.src_switch[row]} -> {columns.dst_switch[row]} via "
        f"{columns.intermediate[row]}, links {columns.first_link[row]} and "
        f"{columns.second_link[row]}, {columns.hops[row]} hops, "
        f"weight {float(columns.weight[row])!r}"
    )


def rows_that(what: str, wrong: NDArray[np.bool_], columns: Columns) -> list[Finding]:
    """Return the finding about the rows where `wrong` is true, if there are any."""
    if not wrong.any():
        return []
    count = int(np.count_nonzero(wrong))
    first = describe_row(columns, int(wrong.argmax()))
    return [Finding(count, f"{what} ({count} rows), first {first}")]
