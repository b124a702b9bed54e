"""Upper bounds on the throughput that hold for every path set."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tvlb.topology import Dragonfly, LinkKind
from tvlb.traffic import Demand

__all__ = ["Bound", "BoundKind", "capacity_bound", "capacity_prices", "theta_cap"]


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


def theta_cap(demand: Demand) -> float:
    """Return the largest theta in [0, 1] that no injection or ejection port forbids."""
    return 1.0 / max(1.0, demand.max_injection, demand.max_ejection)


def capacity_bound(topology: Dragonfly, demand: Demand) -> Bound:
    """Bound theta by the ports and, for group-to-group patterns, by the global links.

    Notes
    -----
    With total traffic T, G global links and D direct links between the group pairs in use, at
    most D flits/cycle take one global hop and the others take two, so 2 theta T - D <= G.
    """
    cap = theta_cap(demand)
    worth = float(capacity_prices(topology, demand).sum())
    value = worth / (2.0 * float(demand.rate.sum())) if worth else cap
    if value < cap:
        return Bound(value, BoundKind.GLOBAL_LINKS)
    return Bound(cap, BoundKind.PORTS if cap < 1.0 else BoundKind.UNIT)


def capacity_prices(topology: Dragonfly, demand: Demand) -> NDArray[np.float64]:
    """Return link prices that prove the bound by the global links, float64 (links,).

    Notes
    -----
    2 on the direct links of the group pairs in use and 1 on the other global links: every path,
    MIN or VLB, then costs at least 2. All zero unless every group sends to one other group.
    """
    price = np.zeros(topology.num_links)
    source = topology.switch_group[demand.source].astype(np.int64)
    target = topology.switch_group[demand.target].astype(np.int64)
    pairs = np.unique(source * topology.groups + target)
    senders = pairs // topology.groups
    one_partner_each = len(np.unique(senders)) == len(senders)
    if len(pairs) == 0 or not one_partner_each or (source == target).any():
        return price
    price[topology.network.link_kind == LinkKind.GLOBAL] = 1.0
    offset = topology.group_link_offset
    for pair in pairs.tolist():
        price[topology.group_links[offset[pair] : offset[pair + 1]]] = 2.0
    return price
