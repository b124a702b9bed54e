"""Algorithm 1 of the T-UGAL paper from end to end: topology in, T-VLB table out.

Reference: Rahman et al., SC'19, section 3.3.4.
"""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from sim_bridge import Routing, SimulationConfig, StopFlag
from tvlb.balance import Balanced, BalancedSet, BalanceOptions, balance_pairs
from tvlb.errors import InvalidInput
from tvlb.parallel import available_cores
from tvlb.paths import PathSet, check_pairs, is_listable, parse_expression
from tvlb.progress import Reporter, silent
from tvlb.provenance import VERSION, versions
from tvlb.randomness import check_seed
from tvlb.search.candidates import MAX_DATA_POINTS, choose_candidates
from tvlb.search.checkpoint import Checkpoints, Stages
from tvlb.search.codecs import PROBE, preparation_codec
from tvlb.search.preparation import Candidate, Preparation, prepare
from tvlb.search.probe import ProbeResult, check_searchable, probe
from tvlb.search.runner import MAX_PATTERNS, PAPER, SCREENING, Entrant, Windows
from tvlb.search.sampling import choose_patterns
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
    workers : processes and threads; None for one per core.
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
    work : what was computed, in this run or before its checkpoints.
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
    stop: StopFlag | None = None,
    checkpoints: Checkpoints | None = None,
) -> TableResult:
    """Compute the T-VLB table of a Dragonfly.

    Parameters
    ----------
    options : settings; None for the defaults.
    report : called with `Progress` events.
    stop : set from another thread to cancel.
    checkpoints : keeps finished stages and gives them back; None to compute everything.

    Raises
    ------
    InvalidInput : the topology or an option is out of range; checked before any work.
    SolverFailed, SimulationDeadlock : a stage failed.
    Cancelled : `stop` was set.

    Notes
    -----
    Equal topology, options and seed give an equal table on any number of workers, and from any
    checkpoints. Worker processes are spawned, so a script that calls this needs an
    ``if __name__ == "__main__":`` guard.

    The stages that are reported are probe, balance, screen all, screen pilot, screen candidates,
    screen latency, confirm, confirm latency and curves; checkpoints have their names, hyphens for
    spaces. A stage of simulations that lists paths first reports that by its name and "paths".
    """
    settings = options or SearchOptions()
    check_request(topology, settings)
    flag = stop or StopFlag()
    stages = Stages(checkpoints, report)
    watch = _Stopwatch()
    with watch.stage("probe"):
        probed = stages.run("probe", PROBE, lambda: _probe(topology, settings, report, flag))
    with watch.stage("balance"):
        prepared = stages.run(
            "balance",
            preparation_codec(topology, settings.balancing, settings.seed),
            lambda: _prepare(topology, probed, settings, report, flag),
        )
    with watch.stage("simulate"):
        validation = _validate(topology, prepared.candidates, settings, report, flag, stages)
    with watch.stage("table"):
        table = _table(topology, prepared.candidates, validation, settings)
    return TableResult(
        topology,
        settings,
        probed,
        prepared.candidates,
        prepared.merged,
        parse_expression("all", topology).mean_hops(),
        validation,
        table,
        watch.seconds,
        Work(programs=probed.programs) + validation.work,
        versions(),
    )


def check_request(topology: Dragonfly, options: SearchOptions) -> None:
    """Raise InvalidInput if `optimize` would refuse; computes nothing."""
    check_searchable(topology, options.tolerance)
    choose_patterns(topology, options.patterns, options.seed)
    check_pairs(topology)


def _probe(
    topology: Dragonfly, options: SearchOptions, report: Reporter, stop: StopFlag
) -> ProbeResult:
    return probe(
        topology,
        patterns=options.patterns,
        tolerance=options.tolerance,
        seed=options.seed,
        workers=options.worker_count,
        report=report,
        stop=stop,
    )


def _prepare(
    topology: Dragonfly,
    probed: ProbeResult,
    options: SearchOptions,
    report: Reporter,
    stop: StopFlag,
) -> Preparation:
    expressions, merged = choose_candidates(topology, probed, options.seed, options.data_points)
    candidates = prepare(
        [parse_expression(expression, topology, options.seed) for expression in expressions],
        options.balancing,
        seed=options.seed,
        workers=options.worker_count,
        report=report,
        stop=stop,
    )
    return Preparation(tuple(candidates), merged)


def _validate(
    topology: Dragonfly,
    candidates: Sequence[Candidate],
    options: SearchOptions,
    report: Reporter,
    stop: StopFlag,
    stages: Stages,
) -> Validation:
    conventional = parse_expression("all", topology)
    return validate(
        topology,
        Entrant("all", conventional),
        [Entrant(one.expression, one.path_set) for one in candidates],
        ValidationOptions(
            routing=options.routing,
            config=options.config,
            screening=options.screening,
            confirmation=options.confirmation,
            finalists=options.finalists,
            patterns=options.simulated_patterns,
            seed=options.seed,
            workers=options.worker_count,
        ),
        report,
        stop,
        stages,
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
