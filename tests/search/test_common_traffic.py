"""Traffic that means the same on every network: patterns, figures by hand, and the chosen set."""

import threading
from dataclasses import asdict
from typing import Any

import pytest

from tests.search.here import Inline, Memory
from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.paths import UgalRule
from tvlb.processes import UnitCache
from tvlb.processes.units import Units
from tvlb.search import CommonTraffic, SearchOptions, Windows, measure_common
from tvlb.search.common_traffic import common_patterns
from tvlb.search.preparation import BalanceUnit
from tvlb.search.simulation_units import SaturationUnit
from tvlb.topology import Dragonfly, HyperX
from tvlb.traffic import NodeShift, Pattern, Permutation, Uniform

SHORT = Windows(100, 100, 0.1)
OPTIONS = SearchOptions(screening=SHORT, confirmation=SHORT, seed=5)
NETWORK = Dragonfly(1, 2, 1, 3)


def document(name: str, path_set: str, balancing: str | None, **rule: Any) -> dict[str, Any]:
    one = {"expression": name, "path_set": path_set, "balancing": balancing, **rule}
    return {"decision": {"expression": name, "replaces_all": True}, "candidates": [one]}


def measured(asked: dict[str, Any]) -> tuple[tuple[CommonTraffic, CommonTraffic], list[Any]]:
    executor = Inline()
    units = Units(UnitCache(executor, Memory()), threading.Event())
    return measure_common(NETWORK, OPTIONS, asked, units), executor.computed


def test_networks_of_as_many_nodes_are_given_the_same() -> None:
    patterns = [
        list(map(str, common_patterns(one))) for one in (HyperX(2, 3, 3), Dragonfly(1, 3, 2, 6))
    ]
    assert patterns[0] == patterns[1]
    assert patterns[0][:3] == ["uniform(others)", "permutation(seed=1)", "permutation(seed=2)"]
    assert all(
        1 <= one.shift < 18
        for one in common_patterns(HyperX(2, 3, 3))[3:]
        if isinstance(one, NodeShift)
    )


def test_an_exchange_takes_as_long_as_its_rounds() -> None:
    loads: dict[Pattern, float] = {
        Uniform("others"): 0.9,
        Permutation(seed=1): 0.4,
        Permutation(seed=2): 0.6,
        NodeShift(1): 1.0,
        NodeShift(5): 0.5,
        NodeShift(7): 0.25,
    }
    found = CommonTraffic.of(loads)
    # Rounds of 1, 2 and 4 take 7 together: 3/7.
    assert (found.uniform, found.permutation) == (0.9, 0.5)
    assert found.all_to_all == pytest.approx(3 / 7)
    assert found.mean == pytest.approx((0.9 + 0.5 + 3 / 7) / 3)
    assert (found.least, found.least_pattern) == (0.25, "node-shift(7)")


@pytest.mark.parametrize(
    ("balancing", "settings"),
    [(None, None), ("removal", BalanceOptions()), ("weights", WeightOptions())],
)
def test_the_chosen_set_is_simulated_as_it_was_balanced(
    balancing: str | None, settings: BalanceOptions | WeightOptions | None
) -> None:
    _, computed = measured(document("a name", "<=3", balancing))
    simulated = [unit.recipe.named_set for unit in computed if isinstance(unit, SaturationUnit)]
    half = len(simulated) // 2
    assert {(one.expression, one.balancing) for one in simulated[:half]} == {("all", None)}
    assert {(one.expression, one.balancing, one.seed) for one in simulated[half:]} == {
        ("<=3", settings, 5)
    }
    assert sum(isinstance(unit, BalanceUnit) for unit in computed) == (settings is not None)


def test_the_chosen_set_is_simulated_by_its_rule() -> None:
    rule = UgalRule(queue="vc", threshold=8)
    _, computed = measured(document("a name", "<=3", None, ugal=asdict(rule)))
    simulated = [unit.recipe.named_set for unit in computed if isinstance(unit, SaturationUnit)]
    half = len(simulated) // 2
    assert {one.ugal for one in simulated[:half]} == {None}
    assert {(one.expression, one.ugal) for one in simulated[half:]} == {("<=3", rule)}


def test_a_set_that_was_kept_is_simulated_once() -> None:
    asked = {"expression": "all", "replaces_all": False}
    kept: dict[str, Any] = {"decision": asked, "candidates": []}
    (chosen, usual), computed = measured(kept)
    assert chosen is usual
    assert len(computed) == len(common_patterns(NETWORK))
