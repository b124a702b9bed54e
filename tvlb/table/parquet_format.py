"""Tables as Parquet files: typed columns, the header as JSON in the file metadata.

Removed paths may be millions. In the metadata they are text: the five columns as differences of
little-endian int32, compressed by zlib, in base64, so that other readers of Parquet stay within
their limits.
"""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import base64
import json
import zlib
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.paths import check_rows
from tvlb.table.columns import COLUMN_TYPES, Columns
from tvlb.table.header import Removed, join, split
from tvlb.table.stored import AnyTable, stored_table

__all__ = ["read", "schema", "write"]

_HEADER_KEY = b"tvlb.table"
_ROW_GROUP = 1 << 20
_ZLIB_LEVEL = 6
_MAX_HEADER_BYTES = 1 << 30


def write(table: AnyTable, stream: BinaryIO) -> None:
    """Write a table; see `tvlb.table.write_table`."""
    document = join(table.header, table.removed[:0]) | {"removed": _packed(table.removed)}
    header = json.dumps(document, separators=(",", ":"))
    columns = [pa.array(values) for values in table.columns.arrays().values()]
    with pq.ParquetWriter(
        stream, schema(), compression="zstd", store_schema=False, write_page_checksum=True
    ) as writer:
        writer.write_table(pa.Table.from_arrays(columns, schema=schema()), _ROW_GROUP)
        writer.add_key_value_metadata({_HEADER_KEY: header.encode()})


def schema() -> Any:
    """Return the columns of table files."""
    return pa.schema(
        [pa.field(name, pa.from_numpy_dtype(kind), False) for name, kind in COLUMN_TYPES.items()]
    )


def read(stream: BinaryIO) -> AnyTable:
    """Read a table; see `tvlb.table.read_table`."""
    try:
        return _read(stream)
    except (pa.ArrowException, OSError) as error:
        # pyarrow reports a damaged page as an OSError without a number.
        raise InvalidInput(f"no readable Parquet file: {_first_line(error)}") from error


def _read(stream: BinaryIO) -> AnyTable:
    with pq.ParquetFile(
        stream,
        page_checksum_verification=True,
        thrift_string_size_limit=_MAX_HEADER_BYTES,
    ) as file:
        header, removed = split(_document(file))
        check_rows(file.metadata.num_rows, "the table")
        content = file.read()
    arrays = {name: _values(name, content.column(name)) for name in COLUMN_TYPES}
    return stored_table(header, removed, Columns.from_arrays(arrays))


def _document(file: pq.ParquetFile) -> object:
    metadata = file.metadata.metadata or {}
    if _HEADER_KEY not in metadata:
        raise InvalidInput("a Parquet file, but not a tvlb table (no table header)")
    found = {field.name: str(field.type) for field in file.schema_arrow}
    expected = {name: str(pa.from_numpy_dtype(kind)) for name, kind in COLUMN_TYPES.items()}
    if list(found.items()) != list(expected.items()):
        raise InvalidInput(f"expected the columns {_listed(expected)}, got {_listed(found)}")
    try:
        document = json.loads(metadata[_HEADER_KEY])
    except ValueError as error:
        raise InvalidInput(f"the table header is no JSON: {error}") from error
    if isinstance(document, dict) and isinstance(document.get("removed"), str):
        document["removed"] = _unpacked(document["removed"])
    return document


def _packed(removed: Removed) -> str:
    steps = np.diff(removed.T, axis=1, prepend=np.int32(0)).astype("<i4")
    return base64.b64encode(zlib.compress(steps.tobytes(), _ZLIB_LEVEL)).decode()


def _unpacked(text: str) -> list[list[int]]:
    try:
        steps = np.frombuffer(zlib.decompress(base64.b64decode(text, validate=True)), dtype="<i4")
        return np.cumsum(steps.reshape(5, -1), axis=1, dtype=np.int64).T.tolist()
    except (ValueError, zlib.error) as error:
        raise InvalidInput(f"table header, removed: {error}") from error


def _listed(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def _values(name: str, column: Any) -> NDArray[Any]:
    if column.null_count:
        raise InvalidInput(f"column {name} has {column.null_count} empty values")
    return np.asarray(column.to_numpy(), dtype=COLUMN_TYPES[name])


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
