"""The way of a single packet through the network."""

from dataclasses import dataclass

from sim_bridge import _core
from tvlb.languages import Flag, Whole
from tvlb.languages.figures import COUNT, Parts, figure
from tvlb.native import kernels


@dataclass(frozen=True)
class TraceHop:
    """A switch that a traced packet left."""

    switch: int = figure("Switch id", COUNT)
    link: int = figure("Link id, -1 for the way to the destination node", Whole(-1))
    vc: int = figure("Virtual channel on that link", COUNT)
    departure: int = figure("Cycle in which the packet left the switch", COUNT)


@dataclass(frozen=True)
class PacketTrace:
    """The way of one packet.

    Of several phits, cycles of departure are those of the first, that of delivery that of the last.
    """

    source: int = figure("Source node", COUNT)
    destination: int = figure("Destination node", COUNT)
    created: int = figure("Cycle in which it was generated", COUNT)
    injected: int = figure("Cycle in which it left its node", COUNT)
    delivered: int | None = figure(
        "Cycle of delivery", COUNT, null="if it was under way when the run ended"
    )
    # Of virtual cut-through, whether it was sent to an intermediate switch.
    vlb: bool = figure("Whether it took a VLB path in the end", Flag())
    hops: tuple[TraceHop, ...] = figure(
        "The switches that it left, in order", Parts(TraceHop, "TraceHop", many=True)
    )


TRACES = Parts(PacketTrace, "Trace", many=True)
"""What is known of the figure that holds them."""


def make_traces(network: kernels.Network, raw: list[_core.Trace]) -> tuple[PacketTrace, ...]:
    """Return the traces of a run, in order of injection."""
    return tuple(
        PacketTrace(
            one.source,
            one.destination,
            one.created,
            one.injected,
            one.delivered if one.delivered >= 0 else None,
            one.took_vlb,
            tuple(
                TraceHop(hop.sw, network.output_link(hop.sw, hop.port), hop.vc, hop.departure)
                for hop in one.hops
            ),
        )
        for one in raw
    )
