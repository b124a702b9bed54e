"""The watchdog: buffers that wait for each other in a circle are found and named."""

from collections.abc import Callable

import pytest

from sim_bridge import SimulationConfig, SimulationResult
from tvlb.errors import BlockedBuffer, SimulationDeadlock
from tvlb.topology import Dragonfly

Run = Callable[..., SimulationResult]


def _config(vcs: int) -> SimulationConfig:
    return SimulationConfig(
        warmup_cycles=30_000, measured_cycles=1000, vc_count=vcs, buffer_flits=4
    )


# With all routes on one or two VCs, VLB paths through different groups wait for each other.
@pytest.mark.parametrize(("vcs", "load"), [(1, 0.3), (1, 1.0), (2, 0.6)])
def test_too_few_vcs_deadlock_and_the_circle_is_named(
    small: Dragonfly, run: Run, vcs: int, load: float
) -> None:
    with pytest.raises(SimulationDeadlock) as caught:
        run(small, "vlb", "all", "uniform", load, config=_config(vcs))
    blocked = caught.value.blocked
    assert len(blocked) >= 2
    assert len(set(blocked)) == len(blocked)
    # Every buffer waits for one at the end of a link that starts where it is.
    following = [*blocked[1:], blocked[0]]
    assert all(one.target == after.source for one, after in zip(blocked, following, strict=True))
    assert all(one.vc < vcs for one in blocked)
    links = set(
        zip(small.network.link_source.tolist(), small.network.link_target.tolist(), strict=True)
    )
    assert all((one.source, one.target) in links for one in blocked)
    assert f"{blocked[0].source}->{blocked[0].target} VC {blocked[0].vc}" in str(caught.value)
    # Long before nothing moves at all: packets inside one switch still pass.
    assert caught.value.cycle < 5000


@pytest.mark.parametrize("vcs", [4, 5])
def test_enough_vcs_saturate_and_do_not_deadlock(small: Dragonfly, run: Run, vcs: int) -> None:
    result = run(small, "vlb", "all", "uniform", 1.0, config=_config(vcs))
    assert result.saturated
    assert result.stopped == "completed"


def test_a_long_circle_is_shortened_in_the_message() -> None:
    circle = tuple(BlockedBuffer(i, (i + 1) % 20, 0) for i in range(20))
    message = str(SimulationDeadlock(2048, circle))
    assert message.startswith("deadlock found in cycle 2048: 20 full input buffers")
    assert message.endswith("11->12 VC 0, 8 more")
