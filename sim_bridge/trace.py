"""The way of a single packet through the network."""

from dataclasses import dataclass

from sim_bridge import _core
from tvlb.native import kernels


@dataclass(frozen=True)
class TraceHop:
    """A switch that the packet left.

    Attributes
    ----------
    switch : the switch.
    link : the link it took, -1 for the way to its node.
    vc : virtual channel on that link.
    departure : cycle in which it, of several phits the first, left the switch.
    """

    switch: int
    link: int
    vc: int
    departure: int


@dataclass(frozen=True)
class PacketTrace:
    """What happened to one packet.

    Attributes
    ----------
    source, destination : nodes.
    created, injected : cycles in which it was generated and in which it left its node.
    delivered : cycle in which it reached its destination; None if not by the end of the run.
    vlb : whether it took a VLB path, after PAR's revision if there was one; of virtual cut-through
        whether it was sent to an intermediate switch.
    hops : the switches that it left, in order.
    """

    source: int
    destination: int
    created: int
    injected: int
    delivered: int | None
    vlb: bool
    hops: tuple[TraceHop, ...]


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
