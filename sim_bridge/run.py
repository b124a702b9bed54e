"""Running a simulation."""

from collections.abc import Sequence
from typing import Any, overload

from sim_bridge._core import StopFlag
from sim_bridge.result import RunResult
from sim_bridge.routers.fog import FogConfig, FogResult
from sim_bridge.routers.iq.config import SimulationConfig
from sim_bridge.routers.iq.result import SimulationResult
from sim_bridge.routers.iq.scenario import Scenario
from sim_bridge.routers.iq.table import FollowedTable, StoredForwarding
from sim_bridge.routers.vct import VctConfig, VctResult
from sim_bridge.sampling import DrawsPaths, Split, StoredSplit
from sim_bridge.scenario import RouterScenario
from sim_bridge.simulations import Simulated, SimulationRequest, simulate_request
from tvlb.errors import InvalidInput
from tvlb.forwarding import Forwarding
from tvlb.paths import PathSet, as_path_set
from tvlb.processes import available_cores
from tvlb.topology import Topology, as_topology
from tvlb.traffic import Pattern, as_pattern

_Table = Forwarding | FollowedTable | StoredForwarding | Split | StoredSplit


@overload
def simulate(
    topology: Topology | str,
    *,
    load: float,
    routing: str = "ugal-l",
    path_set: PathSet | str | Sequence[PathSet | str] = "all",
    pattern: Pattern | str = "uniform",
    table: _Table | None = None,
    config: SimulationConfig | None = None,
    seed: int = 0,
    stop: StopFlag | None = None,
    threads: int | None = None,
) -> SimulationResult: ...
@overload
def simulate(
    topology: Topology | str,
    *,
    load: float,
    routing: str = "min",
    path_set: PathSet | str | None = None,
    pattern: Pattern | str = "uniform",
    table: Split | StoredSplit | None = None,
    config: VctConfig,
    seed: int = 0,
    stop: StopFlag | None = None,
) -> VctResult: ...
@overload
def simulate(
    topology: Topology | str,
    *,
    load: float,
    routing: str = "min",
    pattern: Pattern | str = "uniform",
    config: FogConfig,
    seed: int = 0,
    stop: StopFlag | None = None,
) -> FogResult: ...
@overload
def simulate(
    topology: Topology | str,
    *,
    load: float,
    routing: str = "min",
    pattern: Pattern | str = "uniform",
    config: object,
    seed: int = 0,
    stop: StopFlag | None = None,
) -> RunResult: ...
@overload
def simulate(
    topology: Topology | str,
    *,
    load: Sequence[float],
    routing: str | None = None,
    path_set: PathSet | str | Sequence[PathSet | str] | None = None,
    pattern: Pattern | str = "uniform",
    table: _Table | None = None,
    config: object = None,
    seed: int = 0,
    threads: int | None = None,
) -> Simulated: ...
def simulate(
    topology: Topology | str,
    *,
    load: float | Sequence[float],
    routing: str | None = None,
    path_set: PathSet | str | Sequence[PathSet | str] | None = None,
    pattern: Pattern | str = "uniform",
    table: _Table | None = None,
    config: object = None,
    seed: int = 0,
    stop: StopFlag | None = None,
    threads: int | None = None,
) -> RunResult | Simulated:
    """Simulate loads flit by flit, or with the settings of another router by that.

    Parameters
    ----------
    topology, path_set, pattern : also as the texts that commands take.
    routing : `Routing` or its text, by default UGAL-L; with a `VctConfig` one of `VCT_ROUTINGS` or
        "valiant", by default MIN.
    path_set : VLB paths to draw from, of a routing that draws some; several sets, short paths
        first, of one that draws by level. Not with a `FogConfig`.
    table : the forwarding table of the routing "table", such as `tvlb.route(...).table`, with the
        default router; a split, such as `tvlb.static(...).table`, of the routing "static", also
        with a `VctConfig`.
    load : packets/cycle and node (times the node's rate in the pattern), 0..1; with a `VctConfig`
        phits. Several are simulated at once, on all cores, and returned together.
    config : router and windows; None for the defaults of `SimulationConfig`.
    seed : 0..2^63-1; equal arguments give equal results.
    stop : set from another thread to end the run with `stopped` = "cancelled"; its
        `cycles_done` tells the progress. Of one load only.
    threads : of each run, with the default router, see `Scenario.run`; None for one, or where there
        are several loads, for what is left of the cores.

    Raises
    ------
    InvalidInput : an argument is out of range or they do not fit together.
    SimulationDeadlock : full input buffers wait for each other in a circle.

    Notes
    -----
    Time grows with the flits that move, not with the network; the Python lock is released.

    Examples
    --------
    >>> quick = SimulationConfig(warmup_cycles=500, measured_cycles=500)
    >>> simulate("2,4,2,5", routing="min", load=0.1, config=quick)
    <SimulationResult min, uniform, load 0.1: latency 35.2 cycles, accepted 0.1037>
    """
    network, traffic = as_topology(topology), as_pattern(pattern)
    scenario: Any = RouterScenario.of_config(config or SimulationConfig())
    scenario.check_threads(threads)
    asked = "all" if path_set is None else path_set
    sets = (asked,) if isinstance(asked, str) or not isinstance(asked, Sequence) else asked
    draws = issubclass(scenario, DrawsPaths)
    kind = type(config).__name__
    if path_set is not None and not draws:
        raise InvalidInput(f"path_set {path_set}: the router of a {kind} draws no VLB paths")
    if table is not None and not draws:
        raise InvalidInput(f"table: the packets of a {kind} go by no table")
    paths = [as_path_set(one, network, seed) for one in sets] if draws else []
    gone_by: object = table
    if isinstance(table, Forwarding):
        gone_by = FollowedTable(table)
    elif isinstance(table, StoredForwarding) and not isinstance(table, FollowedTable):
        gone_by = FollowedTable(table.forwarding)
    elif isinstance(table, StoredSplit):
        gone_by = table.weighted_paths("the table")
    drawn: dict[str, Any] = {"path_set": paths, "table": gone_by} if draws else {}
    usual = "ugal-l" if scenario is Scenario else "min"
    case: Any = scenario(
        topology=network, routing=routing or usual, pattern=traffic, seed=seed, **drawn
    )
    if draws:
        case.check_chosen("path_set")
    if not isinstance(load, Sequence):
        more = {"threads": threads} if threads is not None and case.takes_threads else {}
        return case.run(load, config, stop, **more)
    if stop is not None:
        raise InvalidInput("stop is of one load, and there are several")
    request = SimulationRequest(case, config or SimulationConfig(), loads=load)
    return simulate_request(request, workers=available_cores(), threads=threads)
