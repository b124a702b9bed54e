"""The settings of a run of the router with misrouting policies, checked when they are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from sim_bridge.latencies import LATENCY
from sim_bridge.scenario import MAX_CYCLES
from sim_bridge.statistics import check_interval, interval_setting
from tvlb.errors import InvalidInput
from tvlb.languages import Names, Number, Whole, check_settings, setting
from tvlb.topology import Topology

_MOST_PHITS = 65_536
_MOST_PACKETS = 127
_OF_PRESET = "what the preset says"


class Preset(StrEnum):
    """Sets of parameters: Table 3 of the paper, or small ones for small networks."""

    PAPER = "paper"
    SMALL = "small"


class Arbiter(StrEnum):
    """Whom an output port grants: the input port granted least recently, transit first or not."""

    TRANSIT_FIRST = "transit-first"
    LRS = "lrs"


PRESETS: Mapping[Preset, Mapping[str, int]] = MappingProxyType(
    {
        Preset.PAPER: {
            "crossbar_latency": 90,
            "local_latency": 15,
            "global_latency": 150,
            "local_buffer_phits": 720,
            "global_buffer_phits": 1800,
            "output_buffer_phits": 200,
            "injection_buffer_phits": 5040,
        },
        Preset.SMALL: {
            "crossbar_latency": 5,
            "local_latency": 10,
            "global_latency": 100,
            "local_buffer_phits": 100,
            "global_buffer_phits": 400,
            "output_buffer_phits": 50,
            "injection_buffer_phits": 1000,
        },
    }
)
"""The settings that each of them has."""


def _preset(text: str, kind: Any, option: str | None = None) -> Any:
    named: dict[str, Any] = {} if option is None else {"option": option}
    return setting(None, text, kind, unset=_OF_PRESET, **named)


@dataclass(frozen=True)
class FogConfig:
    """Router and window; what is None is filled in by the preset.

    Every setting is declared here, and named once more in `sim_bridge/src/routers/fog/config.hpp`.

    Raises
    ------
    InvalidInput : a value is out of range, a buffer does not hold whole packets, or the speedup
        does not divide a packet.
    """

    warmup_cycles: int = setting(
        20_000, "Cycles before the measured window", Whole(0, MAX_CYCLES), option=None
    )
    measured_cycles: int = setting(20_000, "Measured cycles", Whole(1, MAX_CYCLES), option="cycles")
    preset: str = setting(
        Preset.PAPER, "Parameters of the router where an option says no other", Names(Preset)
    )
    packet_phits: int = setting(10, "Phits of a packet", Whole(1, 1024), option="packet")
    speedup: float = setting(
        2.0, "Cycles on a link over cycles through the switch, which divides a packet", Number(1)
    )
    rounds: int = setting(2, "Rounds of allocation in a cycle", Whole(1, 16))
    crossbar_latency: int = _preset("Cycles of a packet in a switch, at least", LATENCY)
    local_buffer_phits: int = _preset(
        "Input buffer per VC behind local links, phits", Whole(1, _MOST_PHITS), "local_buffer"
    )
    global_buffer_phits: int = _preset(
        "Input buffer per VC behind global links, phits", Whole(1, _MOST_PHITS), "global_buffer"
    )
    output_buffer_phits: int = _preset(
        "Output buffer per port, phits", Whole(1, _MOST_PHITS), "output_buffer"
    )
    injection_buffer_phits: int = _preset(
        "Packets that a node queues before it generates none, phits",
        Whole(1, _MOST_PHITS),
        "injection_buffer",
    )
    arbiter: str = setting(
        Arbiter.TRANSIT_FIRST,
        "Whom output ports grant first: those granted least recently, of transit packets if there "
        "are any, or of all",
        Names(Arbiter),
    )
    local_latency: int = _preset("Latency of local links, cycles", LATENCY)
    global_latency: int = _preset("Latency of global links, cycles", LATENCY)
    levels_group: int | None = setting(
        None,
        "Group of which the series tells the level of each switch",
        Whole(0),
        option="levels",
        unset="none",
        null="none",
    )
    traced_packets: int = setting(
        0, "Measured packets to trace per run", Whole(0, 100_000), option="traces"
    )
    interval: int = interval_setting()

    def __post_init__(self) -> None:
        check_settings(self)
        check_interval(self.interval, self.most_cycles)
        for name, value in PRESETS[Preset(self.preset)].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        packet = self.packet_phits
        # Equal settings are written alike.
        object.__setattr__(self, "speedup", float(self.speedup))
        if packet % self.speedup:
            raise InvalidInput(
                f"speedup {self.speedup:g} does not divide a packet of {packet} phits"
            )
        for name, most in (
            ("local_buffer", _MOST_PHITS),
            ("global_buffer", _MOST_PHITS),
            ("output_buffer", _MOST_PACKETS * packet),
            ("injection_buffer", _MOST_PHITS),
        ):
            phits = getattr(self, f"{name}_phits")
            if phits % packet or not packet <= phits <= most:
                raise InvalidInput(
                    f"{name} {phits} is not 1 to {most // packet} packets of {packet} phits"
                )

    @property
    def most_cycles(self) -> int:
        """Cycles of a run."""
        return self.warmup_cycles + self.measured_cycles

    def check(self, topology: Topology) -> None:
        """Raise InvalidInput if it names a group that the network does not have."""
        last = topology.node_groups - 1
        if self.levels_group is not None and self.levels_group > last:
            raise InvalidInput(
                f"levels {self.levels_group} is out of range: 0..{last}, the groups of {topology}"
            )
