"""Dragonfly networks: switches, compute nodes and directed links with stable ids.

Everything else in tvlb (paths, model, balance, simulator, tables) refers to these ids.
"""

from tvlb.topology.arrangements import ARRANGEMENTS
from tvlb.topology.compiled import compiled
from tvlb.topology.dragonfly import FROM_FILE, Dragonfly
from tvlb.topology.network import LinkKind, Network
from tvlb.topology.parse import parse_named_topology, parse_sizes, parse_topology

__all__ = [
    "ARRANGEMENTS",
    "FROM_FILE",
    "Dragonfly",
    "LinkKind",
    "Network",
    "compiled",
    "parse_named_topology",
    "parse_sizes",
    "parse_topology",
]
