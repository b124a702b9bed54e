"""Forwarding tables: an entry per switch and destination node, made by engines, and their measures.

Every packet for a node leaves a switch by the same link, wherever it comes from, as InfiniBand and
Ethernet switches route.
"""

from tvlb.forwarding.engines import Engine, RouteTask, core_engine, engines
from tvlb.forwarding.forwarding import MOST_LINKS, NO_PORT, Forwarding, Ports, graph_of
from tvlb.forwarding.measures import (
    Bandwidth,
    LinkLoads,
    bandwidth_of,
    loads_of,
    stream_rates,
)
from tvlb.forwarding.one_lane import circle_of, to_switches, waits_of
from tvlb.forwarding.routing import Order, Routed, RouteOptions, route
from tvlb.forwarding.sequences import sequences_from

__all__ = [
    "MOST_LINKS",
    "NO_PORT",
    "Bandwidth",
    "Engine",
    "Forwarding",
    "LinkLoads",
    "Order",
    "Ports",
    "RouteOptions",
    "RouteTask",
    "Routed",
    "bandwidth_of",
    "circle_of",
    "core_engine",
    "engines",
    "graph_of",
    "loads_of",
    "route",
    "sequences_from",
    "stream_rates",
    "to_switches",
    "waits_of",
]
