"""Settings of a search: which belong to which method, and what they are by default."""

import pickle
from dataclasses import fields, replace
from typing import Any

import pytest

from sim_bridge import SimulationConfig
from tvlb.balance import BalanceOptions
from tvlb.errors import InvalidInput
from tvlb.search import (
    PAPER,
    SCREENING,
    Aim,
    SearchOptions,
    Windows,
    check_compact,
    check_request,
)
from tvlb.topology import Dragonfly

SEARCH = SearchOptions()
BY_PAPER = SearchOptions(method="paper")
TOPOLOGY = Dragonfly(2, 4, 2, 5)

# Another value of every setting, and the methods that it means something for.
BOTH = {"search", "paper"}
OTHERS: dict[str, tuple[object, set[str]]] = {
    "routing": ("par", BOTH),
    "search": ("rule", {"search"}),
    "judge": ("iq,vct", {"search"}),
    "objective": ("front", {"search"}),
    "budget": ("small", {"search"}),
    "traffic": (("uniform",), {"search"}),
    "patterns": ("3", BOTH),
    "tolerance": (0.1, BOTH),
    "balancing": (None, BOTH),
    "loop_free": (True, BOTH),
    "config": (SEARCH.config, BOTH),
    "screening": (Windows(1, 1, 0.1), BOTH),
    "confirmation": (Windows(1, 1, 0.1), BOTH),
    "finalists": (1, {"paper"}),
    "data_points": (1, BOTH),
    "simulated_patterns": (3, BOTH),
    "seed": (1, BOTH),
    "workers": (1, BOTH),
}


def test_every_setting_is_for_the_methods_that_it_means_something_for() -> None:
    assert OTHERS.keys() | {"method"} == {field.name for field in fields(SearchOptions)}
    for name, (value, methods) in OTHERS.items():
        for method, options in (("search", SEARCH), ("paper", BY_PAPER)):
            if method in methods:
                assert getattr(replace(options, **{name: value}), name) == value
            else:
                with pytest.raises(InvalidInput, match=f"{name} .*no meaning for method {method}"):
                    replace(options, **{name: value})


@pytest.mark.parametrize(
    "given", [{"balancing": None}, {"data_points": 1}, {"loop_free": True}, {"tolerance": 0.1}]
)
def test_settings_of_path_sets_are_refused_where_the_rule_alone_is_searched(
    given: dict[str, Any],
) -> None:
    (name,) = given
    said = f"{name.replace('balancing', 'balance')} has no meaning for search rule"
    with pytest.raises(InvalidInput, match=said):
        replace(SEARCH, search="rule", **given)


def test_what_is_never_balanced_has_a_compact_form() -> None:
    check_compact(replace(SEARCH, search="rule"))
    with pytest.raises(InvalidInput, match="no compact form"):
        check_compact(SEARCH)


def test_type2_patterns_are_not_counted_where_traffic_is_named() -> None:
    with pytest.raises(InvalidInput, match=r"simulated_patterns 3 .* search with traffic"):
        replace(SEARCH, traffic=("uniform",), simulated_patterns=3)


def test_defaults_are_those_of_the_method() -> None:
    long = Windows(2_000, 2_000, 0.01)
    assert (SEARCH.screening_windows, SEARCH.confirmation_windows) == (long, long)
    assert (BY_PAPER.screening_windows, BY_PAPER.confirmation_windows) == (SCREENING, PAPER)
    counts = [
        (one.finalist_count, one.most_data_points, one.pattern_count) for one in (SEARCH, BY_PAPER)
    ]
    assert counts == [(2, 3, 2), (2, 8, 5)]
    given = replace(BY_PAPER, finalists=3, data_points=4, simulated_patterns=2)
    assert (given.finalist_count, given.most_data_points, given.pattern_count) == (3, 4, 2)


@pytest.mark.parametrize(
    "options",
    [
        SEARCH,
        BY_PAPER,
        replace(SEARCH, traffic=("shift( 1,0 ):2", "uniform"), objective="latency@0.20"),
        replace(SEARCH, screening=SCREENING, data_points=5, budget="0"),
        replace(SEARCH, search="rule", patterns="1"),
    ],
    ids=["search", "paper", "traffic", "given", "rule"],
)
def test_what_is_recorded_asks_for_the_same(options: SearchOptions) -> None:
    found = options.resolved()
    assert found.resolved() == found
    for name in ("screening_windows", "confirmation_windows", "most_data_points", "pattern_count"):
        assert getattr(found, name) == getattr(options, name)
    assert (found.aim, found.workload) == (options.aim, options.workload)
    assert (found.finalists is None) == (options.method == "search")
    assert (found.simulated_patterns is None) == bool(options.traffic)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("method", "guess", "choose one of search, paper"),
        ("objective", "speed", "expected saturation"),
        ("traffic", ("speed",), "speed"),
        ("routing", "vlb", "routing 'vlb': choose one of ugal-l, ugal-g, par"),
        ("tolerance", 1.0, "tolerance 1.0 is out of range: 0 to below 1"),
        ("finalists", 0, "finalists 0 is out of range: 1..100"),
        ("data_points", 32, "data_points 32 is out of range: 1..31"),
        ("simulated_patterns", 1, "simulated_patterns 1 is out of range: 2..5"),
        ("workers", 0, "workers 0 is out of range"),
        ("seed", -1, "seed -1"),
    ],
)
def test_values_out_of_range_are_refused(name: str, value: object, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        replace(SEARCH, **{name: value})
    with pytest.raises(InvalidInput):
        replace(BY_PAPER, **{name: value})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (replace(SEARCH, budget="much"), "budget 'much'"),
        (replace(SEARCH, traffic=("shift(5,0)",)), "group shift 5 is out of range"),
        (replace(SEARCH, patterns="0"), "patterns"),
    ],
)
def test_what_does_not_fit_the_network_is_refused_before_any_work(
    options: SearchOptions, said: str
) -> None:
    check_request(TOPOLOGY, replace(SEARCH, traffic=("shift(4,3)",)))
    with pytest.raises(InvalidInput, match=said):
        check_request(TOPOLOGY, options)


def test_uniform_traffic_between_too_many_switches_is_refused_before_any_work() -> None:
    # 72 groups of 72 switches; their pairs are few enough for Algorithm 1 and for adversaries.
    large = Dragonfly(1, 72, 1, 72, "palmtree")
    check_request(large, BY_PAPER)
    check_request(large, replace(SEARCH, traffic=("shift(1,0)", "type2(seed=1)")))
    for options in (SEARCH, replace(SEARCH, traffic=("shift(1,0)", "tmixed(50,50,shift(1,0))"))):
        with pytest.raises(InvalidInput, match="the limit is 5000 switches"):
            check_request(large, options)


def test_settings_travel_with_what_was_parsed() -> None:
    options = replace(SEARCH, objective="latency@0.3", traffic=("uniform", "shift(1,0)"))
    copy = pickle.loads(pickle.dumps(options))
    assert copy == options
    assert copy.aim.aim is Aim.LATENCY
    assert copy.workload == options.workload
    assert SEARCH.balancing == BalanceOptions()


def test_a_rule_that_is_given_is_another_one_too() -> None:
    by_vc = SimulationConfig(queue="vc")
    assert SearchOptions().has_other_rules
    assert SearchOptions(search="paths", config=by_vc).has_other_rules
    assert not SearchOptions(search="paths").has_other_rules
    assert not SearchOptions(search="paths", config=SimulationConfig(queue="port")).has_other_rules
