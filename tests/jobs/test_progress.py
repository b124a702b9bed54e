"""Overall progress never falls, whatever the stages report."""

from hypothesis import given
from hypothesis import strategies as st

from tvlb.meter import Meter
from tvlb.progress import Progress

STAGES = ["probe", "balance", "screen all", "screen pilot", "confirm", "curves", "saturation"]
EVENTS = st.builds(
    Progress, st.sampled_from([*STAGES, "unknown"]), st.integers(0, 9), st.integers(0, 9)
)


@given(events=st.lists(EVENTS))
def test_progress_rises_within_its_range(events: list[Progress]) -> None:
    meter, seen = Meter(), [0.0]
    for event in events:
        meter.add(event)
        seen.append(meter.progress)
    assert seen == sorted(seen)
    assert 0.0 <= seen[-1] <= 1.0
    assert all(seconds >= 0.0 for seconds in meter.timings.values())


def test_the_stages_of_a_search_fill_it() -> None:
    meter = Meter()
    for stage in ("probe", "balance", "screen all", "confirm", "curves"):
        meter.add(Progress(stage, 4, 4))
    assert meter.progress == 0.98
    assert set(meter.timings) == {"probe", "balance"}


def test_a_stage_that_begins_is_as_far_as_those_before_it() -> None:
    meter = Meter()
    meter.add(Progress("confirm", 0, 3))
    assert meter.progress == 0.36
