"""The settings of a simulation run, checked when they are made."""

from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Any

import numpy as np

from sim_bridge.routing import Routing
from tvlb.choices import choose
from tvlb.errors import InvalidInput
from tvlb.topology import Topology
from tvlb.virtual_channels import Kinds, VcScheme

__all__ = ["MAX_CYCLES", "Decide", "Setting", "SimulationConfig", "Warmup", "settings"]

MAX_CYCLES = 100_000_000
_LATENCY = "_latency"


class Decide(StrEnum):
    """When the source decides: once, or again every cycle while the packet heads its queue."""

    ONCE = "once"
    EACH_ATTEMPT = "each-attempt"


class Warmup(StrEnum):
    """When the measured window begins: after a fixed time, or when the run has become steady."""

    FIXED = "fixed"
    DETECT = "detect"


@dataclass(frozen=True)
class Setting:
    """What is known of a setting besides its name, type and default.

    The boundary (requests, command line, documents) is made from it; see `settings`.

    Attributes
    ----------
    text : what it is, without a full stop.
    option : its name in requests and on the command line; None if it is not offered there.
    values : least and greatest of an integer, or the names to choose from; None for a flag.
    unset : what None stands for, where it is allowed.
    """

    text: str
    option: str | None
    values: tuple[int, int] | type[StrEnum] | None
    unset: str | None = None

    def checked(self, name: str, value: object) -> object:
        """Return the value, names as members; raise InvalidInput if it is none of `values`."""
        if self.values is None or (value is None and self.unset is not None):
            return value
        if isinstance(self.values, type):
            return choose(self.values, name, str(value))
        low, high = self.values
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise InvalidInput(f"{name} = {value!r}: expected an integer in {low}..{high}")
        return value


def _setting(
    default: Any,
    text: str,
    values: tuple[int, int] | type[StrEnum] | None = None,
    option: str | None = None,
    unset: str | None = None,
) -> Any:
    return field(default=default, metadata={"setting": Setting(text, option, values, unset)})


@dataclass(frozen=True)
class SimulationConfig:
    """Router, window and stopping settings; the defaults are Table 3 of the T-UGAL paper.

    Every setting is declared here, and named once more in `sim_bridge/src/config.hpp`. Names of
    choices may be given as text.

    Raises
    ------
    InvalidInput : a value is out of range.

    Notes
    -----
    With a detected warm-up, from `measured_cycles` on, every 1,000 cycles, the warm-up is over if
    MSER (White, Cobb, Spratt, 2000) drops no more than the first half of the mean latencies per 100
    cycles. A run that may stop when saturated ends as soon as that is certain, or during warm-up
    when the mean over packets delivered in the last 1,000 cycles (latency) and packets waiting
    (age) exceeds 1,000 cycles; its figures are partial.
    """

    warmup_cycles: int = _setting(
        30_000,
        "Cycles before the measured window; with a detected warm-up, at most so many",
        (0, MAX_CYCLES),
    )
    measured_cycles: int = _setting(10_000, "Measured cycles", (1, MAX_CYCLES), "cycles")
    warmup: str = _setting(
        Warmup.FIXED, "Whether the warm-up is fixed or ends when a run is steady", Warmup
    )
    drain_limit_cycles: int = _setting(
        20_000, "Most cycles after the measured window to wait for its packets", (0, MAX_CYCLES)
    )
    vc_scheme: str | None = _setting(
        None, "VC scheme", VcScheme, "vcs", "that of the network's family"
    )
    # VC indices of a scheme that needs more are clamped.
    vc_count: int | None = _setting(
        None, "Virtual channels per port", (1, 8), "vc_count", "what the scheme needs"
    )
    buffer_flits: int = _setting(32, "Buffer per input VC, flits", (1, 4096), "buffer")
    local_latency: int = _setting(10, "Local link latency, cycles", (1, 4096), "local_latency")
    global_latency: int = _setting(15, "Global link latency, cycles", (1, 4096), "global_latency")
    speedup: int = _setting(2, "Internal switch steps per cycle", (1, 16), "speedup")
    threshold: int = _setting(
        0, "UGAL bias T towards MIN, flits", (-1_000_000, 1_000_000), "threshold"
    )
    decide: str = _setting(Decide.ONCE, "When the source decides", Decide, "decide")
    # Evenly spaced.
    traced_packets: int = _setting(0, "Measured packets to trace per run", (0, 100_000), "traces")
    stop_when_saturated: bool = _setting(
        False, "Whether a run ends as soon as it is certain to be saturated"
    )

    def __post_init__(self) -> None:
        for name, setting in settings().items():
            object.__setattr__(self, name, setting.checked(name, getattr(self, name)))

    @staticmethod
    def latency_settings() -> list[str]:
        """Return the names of the settings that are the latency of a kind of links."""
        return [name for name in settings() if name.endswith(_LATENCY)]

    def latencies(self, topology: Topology) -> tuple[int, ...]:
        """Latency of the links of each kind, cycles: a setting, or what the family says.

        Raises
        ------
        InvalidInput : a setting is given for a kind of links that the network does not have.
        """
        kinds = topology.kinds
        for one in fields(self):
            kind = one.name.removesuffix(_LATENCY)
            given = one.name.endswith(_LATENCY) and getattr(self, one.name) != one.default
            if given and kind not in kinds.names:
                raise InvalidInput(
                    f"{one.name} = {getattr(self, one.name)}: {topology} has "
                    f"{' and '.join(kinds.names)} links only"
                )
        usual = zip(kinds.names, kinds.latencies, strict=True)
        return tuple(getattr(self, f"{name}{_LATENCY}", latency) for name, latency in usual)

    def on(self, topology: Topology) -> "SimulationConfig":
        """Return the settings with what the family of a network says filled in."""
        return replace(self, vc_scheme=self.vc_scheme or topology.vc_scheme)

    def resolved_vc_count(self, topology: Topology, routing: str) -> int:
        """Virtual channels per port that a run with this routing has."""
        if self.vc_count is not None:
            return self.vc_count
        scheme = VcScheme(self.vc_scheme or topology.vc_scheme)
        return scheme.vcs_needed(_longest_route(topology, Routing(routing)))


def settings() -> dict[str, Setting]:
    """Return the settings by name, in the order of `SimulationConfig`."""
    return {one.name: one.metadata["setting"] for one in fields(SimulationConfig)}


def _longest_route(topology: Topology, routing: Routing) -> Kinds:
    """Return the kinds of the links of the longest route, int8 (1, links)."""
    minimal = topology.longest_min_path
    first = minimal[:1] if routing.decides_again else ()
    return np.array([first + 2 * minimal], dtype=np.int8)
