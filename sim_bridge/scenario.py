"""What routers of any model are asked: a network, a routing and a pattern, at one or more loads."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

import numpy as np

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic, deadlock
from sim_bridge.trace import make_traces
from tvlb.errors import InvalidInput
from tvlb.languages import Number
from tvlb.native import kernels
from tvlb.topology import Topology
from tvlb.traffic import LoadStep, NodeTraffic, Pattern

LOAD = Number(0, 1)
"""Of offered loads, per cycle and node: packets, or phits of routers that have these."""

_Config = TypeVar("_Config")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Compiled:
    """A scenario in the core's own types."""

    network: kernels.Topology
    traffic: _core.Traffic


class RouterScenario(ABC, Generic[_Config, _Result]):
    """A combination to simulate at one or more loads; every model of routers has a dataclass.

    Attributes
    ----------
    topology, routing, pattern : what is simulated.
    seed : of the random streams, and of patterns without a seed of their own; 0..2^63-1.
    takes_steps : whether its runs let the load change, as patterns with a `LoadStep` have it.
    """

    takes_steps: ClassVar[bool] = False

    topology: Topology
    routing: str
    pattern: Pattern
    seed: int

    @abstractmethod
    def resolved(self, config: _Config) -> _Config:
        """Return the settings with what follows from the scenario filled in.

        Raises
        ------
        InvalidInput : they do not fit the scenario.
        """

    @abstractmethod
    def run(
        self, load: float, config: _Config | None = None, stop: _core.StopFlag | None = None
    ) -> _Result:
        """Simulate one load; see `sim_bridge.simulate`."""

    def warnings(self, config: _Config) -> tuple[str, ...]:
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

    def _told(
        self,
        load: float,
        config: Any,
        simulate: Callable[[_core.StopFlag], dict[str, Any]],
        stop: _core.StopFlag | None,
    ) -> dict[str, Any]:
        """Return what the core tells of a run, and what there is to every run.

        Raises
        ------
        InvalidInput, SimulationDeadlock : see `sim_bridge.simulate`.
        """
        self.check([load])
        self.check_course(config)
        start = time.perf_counter()
        try:
            told = simulate(stop or _core.StopFlag())
        except ValueError as error:
            raise InvalidInput(str(error)) from error
        if told["stopped"] == "deadlocked":
            raise deadlock(self.topology, told)
        return told | {
            "topology": str(self.topology),
            "routing": str(self.routing),
            "pattern": str(self.pattern),
            "load": load,
            "seed": self.seed,
            "config": config,
            "link_load": np.array(told["link_load"], dtype=np.float64) / config.measured_cycles,
            "traces": make_traces(self._compiled.network, told["traces"]),
            "wall_seconds": time.perf_counter() - start,
        }
