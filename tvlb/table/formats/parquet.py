"""Parquet: typed columns, the header as JSON in the file metadata.

Lists of a header, such as removed paths, may be millions. In the metadata they are text: their
columns as differences of little-endian int32, compressed by zlib, in base64, so that other readers
of Parquet stay within their limits.
"""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import base64
import json
import zlib
from collections.abc import Mapping
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import inflated, parse_unique_json
from tvlb.errors import InvalidInput
from tvlb.paths import MAX_ROWS
from tvlb.table.formats import Format, kind_called, rows_in
from tvlb.table.kinds import Content, Entries, StoredTable, TableKind, kind_marked
from tvlb.table.parquet_pages import inflated_size

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


def _write(content: Content, stream: BinaryIO) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows, schema = 0, _schema(content.columns)
    header = _header_text(content)
    with pq.ParquetWriter(
        stream, schema, compression="zstd", store_schema=False, write_page_checksum=True
    ) as writer:
        for part in content.parts:
            columns = [pa.array(values) for values in part.values()]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema), _ROW_GROUP)
            rows += rows_in(part)
        writer.add_key_value_metadata({_key(content.mark): header.encode()})
    return rows


def _header_text(content: Content) -> str:
    if not content.lists:
        return json.dumps(dict(content.header))
    packed = {name: _packed(one) for name, one in content.lists.items()}
    text = json.dumps({**content.header, **packed}, separators=(",", ":"))
    if len(text) > _MAX_HEADER_BYTES:
        name, longest = max(content.lists.items(), key=lambda one: len(one[1]))
        what = f"{len(longest):,} {kind_marked(content.mark).lists[name].text}"
        most = f"at most {_MAX_HEADER_BYTES:,} bytes"
        raise InvalidInput(f"the table has {what}, too many for a header of {most}")
    return text


def _key(mark: str) -> bytes:
    """Return the key of the metadata that the header stands under."""
    return f"tvlb.{mark}".encode()


def _schema(columns: Mapping[str, np.dtype[Any]]) -> Any:
    import pyarrow as pa

    return pa.schema(
        [pa.field(name, pa.from_numpy_dtype(kind), False) for name, kind in columns.items()]
    )


def _read(stream: BinaryIO) -> StoredTable:
    from pyarrow import ArrowException

    try:
        return _table(stream)
    except (ArrowException, OSError) as error:
        # pyarrow reports a damaged page as an OSError without a number.
        raise InvalidInput(f"no readable Parquet file: {_first_line(error)}") from error


def _table(stream: BinaryIO) -> StoredTable:
    from pyarrow.parquet import ParquetFile

    # On this thread alone. Others would hold bytes of the stream, which are Python's, a moment
    # longer than the call: to give them back while the interpreter ends aborts the process.
    with ParquetFile(
        stream,
        pre_buffer=False,
        page_checksum_verification=True,
        thrift_string_size_limit=_MAX_HEADER_BYTES,
        thrift_container_size_limit=_MAX_ROW_GROUPS,
    ) as file:
        kind, document = _document(file)
        packed = {name: one for name in kind.lists if isinstance(one := document.get(name), str)}
        header, lists = kind.split(document | {name: [] for name in packed})
        # Nothing in the file may take more room in memory than the network can need.
        most = kind.most_rows(header.topology.build())
        for name, text in packed.items():
            lists[name] = _unpacked(name, text, most, len(kind.lists[name].numbers))
        rows = file.metadata.num_rows
        if rows > most:
            raise InvalidInput(f"{rows:,} rows, but the network has at most {most:,} paths")
        _check_sizes(file.metadata, stream)
        content = file.read(use_threads=False)
    arrays = {name: _values(name, content.column(name)) for name in kind.columns}
    return kind.load(header, lists, kind.narrowed(arrays))


def _check_sizes(metadata: Any, stream: BinaryIO) -> None:
    """Pages may hold more than the rows that are told of, and inflate to any size."""
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        columns = [group.column(one) for one in range(group.num_columns)]
        most = group.num_rows * len(columns) * _MOST_VALUE_BYTES + _MOST_GROUP_BYTES
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


def _document(file: Any) -> tuple[TableKind[Any], dict[str, Any]]:
    metadata = file.metadata.metadata or {}
    kind = kind_called(lambda mark: _key(mark) in metadata)
    if kind is None:
        raise InvalidInput("a Parquet file, but not a tvlb table (no table header)")
    found = {field.name: str(field.type) for field in file.schema_arrow}
    expected = {field.name: str(field.type) for field in _schema(kind.columns)}
    if list(found.items()) != list(expected.items()):
        raise InvalidInput(f"expected the columns {_listed(expected)}, got {_listed(found)}")
    try:
        document = parse_unique_json(metadata[_key(kind.mark)])
    except InvalidInput as error:
        raise InvalidInput(f"table header: {error}") from error
    if not isinstance(document, dict):
        raise InvalidInput("the table header is not a JSON object")
    return kind, cast("dict[str, Any]", document)


def _packed(entries: Entries) -> str:
    steps = np.diff(entries.T, axis=1, prepend=np.int32(0)).astype("<i4")
    return base64.b64encode(zlib.compress(steps.tobytes(), _ZLIB_LEVEL)).decode()


def _unpacked(name: str, text: str, most: int, numbers: int) -> Entries:
    try:
        content = inflated(base64.b64decode(text, validate=True), most * numbers * 4)
        steps = np.frombuffer(content, dtype="<i4").reshape(numbers, -1)
    except (ValueError, InvalidInput) as error:
        raise InvalidInput(f"table header, {name}: {error}") from error
    entries = np.empty((steps.shape[1], numbers), dtype=np.int32)
    for column, values in enumerate(steps):
        ids = np.cumsum(values, dtype=np.int64)
        if len(ids) and max(-ids.min(), ids.max()) > np.iinfo(np.int32).max:
            raise InvalidInput(f"table header, {name}: an id is out of range")
        entries[:, column] = ids
    return entries


def _listed(columns: dict[str, str]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def _values(name: str, column: Any) -> NDArray[Any]:
    if column.null_count:
        raise InvalidInput(f"column {name} has {column.null_count} empty values")
    return column.to_numpy()


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


FORMAT = Format(
    name="parquet",
    suffixes=(".parquet",),
    media_type="application/vnd.apache.parquet",
    max_rows=MAX_ROWS,
    read=_read,
    write=_write,
)
