"""The Dragonfly: its sizes, the wirings of its global ports, and what engines ask of it."""

from tvlb.topology.dragonfly.arrangements import ARRANGEMENTS
from tvlb.topology.dragonfly.descriptions import Wiring
from tvlb.topology.dragonfly.topology import FROM_FILE, Dragonfly, LinkKind

__all__ = ["ARRANGEMENTS", "FROM_FILE", "Dragonfly", "LinkKind", "Wiring"]
