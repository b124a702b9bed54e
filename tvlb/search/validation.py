"""Step 2: simulate the balanced candidates and the conventional set side by side.

Reference: Rahman et al., SC'19, section 3.3.3. Every candidate is screened with short windows;
the finalists and the conventional set are confirmed with the paper's windows, and only confirmed
figures decide.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tvlb.processes import Reporter
from tvlb.processes.units import Units
from tvlb.search.decision import Decision, Measured, decide
from tvlb.search.objective import REFERENCE_LOAD, Aim, Objective
from tvlb.search.options import SearchOptions
from tvlb.search.runner import Runner
from tvlb.search.simulation_units import NamedSet
from tvlb.search.windows import Windows
from tvlb.search.work import Work
from tvlb.statistics import Judgement, Pairing, Verdict, estimate, judgements
from tvlb.traffic import type2_pattern

_CURVE_POINTS = 10
_CURVE_REACH = 1.05


@dataclass(frozen=True, eq=False)
class SimulatedSet:
    """What was measured of one named set, in the windows that count for it.

    Attributes
    ----------
    measured : saturation and latency per pattern.
    windows : the windows of these figures.
    confirmed : whether these are the confirmation windows.
    """

    measured: Measured
    windows: Windows
    confirmed: bool


@dataclass(frozen=True)
class CurvePoint:
    """One load of a latency-load curve, averaged over the patterns that are not saturated.

    Attributes
    ----------
    load : packets/cycle/node.
    latency_mean, latency_sem, latency_ci95 : mean, standard error and half the 95% interval,
        cycles; nan where every pattern is saturated.
    accepted : packets/cycle/node.
    saturated_patterns : number of patterns saturated at this load.
    """

    load: float
    latency_mean: float
    latency_sem: float
    latency_ci95: float
    accepted: float
    saturated_patterns: int


@dataclass(frozen=True)
class Validation:
    """Result of Step 2.

    Attributes
    ----------
    patterns : the simulated patterns.
    baseline : the conventional set.
    candidates : every candidate, in the order given; finalists are confirmed.
    decision : made on the confirmed figures.
    judgements : of the confirmed sets against the conventional and the published one.
    reference_load : load at which latencies are compared, packets/cycle/node.
    curves : latency-load curves of the chosen set and of the baseline, by expression; the
        screening windows.
    undecided : how many simulations were too short to tell whether they are saturated.
    work : of all simulations.
    floors : of the sets that were compared, by name, what a fixed split over their paths
        guarantees, packets/cycle/node; empty where the objective does not weigh it.
    """

    patterns: tuple[str, ...]
    baseline: SimulatedSet
    candidates: tuple[SimulatedSet, ...]
    decision: Decision
    judgements: tuple[Judgement, ...]
    reference_load: float
    curves: dict[str, tuple[CurvePoint, ...]]
    undecided: int
    work: Work
    floors: Mapping[str, float] = field(default_factory=dict[str, float])


def validate(
    baseline: NamedSet,
    candidates: Sequence[NamedSet],
    options: SearchOptions,
    units: Units,
    report: Reporter,
    *,
    note_best: Callable[[str], None] = lambda _: None,
) -> Validation:
    """Simulate the named sets on type2(seed=0), type2(seed=1), ... and decide.

    Parameters
    ----------
    options : the seed is that of all simulations; the sets share it, so their comparison is paired.
    units : compute the simulations.
    note_best : called with the name of the best candidate as soon as all are screened.

    Raises
    ------
    SimulationDeadlock : the virtual channels do not suffice.
    Cancelled : the search was stopped.
    """
    topology = baseline.path_set.topology
    patterns = [type2_pattern(topology, number) for number in range(options.pattern_count)]
    runner = Runner(options, patterns, units, report)
    screening, confirmation = options.screening_windows, options.confirmation_windows
    base_screen, screened = _screen(runner, baseline, candidates, screening)
    reference = _reference_load([base_screen, *screened], screening.grid)
    latencies = runner.latencies("screen latency", [baseline, *candidates], screening, reference)
    rough = [
        Measured(named_set.name, saturation, latency)
        for named_set, saturation, latency in zip(
            [baseline, *candidates], [base_screen, *screened], latencies, strict=True
        )
    ]
    final = _finalists(rough[0], rough[1:], options.finalist_count, runner, screening)
    for index in final[:1]:
        note_best(candidates[index].name)
    named_sets = [baseline, *(candidates[index] for index in final)]
    guesses = [base_screen, *(screened[index] for index in final)]
    saturation = runner.saturations(
        "confirm", named_sets, confirmation, guesses, guess_error=screening.grid
    )
    latency = runner.latencies("confirm latency", named_sets, confirmation, reference)
    confirmed = [
        Measured(named_set.name, loads, cycles)
        for named_set, loads, cycles in zip(named_sets, saturation, latency, strict=True)
    ]
    judged = _judged(confirmed, [baseline.name, topology.published_set], runner, confirmation)
    decision = decide(Objective(Aim.SATURATION), confirmed[0], confirmed[1:], judged)
    by_index = dict(zip(final, confirmed[1:], strict=True))
    shown = [baseline] + [one for one in candidates if one.name == decision.expression]
    curves = latency_curves(runner, shown, screening, max(map(_mean_saturation, confirmed)))
    return Validation(
        patterns=tuple(map(str, runner.patterns)),
        baseline=SimulatedSet(confirmed[0], confirmation, confirmed=True),
        candidates=tuple(
            SimulatedSet(by_index[index], confirmation, confirmed=True)
            if index in by_index
            else SimulatedSet(measured, screening, confirmed=False)
            for index, measured in enumerate(rough[1:])
        ),
        decision=decision,
        judgements=judged,
        reference_load=reference,
        curves=curves,
        undecided=runner.undecided,
        work=runner.work,
    )


def _screen(
    runner: Runner, baseline: NamedSet, candidates: Sequence[NamedSet], windows: Windows
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Search the saturation of the baseline and of every candidate.

    The first candidate is searched ahead of the others, which start from its answer: candidates
    are more like each other than like the baseline.
    """
    base = runner.saturations("screen all", [baseline], windows)[0]
    first, others = candidates[:1], candidates[1:]
    pilot = runner.saturations("screen pilot", first, windows, [base] * len(first))
    rest = runner.saturations("screen candidates", others, windows, pilot * len(others))
    return base, [*pilot, *rest]


def _judged(
    sets: Sequence[Measured], rivals: Sequence[str], runner: Runner, windows: Windows
) -> tuple[Judgement, ...]:
    """Compare sets on the patterns of a runner, which all count alike."""
    names = tuple(map(str, runner.patterns))
    pairing = Pairing(names, np.full(len(names), 1.0 / len(names)), 1, windows.grid)
    return judgements([one.figures for one in sets], rivals, pairing)


def _mean_saturation(measured: Measured) -> float:
    return float(measured.saturation.mean())


def _reference_load(saturations: Sequence[NDArray[np.float64]], grid: float) -> float:
    lowest = min(float(values.min()) for values in saturations)
    return min(REFERENCE_LOAD, max(lowest, grid) / 2)


def _finalists(
    baseline: Measured, candidates: Sequence[Measured], count: int, runner: Runner, windows: Windows
) -> list[int]:
    """Choose the best by saturation, and the lowest latency among those not behind the baseline."""
    order = sorted(
        range(len(candidates)),
        key=lambda i: (-_mean_saturation(candidates[i]), candidates[i].latency.mean()),
    )
    chosen = order[:count]
    judged = _judged([baseline, *candidates], [baseline.expression], runner, windows)
    level = [index for index in order if judged[index].verdict is not Verdict.LOWER]
    if level:
        chosen.append(min(level, key=lambda i: float(candidates[i].latency.mean())))
    return sorted(set(chosen))


def latency_curves(
    runner: Runner, named_sets: Sequence[NamedSet], windows: Windows, highest: float
) -> dict[str, tuple[CurvePoint, ...]]:
    """Latency-load curves up to a little beyond the load `highest`."""
    top = min(1.0, _CURVE_REACH * highest)
    loads = [round(top * step / _CURVE_POINTS, 4) for step in range(1, _CURVE_POINTS + 1)]
    runs = runner.runs("curves", named_sets, windows, loads, stop_when_saturated=True)
    return {
        named_set.name: tuple(
            _curve_point(
                load,
                runs.latency[position, :, column],
                runs.accepted[position, :, column],
                runs.saturated[position, :, column],
            )
            for column, load in enumerate(loads)
        )
        for position, named_set in enumerate(named_sets)
    }


def _curve_point(
    load: float,
    latency: NDArray[np.float64],
    accepted: NDArray[np.float64],
    saturated: NDArray[np.bool_],
) -> CurvePoint:
    """Average over the patterns, arrays (patterns,)."""
    steady = latency[~saturated]
    mean = estimate(steady)
    return CurvePoint(
        load=load,
        latency_mean=float(steady.mean()) if len(steady) else math.nan,
        latency_sem=mean.error,
        latency_ci95=mean.half_width(),
        accepted=float(accepted.mean()),
        saturated_patterns=int(saturated.sum()),
    )
