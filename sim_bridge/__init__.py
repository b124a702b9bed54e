"""The flit simulator: a compiled cycle-level core and its Python side.

`simulate` runs one load, `search_saturation` searches for the largest load that a routing sustains;
`simulate_request` runs loads and seeds in parallel.
A second model of routers, `sim_bridge.routers.vct`, has packets of several phits.
"""

from sim_bridge._core import StopFlag
from sim_bridge.config import MAX_CYCLES
from sim_bridge.result import RunResult
from sim_bridge.routers.fog import FogConfig, FogResult, FogScenario
from sim_bridge.routers.iq import (
    Decide,
    FollowedTable,
    SaturationSearch,
    Scenario,
    SimulationConfig,
    SimulationResult,
    Warmup,
    round_trip_warnings,
    search_saturation,
)
from sim_bridge.routers.vct import VCT_ROUTINGS, VctConfig, VctResult, VctScenario
from sim_bridge.routing import LEVEL_ROUTINGS, MOST_LEVELS, PATH_ROUTINGS, Routing
from sim_bridge.run import simulate
from sim_bridge.sampling import Split
from sim_bridge.scenario import LOAD, SEEDS, RouterScenario
from sim_bridge.simulations import (
    Simulated,
    SimulationRequest,
    find_saturation,
    parse_warmup,
    simulate_loads,
    simulate_request,
)
from sim_bridge.statistics import Series, half_width, jain_index
from sim_bridge.trace import PacketTrace, TraceHop

__all__ = [
    "LEVEL_ROUTINGS",
    "LOAD",
    "MAX_CYCLES",
    "MOST_LEVELS",
    "PATH_ROUTINGS",
    "SEEDS",
    "VCT_ROUTINGS",
    "Decide",
    "FogConfig",
    "FogResult",
    "FogScenario",
    "FollowedTable",
    "PacketTrace",
    "RouterScenario",
    "Routing",
    "RunResult",
    "SaturationSearch",
    "Scenario",
    "Series",
    "Simulated",
    "SimulationConfig",
    "SimulationRequest",
    "SimulationResult",
    "Split",
    "StopFlag",
    "TraceHop",
    "VctConfig",
    "VctResult",
    "VctScenario",
    "Warmup",
    "find_saturation",
    "half_width",
    "jain_index",
    "parse_warmup",
    "round_trip_warnings",
    "search_saturation",
    "simulate",
    "simulate_loads",
    "simulate_request",
]
