"""The settings of a run of the virtual cut-through router, checked when they are made."""

from dataclasses import dataclass, replace

import numpy as np

from sim_bridge import _core
from sim_bridge.config import RunConfig, buffer_setting, check_packets, packet_setting
from sim_bridge.latencies import (
    LATENCY,
    USUAL_LATENCY,
    latencies,
    latencies_in_file,
    latencies_setting,
    latency_setting,
    latency_settings,
    unsaid_latency,
)
from sim_bridge.rule import rule_setting
from tvlb.languages import Names, Whole, setting
from tvlb.native.virtual_channels import VC_POLICIES
from tvlb.topology import Topology

_COMPARES_NOTHING = "routings that compare no queues"
_OF_FILE = f"what the file of the network says, else {USUAL_LATENCY}"


@dataclass(frozen=True)
class VctConfig(RunConfig):
    """Router and window; the defaults are those of the paper on VC management.

    Raises
    ------
    InvalidInput : see `RunConfig`; or a buffer does not hold whole packets.
    """

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
    packet_phits: int = packet_setting(16)
    input_buffer_phits: int = buffer_setting(64, "Input buffer per VC", "input_buffer")
    output_buffer_phits: int = buffer_setting(32, "Output buffer per VC", "output_buffer")
    source_queue_packets: int = setting(
        20,
        "Packets that a node queues before it refuses more",
        Whole(1, 10_000),
        option="source_queue",
    )
    local_latency: int | None = latency_setting("links other than global ones", _OF_FILE)
    global_latency: int | None = latency_setting("global links", _OF_FILE)
    link_latencies: str | None = latencies_setting(_OF_FILE)
    server_latency: int = setting(1, "Latency between nodes and switches, cycles", LATENCY)
    ugal_rule: str | None = rule_setting("ugal_rule", null=_COMPARES_NOTHING, is_later=True)
    queue: str | None = rule_setting(
        "queue",
        null=_COMPARES_NOTHING,
        text="Phits in output buffers or without credit that UGAL compares: of the port, of the "
        "VC that the packet would take, of that VC without phits in transit, of the VC where both "
        "paths leave by one port only; or MIN's/VLB's",
    )
    threshold: int | None = rule_setting(
        "threshold", null=_COMPARES_NOTHING, text="UGAL bias T towards MIN, phits", is_later=True
    )
    vlb_factor: float | None = rule_setting("vlb_factor", null=_COMPARES_NOTHING)
    candidates: int | None = rule_setting("candidates", null=_COMPARES_NOTHING)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_packets(
            self.packet_phits,
            input_buffer=self.input_buffer_phits,
            output_buffer=self.output_buffer_phits,
        )

    def latencies(self, topology: Topology) -> tuple[int, ...]:
        """Latency of the links of each kind, cycles: a setting, what a file says, or one.

        Raises
        ------
        InvalidInput : a setting is given for a kind of links that the network does not have.
        """
        told = latencies_in_file(topology)
        return latencies(topology, self, told or [USUAL_LATENCY] * len(topology.kinds.names))

    def on(self, topology: Topology) -> "VctConfig":
        """Return the settings with the latencies of the links filled in; see `latencies`."""
        return replace(self, **latency_settings(topology, self.latencies(topology)))

    def warnings(self, topology: Topology) -> tuple[str, ...]:
        """Say in words what limits a run, or is not what the file of the network may mean.

        The first phit of a packet takes the latency of a link to the buffer at its other end, and
        its credit as long back; the others follow one a cycle, so that there is room for another
        packet 2 * latency + phits - 1 cycles later.
        """
        kinds, carried = topology.network.link_kind, self.input_buffer_phits
        found = unsaid_latency(topology, self.latencies(topology))
        for kind, latency in enumerate(self.latencies(topology)):
            round_trip = 2 * latency + self.packet_phits - 1
            if carried < round_trip and bool(np.any(kinds == kind)):
                found += (
                    f"an input buffer of {carried} phits is below the credit round trip of "
                    f"{topology.kinds.names[kind]} links, {round_trip} cycles: one VC carries at "
                    f"most {carried / round_trip:.3f} phits/cycle",
                )
        return found
