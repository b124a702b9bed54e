"""Uses every class of the compiled modules, and prints the names of those that it did not use.

At the end of the program nanobind says on stderr what instances are left. A thread that never ends
holds all caches of functions then, as those of servers and of drivers of browsers may.
"""

import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from enum import Enum
from typing import Any, cast

import numpy as np

from sim_bridge import FogConfig, FogScenario, FollowedTable, SimulationConfig, _core, simulate
from sim_bridge.routers.vct import VctConfig, VctScenario
from tvlb.balance import BalanceOptions, balance, balance_weights
from tvlb.errors import SimulationDeadlock
from tvlb.forwarding import SplitRoutes, graph_of, route
from tvlb.model import throughput
from tvlb.native import kernels
from tvlb.paths import PathSet, parse_expression
from tvlb.topology import Dragonfly, Failures, without
from tvlb.traffic import parse_pattern

__all__: list[str] = []

_OURS = ("tvlb", "sim_bridge")


def _is_bound(one: Any) -> bool:
    return isinstance(one, type) and not issubclass(one, Enum)


_BOUND: set[Any] = {
    one for module in (kernels, _core) for one in vars(module).values() if _is_bound(one)
}
_used = set[Any]()


def _use(values: Iterable[Any]) -> None:
    """Note the classes of values, and of what is in lists and mappings that they hold."""
    for value in values:
        if isinstance(value, dict):
            _use(cast("dict[str, Any]", value).values())
        elif isinstance(value, list | tuple):
            _use(cast("Iterable[Any]", value))
        elif value.__class__ in _BOUND:
            _used.update(value.__class__.__mro__)
            _use([getattr(value, name) for name in dir(value) if not name.startswith("_")])


def _watched(function: Callable[..., Any]) -> Callable[..., Any]:
    def watched(*given: Any, **named: Any) -> Any:
        result = function(*given, **named)
        _use([*given, *named.values(), result])
        return result

    return watched


def _watch_functions() -> None:
    for module in (kernels, _core):
        for name, one in list(vars(module).items()):
            if callable(one) and not isinstance(one, type):
                setattr(module, name, _watched(one))


def _work() -> None:
    network = Dragonfly(2, 4, 2, 5)
    shapes, short, every, none = (
        parse_expression(text, network) for text in ("<=4+30%", "short(2,3)", "all", "none")
    )
    pattern = parse_pattern("shift(1,0)")
    for path_set in (shapes, short):
        throughput(network, path_set, pattern, solver="rm+:0.01")
    balanced = balance(shapes, BalanceOptions(1.2, 1.05)).path_set
    balance_weights(shapes)
    config = SimulationConfig(warmup_cycles=100, measured_cycles=200, traced_packets=5)

    def run(routing: str, path_set: PathSet, load: float, config: SimulationConfig) -> None:
        simulate(
            network, routing=routing, path_set=path_set, pattern=pattern, load=load, config=config
        )

    for path_set in (shapes, short, every, balanced):
        run("ugal-l", path_set, 0.1, config)
    run("min", none, 0.1, config)
    _forward(network, short, config)
    deadlocking = SimulationConfig(warmup_cycles=30_000, vc_count=1, buffer_flits=4)
    with suppress(SimulationDeadlock):
        run("vlb", every, 1.0, deadlocking)
    # Made when the modules were loaded.
    _use([one for known in _core.steerings() for one in (known, *known.parameters)])
    _use([kernels.ShortestPaths(network.network.compile()), network.compile().kernel()])
    _use([kernels.DependencyGraph(1), kernels.vc_policies()[0].table(4)])
    degraded = without(network, Failures(switches=(3,)))
    _use([degraded.compile(), degraded.compile().kernel()])
    cut_through = VctConfig(warmup_cycles=100, measured_cycles=200, traced_packets=5)
    VctScenario(network, "valiant", pattern).run(0.1, cut_through)
    simulate(network, routing="ugal-l", path_set="all", load=0.1, config=cut_through)
    _use([_core.MinHalves(network.compile(), decides_again=False)])
    misrouting = FogConfig(warmup_cycles=100, measured_cycles=200, preset="small")
    FogScenario(network, "acor-switch(3l)", pattern).run(0.1, misrouting)
    simulate("slimfly(3)", path_set="nta", load=0.1, config=config)


def _forward(network: Dragonfly, path_set: PathSet, config: SimulationConfig) -> None:
    forwarding, graph = route(network).forwarding, graph_of(network)
    simulate(network, routing="table", table=forwarding, load=0.1, config=config)
    engine, *_ = kernels.forwarding_engines()
    place = np.zeros(network.num_links, dtype=np.int32)
    compiled = FollowedTable(forwarding).compiled(network.compile())
    _use([kernels.ForwardingRoute(graph, engine, (), None), forwarding.native, compiled.routes])
    _use([SplitRoutes(path_set, 0.5).native, kernels.Bisections(0, 0, 1, 4, both=False)])
    _use([kernels.ForwardingRepair(graph, forwarding.ports, True, place)])


def _caches() -> list[object]:
    modules = [module for name, module in sys.modules.items() if name.split(".")[0] in _OURS]
    found = [one for module in modules for one in vars(module).values()]
    return [one for one in found if hasattr(one, "cache_clear")]


def _hold(caches: list[object], held: threading.Event) -> None:
    held.set()
    threading.Event().wait()


if __name__ == "__main__":
    _watch_functions()
    _work()
    held = threading.Event()
    threading.Thread(target=_hold, args=(_caches(), held), daemon=True).start()
    held.wait()
    for name in sorted(one.__name__ for one in _BOUND - _used):
        print(name)
