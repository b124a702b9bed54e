"""Algorithm 1 of the T-UGAL paper from end to end: topology in, T-VLB table out.

Reference: Rahman et al., SC'19, section 3.3.4.
"""

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sim_bridge import Routing, SimulationConfig
from tvlb.balance import Balanced, BalancedSet, BalanceOptions, balance_pairs
from tvlb.errors import InvalidInput
from tvlb.parallel import Stop, available_cores
from tvlb.paths import PathSet, check_pairs, is_listable, parse_expression
from tvlb.progress import Reporter, silent
from tvlb.provenance import VERSION, versions
from tvlb.randomness import check_seed
from tvlb.search.candidates import MAX_DATA_POINTS, choose_candidates
from tvlb.search.preparation import Candidate, prepare
from tvlb.search.probe import ProbePlan, ProbeResult, check_searchable
from tvlb.search.runner import MAX_PATTERNS, PAPER, SCREENING, Windows
from tvlb.search.sampling import choose_patterns
from tvlb.search.simulation_units import Entrant
from tvlb.search.units import UnitCount, Units, Workshop, own_units
from tvlb.search.validation import Validation, ValidationOptions, validate
from tvlb.search.work import Work
from tvlb.table import AnyTable, CompactTable, Table
from tvlb.topology import Dragonfly

__all__ = ["SearchOptions", "TableResult", "compact_table", "optimize"]

_ADAPTIVE = (Routing.UGAL_L, Routing.UGAL_G, Routing.PAR)


@dataclass(frozen=True)
class SearchOptions:
    """Settings of the search; all but `workers` decide the result and are recorded with it.

    Attributes
    ----------
    routing : ugal-l, ugal-g or par.
    patterns : probed patterns: auto, all or a number.
    tolerance : candidates are within this share of the best modelled mean.
    balancing : settings, or None to simulate the candidates as they are.
    config : router settings of the simulations.
    screening, confirmation : simulated windows, cycles.
    finalists : candidates confirmed by their screened saturation, at least 1.
    data_points : most data points of Table 1 among the candidates, at least 1.
    simulated_patterns : type2(seed=0), type2(seed=1), ... that are simulated, 2..5.
    seed : of random fractions, patterns order and simulations, 0..2^63-1.
    workers : processes; None for one per core.
    """

    routing: str = Routing.UGAL_L
    patterns: str = "auto"
    tolerance: float = 0.08
    balancing: BalanceOptions | None = field(default_factory=BalanceOptions)
    config: SimulationConfig = field(default_factory=SimulationConfig)
    screening: Windows = SCREENING
    confirmation: Windows = PAPER
    finalists: int = 2
    data_points: int = MAX_DATA_POINTS
    simulated_patterns: int = MAX_PATTERNS
    seed: int = 0
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.routing not in _ADAPTIVE:
            raise InvalidInput(
                f"routing {self.routing!r} cannot use a T-VLB table; choose one of "
                f"{', '.join(_ADAPTIVE)}"
            )
        check_seed(self.seed)
        for name, value, least, most in (
            ("finalists", self.finalists, 1, 100),
            ("data_points", self.data_points, 1, 31),
            ("simulated_patterns", self.simulated_patterns, 2, MAX_PATTERNS),
        ):
            if not least <= value <= most:
                raise InvalidInput(f"{name} {value} is out of range: {least}..{most}")
        if self.workers is not None and not 1 <= self.workers <= 1024:
            raise InvalidInput(f"workers {self.workers} is out of range: 1..1024")

    @property
    def worker_count(self) -> int:
        """The number of workers to start."""
        return self.workers if self.workers is not None else available_cores()


@dataclass(frozen=True, eq=False)
class TableResult:
    """A T-VLB table and how it was found.

    Attributes
    ----------
    topology, options : the question.
    probe : Step 1.
    candidates : the sets simulated in Step 2, in order; `validation.candidates` matches them.
    merged : expressions left out because they mean the paths of another, by expression.
    baseline_hops : mean hops of a drawn path of the conventional set.
    validation : Step 2 with the decision.
    table : the chosen table, compact where its paths are too many to list.
    timings : seconds of wall time by stage.
    work : what it took, now or when answers that were kept were computed.
    units : pieces of work that were computed, and that were there already.
    provenance : versions of the software that matters.
    """

    topology: Dragonfly
    options: SearchOptions
    probe: ProbeResult
    candidates: tuple[Candidate, ...]
    merged: dict[str, str]
    baseline_hops: float
    validation: Validation
    table: AnyTable
    timings: dict[str, float]
    work: Work
    units: UnitCount
    provenance: dict[str, str]

    @property
    def chosen(self) -> Candidate | None:
        """The candidate that was chosen, None for the conventional set."""
        if not self.validation.decision.replaces_all:
            return None
        name = self.validation.decision.expression
        return next(one for one in self.candidates if one.expression == name)


class _Stopwatch:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


def optimize(
    topology: Dragonfly,
    options: SearchOptions | None = None,
    *,
    report: Reporter = silent,
    stop: Stop | None = None,
    workshop: Workshop | None = None,
) -> TableResult:
    """Compute the T-VLB table of a Dragonfly.

    Parameters
    ----------
    options : settings; None for the defaults.
    report : called with `Progress` events.
    stop : set from another thread to cancel.
    workshop : where the work is done and its pieces are kept; None for processes of this machine,
        as many as `options` say, that keep nothing.

    Raises
    ------
    InvalidInput : the topology or an option is out of range; checked before any work.
    SolverFailed, SimulationDeadlock : a stage failed.
    WorkerLost : the processes that computed a piece of work died.
    Cancelled : `stop` was set.

    Notes
    -----
    Equal topology, options and seed give an equal table on any number of workers, wherever they
    are, and from whatever was kept. Worker processes are spawned, so a script that calls this needs
    an ``if __name__ == "__main__":`` guard.

    The stages that are reported are probe, balance, screen all, screen pilot, screen candidates,
    screen latency, confirm, confirm latency and curves.
    """
    settings = options or SearchOptions()
    check_request(topology, settings)
    flag = stop or threading.Event()
    if workshop is not None:
        return _search(topology, settings, report, Units(workshop, flag))
    with own_units(settings.worker_count, flag) as units:
        return _search(topology, settings, report, units)


def _search(
    topology: Dragonfly, options: SearchOptions, report: Reporter, units: Units
) -> TableResult:
    watch = _Stopwatch()
    seed = options.seed
    with watch.stage("probe"):
        plan = ProbePlan(topology, options.patterns, options.tolerance, seed=seed)
        probed = plan.run(units, report)
    with watch.stage("balance"):
        chosen, merged = choose_candidates(topology, probed, seed, options.data_points, units)
        candidates = prepare(
            topology, chosen, options.balancing, seed=seed, units=units, report=report
        )
    with watch.stage("simulate"):
        validation = _validate(topology, candidates, options, report, units)
    with watch.stage("table"), units.alone:
        table = _table(topology, candidates, validation, options)
    return TableResult(
        topology,
        options,
        probed,
        candidates,
        merged,
        parse_expression("all", topology).mean_hops(),
        validation,
        table,
        watch.seconds,
        Work(programs=probed.programs) + validation.work,
        units.count,
        versions(),
    )


def check_request(topology: Dragonfly, options: SearchOptions) -> None:
    """Raise InvalidInput if `optimize` would refuse; computes nothing."""
    check_searchable(topology, options.tolerance)
    choose_patterns(topology, options.patterns, options.seed)
    check_pairs(topology)


def _validate(
    topology: Dragonfly,
    candidates: Sequence[Candidate],
    options: SearchOptions,
    report: Reporter,
    units: Units,
) -> Validation:
    return validate(
        Entrant("all", parse_expression("all", topology)),
        [Entrant(one.expression, one.path_set, options.balancing) for one in candidates],
        ValidationOptions(
            routing=options.routing,
            config=options.config,
            screening=options.screening,
            confirmation=options.confirmation,
            finalists=options.finalists,
            patterns=options.simulated_patterns,
            seed=options.seed,
        ),
        units,
        report,
    )


def _table(
    topology: Dragonfly,
    candidates: Sequence[Candidate],
    validation: Validation,
    options: SearchOptions,
) -> AnyTable:
    name = validation.decision.expression
    chosen = next((one for one in candidates if one.expression == name), None)
    base = parse_expression(name, topology, options.seed)
    if not is_listable(base):
        return _compact(base, chosen, options)
    rows = base.all_rows()
    if chosen is None or chosen.balanced is None:
        return Table.from_rows(base, rows, seed=options.seed, version=VERSION)
    keep = chosen.balanced.keep
    assert keep is not None
    return Table.from_rows(base, rows.select(keep), ~keep, seed=options.seed, version=VERSION)


def compact_table(result: TableResult) -> CompactTable:
    """Return the chosen table in the compact form, whatever its size."""
    if isinstance(result.table, CompactTable):
        return result.table
    return _compact(result.table.base_set, result.chosen, result.options)


def _compact(base: PathSet, chosen: Candidate | None, options: SearchOptions) -> CompactTable:
    if chosen is None or chosen.balanced is None:
        return CompactTable.from_set(base, seed=options.seed, version=VERSION)
    return CompactTable.from_set(
        _by_rule(base, chosen.balanced, options),
        seed=options.seed,
        version=VERSION,
        mean_vlb_hops=chosen.mean_hops,
        sampled_pairs=chosen.balanced.report.sampled_pairs,
    )


def _by_rule(base: PathSet, balanced: Balanced, options: SearchOptions) -> BalancedSet:
    """Return a balanced set as what the per-pair step gives, less what was removed besides."""
    if isinstance(balanced.path_set, BalancedSet):
        return balanced.path_set
    assert balanced.keep is not None
    assert options.balancing is not None
    rows = base.all_rows()
    by_pair = balance_pairs(rows, options.balancing, seed=options.seed).keep
    besides = rows.paths(by_pair & ~balanced.keep)
    return BalancedSet(base, options.balancing, options.seed, besides)
