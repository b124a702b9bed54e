"""The search for a T-VLB table: probe with the model, balance, simulate, decide.

This is the only part of tvlb that drives the simulator; `optimize` searches for weighted sets, or
follows Algorithm 1 of the T-UGAL paper from end to end.
"""

from sim_bridge import (
    MAX_CYCLES,
    Routing,
    SaturationSearch,
    Scenario,
    SimulationConfig,
    SimulationResult,
    StopFlag,
    Warmup,
    half_width,
    jain_index,
)
from tvlb.parallel import available_cores
from tvlb.progress import Progress, Reporter, silent
from tvlb.search.candidates import MAX_DATA_POINTS, choose_candidates
from tvlb.search.cost import Cost, model_cost, simulation_cost, table_cost
from tvlb.search.decision import Comparison, Decision, Measured, Verdict, compare, decide
from tvlb.search.held_out import Change, HeldOut, Judged, Judgement
from tvlb.search.objective import (
    BUDGETS,
    Aim,
    Method,
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
from tvlb.search.probe import ProbePoint, ProbeResult, check_searchable, probe
from tvlb.search.runner import MAX_PATTERNS, PAPER, SCREENING, Windows, parse_windows
from tvlb.search.sampling import Assessment, PatternOrder, Sample, choose_patterns
from tvlb.search.simulation import (
    SimulationRequest,
    find_saturation,
    parse_warmup,
    simulate_loads,
)
from tvlb.search.simulation_units import NamedSet
from tvlb.search.task import Found
from tvlb.search.units import (
    Unit,
    UnitCache,
    UnitCount,
    Units,
    UnitStore,
    own_units,
    sealed,
    unsealed,
)
from tvlb.search.validation import SimulatedSet, Validation, ValidationOptions, validate
from tvlb.search.weighted import MOST_ON_FRONT, WeightedSearch
from tvlb.search.work import Work
from tvlb.search.workload import MAX_TRAFFIC, Workload, parse_traffic

__all__ = [
    "ADAPTIVE",
    "BUDGETS",
    "MAX_CYCLES",
    "MAX_DATA_POINTS",
    "MAX_PATTERNS",
    "MAX_TRAFFIC",
    "MOST_ON_FRONT",
    "PAPER",
    "SCREENING",
    "Aim",
    "Assessment",
    "Candidate",
    "Change",
    "Comparison",
    "Cost",
    "Decision",
    "Found",
    "HeldOut",
    "Judged",
    "Judgement",
    "Measured",
    "Method",
    "NamedSet",
    "Objective",
    "PatternOrder",
    "ProbePoint",
    "ProbeResult",
    "Progress",
    "Reporter",
    "Routing",
    "Sample",
    "SaturationSearch",
    "Scenario",
    "SearchOptions",
    "SimulatedSet",
    "SimulationConfig",
    "SimulationRequest",
    "SimulationResult",
    "StopFlag",
    "TableResult",
    "Unit",
    "UnitCache",
    "UnitCount",
    "UnitStore",
    "Units",
    "Validation",
    "ValidationOptions",
    "Verdict",
    "Warmup",
    "WeightedSearch",
    "Windows",
    "Work",
    "Workload",
    "available_cores",
    "budget_text",
    "check_compact",
    "check_request",
    "check_searchable",
    "choose_candidates",
    "choose_patterns",
    "compact_result",
    "compact_table",
    "compare",
    "decide",
    "find_saturation",
    "flit_hop_budget",
    "half_width",
    "jain_index",
    "model_cost",
    "optimize",
    "own_units",
    "parse_objective",
    "parse_traffic",
    "parse_warmup",
    "parse_windows",
    "probe",
    "sealed",
    "silent",
    "simulate_loads",
    "simulation_cost",
    "table_cost",
    "unsealed",
    "validate",
]
