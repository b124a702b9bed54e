"""A table in numbers, and the paths of one pair in full."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from tvlb.errors import InvalidInput
from tvlb.table import CompactTable, Table, pair_paths, summarise, verify
from tvlb.topology import Dragonfly, Failures, parse_topology, without


def test_summary_is_plain_data(make_table: Callable[..., Table], small: Dragonfly) -> None:
    removed = np.zeros(36 * 3 * 2 + 36 * 32 * 28, dtype=bool)
    removed[6] = True  # a path of 0 -> 4, which keeps 27
    table = make_table("all", small, removed=removed)
    summary = summarise(table)
    assert json.loads(json.dumps(summary))["id"] == table.id
    assert summary["topology"] == "dfly(2,4,2,9)"
    assert summary["switch_pairs"] == 36 * 35
    assert summary["pairs_without_paths"] == 0
    assert summary["paths"] == len(removed) - 1
    assert summary["removed_by_balance"] == 1
    assert summary["weights"]["max"] == pytest.approx(0.5)  # the two detours inside a group
    assert summary["weights"]["min"] == pytest.approx(1 / 28)
    assert summary["weights"]["largest_sum_error"] < 1e-12
    assert summary["diversity"]["paths"] == {"min": 27, "mean": pytest.approx(28 - 1 / 1152)}


def test_switches_that_are_down_have_no_pairs(make_table: Callable[..., Table]) -> None:
    left = without(Dragonfly(2, 4, 2, 9), Failures(switches=(9,)))
    table = make_table("all", left)
    compact = CompactTable.from_set(table.base_set, version="0")
    summary = summarise(table)
    assert summarise(compact)["switch_pairs"] == summary["switch_pairs"] == 35 * 34
    assert summary["pairs_without_paths"] == 0
    # The 4 switches of the other 8 groups, in both directions.
    assert summary["diversity"]["pairs"] == 36 * 32 - 2 * 32
    assert summary["diversity"]["paths"]["min"] > 0


def test_rows_as_a_router_sees_them(
    make_table: Callable[..., Table], small: Dragonfly, change: Callable[..., Table]
) -> None:
    # One cable per group pair. Of the groups A and B of a pair and a third C, C is entered at x and
    # left at y. Its 4 switches give 4 paths: by x and by y the same switches if x != y; if x = y by
    # x, and by each of the 3 others from x and back. Each of the 9 groups C has 4 switches with 2
    # global links, so x = y for 8 ordered pairs of groups, 16 pairs of switches each.
    returning = 9 * 8 * 16
    table = make_table("all", small)
    summary, report = summarise(table), verify(table)
    assert summary["revisiting_paths"] == report.revisiting_paths == 3 * returning
    assert summary["repeating_paths"] == report.repeating_paths == 36 * 32 * 7 - returning
    compact = CompactTable.from_set(table.base_set, version="0")
    assert verify(compact).revisiting_paths == 3 * returning
    simple = verify(make_table("simple", small))
    assert (simple.paths, simple.revisiting_paths) == (len(table) - 3 * returning, 0)
    broken = change(table, first_link=table.columns.second_link)
    assert summarise(broken)["revisiting_paths"] is None
    assert verify(broken).repeating_paths is None


def test_min_only_summary(make_table: Callable[..., Table], small: Dragonfly) -> None:
    summary = summarise(make_table("none", small))
    assert summary["pairs_without_paths"] == 36 * 35
    assert summary["weights"] == {"min": None, "max": None, "largest_sum_error": 0.0}
    assert summary["mean_vlb_hops"] is None


def test_paths_of_a_pair_are_walks(table: Table, small: Dragonfly) -> None:
    paths = pair_paths(table, 0, 8)
    # The 10 intermediates within 2 hops of switch 0, each reached and left one shortest way.
    assert [path.intermediate for path in paths] == [4, 5, 6, 7, 12, 16, 20, 24, 28, 32]
    assert sum(path.weight for path in paths) == pytest.approx(1)
    for path in paths:
        assert (path.switches[0], path.switches[-1]) == (0, 8)
        assert path.intermediate in path.switches
        assert len(path.links) == len(path.kinds) == path.hops
        assert path.kinds.count("global") == 2
        steps = zip(path.switches, path.switches[1:], path.links, strict=False)
        for source, target, link in steps:
            assert small.network.link_source[link] == source
            assert small.network.link_target[link] == target


def test_paths_inside_a_group_have_no_global_links(table: Table) -> None:
    for path in pair_paths(table, 0, 1):
        assert (path.first_link, path.second_link) == (-1, -1)
        assert path.kinds == ("local", "local")


@pytest.mark.parametrize(("source", "target"), [(0, 36), (-1, 3), (5, 5)])
def test_pairs_that_do_not_exist_are_refused(source: int, target: int, table: Table) -> None:
    with pytest.raises(InvalidInput, match="switch"):
        pair_paths(table, source, target)


@pytest.mark.parametrize(("source", "target"), [(0, 10), (10, 0)])
def test_pairs_with_a_switch_that_paths_only_pass_are_refused(
    source: int, target: int, make_table: Callable[..., Table]
) -> None:
    table = make_table("all", parse_topology("dflyplus(2,2,2,5)"))
    with pytest.raises(InvalidInput, match="switch 10 has no nodes"):
        pair_paths(table, source, target)
