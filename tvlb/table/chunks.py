"""Rows in portions, so that memory stays bounded on tables of tens of millions of paths."""

from collections.abc import Iterator

import numpy as np

from tvlb.paths import PathRows

__all__ = ["pair_chunks"]

_CHUNK_ROWS = 1 << 18


def pair_chunks(rows: PathRows, chunk_rows: int = _CHUNK_ROWS) -> Iterator[PathRows]:
    """Cut rows between pairs into portions of about `chunk_rows` rows; nothing is copied."""
    begin, pairs = 0, len(rows.source)
    while begin < pairs:
        limit = int(rows.offset[begin]) + chunk_rows
        end = max(begin + 1, int(np.searchsorted(rows.offset, limit, side="right")) - 1)
        yield _slice(rows, begin, end)
        begin = end


def _slice(rows: PathRows, begin: int, end: int) -> PathRows:
    first, last = int(rows.offset[begin]), int(rows.offset[end])
    return PathRows(
        rows.topology,
        rows.source[begin:end],
        rows.target[begin:end],
        rows.offset[begin : end + 1] - first,
        rows.intermediate[first:last],
        rows.first_link[first:last],
        rows.second_link[first:last],
        rows.hops[first:last],
        rows.weight[first:last],
    )
