"""`verify` passes good tables of every kind and names what is wrong with bad ones."""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim_bridge import Routing
from tvlb.documents import VERSION
from tvlb.errors import InvalidInput, VerificationFailed
from tvlb.paths import parse_expression
from tvlb.table import (
    Columns,
    CompactTable,
    Table,
    VcSettings,
    VerifyReport,
    pair_paths,
    verify,
)
from tvlb.topology import Dragonfly, ListedTopology

PAR = Routing("par")
EXPRESSIONS = [
    "all",
    "none",
    "<=2",
    "<=4",
    "<=3+10%",
    "<=5+90%",
    "<=4+(2,3)",
    "<=4+(3,2)",
    "short(2,3)",
    "short(3,2)",
    "short(<=4)",
    "short(all)",
    "shape(g.?)",
    "shape(g.g:8, g.gl:4, g.lg:4, g.lgl)",
    "shape(lg.g, g.gl:0.1) & <=3+10%",
    "shape(g.?) & short(2,3)",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
@pytest.mark.parametrize("groups", [3, 5, 9])
def test_every_expression_passes(
    expression: str, groups: int, make_table: Callable[..., Table]
) -> None:
    table = make_table(expression, Dragonfly(2, 4, 2, groups), seed=5)
    # won rises strictly with 4 VCs, with PAR's extra local hop 5 (Won et al., HPCA'15); one VC
    # per hop takes 6, and with PAR's extra hop 7.
    for scheme, routing, enough in (("won", None, 4), ("won", PAR, 5), ("per-hop", PAR, 7)):
        report = verify(table, VcSettings(scheme, enough, routing))
        report.raise_if_failed()
        assert report.ok
        assert report.vcs_needed is not None
        assert report.vcs_needed <= enough


# dfly(2,4,2,9) has 36 * 32 pairs between groups; a switch has two g.g paths, one by each of its
# cables, which end in different switches.
def test_pairs_with_the_nearest_shape_are_counted(
    make_table: Callable[..., Table], small: Dragonfly
) -> None:
    for expression in ("shape(g.g)", "shape(g.g) & <=4", "short(all) & shape(g.g)"):
        base = make_table(expression, small)
        compact = CompactTable.from_set(base.base_set, version="0.1.0")
        for table in (base, compact):
            report = verify(table)
            report.raise_if_failed()
            assert report.nearest_pairs == 36 * 32 - 36 * 2
    for expression in ("all", "none", "<=2", "shape(?.?)", "short(2,3)"):
        assert verify(make_table(expression, small)).nearest_pairs == 0


# What balancing removes changes nothing about the expression.
def test_removed_paths_leave_the_pairs_with_the_nearest_shape(
    make_table: Callable[..., Table], small: Dragonfly
) -> None:
    table = make_table("shape(g.lgl)", small)
    removed = np.diff(table.rows.pair_of_row, prepend=-1) == 0
    less = verify(make_table("shape(g.lgl)", small, removed=removed & (table.rows.hops > 2)))
    less.raise_if_failed()
    assert less.paths < len(table)
    assert less.nearest_pairs == verify(table).nearest_pairs
    assert less.nearest_pairs


def test_all_paths_use_all_vcs(make_table: Callable[..., Table], small: Dragonfly) -> None:
    table = make_table("all", small)
    assert verify(table).vcs_needed == 4
    assert verify(table, VcSettings(routing=PAR)).vcs_needed == 5
    assert verify(table, VcSettings("per-hop")).vcs_needed == 6
    assert verify(table, VcSettings("per-hop", routing=PAR)).vcs_needed == 7


def test_other_wirings_pass(make_table: Callable[..., Table]) -> None:
    for arrangement in ("palmtree", "relative", "circulant"):
        table = make_table("short(2,3)", Dragonfly(1, 4, 2, 5, arrangement))
        verify(table, VcSettings(routing=PAR)).raise_if_failed()
    # Three cables 0-1, two of them parallel; one and two elsewhere.
    cables = [[0, 3], [0, 3], [1, 4], [1, 6], [2, 7], [5, 8]]
    verify(make_table("all", Dragonfly.from_cables(1, 3, 2, 3, cables))).raise_if_failed()


def test_removed_paths_are_not_missing(make_table: Callable[..., Table], small: Dragonfly) -> None:
    rows = make_table("all", small).rows
    removed = (np.arange(len(rows)) % 3 == 0) & (rows.hops > 2)
    verify(make_table("all", small, removed=removed)).raise_if_failed()


def test_diversity_counts_choices_per_pair(
    make_table: Callable[..., Table], small: Dragonfly
) -> None:
    # all on dfly(2,4,2,9): k = 1, so each of 7 other groups has 4 intermediates and 1 first link.
    found = verify(make_table("all", small)).diversity
    assert found is not None
    assert found.pairs == 36 * 32
    assert (found.paths.minimum, found.paths.mean) == (28, 28.0)
    assert (found.first_links.minimum, found.first_links.mean) == (7, 7.0)
    assert (found.intermediates.minimum, found.intermediates.mean) == (28, 28.0)


Damage = Callable[[Table], dict[str, NDArray[Any]]]


def set_value(name: str, row: int, value: float) -> Damage:
    def damage(table: Table) -> dict[str, NDArray[Any]]:
        values = table.columns.arrays()[name].copy()
        values[row] = value
        return {name: values}

    return damage


def first_inter_group_row(table: Table) -> int:
    return int(np.flatnonzero(table.columns.first_link >= 0)[0])


# Row 0 is 0 -> 1 via 2, inside the group; row 6, after 3 pairs with 2 detours each, is the first
# row of 0 -> 4.
DAMAGES: list[tuple[Damage, str]] = [
    (set_value("src_switch", 0, 99), "a switch id is not in 0..35 .* row 0: 99 -> 1"),
    (set_value("dst_switch", 0, 0), "source and destination are the same switch .* row 0: 0 -> 0"),
    (set_value("dst_switch", 6, 2), "the row is out of order"),
    (set_value("intermediate", 6, 36), "does not exist .* row 6"),
    (set_value("first_link", 6, -2), "does not exist .* row 6"),
    (set_value("second_link", 6, 10**6), "does not exist .* row 6"),
    (set_value("intermediate", 6, 0), "in the source or destination group .* row 6"),
    (set_value("intermediate", 6, 4), "in the source or destination group .* row 6"),
    (set_value("intermediate", 0, 5), "no third switch of the group .* row 0"),
    (set_value("first_link", 0, 120), "inside a group has a global link .* row 0"),
    (set_value("first_link", 6, 0), "the first link is not a global link between .* row 6"),
    (set_value("first_link", 6, -1), "the first link is not a global link between .* row 6"),
    (set_value("second_link", 6, 110), "the second link is not a global link between .* row 6"),
    (set_value("hops", 6, 6), "hops do not match the path .* row 6"),
    (set_value("hops", 0, 3), "hops do not match the path .* row 0"),
    (set_value("hops", 0, -7), "hops do not match the path .* row 0"),
    (set_value("weight", 6, 0.0), "the weight is not positive .* row 6"),
    (set_value("weight", 6, -0.5), "the weight is not positive .* row 6"),
    (set_value("weight", 6, float("nan")), "the weight is not positive .* row 6"),
    (set_value("weight", 6, float("inf")), "do not sum to 1 .* 0 -> 4 with inf"),
    (set_value("weight", 0, 0.6), r"do not sum to 1 \(1 pairs\), first 0 -> 1 with 1.1"),
    (set_value("weight", 0, 0.6), "the weight is not the rule's .* row 0"),
]


@pytest.mark.parametrize(("damage", "complaint"), DAMAGES)
def test_damaged_rows_are_named(
    damage: Damage, complaint: str, table: Table, change: Callable[..., Table]
) -> None:
    assert first_inter_group_row(table) == 6
    report = verify(change(table, **damage(table)))
    assert any_matches(report, complaint)
    with pytest.raises(VerificationFailed, match=complaint):
        report.raise_if_failed()


def any_matches(report: VerifyReport, complaint: str) -> bool:
    with pytest.raises(VerificationFailed, match=complaint):
        report.raise_if_failed()
    return not report.ok and report.problem_count >= 1


def test_deadlock_is_not_judged_on_paths_that_are_none(
    table: Table, change: Callable[..., Table]
) -> None:
    report = verify(change(table, **set_value("hops", 6, 6)(table)))
    assert report.vcs_needed is None
    assert report.cycle == ()


def test_nearest_shapes_are_not_counted_in_rows_out_of_order(
    table: Table, change: Callable[..., Table]
) -> None:
    assert verify(change(table, **set_value("dst_switch", 6, 2)(table))).nearest_pairs is None


def rows_where(table: Table, positions: NDArray[np.integer]) -> Table:
    arrays = {name: values[positions] for name, values in table.columns.arrays().items()}
    return Table(table.header, table.removed, Columns(**arrays))


def test_a_pair_without_rows_is_missing(table: Table) -> None:
    columns = table.columns
    gone = (columns.src_switch == 17) & (columns.dst_switch == 3)
    report = verify(rows_where(table, np.flatnonzero(~gone)))
    assert any_matches(report, r"a switch pair is missing \(1 pairs\), first 17 -> 3")
    # The pair is named once, not every path of it again; the header's count is wrong as well.
    assert any_matches(report, "the header counts paths by hops")
    assert len(report.problems) == 3  # and the mean over pairs changes


def test_a_path_left_out_is_missing(table: Table) -> None:
    report = verify(rows_where(table, np.delete(np.arange(len(table)), 6)))
    assert any_matches(report, r"a path of the rule is missing \(1 rows\), first row 6: 0 -> 4")


def test_a_path_listed_twice_is_found(table: Table) -> None:
    report = verify(rows_where(table, np.insert(np.arange(len(table)), 6, 6)))
    assert any_matches(report, r"the path is listed twice \(1 rows\), first row 7: 0 -> 4")


def test_swapped_rows_are_out_of_order(table: Table) -> None:
    positions = np.arange(len(table))
    positions[[6, 7]] = [7, 6]
    assert any_matches(verify(rows_where(table, positions)), "the row is out of order")


def test_paths_that_the_rule_does_not_give_are_found(
    make_table: Callable[..., Table], small: Dragonfly
) -> None:
    table = make_table("all", small)
    claimed = make_table("<=5", small)
    report = verify(Table(claimed.header, claimed.removed, table.columns))
    six_hops = int(np.count_nonzero(table.columns.hops == 6))
    assert any_matches(report, rf"not one of <=5 less the removed ones \({six_hops} rows\)")


def test_removed_paths_must_come_from_the_rule_and_stay_out(table: Table) -> None:
    columns = table.columns
    still_there = np.array(
        [[0, 4, columns.intermediate[6], columns.first_link[6], columns.second_link[6]]],
        dtype=np.int32,
    )
    report = verify(Table(table.header, still_there, columns))
    assert any_matches(report, r"less the removed ones \(1 rows\), first row 6")
    for stranger in ([0, 4, 0, 0, 0], [0, 0, 1, 1, 1], [-5, 99, 1, 1, 1]):
        removed = np.array([stranger], dtype=np.int32)
        report = verify(Table(table.header, removed, columns))
        assert any_matches(report, "a removed path is not one of the rule")


def test_the_header_must_describe_the_table(table: Table) -> None:
    wrong = {
        "mean_vlb_hops": (4.0, "gives 4.0 mean VLB hops"),
        "paths_by_hops": ({2: 1}, "counts paths by hops {2: 1}"),
        "expression": ("short(3,2)", "not one of short"),
    }
    for entry, (value, complaint) in wrong.items():
        header = table.header.model_copy(update={entry: value})
        assert any_matches(verify(Table(header, table.removed, table.columns)), complaint)


def test_links_must_be_those_of_the_named_arrangement(make_table: Callable[..., Table]) -> None:
    cables = Dragonfly(2, 4, 2, 5, "palmtree").cables
    disguised = Dragonfly.from_cables(2, 4, 2, 5, cables, "absolute")
    report = verify(make_table("all", disguised))
    assert report.problems == ("the links of the header are not the absolute arrangement",)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(InvalidInput, match="choose one of won, per-hop"):
        VcSettings("dally")
    with pytest.raises(InvalidInput, match="VC count 0"):
        VcSettings(vc_count=0)


def test_the_report_counts_all_problems(table: Table, change: Callable[..., Table]) -> None:
    weight = table.columns.weight * 2
    report = verify(change(table, weight=weight))
    # Every pair sums to 2 and every weight differs from the rule; the mean hops double.
    assert report.problem_count == 36 * 35 + len(table) + 1
    with pytest.raises(VerificationFailed, match=f"^{report.problem_count} problems"):
        report.raise_if_failed()


@pytest.mark.parametrize("expression", ["all", "short(all)"])
def test_paths_that_are_min_paths_are_counted(expression: str) -> None:
    # A triangle with a tail: by switch 2 lead the MIN paths between the tail and the others.
    network = ListedTopology([1] * 4, [[[0, 1], [1, 2], [0, 2], [2, 3]]])
    path_set = parse_expression(expression, network)
    table = Table.from_rows(path_set, path_set.all_rows(), version=VERSION)
    paths = [
        path.switches for ends in permutations(range(4), 2) for path in pair_paths(table, *ends)
    ]
    expected = [(0, 2, 3), (1, 2, 3), (3, 2, 0), (3, 2, 1)]
    assert [one for one in paths if one in expected] == expected
    report = verify(table)
    assert report.minimal_paths == 4
    assert "as a MIN path: 4" in report.remarks()[0]
