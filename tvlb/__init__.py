"""Topology-custom VLB routing tables for Dragonfly, Slim Fly and other networks.

``tvlb.optimize("4,8,4,9")`` runs the whole search; the parts are `tvlb.topology`, `tvlb.traffic`,
`tvlb.paths`, `tvlb.model`, `tvlb.balance`, `tvlb.table` and `tvlb.search`, and the flit simulator
is `sim_bridge`. Wherever a topology, a path set or a pattern is wanted, the text will do that the
command line takes; see docs/python.md.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim_bridge import FogConfig, SimulationConfig, VctConfig, simulate
    from sim_bridge.routers.vct import LongRun, stability
    from tvlb import balance, errors, model, paths, search, table, topology, traffic
    from tvlb.errors import TvlbError
    from tvlb.forwarding import MeasureOptions, RouteOptions
    from tvlb.guarantee import static, worst
    from tvlb.model import throughput
    from tvlb.paths import parse_expression
    from tvlb.requests.drawing import plot
    from tvlb.requests.measuring import measure
    from tvlb.requests.repair import RepairOptions, repair
    from tvlb.requests.routing import route
    from tvlb.search import SearchOptions, TableResult, optimize, probe
    from tvlb.table import read_table, write_table
    from tvlb.topology import Dragonfly, parse_topology
    from tvlb.traffic import parse_pattern

    __version__: str
    # See `tvlb.sweeps.sweep`.
    sweep: Callable[..., Any]

__all__ = [
    "Dragonfly",
    "FogConfig",
    "LongRun",
    "MeasureOptions",
    "RepairOptions",
    "RouteOptions",
    "SearchOptions",
    "SimulationConfig",
    "TableResult",
    "TvlbError",
    "VctConfig",
    "__version__",
    "balance",
    "errors",
    "measure",
    "model",
    "optimize",
    "parse_expression",
    "parse_pattern",
    "parse_topology",
    "paths",
    "plot",
    "probe",
    "read_table",
    "repair",
    "route",
    "search",
    "simulate",
    "stability",
    "static",
    "sweep",
    "table",
    "throughput",
    "topology",
    "traffic",
    "worst",
    "write_table",
]

# Names are loaded on first use: the simulator imports tvlb's lower layers, and a worker that
# solves LPs should not pay for the simulator.
_HOME = {
    "Dragonfly": "tvlb.topology",
    "LongRun": "sim_bridge.routers.vct",
    "MeasureOptions": "tvlb.forwarding",
    "RepairOptions": "tvlb.requests.repair",
    "RouteOptions": "tvlb.forwarding",
    "SearchOptions": "tvlb.search",
    "SimulationConfig": "sim_bridge",
    "TableResult": "tvlb.search",
    "TvlbError": "tvlb.errors",
    "FogConfig": "sim_bridge",
    "VctConfig": "sim_bridge",
    "measure": "tvlb.requests.measuring",
    "optimize": "tvlb.search",
    "parse_expression": "tvlb.paths",
    "parse_pattern": "tvlb.traffic",
    "parse_topology": "tvlb.topology",
    "plot": "tvlb.requests.drawing",
    "probe": "tvlb.search",
    "read_table": "tvlb.table",
    "repair": "tvlb.requests.repair",
    "route": "tvlb.requests.routing",
    "simulate": "sim_bridge",
    "stability": "sim_bridge.routers.vct",
    "static": "tvlb.guarantee",
    "sweep": "tvlb.sweeps",
    "throughput": "tvlb.model",
    "worst": "tvlb.guarantee",
    "write_table": "tvlb.table",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "__version__":
        return import_module("tvlb.documents.provenance").VERSION
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    return __all__
