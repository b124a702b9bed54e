"""Topologies in the form that the compiled engines read: built once, shared by all of them."""

import atexit
from functools import lru_cache
from typing import Any

from tvlb.native import kernels
from tvlb.topology.topology import Topology


@lru_cache(maxsize=8)
def compiled(topology: Topology) -> Any:
    """Return the compiled twin of a topology: `tvlb.native.kernels.Topology` of its family."""
    return topology.compile()


@lru_cache(maxsize=2)
def path_kernel(topology: Topology) -> kernels.PathKernel:
    """Return what enumerates the path sets of a topology."""
    return compiled(topology).kernel()


# A thread or a greenlet that never ends may hold this module, and with it what is kept here.
atexit.register(path_kernel.cache_clear)
atexit.register(compiled.cache_clear)
