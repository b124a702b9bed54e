"""From a topology to its table: Algorithm 1 of the T-UGAL paper, or the search for weighted sets.

Reference: Rahman et al., SC'19, section 3.3.4; docs/search.md and docs/weighted-sets.md.
"""

import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from tvlb.errors import InvalidInput
from tvlb.parallel import Stop
from tvlb.paths import check_pairs, parse_expression
from tvlb.progress import Reporter, silent
from tvlb.provenance import versions
from tvlb.search.candidates import choose_candidates
from tvlb.search.decision import decide_by
from tvlb.search.held_out import HeldOut, Judged, judge
from tvlb.search.objective import Method, flit_hop_budget
from tvlb.search.options import SearchOptions
from tvlb.search.preparation import Candidate, prepare
from tvlb.search.probe import ProbePlan, ProbeResult, check_searchable
from tvlb.search.runner import Runner, Windows
from tvlb.search.sampling import choose_patterns
from tvlb.search.tables import compact_table_of, table_of
from tvlb.search.units import UnitCount, Units, Workshop, own_units
from tvlb.search.validation import (
    SimulatedSet,
    Validation,
    ValidationOptions,
    latency_curves,
    validate,
)
from tvlb.search.weighted import (
    PUBLISHED,
    SearchSetting,
    WeightedSearch,
    search_weighted,
)
from tvlb.search.work import Work
from tvlb.search.workload import held_out_workload, training_workload
from tvlb.table import AnyTable, CompactTable
from tvlb.topology import Dragonfly
from tvlb.traffic import Uniform, check_flows

__all__ = [
    "Found",
    "TableResult",
    "check_compact",
    "check_request",
    "compact_result",
    "compact_table",
    "optimize",
]

_CURVE_PATTERNS = 2
_CURVE_WINDOWS = Windows(1_500, 1_500, 0.01)
_REFERENCE_LOAD = 0.1


@dataclass(frozen=True, eq=False)
class Found:
    """What the search for weighted sets found, and how it was judged.

    Attributes
    ----------
    search : the search.
    held_out : the comparison on patterns that it never saw.
    front : the tables of the answers; of other objectives than `front` just the one.
    """

    search: WeightedSearch
    held_out: HeldOut
    front: tuple[AnyTable, ...]


@dataclass(frozen=True, eq=False)
class TableResult:
    """A T-VLB table and how it was found.

    Attributes
    ----------
    topology, options : the question.
    probe : Step 1.
    candidates : the sets of the final comparison, in order; `validation.candidates` matches them.
    merged : expressions left out because they mean the paths of another, by expression.
    baseline_hops : mean hops of a drawn path of the conventional set.
    validation : the final comparison with the decision: Step 2 of Algorithm 1, or that on held-out
        patterns.
    table : the chosen table, compact where its paths are too many to list.
    timings : seconds of wall time by stage.
    work : what it took, now or when answers that were kept were computed.
    units : pieces of work that were computed, and that were there already.
    provenance : versions of the software that matters.
    found : what the search for weighted sets found; None for the paper's method.
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
    found: Found | None = None

    @property
    def chosen(self) -> Candidate | None:
        """The candidate that was chosen, None for the conventional set."""
        if not self.validation.decision.replaces_all:
            return None
        name = self.validation.decision.expression
        return next(one for one in self.candidates if one.name == name)


class _Stopwatch:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


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

    The stages that are reported are probe, balance, then of the paper's method screen all, screen
    pilot, screen candidates, screen latency, confirm, confirm latency, of the search for weighted
    sets search and compare, and curves.
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
    with watch.stage("probe"):
        plan = ProbePlan(topology, options.patterns, options.tolerance, seed=options.seed)
        probed = plan.run(units, report)
    with watch.stage("balance"):
        chosen, merged = choose_candidates(
            topology, probed, options.seed, options.most_data_points, units
        )
    follow = _by_paper if options.method == Method.PAPER else _by_search
    outcome = follow(topology, options, chosen, watch, units, report)
    return TableResult(
        topology,
        options,
        probed,
        outcome.candidates,
        merged,
        parse_expression("all", topology).mean_hops(),
        outcome.validation,
        outcome.table,
        watch.seconds,
        Work(programs=probed.programs) + outcome.work,
        units.count,
        versions(),
        outcome.found,
    )


@dataclass(frozen=True, eq=False)
class _Outcome:
    candidates: tuple[Candidate, ...]
    validation: Validation
    table: AnyTable
    work: Work
    found: Found | None = None


def check_request(topology: Dragonfly, options: SearchOptions) -> None:
    """Raise InvalidInput if `optimize` would refuse; computes nothing."""
    check_searchable(topology, options.tolerance)
    choose_patterns(topology, options.patterns, options.seed)
    check_pairs(topology)
    flit_hop_budget(options.budget, topology)
    if options.method == Method.SEARCH:
        # Of the patterns of the search itself, none asks for more than uniform traffic.
        patterns = (Uniform(),) if options.workload is None else options.workload.patterns
        for pattern in patterns:
            check_flows(topology, pattern.resolve(topology, options.seed))


def _by_paper(
    topology: Dragonfly,
    options: SearchOptions,
    expressions: Sequence[str],
    watch: _Stopwatch,
    units: Units,
    report: Reporter,
) -> _Outcome:
    with watch.stage("balance"):
        candidates = prepare(
            topology,
            expressions,
            options.balancing,
            seed=options.seed,
            units=units,
            report=report,
        )
    with watch.stage("simulate"):
        validation = validate(
            _conventional(topology, options.seed).entrant,
            [one.entrant for one in candidates],
            ValidationOptions(
                routing=options.routing,
                config=options.config,
                screening=options.screening_windows,
                confirmation=options.confirmation_windows,
                finalists=options.finalist_count,
                patterns=options.pattern_count,
                seed=options.seed,
            ),
            units,
            report,
        )
    with watch.stage("table"), units.alone:
        table = _chosen_table(topology, candidates, validation, options)
    return _Outcome(candidates, validation, table, validation.work)


def _by_search(
    topology: Dragonfly,
    options: SearchOptions,
    expressions: Sequence[str],
    watch: _Stopwatch,
    units: Units,
    report: Reporter,
) -> _Outcome:
    with watch.stage("search"):
        setting = SearchSetting(
            routing=options.routing,
            config=options.config,
            objective=options.aim,
            workload=options.workload
            or training_workload(topology, options.pattern_count, options.seed),
            budget=flit_hop_budget(options.budget, topology),
            long=options.screening_windows,
            balancing=options.balancing,
            seed=options.seed,
        )
        search = search_weighted(topology, setting, expressions, units, report)
    with watch.stage("compare"):
        held_out = _judged(topology, options, search, units, report)
        candidates, validation = _validation(topology, options, search, held_out, units, report)
    with watch.stage("table"), units.alone:
        table = _chosen_table(topology, candidates, validation, options)
        front = tuple(table_of(topology, one, options.seed) for one in search.answers)
    work = search.work + validation.work
    return _Outcome(candidates, validation, table, work, Found(search, held_out, front))


def _conventional(topology: Dragonfly, seed: int) -> Candidate:
    return Candidate.as_it_is(parse_expression("all", topology, seed), seed)


def _judged(
    topology: Dragonfly,
    options: SearchOptions,
    search: WeightedSearch,
    units: Units,
    report: Reporter,
) -> HeldOut:
    conventional = _conventional(topology, options.seed)
    published = parse_expression(PUBLISHED, topology, options.seed)
    others = [conventional, Candidate.as_it_is(published, options.seed), search.paper]
    known = {one.name: one for one in search.answers}
    different = {one.name: one for one in others if one is not None and one.name not in known}
    different.setdefault("all", conventional)
    low = search.setting.objective.load or min(
        [_REFERENCE_LOAD, *(one.beyond / 3 for one in search.loads)]
    )
    return judge(
        [one for one in known.values() if one.name != "all"],
        list(different.values()),
        options.workload or held_out_workload(topology, options.seed),
        (low, min(2 * low, 1.0)),
        _expected(search),
        routing=options.routing,
        config=options.config,
        windows=options.confirmation_windows,
        seed=options.seed,
        units=units,
        report=report,
    )


def _expected(search: WeightedSearch) -> dict[str, float]:
    """Return roughly what sets saturate at under the first patterns."""
    beyond = search.loads[0].beyond
    # A little less than what is accepted beyond saturation.
    return {name: min(0.9 * accepted, beyond) for name, accepted in search.accepted.items()}


def _validation(
    topology: Dragonfly,
    options: SearchOptions,
    search: WeightedSearch,
    held_out: HeldOut,
    units: Units,
    report: Reporter,
) -> tuple[tuple[Candidate, ...], Validation]:
    """Return the sets that were compared with the conventional one, and what follows."""
    base = held_out.of("all")
    others = [one for one in held_out.sets if one is not base]
    decision = decide_by(
        search.setting.objective,
        held_out.measured("all"),
        [held_out.measured(one.candidate.name) for one in others],
    )
    shown = [base, *(one for one in others if one.candidate.name == decision.expression)]
    runner = Runner(
        options.routing,
        options.config,
        patterns=held_out.workload.patterns[:_CURVE_PATTERNS],
        seed=options.seed,
        report=report,
        units=units,
    )
    highest = max(float(one.saturation[:_CURVE_PATTERNS].mean()) for one in shown)
    curves = latency_curves(
        runner, [one.candidate.entrant for one in shown], _CURVE_WINDOWS, highest
    )
    validation = Validation(
        patterns=tuple(map(str, held_out.workload.patterns)),
        baseline=_simulated(base, held_out),
        candidates=tuple(_simulated(one, held_out) for one in others),
        decision=decision,
        reference_load=held_out.loads[0],
        curves=curves,
        work=held_out.work + runner.work,
    )
    return tuple(one.candidate for one in others), validation


def _simulated(judged: Judged, held_out: HeldOut) -> SimulatedSet:
    measured = held_out.measured(judged.candidate.name)
    return SimulatedSet(measured, held_out.windows, confirmed=True)


def _chosen_table(
    topology: Dragonfly,
    candidates: Sequence[Candidate],
    validation: Validation,
    options: SearchOptions,
) -> AnyTable:
    name = validation.decision.expression
    conventional = _conventional(topology, options.seed)
    chosen = next((one for one in candidates if one.name == name), conventional)
    return table_of(topology, chosen, options.seed)


def compact_table(result: TableResult) -> CompactTable:
    """Return the chosen table in the compact form, whatever its size.

    Raises
    ------
    InvalidInput : it has none; see `tvlb.search.tables.compact_table_of`.
    """
    if isinstance(result.table, CompactTable):
        return result.table
    seed = result.options.seed
    chosen = result.chosen or _conventional(result.topology, seed)
    return compact_table_of(result.topology, chosen, seed)


def check_compact(options: SearchOptions) -> None:
    """Raise InvalidInput if what a search finds may have no compact form."""
    if options.method == Method.SEARCH and options.balancing is not None:
        raise InvalidInput(
            "a search may choose a set that is balanced by weights, which has no compact form; "
            "search without balancing, or by the paper's method"
        )


def compact_result(result: TableResult) -> TableResult:
    """Return the same with all its tables in the compact form, whatever their size.

    Raises
    ------
    InvalidInput : one has none; never where `check_compact` accepted the options.
    """
    found, seed = result.found, result.options.seed
    if found is not None:
        front = tuple(compact_table_of(result.topology, one, seed) for one in found.search.answers)
        found = replace(found, front=front)
    return replace(result, table=compact_table(result), found=found)
