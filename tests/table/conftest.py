"""Small tables that the tests of this folder share."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tvlb.paths import parse_expression
from tvlb.table import Table
from tvlb.topology import Dragonfly, Topology

MakeTable = Callable[..., Table]
ChangeColumns = Callable[..., Table]


@pytest.fixture(scope="session")
def small() -> Dragonfly:
    """36 switches, one cable per group pair."""
    return Dragonfly(2, 4, 2, 9)


@pytest.fixture(scope="session")
def make_table() -> MakeTable:
    """Make the table of an expression, less the rows of a mask."""

    def make(
        expression: str,
        topology: Topology,
        seed: int = 0,
        removed: NDArray[np.bool_] | None = None,
    ) -> Table:
        base_set = parse_expression(expression, topology, seed)
        rows = base_set.all_rows()
        kept = rows if removed is None else rows.select(~removed)
        return Table.from_rows(base_set, kept, removed, seed=seed, version="0.1.0")

    return make


@pytest.fixture(scope="session")
def table(make_table: MakeTable, small: Dragonfly) -> Table:
    """The table of the strategic choice that the T-UGAL paper ends with."""
    return make_table("short(2,3)", small)


@pytest.fixture(scope="session")
def tiny(make_table: MakeTable) -> Table:
    """A table of a few hundred rows for tests that write many files."""
    return make_table("<=4+60%", Dragonfly(2, 4, 2, 3))


@pytest.fixture(scope="session")
def change() -> ChangeColumns:
    """Return a table with some columns replaced, the header as it was."""

    def change_columns(table: Table, **columns: NDArray[Any]) -> Table:
        return Table(table.header, table.removed, replace(table.columns, **columns))

    return change_columns
