"""What routers of any model are asked: a network, a routing and a pattern, at one or more loads."""

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

import numpy as np

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic, deadlock
from sim_bridge.result import RunResult
from sim_bridge.routing import steering_settings
from sim_bridge.trace import make_traces
from tvlb.errors import InvalidInput
from tvlb.languages import Number, Whole
from tvlb.native import kernels
from tvlb.processes import check_workers
from tvlb.topology import Topology
from tvlb.traffic import LoadStep, NodeTraffic, Pattern

LOAD = Number(0, 1)
"""Of offered loads, per cycle and node: packets, or phits of routers that have these."""
SEEDS = Whole(1, 1000)
"""Runs of a case, with consecutive seeds."""

# Fewer take no longer than threads wait for each other.
_NODES_PER_THREAD = 256

Config = TypeVar("Config")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Compiled:
    """A scenario in the core's own types."""

    network: kernels.Topology
    traffic: _core.Traffic


class RouterScenario(ABC, Generic[Config, Result]):
    """A combination to simulate at one or more loads; every model of routers has a dataclass.

    Attributes
    ----------
    topology, routing, pattern : what is simulated.
    seed : of the random streams, and of patterns without a seed of their own; 0..2^63-1.
    takes_steps : whether its runs let the load change, as patterns with a `LoadStep` have it.
    takes_threads : whether one of its runs may have several threads, and `run` takes `threads`.
    settings, result : dataclasses of the settings of a run and of what it finds out.
    not_told : settings that the core is told in other words; see `_in_core`.
    """

    takes_steps: ClassVar[bool] = False
    takes_threads: ClassVar[bool] = False
    settings: ClassVar[type[Any]]
    result: ClassVar[type[RunResult]]
    not_told: ClassVar[Collection[str]] = ()

    topology: Topology
    routing: str
    pattern: Pattern
    seed: int

    @classmethod
    def of_config(cls, config: object) -> "type[RouterScenario[Any, Any]]":
        """Return the class of what routers with such settings are asked.

        Raises
        ------
        InvalidInput : these are the settings of no router.
        """
        found = cls.of_settings(type(config))
        if found is None:
            raise InvalidInput(f"config {config!r:.80} is of no router")
        return found

    @classmethod
    def of_settings(cls, kind: type) -> "type[RouterScenario[Any, Any]] | None":
        """Return the class of what routers whose settings are of a class are asked, if any."""
        found = list[type[RouterScenario[Any, Any]]](cls.__subclasses__())
        for one in found:
            if issubclass(kind, getattr(one, "settings", ())):
                return one
            found += one.__subclasses__()
        return None

    @abstractmethod
    def resolved(self, config: Config) -> Config:
        """Return the settings with what follows from the scenario filled in.

        Raises
        ------
        InvalidInput : they do not fit the scenario.
        """

    def run(
        self, load: float, config: Config | None = None, stop: _core.StopFlag | None = None
    ) -> Result:
        """Simulate one load.

        Parameters
        ----------
        load : per cycle and node (times the node's rate in the pattern), 0..1; in packets or phits.
        config : router and window; None for the defaults.
        stop : set from another thread to end the run.

        Raises
        ------
        InvalidInput : an argument is out of range, or they do not fit together.
        SimulationDeadlock : buffers wait for each other in a circle.
        """
        return self._run(load, config, stop)

    @classmethod
    def check_threads(cls, threads: int | None) -> None:
        """Raise InvalidInput unless one of its runs may have so many threads, or None."""
        if threads is not None:
            check_workers(threads, "threads")
        if not cls.takes_threads and threads not in (None, 1):
            raise InvalidInput(
                f"threads {threads} is out of range: 1, as routers of this model have"
            )

    @property
    def most_threads(self) -> int:
        """How many threads one of its runs has use for, where nobody asks for more."""
        return max(1, self.topology.num_nodes // _NODES_PER_THREAD) if self.takes_threads else 1

    def warnings(self, config: Config) -> tuple[str, ...]:
        """Return what limits such a run beyond its routing, in words; nothing is simulated."""
        return ()

    def check(self, loads: Iterable[float]) -> None:
        """Prepare the runs at these loads; raise InvalidInput where one of them would."""
        step = self.pattern.load_step
        for load in (*loads, *(() if step is None else (step.load,))):
            most = LOAD.high / max(1.0, self._compiled.traffic.max_rate)
            replace(LOAD, high=most).checked("load", load)

    def check_course(self, config: Any) -> None:
        """Raise InvalidInput if runs with these settings end before the load changes."""
        step, end = self.pattern.load_step, config.warmup_cycles + config.measured_cycles
        if step is not None and step.cycle >= end:
            raise InvalidInput(
                f"{self.pattern}: T = {step.cycle} is not before the end of the run; with its "
                f"warm-up it has cycles 0..{end - 1}"
            )

    def with_seed(self, seed: int) -> Self:
        """Return the same scenario with other random streams.

        What was prepared is shared unless the pattern takes its own randomness from the seed.
        """
        this: Any = self
        other: Self = replace(this, seed=seed)
        if self._node_traffic.equals(other._node_traffic):
            vars(other)["_compiled"] = self._compiled
        return other

    def settled(self) -> Self:
        """Return the same with its traffic found, if an engine has to find it."""
        this: Any = self
        pattern = self.pattern.settled(self.topology, self.seed)
        return self if pattern is self.pattern else replace(this, pattern=pattern)

    @property
    def _node_traffic(self) -> NodeTraffic:
        pattern = self.pattern.before_step if self.takes_steps else self.pattern
        return pattern.resolve(self.topology, self.seed)

    def _offered(self, load: float) -> dict[str, object]:
        """Return what cores are told of the packets that nodes generate, by setting."""
        step = self.pattern.load_step or LoadStep(_core.NEVER, load)
        return {
            "load": load,
            "seed": self.seed,
            "step_cycle": step.cycle,
            "step_load": step.load,
        }

    @cached_property
    def _compiled(self) -> Compiled:
        network = core_network(self.topology)
        return Compiled(network, core_traffic(network, self._node_traffic))

    def _simulate(self, settings: dict[str, Any], stop: _core.StopFlag) -> dict[str, Any]:
        """Have the core simulate with its settings, and return what it tells."""
        raise NotImplementedError

    def _in_core(self, settings: Any) -> dict[str, object]:
        """Return the settings of the core that are not those of the scenario by name."""
        return {}

    def _figures(self, told: Mapping[str, Any], settings: Any) -> dict[str, Any]:
        """Return the figures that follow from what the core tells."""
        return {}

    def _run(self, load: float, config: Any, stop: _core.StopFlag | None, **more: Any) -> Any:
        """Simulate one load, see `run`; `more` is for the core."""
        settings = cast("Any", self.resolved(config or self.settings()))
        self.check([load])
        self.check_course(settings)
        start = time.perf_counter()
        try:
            known = cast("dict[str, Any]", vars(settings))
            given = {name: one for name, one in known.items() if name not in self.not_told}
            given |= self._offered(load) | steering_settings(self.routing) | self._in_core(settings)
            told = self._simulate(given, stop or _core.StopFlag(), **more)
        except ValueError as error:
            raise InvalidInput(str(error)) from error
        if told["stopped"] == "deadlocked":
            raise deadlock(self.topology, told)
        told |= {
            "topology": str(self.topology),
            "routing": str(self.routing),
            "pattern": str(self.pattern),
            "load": load,
            "seed": self.seed,
            "config": settings,
            "link_load": np.array(told["link_load"], dtype=np.float64) / settings.measured_cycles,
            "traces": make_traces(self._compiled.network, told["traces"]),
            "wall_seconds": time.perf_counter() - start,
        }
        # Switches without nodes send and take nothing.
        cycles = settings.measured_cycles * np.maximum(self.topology.switch_nodes, 1)
        for name in {"switch_injected", "switch_accepted"} & told.keys():
            size = getattr(settings, "packet_phits", 1)
            told[name] = np.array(told[name], dtype=np.float64) * size / cycles
        return self.result.of(told, **self._figures(told, settings))
