"""How what was measured of a set differs from that of another: the one estimator of changes.

Whatever is told of a gain, anywhere, is a `Change`: paired run by run, relative, with an interval
that holds together with those of all other changes of the same judgement.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.statistics.estimates import estimate
from tvlb.statistics.verdict import ChangeInterval, Verdict, verdict_of

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Change:
    """A relative change, paired by run.

    Attributes
    ----------
    mean : mean over the runs by their shares, 0.1 for 10% more.
    half_width : of its 95% interval, see `Pairing.intervals`; nan for a single run. Of several
        rounds it is about these very patterns, so only the runs of each vary.
    worst : the worst change of a pattern, mean over the rounds.
    worst_pattern : that pattern.
    patterns : how many patterns both sets have the figure of.
    """

    mean: float
    half_width: float
    worst: float
    worst_pattern: str
    patterns: int

    def __str__(self) -> str:
        return change_text(self.mean, self.half_width)

    @property
    def interval(self) -> ChangeInterval:
        """The same as an interval."""
        if math.isnan(self.half_width):
            return ChangeInterval(self.mean, None, None)
        return ChangeInterval(self.mean, self.mean - self.half_width, self.mean + self.half_width)


def change_text(mean: float, half_width: float | None) -> str:
    """Write a relative change with its interval, as everywhere; nan and None stand for none.

    Examples
    --------
    >>> change_text(0.0889, 0.0402)
    '+8.9% +- 4.0'
    """
    told = f"{100 * mean:+z.1f}%"
    if half_width is None or math.isnan(half_width):
        return told
    return f"{told} +- {100 * half_width:.1f}"


@dataclass(frozen=True, eq=False)
class SetFigures:
    """What was measured of a set, by run.

    Attributes
    ----------
    name : tells it from the others.
    saturation : float64 (runs,), saturation load, packets/cycle/node.
    latency : float64 (loads, runs), mean latency, cycles; nan where saturated.
    """

    name: str
    saturation: NDArray[np.float64]
    latency: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pairing:
    """The runs that sets are compared on: equal patterns and seeds for all.

    Attributes
    ----------
    patterns : of each run, those of one round after another.
    share : float64 (runs,), how much each counts, above 0.
    rounds : how often each pattern was run, each time with another seed.
    grid : of the saturation loads, packets/cycle/node.
    intervals : how many intervals are to hold together (Bonferroni).
    """

    patterns: tuple[str, ...]
    share: NDArray[np.float64]
    rounds: int
    grid: float
    intervals: int = 1

    def saturation(self, mine: SetFigures, theirs: SetFigures) -> Change:
        """Return the change of the saturation load; less is worse."""
        # Less than the first load of the grid is 0, which has no ratio.
        ours, base = (np.maximum(one.saturation, self.grid / 2) for one in (mine, theirs))
        # The difference of two roundings down to a grid is spread like a triangle.
        change = self._change(ours, base, worst=np.argmin, deviation=self.grid / math.sqrt(6.0))
        assert change is not None
        return change

    def latency(self, mine: SetFigures, theirs: SetFigures) -> tuple[Change | None, ...]:
        """Return the change of the latency at each load; more is worse, None without any run."""
        pairs = zip(mine.latency, theirs.latency, strict=True)
        return tuple(self._change(ours, base, worst=np.argmax) for ours, base in pairs)

    def _change(
        self,
        mine: NDArray[np.float64],
        theirs: NDArray[np.float64],
        worst: Callable[[NDArray[np.float64]], np.intp],
        deviation: float = 0.0,
    ) -> Change | None:
        """Relative change of a figure, over the runs that both sets have it of."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = mine / theirs - 1.0
        known = np.flatnonzero(np.isfinite(ratio))
        if len(known) == 0:
            return None
        values, weight = ratio[known], self.share[known] / self.share[known].sum()
        case = known % (len(self.patterns) // self.rounds)
        patterns, pattern = np.unique(case, return_inverse=True)
        by_pattern = np.bincount(pattern, values) / np.bincount(pattern)
        place = int(worst(by_pattern))
        floor = float(weight**2 @ (deviation / theirs[known]) ** 2) / float(weight @ weight)
        found = estimate(values, weight, case if self.rounds > 1 else None)
        return Change(
            mean=found.mean,
            half_width=found.half_width(math.sqrt(floor), self.intervals),
            worst=float(by_pattern[place]),
            worst_pattern=self.patterns[int(patterns[place])],
            patterns=len(patterns),
        )


@dataclass(frozen=True)
class Judgement:
    """One set against another.

    Attributes
    ----------
    expression, against : names of the sets.
    saturation : change of the saturation load; more is better.
    latency : change of the mean latency at each load; less is better. None where no pattern has the
        figure of both sets.
    """

    expression: str
    against: str
    saturation: Change
    latency: tuple[Change | None, ...]

    @property
    def verdict(self) -> Verdict:
        """What follows from the changes of saturation and of latency at the lowest load."""
        latency = self.latency[0]
        return verdict_of(self.saturation.interval, latency and latency.interval)


def judgements(
    sets: Sequence[SetFigures], rivals: Sequence[str], pairing: Pairing
) -> tuple[Judgement, ...]:
    """Compare every set with every rival.

    Parameters
    ----------
    rivals : names of those that others are compared with, the first one with none of them; one that
        stands twice, as a conventional set that is the published one does, counts once.
    pairing : the runs; intervals of all the changes hold together.
    """
    names = [*dict.fromkeys(rivals)]
    pairs = [
        (one, rival)
        for place, name in enumerate(names)
        for rival in sets
        for one in sets
        if rival.name == name and one.name not in names[: place + 1]
    ]
    loads = len(sets[0].latency)
    together = replace(pairing, intervals=max(1, len(pairs) * (1 + loads)))
    return tuple(
        Judgement(
            one.name,
            rival.name,
            together.saturation(one, rival),
            together.latency(one, rival),
        )
        for one, rival in pairs
    )
