"""Processes and threads that compute, units of work, how often it is tried, and how far it is.

The workers of clusters are in `tvlb.processes.cluster`.
"""

from tvlb.processes.hang import LOOK_SECONDS, HangLimits, HangWatch, cpu_seconds, wants_cpu
from tvlb.processes.meter import Meter, Stages, SweepMeter, duration_text
from tvlb.processes.parallel import (
    MOST_WORKERS,
    Cores,
    Stop,
    available_cores,
    call_nicely,
    check_workers,
    follow_parent,
    gather,
    map_threads,
)
from tvlb.processes.progress import JobStatus, Progress, Reporter, counter, silent
from tvlb.processes.retry import MAX_ATTEMPTS, may_pass, pause, pause_seconds
from tvlb.processes.units import (
    Unit,
    UnitCache,
    UnitCount,
    Units,
    UnitStore,
    own_units,
    sealed,
    unsealed,
)
from tvlb.processes.workers import (
    KeptWorkers,
    TaskFuture,
    WorkerPool,
    encode_call,
    local_workers,
    run_call,
    settle,
    spare_threads,
    tell_part,
)

__all__ = [
    "LOOK_SECONDS",
    "MAX_ATTEMPTS",
    "MOST_WORKERS",
    "Cores",
    "HangLimits",
    "HangWatch",
    "JobStatus",
    "KeptWorkers",
    "Meter",
    "Progress",
    "Reporter",
    "Stages",
    "Stop",
    "SweepMeter",
    "TaskFuture",
    "Unit",
    "UnitCache",
    "UnitCount",
    "UnitStore",
    "Units",
    "WorkerPool",
    "available_cores",
    "call_nicely",
    "check_workers",
    "counter",
    "cpu_seconds",
    "duration_text",
    "encode_call",
    "follow_parent",
    "gather",
    "local_workers",
    "map_threads",
    "may_pass",
    "own_units",
    "pause",
    "pause_seconds",
    "run_call",
    "sealed",
    "settle",
    "silent",
    "spare_threads",
    "tell_part",
    "unsealed",
    "wants_cpu",
]
