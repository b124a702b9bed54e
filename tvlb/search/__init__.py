"""The search for a T-VLB table: probe with the model, balance, simulate, decide.

This is the only part of tvlb that drives the simulator; `optimize` searches for weighted sets, or
follows Algorithm 1 of the T-UGAL paper from end to end.
"""

from sim_bridge import (
    LOAD,
    MAX_CYCLES,
    VCT_ROUTINGS,
    RouterScenario,
    Routing,
    RunResult,
    SaturationSearch,
    Scenario,
    SimulationConfig,
    SimulationResult,
    StopFlag,
    VctConfig,
    VctResult,
    VctScenario,
    Warmup,
    half_width,
    jain_index,
)
from sim_bridge.routers.vct import VC_POLICIES, VCT_ROUTING_NAMES, DeadlockProof
from tvlb.processes import Reporter
from tvlb.search.candidates import MAX_DATA_POINTS, choose_candidates
from tvlb.search.cost import (
    Cost,
    model_cost,
    repair_cost,
    simulation_cost,
    stability_cost,
    table_cost,
    vct_cost,
)
from tvlb.search.decision import Measured, Verdict, compare, decide
from tvlb.search.held_out import Change, Judged, Judgement
from tvlb.search.long_runs import LongRun, parse_vcs, stability_cases
from tvlb.search.objective import (
    BUDGETS,
    Aim,
    Objective,
    budget_text,
    flit_hop_budget,
    parse_objective,
)
from tvlb.search.optimize import (
    TableResult,
    check_compact,
    check_request,
    compact_result,
    compact_table,
    optimize,
)
from tvlb.search.options import ADAPTIVE, SearchOptions
from tvlb.search.preparation import Candidate
from tvlb.search.probe import ProbePoint, ProbeResult, probe
from tvlb.search.repair import (
    NEW_TABLE,
    OLD_TABLE,
    Repaired,
    RepairOptions,
    check_repair,
    repair,
)
from tvlb.search.routers import check_routers, router_warnings
from tvlb.search.sampling import Assessment, Sample, choose_patterns
from tvlb.search.simulation import (
    Simulated,
    SimulationRequest,
    find_saturation,
    parse_warmup,
    simulate_loads,
    simulate_request,
)
from tvlb.search.simulation_units import NamedSet
from tvlb.search.stability import (
    Stability,
    StabilityCase,
    StabilityRun,
    StabilityStudy,
    checked_cases,
    judge_stability,
    study_stability,
)
from tvlb.search.tables import incomplete_table
from tvlb.search.task import Found, NoteBest
from tvlb.search.units import Unit, UnitCache, UnitCount, Units, UnitStore, sealed, unsealed
from tvlb.search.validation import SimulatedSet, Validation
from tvlb.search.weighted import MOST_ON_FRONT
from tvlb.search.windows import PAPER, ROUTERS, SCREENING, Windows
from tvlb.search.work import Work
from tvlb.search.workload import MAX_TRAFFIC, parse_named_traffic, traffic_texts

__all__ = [
    "ADAPTIVE",
    "BUDGETS",
    "LOAD",
    "MAX_CYCLES",
    "MAX_DATA_POINTS",
    "MAX_TRAFFIC",
    "MOST_ON_FRONT",
    "NEW_TABLE",
    "OLD_TABLE",
    "PAPER",
    "ROUTERS",
    "SCREENING",
    "VCT_ROUTINGS",
    "VCT_ROUTING_NAMES",
    "VC_POLICIES",
    "Aim",
    "Assessment",
    "Candidate",
    "Change",
    "Cost",
    "DeadlockProof",
    "Found",
    "Judged",
    "Judgement",
    "LongRun",
    "Measured",
    "NamedSet",
    "NoteBest",
    "Objective",
    "ProbePoint",
    "ProbeResult",
    "RepairOptions",
    "Repaired",
    "Reporter",
    "RouterScenario",
    "Routing",
    "RunResult",
    "Sample",
    "SaturationSearch",
    "Scenario",
    "SearchOptions",
    "Simulated",
    "SimulatedSet",
    "SimulationConfig",
    "SimulationRequest",
    "SimulationResult",
    "Stability",
    "StabilityCase",
    "StabilityRun",
    "StabilityStudy",
    "StopFlag",
    "TableResult",
    "Unit",
    "UnitCache",
    "UnitCount",
    "UnitStore",
    "Units",
    "Validation",
    "VctConfig",
    "VctResult",
    "VctScenario",
    "Verdict",
    "Warmup",
    "Windows",
    "Work",
    "budget_text",
    "check_compact",
    "check_repair",
    "check_request",
    "check_routers",
    "checked_cases",
    "choose_candidates",
    "choose_patterns",
    "compact_result",
    "compact_table",
    "compare",
    "decide",
    "find_saturation",
    "flit_hop_budget",
    "half_width",
    "incomplete_table",
    "jain_index",
    "judge_stability",
    "model_cost",
    "optimize",
    "parse_named_traffic",
    "parse_objective",
    "parse_vcs",
    "parse_warmup",
    "probe",
    "repair",
    "repair_cost",
    "router_warnings",
    "sealed",
    "simulate_loads",
    "simulate_request",
    "simulation_cost",
    "stability_cases",
    "stability_cost",
    "study_stability",
    "table_cost",
    "traffic_texts",
    "unsealed",
    "vct_cost",
]
