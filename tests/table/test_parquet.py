"""Parquet files: the promised columns, and nobody else's files."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tvlb.errors import InvalidInput
from tvlb.table import Table, read_table, write_table


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
