"""Tables whose draw weights are not those of the expression: balanced by weights, or listed."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim_bridge import Routing
from tvlb.balance import BalanceOptions, KeptSet, WeightOptions, balance, balance_weights, reweight
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.paths import parse_expression
from tvlb.table import (
    TABLE_SUFFIXES,
    CompactTable,
    Table,
    TableWeights,
    VcSettings,
    parse_path_set,
    read_stream,
    read_table,
    summarise,
    verify,
    write_stream,
    write_table,
)
from tvlb.topology import Dragonfly

FIVE_GROUPS = Dragonfly(2, 4, 2, 5)
OPTIONS = WeightOptions(rounds=12, step=0.4, floor=1 / 32)
ChangeColumns = Callable[..., Table]


def balanced(expression: str = "short(2,3)") -> Table:
    base = parse_expression(expression, FIVE_GROUPS, seed=5)
    rows = balance_weights(base, OPTIONS).path_set.all_rows()
    return Table.from_rows(base, rows, weights=OPTIONS, seed=5, version="0.1.0")


def listed(expression: str = "short(2,3)") -> Table:
    """Weights that no rule gives."""
    base = parse_expression(expression, FIVE_GROUPS, seed=5)
    rows = base.all_rows()
    drawn = rows.weight * np.random.default_rng(1).uniform(0.5, 2.0, len(rows))
    total = np.bincount(rows.pair_of_row, weights=drawn)
    rows = rows.with_weights(drawn / total[rows.pair_of_row])
    return Table.from_rows(base, rows, weights="listed", seed=5, version="0.1.0")


def tampered(table: Table, change: ChangeColumns, amount: float = 1e-6) -> Table:
    """Shift weight between two paths of one pair, so that their sum stays."""
    weight = table.columns.weight.copy()
    pair = int(np.argmax(np.diff(table.rows.offset) > 2))
    first = int(table.rows.offset[pair])
    weight[first : first + 2] += [amount, -amount]
    return change(table, weight=weight)


@pytest.mark.parametrize("expression", ["<=4", "<=4+60%", "short(2,3)", "shape(g.?)", "none"])
def test_a_table_balanced_by_weights_verifies(expression: str) -> None:
    table = balanced(expression)
    report = verify(table, VcSettings(routing=Routing("par")))
    report.raise_if_failed()
    assert not report.listed_weights
    assert table.weights == OPTIONS
    assert summarise(table)["weights_from"] == "balancing"
    assert len(table.removed) == 0


@pytest.mark.parametrize("suffix", TABLE_SUFFIXES)
@pytest.mark.parametrize("table", [balanced(), listed()], ids=["balanced", "listed"])
def test_files_say_where_the_weights_come_from(table: Table, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"t{suffix}"
    write_table(table, path)
    found = read_table(path)
    assert isinstance(found, Table)
    assert found.id == table.id
    assert found.weights == table.weights
    assert found.columns.weight.tobytes() == table.columns.weight.tobytes()
    loaded = parse_path_set(str(path), FIVE_GROUPS)
    assert loaded.all_rows().weight.tobytes() == table.columns.weight.tobytes()


def test_the_id_depends_on_where_the_weights_come_from() -> None:
    base = parse_expression("all", FIVE_GROUPS)  # even as it is: the same rows in each table
    sources: list[TableWeights | None] = [None, "listed", OPTIONS, WeightOptions()]
    tables = [
        Table.from_rows(base, base.all_rows(), weights=source, version="0.1.0")
        for source in sources
    ]
    assert len({table.id for table in tables}) == len(sources)
    for table in tables:
        verify(table).raise_if_failed()


def test_tables_without_the_entry_are_what_they_were() -> None:
    base = parse_expression("<=4", Dragonfly(2, 4, 2, 9), seed=5)
    table = Table.from_rows(base, base.all_rows(), seed=5, version="0.1.0")
    assert "weights" not in table.header.entries()
    assert table.weights is None
    assert summarise(table)["weights_from"] == "expression"
    # The id that version 0.1.0 gave it, before there were other weights.
    assert table.id == "2c99cab957fafe29fc386c670103760a77c8d3430dbc6d5c88d74d5a0d9a0c0c"


def test_a_tampered_weight_is_found(change: ChangeColumns) -> None:
    report = verify(tampered(balanced(), change))
    (weights,) = (text for text in report.problems if "weight" in text)
    assert weights.startswith("the weight is not the rule's (2 rows), first row ")


def test_weights_of_other_settings_or_of_none_are_found(change: ChangeColumns) -> None:
    table = balanced()
    as_expressed = table.base_set.all_rows().weight
    for wrong in (
        change(table, weight=as_expressed),
        change(table, weight=reweight(table.base_set.all_rows(), WeightOptions()).weight),
        Table(table.header.model_copy(update={"weights": None}), table.removed, table.columns),
    ):
        assert any("the weight is not the rule's" in text for text in verify(wrong).problems)


def test_weights_may_be_balanced_after_paths_were_removed() -> None:
    base = parse_expression("short(2,3)", FIVE_GROUPS)
    kept = balance(base, BalanceOptions(1.5)).path_set
    assert isinstance(kept, KeptSet)
    rows = balance_weights(kept, OPTIONS).path_set.all_rows()
    table = Table.from_rows(base, rows, ~kept.keep, weights=OPTIONS, version="0.1.0")
    assert len(table.removed) > 0
    verify(table).raise_if_failed()


def test_listed_weights_may_be_any_that_are_positive_and_sum_to_1(change: ChangeColumns) -> None:
    table = listed()
    assert table.weights == "listed"
    assert summarise(table)["weights_from"] == "listed"
    for good in (table, tampered(table, change, 1e-12)):
        report = verify(good)
        report.raise_if_failed()
        assert report.listed_weights
    weight = table.columns.weight
    assert any("is not positive" in text for text in verify(change(table, weight=-weight)).problems)
    assert any(
        "do not sum to 1" in text for text in verify(change(table, weight=weight / 2)).problems
    )


def test_listed_paths_must_be_those_of_the_expression() -> None:
    table = listed("<=4")
    for expression, complaint in (("<=3", "not one of <=3"), ("<=5", "of the rule is missing")):
        header = table.header.model_copy(update={"expression": expression})
        report = verify(Table(header, table.removed, table.columns))
        assert any(complaint in text for text in report.problems)


def test_verify_tells_people_of_listed_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    write_table(listed(), path)
    assert main(["verify", str(path)]) == 0
    assert "weights: listed, not derived from a rule" in capsys.readouterr().out
    assert main(["verify", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["listed_weights"] is True


GOOD = {"rounds": 30, "step": 0.5, "floor": 0.25}
MALFORMED: list[tuple[Any, str]] = [
    (GOOD | {"rounds": 0}, "rounds 0 is out of range"),
    (GOOD | {"step": -1.0}, "step -1.0 is out of range"),
    (GOOD | {"floor": 2.0}, "floor 2.0 is out of range"),
    (GOOD | {"rounds": 1.5}, "table header, weights"),
    (GOOD | {"step": "0.5"}, "table header, weights"),
    (GOOD | {"seed": 1}, "table header, weights"),
    ({"rounds": 30, "step": 0.5}, "table header, weights"),
    ("found", "table header, weights"),
    (5, "table header, weights"),
    ([], "table header, weights"),
]


@pytest.mark.parametrize(("entry", "complaint"), MALFORMED)
def test_malformed_entries_are_refused(entry: object, complaint: str) -> None:
    document = _document(balanced())
    document["header"]["weights"] = entry
    with pytest.raises(InvalidInput, match=complaint):
        _read(document)


def test_compact_tables_have_no_such_weights() -> None:
    base = parse_expression("<=4", FIVE_GROUPS)
    with pytest.raises(InvalidInput, match=r"<=4 balanced by weights .* write the full form"):
        CompactTable.from_set(balance_weights(base).path_set, version="0.1.0")
    for entry in (GOOD, "listed"):
        document = _document(CompactTable.from_set(base, version="0.1.0"))
        document["header"]["weights"] = entry
        with pytest.raises(InvalidInput, match="no weights but those of its expression"):
            _read(document)


def _document(table: Table | CompactTable) -> dict[str, Any]:
    stream = io.BytesIO()
    write_stream(table, ".json", stream)
    return json.loads(stream.getvalue())


def _read(document: dict[str, Any]) -> None:
    read_stream(".json", io.BytesIO(json.dumps(document).encode()))
