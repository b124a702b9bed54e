"""Simulated loads and saturation searches as one JSON document."""

import math
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from sim_bridge import SaturationSearch, SimulationResult, half_width, jain_index
from tvlb.documents import plain
from tvlb.provenance import versions
from tvlb.search.simulation import SimulationRequest
from tvlb.topology import Dragonfly, LinkKind

__all__ = ["simulation_document"]

Document = dict[str, object]

_MEANS = (
    "accepted",
    "latency_mean",
    "latency_p50",
    "latency_p90",
    "latency_p99",
    "latency_p999",
    "hops_mean",
    "vlb_share",
    "vlb_share_measured",
)
_TOTALS = ("flits", "flit_hops", "cycles", "cpu_seconds", "wall_seconds")
_INTERVALS = {"accepted_ci95": "accepted", "latency_ci95": "latency_mean"}
_STATES = ("saturated", "stopped", "stop_reason", "warmup_cycles", "steady")


def simulation_document(
    request: SimulationRequest,
    results: Sequence[Sequence[SimulationResult]],
    saturation: Sequence[SaturationSearch],
) -> Document:
    """Return the document of `simulate_loads` and `find_saturation`.

    Notes
    -----
    With one seed, a row describes its run, and intervals come from its batch means. With several,
    a row has means over the seeds with intervals from seed to seed, totals over the seeds, and the
    single runs under ``runs``; it is saturated if most of them are, and steady if all are.
    """
    scenario = request.scenario
    document: Document = {
        "topology": str(scenario.topology),
        "routing": str(scenario.routing),
        "path_set": str(scenario.path_set),
        "pattern": str(scenario.pattern),
        "seed": scenario.seed,
        "seeds": request.seeds,
        "config": plain(asdict(request.config)),
        "warnings": list(scenario.warnings(request.config)),
        "rows": [_row(runs, scenario.topology) for runs in results],
        "provenance": versions(),
    }
    if saturation:
        document |= _saturation(saturation, scenario.topology)
    return document


def _row(runs: Sequence[SimulationResult], topology: Dragonfly) -> object:
    if len(runs) == 1:
        return _run(runs[0], topology)
    saturated = sum(run.saturated for run in runs)
    row: Document = {"load": runs[0].load}
    row |= {name: float(np.mean(_values(runs, name))) for name in _MEANS}
    row |= {name: half_width(_values(runs, of)) for name, of in _INTERVALS.items()}
    row |= {name: sum(getattr(run, name) for run in runs) for name in _TOTALS}
    row |= {"saturated": 2 * saturated > len(runs), "saturated_runs": saturated}
    row |= {"warmup_cycles": float(np.mean(_values(runs, "warmup_cycles")))}
    row |= {"steady": all(run.steady for run in runs)}
    return plain(row | {"runs": [_run(run, topology) for run in runs]})


def _values(runs: Sequence[SimulationResult], name: str) -> NDArray[np.float64]:
    return np.array([getattr(run, name) for run in runs], dtype=np.float64)


def _saturation(searches: Sequence[SaturationSearch], topology: Dragonfly) -> Document:
    loads = np.array([search.load for search in searches])
    return {
        "saturation_load": round(float(loads.mean()), 10),
        "saturation_ci95": plain(half_width(loads)),
        "saturation_by_seed": loads.tolist(),
        "saturation_runs": [_run(run, topology) for search in searches for run in search.evaluated],
    }


def _run(result: SimulationResult, topology: Dragonfly) -> object:
    names = ("load", "seed", *_MEANS, *_INTERVALS, *_STATES, *_TOTALS)
    row: Document = {name: getattr(result, name) for name in names}
    row["switch_injected"] = _fairness(result.switch_injected)
    row["switch_accepted"] = _fairness(result.switch_accepted)
    row["link_load"] = {
        kind.name.lower(): _spread(result.link_load[topology.network.link_kind == kind])
        for kind in LinkKind
    } | {"by_link": result.link_load.tolist()}
    row["series"] = {
        "cycle": result.series.cycle.tolist(),
        "accepted": result.series.accepted.tolist(),
        "latency_mean": result.series.latency_mean.tolist(),
    }
    row["traces"] = [asdict(trace) for trace in result.traces]
    return plain(row)


def _fairness(shares: NDArray[np.float64]) -> Document:
    return {
        "min": float(shares.min()),
        "max": float(shares.max()),
        "jain_index": jain_index(shares),
        "by_switch": shares.tolist(),
    }


def _spread(loads: NDArray[np.float64]) -> dict[str, float]:
    if len(loads) == 0:
        return {"mean": math.nan, "max": math.nan}
    return {"mean": float(loads.mean()), "max": float(loads.max())}
