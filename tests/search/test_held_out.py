"""The comparison that judges what a search found: what is run, and statistics done plainly."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special

from sim_bridge import SimulationConfig
from tests.search.modelled import FLIT_HOPS, Modelled, lucky, run_with
from tvlb.paths import parse_expression
from tvlb.processes import Progress, Reporter, silent
from tvlb.search import Candidate, Windows, Work
from tvlb.search.held_out import HeldOut, judge
from tvlb.search.simulation_units import Recipe, RunFigures, RunUnit, SaturationUnit
from tvlb.search.workload import Workload
from tvlb.statistics import Change, MeanEstimate, estimate, standard_error
from tvlb.topology import Dragonfly
from tvlb.traffic import Pattern, Shift, Type2, Uniform

TOPOLOGY = Dragonfly(2, 4, 2, 5)
PATTERNS = (Type2(100), Shift(2, 1), Uniform(), Shift(3, 1))
GRID = 0.01
WINDOWS = Windows(300, 400, GRID)
LOADS = (0.1, 0.2)

Figures = Mapping[str, Sequence[float]]


def candidate(name: str) -> Candidate:
    return replace(Candidate.as_it_is(parse_expression("<=4", TOPOLOGY), 0), name=name)


def compared(
    names: Iterable[str],
    workload: Workload,
    units: Modelled,
    *,
    rivals: Sequence[str] = ("all",),
    expected: Mapping[str, float] | None = None,
    alike: Mapping[tuple[str, type[Pattern]], float] | None = None,
    report: Reporter = silent,
) -> HeldOut:
    return judge(
        [candidate(name) for name in names],
        rivals,
        workload,
        LOADS,
        expected or {},
        routing="par",
        config=SimulationConfig(buffer_flits=16),
        windows=WINDOWS,
        seed=7,
        units=units,
        report=report,
        alike=alike,
    )


def judged(
    saturation: Figures,
    latency: Figures | None = None,
    *,
    rivals: Sequence[str] = ("all",),
    shares: Sequence[float] | None = None,
    units: Modelled | None = None,
    expected: Mapping[str, float] | None = None,
    alike: Mapping[tuple[str, type[Pattern]], float] | None = None,
) -> HeldOut:
    """Judge sets whose figures are given by name and pattern; nan for a latency is saturated."""
    patterns = PATTERNS[: len(next(iter(saturation.values())))]
    index = {str(pattern): position for position, pattern in enumerate(patterns)}
    counts = [1.0] * len(patterns) if shares is None else shares
    workload = Workload(patterns, tuple(share / math.fsum(counts) for share in counts))

    def run(unit: RunUnit) -> RunFigures:
        place = index[str(unit.recipe.pattern)]
        known = 50.0 if latency is None else latency[unit.recipe.named_set.name][place]
        # At the higher load everything takes twice as long.
        scale = 1 + LOADS.index(unit.load)
        return run_with(known * scale, unit.load, saturated=math.isnan(known))

    def load(unit: SaturationUnit) -> float:
        return saturation[unit.recipe.named_set.name][index[str(unit.recipe.pattern)]]

    modelled = Modelled(run, load)
    found = compared(saturation, workload, modelled, rivals=rivals, expected=expected, alike=alike)
    if units is not None:
        units.simulated += modelled.simulated
    return found


def test_every_set_has_every_figure() -> None:
    saturation = {"a": [0.3, 0.2, 0.9], "all": [0.25, 0.15, 0.85], "b": [0.2, 0.1, 0.8]}
    latency = {"a": [40.0, 41.0, 42.0], "all": [50.0, math.nan, 52.0], "b": [60.0, 61.0, 62.0]}
    found = judged(saturation, latency, rivals=("all", "b"))
    assert [one.candidate.name for one in found.sets] == ["a", "all", "b"]
    for one in found.sets:
        name = one.candidate.name
        assert one.saturation.tolist() == saturation[name]
        assert one.latency.tolist() == [
            pytest.approx(latency[name], nan_ok=True),
            pytest.approx([2 * value for value in latency[name]], nan_ok=True),
        ]
        assert found.of(name) is one
    assert found.work == Work(flit_hops=FLIT_HOPS * 3 * 3 * 3)
    # Rivals are compared, too, but with those before them alone.
    assert [(one.expression, one.against) for one in found.judgements] == [
        ("a", "all"),
        ("b", "all"),
        ("a", "b"),
    ]


def test_all_sets_have_equal_seeds_patterns_and_windows() -> None:
    units = Modelled(lambda _: run_with(0, 0), lambda _: 0.0)
    judged({"a": [0.3, 0.2], "all": [0.25, 0.15]}, units=units)
    seeds = {unit.recipe.seed for unit in units.simulated}
    # Neither that of the search nor the next.
    assert len(seeds) == 1
    assert not seeds & {7, 8}
    assert {unit.recipe.routing for unit in units.simulated} == {"par"}
    for unit in units.simulated:
        assert (unit.config.warmup_cycles, unit.config.measured_cycles) == (300, 400)
        assert unit.config.buffer_flits == 16
    asked = {
        name: [
            (str(unit.recipe.pattern), getattr(unit, "load", None))
            for unit in units.simulated
            if unit.recipe.named_set.name == name
        ]
        for name in ("a", "all")
    }
    assert sorted(map(repr, asked["a"])) == sorted(map(repr, asked["all"]))


# Of the first set what the search saw, on patterns like those; of the others what was found of it,
# moved by how they differed, unless the pattern saturates late: there the mean of what was found.
# Where a set was searched under a pattern of the type, there.
@pytest.mark.parametrize("is_known", [False, True])
def test_searches_begin_where_the_answer_is_likely(is_known: bool) -> None:
    units = Modelled(lambda _: run_with(0, 0), lambda _: 0.0)
    judged(
        {"a": [0.3, 0.2, 0.9], "all": [0.25, 0.15, 0.85], "b": [0.2, 0.1, 0.8]},
        units=units,
        expected={"a": 0.4, "all": 0.3},
        alike={("a", Uniform): 0.7, ("all", Shift): 0.2, ("b", Uniform): 0.6} if is_known else {},
    )
    guesses = {
        name: [
            unit.guess
            for unit in units.simulated
            if isinstance(unit, SaturationUnit) and unit.recipe.named_set.name == name
        ]
        for name in ("a", "all", "b")
    }
    assert guesses["a"] == [0.4, 0.4, 0.7 if is_known else None]
    assert guesses["all"] == pytest.approx([0.225, 0.2 if is_known else 0.15, 0.9])
    assert guesses["b"] == pytest.approx([0.3, 0.2, 0.6 if is_known else 0.875])


def plain_change(
    mine: Sequence[float],
    theirs: Sequence[float],
    shares: Sequence[float],
    intervals: int,
    least: float,
) -> tuple[float, float]:
    """Mean relative change and half of its interval, in loops."""
    rows = [
        (one / other - 1, share, other)
        for one, other, share in zip(mine, theirs, shares, strict=True)
        if math.isfinite(one) and math.isfinite(other)
    ]
    total = math.fsum(share for _, share, _ in rows)
    weights = [share / total for _, share, _ in rows]
    center = math.fsum(weight * value for weight, (value, _, _) in zip(weights, rows, strict=True))
    if len(rows) == 1:
        return center, math.nan
    squares = math.fsum(weight**2 for weight in weights)
    variance = math.fsum(
        weight * (value - center) ** 2 for weight, (value, _, _) in zip(weights, rows, strict=True)
    ) / (1 - squares)
    floor = math.fsum(
        (weight * least / other) ** 2 for weight, (_, _, other) in zip(weights, rows, strict=True)
    )
    quantile = float(special.stdtrit(len(rows) - 1, 1 - 0.025 / intervals))
    return center, quantile * math.sqrt(max(squares * variance, floor))


loads = st.lists(st.sampled_from([step * GRID for step in range(1, 101)]), min_size=4, max_size=4)
cycles = st.lists(st.floats(20, 400) | st.just(math.nan), min_size=4, max_size=4)


@given(
    st.tuples(loads, loads, loads, loads),
    st.tuples(cycles, cycles, cycles, cycles),
    st.lists(st.floats(0.1, 10.0), min_size=4, max_size=4),
    st.sampled_from([("all",), ("all", "c"), ("b", "all", "c")]),
)
def test_intervals_are_those_of_a_plain_account(
    saturation: tuple[list[float], ...],
    latency: tuple[list[float], ...],
    shares: list[float],
    rivals: tuple[str, ...],
) -> None:
    names = ("a", "b", "c", "all")
    found = judged(
        dict(zip(names, saturation, strict=True)),
        dict(zip(names, latency, strict=True)),
        rivals=rivals,
        shares=shares,
    )
    pairs = [
        (names.index(one), names.index(rival))
        for place, rival in enumerate(rivals)
        for one in names
        if one not in rivals[: place + 1]
    ]
    assert [(one.expression, one.against) for one in found.judgements] == [
        (names[one], names[other]) for one, other in pairs
    ]
    # Of saturation and of two latencies.
    intervals = 3 * len(pairs)
    for (one, other), judgement in zip(pairs, found.judgements, strict=True):
        assert_change(
            judgement.saturation,
            plain_change(saturation[one], saturation[other], shares, intervals, GRID / 6**0.5),
        )
        change = judgement.latency[0]
        both = [
            position
            for position in range(4)
            if not math.isnan(latency[one][position] + latency[other][position])
        ]
        if not both:
            assert judgement.latency == (None, None)
            continue
        assert change is not None
        assert_change(change, plain_change(latency[one], latency[other], shares, intervals, 0.0))
        ratios = {position: latency[one][position] / latency[other][position] for position in both}
        assert change.patterns == len(both)
        assert change.worst == pytest.approx(max(ratios.values()) - 1)
        worst = [str(PATTERNS[place]) for place in both if ratios[place] == max(ratios.values())]
        assert change.worst_pattern in worst
        # Twice as slow at the higher load for all.
        assert judgement.latency[1] is not None
        assert judgement.latency[1].mean == pytest.approx(change.mean)


def assert_change(change: Change, expected: tuple[float, float]) -> None:
    found = (change.mean, change.half_width)
    assert found == pytest.approx(expected, nan_ok=True, rel=1e-6, abs=1e-9)


def test_an_interval_by_hand() -> None:
    # Ratios 1.1, 1.2, 1.3: mean 0.2, standard error 0.1/sqrt(3). Of one pair of sets there are
    # three intervals, of saturation and of two latencies: with two degrees of freedom t at
    # 1 - 0.025/3 is 7.648804. Of two pairs there are six: t at 1 - 0.025/6 is 10.885867.
    mine, theirs = [0.22, 0.24, 0.26], [0.2, 0.2, 0.2]
    (one,) = judged({"a": mine, "all": theirs}).judgements
    assert one.saturation.mean == pytest.approx(0.2)
    assert one.saturation.half_width == pytest.approx(7.648804 * 0.1 / math.sqrt(3), rel=1e-6)
    assert (one.saturation.worst, one.saturation.worst_pattern) == (
        pytest.approx(0.1),
        "type2(seed=100)",
    )
    first, _ = judged({"a": mine, "all": theirs, "b": theirs}).judgements
    assert first.saturation.half_width == pytest.approx(10.885867 * 0.1 / math.sqrt(3), rel=1e-6)


def test_an_interval_of_patterns_with_shares_by_hand() -> None:
    shares = (2.0, 1.0, 1.0)
    found = judged({"a": [0.5, 0.2, 0.2], "all": [0.4, 0.2, 0.2]}, shares=shares)
    (one,) = found.judgements
    # Half of 25% and half of nothing. The variance is 0.5 * 0.125^2 + 0.5 * 0.125^2 over
    # 1 - (1/4 + 1/16 + 1/16) = 5/8, so 0.025, and that of the mean 3/8 of it.
    assert one.saturation.mean == pytest.approx(0.125)
    assert one.saturation.half_width == pytest.approx(7.648804 * math.sqrt(0.025 * 3 / 8), rel=1e-6)


def test_an_interval_of_several_rounds_with_shares_by_hand() -> None:
    heavy = str(PATTERNS[0])
    workload = Workload(PATTERNS[:3], (0.5, 0.25, 0.25)).in_rounds()
    _, units = in_rounds(workload, chance)
    seeds = [unit.recipe.seed for unit in units.simulated[:9:3]]

    def figure(name: str, pattern: str, seed: int) -> float:
        gains = dict(zip(seeds, (0.5, 0.1, 0.3), strict=True))
        return 0.2 * (1 + (gains[seed] if name == "a" and pattern == heavy else 0.0))

    (one,) = in_rounds(workload, figure)[0].judgements
    # Half of 30% in the mean. Runs of the heavy pattern are off by 0.2 either way, and by nothing,
    # the others by nothing: the variance is 2 * 0.2^2 over six degrees of freedom, that of the
    # mean 3 * (1/36 + 1/144 + 1/144) = 1/8 of it; t(6) at 1 - 0.025/3 is 3.287455.
    assert one.saturation.mean == pytest.approx(0.15)
    assert one.saturation.half_width == pytest.approx(3.287455 * math.sqrt(0.08 / 6 / 8), rel=1e-6)


def test_equal_changes_are_no_closer_known_than_the_grid_allows() -> None:
    (one,) = judged({"a": [0.22] * 4, "all": [0.2] * 4}).judgements
    # Each difference of two loads is off by 0.01/sqrt(6), that is 2% of 0.2, four have half of it.
    # Of three intervals t(3) at 1 - 0.025/3 is 4.856657.
    expected = 4.856657 * 0.01 / math.sqrt(6) / 0.2 / 2
    assert one.saturation.half_width == pytest.approx(expected, rel=1e-6)


def test_less_than_the_grid_is_a_figure_too() -> None:
    # Half a step stands for what is below the first: 0.03 and 0.01 for 0.005.
    (one,) = judged({"a": [0.03, 0.01], "all": [0.0, 0.0]}).judgements
    assert one.saturation.mean == pytest.approx((5.0 + 1.0) / 2)
    (level,) = judged({"a": [0.0, 0.0], "all": [0.0, 0.0]}).judgements
    assert level.saturation.mean == 0.0


def test_a_single_pattern_has_no_interval() -> None:
    (one,) = judged({"a": [0.3], "all": [0.2]}, {"a": [40.0], "all": [50.0]}).judgements
    assert one.saturation.mean == pytest.approx(0.5)
    assert math.isnan(one.saturation.half_width)
    assert one.latency[0] is not None
    assert one.latency[0].mean == pytest.approx(-0.2)
    assert math.isnan(one.latency[0].half_width)


def test_means_count_the_patterns_by_their_shares() -> None:
    found = judged(
        {"a": [0.3, 0.5], "all": [0.2, 0.4]},
        {"a": [40.0, math.nan], "all": [50.0, 70.0]},
        shares=[3, 1],
    )
    mine, theirs = found.measured("a"), found.measured("all", load=1)
    assert mine.saturation_mean == pytest.approx(0.75 * 0.3 + 0.25 * 0.5)
    assert (mine.latency_mean, mine.missed) == (40.0, 1)
    assert theirs.latency_mean == pytest.approx(2 * (0.75 * 50 + 0.25 * 70))


def in_rounds(
    workload: Workload, figure: Callable[[str, str, int], float]
) -> tuple[HeldOut, Modelled]:
    """Judge `a` against `all`, of which a figure is told by set, pattern and seed."""

    def of(recipe: Recipe) -> float:
        return figure(recipe.named_set.name, str(recipe.pattern), recipe.seed)

    modelled = Modelled(
        lambda unit: run_with(100 * of(unit.recipe), unit.load),
        lambda unit: of(unit.recipe),
    )
    return compared(("a", "all"), workload, modelled), modelled


def chance(name: str, pattern: str, seed: int) -> float:
    return 0.3 + 0.1 * lucky(name, pattern, seed)


def test_every_round_has_a_seed_of_its_own() -> None:
    workload = Workload.even(PATTERNS[:3]).in_rounds()
    found, units = in_rounds(workload, chance)
    names = [str(pattern) for pattern in PATTERNS[:3]]
    asked = [
        (unit.recipe.named_set.name, getattr(unit, "load", None), unit.recipe)
        for unit in units.simulated
    ]
    seeds = [recipe.seed for *_, recipe in asked[:9:3]]
    assert len(set(seeds)) == 3
    assert not {7, 8} & set(seeds)
    cases = [(name, seed) for seed in seeds for name in names]
    for name, one in (("a", found.sets[0]), ("all", found.sets[1])):
        # Equal cases of all sets, of the saturation as of both latencies.
        for load in (None, *LOADS):
            assert cases == [
                (str(recipe.pattern), recipe.seed)
                for named_set, at, recipe in asked
                if (named_set, at) == (name, load)
            ]
        expected = [chance(name, *case) for case in cases]
        assert len(set(expected)) == 9
        assert one.saturation.tolist() == expected
        assert one.latency.tolist() == [pytest.approx([100 * value for value in expected])] * 2
    assert found.measured("a").rounds == 3


def test_the_worst_pattern_is_no_matter_of_one_run() -> None:
    # Four rounds of two patterns: 10% more on the second, and 40% more or 10% less, in the mean
    # 15% more, on the first.
    workload = Workload.even(PATTERNS[:2]).in_rounds()
    _, units = in_rounds(workload, chance)
    low = [unit.recipe.seed for unit in units.simulated[:8:4]]

    def figure(name: str, pattern: str, seed: int) -> float:
        if name == "all":
            return 0.2
        if pattern == str(PATTERNS[1]):
            return 0.22
        return 0.18 if seed in low else 0.28

    (one,) = in_rounds(workload, figure)[0].judgements
    changes = [one.saturation, *one.latency]
    for change, (worst, name) in zip(
        changes, [(0.1, PATTERNS[1]), *[(0.15, PATTERNS[0])] * 2], strict=True
    ):
        assert change is not None
        # Of eight runs, four are 10% ahead, two 40%, and two 10% behind.
        assert change.mean == pytest.approx(0.125)
        assert (change.worst, change.worst_pattern) == (pytest.approx(worst), str(name))
        assert change.patterns == 2
    # That the patterns differ is no matter of chance: about the mean of each, four runs are off by
    # 0.25 and four by nothing. Eight runs of two patterns have six degrees of freedom, and t at
    # 1 - 0.025/3 is 3.287455.
    error = math.sqrt(4 * 0.25**2 / 6 / 8)
    assert one.saturation.half_width == pytest.approx(3.287455 * error, rel=1e-6)


def test_a_rival_alone_is_judged_against_nothing() -> None:
    found = judged({"all": [0.2, 0.3]})
    assert found.judgements == ()
    assert found.of("all").saturation.tolist() == [0.2, 0.3]


def test_progress_counts_every_simulation() -> None:
    events: list[Progress] = []
    units = Modelled(lambda _: run_with(50, 0), lambda _: 0.3)
    compared(("a", "all"), Workload.even(PATTERNS), units, report=events.append)
    assert [(one.stage, one.done, one.total) for one in events] == [
        ("compare", done, 24) for done in range(25)
    ]


values = st.lists(st.floats(-10, 10), min_size=2, max_size=8)


@given(values)
def test_equal_weights_give_the_standard_error(some: list[float]) -> None:
    count = len(some)
    found = estimate(some, [1 / count] * count).error
    assert found == pytest.approx(stdev(some) / math.sqrt(count), abs=1e-9)
    assert found == pytest.approx(standard_error(some), abs=1e-9)


@given(values, st.lists(st.floats(0.1, 10.0), min_size=8, max_size=8), st.floats(0.1, 5.0))
def test_a_standard_error_scales_with_the_values_and_not_with_their_mean(
    some: list[float], shares: list[float], scale: float
) -> None:
    weight = shares[: len(some)]
    error = estimate(some, weight).error
    assume(error > 1e-6)
    moved = estimate(scale * np.array(some) + 3.0, weight).error
    assert moved == pytest.approx(scale * error, rel=1e-6)
    assert math.isnan(estimate(some[:1]).error)


@pytest.mark.parametrize("shares", [[1.0] * 5, [9, 1], [20, 1, 1, 1, 1], [3, 2, 1, 1]], ids=str)
def test_intervals_hold_the_mean_as_often_as_they_say(shares: list[float]) -> None:
    # Of patterns that vary alike whatever their share; 2,000 draws of a true mean of 0.
    drawn = np.random.default_rng(3).normal(size=(2_000, len(shares)))
    held = mean(float(holds(estimate(row, shares), 0.0)) for row in drawn)
    assert held > 0.94
    if len(set(shares)) == 1:
        assert held < 0.96


def holds(found: MeanEstimate, true: float) -> bool:
    return abs(found.mean - true) <= found.half_width()


def test_intervals_of_given_patterns_are_as_wide_as_the_noise_of_their_runs() -> None:
    # Two patterns that differ by 10, four runs of each with noise of 1, shares 3 and 1.
    case, weight = ["a", "b"] * 4, [3.0, 1.0] * 4
    drawn = np.random.default_rng(5).normal([0.0, 10.0] * 4, size=(2_000, 8))
    found = [estimate(row, weight, case) for row in drawn]
    assert 0.94 < mean(float(holds(one, 2.5)) for one in found) < 0.96
    assert max(one.half_width() for one in found) < 3.0
    # Were the patterns drawn too, they would say far less.
    assert min(estimate(row, weight).half_width() for row in drawn) > 3.0


def test_of_one_run_each_the_spread_of_given_patterns_stands_in() -> None:
    assert estimate([1.0, 2.0], case=["a", "b"]) == estimate([1.0, 2.0])
    assert estimate([1.0, 3.0, math.nan], case=["a", "a", "b"]) == estimate([1.0, 3.0])


def test_luck_is_fair() -> None:
    # What the landscapes of other tests are made of.
    drawn = [lucky(number) for number in range(1_000)]
    assert abs(mean(drawn)) < 0.05
    assert -1.0 <= min(drawn) < -0.99
    assert 0.99 < max(drawn) < 1.0
