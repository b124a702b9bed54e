"""Types of the compiled kernels in `tvlb/native`; flat numpy arrays in, flat numpy arrays out."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

_Int32 = NDArray[np.int32]
_RowColumns = tuple[
    NDArray[np.int64], _Int32, _Int32, _Int32, NDArray[np.int8], NDArray[np.float64]
]
_Entries = tuple[NDArray[np.int64], _Int32, NDArray[np.float64]]

class Network:
    def __init__(
        self,
        num_switches: int,
        node_switch: _Int32,
        link_source: _Int32,
        link_target: _Int32,
        link_kind: NDArray[np.uint8],
    ) -> None: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_links(self) -> int: ...
    @property
    def max_ports(self) -> int: ...
    def output_link(self, sw: int, port: int) -> int: ...

class Topology(Network):
    @property
    def halves(self) -> list[list[int]]: ...
    @property
    def are_simple(self) -> bool:
        """Whether the VLB paths of sets by shape pass no switch twice."""

    def kernel(self) -> PathKernel: ...
    def min_paths(self, sources: _Int32, targets: _Int32) -> _Int32: ...
    def half_hops(self, sources: _Int32, names: _Int32, targets: _Int32) -> _Int32:
        """Hops of named MIN paths; -1 where a name names none."""

class Dragonfly(Topology):
    def __init__(self, network: Network, groups: int) -> None: ...

class DegradedDragonfly(Topology):
    def __init__(self, network: Network, groups: int) -> None: ...
    @property
    def most_min_paths(self) -> int: ...

class Chosen(Enum):
    ALL = 0
    LOWEST_SWITCH = 1
    FIRST_LINK = 2

class ShortestPaths(Topology):
    def __init__(
        self,
        network: Network,
        chosen: Chosen = ...,
        by_link: bool = False,
        between_nodes: bool = False,
        most_kinds: int = ...,
    ) -> None: ...
    @property
    def most_min_paths(self) -> int: ...
    @property
    def are_by_length(self) -> bool: ...
    def min_hops(self, sources: _Int32, targets: _Int32) -> _Int32: ...
    def shortcuts(self, rule: ShortcutRule, sources: _Int32, targets: _Int32) -> _RowColumns: ...

class PathKernel:
    def enumerate(
        self, rule: ShapeRule | ShortRule, sources: _Int32, targets: _Int32
    ) -> _RowColumns: ...
    def enumerate_min(self, sources: _Int32, targets: _Int32) -> _RowColumns: ...
    def min_usage(
        self, sources: _Int32, targets: _Int32
    ) -> tuple[
        NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], _Int32, NDArray[np.float64]
    ]: ...
    def profile(
        self, rule: ShapeRule | ShortRule, sources: _Int32, targets: _Int32
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]: ...
    def takes_nearest(
        self, rule: ShapeRule, sources: _Int32, targets: _Int32
    ) -> NDArray[np.uint8]: ...
    def shapes(self, rows: Rows) -> NDArray[np.uint16]: ...
    def count_shapes(self, sources: _Int32, targets: _Int32) -> NDArray[np.int64]: ...
    def compositions(self, sources: _Int32, targets: _Int32) -> NDArray[np.int64]: ...

def kernel_by_min_rule(topology: Topology) -> PathKernel: ...

class ShapeRule:
    def __init__(
        self,
        weight: list[float],
        hops: list[int],
        nearest: list[int],
        drawn_hops: int,
        percent: int,
        seed: int,
    ) -> None: ...
    @property
    def is_compact(self) -> bool: ...

class ShortRule:
    def __init__(self, max_first: int, max_second: int, max_total: int) -> None: ...

class ShortcutRule:
    def __init__(self, only_to_neighbours: bool) -> None: ...

class AllRule:
    def __init__(self) -> None: ...

class EmptyRule:
    def __init__(self) -> None: ...

class Rows:
    def __init__(
        self,
        topology: Topology,
        source: _Int32,
        target: _Int32,
        offset: NDArray[np.int64],
        intermediate: _Int32,
        first_link: _Int32,
        second_link: _Int32,
        hops: NDArray[np.int8],
        weight: NDArray[np.float64],
    ) -> None: ...

class DrawnPaths:
    def __init__(
        self,
        topology: Topology,
        sources: _Int32,
        targets: _Int32,
        hops: int,
        seed: int,
        percents: list[int],
    ) -> None: ...

class Classes:
    def __init__(
        self,
        flow: NDArray[np.int64],
        weight: NDArray[np.float64],
        offset: NDArray[np.int64],
        link: _Int32,
        share: NDArray[np.float64],
    ) -> None: ...

class RegretState:
    @property
    def iterations(self) -> int: ...

class BalanceOptions:
    def __init__(
        self,
        local_threshold: float,
        global_threshold: float,
        floor_paths: int,
        floor_share: float,
        seed: int,
    ) -> None: ...

class WeightOptions:
    def __init__(self, rounds: int, step: float, floor: float) -> None: ...

@overload
def structure_usage(
    topology: Topology,
    rule: ShapeRule,
    drawn: DrawnPaths | None,
    sources: _Int32,
    targets: _Int32,
    listed: NDArray[np.uint8],
) -> _Entries: ...
@overload
def structure_usage(
    topology: Topology,
    rule: ShortRule,
    sources: _Int32,
    targets: _Int32,
    listed: NDArray[np.uint8],
) -> _Entries: ...
@overload
def inner_loads(
    topology: Topology,
    rule: ShapeRule,
    drawn: DrawnPaths | None,
    sources: _Int32,
    targets: _Int32,
    rate: NDArray[np.float64],
) -> NDArray[np.float64]: ...
@overload
def inner_loads(
    topology: Topology,
    rule: ShortRule,
    sources: _Int32,
    targets: _Int32,
    rate: NDArray[np.float64],
) -> NDArray[np.float64]: ...
def class_usage(topology: Topology, rows: Rows) -> _Entries: ...
def total_usage(topology: Topology, rows: Rows) -> NDArray[np.float64]: ...
def path_links(topology: Topology, rows: Rows) -> _Int32: ...
def balance(
    topology: Topology, rows: Rows, options: BalanceOptions
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], int, int]: ...
def balance_pairs(
    topology: Topology, rows: Rows, options: BalanceOptions
) -> tuple[NDArray[np.uint8], NDArray[np.uint8], int]: ...
def balance_weights(
    topology: Topology, rows: Rows, options: WeightOptions
) -> NDArray[np.float64]: ...
def reweighted(
    topology: Topology, rows: Rows, factor: NDArray[np.float64], floor: float
) -> NDArray[np.float64]: ...
def pair_imbalance(topology: Topology, rows: Rows) -> NDArray[np.float64]: ...
def solve_by_regret(
    demand: NDArray[np.float64],
    minimal: Classes,
    detour: Classes,
    shorter_first: bool,
    start_price: NDArray[np.float64],
    theta_cap: float,
    gap: float,
    max_iterations: int,
    resumed: RegretState | None,
) -> tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float, float, RegretState
]: ...
def absolute_cables(switches_per_group: int, global_ports: int, groups: int) -> _Int32: ...
def path_key(
    seed: int, source: int, target: int, intermediate: int, first: int, second: int
) -> int: ...

class VcTable:
    def vcs(self, kinds: NDArray[np.int8]) -> NDArray[np.uint16]:
        """Lowest VC of every link of some routes, -1 beyond the last link; there it is 0."""

    def steps(self) -> NDArray[np.uint16]:
        """First and last VC and the state behind, by state, phase and kind of the link."""

class VcClaim(Enum):
    RISES = 0
    PARTS_PHASES = 1
    FOLLOWS_ROUTES = 2
    ORDERED = 3

class VcPolicy:
    @property
    def name(self) -> str: ...
    @property
    def is_of_source(self) -> bool: ...
    @property
    def claim(self) -> VcClaim: ...
    def table(self, vc_count: int, split_kind: int = -1) -> VcTable: ...

def vc_policies() -> list[VcPolicy]: ...

class DependencyGraph:
    def __init__(self, channels: int) -> None: ...
    def add(self, channels: _Int32) -> None:
        """Add routes by the channels that they take, a row each, -1 beyond the last."""

    def remove(self, held: int, wanted: int) -> None: ...
    def routes(self, held: int, wanted: int) -> int: ...
    def order(self) -> list[int]:
        """Return all channels, each before those that it waits for; none if there is a circle."""

    def find_cycle(self) -> list[int]: ...

_Ports = NDArray[np.uint8]

class ForwardingGraph:
    def __init__(self, network: Network) -> None:
        """Raises ValueError where a switch has too many links."""

    def links(self) -> _Int32:
        """Return the link ids of ports, (switches, 255), -1 where a switch has no such port."""

class ForwardingEngine:
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def is_shortest(self) -> bool: ...
    @property
    def takes_roots(self) -> bool: ...
    @property
    def needs_dimensions(self) -> bool: ...

def forwarding_engines() -> list[ForwardingEngine]: ...

class ForwardingRoute:
    def __init__(
        self,
        graph: ForwardingGraph,
        engine: ForwardingEngine,
        roots: Sequence[int],
        ties: int | None,
    ) -> None:
        """Raises ValueError where the engine cannot route below these roots."""

    def route(self, order: _Int32) -> None: ...
    def route_again(self, order: _Int32, power: int) -> None: ...
    def improve(self, order: _Int32, power: int) -> int: ...
    def ports(self) -> _Ports: ...
    def loads(self) -> NDArray[np.uint64]: ...

class Bisections:
    def __init__(self, seed: int, first: int, count: int, nodes: int, both: bool) -> None: ...

def forwarding_loads(graph: ForwardingGraph, ports: _Ports) -> dict[str, Any]: ...

_Rates = tuple[NDArray[np.float64], NDArray[np.float64]]

class PortRoutes:
    def __init__(self, graph: ForwardingGraph, ports: _Ports) -> None: ...
    def rates(self, bisections: Bisections) -> _Rates:
        """Mean and worst rate of the streams of each bisection."""

    def shift_rates(self, first: int, count: int) -> _Rates: ...
    def stream_rates(self, sources: _Int32, targets: _Int32) -> NDArray[np.float64]: ...

class SharedRoutes:
    def __init__(
        self,
        graph: ForwardingGraph,
        offset: NDArray[np.int64],
        link: _Int32,
        share: NDArray[np.float64],
    ) -> None: ...
    def rates(self, bisections: Bisections) -> _Rates: ...
    def shift_rates(self, first: int, count: int) -> _Rates: ...
    def stream_rates(self, sources: _Int32, targets: _Int32) -> NDArray[np.float64]: ...

def price_bound(graph: ForwardingGraph, prices: NDArray[np.float64]) -> float: ...
def even_loads(graph: ForwardingGraph, rounds: int) -> tuple[NDArray[np.float64], float]: ...
def shortest_hops(graph: ForwardingGraph, switch: int) -> _Int32: ...
def link_order(graph: ForwardingGraph, dependencies: DependencyGraph) -> _Int32:
    """Return the places of links on routes; empty where links wait in a circle."""

class ForwardingRepair:
    def __init__(
        self,
        graph: ForwardingGraph,
        kept: _Ports,
        is_shortest: bool,
        place: _Int32,
        dependencies: DependencyGraph | None = None,
    ) -> None: ...
    def missing(self) -> int: ...
    def fill(self, order: _Int32) -> int: ...
    def fill_again(self, order: _Int32, power: int) -> None: ...
    def reroute(self, order: _Int32, place: _Int32, passes: int) -> None: ...
    def replace(self, ports: _Ports) -> None: ...
    def rebalance(self, most: int) -> None: ...
    def ports(self) -> _Ports: ...
    def loads(self) -> NDArray[np.uint64]: ...

def update_order(
    graph: ForwardingGraph, before: _Ports, after: _Ports
) -> tuple[_Int32, _Int32]: ...
def block_order(
    graph: ForwardingGraph, after: _Ports, nodes: _Int32, switches: _Int32, block_of_node: _Int32
) -> tuple[_Int32, _Int32, _Int32]:
    """Return switch and block of every write, and by change which write makes it."""

def forwarding_layers(graph: ForwardingGraph, ports: _Ports, most: int) -> tuple[_Ports, int]:
    """Return the layers, uint8 (nodes, switches), and how many there are, at most one more."""

def forwarding_fit(
    graph: ForwardingGraph, ports: _Ports, layers: _Ports, count: int, most: int
) -> tuple[_Ports, _Ports]:
    """Return the best ports and layers of those tried, in at most so many."""

def forwarding_dependencies(
    graph: ForwardingGraph, ports: Sequence[_Ports], layers: Sequence[_Ports], count: int
) -> DependencyGraph:
    """Return what waits for what by entries of any table; channels are link * count + layer."""
