"""The search for a T-VLB table: probe with the model, balance, simulate, decide.

`optimize` searches for weighted sets, or follows Algorithm 1 of the T-UGAL paper from end to end.
"""

from tvlb.search.candidates import MAX_DATA_POINTS, choose_candidates
from tvlb.search.common_traffic import (
    CommonTraffic,
    measure_common,
)
from tvlb.search.decision import Measured, decide
from tvlb.search.held_out import Judged
from tvlb.search.objective import (
    BUDGETS,
    Aim,
    Objective,
    Searched,
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
from tvlb.search.routers import check_routers, router_warnings
from tvlb.search.sampling import Assessment, Sample, choose_patterns
from tvlb.search.simulation_units import NamedSet
from tvlb.search.tables import incomplete_table
from tvlb.search.task import Found, NoteBest
from tvlb.search.validation import SimulatedSet, Validation
from tvlb.search.verdict import VerdictRecord
from tvlb.search.weighted import MOST_ON_FRONT, WeightedSearch
from tvlb.search.windows import PAPER, ROUTERS, SCREENING, Windows
from tvlb.search.work import Work
from tvlb.search.workload import (
    MAX_TRAFFIC,
    asked_traffic,
    parse_asked_traffic,
    shown_traffic,
    traffic_texts,
)

__all__ = [
    "ADAPTIVE",
    "BUDGETS",
    "MAX_DATA_POINTS",
    "MAX_TRAFFIC",
    "MOST_ON_FRONT",
    "PAPER",
    "ROUTERS",
    "SCREENING",
    "Aim",
    "Assessment",
    "Candidate",
    "CommonTraffic",
    "Found",
    "Judged",
    "Measured",
    "NamedSet",
    "NoteBest",
    "Objective",
    "ProbePoint",
    "ProbeResult",
    "Sample",
    "SearchOptions",
    "Searched",
    "SimulatedSet",
    "TableResult",
    "Validation",
    "VerdictRecord",
    "WeightedSearch",
    "Windows",
    "Work",
    "asked_traffic",
    "budget_text",
    "check_compact",
    "check_request",
    "check_routers",
    "choose_candidates",
    "choose_patterns",
    "compact_result",
    "compact_table",
    "decide",
    "flit_hop_budget",
    "incomplete_table",
    "measure_common",
    "optimize",
    "parse_asked_traffic",
    "parse_objective",
    "probe",
    "router_warnings",
    "shown_traffic",
    "traffic_texts",
]
