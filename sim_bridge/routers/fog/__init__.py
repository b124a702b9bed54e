"""Virtual cut-through routers with misrouting policies on Dragonflies: CRG, RRG, ACOR, Piggyback.

`FogScenario.run` simulates one load. Reference: the paper of docs/adaptive-misrouting.md.
"""

from sim_bridge.routers.fog.config import FogConfig, Preset
from sim_bridge.routers.fog.result import FogResult, FogSeries
from sim_bridge.routers.fog.scenario import FogScenario

__all__ = ["FogConfig", "FogResult", "FogScenario", "FogSeries", "Preset"]
