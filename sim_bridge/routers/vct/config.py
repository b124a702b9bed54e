"""The settings of a run of the virtual cut-through router, checked when they are made."""

from dataclasses import dataclass

from sim_bridge import _core
from sim_bridge.scenario import MAX_CYCLES
from tvlb.errors import InvalidInput
from tvlb.languages import Names, Whole, check_settings, setting, settings
from tvlb.native.virtual_channels import VC_POLICIES
from tvlb.topology import Topology

_LATENCY = Whole(1, 4096)
_MOST_PHITS = 65_536
_MOST_PACKETS = 127


@dataclass(frozen=True)
class VctConfig:
    """Router and window; the defaults are those of the paper on VC management.

    Every setting is declared here, and named once more in `sim_bridge/src/routers/vct/config.hpp`.

    Raises
    ------
    InvalidInput : a value is out of range, or a buffer does not hold whole packets.
    """

    warmup_cycles: int = setting(
        20_000, "Cycles before the measured window", Whole(0, MAX_CYCLES), option=None
    )
    measured_cycles: int = setting(20_000, "Measured cycles", Whole(1, MAX_CYCLES), option="cycles")
    vc_policy: str = setting(
        "ladder", "Which VCs a packet may take on its next link", Names(VC_POLICIES), option="vcs"
    )
    vc_count: int | None = setting(
        None,
        "Virtual channels per port",
        Whole(1, _core.MAX_VCT_VCS),
        unset="what the policy needs",
        null="what the policy needs",
    )
    packet_phits: int = setting(16, "Phits of a packet", Whole(1, 1024), option="packet")
    input_buffer_phits: int = setting(
        64, "Input buffer per VC, phits", Whole(1, _MOST_PHITS), option="input_buffer"
    )
    output_buffer_phits: int = setting(
        32, "Output buffer per VC, phits", Whole(1, _MOST_PHITS), option="output_buffer"
    )
    source_queue_packets: int = setting(
        20,
        "Packets that a node queues before it refuses more",
        Whole(1, 10_000),
        option="source_queue",
    )
    local_latency: int = setting(1, "Latency of links other than global ones, cycles", _LATENCY)
    global_latency: int = setting(1, "Latency of global links, cycles", _LATENCY)
    server_latency: int = setting(1, "Latency between nodes and switches, cycles", _LATENCY)
    traced_packets: int = setting(
        0, "Measured packets to trace per run", Whole(0, 100_000), option="traces"
    )

    def __post_init__(self) -> None:
        check_settings(self)
        for name, phits in (
            ("input_buffer", self.input_buffer_phits),
            ("output_buffer", self.output_buffer_phits),
        ):
            packets, rest = divmod(phits, self.packet_phits)
            if rest or not 1 <= packets <= _MOST_PACKETS:
                raise InvalidInput(
                    f"{name} {phits} is not 1 to {_MOST_PACKETS} packets of {self.packet_phits} "
                    "phits"
                )

    def latencies(self, topology: Topology) -> list[int]:
        """Latency of the links of each kind, cycles.

        Raises
        ------
        InvalidInput : a latency of global links is given for a network that has none.
        """
        kinds = topology.kinds.names
        usual = settings(VctConfig)["global_latency"].default
        if self.global_latency != usual and "global" not in kinds:
            raise InvalidInput(
                f"global_latency = {self.global_latency}: {topology} has {' and '.join(kinds)} "
                "links only"
            )
        return [self.global_latency if kind == "global" else self.local_latency for kind in kinds]
