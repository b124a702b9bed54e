"""The search for weighted sets and rules of UGAL: starts, loads, the race, and the front.

What it begins with: the candidates of Algorithm 1, each as it is and the best of them balanced, and
sets by shape (`tvlb.search.shape_space`), by the rule of the settings; then the best of these and
the conventional set by other rules (`tvlb.search.rule_space`). What it finds is judged by
`tvlb.search.held_out`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from sim_bridge import Routing, SimulationConfig
from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.model import capacity_bound
from tvlb.model.shape_flow import ShapeModel
from tvlb.paths import ShapeSet, count_paths, parse_expression
from tvlb.processes import Progress, Reporter, silent
from tvlb.processes.units import Units
from tvlb.search.candidates import loop_free_form
from tvlb.search.cma_types import new_strategy
from tvlb.search.evolution import Challenger, Evolution, Proposer, Scope, Scored, Step
from tvlb.search.objective import Aim, Objective, Searched
from tvlb.search.preparation import Candidate, conventional, prepare
from tvlb.search.rule_space import RuleSpace
from tvlb.search.shape_space import ShapeSpace, starting_sets
from tvlb.search.simulation_units import Recipe, SaturationUnit
from tvlb.search.trials import LOOK_WITH_RULES, USUAL_LOOK, Loads, Look, Trials, find_loads
from tvlb.search.windows import Windows
from tvlb.search.work import Work
from tvlb.search.workload import Workload
from tvlb.topology import Topology
from tvlb.traffic import Pattern, switch_demand

MOST_ON_FRONT = 6
"""Tables of a front; of more, some that are spread evenly."""

_BALANCED_STARTS = 2
# So many turns each; what is found with both has most to choose from.
_TURNS = (Searched.BOTH, Searched.BOTH, Searched.PATHS)
# Sets that are tried with the rules that are best for the best one: others may be better by them.
_RULED_STARTS, _GOOD_RULES = 3, 2
# Of sets by the rule of the settings and of others each, so many go on.
_KEPT = 8
# Balancing lists all paths; beyond this it would take longer than the simulations.
_MOST_LISTED = 4_000_000
_SOLVED_MODELS = 2
# Bounds hold for the mean of long runs. A short one may be above by what was on its way when its
# window began, and by what happened to be sent: of n packets some times the root of n.
_CARRIED_OVER, _DEVIATIONS = 0.02, 4.0


@dataclass(frozen=True)
class SearchSetting:
    """What is searched.

    Attributes
    ----------
    routing, config : of all simulations.
    objective : what makes a set good.
    workload : the patterns.
    budget : flit-hops.
    short, long : the windows that sets are raced in, and the longer ones.
    balancing : settings of balancing by removal; None to look at sets as they are only.
    seed : of everything random.
    loop_free : whether what is better than others is also looked at without the paths that visit a
        switch twice.
    searched : what may change: paths, the rule of UGAL, or both.
    """

    routing: str
    config: SimulationConfig
    objective: Objective
    workload: Workload
    budget: int
    short: Windows
    long: Windows
    balancing: BalanceOptions | None
    seed: int
    loop_free: bool = False
    searched: Searched = Searched.PATHS

    @property
    def rules(self) -> RuleSpace:
        """The rules that may be chosen."""
        return RuleSpace(self.config, self.routing)

    @property
    def look(self) -> Look:
        """Where sets are looked at, and how."""
        return USUAL_LOOK if self.searched is Searched.PATHS else LOOK_WITH_RULES

    @property
    def exact_grid(self) -> float | None:
        """The grid of saturation loads by which challengers are judged; None beyond saturation."""
        return None if self.searched is Searched.PATHS else self.long.grid


@dataclass(frozen=True, eq=False)
class WeightedSearch:
    """What the search found.

    Attributes
    ----------
    setting : what was asked for.
    loads : simulated of every pattern of the workload.
    best : the incumbent of each latency weight of the objective.
    parts : of a search for both, for the first latency weight the best set, the best one by the
        rule of the settings and the conventional one by the best rule; empty of others.
    paper : the best candidate of Algorithm 1 balanced as it says, None if balancing is off.
    start : the first incumbent: the reference, or of the rule alone the conventional set.
    reference : what scores are relative to.
    challengers : every set that was looked at in the longer windows.
    steps : the incumbents one after another.
    raced : every set that was simulated, best first by the first latency weight.
    accepted : of every set by name, in short runs beyond saturation, packets/cycle/node.
    sets : how many sets were simulated.
    pruned : how many were not, because by certified bounds they cannot match the throughput of the
        incumbent under any pattern that has a bound.
    work : of all simulations.
    undecided : how many runs of searches for saturation loads were too short to tell.
    """

    setting: SearchSetting
    loads: tuple[Loads, ...]
    best: tuple[Challenger, ...]
    parts: Mapping[Searched, Candidate]
    paper: Candidate | None
    start: Candidate
    reference: Challenger
    challengers: tuple[Challenger, ...]
    steps: tuple[Step, ...]
    raced: tuple[Scored, ...]
    accepted: dict[str, float]
    sets: int
    pruned: int
    work: Work
    undecided: int = 0

    @property
    def answers(self) -> tuple[Candidate, ...]:
        """The best set, or of a front those that no other beats in both figures.

        The start if no set has both figures on all patterns.
        """
        if self.setting.objective.aim is not Aim.FRONT:
            return (self.best[0].candidate,)
        allowed = [one for one in self.challengers if self.may_answer(one.candidate)]
        points = {self._place(one): one.candidate for one in reversed(allowed)}
        front = sorted(
            one
            for one in points
            if np.isfinite(one).all() and not any(_beats(other, one) for other in points)
        )
        chosen = np.linspace(0, len(front) - 1, min(len(front), MOST_ON_FRONT)).round()
        return tuple(points[front[int(index)]] for index in chosen) or (self.start,)

    def may_answer(self, candidate: Candidate) -> bool:
        """Whether a set keeps the conventional paths, where the rule alone is searched."""
        keeps_paths = candidate.expression == self.start.expression
        return keeps_paths or self.setting.searched is not Searched.RULE

    def _place(self, challenger: Challenger) -> tuple[float, float]:
        """Mean gains of throughput and latency by the shares of the patterns."""
        share = self.setting.workload.share
        throughput, latency = challenger.figures.gains(self.reference.figures, self.setting.look)
        return float(share @ throughput), float(share @ latency)


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether a place is better in one figure and not worse in the other."""
    return one != other and one[0] >= other[0] and one[1] <= other[1]


def search_weighted(
    topology: Topology,
    setting: SearchSetting,
    expressions: Sequence[str],
    units: Units,
    report: Reporter,
    *,
    proposer: Proposer = new_strategy,
    note_best: Callable[[Candidate], None] = lambda _: None,
) -> WeightedSearch:
    """Search for weighted sets.

    Parameters
    ----------
    expressions : candidates of Algorithm 1.
    proposer : makes the strategy that proposes sets.
    note_best : called with the incumbent whenever there is another.

    Raises
    ------
    SimulationDeadlock : the virtual channels do not suffice.
    Cancelled : the search was stopped.
    """
    seed = setting.seed
    report(Progress("search", 0, max(setting.budget, 1)))
    reference = reference_set(topology, seed)
    start = conventional(topology, seed) if setting.searched is Searched.RULE else reference
    loads, pilot_work = _loads(reference, setting, units)
    short, long = _trials(setting, loads, units)
    bounds = _Bounds(topology, setting, loads)
    forms = _Forms(topology, setting, units)
    evolution = Evolution(
        short,
        long,
        reference,
        setting.objective,
        budget=setting.budget,
        seed=seed,
        report=report,
        may_reach=bounds.may_reach,
        forms_of=forms.of,
        proposer=proposer,
        start=start,
        note_best=note_best,
        noted=setting.searched,
    )
    weights = setting.objective.latency_weights
    starts, paper = _starts(topology, setting, expressions, evolution, bounds, forms)
    scopes = _scopes(topology, setting)
    turns = _TURNS if setting.searched is Searched.BOTH else (setting.searched,)
    best, *of_paths = evolution.improve(starts, weights, scopes, turns)
    parts = dict[Searched, Candidate]()
    for paths in of_paths:
        # Paths alone may be better than both together where nearly all went into these.
        best = [
            max(pair, key=lambda one: evolution.score(one, weight))
            for weight, *pair in zip(weights, best, paths, strict=True)
        ]
        parts = {
            Searched.PATHS: paths[0].candidate,
            Searched.RULE: _by_best_rule(topology, setting, evolution, best[0]),
            Searched.BOTH: best[0].candidate,
        }
    return WeightedSearch(
        setting=setting,
        loads=tuple(loads),
        best=tuple(best),
        parts=parts,
        paper=paper,
        start=start,
        reference=evolution.challengers[reference.name],
        challengers=tuple(evolution.challengers.values()),
        steps=tuple(evolution.steps),
        raced=tuple(evolution.scored(weights[0])),
        accepted=evolution.accepted,
        sets=evolution.sets,
        pruned=evolution.pruned,
        work=pilot_work + short.work + long.work,
        undecided=long.undecided,
    )


def trials_of(topology: Topology, setting: SearchSetting, units: Units) -> tuple[Trials, Trials]:
    """Return what measures sets in a search, in its short windows and in the longer ones."""
    loads, _ = _loads(reference_set(topology, setting.seed), setting, units)
    return _trials(setting, loads, units)


def _trials(setting: SearchSetting, loads: Sequence[Loads], units: Units) -> tuple[Trials, Trials]:
    short, long = (
        Trials(
            setting.routing,
            setting.config,
            setting.workload,
            windows,
            loads,
            setting.look,
            seed,
            units,
            grid,
        )
        for windows, seed, grid in (
            (setting.short, setting.seed, None),
            (setting.long, _next_seed(setting.seed), setting.exact_grid),
        )
    )
    return short, long


def _scopes(topology: Topology, setting: SearchSetting) -> list[Scope]:
    """Return what is searched line by line, the whole first."""
    shapes, rules, usual = ShapeSpace(topology), setting.rules, topology.conventional_set
    every = {
        Searched.BOTH: Scope(Searched.BOTH, shapes, rules, usual),
        Searched.PATHS: Scope(Searched.PATHS, shapes, None, usual),
        Searched.RULE: Scope(Searched.RULE, None, rules, usual),
    }
    of_both = [every[Searched.BOTH], every[Searched.PATHS]]
    return of_both if setting.searched is Searched.BOTH else [every[setting.searched]]


def _by_best_rule(
    topology: Topology, setting: SearchSetting, evolution: Evolution, best: Challenger
) -> Candidate:
    """Return the conventional set by the best rule, that of the best set among others."""
    usual, weight = conventional(topology, setting.seed), setting.objective.latency_weights[0]
    rules = [*setting.rules.starts(), best.candidate.ugal or setting.rules.base]
    ruled = [usual.ruled(one) for one in rules if one != setting.rules.base]
    return evolution.race_whole(_different([usual, *ruled]), weight)[0].candidate


def _starts(
    topology: Topology,
    setting: SearchSetting,
    expressions: Sequence[str],
    evolution: Evolution,
    bounds: "_Bounds",
    forms: "_Forms",
) -> tuple[list[Candidate], Candidate | None]:
    """Return what a search begins with, raced already, and the choice of Algorithm 1 if any."""
    seed, weight = setting.seed, setting.objective.latency_weights[0]
    usual, rules = conventional(topology, seed), setting.rules.starts()
    if setting.searched is Searched.RULE:
        return [usual, *map(usual.ruled, rules)], None
    published = [
        Candidate.as_it_is(parse_expression(one, topology, seed), seed)
        for one in dict.fromkeys((topology.conventional_set, "all", *expressions))
    ]
    shaped = [Candidate.as_it_is(one, seed) for one in starting_sets(topology, bounds.models)]
    as_they_are = evolution.race(_different([*published, *shaped]), weight)
    if setting.searched is Searched.BOTH:
        starts = [one.candidate for one in as_they_are]
        # The rest takes as long again; who ends it earlier has these paths.
        evolution.lead(starts[0], weight)
        # The best paths by the published rule, and a set that is not made for it.
        first = _different([starts[0], reference_set(topology, seed)])
        ruled = [one.ruled(rule) for rule in rules for one in first]
        raced = evolution.race(ruled, weight)
        good = list(dict.fromkeys(one.candidate.ugal for one in raced))[:_GOOD_RULES]
        others = [*starts[1:_RULED_STARTS], usual]
        ruled += [one.ruled(rule) for one in others for rule in good]
        going_on = [
            one.candidate
            for each in setting.objective.latency_weights
            for sets in (starts, _different(ruled))
            for one in evolution.race_whole(sets, each)[:_KEPT]
        ]
        return _different(going_on), None
    balanced = _balanced_starts(as_they_are, published, forms)
    raced = evolution.race(_different([one.candidate for one in as_they_are] + balanced), weight)
    return [one.candidate for one in raced], _paper_choice(raced)


def _next_seed(seed: int) -> int:
    return (seed + 1) % 2**63


def _different(candidates: Sequence[Candidate]) -> list[Candidate]:
    return list({one.name: one for one in candidates}.values())


def reference_set(topology: Topology, seed: int) -> Candidate:
    """Return what scores are relative to: the published set.

    The conventional one where hardly any path is that short.
    """
    published = Candidate.as_it_is(parse_expression(topology.published_set, topology, seed), seed)
    if np.isnan(published.mean_hops):
        return conventional(topology, seed)
    return published


def _loads(reference: Candidate, setting: SearchSetting, units: Units) -> tuple[list[Loads], Work]:
    config = setting.short.on(setting.config)

    def unit_of(candidate: Candidate, pattern: Pattern) -> SaturationUnit:
        recipe = Recipe(candidate.named_set, setting.routing, pattern, setting.seed)
        return SaturationUnit(recipe, config, setting.short.grid, guess=None)

    def most_of(pattern: Pattern) -> float:
        traffic = pattern.resolve(topology, setting.seed)
        return capacity_bound(topology, switch_demand(topology, traffic)).value

    topology = reference.path_set.topology
    ruled = None
    if setting.searched is not Searched.PATHS:
        ruled = partial(unit_of, reference.ruled(next(iter(setting.rules.starts()), None)))
    usual = partial(unit_of, reference)
    workload, low = setting.workload, setting.objective.load
    return find_loads(workload.patterns, low, setting.look, usual, units, ruled, most_of)


def _paper_choice(raced: Sequence[Scored]) -> Candidate | None:
    """Return the best of the sets that are balanced as Algorithm 1 says."""
    return next((one.candidate for one in raced if one.candidate.form == "removal"), None)


def _balanced_starts(
    raced: Sequence[Scored], published: Sequence[Candidate], forms: "_Forms"
) -> list[Candidate]:
    """Balance the best candidates of Algorithm 1, either way."""
    labels = {one.name for one in published}
    best = [one.candidate for one in raced if one.candidate.name in labels][:_BALANCED_STARTS]
    return [form for one in best for form in forms.of(one)]


@dataclass(frozen=True)
class _Forms:
    """Other forms of sets: balanced by removal and by weights, and without revisited switches."""

    topology: Topology
    setting: SearchSetting
    units: Units

    def of(self, candidate: Candidate) -> list[Candidate]:
        """Return the other forms of a set; none of a form, nor of a set that is too large."""
        if candidate.form is not None:
            return []
        if count_paths(candidate.path_set, _MOST_LISTED) > _MOST_LISTED:
            return []
        forms = [*self._balanced(candidate), *self._loop_free(candidate)]
        return [one.ruled(candidate.ugal) for one in forms]

    def _loop_free(self, candidate: Candidate) -> list[Candidate]:
        form = loop_free_form(candidate.path_set) if self.setting.loop_free else None
        return [] if form is None else [Candidate.as_it_is(form, self.setting.seed)]

    def _balanced(self, candidate: Candidate) -> list[Candidate]:
        removal = self.setting.balancing
        if removal is None:
            return []
        return [
            form.named_by_form()
            for balancing in (removal, WeightOptions())
            for form in prepare(
                self.topology,
                [candidate.expression],
                balancing,
                seed=self.setting.seed,
                units=self.units,
                report=silent,
            )
        ]


class _Bounds:
    """Certified bounds on what networks accept by sets by shape, from prices of links.

    Of the patterns whose paths are few enough to be listed, as the longer windows see them.
    """

    def __init__(self, topology: Topology, setting: SearchSetting, loads: Sequence[Loads]) -> None:
        seed = _next_seed(setting.seed)
        models = [ShapeModel(topology, pattern, seed) for pattern in setting.workload.patterns]
        self._models = [
            (position, model) for position, model in enumerate(models) if model.is_small
        ]
        self._loads = loads
        self._node_cycles = topology.num_nodes * setting.long.measured
        # Whether it is saturation loads that are to be reached.
        self._of_loads = setting.exact_grid is not None
        # A packet that is decided on again takes a path of another switch.
        self._certain = not Routing(setting.routing).decides_again

    @property
    def models(self) -> list[ShapeModel]:
        """Those that sets to begin with are taken from."""
        return [model for _, model in self._models[:_SOLVED_MODELS]]

    def may_reach(self, candidate: Candidate, accepted: NDArray[np.float64]) -> bool:
        """Whether the bounds let a set accept so much, float64 (patterns,), on some pattern."""
        path_set = candidate.path_set
        if not (isinstance(path_set, ShapeSet) and self._models and self._certain):
            return True
        shapes = np.array(path_set.weights) > 0
        return any(
            model.most_accepted(shapes, self._loads[position].beyond)
            >= self._certainly_accepted(self._needed(float(accepted[position]), position, model))
            for position, model in self._models
        )

    def _needed(self, accepted: float, position: int, model: ShapeModel) -> float:
        if not self._of_loads:
            return accepted
        # What sustains more than the load of the bounds accepts all of that.
        return min(accepted, self._loads[position].beyond * model.offered)

    def _certainly_accepted(self, accepted: float) -> float:
        """Return what a long run would accept at least."""
        packets = accepted * self._node_cycles
        deviation = _DEVIATIONS * math.sqrt(packets) / self._node_cycles
        return accepted / (1.0 + _CARRIED_OVER) - deviation
