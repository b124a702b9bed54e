"""What a request costs, told from its sizes in well under 10 ms.

Estimates for a core of a 2.5 GHz Xeon; docs/search.md says how far they are off. A server knows by
what its jobs took how fast its machines are (`tvlb.jobs.accounting.measured_speed`). They expect a
request that was checked, refuse nothing, and never list a path.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim_bridge import Routing, SimulationConfig, VctConfig, Warmup
from sim_bridge.routers.vct.stability import StabilityCase
from sim_bridge.routing import draws_split
from tvlb.forwarding import MeasureOptions, Order, RouteOptions, graph_of
from tvlb.forwarding.repair import WORK_AFRESH
from tvlb.guarantee import (
    FRONTIER_POINTS,
    MOST_CELLS,
    MOST_ROUTED_AFRESH,
    PATTERN_STARTS,
    FailureKind,
    failure_cases,
    most_split_work,
    most_tried,
    network_orbits,
)
from tvlb.native import kernels
from tvlb.paths import MAX_ROWS, PathSet
from tvlb.requests.repair import RepairOptions
from tvlb.requests.sizes import ProgramSize, program_size
from tvlb.search.common_traffic import PERMUTATION_SEEDS, ROUNDS
from tvlb.search.objective import REFERENCE_LOAD, Aim, Method, Searched, flit_hop_budget
from tvlb.search.options import SearchOptions
from tvlb.search.sampling import BATCH
from tvlb.search.second_router import Judges, cut_through_config
from tvlb.search.windows import Windows
from tvlb.search.workload import Workload, parse_traffic
from tvlb.search.worst_simulated import CONFIG as SWAPS_CONFIG
from tvlb.topology import Topology
from tvlb.traffic import Assignments, Pattern, parse_pattern, type1_set, type2_set

# A process with numpy, scipy, HiGHS and tvlb loaded, measured; it takes 1.1 s to start.
_BASE_BYTES = 132e6
_START_SECONDS = 1.1

# HiGHS: passes over the nonzeros, as many as the smaller number of rows and columns. Fitted to 21
# programs from dfly(2,4,2,9) to dfly(16,32,16,17); half of them need 14 to 34 ns, all 8 to 75.
_SECONDS_PER_PASS = 2.3e-8
_LEAST_MODEL_SECONDS = 0.012
# dfly(13,26,13,27) and dfly(16,32,16,17) with <=3: 2.9 ns; `all` on small networks: 250 to 300 ns.
_SECONDS_PER_EXAMINED = 3e-9
_SECONDS_PER_CLASSED = 3e-7
_BYTES_PER_NONZERO = 120.0
_BYTES_PER_ROW = 2500.0

# Step 1 by flows times links, on the five networks of docs/search.md.
_SECONDS_PER_CELL = 2.8e-6
_CELL_EXPONENT = 0.8
_SECONDS_PER_PROGRAM = 0.003
_BYTES_PER_CELL = 10.0
# `auto` drops path sets on the way. What it solves is worth 8 to 15 patterns of all sets.
_AUTO_PATTERNS = 10

# A forwarding table by nodes times directed links, and by its entries.
_SECONDS_PER_ROUTED_LINK = 3e-9
_LEAST_ROUTE_SECONDS = 0.002
_SECONDS_PER_LAYERED_ENTRY = 6e-7
# A repair of one, by its entries, in one lane more; where many links are down there, it is routed
# again in another order of links, on small networks afresh too; and by what may change besides.
_SECONDS_PER_REPAIRED_ENTRY = 3.5e-7
_SECONDS_PER_ORDERED_ENTRY = 2e-7
_SECONDS_PER_REROUTED_ENTRY = 1e-6
_SECONDS_PER_AFRESH_LINK = 4e-5
_SECONDS_PER_MOVED_ENTRY = 2e-5
_MANY_DOWN = 0.02
_BYTES_PER_ROUTED_ENTRY = 4.0
_BYTES_PER_LINK = 100.0

# Measures of routes: by entries of the table or paths, by streams and links of their routes. EFI_LP
# by switches times directed links, of which 29 to 222 ns times the root of their number were taken,
# and large ones go through a number of rounds.
_SECONDS_PER_ENTRY = 5e-9
_SECONDS_PER_SPLIT_PATH = 4.5e-7
_BYTES_PER_SPLIT_PATH = 25.0
_SECONDS_PER_STREAM = 4e-8
_SECONDS_PER_STREAM_LINK = 1.5e-8
_SECONDS_PER_SPLIT_FLOW = 8e-8
_MOST_SECONDS_PER_SPLIT_FLOW = 8e-5
_BYTES_PER_SPLIT_FLOW = 300.0

# Guarantees: a game by iterations times shares, and traffic that is tried by the entries of its
# program and by those of all pairs, which are priced.
_SECONDS_PER_SPLIT_WORK = 4e-9
_MANY_CELLS = 2e6
_TRAFFICS_PER_START = 60
_SWAPS_LOAD = 0.4  # what runs between swaps cost on average, patterns listed anew for each
_SECONDS_PER_TRAFFIC_ENTRY = 3e-7
_SECONDS_PER_PRICED_ENTRY = 1.2e-8
_BYTES_PER_CLASS_ENTRY = 14.0
_BYTES_PER_SPLIT_CELL = 12.0
# An assignment where switches count as several; see `tvlb.traffic.Assignments`.
_SECONDS_PER_COPIES_CUBED, _BYTES_PER_COPIES_SQUARED = 1.2e-10, 20.0
# A split by shape: listing a path and the links that it crosses; a program, and that per orbit of
# pairs times orbit of links. Measured on dfly(4,8,4,9,palmtree), slimfly(13), dfly(2,4,2,5) and
# dfly(4,8,4,33,palmtree); after failures, on the first and slimfly(7), with less memory.
_SECONDS_PER_SHAPED_PATH = 9e-7
_SECONDS_PER_POINT, _SECONDS_PER_ORBITS = 0.1, 4e-4
_BYTES_PER_ORBITS = 7e3
# After a failure: a path in two splits, and the program of what is left.
_SECONDS_PER_FOLLOWED_PATH = 2e-6
_BYTES_PER_ORBITS_AFRESH = 5e3
# So many paths are listed at a time.
_LISTED_AT_A_TIME, _BYTES_PER_SHAPED_PATH = 2e6, 350.0

# The simulator. Beyond about 1,000 nodes its state leaves the caches: dfly(13,26,13,27) needs 3.2
# times as long per packet as dfly(4,8,4,9).
_SECONDS_PER_NODE_CYCLE = 3e-9
_NODES_IN_CACHE = 1000
# Of a forwarding table that is followed: ports, layers and links, the latter twice.
_BYTES_PER_FOLLOWED_ENTRY = 24.0
# Of a split the paths of all pairs are listed, if it takes them all, and drawn by their weights.
_BYTES_PER_SHARED_PATH, _SECONDS_PER_SHARED_PATH = 12.0, 2e-7
_BYTES_PER_NODE = 2000.0
# A switch has masks of all its virtual channels for each of them. A wheel of events has a slot for
# every cycle ahead, one for each unit of switches; all wheels take no more than all switches.
_BYTES_PER_CHANNEL, _BYTES_PER_CHANNELS_SQUARED = 48.0, 1 / 8
_FEW_HOPS, _FEWEST_SLOTS, _SLOTS_OF_LONG_ROUTES = 7, 4, 8
_BYTES_PER_CYCLE_AHEAD, _BYTES_PER_CYCLES_AHEAD = 48.0, 640 * 1024
# Their pool doubles, and while it moves both are there: 32 to 64.
_BYTES_PER_PACKET = 48.0
_DRAIN_CYCLES = 100
# Delivered packets are counted by latency, which in a saturated run grows with its length: 4 bytes
# each, and 6 where room is made for more.
_BYTES_PER_LATENCY = 6.0
# What a run tells, until the document is written, and in it. A number takes 7 bytes, and 20 where
# the window is no power of ten. A trace of 4 switches takes 270 bytes and, as objects, 3.8 kB.
_BYTES_PER_TRACE = 6000.0
_WRITTEN_PER_TRACE = 450.0
_BYTES_PER_NUMBER = 150.0
_WRITTEN_PER_NUMBER = 10.0
_WRITTEN_PER_SHARE = 20.0
_FIGURES = 40
_SEARCH_RUNS = 10
# Loads above this are saturated under some patterns and not under others; saturated runs last to
# the end of the drain. Only the pattern knows, so the mean of both on a log scale is taken.
_DOUBTFUL_LOAD = 0.35
# Runs of a saturation search, times their loads, times their share of the window: 1.8 to 2.9.
_SEARCH_RUNS_AT_FULL_LOAD = 2.2

# The virtual cut-through router, by packets times links: 0.27 to 0.38 us on networks of up to 1,000
# nodes, 0.69 on hyperx(8,8,8,8); a packet of one phit took 0.25. Routes have 0.75 to 0.95 of the
# links of the longest, and what networks carried at load 1 was 1.0 to 2.6 phits times links in a
# cycle per node.
_SECONDS_PER_PACKET_HOP = 3.4e-7
_MEAN_ROUTE = 0.85
_SECONDS_PER_IDLE_CYCLE = 1.4e-10  # of a node; 0.9e-10 to 1.4e-10 without traffic
_MOST_PHIT_HOPS = 2.0
_BYTES_PER_VC = 30.0
_BYTES_PER_BUFFERED = 20.0  # packet that fits a buffer
_BYTES_PER_QUEUED = 8.0  # packet that fits the queue of a node

# A table: the saturation throughput of UGAL under type2 is about half the bound by capacity.
_SHARE_OF_BOUND = 0.5
# Strategic choices that are left beside the data points: 5 to 7 on four networks; of many data
# points some mean the same paths.
_STRATEGIC = 5
_DISTINCT_SHARE = 0.8
# Runs of a search that starts from the answer of another one, and of each halving of the grid.
_GUIDED_RUNS = 3.5
_RUNS_PER_HALVING = 1.5
_CURVE_POINTS = 10
_CURVES = 2
_MEAN_CURVE_LOAD = 0.58  # of the saturation throughput
# The search for weighted sets: 20 sets to begin with, most of them on two patterns and two loads;
# held-out traffic of ten patterns, four sets, a search for saturation and two latencies each.
_STARTING_RUNS = 30
_HELD_OUT_PATTERNS = 10
_JUDGED_SETS = 4
# With the rule of UGAL: what is begun beyond the budget, and another set and higher loads.
_OF_BOTH = 1.5, 1.6
_RUNS_PER_JUDGED_SET = 5.0
# The old table, the new one and all paths. No search has told what they saturate at.
_REPAIRED_SETS = 3
_RUNS_PER_REPAIRED_SET = 7.2
# Common traffic: what uniform traffic and permutations saturate at; searches of two sets, of which
# those of the second begin where the first ended.
_COMMON_LOAD = 0.6
_COMMON_RUNS = (1 + len(PERMUTATION_SEEDS) + ROUNDS) * (_RUNS_PER_REPAIRED_SET + _GUIDED_RUNS)
_SECONDS_PER_FLIT_HOP = 1.4e-7
_FORMS_LISTED = 4.0
# To list, compare, balance and keep paths, per path of `all` and candidate, which holds 5% to 100%
# of them (without balancing about a third of the time).
_SECONDS_PER_PATH = 2.5e-7
_UNBALANCED_SHARE = 0.3
# The process that asks needs most, when it makes the table: 2.06 GB for dfly(4,8,4,33) with 16.6
# million paths. The worker processes needed 0.86 GB each.
_BYTES_PER_LISTED_PATH = 105.0
# Where all paths are too many: the sample that balancing reports on, and what candidates hold.
_SAMPLED_PATHS = 20e6
_MEAN_SHARE = 0.25
_BYTES_PER_DRAWN_PATH = 4.0


@dataclass(frozen=True)
class Cost:
    """Estimated cost of a request.

    Attributes
    ----------
    cpu_seconds : processor time of all threads and processes, seconds.
    memory_bytes : peak of the largest process.
    stages : CPU seconds by stage; they add up to `cpu_seconds`.
    answer_bytes : of the document, where it may be large: that of simulations and of stability.
    """

    cpu_seconds: float
    memory_bytes: int
    stages: dict[str, float]
    answer_bytes: int = 0

    def on(self, speed: float) -> "Cost":
        """Return the cost on a machine that is so many times as fast as that of the estimates."""
        stages = {stage: seconds / speed for stage, seconds in self.stages.items()}
        return replace(self, cpu_seconds=self.cpu_seconds / speed, stages=stages)


def _cost(stages: dict[str, float], memory: float, answer: float = 0.0) -> Cost:
    return Cost(math.fsum(stages.values()), round(_BASE_BYTES + memory), stages, round(answer))


def model_cost(topology: Topology, path_set: PathSet | str, pattern: Pattern) -> Cost:
    """Estimate one linear program with HiGHS, the default solver.

    Parameters
    ----------
    path_set : a set or an expression; anything else, such as a table, counts as `all`.
    """
    size = program_size(topology, path_set, pattern)
    build = size.examined * _SECONDS_PER_EXAMINED + size.paths * _SECONDS_PER_CLASSED
    passes = min(size.rows, size.columns) * size.nonzeros
    cost = _cost(
        {
            "build": _LEAST_MODEL_SECONDS + build,
            "solve": passes * _SECONDS_PER_PASS,
        },
        size.nonzeros * _BYTES_PER_NONZERO + (size.rows + size.columns) * _BYTES_PER_ROW,
    )
    return with_traffic(cost, topology, [pattern])


def with_traffic(cost: Cost, topology: Topology, patterns: Iterable[Pattern]) -> Cost:
    """Add what it takes to find the traffic of those patterns that an engine finds."""
    found = [
        _swaps(topology, one.searched_runs)
        if one.searched_runs
        else _adversary(topology, one.searched_paths, PATTERN_STARTS)
        for one in patterns
        if one.searched_paths is not None
    ]
    if not found:
        return cost
    seconds = math.fsum(second for one in found for second in one.stages.values())
    return replace(
        cost,
        cpu_seconds=cost.cpu_seconds + seconds,
        memory_bytes=max(cost.memory_bytes, *(one.memory_bytes for one in found)),
        stages=cost.stages | {"traffic": seconds},
    )


def _swaps(topology: Topology, runs: int) -> Cost:
    """Estimate the search for the worst traffic by simulations."""
    return simulation_cost(topology, "ugal-l", SWAPS_CONFIG, [_SWAPS_LOAD] * runs, 1, False)


def _adversary(topology: Topology, path_set: PathSet | str, starts: int) -> Cost:
    """Estimate the search for the worst traffic."""
    size, share = _of_all_pairs(topology, path_set)
    entries = size.nonzeros * share
    a_traffic = (
        _SECONDS_PER_PROGRAM
        + size.nonzeros * _SECONDS_PER_TRAFFIC_ENTRY
        + entries * _SECONDS_PER_PRICED_ENTRY
        + _assignment_seconds(topology)
    )
    stages = {
        "build": size.paths * share * _SECONDS_PER_CLASSED,
        "adversary": starts * min(_TRAFFICS_PER_START, most_tried(entries, starts)) * a_traffic,
    }
    return _cost(stages, entries * _BYTES_PER_CLASS_ENTRY + _assignment_bytes(topology))


def _assignment_seconds(topology: Topology) -> float:
    """Return what an assignment takes beyond one where no switch counts as several."""
    more = Assignments.copies(topology) ** 3 - topology.num_senders**3
    return more * _SECONDS_PER_COPIES_CUBED


def _assignment_bytes(topology: Topology) -> float:
    more = Assignments.copies(topology) ** 2 - topology.num_senders**2
    return more * _BYTES_PER_COPIES_SQUARED


def _of_all_pairs(topology: Topology, path_set: PathSet | str) -> tuple[ProgramSize, float]:
    """Return the size of the program of a permutation, and how many times as many all pairs are."""
    senders = topology.num_senders
    size = program_size(topology, path_set, parse_pattern("permutation"))
    return size, senders * (senders - 1) / max(1.0, size.rows - topology.num_links)


def worst_cost(
    topology: Topology, path_set: PathSet | str, starts: int, *, is_symmetric: bool
) -> Cost:
    """Estimate a guarantee and the search for the worst traffic.

    Parameters
    ----------
    path_set : as of `model_cost`.
    is_symmetric : whether the paths have the symmetries of the network, which are found where they
        make much of a difference.
    """
    size, share = _of_all_pairs(topology, path_set)
    classes = (size.columns - 1) * share
    links = topology.num_links
    if is_symmetric and classes * links > _MANY_CELLS:
        links = len(network_orbits(topology).first_links)
    cells = min(classes * links, MOST_CELLS)  # what takes more is refused
    adversary = _adversary(topology, path_set, starts)
    work = most_split_work(round(cells)) * _SECONDS_PER_SPLIT_WORK
    split = {"split": work + links * _assignment_seconds(topology)}
    memory = adversary.memory_bytes - _BASE_BYTES + cells * _BYTES_PER_SPLIT_CELL
    return _cost(adversary.stages | split, memory, topology.num_links * _WRITTEN_PER_NUMBER)


def static_cost(topology: Topology, path_set: PathSet | str, failures: str | None = None) -> Cost:
    """Estimate a fixed split and its frontier, as if paths were as symmetric as the network.

    Parameters
    ----------
    path_set : as of `model_cost`.
    failures : as of `tvlb.guarantee.static`.
    """
    size, share = _of_all_pairs(topology, path_set)
    alike = network_orbits(topology)
    orbits = alike.pairs * len(alike.first_links)
    paths = size.paths * share
    a_point = _SECONDS_PER_POINT + orbits * _SECONDS_PER_ORBITS
    a_point += len(alike.first_links) * _assignment_seconds(topology)
    stages = {
        "build": paths * _SECONDS_PER_SHAPED_PATH,
        "split": (FRONTIER_POINTS + 1) * a_point,
    }
    memory = (
        paths * topology.max_hops * _BYTES_PER_CLASS_ENTRY
        + min(paths, _LISTED_AT_A_TIME) * _BYTES_PER_SHAPED_PATH
        + orbits * _BYTES_PER_ORBITS
        + _assignment_bytes(topology)
    )
    if failures is not None:
        # What is drawn is as good as never the same by each of parallel cables.
        is_drawn = "%" in str(path_set)
        kind = FailureKind(failures)
        cases = failure_cases(topology, alike, kind, keeps_parallel=not is_drawn)
        # Symmetries that keep what is down: the group has about as many as the largest orbit.
        group = int(np.bincount(alike.pair).max())
        whole = alike.pair.size * topology.num_links
        afresh = [whole * min(one.alike / group, 1.0) ** 2 for one in cases]
        afresh = [one for one in afresh if one <= MOST_ROUTED_AFRESH]
        stages["failures"] = (
            paths * len(cases) * _SECONDS_PER_FOLLOWED_PATH
            + math.fsum(afresh) * _SECONDS_PER_ORBITS
            + 3 * len(cases) * topology.num_links * _assignment_seconds(topology)
        )
        memory += max(afresh, default=0.0) * _BYTES_PER_ORBITS_AFRESH
    return _cost(stages, memory)


def simulation_cost(
    topology: Topology,
    routing: str,
    config: SimulationConfig,
    loads: Sequence[float],
    seeds: int,
    saturation: bool,
) -> Cost:
    """Estimate simulated loads, and a search for the saturation load where `saturation` says so.

    Notes
    -----
    One run at a time; what all of them tell is kept until the document is written.
    """
    paths = _shared_paths(topology, routing)
    stages = {
        "simulate": seeds * sum(_load_seconds(topology, routing, config, x) for x in loads)
        + paths * _SECONDS_PER_SHARED_PATH
    }
    if saturation:
        stages["saturation"] = (
            seeds
            * _SEARCH_RUNS_AT_FULL_LOAD
            * _run_seconds(topology, routing, 1.0, _window_cycles(config))
        )
    told = [_told(topology, config, load) for load in loads]
    told += [_told(topology, config, 1.0)] * (_SEARCH_RUNS * saturation)
    traces = seeds * sum(traces for traces, _ in told)
    numbers = seeds * sum(numbers for _, numbers in told)
    kept = traces * _BYTES_PER_TRACE + numbers * _BYTES_PER_NUMBER
    written = traces * _WRITTEN_PER_TRACE + numbers * _WRITTEN_PER_NUMBER
    busiest = 1.0 if saturation else max(loads, default=0.0)
    packets = _most_packets(topology, routing, config, busiest) * _BYTES_PER_PACKET
    latencies = config.most_cycles * _BYTES_PER_LATENCY if busiest > 0.0 else 0.0
    entries = topology.num_nodes * topology.num_switches * Routing(routing).follows_table
    held = (
        max(_simulator_bytes(topology), _switch_bytes(topology, routing, config))
        + entries * _BYTES_PER_FOLLOWED_ENTRY
        + paths * _BYTES_PER_SHARED_PATH
        + packets
        + latencies
        + kept
    )
    return _cost(stages, held, written)


def _shared_paths(topology: Topology, routing: str) -> float:
    """Return how many paths are listed for a routing by a split, which are at most all."""
    if not draws_split(routing):
        return 0.0
    size, share = _of_all_pairs(topology, "all")
    return size.paths * share


def stability_cost(
    topology: Topology, cases: Sequence[StabilityCase], load: float, seeds: int
) -> Cost:
    """Estimate a study of stability, whose runs all last to their ends."""
    runs = [_vct_run(topology, case.routing, case.config, load) for case in cases]
    return _vct_runs_cost("stability", runs, seeds)


def vct_cost(
    topology: Topology, routing: str, config: VctConfig, loads: Sequence[float], seeds: int
) -> Cost:
    """Estimate simulated loads of the virtual cut-through router; see `simulation_cost`."""
    runs = [_vct_run(topology, routing, config, load) for load in loads]
    # Also the load of every link, and the cycles of the series.
    more = topology.num_links + config.most_cycles / config.interval
    told = [replace(run, numbers=run.numbers + more) for run in runs]
    return _vct_runs_cost("simulate", told, seeds)


@dataclass(frozen=True)
class _VctRun:
    """A run of the virtual cut-through router.

    Attributes
    ----------
    seconds : of a processor.
    held : bytes, while it lasts.
    numbers : that it tells.
    traces : packets that it traces.
    """

    seconds: float
    held: float
    numbers: float
    traces: float


def _vct_run(topology: Topology, routing: str, config: VctConfig, load: float) -> _VctRun:
    nodes, paths = topology.num_nodes, _shared_paths(topology, routing)
    slower = math.sqrt(max(1.0, nodes / _NODES_IN_CACHE))
    links = len(topology.longest_min_path) * (1 if routing == "min" else 2)
    cycles = config.most_cycles
    phit_hops = nodes * cycles * min(load * _MEAN_ROUTE * links, _MOST_PHIT_HOPS)
    ports = (topology.num_links + nodes) * (config.vc_count or links)
    deep = config.input_buffer_phits + config.output_buffer_phits
    packets = ports * deep / config.packet_phits
    queued = nodes * config.source_queue_packets
    return _VctRun(
        nodes * cycles * _SECONDS_PER_IDLE_CYCLE
        + phit_hops / config.packet_phits * _SECONDS_PER_PACKET_HOP * slower
        + paths * _SECONDS_PER_SHARED_PATH,
        ports * _BYTES_PER_VC
        + packets * _BYTES_PER_BUFFERED
        + queued * _BYTES_PER_QUEUED
        + paths * _BYTES_PER_SHARED_PATH,
        cycles / config.interval + _FIGURES,
        min(config.traced_packets, nodes * load * config.measured_cycles / config.packet_phits),
    )


def _vct_runs_cost(stage: str, runs: Sequence[_VctRun], seeds: int) -> Cost:
    """Return the cost of runs one at a time; what all of them tell is kept."""
    numbers = seeds * math.fsum(run.numbers for run in runs)
    traces = seeds * math.fsum(run.traces for run in runs)
    kept = numbers * _BYTES_PER_NUMBER + traces * _BYTES_PER_TRACE
    return _cost(
        {stage: seeds * math.fsum(run.seconds for run in runs)},
        max((run.held for run in runs), default=0.0) + kept,
        numbers * _WRITTEN_PER_SHARE + traces * _WRITTEN_PER_TRACE,
    )


def table_cost(topology: Topology, options: SearchOptions) -> Cost:
    """Estimate a whole search."""
    candidates = _candidates(options)
    paths = topology.expected_paths.vlb_paths
    listed = paths <= MAX_ROWS
    balanced = paths if listed else _SAMPLED_PATHS
    stages = {"probe": _probe_seconds(topology, options)}
    if options.method == Method.PAPER:
        stages["balance"] = candidates * balanced * _preparing_seconds(options)
        stages["simulate"] = _validation_seconds(topology, options, candidates)
    else:
        candidates = _FORMS_LISTED
        stages |= _search_seconds(topology, options)
    stages["table"] = min(paths, MAX_ROWS) * _SECONDS_PER_PATH
    if listed:
        memory = paths * _BYTES_PER_LISTED_PATH
    else:
        drawn = _drawn_paths(topology, options) * candidates
        stages["table"] += 2 * drawn * _SECONDS_PER_PATH
        memory = drawn * _BYTES_PER_DRAWN_PATH
    held = memory + _cells(topology) * _BYTES_PER_CELL + _simulator_bytes(topology)
    named = options.workload
    return with_traffic(_cost(stages, held), topology, () if named is None else named.patterns)


def swept_cost(topology: Topology, options: SearchOptions) -> Cost:
    """Estimate a point of a sweep: its table, and what its network carries of common traffic."""
    table, windows = table_cost(topology, options), options.screening_windows
    cycles = windows.warmup + windows.measured
    run = _run_seconds(topology, options.routing, _COMMON_LOAD, cycles)
    stages = table.stages | {"common": _COMMON_RUNS * run}
    return replace(table, cpu_seconds=math.fsum(stages.values()), stages=stages)


def repair_cost(topology: Topology, options: RepairOptions) -> Cost:
    """Estimate a repair; `topology` is what is left of the network."""
    paths = min(topology.expected_paths.vlb_paths, MAX_ROWS)
    if options.strike_only:
        return _cost({"build": paths * _SECONDS_PER_PATH}, 2 * paths * _BYTES_PER_LISTED_PATH)
    workload = parse_traffic(options.traffic)
    stages = {
        # The old table is read and struck out, the new one is balanced.
        "build": 2 * paths * _SECONDS_PER_PATH,
        "compare": _START_SECONDS * options.worker_count
        + _comparing_seconds(
            topology,
            options.routing,
            options.windows,
            workload,
            _REPAIRED_SETS * _RUNS_PER_REPAIRED_SET,
        ),
    }
    cost = _cost(stages, 2 * paths * _BYTES_PER_LISTED_PATH + _simulator_bytes(topology))
    return with_traffic(cost, topology, () if workload is None else workload.patterns)


def entries_repair_cost(topology: Topology, options: RepairOptions, *, in_one_lane: bool) -> Cost:
    """Estimate a repair of a forwarding table; `topology` is what is left of the network.

    Parameters
    ----------
    in_one_lane : whether it was made for one lane, in which its links have an order.
    """
    entries = topology.num_nodes * topology.num_switches
    each = _SECONDS_PER_REPAIRED_ENTRY + options.rebalance * _SECONDS_PER_MOVED_ENTRY
    seconds = _LEAST_ROUTE_SECONDS
    if in_one_lane:
        each += _SECONDS_PER_ORDERED_ENTRY
        assert topology.origin is not None
        if topology.num_links < (1 - _MANY_DOWN) * topology.origin.network.num_links:
            each += _SECONDS_PER_REROUTED_ENTRY
            work = topology.num_nodes * topology.num_links
            seconds += work * _SECONDS_PER_AFRESH_LINK if work <= WORK_AFRESH else 0.0
    stages = {"repair": seconds + entries * each}
    return _cost(stages, 3 * entries * _BYTES_PER_ROUTED_ENTRY)


def route_cost(topology: Topology, options: RouteOptions) -> Cost:
    """Estimate a forwarding table."""
    nodes, links = topology.num_nodes, topology.num_links
    orders = len(Order.parse(options.order).tried)
    tries = orders * (1 + 2 * options.passes)
    entries = nodes * topology.num_switches
    stages = {"route": _LEAST_ROUTE_SECONDS + nodes * links * tries * _SECONDS_PER_ROUTED_LINK}
    if options.most_layers is not None:
        stages["layers"] = entries * orders * _SECONDS_PER_LAYERED_ENTRY
    return _cost(stages, entries * _BYTES_PER_ROUTED_ENTRY + links * _BYTES_PER_LINK)


def measure_cost(
    topology: Topology, options: MeasureOptions, *, is_table: bool, has_detours: bool
) -> Cost:
    """Estimate measures of routes.

    Parameters
    ----------
    is_table : whether they are those of a forwarding table.
    has_detours : whether paths are VLB paths, too.
    """
    nodes, switches = topology.num_nodes, topology.num_switches
    streams = options.bisections * sum(options.jobs or (nodes,)) * (1 + options.both) / 2
    streams += nodes * nodes if options.pattern else 0
    # No more paths are counted than have to be: there may be too many.
    links = _hops(topology) if is_table else float(len(topology.longest_min_path))
    stages = {"loads": nodes * switches * _SECONDS_PER_ENTRY}
    memory = nodes * switches * _BYTES_PER_ROUTED_ENTRY
    if not is_table:
        paths = switches * switches + has_detours * topology.expected_paths.vlb_paths
        links = min(links * paths / switches**2, topology.num_links)
        stages["loads"] = paths * _SECONDS_PER_SPLIT_PATH
        memory += paths * _BYTES_PER_SPLIT_PATH
    stages["bisections"] = _LEAST_ROUTE_SECONDS + streams * (
        _SECONDS_PER_STREAM + links * _SECONDS_PER_STREAM_LINK
    )
    if options.bound is not None:
        stages["bound"] = _bound_seconds(topology)
        memory += switches * topology.num_links * _BYTES_PER_SPLIT_FLOW
    return _cost(stages, memory)


def _hops(topology: Topology) -> float:
    """Links of the longest of the shortest ways to one node."""
    first = int(topology.network.node_switch[0])
    return float(kernels.shortest_hops(graph_of(topology), first).max())


def _bound_seconds(topology: Topology) -> float:
    """Estimate the program of routes that split freely."""
    flows = float(topology.num_switches * topology.num_links)
    by_flow = min(math.sqrt(flows) * _SECONDS_PER_SPLIT_FLOW, _MOST_SECONDS_PER_SPLIT_FLOW)
    return _LEAST_MODEL_SECONDS + flows * by_flow


def _preparing_seconds(options: SearchOptions) -> float:
    """Per path of a candidate."""
    share = 1.0 if options.balancing is not None else _UNBALANCED_SHARE
    return share * _SECONDS_PER_PATH


def _simulator_bytes(topology: Topology) -> float:
    return topology.num_nodes * _BYTES_PER_NODE


def _switch_bytes(topology: Topology, routing: str, config: SimulationConfig) -> float:
    """All switches of the input-queued router, whose masks are alike and have powers of two."""
    vcs = config.resolved_vc_count(topology, routing)
    # Routes of many links have room for many virtual channels.
    hops = topology.max_hops + Routing(routing).decides_again
    least = _FEWEST_SLOTS if hops <= _FEW_HOPS else _SLOTS_OF_LONG_ROUTES
    links = np.bincount(topology.network.link_source, minlength=topology.num_switches)
    ports = int((links + topology.switch_nodes).max())
    slots = 2.0 ** math.ceil(math.log2(max(vcs, least)))
    channels = 2.0 ** math.ceil(math.log2(ports * slots))
    state = topology.num_switches * channels
    state *= _BYTES_PER_CHANNEL + channels * _BYTES_PER_CHANNELS_SQUARED
    ahead = 2.0 * vcs * config.buffer_flits * _BYTES_PER_CYCLE_AHEAD
    return state + min(state, ahead * (1.0 + state / _BYTES_PER_CYCLES_AHEAD))


def _run_seconds(topology: Topology, routing: str, load: float, cycles: float) -> float:
    """One run; no load is more than 1."""
    nodes = topology.num_nodes
    slower = math.sqrt(max(1.0, nodes / _NODES_IN_CACHE))
    packet = Routing(routing).seconds_per_packet * slower
    return nodes * cycles * (_SECONDS_PER_NODE_CYCLE + min(load, 1.0) * packet)


def _window_cycles(config: SimulationConfig) -> int:
    """Cycles up to the end of the measured window."""
    warmup = config.warmup_cycles
    if config.warmup == Warmup.DETECT:
        # The first look is after as many cycles as are measured, the next 1,000 later.
        warmup = min(warmup, config.measured_cycles + 1_000)
    return warmup + config.measured_cycles


def _most_packets(topology: Topology, routing: str, config: SimulationConfig, load: float) -> float:
    """Packets inside the network at once: all that are sent, or as many as have a buffer."""
    sent = topology.num_nodes * min(load, 1.0) * config.most_cycles
    # Virtual channels that no route needs stay empty.
    needed = replace(config, vc_count=None).resolved_vc_count(topology, routing)
    channels = min(config.resolved_vc_count(topology, routing), needed)
    inputs = topology.num_links + topology.num_nodes
    return min(sent, inputs * channels * config.buffer_flits)


def _told(topology: Topology, config: SimulationConfig, load: float) -> tuple[float, float]:
    """Traces and numbers that one run tells of."""
    packets = topology.num_nodes * min(load, 1.0) * config.measured_cycles
    by_place = topology.num_links + 2 * topology.num_switches
    series = 3 * config.most_cycles / config.interval
    return min(config.traced_packets, packets), by_place + series + _FIGURES


def _load_seconds(topology: Topology, routing: str, config: SimulationConfig, load: float) -> float:
    cycles = float(_window_cycles(config) + min(_DRAIN_CYCLES, config.drain_limit_cycles))
    if load > _DOUBTFUL_LOAD and not config.stop_when_saturated:
        longest = _window_cycles(config) + config.drain_limit_cycles
        cycles = math.sqrt(cycles * longest)
    return _run_seconds(topology, routing, load, cycles)


def _cells(topology: Topology) -> float:
    """Flows of an adversarial pattern times links."""
    return float(topology.num_switches) * topology.num_links


def _probe_seconds(topology: Topology, options: SearchOptions) -> float:
    available = len(type1_set(topology)) + len(type2_set(topology))
    match options.patterns:
        case "all":
            patterns = available
        case "auto":
            patterns = min(available, _AUTO_PATTERNS)
        case number:
            patterns = min(available, int(number))
    program = _SECONDS_PER_PROGRAM + _SECONDS_PER_CELL * _cells(topology) ** _CELL_EXPONENT
    # Worker processes start as patterns come in.
    starts = min(options.worker_count, BATCH if options.patterns == "auto" else patterns)
    sets = len(topology.data_points()) + len(topology.strategic_choices())
    return _START_SECONDS * starts + sets * patterns * program


def _candidates(options: SearchOptions) -> float:
    return _STRATEGIC + _DISTINCT_SHARE * options.most_data_points


def _drawn_paths(topology: Topology, options: SearchOptions) -> float:
    """Paths of a candidate between the pairs that the simulated patterns use."""
    expected = topology.expected_paths
    used = options.pattern_count * topology.num_switches
    return _MEAN_SHARE * expected.vlb_paths * used / expected.pairs


def _saturation(topology: Topology) -> float:
    """Saturation throughput of UGAL under adversarial traffic."""
    return min(1.0, _SHARE_OF_BOUND * topology.expected_paths.adversarial_throughput)


def _search_seconds(topology: Topology, options: SearchOptions) -> dict[str, float]:
    """Estimate the search for weighted sets, and the comparison on held-out traffic."""
    workload = options.workload
    trained = options.pattern_count + 3 if workload is None else len(workload.patterns)
    saturation = _saturation(topology)
    more, judged = _OF_BOTH if options.searched is Searched.BOTH else (1.0, 1.0)
    start = (
        more * _STARTING_RUNS * trained * _run_seconds(topology, options.routing, saturation, 2_000)
    )
    hops = flit_hop_budget(options.budget, topology, options.searched)
    slower = math.sqrt(max(1.0, topology.num_nodes / _NODES_IN_CACHE))
    floors: dict[str, float] = {}
    if options.aim.aim is Aim.GUARANTEED:
        of_one = worst_cost(topology, "all", 1, is_symmetric=False).stages
        floors["floors"] = _JUDGED_SETS * (of_one["build"] + of_one["split"])
    return floors | {
        "search": max(start, more * hops * _SECONDS_PER_FLIT_HOP * slower),
        "compare": _comparing_seconds(
            topology,
            options.routing,
            options.confirmation_windows,
            workload,
            judged * _JUDGED_SETS * _RUNS_PER_JUDGED_SET,
        )
        + judged * _JUDGED_SETS * _second_router_seconds(topology, options),
    }


def _comparing_seconds(
    topology: Topology, routing: str, windows: Windows, workload: Workload | None, runs: float
) -> float:
    """Estimate a comparison on held-out traffic, or on that of the user, by runs per pattern."""
    load = 1.3 * _saturation(topology)
    run = _run_seconds(topology, routing, load, windows.warmup + windows.measured)
    return _judged_cases(workload) * runs * run


def _judged_cases(workload: Workload | None) -> int:
    return _HELD_OUT_PATTERNS if workload is None else len(workload.in_rounds().patterns)


def _second_router_seconds(topology: Topology, options: SearchOptions) -> float:
    """Estimate what one set takes by virtual cut-through: two latencies and an overload a case."""
    if options.judge != Judges.BOTH:
        return 0.0
    windows, saturation = options.confirmation_windows, _saturation(topology)
    config = cut_through_config(topology, windows.on(options.config))
    loads = (REFERENCE_LOAD, 2 * REFERENCE_LOAD, min(1.0, 1.3 * saturation))
    runs = [_vct_run(topology, options.routing, config, load).seconds for load in loads]
    return _judged_cases(options.workload) * math.fsum(runs)


def _validation_seconds(topology: Topology, options: SearchOptions, candidates: float) -> float:
    """Step 2: screening, confirmation and curves."""
    saturation = _saturation(topology)
    reference = min(REFERENCE_LOAD, saturation / 2)
    # `all`, the finalists and the candidate of lowest latency, which often is one of these.
    confirmed = 1.5 + min(options.finalist_count, candidates)
    halvings = max(
        0.0, math.log2(options.screening_windows.grid / options.confirmation_windows.grid)
    )

    def seconds(windows: Windows, load: float) -> float:
        return _run_seconds(topology, options.routing, load, windows.warmup + windows.measured)

    screened = (1 + candidates) * (
        _GUIDED_RUNS * seconds(options.screening_windows, saturation)
        + seconds(options.screening_windows, reference)
    )
    final = confirmed * (
        (_GUIDED_RUNS + _RUNS_PER_HALVING * halvings)
        * seconds(options.confirmation_windows, saturation)
        + seconds(options.confirmation_windows, reference)
    )
    curves = (
        _CURVES * _CURVE_POINTS * seconds(options.screening_windows, _MEAN_CURVE_LOAD * saturation)
    )
    return options.pattern_count * (screened + final + curves)
