"""The units of Step 2: one simulation, or one search for a saturation load."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial

import numpy as np

from sim_bridge import Routing, Scenario, SimulationConfig, SimulationResult, search_saturation
from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.paths import PUBLISHED_RULE, PathSet, UgalRule
from tvlb.processes import spare_threads, tell_part
from tvlb.processes.units import Unit
from tvlb.search.work import Work
from tvlb.traffic import Pattern

# Units of one scenario come one after the other; what is kept of a scenario are its paths.
_KEPT_SCENARIOS = 8
_WORST_SERVED = 0.1
_TELLING_PACKETS = 30


@dataclass(frozen=True, eq=False)
class NamedSet:
    """A path set that is simulated under a name.

    Attributes
    ----------
    name : tells it from the others.
    expression : the path set before balancing.
    path_set : what is simulated.
    seed : what keys the random fractions of `path_set`, and its balancing.
    balancing : how `path_set` was made from the expression, None if it is just that.
    ugal : the rule by which UGAL compares; None for what the settings of the routers say.
    """

    name: str
    expression: str
    path_set: PathSet
    seed: int
    balancing: BalanceOptions | WeightOptions | None = None
    ugal: UgalRule | None = None

    def key_fields(self) -> Mapping[str, object]:
        """Return what tells its paths from others, as JSON values."""
        return {
            "network": self.path_set.topology.identity,
            "expression": self.expression,
            "balancing": balancing_fields(self.balancing),
            "path_set_seed": self.seed,
        }


def balancing_fields(balancing: BalanceOptions | WeightOptions | None) -> object:
    """Return what tells settings of balancing from others, as JSON values."""
    match balancing:
        case None:
            return None
        case WeightOptions():
            return {"by": "weights", **asdict(balancing)}
        case BalanceOptions():
            return asdict(balancing)


@dataclass(frozen=True)
class Recipe:
    """A scenario before it is built; two are equal if they mean the same.

    Parameters
    ----------
    named_set, routing, pattern, seed : as of `Scenario`; the path set has a seed of its own.
    """

    named_set: NamedSet = field(compare=False)
    routing: str
    pattern: Pattern
    seed: int
    identity: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "identity", json.dumps(self.key_fields()))

    def key_fields(self) -> Mapping[str, object]:
        """Return what tells the scenario from others."""
        return {
            **self.named_set.key_fields(),
            "routing": str(self.routing),
            "pattern": self.pattern.identity,
            "seed": self.seed,
        }

    def filled(self, config: SimulationConfig) -> SimulationConfig:
        """Return the settings of a run with what is left open of UGAL's comparison."""
        rule = self.named_set.ugal or PUBLISHED_RULE
        return config.ruled(rule, Routing(self.routing))

    def scenario(self) -> Scenario:
        """Build the scenario; large networks list many paths for it."""
        path_set = self.named_set.path_set
        return Scenario(path_set.topology, self.routing, path_set, self.pattern, self.seed)


@lru_cache(maxsize=_KEPT_SCENARIOS)
def _built(recipe: Recipe) -> Scenario:
    return recipe.scenario()


@dataclass(frozen=True)
class RunFigures:
    """One simulation.

    Attributes
    ----------
    latency : mean latency, cycles; nan if no packet arrived.
    accepted : packets/cycle/node.
    least_served : part of its packets, as many as are expected, that the worst served tenth of the
        switches got into the network, 0..1 or little more; nan where no switch sends enough of them
        to tell.
    saturated : whether it was; None where the window is too short to tell.
    work : what it took.
    """

    latency: float
    accepted: float
    least_served: float
    saturated: bool | None
    work: Work


@dataclass(frozen=True)
class Saturation:
    """One search for a saturation load.

    Attributes
    ----------
    load : the largest load that is sustained, packets/cycle/node.
    work : what it took.
    undecided : how many of the runs were too short to tell; they count as sustained.
    """

    load: float
    work: Work
    undecided: int = 0


@dataclass(frozen=True)
class _Simulated:
    """A recipe, and settings that are filled in by it."""

    recipe: Recipe
    config: SimulationConfig

    def __post_init__(self) -> None:
        object.__setattr__(self, "config", self.recipe.filled(self.config))


@dataclass(frozen=True)
class RunUnit(_Simulated, Unit[RunFigures]):
    """Simulate one load."""

    load: float

    def key_fields(self) -> Mapping[str, object]:
        """See `Unit.key_fields`."""
        return {
            "unit": "run",
            "saturated": "backlog",
            "scenario": self.recipe.key_fields(),
            "config": _told_config(self.config),
            "load": self.load,
        }

    def compute(self) -> bytes:
        """See `Unit.compute`."""
        scenario = _built(self.recipe)
        result = scenario.run(self.load, self.config, threads=_threads(scenario))
        run = RunFigures(
            latency=result.latency_mean,
            accepted=result.accepted,
            least_served=_least_served(self.recipe, result),
            saturated=result.saturated,
            work=Work.of(result),
        )
        return json.dumps(asdict(run)).encode()

    def decode(self, data: bytes) -> RunFigures:
        """See `Unit.decode`."""
        fields = json.loads(data)
        return RunFigures(**fields | {"work": Work(**fields["work"])})


def _threads(scenario: Scenario) -> int:
    """Return how many threads the next run is to have: of large networks what others leave."""
    return min(spare_threads(), scenario.most_threads)


def _told_config(config: SimulationConfig) -> dict[str, object]:
    """Return what decides figures: not the course, so that runs of earlier versions are known."""
    return {name: one for name, one in asdict(config).items() if name != "interval"}


def _least_served(recipe: Recipe, result: SimulationResult) -> float:
    """See `RunFigures`; a switch that sends little may send nothing at all in a window."""
    topology = recipe.named_set.path_set.topology
    rate = recipe.pattern.resolve(topology, recipe.seed).rate
    nodes = topology.switch_nodes
    total = np.bincount(topology.network.node_switch, weights=rate, minlength=len(nodes))
    offered = result.load * total / np.maximum(nodes, 1)
    packets = offered * nodes * result.config.measured_cycles
    telling = packets >= _TELLING_PACKETS
    if not telling.any() or result.stopped != "completed":
        return math.nan
    served = np.sort(result.switch_injected[telling] / offered[telling])
    return float(served[: math.ceil(len(served) * _WORST_SERVED)].mean())


@dataclass(frozen=True)
class SaturationUnit(_Simulated, Unit[Saturation]):
    """Find the largest load of a grid that is sustained; see `sim_bridge.search_saturation`."""

    grid: float
    guess: float | None
    guess_error: float = 0.0

    def key_fields(self) -> Mapping[str, object]:
        """See `Unit.key_fields`; where the search begins decides how much work it takes."""
        return {
            "unit": "saturation",
            "saturated": "backlog",
            "runs": "verdict only",
            "scenario": self.recipe.key_fields(),
            "config": _told_config(self.config),
            "grid": self.grid,
            "guess": self.guess,
            "guess_error": self.guess_error,
        }

    def compute(self) -> bytes:
        """See `Unit.compute`."""
        runs: list[Work] = []
        scenario = _built(self.recipe)

        def note(result: SimulationResult) -> None:
            runs.append(Work.of(result))
            tell_part(0)  # it is alive

        found = search_saturation(
            scenario,
            self.config,
            step=self.grid,
            guess=self.guess,
            guess_error=self.guess_error,
            on_run=note,
            threads=partial(_threads, scenario),
            verdict_only=True,
        )
        told = Saturation(found.load, sum(runs, Work()), len(found.undecided))
        return json.dumps(asdict(told)).encode()

    def decode(self, data: bytes) -> Saturation:
        """See `Unit.decode`."""
        fields = json.loads(data)
        return Saturation(**fields | {"work": Work(**fields["work"])})
