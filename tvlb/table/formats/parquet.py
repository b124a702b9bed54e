"""Parquet: typed columns, the header as JSON in the file metadata.

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
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import inflated, parse_json
from tvlb.errors import InvalidInput
from tvlb.paths import MAX_ROWS, most_rows
from tvlb.table.columns import COLUMN_TYPES, Columns
from tvlb.table.compact import AnyTable, stored_table
from tvlb.table.formats import Format
from tvlb.table.header import Removed, TableHeader, join, no_removed, split
from tvlb.table.parquet_pages import inflated_size

_TABLE_KEY = b"tvlb.table"
_SWITCH_KEY = b"tvlb.switch"
_ROW_GROUP = 1 << 20
_ZLIB_LEVEL = 6
_MAX_HEADER_BYTES = 256 << 20
_MAX_ROW_GROUPS = 100_000
# Of a value with its part of a dictionary, and of what comes with the pages of a group.
_MOST_VALUE_BYTES = 16
_MOST_GROUP_BYTES = 1 << 20
# Pages of few rows are rare, and each takes time.
_LEAST_PAGE_ROWS = 100
_MOST_SMALL_PAGES = 1000
_REMOVED = "removed"


def _write(table: AnyTable, stream: BinaryIO) -> None:
    document = join(table.header, no_removed()) | {_REMOVED: _packed(table.removed)}
    header = json.dumps(document, separators=(",", ":"))
    if len(header) > _MAX_HEADER_BYTES:
        raise InvalidInput(
            f"the table has {len(table.removed):,} removed paths, too many for a header of at most "
            f"{_MAX_HEADER_BYTES:,} bytes"
        )
    _write_rows(_TABLE_KEY, header, [table.columns], stream)


def _write_switch(header: Mapping[str, object], parts: Iterable[Columns], stream: BinaryIO) -> int:
    return _write_rows(_SWITCH_KEY, json.dumps(dict(header)), parts, stream)


def _write_rows(key: bytes, header: str, parts: Iterable[Columns], stream: BinaryIO) -> int:
    """Write rows with a header, which stands under a key of the metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows, schema = 0, _schema()
    with pq.ParquetWriter(
        stream, schema, compression="zstd", store_schema=False, write_page_checksum=True
    ) as writer:
        for part in parts:
            columns = [pa.array(values) for values in part.arrays().values()]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema), _ROW_GROUP)
            rows += len(part)
        writer.add_key_value_metadata({key: header.encode()})
    return rows


def _schema() -> Any:
    import pyarrow as pa

    return pa.schema(
        [pa.field(name, pa.from_numpy_dtype(kind), False) for name, kind in COLUMN_TYPES.items()]
    )


def _read(stream: BinaryIO) -> AnyTable:
    from pyarrow import ArrowException

    try:
        return _table(stream)
    except (ArrowException, OSError) as error:
        # pyarrow reports a damaged page as an OSError without a number.
        raise InvalidInput(f"no readable Parquet file: {_first_line(error)}") from error


def _table(stream: BinaryIO) -> AnyTable:
    from pyarrow.parquet import ParquetFile

    with ParquetFile(
        stream,
        page_checksum_verification=True,
        thrift_string_size_limit=_MAX_HEADER_BYTES,
        thrift_container_size_limit=_MAX_ROW_GROUPS,
    ) as file:
        header, removed = _header(file)
        rows, most = file.metadata.num_rows, _most(header)
        if rows > most:
            raise InvalidInput(f"{rows:,} rows, but the network has at most {most:,} paths")
        _check_sizes(file.metadata, stream)
        content = file.read()
    arrays = {name: _values(name, content.column(name)) for name in COLUMN_TYPES}
    return stored_table(header, removed, Columns.from_arrays(arrays))


def _check_sizes(metadata: Any, stream: BinaryIO) -> None:
    """Pages may hold more than the rows that are told of, and inflate to any size."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        columns = [group.column(one) for one in range(group.num_columns)]
        most = group.num_rows * len(COLUMN_TYPES) * _MOST_VALUE_BYTES + _MOST_GROUP_BYTES
        pages = group.num_rows // _LEAST_PAGE_ROWS + _MOST_SMALL_PAGES
        told = sum(column.total_uncompressed_size for column in columns)
        found = sum(
            inflated_size(stream, _start(column), column.total_compressed_size, pages)
            for column in columns
            # Else its pages are not looked at, and may be nowhere.
            if column.num_values > 0
        )
        if max(told, found) > most:
            size = max(told, found)
            raise InvalidInput(f"a row group of {group.num_rows:,} rows takes {size:,} bytes")


def _start(column: Any) -> int:
    """Where the pages of a column begin, as pyarrow takes it."""
    data, dictionary = column.data_page_offset, column.dictionary_page_offset
    return dictionary if dictionary is not None and 0 < dictionary < data else data


def _header(file: Any) -> tuple[TableHeader, Removed]:
    document = _document(file)
    packed = document.get(_REMOVED)
    if not isinstance(packed, str):
        return split(document)
    header, _ = split(document | {_REMOVED: []})
    return header, _unpacked(packed, _most(header))


def _most(header: TableHeader) -> int:
    """Nothing in the file may take more room in memory than the network of its header can need."""
    return most_rows(header.topology.build())


def _document(file: Any) -> dict[str, Any]:
    metadata = file.metadata.metadata or {}
    if _TABLE_KEY not in metadata:
        raise InvalidInput("a Parquet file, but not a tvlb table (no table header)")
    found = {field.name: str(field.type) for field in file.schema_arrow}
    expected = {field.name: str(field.type) for field in _schema()}
    if list(found.items()) != list(expected.items()):
        raise InvalidInput(f"expected the columns {_listed(expected)}, got {_listed(found)}")
    try:
        document = parse_json(metadata[_TABLE_KEY])
    except InvalidInput as error:
        raise InvalidInput(f"table header: {error}") from error
    if not isinstance(document, dict):
        raise InvalidInput("the table header is not a JSON object")
    return cast("dict[str, Any]", document)


def _packed(removed: Removed) -> str:
    steps = np.diff(removed.T, axis=1, prepend=np.int32(0)).astype("<i4")
    return base64.b64encode(zlib.compress(steps.tobytes(), _ZLIB_LEVEL)).decode()


def _unpacked(text: str, most: int) -> Removed:
    try:
        content = inflated(base64.b64decode(text, validate=True), most * 5 * 4)
        steps = np.frombuffer(content, dtype="<i4").reshape(5, -1)
    except (ValueError, InvalidInput) as error:
        raise InvalidInput(f"table header, removed: {error}") from error
    removed = np.empty((steps.shape[1], 5), dtype=np.int32)
    for column, values in enumerate(steps):
        ids = np.cumsum(values, dtype=np.int64)
        if len(ids) and max(-ids.min(), ids.max()) > np.iinfo(np.int32).max:
            raise InvalidInput("table header, removed: an id is out of range")
        removed[:, column] = ids
    return removed


def _listed(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def _values(name: str, column: Any) -> NDArray[Any]:
    if column.null_count:
        raise InvalidInput(f"column {name} has {column.null_count} empty values")
    return np.asarray(column.to_numpy(), dtype=COLUMN_TYPES[name])


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


FORMAT = Format(
    name="parquet",
    suffixes=(".parquet",),
    media_type="application/vnd.apache.parquet",
    max_rows=MAX_ROWS,
    read=_read,
    write=_write,
    write_switch=_write_switch,
)
