"""The search for weighted sets from end to end: search, compare on held-out traffic, decide."""

from collections.abc import Callable, Sequence

import numpy as np

from tvlb.paths import parse_expression
from tvlb.search.decision import decide
from tvlb.search.floors import floors_of
from tvlb.search.held_out import HeldOut, Judged, judge
from tvlb.search.objective import REFERENCE_LOAD, Aim, flit_hop_budget
from tvlb.search.preparation import Candidate, conventional
from tvlb.search.runner import Runner
from tvlb.search.second_router import Judges, judge_cut_through
from tvlb.search.tables import table_of
from tvlb.search.task import Found, MethodResult, SearchTask
from tvlb.search.validation import SimulatedSet, Validation, latency_curves
from tvlb.search.weighted import SearchSetting, WeightedSearch, search_weighted
from tvlb.search.windows import SHORT, Windows
from tvlb.search.workload import Workload, held_out_workload, training_workload
from tvlb.statistics import Judgement
from tvlb.traffic import Pattern

_CURVE_PATTERNS = 2
_CURVE_WINDOWS = Windows(1_500, 1_500, 0.01)


def find_by_search(task: SearchTask) -> MethodResult:
    """Find a table, or the tables of a front, by a search for weighted sets."""
    topology, options, units = task.topology, task.options, task.units
    with task.watch.stage("search"):
        search = search_weighted(
            topology,
            search_setting(task),
            task.expressions,
            units,
            task.report,
            note_best=task.note_best,
        )
    with task.watch.stage("compare"):
        held_out = _judged(task, search)
        candidates, validation = _validation(task, search, held_out)
        on_vct = _on_vct(task, held_out) if options.judge == Judges.BOTH else ()
    with task.watch.stage("table"), units.alone:
        table = task.chosen_table(candidates, validation)
        answers = _undominated(search.answers, held_out)
        rule = options.config.rule
        front = tuple(table_of(topology, one, options.seed, rule) for one in answers)
    work = search.work + validation.work
    return MethodResult(
        candidates, validation, table, work, Found(search, held_out, answers, front, on_vct)
    )


def _undominated(answers: Sequence[Candidate], held_out: HeldOut) -> tuple[Candidate, ...]:
    """Keep the answers that no other beats in both figures where all are judged."""
    measured = [held_out.measured(one.name) for one in answers]
    places = [(-one.saturation_mean, one.latency_mean) for one in measured]
    return tuple(
        one
        for one, mine in zip(answers, places, strict=True)
        if not any(
            other != mine and other[0] <= mine[0] and other[1] <= mine[1] for other in places
        )
    )


def search_setting(task: SearchTask) -> SearchSetting:
    """Return what is searched for a question."""
    topology, options = task.topology, task.options
    named = task.workload
    return SearchSetting(
        routing=options.routing,
        config=options.config,
        objective=options.aim,
        workload=training_workload(
            topology,
            options.pattern_count,
            options.seed,
            rules=options.has_other_rules,
        )
        if named is None
        else named.weightiest_first(),
        budget=flit_hop_budget(options.budget, topology, options.searched),
        short=SHORT.stretched(options.config.flight_cycles(topology)),
        long=options.screening_windows,
        balancing=options.balancing,
        loop_free=options.loop_free,
        seed=options.seed,
        searched=options.searched,
    )


def _judged(task: SearchTask, search: WeightedSearch) -> HeldOut:
    topology, options = task.topology, task.options
    usual = conventional(topology, options.seed)
    published = parse_expression(topology.published_set, topology, options.seed)
    # Both parts of a gain are judged beside it, and Algorithm 1 where there are none.
    parts = [*search.parts.values()] or [search.paper]
    others = [usual, Candidate.as_it_is(published, options.seed), *parts]
    known = {one.name: one for one in search.answers}
    different = {one.name: one for one in others if one is not None and one.name not in known}
    different.setdefault(usual.name, usual)
    low = search.setting.objective.load or min(
        [REFERENCE_LOAD, *(one.saturation / 2 for one in search.loads)]
    )
    named = task.workload
    workload = (
        held_out_workload(topology, options.seed, rules=options.has_other_rules)
        if named is None
        else named.in_rounds()
    )
    return judge(
        [*(one for one in known.values() if one.name != usual.name), *different.values()],
        [usual.name, topology.published_set],
        workload,
        (low, min(2 * low, 1.0)),
        _expected(search),
        routing=options.routing,
        config=options.config,
        windows=options.confirmation_windows,
        seed=options.seed,
        units=task.units,
        report=task.report,
        alike=_alike(search, workload),
    )


def _on_vct(task: SearchTask, held_out: HeldOut) -> tuple[Judgement, ...]:
    topology, options = task.topology, task.options
    return judge_cut_through(
        held_out,
        [topology.conventional_set, topology.published_set],
        routing=options.routing,
        config=options.config,
        seed=options.seed,
        units=task.units,
        report=task.report,
    )


def _expected(search: WeightedSearch) -> dict[str, float]:
    """Return roughly what sets saturate at where detours matter most."""
    saturation = min(one.saturation for one in search.loads)
    accepted = search.accepted
    reference = accepted[search.reference.candidate.name]
    rough = {
        name: min(1.0, saturation * (one / reference if reference > 0 else 1.0))
        for name, one in accepted.items()
    }
    return rough | _sustained(search, lambda one: one.is_adversarial)


def _alike(search: WeightedSearch, held_out: Workload) -> dict[tuple[str, type[Pattern]], float]:
    """Return roughly what sets saturate at by the type of a pattern, where it was searched for."""
    searched = [
        one
        for one, loads in zip(search.setting.workload.patterns, search.loads, strict=True)
        if loads.beyond > loads.saturation
    ]
    found: dict[tuple[str, type[Pattern]], float] = {}
    # Nothing else is known of the first answer under other traffic.
    first, benign = search.answers[0].name, _sustained(search, lambda one: not one.is_adversarial)
    for pattern in held_out.patterns if first in benign else ():
        if not pattern.is_adversarial:
            found[first, type(pattern)] = benign[first]
    for kind in {type(one) for one in searched}:
        loads = _sustained(search, lambda one, kind=kind: type(one) is kind)
        found |= {(name, kind): load for name, load in loads.items()}
    return found


def _sustained(search: WeightedSearch, counts: Callable[[Pattern], bool]) -> dict[str, float]:
    """Return a mean load, over some patterns, of sets whose saturation loads were searched for."""
    setting = search.setting
    which = [counts(one) for one in setting.workload.patterns]
    if setting.exact_grid is None or not any(which):
        return {}
    topology = search.reference.candidate.path_set.topology
    traffic = [one.resolve(topology, setting.seed) for one in setting.workload.patterns]
    rates = np.array([one.rate.mean() for one in traffic])
    return {
        one.candidate.name: min(float((one.figures.accepted / rates)[which].mean()), 1.0)
        for one in search.challengers
    }


def _validation(
    task: SearchTask, search: WeightedSearch, held_out: HeldOut
) -> tuple[tuple[Candidate, ...], Validation]:
    """Return the sets that were compared with the conventional one, and what follows."""
    base = held_out.of(task.topology.conventional_set)
    others = [one for one in held_out.sets if one is not base]
    weighs_floors = search.setting.objective.aim is Aim.GUARANTEED
    named = [one.candidate.named_set for one in held_out.sets] if weighs_floors else []
    floors = floors_of(named, task.units, task.report)
    allowed = [one.candidate for one in others if search.may_answer(one.candidate)]
    decision = decide(
        search.setting.objective,
        held_out.measured(base.candidate.name),
        [held_out.measured(one.name) for one in allowed],
        held_out.judgements,
        floors,
    )
    shown = [base, *(one for one in others if one.candidate.name == decision.expression)]
    patterns = held_out.workload.first_round[:_CURVE_PATTERNS]
    runner = Runner(task.options, patterns, task.units, task.report)
    highest = max(float(one.saturation[:_CURVE_PATTERNS].mean()) for one in shown)
    curves = latency_curves(
        runner,
        [one.candidate.named_set for one in shown],
        _CURVE_WINDOWS.stretched(task.options.config.flight_cycles(task.topology)),
        highest,
    )
    validation = Validation(
        patterns=tuple(map(str, held_out.workload.patterns)),
        baseline=_simulated(base, held_out),
        candidates=tuple(_simulated(one, held_out) for one in others),
        decision=decision,
        judgements=held_out.judgements,
        reference_load=held_out.loads[0],
        curves=curves,
        undecided=held_out.undecided + search.undecided,
        work=held_out.work + runner.work,
        floors=floors,
    )
    return tuple(one.candidate for one in others), validation


def _simulated(judged: Judged, held_out: HeldOut) -> SimulatedSet:
    measured = held_out.measured(judged.candidate.name)
    return SimulatedSet(measured, held_out.windows, confirmed=True)
