"""Engines that make forwarding tables: those of the core, a file each, and those of other packages.

Whoever defines an engine elsewhere names an `Engine` in an entry point of the group
``tvlb.engines``.
"""

import atexit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.forwarding import Ports, graph_of
from tvlb.languages import from_others
from tvlb.native import kernels
from tvlb.processes import Progress, Reporter
from tvlb.topology import Topology

_GROUP = "tvlb.engines"
# Passes go over the prices load and load^8, each from the first table: the one evens out irregular
# networks, the other lowers the highest loads of regular ones. Then again over load, with entries
# changed one by one at load^8 behind every pass: that lowers the highest load most, and may cost
# bandwidth, hence `RouteTask.least_rate`.
_POWERS = (1, 8)
_STREAMS = 400_000
_SEED = 0xE669740000000000  # of bisections; no request has such a high one


@dataclass(frozen=True, eq=False)
class RouteTask:
    """What an engine is to do.

    Attributes
    ----------
    topology : the network, in one part.
    order : int32 (nodes,): nodes in the order in which they are routed.
    passes : how often every destination is taken out and routed again.
    report : told of passes.
    roots : switches from which routes go down, of an engine that takes them; none: it finds them.
    tie_seed : of lots where ways cost the same; None: the first link wins.
    least_rate : what a search for a lower EFI has to leave of `mean_rate`.
    """

    topology: Topology
    order: NDArray[np.int32]
    passes: int
    report: Reporter
    roots: tuple[int, ...] = ()
    tie_seed: int | None = None
    least_rate: float = 0.0


@dataclass(frozen=True, eq=False)
class Engine:
    """A way to make forwarding tables.

    Attributes
    ----------
    name, text : what options call it, and what it does in a few words.
    route : returns the ports, see `Forwarding`; equal tasks have equal ports. Raises InvalidInput
        where it cannot route the network.
    is_shortest : whether all its routes are shortest.
    is_general : whether it routes every network.
    takes_roots : whether `RouteTask.roots` say something to it.
    """

    name: str
    text: str
    route: Callable[[RouteTask], Ports]
    is_shortest: bool = True
    is_general: bool = True
    takes_roots: bool = False


def core_engine(kind: kernels.ForwardingEngine) -> Engine:
    """Return an engine of the core."""
    route = partial(_route, kind)
    return Engine(
        kind.name,
        kind.text,
        route,
        is_shortest=kind.is_shortest,
        is_general=not kind.needs_dimensions,
        takes_roots=kind.takes_roots,
    )


def _route(kind: kernels.ForwardingEngine, task: RouteTask) -> Ports:
    if kind.needs_dimensions and not task.topology.dimensions:
        raise InvalidInput(f"engine {kind.name}: {task.topology} has no dimensions, as HyperX has")
    routing = _begun(kind, task)
    best = _highest(routing), routing.ports()
    if not task.passes:
        return best[1]
    for attempt, power in enumerate(_POWERS):
        routing = _begun(kind, task)
        for done in range(1, task.passes + 1):
            routing.route_again(task.order, power)
            _report(task, attempt, done)
            if (highest := _highest(routing)) < best[0]:
                best = highest, routing.ports()
    return min(best, _searched(kind, task), key=lambda one: one[0])[1]


def _searched(kind: kernels.ForwardingEngine, task: RouteTask) -> tuple[int, Ports]:
    """Change entries one by one: the lowest EFI, and ports with the least rate or more."""
    routing = _begun(kind, task)
    best = _highest(routing), routing.ports()
    for done in range(1, task.passes + 1):
        routing.route_again(task.order, _POWERS[0])
        changed = routing.improve(task.order, _POWERS[-1])
        _report(task, len(_POWERS), done)
        if not changed:
            # The engine leaves no choice, or there is nothing more to gain.
            break
        if (highest := _highest(routing)) < best[0]:
            ports = routing.ports()
            if mean_rate(task.topology, ports) >= task.least_rate:
                best = highest, ports
    return best


def _highest(routing: kernels.ForwardingRoute) -> int:
    return int(routing.loads().max(initial=0))


def mean_rate(topology: Topology, ports: Ports) -> float:
    """Return the mean rate under some bisections, of draws that no request has."""
    nodes = topology.num_nodes
    if nodes < 2:
        return 1.0
    drawn = kernels.Bisections(_SEED, 0, max(64, min(_STREAMS // nodes, 4096)), nodes, False)
    return float(kernels.PortRoutes(graph_of(topology), ports).rates(drawn)[0].mean())


def _report(task: RouteTask, attempt: int, done: int) -> None:
    steps = (len(_POWERS) + 1) * task.passes
    task.report(Progress("passes", attempt * task.passes + done, steps))


def _begun(kind: kernels.ForwardingEngine, task: RouteTask) -> kernels.ForwardingRoute:
    try:
        graph = graph_of(task.topology)
        routing = kernels.ForwardingRoute(graph, kind, task.roots, task.tie_seed)
    except ValueError as error:
        raise InvalidInput(f"roots on {task.topology}: {error}") from error
    routing.route(task.order)
    return routing


@cache
def engines() -> Mapping[str, Engine]:
    """Return all engines by name; those of other packages are found by entry points."""
    found = [core_engine(kind) for kind in kernels.forwarding_engines()]
    found += from_others(_GROUP, Engine).values()
    return {engine.name: engine for engine in found}


# A thread that never ends may hold this module, and with it what is kept here.
atexit.register(engines.cache_clear)
