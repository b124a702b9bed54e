"""What studies of stability are asked for: settings of long runs, and cases in words."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.routers.vct.stability import BIN, FEWEST_BINS, StabilityCase
from sim_bridge.scenario import MAX_CYCLES
from tvlb.errors import InvalidInput
from tvlb.languages import Whole, setting, settings

_MOST_VCS = 16
_CYCLES = 510_000


@dataclass(frozen=True)
class LongRun(VctConfig):
    """The settings of a long run: no warm-up; virtual channels are told case by case."""

    warmup_cycles: int = 0
    measured_cycles: int = setting(
        _CYCLES, "Cycles of a run", Whole(FEWEST_BINS * BIN, MAX_CYCLES), option="cycles"
    )
    vc_policy: str = "ladder"
    vc_count: int | None = None
    traced_packets: int = 0


def parse_vcs(text: str) -> tuple[str, int | None]:
    """Return policy and number of the virtual channels POLICY[:COUNT]; None for what it needs.

    Raises
    ------
    InvalidInput : there is no such policy, or the number is out of range.
    """
    policy, colon, count = text.partition(":")
    if colon and count not in map(str, range(1, _MOST_VCS + 1)):
        raise InvalidInput(f"vcs {text!r}: expected POLICY or POLICY:COUNT, COUNT 1..{_MOST_VCS}")
    settings(VctConfig)["vc_policy"].checked(policy)
    return policy, int(count) if colon else None


def stability_cases(
    run: LongRun, routings: Sequence[str], vcs: Sequence[str]
) -> list[StabilityCase]:
    """Return every routing with every choice of virtual channels; see `parse_vcs`.

    Raises
    ------
    InvalidInput : virtual channels are out of range.
    """
    shared = {
        one.name: getattr(run, one.name)
        for one in fields(VctConfig)
        if one.name not in ("vc_policy", "vc_count")
    }
    configs = [
        VctConfig(vc_policy=policy, vc_count=count, **shared)
        for policy, count in map(parse_vcs, vcs)
    ]
    return [StabilityCase(routing, config) for config in configs for routing in routings]
