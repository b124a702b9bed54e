"""Tables of candidates as they are, balanced by removal, and balanced by weights."""

import numpy as np
import pytest

from tests.search.here import units_here
from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.errors import InvalidInput
from tvlb.paths import PathSet, parse_expression
from tvlb.search import Candidate
from tvlb.search.preparation import prepare
from tvlb.search.tables import compact_table_of, table_of
from tvlb.table import CompactTable, Table, verify
from tvlb.topology import Dragonfly

TOPOLOGY = Dragonfly(2, 4, 2, 5)
SEED = 5
FORMS = [None, BalanceOptions(local_threshold=1.1, floor_paths=1), WeightOptions(rounds=5)]
EXPRESSIONS = ["all", "<=4+60%", "short(2,3)", "shape(g.?:2, lg.g)", "shape(g.?) & <=4+60%"]

by_form = pytest.mark.parametrize("form", FORMS, ids=["as it is", "by removal", "by weights"])
by_expression = pytest.mark.parametrize("expression", EXPRESSIONS)


def candidate(expression: str, form: BalanceOptions | WeightOptions | None) -> Candidate:
    units = units_here()
    (found,) = prepare(TOPOLOGY, [expression], form, seed=SEED, units=units, report=lambda _: None)
    return found if form is None else found.named_by_form()


@by_form
@by_expression
def test_a_table_holds_what_was_simulated(
    expression: str, form: BalanceOptions | WeightOptions | None
) -> None:
    found = candidate(expression, form)
    table = table_of(TOPOLOGY, found, SEED)
    assert isinstance(table, Table)
    assert verify(table).ok
    assert (table.header.expression, table.header.seed) == (found.expression, SEED)
    assert table.header.mean_vlb_hops == pytest.approx(found.mean_hops)
    rows, simulated = table.path_set("table").all_rows(), found.path_set.all_rows()
    for name in ("offset", "intermediate", "first_link", "second_link"):
        assert getattr(rows, name).tolist() == getattr(simulated, name).tolist()
    assert rows.weight == pytest.approx(simulated.weight, abs=1e-6)
    assert table.id == table_of(TOPOLOGY, found, SEED).id


@by_expression
def test_the_three_forms_differ(expression: str) -> None:
    plain, removed, weighted = (candidate(expression, form) for form in FORMS)
    names = [one.name for one in (plain, removed, weighted)]
    assert names == [expression, f"{expression}, by removal", f"{expression}, by weights"]
    tables = [table_of(TOPOLOGY, one, SEED) for one in (plain, removed, weighted)]
    assert len({one.id for one in tables}) == 3
    report = removed.balance_report
    assert report is not None
    assert isinstance(tables[1], Table)
    assert len(tables[1].removed) == report.removed > 0
    weights = [table.header.weights is not None for table in tables]
    assert weights == [False, False, True]


@pytest.mark.parametrize("form", FORMS[:2], ids=["as it is", "by removal"])
@by_expression
def test_compact_tables_expand_to_the_listed_ones(
    expression: str, form: BalanceOptions | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = candidate(expression, form)
    listed = table_of(TOPOLOGY, found, SEED)
    compact = compact_table_of(TOPOLOGY, found, SEED)
    assert compact.expanded().id == listed.id
    assert verify(compact).ok

    def never(_: PathSet) -> bool:
        return False

    # Where all paths are too many, that is the table.
    monkeypatch.setattr("tvlb.search.tables.is_listable", never)
    large = table_of(TOPOLOGY, found, SEED)
    assert isinstance(large, CompactTable)
    assert large.id == compact.id


@by_expression
def test_weights_have_no_compact_form(expression: str) -> None:
    with pytest.raises(InvalidInput, match="there is no compact form of it"):
        compact_table_of(TOPOLOGY, candidate(expression, FORMS[2]), SEED)


def test_a_candidate_is_of_the_seed_that_its_paths_are_drawn_with() -> None:
    drawn = candidate("<=4+60%", None)
    other = parse_expression("<=4+60%", TOPOLOGY, SEED + 1)
    assert drawn.seed == drawn.named_set.seed == SEED
    assert not np.array_equal(drawn.path_set.all_rows().intermediate, other.all_rows().intermediate)
