"""The rows of one switch as a Parquet file."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import json
from collections.abc import Iterator, Mapping
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from tvlb.table.columns import Columns
from tvlb.table.parquet_format import schema

__all__ = ["write"]

_HEADER_KEY = b"tvlb.switch"


def write(header: Mapping[str, object], parts: Iterator[Columns], stream: BinaryIO) -> int:
    """Write the rows below a header; returns their number."""
    rows = 0
    with pq.ParquetWriter(
        stream, schema(), compression="zstd", store_schema=False, write_page_checksum=True
    ) as writer:
        for part in parts:
            arrays = [pa.array(values) for values in part.arrays().values()]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema()))
            rows += len(part)
        writer.add_key_value_metadata({_HEADER_KEY: json.dumps(dict(header)).encode()})
    return rows
