"""Routers with input queues: packets of one flit, routes chosen at the source.

`Scenario.run` simulates one load, `search_saturation` finds the largest load that is sustained.
"""

from sim_bridge.routers.iq.config import (
    Decide,
    SimulationConfig,
    Warmup,
)
from sim_bridge.routers.iq.result import SimulationResult
from sim_bridge.routers.iq.round_trip import round_trip_warnings
from sim_bridge.routers.iq.saturation import SaturationSearch, search_saturation
from sim_bridge.routers.iq.scenario import Scenario
from sim_bridge.routers.iq.table import FollowedTable

__all__ = [
    "Decide",
    "FollowedTable",
    "SaturationSearch",
    "Scenario",
    "SimulationConfig",
    "SimulationResult",
    "Warmup",
    "round_trip_warnings",
    "search_saturation",
]
