"""Upper bounds on the throughput that hold for every path set."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tvlb.topology import Dragonfly, LinkKind
from tvlb.traffic import Demand

__all__ = ["Bound", "BoundKind", "capacity_bound", "capacity_price", "theta_cap"]


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
    pairs = _partner_pairs(topology, demand)
    if pairs is None:
        return ports
    global_links = int((topology.network.link_kind == LinkKind.GLOBAL).sum())
    direct_links = int(np.diff(topology.group_link_offset)[pairs].sum())
    value = (global_links + direct_links) / (2.0 * float(demand.rate.sum()))
    return Bound(value, BoundKind.GLOBAL_LINKS) if value < cap else ports


def capacity_price(topology: Dragonfly, demand: Demand) -> NDArray[np.float64]:
    """Return link prices, float64 (links,), that prove the capacity bound by weak duality.

    Notes
    -----
    For group-to-group patterns 2 on the direct links in use and 1 on the other global links:
    every path then costs at least 2. For other patterns 1 on every link.
    """
    pairs = _partner_pairs(topology, demand)
    if pairs is None:
        return np.ones(topology.num_links)
    price = (topology.network.link_kind == LinkKind.GLOBAL).astype(np.float64)
    offset = topology.group_link_offset
    for pair in pairs.tolist():
        price[topology.group_links[offset[pair] : offset[pair + 1]]] = 2.0
    return price if price.any() else np.ones(topology.num_links)


def theta_cap(demand: Demand) -> float:
    """Return the largest theta in [0, 1] that no injection or ejection port forbids."""
    return 1.0 / max(1.0, demand.max_injection, demand.max_ejection)


def _partner_pairs(topology: Dragonfly, demand: Demand) -> NDArray[np.int64] | None:
    """Return source group * groups + destination group of all traffic, int64, sorted.

    None unless every sending group sends to exactly one other group.
    """
    source = topology.switch_group[demand.source].astype(np.int64)
    target = topology.switch_group[demand.target].astype(np.int64)
    pairs = np.unique(source * topology.groups + target)
    senders = pairs // topology.groups
    one_partner_each = len(np.unique(senders)) == len(senders)
    if len(pairs) == 0 or not one_partner_each or (source == target).any():
        return None
    return pairs
