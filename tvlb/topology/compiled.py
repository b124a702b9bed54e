"""Topologies in the form that the compiled engines read: built once, shared by all of them."""

import atexit
from functools import lru_cache

from tvlb import _native
from tvlb.topology.dragonfly import Dragonfly

__all__ = ["compiled"]


@lru_cache(maxsize=8)
def compiled(topology: Dragonfly) -> _native.Dragonfly:
    """Return the compiled twin of a topology."""
    network = topology.network
    links = _native.Network(
        network.num_switches,
        network.node_switch,
        network.link_source,
        network.link_target,
        network.link_kind,
    )
    return _native.Dragonfly(links, topology.groups)


# A thread or a greenlet that never ends may hold this module, and with it what is kept here.
atexit.register(compiled.cache_clear)
