"""The search: sets race in short simulations, the best challenge the incumbent.

Sets are told apart by `Trials` in two sorts of windows. In the short ones every set first runs on
two patterns, and only the better half on all of them. What is then better than the incumbent
challenges it in longer windows with another seed, and replaces it only if it is better there too.
So the score of the incumbent in the longer windows never falls. The budget decides nothing but
when the search ends, so a larger one never makes the incumbent worse; several latency weights of an
objective, and what may change of a set (`Scope`), take turns, one generation each.
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import cycle, islice

import numpy as np
from numpy.typing import NDArray

from tvlb.paths import ShapeSet
from tvlb.processes import Progress, Reporter
from tvlb.search.cma_types import Strategy, new_strategy
from tvlb.search.objective import Objective, Searched
from tvlb.search.preparation import Candidate
from tvlb.search.rule_space import RuleSpace
from tvlb.search.shape_space import ShapeSpace
from tvlb.search.trials import Figures, Trials

# Patterns of the first look, and of how many sets the better half goes on at least.
_FIRST_LOOK = 2
_POPULATION = 8
_SPREAD = 1.0
_LEAST_SURVIVORS = 4
_CHALLENGING_STARTS = 2
# Generations without a new incumbent until the search begins anew, wider.
_PATIENCE = 6
# Generations in a row in which nothing was simulated, all sets being known or out of reach, until
# the search ends: small networks have few sets.
_MOST_BARREN = 100
_MOST_STRETCH = 8.5
# Bounds are of throughput; they prune nothing where latency counts more.
_MOST_PRUNED_WEIGHT = 0.5


@dataclass(frozen=True, eq=False)
class Challenger:
    """A set that was looked at in the longer windows.

    Attributes
    ----------
    candidate : the set.
    figures : in the longer windows.
    """

    candidate: Candidate
    figures: Figures


@dataclass(frozen=True)
class Step:
    """A new incumbent.

    Attributes
    ----------
    flit_hops : simulated by the search until then.
    score : in the longer windows; see `Objective.score`.
    expression : name of the incumbent.
    latency_weight : of the objective that it is the best for.
    searched : what might change of the set.
    """

    flit_hops: int
    score: float
    expression: str
    latency_weight: float
    searched: Searched


@dataclass(frozen=True)
class Scope:
    """What may change of a set.

    Attributes
    ----------
    shapes : the weights of the paths by shape; None to keep those of `paths`.
    rules : of UGAL; None to keep that of the settings.
    paths : name of the set whose rule alone is searched.
    """

    searched: Searched
    shapes: ShapeSpace | None
    rules: RuleSpace | None
    paths: str

    def holds(self, candidate: Candidate) -> bool:
        """Whether it could find a set."""
        if self.shapes is None:
            return candidate.ruled(None).name == self.paths
        return self.rules is not None or candidate.ugal is None

    def beside(self, candidate: Candidate) -> list[Candidate]:
        """Return the same paths with rules that differ by a step from that of a set."""
        if self.rules is None:
            return []
        base = self.rules.base
        return [
            candidate.ruled(None if one == base else one)
            for one in self.rules.beside(candidate.ugal or base)
        ]


Proposer = Callable[[NDArray[np.float64], float, int, int], Strategy]
"""Makes a strategy from a start, a spread, a population and a seed."""


class _Random:
    """Looks anywhere, whatever it is told."""

    def __init__(self, size: int, population: int, seed: int) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._shape = (population, size)

    def ask(self) -> list[NDArray[np.float64]]:
        return list(self._generator.uniform(-_MOST_STRETCH, 0.0, self._shape))

    def tell(self, points: Sequence[NDArray[np.float64]], values: Sequence[float]) -> object:
        return points, values

    def stop(self) -> dict[str, object]:
        return {}


def random_proposer(
    start: NDArray[np.float64], spread: float, population: int, seed: int
) -> Strategy:
    """Propose points at random: what a strategy has to be better than."""
    assert spread > 0
    return _Random(len(start), population, seed)


@dataclass(frozen=True, eq=False)
class Scored:
    """A set that was looked at in the short windows."""

    candidate: Candidate
    score: float
    figures: Figures


@dataclass(eq=False)
class _Line:
    """The search for one latency weight in one scope, and how far it is.

    Attributes
    ----------
    bar : score in the short windows that a set has to exceed to challenge the incumbent.
    center : where the strategy begins, a set by shape.
    strategy : proposes sets; None until a generation needs it.
    idle : generations since the last incumbent or restart.
    steps_next : whether rules beside that of the incumbent are next, and not other paths.
    """

    scope: Scope
    weight: float
    incumbent: Challenger
    bar: float
    center: Candidate | None
    strategy: Strategy | None = None
    idle: int = 0
    restarts: int = 0
    steps_next: bool = True


@dataclass(eq=False)
class Evolution:
    """Looks for sets that are good by one objective.

    Parameters
    ----------
    short, long : simulate in short and in longer windows.
    reference : what scores are relative to.
    budget : flit-hops of both together, after which no new generation begins.
    may_reach : tells whether a set can accept so much under any pattern, packets/cycle/node, by
        certified bounds.
    forms_of : gives the other forms of a set: balanced by removal, and by weights.
    start : the first incumbent of the scope `noted`.
    proposer : makes the strategy that proposes sets.
    note_best : called with every incumbent of that scope.
    """

    short: Trials
    long: Trials
    reference: Candidate
    objective: Objective
    _: KW_ONLY
    budget: int
    seed: int
    report: Reporter
    may_reach: Callable[[Candidate, NDArray[np.float64]], bool]
    forms_of: Callable[[Candidate], Sequence[Candidate]]
    start: Candidate
    proposer: Proposer = new_strategy
    note_best: Callable[[Candidate], None] = lambda _: None
    noted: Searched = Searched.PATHS

    def __post_init__(self) -> None:
        reference = self.reference
        self._best = self.start.name
        self._short_reference = self.short.measure([reference.named_set])[0]
        known = self._short_reference
        self._long_reference = self.long.measure([reference.named_set], known=known)[0]
        self._short_known: dict[str, Figures] = {reference.name: self._short_reference}
        self._candidates: dict[str, Candidate] = {reference.name: reference}
        self._leader = Challenger(reference, self._long_reference)
        self.challengers: dict[str, Challenger] = {reference.name: self._leader}
        self.steps: list[Step] = []
        self.pruned = 0
        self.note_best(self.start)

    @property
    def spent(self) -> int:
        """Flit-hops simulated so far."""
        return self.short.work.flit_hops + self.long.work.flit_hops

    def scored(self, weight: float) -> list[Scored]:
        """Return every set that was simulated, best first."""
        return self._ranked(list(self._candidates.values()), weight)

    @property
    def accepted(self) -> dict[str, float]:
        """What every set accepted in the short windows, mean of the first two patterns."""
        return {
            name: float(figures.accepted[:_FIRST_LOOK].mean())
            for name, figures in self._short_known.items()
        }

    @property
    def sets(self) -> int:
        """How many sets were simulated."""
        return len(self._short_known)

    def race(self, candidates: Sequence[Candidate], weight: float) -> list[Scored]:
        """Simulate sets in the short windows, best first; the worse half on two patterns only."""
        new = [one for one in candidates if one.name not in self._short_known]
        first = self.short.measure([one.named_set for one in new], 0, _FIRST_LOOK)
        self._candidates |= {one.name: one for one in new}
        self._short_known |= {one.name: figures for one, figures in zip(new, first, strict=True)}
        ranked = self._ranked(candidates, weight)
        survivors = max(_LEAST_SURVIVORS, (len(ranked) + 1) // 2)
        going_on = [
            one
            for one in ranked[:survivors]
            if len(one.figures.latency) < len(self._short_reference.latency)
        ]
        rest = self.short.measure([one.candidate.named_set for one in going_on], _FIRST_LOOK)
        self._short_known |= {
            one.candidate.name: one.figures.joined(figures)
            for one, figures in zip(going_on, rest, strict=True)
        }
        best = self._ranked([one.candidate for one in ranked[:survivors]], weight)
        self._show()
        return best + ranked[survivors:]

    def race_whole(self, candidates: Sequence[Candidate], weight: float) -> list[Scored]:
        """Race sets, and return those that were simulated on all patterns, best first.

        Of sets that raced before some were, some were not: their scores are of other patterns.
        """
        self.race(candidates, weight)
        patterns = len(self._short_reference.latency)
        ranked = self._ranked(candidates, weight)
        return [one for one in ranked if len(one.figures.latency) == patterns]

    def _ranked(self, candidates: Sequence[Candidate], weight: float) -> list[Scored]:
        scored = [
            Scored(
                one,
                self.short.score(
                    self.objective,
                    weight,
                    self._short_known[one.name],
                    self._short_reference,
                ),
                self._short_known[one.name],
            )
            for one in candidates
        ]
        return sorted(scored, key=lambda one: (-one.score, one.candidate.name))

    def score(self, challenger: Challenger, weight: float) -> float:
        """Score in the longer windows."""
        return self.long.score(self.objective, weight, challenger.figures, self._long_reference)

    def challenge(self, candidate: Candidate) -> Challenger:
        """Look at a set in the longer windows."""
        if candidate.name not in self.challengers:
            known = self._short_known.get(candidate.name)
            figures = self.long.measure([candidate.named_set], known=known)[0]
            self.challengers[candidate.name] = Challenger(candidate, figures)
        return self.challengers[candidate.name]

    def lead(self, candidate: Candidate, weight: float) -> None:
        """Have what is searched begin with a set, where it is better than the reference."""
        self._leader = self._winner(self._leader, candidate, self.noted, weight)

    def improve(
        self,
        starts: Sequence[Candidate],
        weights: Sequence[float],
        scopes: Sequence[Scope],
        turns: Sequence[Searched],
    ) -> list[list[Challenger]]:
        """Look for better sets than some, until the budget is spent or no set is left.

        Parameters
        ----------
        starts : where to begin.
        weights : of latency, each searched for in turn.
        scopes : of which each is searched.
        turns : in which order, over and over; all weights in each.

        Returns
        -------
        By scope the incumbent of every weight at the end.
        """
        lines = [[self._line(starts, scope, weight) for weight in weights] for scope in scopes]
        by_scope = {one[0].scope.searched: one for one in lines}
        barren = 0
        for line in cycle([line for turn in turns for line in by_scope[turn]]):
            if self.spent >= self.budget or barren == _MOST_BARREN:
                break
            before = self.spent
            self._advance(line)
            barren = barren + 1 if self.spent == before else 0
        return [[line.incumbent for line in of_scope] for of_scope in lines]

    def _line(self, starts: Sequence[Candidate], scope: Scope, weight: float) -> _Line:
        """Begin with the best starts."""
        ranked = self.race([one for one in starts if scope.holds(one)], weight)
        incumbent = self.challengers[self.reference.name]
        if scope.searched is self.noted:
            incumbent = max(incumbent, self._leader, key=lambda one: self.score(one, weight))
        if scope.shapes is None:  # it is to be better than the same paths
            incumbent = self.challenge(self.start)
        if scope.searched is self.noted:
            for one in _challenging(ranked, scope):
                incumbent = self._better(incumbent, one, scope, weight)
        else:
            incumbent = self._winner(incumbent, ranked[0].candidate, scope.searched, weight)
        shaped = (one.candidate for one in ranked if one.candidate.balanced is None)
        center = next((one for one in shaped if _by_shape(one) is not None), None)
        return _Line(scope, weight, incumbent, ranked[0].score, center)

    def _advance(self, line: _Line) -> None:
        """Look at one more generation, and begin anew where that leads nowhere."""
        strategy, ranked = None, self._steps(line) if line.steps_next else []
        line.steps_next = not ranked
        if line.scope.shapes is not None and not ranked:
            strategy = line.strategy or self._strategy(line.scope.shapes, line)
            line.strategy = strategy
            ranked = self._generation(line, line.scope.shapes, strategy)
        line.idle += 1
        if ranked and ranked[0].score > line.bar:
            before, line.bar = line.incumbent, ranked[0].score
            line.incumbent = self._better(before, ranked[0], line.scope, line.weight)
            line.idle = line.idle if line.incumbent is before else 0
        if line.idle >= _PATIENCE or (strategy and strategy.stop()):
            best = line.incumbent.candidate
            line.center = line.center if _by_shape(best) is None else best
            line.restarts, line.idle, line.strategy = line.restarts + 1, 0, None

    def _steps(self, line: _Line) -> list[Scored]:
        """Race what is beside the incumbent and not known yet."""
        beside = line.scope.beside(line.incumbent.candidate)
        new = [one for one in beside if one.name not in self._short_known]
        return self.race(new, line.weight) if new else []

    def _generation(self, line: _Line, space: ShapeSpace, strategy: Strategy) -> list[Scored]:
        """Race the sets of some points and tell the strategy what they are worth."""
        points = strategy.ask()
        rule = None if line.scope.rules is None else line.incumbent.candidate.ugal
        candidates = [
            Candidate.as_it_is(space.set_at(point), self.seed).ruled(rule) for point in points
        ]
        different = {one.name: one for one in candidates}
        # To be as good as the incumbent, with whatever it serves its worst.
        gain, _ = line.incumbent.figures.gains(self._long_reference, self.long.look)
        least = self._long_reference.accepted * np.exp(gain)
        reachable = [
            one
            for one in different.values()
            if line.weight > _MOST_PRUNED_WEIGHT or self.may_reach(one, least)
        ]
        self.pruned += len(different) - len(reachable)
        ranked = self.race(reachable, line.weight)
        place = {one.candidate.name: position for position, one in enumerate(ranked)}
        # Ranks are all that the strategy uses; what cannot reach the incumbent ranks last.
        strategy.tell(points, [float(place.get(one.name, len(place))) for one in candidates])
        return ranked

    def _strategy(self, space: ShapeSpace, line: _Line) -> Strategy:
        """Begin around a set, more widely after every restart."""
        center = None if line.center is None else _by_shape(line.center)
        start = np.zeros(space.dimensions) if center is None else space.point(center.weights)
        start = np.maximum(start - start.max(), -_MOST_STRETCH)
        spread, number = _SPREAD * (1 + line.restarts % 3), self.seed + line.restarts
        return self.proposer(start, spread, _POPULATION, number)

    def _better(
        self, incumbent: Challenger, scored: Scored, scope: Scope, weight: float
    ) -> Challenger:
        """Return the better one in the longer windows; a new incumbent in its best form."""
        replaced = self._winner(incumbent, scored.candidate, scope.searched, weight)
        if replaced is incumbent or scope.shapes is None:
            return replaced
        forms = self.race(self.forms_of(scored.candidate), weight)
        for form in forms:
            if form.score > scored.score:
                replaced = self._winner(replaced, form.candidate, scope.searched, weight)
        return replaced

    def _winner(
        self, incumbent: Challenger, candidate: Candidate, searched: Searched, weight: float
    ) -> Challenger:
        challenger = self.challenge(candidate)
        score = self.score(challenger, weight)
        if score <= self.score(incumbent, weight):
            return incumbent
        self.steps.append(Step(self.spent, score, candidate.name, weight, searched))
        if searched is self.noted:
            self._best = candidate.name
            self.note_best(candidate)
        return challenger

    def _show(self) -> None:
        total = max(self.budget, 1)
        self.report(Progress("search", min(self.spent, total), total, f"best {self._best}"))


def _challenging(ranked: Sequence[Scored], scope: Scope) -> list[Scored]:
    """Return the best starts and, where rules may change, the best one by other paths.

    An overload ranks paths by other rules than the published one less well than rules.
    """
    best = ranked[:_CHALLENGING_STARTS]
    if scope.rules is None:
        return list(best)
    paths = {one.candidate.ruled(None).name for one in best}
    others = (one for one in ranked if one.candidate.ruled(None).name not in paths)
    return [*best, *islice(others, 1)]


def _by_shape(candidate: Candidate) -> ShapeSet | None:
    """Return the set by shape that a candidate is, or was before it was balanced."""
    balanced = candidate.balanced
    path_set = candidate.path_set if balanced is None else balanced.path_set.base
    return path_set if isinstance(path_set, ShapeSet) else None
