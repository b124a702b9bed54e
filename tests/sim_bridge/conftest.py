"""Small topologies, traffic and shorthands that the simulator's tests share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from sim_bridge import Series, SimulationConfig, SimulationResult, simulate
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly, Topology
from tvlb.traffic import NodeTraffic, Pattern, parse_pattern

Run = Callable[..., SimulationResult]
Flows = Callable[..., Pattern]
Figures = Callable[[SimulationResult], tuple[object, ...]]

_NOT_FIGURES = {
    "routing", "path_set", "pattern", "config", "traces", "cpu_seconds", "wall_seconds",
}  # fmt: skip


def _comparable(value: object) -> object:
    """Equal for equal values; NaN equals NaN."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, Series):
        return tuple(_comparable(array) for array in vars(value).values())
    return repr(value)


SHORT_WINDOWS = SimulationConfig(warmup_cycles=1500, measured_cycles=1000)


@dataclass(frozen=True)
class _Flows(Pattern):
    """Some nodes send to one node each, the others nothing."""

    pairs: tuple[tuple[int, int], ...]

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        nodes = topology.num_nodes
        rate, destination = np.zeros(nodes), np.full(nodes, -1, dtype=np.int32)
        for source, target in self.pairs:
            rate[source], destination[source] = 1.0, target
        return NodeTraffic(rate, np.zeros(nodes), destination)

    def count_flows(self, topology: Topology) -> float:
        return len(self.pairs)


@pytest.fixture(scope="session")
def small() -> Dragonfly:
    """36 switches, 72 nodes, one cable per group pair."""
    return Dragonfly(2, 4, 2, 9)


@pytest.fixture(scope="session")
def medium() -> Dragonfly:
    """72 switches, 288 nodes, four cables per group pair; the paper's main topology."""
    return Dragonfly(4, 8, 4, 9)


@pytest.fixture(scope="session")
def flows() -> Flows:
    """Make the pattern in which only the given nodes send: pairs of source and destination."""
    return lambda *pairs: _Flows(pairs)


@pytest.fixture(scope="session")
def run() -> Run:
    """Simulate with path set and pattern as text, by default in short windows."""

    def simulate_text(
        topology: Dragonfly,
        routing: str,
        path_set: str,
        pattern: str,
        load: float,
        *,
        config: SimulationConfig = SHORT_WINDOWS,
        seed: int = 0,
    ) -> SimulationResult:
        return simulate(
            topology,
            routing=routing,
            path_set=parse_expression(path_set, topology),
            pattern=parse_pattern(pattern),
            load=load,
            config=config,
            seed=seed,
        )

    return simulate_text


@pytest.fixture(scope="session")
def figures() -> Figures:
    """Everything in a result that must repeat from run to run; traces are compared apart."""

    def of(result: SimulationResult) -> tuple[object, ...]:
        return tuple(
            _comparable(value) for name, value in vars(result).items() if name not in _NOT_FIGURES
        )

    return of
