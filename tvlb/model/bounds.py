"""Upper bounds on the throughput that hold for every path set."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from tvlb.model.instance import theta_cap
from tvlb.topology import Dragonfly, LinkKind
from tvlb.traffic import Demand

__all__ = ["Bound", "BoundKind", "capacity_bound"]


class BoundKind(StrEnum):
    """What limits the throughput from above.

    Notes
    -----
    GLOBAL_LINKS : every group sends to one other group, so a packet with a single global hop
        needs a direct link of its group pair and every other packet takes two global hops.
    PORTS : an injection or ejection port is asked for more than 1 flit/cycle at theta = 1.
    UNIT : theta = 1, every node sends all it wants.
    """

    GLOBAL_LINKS = "global-links"
    PORTS = "ports"
    UNIT = "unit"


@dataclass(frozen=True)
class Bound:
    """An upper bound on theta and the reason for it."""

    value: float
    kind: BoundKind


def capacity_bound(topology: Dragonfly, demand: Demand) -> Bound:
    """Bound theta by the ports and, for group-to-group patterns, by the global links.

    Notes
    -----
    With total traffic T, G global links and D direct links between the group pairs in use, at
    most D flits/cycle take one global hop and the others take two, so 2 theta T - D <= G.
    """
    cap = theta_cap(demand)
    ports = Bound(cap, BoundKind.PORTS if cap < 1.0 else BoundKind.UNIT)
    source = topology.switch_group[demand.source].astype(np.int64)
    target = topology.switch_group[demand.target].astype(np.int64)
    pairs = np.unique(source * topology.groups + target)
    senders = pairs // topology.groups
    one_partner_each = len(np.unique(senders)) == len(senders)
    if len(pairs) == 0 or not one_partner_each or (source == target).any():
        return ports
    global_links = int((topology.network.link_kind == LinkKind.GLOBAL).sum())
    direct_links = int(np.diff(topology.group_link_offset)[pairs].sum())
    value = (global_links + direct_links) / (2.0 * float(demand.rate.sum()))
    return Bound(value, BoundKind.GLOBAL_LINKS) if value < cap else ports
