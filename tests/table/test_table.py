"""What goes into a table, and what comes out as a path set."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.paths import LengthSet, parse_expression
from tvlb.table import Table, parse_path_set, write_table
from tvlb.topology import Dragonfly


def test_header_describes_the_rows(table: Table, small: Dragonfly) -> None:
    header = table.header
    assert (header.expression, header.seed, header.version) == ("short(2,3)", 0, "0.1.0")
    assert header.topology.model_dump() == {
        "p": 2,
        "a": 4,
        "h": 2,
        "g": 9,
        "arrangement": "absolute",
        "links": tuple((int(x), int(y)) for x, y in small.cables),
    }
    assert table.topology == small
    # 36 * 3 ordered pairs inside the groups have 4 - 2 = 2 detours of 2 hops each; all further
    # 2-hop paths are pairs of global links.
    assert header.paths_by_hops[2] >= 216
    assert sum(header.paths_by_hops.values()) == len(table)
    assert header.mean_vlb_hops == pytest.approx(table.base_set.mean_hops(), abs=1e-12)


def test_min_only_has_no_rows_and_no_mean(
    make_table: Callable[..., Table], small: Dragonfly
) -> None:
    table = make_table("none", small)
    assert len(table) == 0
    assert table.header.mean_vlb_hops is None
    assert table.header.paths_by_hops == {}


def test_removed_paths_are_listed_and_survivors_renormalised(
    make_table: Callable[..., Table], small: Dragonfly
) -> None:
    base_set = parse_expression("all", small)
    rows = base_set.all_rows()
    # The 28 paths of pair 0 -> 4 (7 groups * 4 switches * 1 * 1) start after the pairs 0 -> 1..3.
    first = int(rows.offset[3])
    removed = np.zeros(len(rows), dtype=bool)
    removed[first : first + 8] = True
    table = make_table("all", small, removed=removed)
    assert table.removed[:, :2].tolist() == [[0, 4]] * 8
    assert table.removed[:, 2].tolist() == rows.intermediate[first : first + 8].tolist()
    assert table.rows.weight[first : first + 20] == pytest.approx(np.full(20, 1 / 20), abs=1e-15)
    same = Table.from_rows(
        base_set, rows.select(~removed), rows.select(removed), seed=0, version="0.1.0"
    )
    assert same.id == table.id


def test_a_set_that_its_expression_cannot_rebuild_is_refused(small: Dragonfly) -> None:
    random_set = LengthSet(small, 4, 10, seed=7)
    rows = random_set.all_rows()
    with pytest.raises(InvalidInput, match="another seed cannot be recorded with seed 0"):
        Table.from_rows(random_set, rows, seed=0, version="0.1.0")
    for seed in (-1, 2**64):
        with pytest.raises(InvalidInput, match="seeds are 0"):
            Table.from_rows(parse_expression("all", small), rows, seed=seed, version="0.1.0")


def test_rows_must_be_of_every_pair_of_the_same_topology(table: Table, small: Dragonfly) -> None:
    base_set = table.base_set
    with pytest.raises(InvalidInput, match="every ordered switch pair"):
        Table.from_rows(base_set, base_set.rows_of_source(0), version="0.1.0")
    other = parse_expression("short(2,3)", Dragonfly(2, 4, 2, 9, "palmtree"))
    with pytest.raises(InvalidInput, match="rows of dfly"):
        Table.from_rows(base_set, other.all_rows(), version="0.1.0")


def test_a_table_is_immutable(table: Table) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        table.header = table.header  # pyright: ignore[reportAttributeAccessIssue]


def test_a_saved_table_is_a_path_set(table: Table, small: Dragonfly, tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_table(table, path)
    path_set = parse_path_set(f" {path} ", small)
    assert str(path_set) == str(path)
    assert path_set.mean_hops() == pytest.approx(table.header.mean_vlb_hops)
    ends = np.array([0, 17], dtype=np.int32), np.array([8, 3], dtype=np.int32)
    loaded, rule = path_set.rows(*ends), table.base_set.rows(*ends)
    assert loaded.intermediate.tolist() == rule.intermediate.tolist()
    assert loaded.weight.tolist() == rule.weight.tolist()


def test_a_table_of_another_topology_is_bad_input(table: Table, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    write_table(table, path)
    for other in (Dragonfly(2, 4, 2, 5), Dragonfly(2, 4, 2, 9, "palmtree")):
        with pytest.raises(InvalidInput, match=r"is a table of dfly\(2,4,2,9\), not of"):
            parse_path_set(str(path), other)
    cables = Dragonfly(2, 4, 2, 9, "palmtree").cables
    disguised = Dragonfly.from_cables(2, 4, 2, 9, cables, "absolute")
    with pytest.raises(InvalidInput, match="with another wiring"):
        parse_path_set(str(path), disguised)


def test_rows_that_are_no_paths_are_not_used(
    table: Table, change: Callable[..., Table], small: Dragonfly, tmp_path: Path
) -> None:
    first_link = table.columns.first_link.copy()
    first_link[6] = 0  # link 0 is local; row 6 is the first of 0 -> 4
    path = tmp_path / "t.csv"
    write_table(change(table, first_link=first_link), path)
    with pytest.raises(InvalidInput, match="first link is not a global link"):
        parse_path_set(str(path), small)


def test_expressions_and_tables_share_one_language(small: Dragonfly) -> None:
    assert str(parse_path_set("<=6", small)) == "all"
    assert parse_path_set("<=4+60%", small, seed=3) == LengthSet(small, 4, 60, seed=3)
    with pytest.raises(InvalidInput, match=r"joined by &, or the path of a saved table \(\.par"):
        parse_path_set("<=4+", small)
    with pytest.raises(InvalidInput, match="No such file"):
        parse_path_set("missing.csv", small)
    for text in ("<=4 & t.json", "t.parquet & shape(g.?)", "t.csv&u.csv"):
        with pytest.raises(
            InvalidInput, match=r"t\.\w+ is a saved table, and only expressions meet"
        ):
            parse_path_set(text, small)
