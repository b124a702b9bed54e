"""Optima of the model on Slim Flies, against an independent prototype."""

import pytest

from tests.slimfly_reference import Row, read_rows, solved

# Larger ones are checked by bench/slimfly_reference.py.
ROWS = [row for row in read_rows("theta") if row.q <= 5]


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_reference_optimum(row: Row) -> None:
    assert solved(row).theta == pytest.approx(float(row.value), abs=1e-5)


@pytest.mark.parametrize("row", ROWS[::6], ids=str)
def test_pulp_meets_the_reference(row: Row) -> None:
    assert solved(row, "pulp:HiGHS").theta == pytest.approx(float(row.value), abs=1e-5)


@pytest.mark.parametrize("row", ROWS[::2], ids=str)
def test_bounds_of_regret_matching_enclose_the_optimum(row: Row) -> None:
    result = solved(row, "rm+:0.001")
    assert result.theta_low - 1e-6 <= float(row.value) <= result.theta_up + 1e-6
