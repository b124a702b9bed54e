"""From a topology to its table: Algorithm 1 of the T-UGAL paper, or the search for weighted sets.

Reference: Rahman et al., SC'19, section 3.3.4; docs/search.md and docs/weighted-sets.md.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sim_bridge import VctScenario
from tvlb.documents import Frame, versions
from tvlb.errors import InvalidInput
from tvlb.guarantee import check_floor
from tvlb.paths import check_searched, parse_expression
from tvlb.processes import Reporter, Stop, silent
from tvlb.processes.units import UnitCache, UnitCount, Units, own_units
from tvlb.search.by_paper import find_by_paper
from tvlb.search.by_search import find_by_search
from tvlb.search.candidates import choose_candidates
from tvlb.search.objective import Aim, Method, Searched, flit_hop_budget
from tvlb.search.options import SearchOptions
from tvlb.search.preparation import Candidate, conventional
from tvlb.search.probe import ProbePlan, ProbeResult, check_searchable
from tvlb.search.routers import check_routers
from tvlb.search.sampling import choose_patterns
from tvlb.search.second_router import Judges, cut_through_config
from tvlb.search.tables import compact_table_of, count_table_paths
from tvlb.search.task import Found, MethodResult, NoteBest, SearchTask, Stopwatch, unheard
from tvlb.search.validation import Validation
from tvlb.search.verdict import (
    SetMeans,
    VerdictRecord,
    balancing_text,
    called,
    described_cases,
    idle_notes,
)
from tvlb.search.work import Work
from tvlb.table import AnyTable, CompactTable
from tvlb.topology import Topology, as_topology
from tvlb.traffic import Pattern, Uniform, check_flows, parse_pattern

_METHODS = {Method.SEARCH: find_by_search, Method.PAPER: find_by_paper}


@dataclass(frozen=True, eq=False)
class TableResult(Frame):
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
    verdict : what follows, in the record that every surface shows.
    work : what it took, now or when answers that were kept were computed.
    units : pieces of work that were computed, and that were there already.
    provenance : versions of the software that matters.
    found : what the search for weighted sets found; None for the paper's method.
    """

    topology: Topology
    options: SearchOptions
    probe: ProbeResult
    candidates: tuple[Candidate, ...]
    merged: dict[str, str]
    baseline_hops: float
    validation: Validation
    table: AnyTable
    verdict: VerdictRecord
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

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one for each set of the final comparison, `all` first.

        Changes are those against the conventional set; None of the set itself, and where there is
        none. Intervals of 95% hold together.
        """
        validation = self.validation
        hops = [self.baseline_hops, *(one.mean_hops for one in self.candidates)]
        every = [validation.baseline, *validation.candidates]
        return [
            {
                "expression": one.measured.expression,
                "chosen": one.measured.expression == validation.decision.expression,
                "saturation_mean": one.measured.saturation_mean,
                "saturation_sem": one.measured.saturation_sem,
                "latency_at_reference_load": one.measured.latency_mean,
                "latency_sem": one.measured.latency_sem,
                "mean_vlb_hops": mean,
                "confirmed": one.confirmed,
                **self._changes(one.measured.expression),
            }
            for one, mean in zip(every, hops, strict=True)
        ]

    def _changes(self, expression: str) -> dict[str, object]:
        """Return the changes of a set against the conventional one, with half of each interval."""
        against = self.topology.conventional_set
        judged = next(
            (
                one
                for one in self.validation.judgements
                if (one.expression, one.against) == (expression, against)
            ),
            None,
        )
        changes = {
            "saturation_change": judged and judged.saturation,
            "latency_change": judged and judged.latency[0],
        }
        return {
            key: value
            for name, change in changes.items()
            for key, value in (
                (name, change and change.mean),
                (f"{name}_half_width", change and change.half_width),
            )
        }

    def __repr__(self) -> str:
        chosen, *_ = self.verdict.sets
        return (
            f"<TableResult {self.topology}, {self.options.routing}: {chosen.expression}, "
            f"saturation {chosen.saturation:.4f} packets/cycle/node "
            f"({self.topology.conventional_set}: "
            f"{self.validation.baseline.measured.saturation_mean:.4f})>"
        )


def optimize(
    topology: Topology | str,
    options: SearchOptions | None = None,
    *,
    report: Reporter = silent,
    stop: Stop | None = None,
    unit_cache: UnitCache | None = None,
    note_best: NoteBest = unheard,
) -> TableResult:
    """Compute the T-VLB table of a Topology.

    Parameters
    ----------
    topology : also as the text that commands take.
    options : settings; None for the defaults.
    report : called with `Progress` events.
    stop : set from another thread to cancel.
    unit_cache : where the work is done and its pieces are kept; None for processes of this machine,
        as many as `options` say, that keep nothing.
    note_best : called with the best set so far whenever there is another, from the first
        simulations on; `tvlb.search.incomplete_table` makes a table of it.

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
    sets search, compare and floors, and curves.
    """
    network, asked = as_topology(topology), options or SearchOptions()
    settings = replace(asked, config=asked.config.on(network))
    check_request(network, settings)
    flag = stop or threading.Event()
    if unit_cache is not None:
        return _search(network, settings, report, Units(unit_cache, flag), note_best)
    with own_units(settings.worker_count, flag) as units:
        return _search(network, settings, report, units, note_best)


def _search(
    topology: Topology,
    options: SearchOptions,
    report: Reporter,
    units: Units,
    note_best: NoteBest,
) -> TableResult:
    watch = Stopwatch()
    with watch.stage("probe"):
        plan = ProbePlan(topology, options.patterns, options.tolerance, seed=options.seed)
        probed = plan.run(units, report)
    with watch.stage("balance"):
        chosen, merged = choose_candidates(
            topology, probed, options.seed, options.most_data_points, units
        )
    task = SearchTask(topology, options, tuple(chosen), units, report, watch, note_best)
    outcome = _METHODS[Method(options.method)](task)
    hops = parse_expression(topology.conventional_set, topology).mean_hops()
    return TableResult(
        topology,
        options,
        probed,
        outcome.candidates,
        merged,
        hops,
        outcome.validation,
        outcome.table,
        _verdict(task, outcome, hops),
        watch.seconds,
        Work(programs=probed.programs) + outcome.work,
        units.count,
        versions(),
        outcome.found,
    )


def _verdict(task: SearchTask, outcome: MethodResult, hops: float) -> VerdictRecord:
    topology, options, validation = task.topology, task.options, outcome.validation
    held_out = outcome.found and outcome.found.held_out
    confirmed = [(validation.baseline, hops)] + [
        (one, candidate.mean_hops)
        for candidate, one in zip(outcome.candidates, validation.candidates, strict=True)
        if one.confirmed
    ]
    means = [
        SetMeans.of(
            called(topology, one.measured.expression, options.config.rule),
            held_out.by_load(one.measured.expression) if held_out else [one.measured],
            mean,
        )
        for one, mean in confirmed
    ]
    name = validation.decision.expression
    chosen = next((one for one in outcome.candidates if one.name == name), None)
    report = None if chosen is None else chosen.balance_report
    return VerdictRecord(
        expression=name,
        replaces=validation.decision.replaces_all,
        sets=tuple(sorted(means, key=lambda one: one.expression != name)),
        judgements=tuple(sorted(validation.judgements, key=lambda one: one.expression != name)),
        loads=(validation.reference_load,) if held_out is None else held_out.loads,
        cases=described_cases(validation.patterns),
        vcs=options.config.resolved_vc_count(topology, options.routing),
        vc_policy=str(options.config.vc_scheme),
        paths=count_table_paths(outcome.table, report),
        balancing=balancing_text(report),
        undecided_runs=validation.undecided,
        notes=idle_notes(_judged_on(outcome), topology, options.seed),
        rule=str(options.config.rule),
        parts=_parts(outcome, chosen),
        on_vct=outcome.found.on_vct if outcome.found else (),
        floors=validation.floors,
    )


def _parts(outcome: MethodResult, chosen: Candidate | None) -> dict[Searched, str]:
    """Return the names of the parts of a gain; both together is what is advised of a front."""
    found: Mapping[Searched, Candidate] = outcome.found.search.parts if outcome.found else {}
    parts = {part: one.name for part, one in found.items()}
    if parts and chosen and chosen.ugal and chosen.name not in parts.values():
        parts[Searched.BOTH] = chosen.name
    return parts


def _judged_on(outcome: MethodResult) -> Sequence[Pattern]:
    if outcome.found is not None:
        return outcome.found.held_out.workload.first_round
    return [parse_pattern(text) for text in outcome.validation.patterns]


def check_request(topology: Topology, options: SearchOptions) -> None:
    """Raise InvalidInput if `optimize` would refuse; computes nothing."""
    check_searchable(topology, options.tolerance)
    choose_patterns(topology, options.patterns, options.seed)
    check_searched(topology)
    check_routers(topology, options.routing, options.config, **options.windows)
    if options.judge == Judges.BOTH:
        config = cut_through_config(topology, options.config)
        VctScenario(topology, options.routing, Uniform()).resolved(config)
    flit_hop_budget(options.budget, topology, options.searched)
    if options.aim.aim is Aim.GUARANTEED:
        _check_floors(topology)
    if options.method == Method.SEARCH:
        # Of the patterns of the search itself, none asks for more than uniform traffic.
        patterns = (Uniform(),) if options.workload is None else options.workload.patterns
        for pattern in patterns:
            outlined = pattern.outlined(topology, options.seed)
            check_flows(topology, outlined.resolve(topology, options.seed))


def _check_floors(topology: Topology) -> None:
    try:
        check_floor(topology)
    except InvalidInput as error:
        raise InvalidInput(f"objective {Aim.GUARANTEED}: {error}") from error


def compact_table(result: TableResult) -> CompactTable:
    """Return the chosen table in the compact form, whatever its size.

    Raises
    ------
    InvalidInput : it has none; see `tvlb.search.tables.compact_table_of`.
    """
    if isinstance(result.table, CompactTable):
        return result.table
    seed = result.options.seed
    chosen = result.chosen or conventional(result.topology, seed)
    return compact_table_of(result.topology, chosen, seed, result.options.config.rule)


def check_compact(options: SearchOptions) -> None:
    """Raise InvalidInput if what a search finds may have no compact form."""
    may_balance = options.balancing is not None and options.searched is not Searched.RULE
    if options.method == Method.SEARCH and may_balance:
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
        rule = result.options.config.rule
        front = tuple(compact_table_of(result.topology, one, seed, rule) for one in found.answers)
        found = replace(found, front=front)
    return replace(result, table=compact_table(result), found=found)
