"""Whether long runs last: the categories, and studies of several cases."""

import os
import signal
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sim_bridge import VctConfig
from sim_bridge.routers.vct import StabilityCase, judge_stability, study_stability
from sim_bridge.routers.vct.stability import CollapseWatch
from tests.search.here import Inline, units_here
from tvlb.errors import InvalidInput
from tvlb.processes import Progress, UnitCache, Units, local_workers, silent
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

TOPOLOGY = parse_topology("hyperx(2,3,3)")
PATTERN = parse_pattern("dshift(1)")
SHORT = VctConfig(warmup_cycles=0, measured_cycles=100_000)


def course(*parts: tuple[int, float]) -> NDArray[np.float64]:
    """Accepted load that stays on levels for so many thousand cycles each."""
    return np.concatenate([np.full(length, level) for length, level in parts])


@pytest.mark.parametrize(
    ("series", "category"),
    [
        (course((510, 0.4)), 1),
        # What comes before cycle 5,000 does not count.
        (course((5, 0.0), (505, 0.4)), 1),
        (course((5, 0.9), (505, 0.4)), 1),
        # 0.85 of the peak is not low.
        (course((300, 0.4), (210, 0.341)), 1),
        (course((300, 0.4), (210, 0.339)), 3),
        # A dip that heals: 29 of 496 means have a part of it.
        (course((300, 0.4), (20, 0.1), (190, 0.4)), 2),
        (course((300, 0.4), (60, 0.1), (150, 0.4)), 3),
        # One that does not heal: the last 50 average 0.28.
        (course((490, 0.4), (20, 0.1)), 3),
    ],
)
def test_categories(series: NDArray[np.float64], category: int) -> None:
    assert judge_stability(series).category == category


def test_what_is_told_of_a_course() -> None:
    found = judge_stability(course((5, 0.9), (95, 0.4), (50, 0.2)))
    assert found.level == pytest.approx((95 * 0.4 + 50 * 0.2) / 145)
    assert (found.peak, found.lowest, found.end_level) == pytest.approx((0.4, 0.2, 0.2))
    # Of 136 means, those with four or more values of 0.2 are below 0.34.
    assert found.low_share == pytest.approx(47 / 136)
    assert found.low_from == 94_000
    assert judge_stability(course((100, 0.4))).low_from is None


@pytest.mark.slow
@given(st.lists(st.integers(0, 20), min_size=100, max_size=200), st.integers(1, 40))
def test_a_run_that_is_ended_would_be_of_category_3(levels: list[int], length: int) -> None:
    series = np.repeat(np.array(levels, dtype=np.float64), length)[:510]
    watch = CollapseWatch(len(series))
    found = judge_stability(series)
    for accepted in series:
        watch.add(accepted)
        # Nothing that it says before the end is taken back.
        if watch.is_certain:
            assert found.category == 3
        if watch.low_from is not None:
            assert found.low_from is not None
            assert found.low_from <= watch.low_from
            assert f"low from cycle {watch.low_from:,}" in str(watch)
        else:
            assert str(watch) == ""
    # Throughput that is low at the end alone is seen at the end.
    assert watch.is_certain == (found.low_share > 0.1)
    assert watch.low_from == found.low_from
    assert ("category 3" in str(watch)) == watch.is_certain


def test_a_run_ends_at_its_collapse() -> None:
    topology, pattern = parse_topology("hyperx(4,4,4)"), parse_pattern("dshift(1)")
    case = StabilityCase("valiant(minlast)", VctConfig(0, 150_000, "2phases", 4).on(topology))
    full, ended = (
        study_stability(
            topology,
            [case],
            pattern,
            until_collapse=until_collapse,
            units=Units(UnitCache(Inline()), threading.Event()),
            report=lambda _: None,
        ).runs[case][0]
        for until_collapse in (False, True)
    )
    assert full.stability.category == ended.stability.category == 3
    assert full.stability.low_from == ended.stability.low_from
    assert len(ended.series) < len(full.series) == 150
    assert ended.series.tobytes() == full.series[: len(ended.series)].tobytes()


def test_a_collapse_is_told_while_the_run_lasts() -> None:
    topology, pattern = parse_topology("hyperx(4,4,4)"), parse_pattern("dshift(1)")
    case = StabilityCase("valiant(minlast)", VctConfig(0, 400_000, "2phases", 4).on(topology))
    told: list[Progress] = []
    with local_workers(1) as workers:
        units = Units(UnitCache(workers), threading.Event())
        found = study_stability(
            topology, [case], pattern, seed=1, units=units, report=told.append
        ).runs[case][0]
    assert found.stability.category == 3
    early = [event.note for event in told if event.done < 400 and "low from" in event.note]
    assert early
    low = f"low from cycle {found.stability.low_from:,}"
    head = "thousand cycles, 1 of 1 runs; valiant(minlast), 2phases, 4 VCs, seed 1: "
    assert told[-1].note == f"{head}category 3, {low}"


def test_short_runs_are_refused() -> None:
    with pytest.raises(InvalidInput, match="99,000 cycles tell too little of stability"):
        judge_stability(np.full(99, 0.4))


def study(cases: list[StabilityCase], seeds: int = 1) -> dict[str, list[int]]:
    """Run a study; return the category of the first run of each case, and the length of all."""
    found = study_stability(
        TOPOLOGY, cases, PATTERN, seed=3, seeds=seeds, units=units_here(), report=lambda _: None
    )
    assert len(found.records()) == len(cases) * seeds
    return {
        str(case): [run.stability.category, *(len(one.series) for one in runs)]
        for case, runs in found.runs.items()
        for run in runs[:1]
    }


def test_a_study_has_every_case_with_every_seed() -> None:
    cases = [StabilityCase("valiant", SHORT), StabilityCase("min", SHORT)]
    assert study(cases, seeds=2) == {
        "valiant(minfirst), ladder, 4 VCs": [1, 100, 100],
        "min, ladder, 2 VCs": [1, 100, 100],
    }


@pytest.mark.slow
def test_a_run_tells_how_far_it_is_and_begins_again_where_its_process_is_killed() -> None:
    cases = [StabilityCase("valiant", VctConfig(warmup_cycles=0, measured_cycles=800_000))]
    told: list[Progress] = []
    with local_workers(1) as workers:

        def report(event: Progress) -> None:
            if event.done > 0 and killed == []:
                os.kill(process, signal.SIGKILL)
                killed.append(process)
            told.append(event)

        killed: list[int] = []
        process = workers.submit(os.getpid).result()
        units = Units(UnitCache(workers), threading.Event())
        found = study_stability(TOPOLOGY, cases, PATTERN, seed=1, units=units, report=report)
    done = [event.done for event in told]
    assert done == sorted(done)
    assert {event.total for event in told} == {800}
    assert any(0 < one < 800 for one in done)
    assert (told[0].done, told[0].note) == (0, "thousand cycles, 0 of 1 runs")
    assert (told[-1].done, told[-1].note) == (800, "thousand cycles, 1 of 1 runs")
    here = Units(UnitCache(Inline()), threading.Event())
    again = study_stability(TOPOLOGY, cases, PATTERN, seed=1, units=here, report=silent)
    for case, (run,) in found.runs.items():
        assert run.series.tolist() == again.runs[case][0].series.tolist()


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([StabilityCase("valiant", VctConfig())], "cycles 20000 is too few"),
        (
            [StabilityCase("valiant", SHORT), StabilityCase("valiant(minfirst)", SHORT)],
            "two cases are the same",
        ),
        (
            [StabilityCase("valiant", VctConfig(0, 100_000, "ladder", 3))],
            "vc_count 3 is too few: ladder needs at least 4 here",
        ),
    ],
)
def test_cases_that_cannot_be_run_are_refused(cases: list[StabilityCase], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        study(cases)
