"""Trials: which runs are made, in which order their figures come back, and what they are worth."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim_bridge import Routing, SimulationConfig
from tests.search.modelled import FLIT_HOPS, Modelled, lucky
from tvlb.paths import PUBLISHED_RULE, parse_expression
from tvlb.search import NamedSet, Windows, Work, parse_objective
from tvlb.search.simulation_units import Recipe, RunFigures, RunUnit, SaturationUnit
from tvlb.search.trials import LOOK_WITH_RULES, USUAL_LOOK, Figures, Loads, Trials, find_loads
from tvlb.search.workload import Workload
from tvlb.topology import Dragonfly
from tvlb.traffic import Pattern, Permutation, Shift, Type2, Uniform

TOPOLOGY = Dragonfly(2, 4, 2, 5)
NAMES = ("all", "<=4", "short(2,3)")
NAMED_SETS = [NamedSet(name, name, parse_expression(name, TOPOLOGY), 0) for name in NAMES]
TRAFFIC = Workload((Shift(1, 0), Type2(0), Uniform(), Permutation(seed=1)), (0.4, 0.2, 0.2, 0.2))
LOADS = [Loads(0.1 * number, 0.2 + 0.1 * number, 0.3 + 0.1 * number) for number in range(1, 5)]
CONFIG = SimulationConfig(buffer_flits=16, stop_when_saturated=True)


def distinct(unit: RunUnit) -> RunFigures:
    """Figures that no other run has."""
    parts = (unit.recipe.named_set.name, str(unit.recipe.pattern), unit.load)
    latency, accepted, least = (2 + lucky(one, *parts) for one in ("latency", "accepted", "least"))
    return RunFigures(latency, accepted, least, saturated=False, work=Work(0, 1, 2))


def no_saturation(_: SaturationUnit) -> float:
    raise AssertionError("trials search for no saturation")


def trials(units: Modelled, workload: Workload = TRAFFIC) -> Trials:
    return Trials("par", CONFIG, workload, Windows(300, 500, 0.01), LOADS, USUAL_LOOK, 17, units)


def test_every_pattern_is_simulated_at_both_its_loads() -> None:
    units = Modelled(distinct, no_saturation)
    found = trials(units).measure(NAMED_SETS)
    assert len(found) == 3
    runs = iter(units.simulated)
    for named_set, figures in zip(NAMED_SETS, found, strict=True):
        for index, pattern in enumerate(TRAFFIC.patterns):
            beyond, low = next(runs), next(runs)
            assert isinstance(low, RunUnit)
            assert isinstance(beyond, RunUnit)
            assert low.recipe == beyond.recipe == Recipe(named_set, "par", pattern, 17)
            assert (low.load, beyond.load) == (LOADS[index].low, LOADS[index].beyond)
            config = replace(
                CONFIG, warmup_cycles=300, measured_cycles=500, stop_when_saturated=False
            )
            config = config.ruled(PUBLISHED_RULE, Routing("par"))
            assert low.config == config
            # Accepted is what arrives in the window.
            assert beyond.config == replace(config, drain_limit_cycles=0)
            assert figures.latency[index] == distinct(low).latency
            assert figures.accepted[index] == distinct(beyond).accepted
            assert figures.least_served[index] == distinct(beyond).least_served
    assert next(runs, None) is None


def test_with_a_grid_saturation_loads_are_searched_for_where_rules_may_gain() -> None:
    loads = [*LOADS[:3], replace(LOADS[3], beyond=LOADS[3].saturation)]
    units = Modelled(distinct, lambda unit: 0.0 if unit.recipe.pattern == Uniform() else 0.43)
    measuring = Trials(
        "par", CONFIG, TRAFFIC, Windows(300, 500, 0.01), loads, LOOK_WITH_RULES, 17, units, 0.01
    )
    known = figures([50.0, 60.0], [0.36, 1.2])
    ruled = replace(NAMED_SETS[1], ugal=replace(PUBLISHED_RULE, threshold=8))
    for first, *again in (NAMED_SETS, (ruled, ruled)):
        del units.simulated[:]
        measuring.measure([first], known=known)
        measuring.measure(again[:1], known=known)
        guesses = [one.guess for one in units.simulated if isinstance(one, SaturationUnit)]
        # Another loses as much of what it accepts; before that nothing is known of rules.
        begun = [0.36, 1.0] if first.ugal else [LOADS[0].saturation, LOADS[1].saturation]
        assert guesses == pytest.approx([*begun, 0.6 / 1.15, 0.43, 0.43, 0.6 / 1.15])
    del units.simulated[:]
    (found,) = measuring.measure(NAMED_SETS[:1], known=known)
    assert found.accepted[:3].tolist() == [0.43, 0.43, 0.005]
    assert np.isnan(found.least_served[:3]).all()
    runs = units.simulated[::2]
    searched = [one for one in runs if isinstance(one, SaturationUnit)]
    assert runs[:3] == searched
    assert [one.guess for one in searched] == pytest.approx([0.43, 0.43, 0.6 / 1.15])
    assert {(one.grid, one.config.measured_cycles) for one in searched} == {(0.01, 500)}
    # Where nothing is gained beyond what the reference sustains, a run at that load tells.
    (beyond,) = (one for one in runs if isinstance(one, RunUnit))
    assert beyond.load == LOADS[3].saturation
    assert found.accepted[3] == distinct(beyond).accepted
    # A loss of a step is none: of 1 in 43 that is more than 2%.
    aim = parse_objective("saturation")
    for loss, cost in ((0.01, 0.0), (0.03, math.log(0.42 / 0.4))):
        accepted = np.array([0.43 - loss, *found.accepted[1:]])
        throughput = 0.4 * 0.75 * math.log(1 - loss / 0.43)
        score = measuring.score(aim, 0.25, replace(found, accepted=accepted), found)
        assert score == pytest.approx(throughput - cost)


@given(st.integers(0, 4))
def test_some_patterns_and_the_others_are_all(split: int) -> None:
    units = Modelled(distinct, no_saturation)
    measuring = trials(units)
    whole = measuring.measure(NAMED_SETS)
    first, rest = measuring.measure(NAMED_SETS, 0, split), measuring.measure(NAMED_SETS, split)
    for one, head, tail in zip(whole, first, rest, strict=True):
        assert (len(head.latency), len(tail.accepted)) == (split, 4 - split)
        joined = head.joined(tail)
        assert joined.latency.tolist() == one.latency.tolist()
        assert joined.accepted.tolist() == one.accepted.tolist()
        assert joined.least_served.tolist() == one.least_served.tolist()


@pytest.mark.parametrize("patterns", [1, 2])
def test_traffic_of_few_patterns_has_no_rest(patterns: int) -> None:
    workload = Workload.even(TRAFFIC.patterns[:patterns])
    measuring = trials(Modelled(distinct, no_saturation), workload)
    assert measuring.measure([], 2) == []
    (figures,) = measuring.measure(NAMED_SETS[:1], 2)
    assert (len(figures.latency), len(figures.accepted)) == (0, 0)


def test_work_adds_up() -> None:
    measuring = trials(Modelled(distinct, no_saturation))
    measuring.measure(NAMED_SETS)
    measuring.measure(NAMED_SETS[:1], 0, 1)
    assert measuring.work == Work(0, 26, 52)


def figures(
    latency: list[float], accepted: list[float], least: list[float] | None = None
) -> Figures:
    """Without other figures, the worst served tell the same as the others."""
    squares = [one**2 for one in accepted]
    return Figures(np.array(latency), np.array(accepted), np.array(least or squares))


def test_of_the_throughput_both_gains_count() -> None:
    reference = figures([50.0] * 4, [0.2] * 4, [0.1] * 4)
    # 10% more in all, of which the worst served send 21% more, 10% more, and half; 10% more of them
    # alone. That counts half, and no less than three thousandths of the packets.
    found = figures([50.0] * 4, [0.22, 0.22, 0.22, 0.2], [0.121, 0.11, 0.05, 0.11])
    throughput, latency = found.gains(reference, USUAL_LOOK)
    assert throughput == pytest.approx(np.log([1.1, 1.1**0.5, 0.5**0.5, 1.0]))
    assert latency.tolist() == [0.0] * 4
    starved = figures([50.0], [0.2], [0.0]).gains(reference, USUAL_LOOK)[0]
    assert starved == pytest.approx(np.log([0.03]) / 2)
    # Where none of the switches sends enough to tell, all that is accepted counts.
    unknown, known = (figures([50.0], [one], [np.nan]) for one in (0.22, 0.2))
    for look in (USUAL_LOOK, LOOK_WITH_RULES):
        assert unknown.gains(known, look)[0] == pytest.approx(np.log([1.1]))
    # The reference is that of the same patterns.
    assert len(figures([40.0, 60.0], [0.2, 0.2]).gains(reference, USUAL_LOOK)[1]) == 2
    # Where rules are searched, the greater gain counts as much.
    even, _ = found.gains(reference, LOOK_WITH_RULES)
    assert even == pytest.approx(np.log([1.1, 1.1**0.75, 1.1**0.5 * 0.5**0.25, 1.1**0.25]))
    nothing = figures([50.0], [0.0], [0.0])
    for look in (USUAL_LOOK, LOOK_WITH_RULES):
        assert nothing.gains(reference, look)[0].tolist() == [-math.inf]


def test_figures_are_scored_on_the_patterns_that_they_have() -> None:
    measuring = trials(Modelled(distinct, no_saturation))
    reference = figures([50, 60, 70, 80], [0.2, 0.3, 0.4, 0.5])
    aim = parse_objective("saturation")
    assert measuring.score(aim, 0.25, reference, reference) == 0.0
    # The first two patterns have shares 2 and 1.
    better = figures([50, 60], [0.2, 0.33])
    expected = 0.75 * math.log(1.1) / 3
    assert measuring.score(aim, 0.25, better, reference) == pytest.approx(expected)


@pytest.mark.parametrize(
    "bad",
    [
        figures([math.nan, 60, 70, 80], [0.2, 0.3, 0.4, 0.5]),
        figures([50, 60, 70, 80], [0.2, 0.0, 0.4, 0.5]),
    ],
    ids=["no packet arrived", "nothing was accepted"],
)
def test_sets_without_figures_are_worse_than_all_others(bad: Figures) -> None:
    measuring = trials(Modelled(distinct, no_saturation))
    good = figures([50, 60, 70, 80], [0.2, 0.3, 0.4, 0.5])
    assert measuring.score(parse_objective("saturation"), 0.25, bad, good) == -math.inf
    # A reference without figures has no sets that are better.
    for found in (good, bad):
        assert not measuring.score(parse_objective("saturation"), 0.25, found, bad) > -math.inf


# Beyond saturation by a quarter, but loads end at 1; latency at 0.1, or at half the least
# saturation if that is less; at 55% of the saturation of patterns that saturate late.
@pytest.mark.parametrize(
    ("saturation", "low", "expected"),
    [
        ([0.3, 0.8], None, [(0.1, 0.375), (0.44, 1.0)]),
        ([0.1, 0.7], None, [(0.05, 0.125), (0.385, 0.875)]),
        ([0.0, 0.5], None, [(0.01, 0.025), (0.01, 0.625)]),
        ([0.3, 0.8], 0.2, [(0.2, 0.375), (0.2, 1.0)]),
        ([1.0, 1.0], None, [(0.55, 1.0), (0.55, 1.0)]),
    ],
)
def test_loads_follow_from_the_saturation_of_the_reference(
    saturation: list[float], low: float | None, expected: list[tuple[float, float]]
) -> None:
    patterns = TRAFFIC.patterns[:2]
    by_pattern = dict(zip(map(str, patterns), saturation, strict=True))
    units = Modelled(distinct, lambda unit: by_pattern[str(unit.recipe.pattern)])
    found, work = find_loads(
        patterns,
        low,
        USUAL_LOOK,
        lambda pattern: SaturationUnit(
            Recipe(NAMED_SETS[0], "par", pattern, 0), CONFIG, 0.02, None
        ),
        units,
    )
    assert [(one.low, one.beyond) for one in found] == [pytest.approx(one) for one in expected]
    # Those that carry nothing count as if they carried the least.
    assert [one.saturation for one in found] == [max(one, 0.02) for one in saturation]
    assert work == Work(flit_hops=2 * FLIT_HOPS)


# Beyond what a likely rule sustains by 15%, but not beyond the bound .5 unless the reference
# is; of traffic that saturates late and gains nothing, where the reference saturates. Latency at
# .15, or at three quarters of the least saturation.
@pytest.mark.parametrize(
    ("saturation", "ruled", "expected"),
    [
        ([0.3, 0.8], [0.36, 0.7], [(0.15, 0.414), (0.56, 0.8)]),
        ([0.3, 0.7], [0.46, 0.8], [(0.15, 0.5), (0.49, 0.92)]),
        ([0.1, 0.48], [0.08, 0.6], [(0.075, 0.115), (0.075, 0.69)]),
    ],
)
def test_loads_of_searches_for_rules_follow_from_what_a_rule_sustains(
    saturation: list[float], ruled: list[float], expected: list[tuple[float, float]]
) -> None:
    patterns = TRAFFIC.patterns[:2]
    by_name = {
        (name, str(pattern)): load
        for name, loads in (("all", saturation), ("<=4", ruled))
        for pattern, load in zip(patterns, loads, strict=True)
    }
    units = Modelled(
        distinct, lambda unit: by_name[unit.recipe.named_set.name, str(unit.recipe.pattern)]
    )

    def unit_of(named_set: NamedSet, pattern: Pattern) -> SaturationUnit:
        return SaturationUnit(Recipe(named_set, "par", pattern, 0), CONFIG, 0.02, None)

    usual, other = (partial(unit_of, one) for one in NAMED_SETS[:2])
    bounds = dict(zip(map(str, patterns), (0.5, 1.0), strict=True))
    found, work = find_loads(
        patterns, None, LOOK_WITH_RULES, usual, units, other, lambda pattern: bounds[str(pattern)]
    )
    assert [(one.low, one.beyond) for one in found] == [pytest.approx(one) for one in expected]
    assert work == Work(flit_hops=4 * FLIT_HOPS)
