"""Types of the compiled simulator core; flat numpy arrays in, plain records out."""

from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.native.kernels import (
    AllRule,
    DependencyGraph,
    EmptyRule,
    Network,
    ShapeRule,
    ShortcutRule,
    ShortRule,
    Topology,
    VcTable,
)

_Int32 = NDArray[np.int32]
_Int64 = NDArray[np.int64]
_UInt8 = NDArray[np.uint8]
_UInt16 = NDArray[np.uint16]
_Float64 = NDArray[np.float64]

CHECKS_EVERY_CYCLE: bool

class Detours(Enum):
    NEVER = 0
    ALWAYS = 1
    ADAPTIVE = 2
    SPLIT = 3

class Parameter:
    @property
    def key(self) -> str: ...
    @property
    def words(self) -> list[str]: ...
    @property
    def usual(self) -> int: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def only_with(self) -> list[str]: ...

class Steering:
    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> list[Parameter]: ...
    @property
    def takes_input_queues(self) -> bool: ...
    @property
    def takes_cut_through(self) -> bool: ...
    @property
    def takes_cut_through_paths(self) -> bool: ...
    @property
    def takes_misrouting(self) -> bool: ...
    @property
    def decides_again(self) -> bool: ...
    @property
    def detours(self) -> Detours: ...
    @property
    def seconds_per_packet(self) -> float: ...
    @property
    def compares_first_queues(self) -> bool: ...
    @property
    def follows_table(self) -> bool: ...
    @property
    def attempts(self) -> bool: ...

def steerings() -> list[Steering]: ...

MAX_HOPS: int
MAX_PORTS: int
MAX_VCT_VCS: int
NEVER: int

class Traffic:
    def __init__(
        self,
        network: Network,
        *,
        rate: _Float64,
        uniform_fraction: _Float64,
        destination: _Int32,
        matrix_row: _Int32,
        matrix_offset: _Int64,
        matrix_target: _Int32,
        matrix_cumulative: _Float64,
        matrix_target_is_switch: bool,
        uniform_to_others: bool,
        matrix_to_others: bool,
    ) -> None: ...
    def draw_destinations(self, network: Network, node: int, seed: int, count: int) -> list[int]:
        """Return the destinations of the first packets of a node in a run with this seed."""

    @property
    def max_rate(self) -> float: ...

class PathSampler:
    def pairs_without_path(self, sources: _Int32, targets: _Int32) -> list[int]: ...
    def draw(
        self, source: int, target: int, seed: int, number: int
    ) -> tuple[int, int, int] | None: ...

class TableRoutes:
    def __init__(self, network: Topology, links: _Int32, layers: _UInt8) -> None:
        """By destination node and switch; raises ValueError where packets do not arrive."""

    @property
    def most_hops(self) -> int: ...
    def needs(self, vcs: VcTable, cycles: list[int]) -> tuple[int, int]:
        """Return the most virtual channels of a route, and cycles by those of a kind of links."""

    def add_dependencies(
        self, *, vcs: VcTable, layers: int, vc_count: int, graph: DependencyGraph
    ) -> None:
        """Add what packets hold and wait for; a channel is link * VCs + VC."""

class ExplicitRows(PathSampler):
    def append(
        self,
        *,
        sources: _Int32,
        targets: _Int32,
        offset: _Int64,
        intermediate: _Int32,
        first_link: _Int32,
        second_link: _Int32,
        cumulative: _Float64,
    ) -> None: ...
    def finish(self) -> None:
        """End the rows; to be called before the first draw."""

def explicit_rows(network: Topology, *, expected: int, weighted: bool) -> ExplicitRows: ...

# A ShortcutRule is of ShortestPaths alone.
def rule_sampler(
    network: Topology, rule: AllRule | EmptyRule | ShapeRule | ShortcutRule | ShortRule
) -> PathSampler: ...

class Config:
    def __init__(self, **settings: object) -> None:
        """Take every setting of sim_bridge/src/routers/iq/config.hpp by name."""

class VctConfig:
    def __init__(self, **settings: object) -> None:
        """Take every setting of sim_bridge/src/routers/vct/config.hpp by name."""

class FogConfig:
    def __init__(self, **settings: object) -> None:
        """Take every setting of sim_bridge/src/routers/fog/config.hpp by name."""

class StopFlag:
    """Asks runs to stop, from any thread, and shows how many cycles all of them have done."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...
    @property
    def cycles_done(self) -> int: ...

class TraceHop:
    @property
    def sw(self) -> int: ...
    @property
    def port(self) -> int: ...
    @property
    def vc(self) -> int: ...
    @property
    def departure(self) -> int: ...

class Trace:
    @property
    def source(self) -> int: ...
    @property
    def destination(self) -> int: ...
    @property
    def created(self) -> int: ...
    @property
    def injected(self) -> int: ...
    @property
    def delivered(self) -> int: ...
    @property
    def took_vlb(self) -> bool: ...
    @property
    def hops(self) -> list[TraceHop]: ...

class Buffer:
    @property
    def link(self) -> int: ...
    @property
    def vc(self) -> int: ...

def mser_truncation(values: _Float64) -> int: ...
def simulate(
    network: Topology,
    traffic: Traffic,
    samplers: list[PathSampler],
    config: Config,
    stop: StopFlag,
) -> dict[str, Any]: ...

class MinPorts:
    def __init__(self, network: Topology) -> None: ...
    @property
    def longest(self) -> int: ...
    def ports(self, source: int, target: int) -> list[int]: ...
    def halves(self, network: Network) -> list[list[int]]:
        """Kinds of the links of these paths, port by port; none where there are more than 64."""
    def add_dependencies(
        self,
        network: Network,
        *,
        then: _UInt16,
        part: _UInt16,
        parts: int,
        starts: _UInt16,
        begins: bool = False,
        graph: DependencyGraph,
    ) -> None:
        """Add what packets on MIN paths hold and wait for; a channel is link * parts + part."""

class MinHalves:
    def __init__(self, network: Topology, decides_again: bool) -> None: ...
    @property
    def longest(self) -> int: ...
    def halves(self, network: Network) -> list[list[int]]:
        """Kinds of the links of all MIN paths."""
    def add_dependencies(
        self,
        network: Network,
        *,
        then: _UInt16,
        part: _UInt16,
        parts: int,
        starts: _UInt16,
        begins: bool = False,
        graph: DependencyGraph,
    ) -> None:
        """Add what packets on MIN paths hold and wait for; a channel is link * parts + part."""

def simulate_vct(
    network: Topology,
    traffic: Traffic,
    ways: MinPorts | list[PathSampler],
    config: VctConfig,
    stop: StopFlag,
    watch: Callable[[float], bool] | None,
) -> dict[str, Any]: ...
def simulate_fog(
    network: Topology,
    traffic: Traffic,
    min_ports: MinPorts,
    config: FogConfig,
    stop: StopFlag,
) -> dict[str, Any]: ...
