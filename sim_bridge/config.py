"""The settings of a simulation run, checked when they are made."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from sim_bridge.routing import Routing
from tvlb.choices import choose
from tvlb.errors import InvalidInput
from tvlb.topology import Dragonfly
from tvlb.virtual_channels import Kinds, VcScheme

__all__ = ["Decide", "SimulationConfig", "Warmup"]


class Decide(StrEnum):
    """When the source decides: once, or again every cycle while the packet heads its queue."""

    ONCE = "once"
    EACH_ATTEMPT = "each-attempt"


class Warmup(StrEnum):
    """When the measured window begins: after a fixed time, or when the run has become steady."""

    FIXED = "fixed"
    DETECT = "detect"


# Allowed range of each integer setting.
_RANGES = {
    "warmup_cycles": (0, 100_000_000),
    "measured_cycles": (1, 100_000_000),
    "drain_limit_cycles": (0, 100_000_000),
    "buffer_flits": (1, 4096),
    "local_latency": (1, 4096),
    "global_latency": (1, 4096),
    "speedup": (1, 16),
    "threshold": (-1_000_000, 1_000_000),
    "traced_packets": (0, 100_000),
}
_VC_RANGE = (1, 8)


@dataclass(frozen=True)
class SimulationConfig:
    """Router, window and stopping settings; the defaults are Table 3 of the T-UGAL paper.

    Attributes
    ----------
    warmup_cycles, measured_cycles : cycles before and in the measured window.
    warmup : `Warmup` or its text. "fixed": exactly `warmup_cycles`. "detect": at most that many;
        from `measured_cycles` on, every 1,000 cycles, the warm-up is over if MSER (White, Cobb,
        Spratt, 2000) drops no more than the first half of the mean latencies per 100 cycles.
    drain_limit_cycles : most cycles after the window to wait for its packets.
    vc_scheme : `VcScheme` or its text.
    vc_count : virtual channels, 1..8; None takes what the scheme needs for the longest route
        (won 4, with PAR 5). VC indices of a scheme that needs more are clamped.
    buffer_flits : buffer of one (input port, VC), flits.
    local_latency, global_latency : of links, cycles.
    speedup : internal switch steps per cycle.
    threshold : UGAL's bias T towards MIN, flits.
    decide : `Decide` or its text: "once" or "each-attempt".
    traced_packets : measured packets to trace, evenly spaced, 0..100,000.
    stop_when_saturated : end a run as soon as "saturated" is certain, or during warm-up when the
        mean over packets delivered in the last 1,000 cycles (latency) and packets waiting (age)
        exceeds 1,000 cycles. The figures of such a run are partial.

    Raises
    ------
    InvalidInput : a value is out of range.
    """

    warmup_cycles: int = 30_000
    measured_cycles: int = 10_000
    warmup: str = Warmup.FIXED
    drain_limit_cycles: int = 20_000
    vc_scheme: str = "won"
    vc_count: int | None = None
    buffer_flits: int = 32
    local_latency: int = 10
    global_latency: int = 15
    speedup: int = 2
    threshold: int = 0
    decide: str = Decide.ONCE
    traced_packets: int = 0
    stop_when_saturated: bool = False

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            _check_range(name, getattr(self, name), low, high)
        if self.vc_count is not None:
            _check_range("vc_count", self.vc_count, *_VC_RANGE)
        object.__setattr__(self, "vc_scheme", choose(VcScheme, "VC scheme", self.vc_scheme))
        object.__setattr__(self, "warmup", choose(Warmup, "warm-up", self.warmup))
        object.__setattr__(self, "decide", choose(Decide, "decide", self.decide))

    def resolved_vc_count(self, topology: Dragonfly, routing: str) -> int:
        """Virtual channels per port that a run with this routing has."""
        if self.vc_count is not None:
            return self.vc_count
        return VcScheme(self.vc_scheme).vcs_needed(_longest_route(topology, Routing(routing)))


def _longest_route(topology: Dragonfly, routing: Routing) -> Kinds:
    """Return the kinds of the links of the longest route, int8 (1, links)."""
    minimal = topology.longest_min_path
    first = minimal[:1] if routing.decides_again else ()
    return np.array([first + 2 * minimal], dtype=np.int8)


def _check_range(name: str, value: object, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise InvalidInput(f"{name} = {value!r}: expected an integer in {low}..{high}")
