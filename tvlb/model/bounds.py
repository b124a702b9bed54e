"""Upper bounds on the throughput that hold for every path set."""

from dataclasses import dataclass
from enum import StrEnum

from tvlb.topology import Topology
from tvlb.traffic import Demand


class BoundKind(StrEnum):
    """What limits the throughput from above.

    Notes
    -----
    LINKS : links, as the family prices them. On a Dragonfly global links: every group sends to one
        other group, so a packet with a single global hop needs a direct link of its group pair and
        every other packet takes two global hops. On a Slim Fly all links: none joins a switch with
        its destination, so a packet takes a MIN path of two links, or at least three links.
    PORTS : an injection or ejection port is asked for more than 1 flit/cycle at theta = 1.
    UNIT : theta = 1, every node sends all it wants.
    """

    LINKS = "links"
    PORTS = "ports"
    UNIT = "unit"

    @classmethod
    def _missing_(cls, value: object) -> "BoundKind | None":
        # So documents of earlier versions call it.
        return cls.LINKS if value == "global-links" else None


@dataclass(frozen=True)
class Bound:
    """An upper bound on theta and the reason for it."""

    value: float
    kind: BoundKind


def theta_cap(demand: Demand) -> float:
    """Return the largest theta in [0, 1] that no injection or ejection port forbids."""
    return 1.0 / max(1.0, demand.max_injection, demand.max_ejection)


def capacity_bound(topology: Topology, demand: Demand) -> Bound:
    """Bound theta by the ports and by the family's prices of links.

    Notes
    -----
    Every path costs at least 2, so with total traffic T and the prices of all links W,
    2 theta T <= W. Without traffic between switches only the ports bound it.
    """
    cap = theta_cap(demand)
    worth = float(topology.capacity_prices(demand.source, demand.target).sum())
    total = float(demand.rate.sum())
    value = worth / (2.0 * total) if worth and total else cap
    if value < cap:
        return Bound(value, BoundKind.LINKS)
    return Bound(cap, BoundKind.PORTS if cap < 1.0 else BoundKind.UNIT)
