"""Engines that make forwarding tables: those of the core, a file each, and those of other packages.

Whoever defines an engine elsewhere names an `Engine` in an entry point of the group
``tvlb.engines``.
"""

import atexit
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import entry_points

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.forwarding import Ports, graph_of
from tvlb.native import kernels
from tvlb.processes import Progress, Reporter
from tvlb.topology import Topology

_GROUP = "tvlb.engines"
# Passes go over the prices load and load^8, each from the first table: the one evens out irregular
# networks, the other lowers the highest loads of regular ones.
_POWERS = (1, 8)


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
    """

    topology: Topology
    order: NDArray[np.int32]
    passes: int
    report: Reporter
    roots: tuple[int, ...] = ()
    tie_seed: int | None = None


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
    best: tuple[int, Ports] | None = None
    for attempt, power in enumerate(_POWERS if task.passes else _POWERS[:1]):
        routing = _begun(kind, task)
        routing.route(task.order)
        for done in range(task.passes + 1):
            if done > 0:
                routing.route_again(task.order, power)
                steps = len(_POWERS) * task.passes
                task.report(Progress("passes", attempt * task.passes + done, steps))
            highest = int(routing.loads().max(initial=0))
            if best is None or highest < best[0]:
                best = highest, routing.ports()
    assert best is not None
    return best[1]


def _begun(kind: kernels.ForwardingEngine, task: RouteTask) -> kernels.ForwardingRoute:
    try:
        return kernels.ForwardingRoute(graph_of(task.topology), kind, task.roots, task.tie_seed)
    except ValueError as error:
        raise InvalidInput(f"roots on {task.topology}: {error}") from error


@cache
def engines() -> Mapping[str, Engine]:
    """Return all engines by name; those of other packages are found by entry points."""
    found = [core_engine(kind) for kind in kernels.forwarding_engines()]
    found += [point.load() for point in entry_points(group=_GROUP)]
    return {engine.name: engine for engine in found}


# A thread that never ends may hold this module, and with it what is kept here.
atexit.register(engines.cache_clear)
