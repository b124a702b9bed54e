"""Topology-custom VLB routing tables for Dragonfly networks.

``tvlb.optimize(tvlb.Dragonfly(4, 8, 4, 9))`` runs the whole search; the parts are
`tvlb.topology`, `tvlb.traffic`, `tvlb.paths`, `tvlb.model`, `tvlb.balance`, `tvlb.table` and
`tvlb.search`, and the flit simulator is `sim_bridge`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tvlb import balance, errors, model, paths, search, table, topology, traffic
    from tvlb.errors import TvlbError
    from tvlb.paths import parse_expression
    from tvlb.search import SearchOptions, TableResult, optimize
    from tvlb.topology import Dragonfly, parse_topology
    from tvlb.traffic import parse_pattern

__all__ = [
    "Dragonfly",
    "SearchOptions",
    "TableResult",
    "TvlbError",
    "balance",
    "errors",
    "model",
    "optimize",
    "parse_expression",
    "parse_pattern",
    "parse_topology",
    "paths",
    "search",
    "table",
    "topology",
    "traffic",
]

# Names are loaded on first use: the simulator imports tvlb's lower layers, and a worker that
# solves LPs should not pay for the simulator.
_HOME = {
    "Dragonfly": "tvlb.topology",
    "SearchOptions": "tvlb.search",
    "TableResult": "tvlb.search",
    "TvlbError": "tvlb.errors",
    "optimize": "tvlb.search",
    "parse_expression": "tvlb.paths",
    "parse_pattern": "tvlb.traffic",
    "parse_topology": "tvlb.topology",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return __all__
