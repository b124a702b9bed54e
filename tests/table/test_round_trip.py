"""Every file format gives back exactly what was written."""

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.paths import parse_expression
from tvlb.table import (
    TABLE_SUFFIXES,
    AnyTable,
    Table,
    read_stream,
    read_table,
    write_stream,
    write_table,
)
from tvlb.topology import ARRANGEMENTS, Dragonfly

EXPRESSIONS = ("all", "none", "<=3", "<=4", "<=4+60%", "<=3+10%", "<=4+(2,3)", "<=4+(3,2)")
SHORT = ("short(2,3)", "short(3,2)", "short(<=4)", "short(all)")
SHAPES = ("shape(g.g:8, g.lgl)", "shape(lg.?:0.1) & <=3+10%", "shape(g.?) & short(2,3)")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Tables of small topologies, every kind of expression, some paths removed."""
    a, h = draw(st.integers(1, 4)), draw(st.integers(1, 2))
    g = draw(st.integers(2, a * h + 1))
    topology = Dragonfly(draw(st.integers(1, 2)), a, h, g, draw(st.sampled_from([*ARRANGEMENTS])))
    seed = draw(st.integers(0, 2**64 - 1))
    base_set = parse_expression(draw(st.sampled_from(EXPRESSIONS + SHORT + SHAPES)), topology, seed)
    rows = base_set.all_rows()
    step = draw(st.integers(2, 9))
    removed = np.arange(len(rows)) % step == 1
    return Table.from_rows(base_set, rows.select(~removed), removed, seed=seed, version="0.1.0")


def written(table: AnyTable, suffix: str) -> bytes:
    stream = io.BytesIO()
    write_stream(table, suffix, stream)
    return stream.getvalue()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(tables(), st.sampled_from(TABLE_SUFFIXES), st.sampled_from(TABLE_SUFFIXES))
def test_a_table_survives_two_formats_bit_for_bit(table: Table, first: str, second: str) -> None:
    once = read_stream(first, io.BytesIO(written(table, first)))
    twice = read_stream(second, io.BytesIO(written(once, second)))
    assert twice.id == table.id
    assert twice.header == table.header
    assert np.array_equal(twice.removed, table.removed)
    for name, values in table.columns.arrays().items():
        read = twice.columns.arrays()[name]
        assert read.dtype == values.dtype
        assert read.tobytes() == values.tobytes()


@settings(max_examples=15, deadline=None, derandomize=True)
@given(tables(), st.sampled_from(TABLE_SUFFIXES))
def test_equal_tables_give_equal_bytes(table: Table, suffix: str) -> None:
    again = Table(table.header, table.removed.copy(), table.columns)
    assert written(table, suffix) == written(again, suffix)


@pytest.mark.parametrize("suffix", TABLE_SUFFIXES)
def test_weights_that_decimals_cannot_hold_are_kept(
    suffix: str, tiny: Table, change: Callable[..., Table], tmp_path: Path
) -> None:
    weight = tiny.columns.weight.copy()
    weight[:6] = [1 / 3, 0.1 + 0.2, 5e-324, np.nextafter(1, 0), 1e300, 0.1]
    path = tmp_path / f"t{suffix}"
    write_table(change(tiny, weight=weight), path)
    assert read_table(path).columns.weight.tobytes() == weight.tobytes()


def test_id_depends_on_rows_header_and_removals(
    table: Table, make_table: Callable[..., Table], change: Callable[..., Table], small: Dragonfly
) -> None:
    weight = table.columns.weight.copy()
    weight[0] = np.nextafter(weight[0], 1)
    removed = np.zeros(len(table), dtype=bool)
    removed[-1] = True
    ids = {
        table.id,
        change(table, weight=weight).id,
        make_table("short(2,3)", small, seed=1).id,
        make_table("short(2,3)", small, removed=removed).id,
        make_table("short(2,3)", Dragonfly(2, 4, 2, 9, "palmtree")).id,
        make_table("short(2,3)", Dragonfly(1, 4, 2, 9)).id,
    }
    assert len(ids) == 6


def test_a_file_says_nothing_about_where_and_when(tiny: Table, tmp_path: Path) -> None:
    # Two files written at different times under different names are the same bytes.
    for suffix in TABLE_SUFFIXES:
        first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
        write_table(tiny, first)
        write_table(tiny, second)
        assert first.read_bytes() == second.read_bytes()
