"""Compact tables: the rows that rule and seed give are those of the full form, to the last bit."""

import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq  # pyright: ignore  # pyarrow has no types
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tvlb.balance import BalancedSet, BalanceOptions, balance, balance_pairs
from tvlb.errors import InvalidInput
from tvlb.paths import MAX_ROWS, PathRows, PathSet, parse_expression
from tvlb.table import (
    TABLE_SUFFIXES,
    AnyTable,
    Columns,
    CompactTable,
    Table,
    pair_paths,
    parse_path_set,
    read_stream,
    read_table,
    summarise,
    verify,
    write_stream,
    write_switch,
    write_table,
)
from tvlb.topology import Dragonfly

VERSION = "0.1.0"
# The step over all pairs removes paths besides those of the step per pair.
BOTH_STEPS = BalanceOptions(local_threshold=2.0, global_threshold=1.05, floor_share=0.3)
NETWORKS = ("2,4,2,3", "2,4,2,5", "2,4,2,9", "3,6,3,7", "1,4,2,9,palmtree")
SETS = (
    *("all", "none", "<=3", "<=4", "<=4+60%", "<=4+(2,3)", "short(2,3)", "short(<=4)"),
    *("shape(g.g:8, g.lgl)", "shape(g.?) & <=3+50%"),
    "shape(gl.?:0.3) & short(all)",
)


def never(_: PathSet) -> bool:
    return False


def network(text: str) -> Dragonfly:
    """Build a topology by its sizes."""
    p, a, h, g, *arrangement = text.split(",")
    return Dragonfly(int(p), int(a), int(h), int(g), *arrangement)


def both_forms(
    base: PathSet, options: BalanceOptions | None, seed: int
) -> tuple[Table, CompactTable]:
    """Make the full and the compact table of a set, balanced if there are options."""
    rows = base.all_rows()
    if options is None:
        full = Table.from_rows(base, rows, seed=seed, version=VERSION)
        return full, CompactTable.from_set(base, seed=seed, version=VERSION)
    found = balance(base, options, seed=seed)
    keep = found.keep
    assert keep is not None
    full = Table.from_rows(base, rows.select(keep), ~keep, seed=seed, version=VERSION)
    besides = rows.paths(balance_pairs(rows, options, seed=seed).keep & ~keep)
    balanced = BalancedSet(base, options, seed, besides)
    return full, CompactTable.from_set(
        balanced, seed=seed, version=VERSION, mean_vlb_hops=found.mean_hops
    )


def assert_same_columns(first: Columns, second: Columns) -> None:
    for name, values in first.arrays().items():
        assert values.tobytes() == second.arrays()[name].tobytes(), name


def joined(parts: Iterable[Mapping[str, NDArray[Any]]]) -> Columns:
    listed = list(parts)
    return Columns(**{name: np.concatenate([one[name] for one in listed]) for name in listed[0]})


def written(table: AnyTable, suffix: str) -> bytes:
    stream = io.BytesIO()
    write_stream(table, suffix, stream)
    return stream.getvalue()


def parquet_columns(path: Path) -> dict[str, list[int]]:
    return pq.read_table(path).to_pydict()  # pyright: ignore  # pyarrow has no types


@pytest.mark.slow
@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.sampled_from(NETWORKS),
    st.sampled_from(SETS),
    st.sampled_from([None, BalanceOptions(), BOTH_STEPS]),
    st.integers(0, 2**63 - 1),
)
def test_rows_on_demand_are_those_of_the_full_form(
    where: str, expression: str, options: BalanceOptions | None, seed: int
) -> None:
    topology = network(where)
    full, compact = both_forms(parse_expression(expression, topology, seed), options, seed)
    for switch in {0, 1, topology.num_switches // 2, topology.num_switches - 1}:
        assert_same_columns(
            joined(full.of_switch(switch)),
            joined([Columns.none().arrays(), *compact.of_switch(switch)]),
        )
    expanded = compact.expanded()
    assert expanded.id == full.id
    assert_same_columns(expanded.columns, full.columns)


def test_the_step_over_all_pairs_is_kept_as_a_list() -> None:
    base = parse_expression("<=4", Dragonfly(2, 4, 2, 9))
    _, compact = both_forms(base, BOTH_STEPS, 0)
    report = balance(base, BOTH_STEPS).report
    assert report.removed_locally > 0
    assert len(compact.removed) == report.removed_globally > 0


@pytest.mark.parametrize("suffix", TABLE_SUFFIXES)
def test_files_give_back_what_was_written(suffix: str) -> None:
    base = parse_expression("short(2,3)", Dragonfly(2, 4, 2, 9))
    _, compact = both_forms(base, BOTH_STEPS, 5)
    read = read_stream(suffix, io.BytesIO(written(compact, suffix)))
    assert isinstance(read, CompactTable)
    assert (read.id, read.header) == (compact.id, compact.header)
    assert np.array_equal(read.removed, compact.removed)
    assert written(read, suffix) == written(compact, suffix)


def test_the_forms_have_different_ids() -> None:
    full, compact = both_forms(parse_expression("<=4", Dragonfly(2, 4, 2, 5)), None, 0)
    assert full.id != compact.id


def test_a_compact_table_with_rows_is_refused(tmp_path: Path) -> None:
    full, compact = both_forms(parse_expression("<=3", Dragonfly(2, 4, 2, 3)), None, 0)
    bad = Table(compact.header, compact.removed, full.columns)
    write_table(bad, tmp_path / "t.json")
    with pytest.raises(InvalidInput, match=r"t\.json: a compact table has no rows"):
        read_table(tmp_path / "t.json")


def test_verify_passes_a_good_table_and_names_what_is_wrong() -> None:
    base = parse_expression("<=3", Dragonfly(2, 4, 2, 9))
    full, compact = both_forms(base, BOTH_STEPS, 0)
    report = verify(compact)
    assert report.ok, report.problems
    assert (report.paths, report.sampled_pairs) == (len(full), None)
    header = compact.header
    wrong = (
        ({"mean_vlb_hops": 2.5}, "mean VLB hops"),
        ({"paths_by_hops": {3: 7}}, "counts paths by hops"),
    )
    for change, problem in wrong:
        damaged = CompactTable(header.model_copy(update=change), compact.removed)
        assert problem in verify(damaged).problems[0]
    unknown = np.array([[0, 4, 9, 1, 1]], dtype=np.int32)
    assert (
        "a removed path is not one of the rule" in verify(CompactTable(header, unknown)).problems[0]
    )


def test_verify_looks_at_a_sample_where_the_paths_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    base = parse_expression("<=4", Dragonfly(2, 4, 2, 9))
    _, compact = both_forms(base, None, 0)
    monkeypatch.setattr("tvlb.table.checks.is_listable", never)
    report = verify(compact)
    assert report.ok, report.problems
    assert report.sampled_pairs is not None
    assert report.sampled_pairs > 0


def test_a_table_too_large_for_the_full_form_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    _, compact = both_forms(parse_expression("<=3", Dragonfly(2, 4, 2, 3)), None, 0)
    monkeypatch.setattr("tvlb.table.table.is_listable", never)
    with pytest.raises(InvalidInput, match="one switch at a time"):
        compact.expanded()


@pytest.mark.slow
def test_a_table_of_more_paths_than_can_be_listed_takes_kilobytes() -> None:
    # <=4 on dfly(10,20,10,21): 506 paths for each of 175,980 pairs on average. One switch has rows
    # for all 419 others, and they are what the set lists.
    topology = Dragonfly(10, 20, 10, 21)
    path_set = parse_expression("<=4", topology)
    compact = CompactTable.from_set(path_set, version=VERSION)
    assert sum(compact.header.paths_by_hops.values()) > MAX_ROWS
    assert len(written(compact, ".json")) < 100_000
    rows = joined(compact.of_switch(17))
    assert_same_columns(rows, Columns.from_rows(path_set.rows_of_source(17)))


@pytest.mark.parametrize("suffix", [".parquet", ".csv", ".json"])
def test_one_switch_is_written_alike_from_both_forms(tmp_path: Path, suffix: str) -> None:
    full, compact = both_forms(parse_expression("<=4+30%", Dragonfly(2, 4, 2, 5), 3), BOTH_STEPS, 3)
    first, second = tmp_path / f"full{suffix}", tmp_path / f"compact{suffix}"
    assert write_switch(full, 7, first) == write_switch(compact, 7, second) > 0
    text = first.read_bytes().replace(full.id.encode(), compact.id.encode())
    assert text == second.read_bytes()
    with pytest.raises(InvalidInput):
        read_table(second)  # a part is not taken for the whole


def test_switch_files_hold_the_rows(tmp_path: Path) -> None:
    _, compact = both_forms(parse_expression("<=4", Dragonfly(2, 4, 2, 5)), None, 0)
    rows = write_switch(compact, 3, tmp_path / "s.parquet")
    read = parquet_columns(tmp_path / "s.parquet")
    assert (len(read["hops"]), set(read["src_switch"])) == (rows, {3})
    write_switch(compact, 3, tmp_path / "s.json")
    document = json.loads((tmp_path / "s.json").read_text())
    assert (document["switch"]["switch"], len(document["rows"])) == (3, rows)


def test_switches_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    full, compact = both_forms(parse_expression("<=3", Dragonfly(2, 4, 2, 3)), None, 0)
    for table in (full, compact):
        with pytest.raises(InvalidInput, match=r"12 is not a switch; allowed are 0\.\.11"):
            write_switch(table, 12, tmp_path / "s.csv")
    assert list(tmp_path.iterdir()) == []


def test_both_forms_describe_a_pair_alike() -> None:
    full, compact = both_forms(parse_expression("short(2,3)", Dragonfly(2, 4, 2, 9)), BOTH_STEPS, 0)
    assert pair_paths(full, 0, 17) == pair_paths(compact, 0, 17)


def test_the_summary_tells_the_form() -> None:
    _, compact = both_forms(parse_expression("<=3", Dragonfly(2, 4, 2, 9)), BOTH_STEPS, 0)
    found = summarise(compact)
    assert found.get("form") == "compact"
    assert found.get("balance") == {
        "local_threshold": 2.0,
        "global_threshold": 1.05,
        "floor_paths": 4,
        "floor_share": 0.3,
        "seed": 0,
    }


def test_a_saved_compact_table_is_a_path_set(tmp_path: Path) -> None:
    topology = Dragonfly(2, 4, 2, 5)
    full, compact = both_forms(parse_expression("<=4+60%", topology, 9), BOTH_STEPS, 9)
    write_table(compact, tmp_path / "t.json")
    found = parse_path_set(str(tmp_path / "t.json"), topology)
    assert_same_columns(Columns.from_rows(found.all_rows()), full.columns)
    with pytest.raises(InvalidInput, match="not of"):
        parse_path_set(str(tmp_path / "t.json"), Dragonfly(2, 4, 2, 9))


def test_bad_settings_in_a_header_are_found_when_it_is_read(tmp_path: Path) -> None:
    _, compact = both_forms(parse_expression("<=3", Dragonfly(2, 4, 2, 3)), BOTH_STEPS, 0)
    record = compact.header.compact
    assert record is not None
    assert record.balance is not None
    bad = record.balance.model_copy(update={"local_threshold": 0.5})
    header = compact.header.model_copy(
        update={"compact": record.model_copy(update={"balance": bad})}
    )
    write_table(replace(compact, header=header), tmp_path / "t.json")
    with pytest.raises(InvalidInput, match=r"local_threshold 0\.5"):
        read_table(tmp_path / "t.json")


def damaged(table: CompactTable, paths: PathRows) -> CompactTable:
    """Return the table with more paths taken out."""
    everything = np.ones(len(paths), dtype=bool)
    removed = np.concatenate([table.removed, paths.paths(everything)])
    return replace(table, removed=removed[np.lexsort(removed.T[::-1])])


def test_verify_finds_a_pair_that_lost_all_its_paths() -> None:
    # With h = 2 and 5 groups of 2 switches, some pairs have no path to begin with.
    topology = Dragonfly(2, 2, 2, 5)
    base = parse_expression("<=4", topology)
    _, compact = both_forms(base, BOTH_STEPS, 0)
    lost = base.rows(np.array([0], dtype=np.int32), np.array([2], dtype=np.int32))
    assert len(lost) > 0
    problems = verify(damaged(compact, lost)).problems
    assert any("a switch pair is missing (1 pairs), first 0 -> 2" in one for one in problems)


def test_verify_finds_removed_paths_inside_a_group() -> None:
    base = parse_expression("<=4", Dragonfly(2, 4, 2, 5))
    _, compact = both_forms(base, BOTH_STEPS, 0)
    inside = base.rows(np.array([0], dtype=np.int32), np.array([1], dtype=np.int32))
    problems = verify(damaged(compact, inside)).problems
    assert any("inside a group" in one for one in problems)


def test_verify_finds_a_sample_that_is_none() -> None:
    _, compact = both_forms(parse_expression("<=4", Dragonfly(2, 4, 2, 5)), BOTH_STEPS, 0)
    record = compact.header.compact
    assert record is not None
    header = compact.header.model_copy(
        update={"compact": record.model_copy(update={"sampled_pairs": 7})}
    )
    assert "7 sampled pairs, expected None" in verify(replace(compact, header=header)).problems[0]


def test_removed_paths_without_balancing_are_refused(tmp_path: Path) -> None:
    _, compact = both_forms(parse_expression("<=4", Dragonfly(2, 4, 2, 5)), None, 0)
    removed = np.array([[0, 4, 9, 1, 1]], dtype=np.int32)
    write_table(replace(compact, removed=removed), tmp_path / "t.json")
    with pytest.raises(InvalidInput, match="without balancing has no removed paths"):
        read_table(tmp_path / "t.json")


def test_switches_of_a_damaged_table_are_not_exported(tmp_path: Path) -> None:
    full, _ = both_forms(parse_expression("<=4", Dragonfly(2, 4, 2, 5)), None, 0)
    columns = replace(full.columns, intermediate=np.roll(full.columns.intermediate, 1))
    with pytest.raises(InvalidInput, match="see tvlb verify"):
        write_switch(Table(full.header, full.removed, columns), 3, tmp_path / "s.csv")
    assert list(tmp_path.iterdir()) == []


def test_one_switch_in_a_text_format_has_the_limit_of_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, compact = both_forms(parse_expression("<=4", Dragonfly(2, 4, 2, 5)), None, 0)
    monkeypatch.setattr("tvlb.table.formats.MAX_TEXT_ROWS", 10)
    with pytest.raises(InvalidInput, match="10"):
        write_switch(compact, 3, tmp_path / "s.csv")
    assert list(tmp_path.iterdir()) == []
    assert write_switch(compact, 3, tmp_path / "s.parquet") > 10
