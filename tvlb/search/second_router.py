"""What a choice is worth on routers of another model: virtual cut-through, packets of many phits.

A gain of a table or of a rule may be one of the router that it was found on. These routers have
output queues and packets of several phits, so their queues say other things.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from sim_bridge import SimulationConfig, VctConfig, VctScenario
from sim_bridge.latencies import LATENCY_SETTINGS
from tvlb.processes import Reporter, counter
from tvlb.processes.units import Unit, Units
from tvlb.search.held_out import HeldOut, judged_cases
from tvlb.search.simulation_units import Recipe
from tvlb.statistics import Judgement, Pairing, SetFigures, judgements
from tvlb.topology import Topology

# Times the saturation of the best set in a case; some are saturated at no lower load.
_BEYOND = 1.25
_KEPT_SCENARIOS = 4


class Judges(StrEnum):
    """The routers on which a choice is judged, by their names."""

    IQ = "iq"
    BOTH = "iq,vct"


def cut_through_config(topology: Topology, config: SimulationConfig) -> VctConfig:
    """Return the settings of the second router: windows and latencies of the first."""
    known = config.on(topology)
    return VctConfig(
        known.warmup_cycles,
        known.measured_cycles,
        **{name: getattr(known, name) for name in LATENCY_SETTINGS},
        **asdict(config.rule),
    )


@lru_cache(maxsize=_KEPT_SCENARIOS)
def _built(recipe: Recipe) -> VctScenario:
    path_set = recipe.named_set.path_set
    return VctScenario(path_set.topology, recipe.routing, recipe.pattern, recipe.seed, path_set)


@dataclass(frozen=True)
class CutThroughUnit(Unit[tuple[float, float]]):
    """Simulate one load: mean latency, nan if nodes refuse packets, and accepted phits."""

    recipe: Recipe
    config: VctConfig
    load: float

    def key_fields(self) -> Mapping[str, object]:
        """See `Unit.key_fields`."""
        return {
            "unit": "cut-through run",
            "scenario": self.recipe.key_fields(),
            "config": asdict(self.config),
            "load": self.load,
        }

    def compute(self) -> bytes:
        """See `Unit.compute`."""
        result = _built(self.recipe).run(self.load, self.config)
        latency = math.nan if result.refused > 0 else result.latency_mean
        return json.dumps([latency, result.accepted]).encode()

    def decode(self, data: bytes) -> tuple[float, float]:
        """See `Unit.decode`."""
        latency, accepted = json.loads(data)
        return float(latency), float(accepted)


def judge_cut_through(
    held_out: HeldOut,
    rivals: Sequence[str],
    *,
    routing: str,
    config: SimulationConfig,
    seed: int,
    units: Units,
    report: Reporter,
) -> tuple[Judgement, ...]:
    """Compare the sets of a comparison once more, on its cases, by virtual cut-through.

    Returns
    -------
    As `HeldOut.judgements`, but of phits accepted beyond saturation in place of saturation loads;
    latencies at the same loads.
    """
    workload, topology = held_out.workload, held_out.sets[0].candidate.path_set.topology
    cases = judged_cases(workload, seed)
    best = np.max([one.saturation for one in held_out.sets], axis=0)
    beyond = [min(1.0, _BEYOND * one) for one in best.tolist()]
    settings = held_out.windows.on(config)
    every = [
        CutThroughUnit(recipe, cut_through_config(topology, recipe.filled(settings)), load)
        for one in held_out.sets
        for (pattern, number), highest in zip(cases, beyond, strict=True)
        for recipe in [Recipe(one.candidate.named_set, routing, pattern, number)]
        for load in (*held_out.loads, highest)
    ]
    found = units.map(every, counter(report, "second router", len(every)))
    shape = (len(held_out.sets), len(cases), len(held_out.loads) + 1, 2)
    by_set = np.array(found, dtype=np.float64).reshape(shape)
    figures = [
        SetFigures(one.candidate.name, runs[:, -1, 1], runs[:, :-1, 0].T)
        for one, runs in zip(held_out.sets, by_set, strict=True)
    ]
    names = tuple(map(str, workload.patterns))
    return judgements(figures, rivals, Pairing(names, workload.share, workload.rounds, 1e-4))
