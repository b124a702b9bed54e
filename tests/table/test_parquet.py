"""Parquet files: the promised columns, and nobody else's files."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import threading
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tvlb.errors import InvalidInput
from tvlb.table import Table, read_table, write_table
from tvlb.table.formats.parquet import FORMAT


def test_parquet_has_the_promised_columns(table: Table, tmp_path: Path) -> None:
    write_table(table, tmp_path / "t.parquet")
    file = pq.ParquetFile(tmp_path / "t.parquet")
    assert {field.name: str(field.type) for field in file.schema_arrow} == {
        "src_switch": "int32",
        "dst_switch": "int32",
        "intermediate": "int32",
        "first_link": "int32",
        "second_link": "int32",
        "hops": "int8",
        "weight": "double",
    }
    assert set(file.metadata.metadata) == {b"tvlb.table"}
    file.close()


class _Watched(BytesIO):
    """Knows which threads have read it."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.threads: set[int] = set()

    def read(self, size: int | None = -1, /) -> bytes:
        self.threads.add(threading.get_ident())
        return super().read(size)


# A thread of Arrow's that gives back bytes of Python while the interpreter ends aborts the process.
def test_no_other_thread_reads(table: Table, tmp_path: Path) -> None:
    write_table(table, tmp_path / "t.parquet")
    stream = _Watched((tmp_path / "t.parquet").read_bytes())
    assert FORMAT.read is not None
    FORMAT.read(stream)
    assert stream.threads == {threading.get_ident()}


def test_parquet_files_of_others_are_refused(tiny: Table, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"src": [1]}), path)
    with pytest.raises(InvalidInput, match="a Parquet file, but not a tvlb table"):
        read_table(path)
    write_table(tiny, tmp_path / "good.parquet")
    good = pq.ParquetFile(tmp_path / "good.parquet")
    header, content = good.metadata.metadata, good.read()
    good.close()
    pq.write_table(content.drop(["hops"]).replace_schema_metadata(header), path)
    with pytest.raises(InvalidInput, match=r"expected the columns src_switch int32, .* hops int8"):
        read_table(path)
    empty = pa.array([None] * len(tiny), pa.int8())
    holes = content.set_column(5, "hops", empty).replace_schema_metadata(header)
    pq.write_table(holes, path)
    with pytest.raises(InvalidInput, match=f"column hops has {len(tiny)} empty values"):
        read_table(path)
