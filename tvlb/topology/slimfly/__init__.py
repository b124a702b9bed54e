"""The Slim Fly of McKay, Miller and Siran's graphs: its fields, its cables, what engines ask."""

from tvlb.topology.slimfly.topology import SlimFly

__all__ = ["SlimFly"]
