"""Which network to buy: ranks by hand, and the reason in words."""

from typing import Any

import pytest

from tests.report.synthetic import families_sweep
from tests.report.test_report import Reader
from tvlb.report import report_html
from tvlb.report.points import points_of
from tvlb.report.ranking import Ranking, ranking

ROWS, DOCUMENTS = families_sweep()


def ranked(rows: list[dict[str, Any]]) -> Ranking:
    return ranking(points_of(rows))


def changed(**by_topology: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows with other figures, by family."""
    return [dict(row) | by_topology.get(str(row["topology"]).partition("(")[0], {}) for row in ROWS]


def test_designs_are_ranked_by_the_price_of_what_they_carry() -> None:
    found = ranked(changed())
    assert [one.topology for one in found.designs] == [
        "slimfly(3)",
        "dfly(2,4,2,5)",
        "dflyplus(2,2,2,5)",
        "hyperx(2,3,3)",
    ]
    first = found.designs[0]
    # 43,000 EUR for 54 nodes, 0.6, 0.5 and 0.4 packets/cycle/node.
    assert first.price == pytest.approx(43_000 / 54)
    assert first.asked == pytest.approx(43_000 / 54 / 0.5)
    assert found.unit == "EUR"
    for part in (
        "slimfly(3) with ugal-l asks 1,593 EUR for each packet/cycle that it accepts of common",
        "for 0.500 packets/cycle/node, the mean of uniform 0.600, random permutations 0.500, "
        "all-to-all 0.400.",
        "That is 4% less than the next of 4 designs, dfly(2,4,2,5) with ugal-l.",
        "Under the worst pattern that was simulated, permutation(seed=2), it accepts 0.300; no "
        "other design asks less",
        "Designs have 18 to 54 nodes, and small networks ask less for each",
    ):
        assert part in found.recommendation


def test_what_the_grid_of_loads_leaves_open_is_no_order() -> None:
    # The grid is 0.01: of 0.5 that is 2%.
    found = ranked(changed(dfly={"common_chosen": 0.6 * 1593 / 1600 * 1667 / 1593}))
    assert "Within the 2.0% that the grid of simulated loads leaves open, dfly(2,4,2,5) with" in (
        found.recommendation
    )


def test_another_design_for_the_worst_traffic_is_told() -> None:
    found = ranked(changed(hyperx={"worst_chosen": 1.0}))
    assert "there hyperx(2,3,3) with ugal-l asks less, 2,333 EUR for each packet/cycle instead" in (
        found.recommendation
    )


def test_ports_stand_for_prices_that_are_not_given() -> None:
    rows = [row | {"cost_per_node": None, "currency": None} for row in changed()]
    found = ranked(rows)
    # 2 * 45 + 54 ports for 54 nodes; 2 * 50 + 40 for 40; 2 * 30 + 20 for 20; 2 * 18 + 18 for 18.
    assert {one.topology: one.price for one in found.designs} == pytest.approx(
        {"slimfly(3)": 144 / 54, "dfly(2,4,2,5)": 3.5, "dflyplus(2,2,2,5)": 4.0, "hyperx(2,3,3)": 3}
    )
    assert found.unit == "ports"
    assert "The sweep has no prices, so ports of switches stand for them" in found.recommendation


def test_seeds_of_a_design_are_averaged() -> None:
    other = dict(ROWS[0]) | {"point": 9, "seed": 1, "common_chosen": 0.2, "uniform_chosen": 0.5}
    (design,) = ranked([dict(ROWS[0]), other]).designs
    assert design.carried["uniform"] == pytest.approx(0.7)
    assert design.carried["common"] == pytest.approx(0.4)
    assert "no other design to compare it with" in ranked([other]).recommendation


def test_designs_that_carry_nothing_are_last_and_rows_without_figures_in_no_rank() -> None:
    nothing = {"common_chosen": 0.0, "worst_chosen": 0.0}
    rows = changed(slimfly=nothing, hyperx={"common_chosen": None})
    assert [one.topology for one in ranked(rows).designs][-1] == "slimfly(3)"
    assert len(ranked(rows).designs) == 3
    assert ranked(changed(**dict.fromkeys(("dfly", "dflyplus", "hyperx", "slimfly"), nothing)))
    read = Reader(report_html("A sweep", rows, DOCUMENTS))
    assert " none " in " ".join(read.text.split())


def test_the_report_says_which_and_why() -> None:
    text = " ".join(Reader(report_html("A sweep", ROWS, DOCUMENTS)).text.split())
    assert "Recommended: slimfly(3) with ugal-l asks 1,593 EUR" in text
    assert "A sweep: sweep of networks" in text
    assert "compare families by common traffic" in text
    assert "which says nothing of which family carries more" in text
    assert "no groups" in text
    assert "1/p" not in text
    earlier = [{name: row[name] for name in row if "common" not in name} for row in ROWS]
    assert "Which network?" not in Reader(report_html("A sweep", earlier, DOCUMENTS)).text
