"""The settings of a run of the router with misrouting policies, checked when they are made."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, ClassVar

from sim_bridge.config import MOST_PHITS, RunConfig, buffer_setting, check_packets, packet_setting
from sim_bridge.latencies import LATENCY
from tvlb.errors import InvalidInput
from tvlb.languages import Names, Number, Whole, setting
from tvlb.topology import Topology

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


def _cycles(text: str) -> Any:
    return setting(None, text, LATENCY, unset=_OF_PRESET)


def _buffer(text: str, option: str) -> Any:
    return buffer_setting(None, text, option, _OF_PRESET)


@dataclass(frozen=True)
class FogConfig(RunConfig):
    """Router and window; what is None is filled in by the preset.

    Raises
    ------
    InvalidInput : see `RunConfig`; or a buffer does not hold whole packets, or the speedup does not
        divide a packet.
    """

    # Four virtual channels of local and two of global ports follow from their order.
    vc_policy: ClassVar[str] = "fixed"
    vc_count: ClassVar[None] = None

    preset: str = setting(
        Preset.PAPER, "Parameters of the router where an option says no other", Names(Preset)
    )
    packet_phits: int = packet_setting(10)
    speedup: float = setting(
        2.0, "Cycles on a link over cycles through the switch, which divides a packet", Number(1)
    )
    rounds: int = setting(2, "Rounds of allocation in a cycle", Whole(1, 16))
    crossbar_latency: int = _cycles("Cycles of a packet in a switch, at least")
    local_buffer_phits: int = _buffer("Input buffer per VC behind local links", "local_buffer")
    global_buffer_phits: int = _buffer("Input buffer per VC behind global links", "global_buffer")
    output_buffer_phits: int = _buffer("Output buffer per port", "output_buffer")
    injection_buffer_phits: int = _buffer(
        "Packets that a node queues before it generates none", "injection_buffer"
    )
    arbiter: str = setting(
        Arbiter.TRANSIT_FIRST,
        "Whom output ports grant first: those granted least recently, of transit packets if there "
        "are any, or of all",
        Names(Arbiter),
    )
    local_latency: int = _cycles("Latency of local links, cycles")
    global_latency: int = _cycles("Latency of global links, cycles")
    levels_group: int | None = setting(
        None,
        "Group of which the series tells the level of each switch",
        Whole(0),
        option="levels",
        unset="none",
        null="none",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in PRESETS[Preset(self.preset)].items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        packet = self.packet_phits
        if packet % self.speedup:
            raise InvalidInput(
                f"speedup {self.speedup:g} does not divide a packet of {packet} phits"
            )
        check_packets(packet, output_buffer=self.output_buffer_phits)
        check_packets(
            packet,
            MOST_PHITS,
            local_buffer=self.local_buffer_phits,
            global_buffer=self.global_buffer_phits,
            injection_buffer=self.injection_buffer_phits,
        )

    def latencies(self, topology: Topology) -> tuple[int, ...]:
        """Latency of the links of each kind of a Dragonfly, cycles."""
        return self.local_latency, self.global_latency

    def check(self, topology: Topology) -> None:
        """Raise InvalidInput if it names a group that the network does not have."""
        last = topology.switch_groups - 1
        if self.levels_group is not None and self.levels_group > last:
            raise InvalidInput(
                f"levels {self.levels_group} is out of range: 0..{last}, the groups of {topology}"
            )
