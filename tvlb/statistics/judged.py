"""The sets of a search's document, as people are shown them: figures, and shapes of the chosen one.

Figures, pages and reports read it; it draws nothing.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.statistics.estimates import MeanEstimate, estimate

Document = Mapping[str, Any]
Estimator = Callable[[NDArray[np.float64]], MeanEstimate]

_NAMES = {
    "conventional": "conventional UGAL",
    "published": "published",
    "algorithm 1": "Algorithm 1",
    "paths": "paths alone",
    "rule": "rule alone",
}


@dataclass(frozen=True)
class JudgedSet:
    """A set with its figures on the held-out patterns.

    Attributes
    ----------
    name : what it is called: found, conventional UGAL, published,
        Algorithm 1, paths alone, rule alone.
    expression : tells it from the others.
    found : whether it is an answer of the search.
    on_front : whether it is, and no other answer has both more saturation and less latency here.
    chosen : whether its table was chosen.
    saturation, latency : mean saturation load and mean latency at the lower load; None without.
    saturation_half, latency_half : half of the interval of the change against the conventional set,
        as the verdict has it, of that set's figure; None without, and for that set.
    """

    name: str
    expression: str
    found: bool
    on_front: bool
    chosen: bool
    saturation: float
    saturation_half: float | None
    latency: float | None
    latency_half: float | None


def judged_sets(document: Document) -> tuple[JudgedSet, ...]:
    """Return the judged sets of a document with a search: the answers first, then what is known.

    Notes
    -----
    The answers come in the order of the front, so that one answer is `found`, and several are
    `found 1`, `found 2`, ....
    """
    search = document["search"]
    answers = [one["expression"] for one in search["front"]]
    names = {
        expression: "found" if len(answers) == 1 else f"found {number}"
        for number, expression in enumerate(answers, 1)
    }
    base = _conventional(document)
    changes = {
        one["expression"]: one
        for one in document.get("verdict", {}).get("judgements", ())
        if one["against"] == base["expression"]
    }
    chosen = document["decision"]["expression"]
    found = [one for one in search["held_out"] if one["expression"] in names]
    return tuple(
        _judged(
            one,
            base,
            changes.get(one["expression"]),
            names.get(one["expression"]),
            on_front=one in found and not any(_beats(other, one) for other in found),
            chosen=one["expression"] == chosen,
        )
        for one in search["held_out"]
    )


def _beats(one: Document, other: Document) -> bool:
    latency, others = one["latency_mean"][0], other["latency_mean"][0]
    if latency is None or others is None:
        return others is None and latency is not None
    least = one["saturation_mean"] >= other["saturation_mean"] and latency <= others
    return least and (one["saturation_mean"], latency) != (other["saturation_mean"], others)


def _judged(
    one: Document,
    base: Document,
    change: Document | None,
    found: str | None,
    *,
    on_front: bool,
    chosen: bool,
) -> JudgedSet:
    def half(change: Document | None, figure: float | None) -> float | None:
        width = None if change is None else change["half_width"]
        return None if width is None or figure is None else width * figure

    known = _NAMES.get(one["known_as"])
    latency = None if change is None else change["latency"][0]
    return JudgedSet(
        name=", ".join(name for name in (found, known) if name is not None),
        expression=one["expression"],
        found=found is not None,
        on_front=on_front,
        chosen=chosen,
        saturation=one["saturation_mean"],
        saturation_half=half(change and change["saturation"], base["saturation_mean"]),
        latency=one["latency_mean"][0],
        latency_half=half(latency, base["latency_mean"][0]),
    )


def _conventional(document: Document) -> Document:
    return next(one for one in document["search"]["held_out"] if one["known_as"] == "conventional")


def estimator(document: Document) -> Estimator:
    """Return how figures of the runs that decided are averaged, given float64 (runs,).

    Named traffic counts by its shares, whatever order it was judged in; where each pattern has
    several runs, intervals are about these very patterns. Other patterns stand for more, alike.
    """
    names = [each["pattern"] for each in document["baseline"]["per_pattern"]]
    search: Document | None = document.get("search")
    shares = {} if search is None else {one["pattern"]: one["share"] for one in search["traffic"]}
    if shares.keys() != set(names):
        return estimate
    several = len(names) > len(shares)
    return partial(
        estimate, weight=[shares[name] for name in names], case=names if several else None
    )


def half_widths(one: Document, document: Document) -> dict[str, float | None]:
    """Return half of the 95% intervals of a set's mean saturation and latency; None without."""
    of = estimator(document)
    ends = {name: mean_interval(one, name, of) for name in ("saturation", "latency")}
    halves = {name: (high - low) / 2.0 for name, (low, high) in ends.items()}
    return {name: None if math.isnan(half) else half for name, half in halves.items()}


def mean_interval(one: Document, figure: str, of: Estimator) -> tuple[float, float]:
    """Return the ends of the 95% interval of a set's mean saturation or latency; nan without."""
    found = of(by_pattern(one, figure))
    # Rounding to the grid of loads alone gives a uniform error.
    least = one["windows"]["grid"] / math.sqrt(12.0) if figure == "saturation" else 0.0
    half = found.half_width(least)
    return found.mean - half, found.mean + half


def modelled_half(point: Document) -> float | None:
    """Return half the 95% interval of the mean theta of a modelled set; None without one."""
    if point["theta_sem"] is None:
        return None
    patterns = point["patterns"]
    return _half_width(
        MeanEstimate(point["theta_mean"], point["theta_sem"], patterns - 1, patterns)
    )


def by_pattern(one: Document, figure: str) -> NDArray[np.float64]:
    """Return a figure of a simulated set under each pattern, float64; nan without one."""
    return np.array([each[figure] for each in one["per_pattern"]], dtype=np.float64)


def _half_width(found: MeanEstimate) -> float | None:
    width = found.half_width()
    return None if math.isnan(width) else width


@dataclass(frozen=True)
class Cases:
    """What the sets of a search were judged on.

    Attributes
    ----------
    patterns : different ones.
    runs : of a set, one or several of each pattern, those with seeds of their own.
    given : whether the search was on these patterns, too, as they were asked for.

    Examples
    --------
    >>> str(Cases(10, 10, given=False)), str(Cases(2, 8, given=True))
    ('10 held-out patterns', '8 runs of 2 given patterns')
    """

    patterns: int
    runs: int
    given: bool

    def __str__(self) -> str:
        kind = "given" if self.given else "held-out"
        patterns = f"{self.patterns} {kind} pattern{'' if self.patterns == 1 else 's'}"
        return patterns if self.runs == self.patterns else f"{self.runs} runs of {patterns}"

    @property
    def case(self) -> str:
        """What figures are paired by, and intervals are over: `pattern` or `run`."""
        return "pattern" if self.runs == self.patterns else "run"


def judged_on(document: Document) -> Cases:
    """Return what the sets of a document with a search were judged on."""
    names = [one["pattern"] for one in document["baseline"]["per_pattern"]]
    searched = {one["pattern"] for one in document["search"]["traffic"]}
    return Cases(len(set(names)), len(names), given=searched == set(names))


@dataclass(frozen=True)
class ShapeRow:
    """A shape of detours in the chosen set.

    Attributes
    ----------
    shape : kinds of links of both halves.
    weight : of a path; None in sets that are not by shape, or balanced.
    share : of the drawn detours, 0..1.
    conventional : the same in the conventional set; None if that is too large to be listed.
    """

    shape: str
    weight: float | None
    share: float
    conventional: float | None


def shape_rows(document: Document) -> tuple[ShapeRow, ...]:
    """Return the shapes of a document with a search, shortest first; none if they are not known."""
    name = document["decision"]["expression"]
    chosen = next(one for one in document["search"]["held_out"] if one["expression"] == name)
    shares: Mapping[str, float] | None = chosen["shares"]
    if shares is None:
        return ()
    weights: Mapping[str, float] = chosen["weights"] or {}
    others: Mapping[str, float] | None = _conventional(document)["shares"]
    shapes = set(shares) | set(others or ())
    return tuple(
        ShapeRow(
            shape=shape,
            weight=weights.get(shape),
            share=shares.get(shape, 0.0),
            conventional=None if others is None else others.get(shape, 0.0),
        )
        for shape in sorted(shapes, key=lambda shape: (len(shape), shape))
    )


def judging_patterns(document: Document) -> tuple[str, ...]:
    """Return the patterns that means of simulated sets are over, each once."""
    return tuple(dict.fromkeys(one["pattern"] for one in document["baseline"]["per_pattern"]))


def drawn_search(document: Document) -> dict[str, Any] | None:
    """Return what figures of a search draw; None by the paper's method and of earlier versions."""
    search = document.get("search")
    if search is None:
        return None
    kept = ("objective", "budget", "flit_hops", "sets", "pruned", "reference", "loads")
    judged, cases = judged_sets(document), judged_on(document)
    higher = {one["expression"]: one["latency_mean"][1] for one in search["held_out"]}
    return {name: search[name] for name in kept} | {
        "cases": str(cases),
        "case": cases.case,
        "judged": [
            asdict(one) | {"label": shortened(one.expression), "higher": higher[one.expression]}
            for one in judged
        ],
        "shapes": [asdict(one) for one in shape_rows(document)],
        "steps": [
            {name: step[name] for name in ("flit_hops", "score", "latency_weight", "expression")}
            for step in search["steps"]
        ],
    }


def shortened(expression: str, most: int = 52) -> str:
    """Return a path set's expression, without the middle of a long one.

    Examples
    --------
    >>> shortened("shape(g.g:16, g.gl:4, g.lg:4, g.lgl), by removal", 30)
    'shape(g.g:16, ..., by removal'
    """
    if len(expression) <= most:
        return expression
    end = expression.partition(")")[2]
    end = end if len(end) <= most // 2 else ""
    room = most - len(end) - len(" ...")
    return f"{expression[:room].rpartition(' ')[0] or expression[:room]} ...{end}"
