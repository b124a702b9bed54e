"""Forwarding tables: an entry per switch and destination node, made by engines, and their measures.

Every packet for a node leaves a switch by the same link, wherever it comes from, as InfiniBand and
Ethernet switches route.
"""

from tvlb.forwarding.bounds import EfiBound, SplitEfi, efi_bound, split_efi, table_bound
from tvlb.forwarding.engines import Engine, RouteTask, core_engine, engines
from tvlb.forwarding.forwarding import (
    MOST_ENTRIES,
    MOST_LINKS,
    NO_PORT,
    Forwarding,
    Ports,
    check_entries,
    graph_of,
)
from tvlb.forwarding.layers import dependencies, dependency_circle, in_layers, layers_needed
from tvlb.forwarding.management import to_switches
from tvlb.forwarding.measures import (
    LinkLoads,
    Routes,
    StreamRates,
    bandwidth_of,
    pattern_rates,
    shift_rates,
)
from tvlb.forwarding.measuring import Measured, MeasureOptions, measure
from tvlb.forwarding.routing import Order, Routed, RouteOptions, route
from tvlb.forwarding.sequences import sequences_from
from tvlb.forwarding.split import SplitRoutes

__all__ = [
    "MOST_ENTRIES",
    "MOST_LINKS",
    "NO_PORT",
    "EfiBound",
    "Engine",
    "Forwarding",
    "LinkLoads",
    "MeasureOptions",
    "Measured",
    "Order",
    "Ports",
    "RouteOptions",
    "RouteTask",
    "Routed",
    "Routes",
    "SplitEfi",
    "SplitRoutes",
    "StreamRates",
    "bandwidth_of",
    "check_entries",
    "core_engine",
    "dependencies",
    "dependency_circle",
    "efi_bound",
    "engines",
    "graph_of",
    "in_layers",
    "layers_needed",
    "measure",
    "pattern_rates",
    "route",
    "sequences_from",
    "shift_rates",
    "split_efi",
    "table_bound",
    "to_switches",
]
