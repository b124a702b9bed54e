"""What routers of any model are asked: a network, a routing and a pattern, at one or more loads."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Self, TypeVar

import numpy as np

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic, deadlock
from sim_bridge.trace import make_traces
from tvlb.errors import InvalidInput
from tvlb.languages import Number
from tvlb.native import kernels
from tvlb.topology import Topology
from tvlb.traffic import NodeTraffic, Pattern

MAX_CYCLES = 100_000_000
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
    """

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
        for load in loads:
            most = LOAD.high / max(1.0, self._compiled.traffic.max_rate)
            replace(LOAD, high=most).checked("load", load)

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
        return self.pattern.resolve(self.topology, self.seed)

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
