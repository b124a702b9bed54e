"""The virtual cut-through router: packets of several phits, virtual channels chosen hop by hop.

`VctScenario.run` simulates one load. Reference: the paper of docs/virtual-cut-through.md.
"""

from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.routers.vct.long_runs import LongRun, parse_vcs, stability, stability_cases
from sim_bridge.routers.vct.proof import DeadlockProof
from sim_bridge.routers.vct.result import VctResult
from sim_bridge.routers.vct.scenario import VctScenario
from sim_bridge.routers.vct.stability import (
    Stability,
    StabilityCase,
    StabilityRun,
    StabilityStudy,
    checked_cases,
    judge_stability,
    study_stability,
)
from sim_bridge.routing import (
    VCT_PATH_ROUTINGS,
    VCT_PORT_ROUTINGS,
    VCT_ROUTING_NAMES,
    VCT_ROUTINGS,
)
from tvlb.native.virtual_channels import VC_POLICIES

__all__ = [
    "VCT_PATH_ROUTINGS",
    "VCT_PORT_ROUTINGS",
    "VCT_ROUTINGS",
    "VCT_ROUTING_NAMES",
    "VC_POLICIES",
    "DeadlockProof",
    "LongRun",
    "Stability",
    "StabilityCase",
    "StabilityRun",
    "StabilityStudy",
    "VctConfig",
    "VctResult",
    "VctScenario",
    "checked_cases",
    "judge_stability",
    "parse_vcs",
    "stability",
    "stability_cases",
    "study_stability",
]
