"""Overall progress never falls, whatever the stages report."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.processes import Meter, Progress, Stages
from tvlb.requests.kinds.table import KIND

STAGES = ["probe", "balance", "screen all", "confirm", "search", "compare", "curves", "saturation"]
EVENTS = st.builds(
    Progress, st.sampled_from([*STAGES, "unknown"]), st.integers(0, 9), st.integers(0, 9)
)


@given(events=st.lists(EVENTS))
def test_progress_rises_within_its_range(events: list[Progress]) -> None:
    meter, seen = Meter(KIND.stages), [0.0]
    for event in events:
        meter.add(event)
        seen.append(meter.progress)
    assert seen == sorted(seen)
    assert 0.0 <= seen[-1] <= 1.0
    assert all(seconds >= 0.0 for seconds in meter.timings.values())


@pytest.mark.parametrize(
    ("stages", "over"),
    [
        (("probe", "balance", "screen all", "confirm", "curves"), {"probe", "balance"}),
        (("probe", "balance", "search", "compare", "curves"), {"probe", "balance", "search"}),
    ],
)
def test_the_stages_of_either_method_fill_it(stages: tuple[str, ...], over: set[str]) -> None:
    meter = Meter(KIND.stages)
    for stage in stages:
        meter.add(Progress(stage, 4, 4))
    assert meter.progress == 0.98
    assert set(meter.timings) == over


def test_a_stage_that_begins_is_as_far_as_those_before_it() -> None:
    meter = Meter(KIND.stages)
    meter.add(Progress("confirm", 0, 3))
    assert meter.progress == 0.36


def test_stages_that_nobody_placed_take_all_the_time() -> None:
    meter = Meter(Stages())
    meter.add(Progress("count", 1, 4))
    assert meter.progress == 0.25
    meter.add(Progress("write", 4, 4))
    assert meter.progress == 1.0
    assert list(meter.timings) == ["count"]
