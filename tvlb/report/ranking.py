"""Which network to buy: designs of all families, ranked by the price of what they carry.

Saturation loads of the points are means over patterns that each family has of its own. Designs are
compared by common traffic (`tvlb.search.common_traffic`), which means the same on all networks.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from tvlb.report.points import Point
from tvlb.report.words import amount, number_of

_KINDS = (
    ("uniform", "uniform"),
    ("permutation", "random permutations"),
    ("all_to_all", "all-to-all"),
)
_PORTS = "ports"
# Networks whose numbers of nodes differ by no more than this factor are of one size.
_ALIKE = 1.5
# Designs that a sentence names.
_NAMED = 3
_FIGURES = ("uniform", "permutation", "all_to_all", "common", "worst", "saturation")


@dataclass(frozen=True)
class Design:
    """A network with a routing, the mean over its seeds.

    Attributes
    ----------
    topology, routing, settings, nodes : what it is; settings as far as designs differ in them.
    point, size : the first of its points, and its page.
    price : per node, of `unit`.
    carried, conventional : by the name of the figure what the chosen and the conventional set
        accept, packets/cycle/node: of common traffic `uniform`, `permutation`, `all_to_all` and
        their mean `common`, `worst` of all patterns, and `saturation`, the mean over the patterns
        of its family.
    worst_pattern : with the chosen set.
    asked, asked_conventional, asked_worst : price per packet/cycle of common traffic, of that with
        the conventional set, and under the worst pattern; infinite where nothing is carried.
    resolution : share by which two of these may differ by the grid of loads alone.
    """

    topology: str
    routing: str
    settings: str
    nodes: int
    point: int
    size: str
    price: float
    carried: dict[str, float]
    conventional: dict[str, float]
    worst_pattern: str
    asked: float
    asked_conventional: float
    asked_worst: float
    resolution: float

    def __str__(self) -> str:
        settings = f" ({self.settings})" if self.settings else ""
        return f"{self.topology} with {self.routing}{settings}"


@dataclass(frozen=True)
class Ranking:
    """Designs, those that ask least first.

    Attributes
    ----------
    recommendation : which one, and why, in sentences; empty without designs.
    designs : ranked.
    unit : of prices: a currency, or what stands for it.
    """

    recommendation: str
    designs: tuple[Design, ...]
    unit: str


def ranking(points: Sequence[Point]) -> Ranking:
    """Rank the computed points that tell of common traffic; rows of earlier versions do not."""
    known = [one for one in points if one["common_chosen"] is not None]
    priced = bool(known) and all(one["cost_per_node"] is not None for one in known)
    unit = (known[0]["currency"] or "of cost") if priced else _PORTS
    ordered = sorted(known, key=lambda one: (*_called(one), one["point"]))
    designs = [_design(list(members)) for _, members in groupby(ordered, key=_called)]
    designs.sort(key=lambda one: (one.asked, one.point))
    return Ranking(_recommendation(designs, unit), tuple(designs), unit)


def _called(point: Point) -> tuple[str, str, str]:
    parts = (one for one in point["settings"].split(", ") if not one.startswith("family "))
    return point["topology"], point["routing"], ", ".join(parts)


def _design(members: Sequence[Point]) -> Design:
    first = members[0]
    topology, routing, settings = _called(first)
    carried, conventional = (
        {name: fmean(one[f"{name}_{which}"] for one in members) for name in _FIGURES}
        for which in ("chosen", "all")
    )
    price = first["price"]
    worst = min(members, key=lambda one: one["worst_chosen"])
    common = carried["common"]
    return Design(
        topology=topology,
        routing=routing,
        settings=settings,
        nodes=first["nodes"],
        point=first["point"],
        size=first["size"],
        price=price,
        carried=carried,
        conventional=conventional,
        worst_pattern=worst["worst_pattern_chosen"],
        asked=_over(price, common),
        asked_conventional=_over(price, conventional["common"]),
        asked_worst=_over(price, carried["worst"]),
        resolution=_grid(first) / common if common else 0.0,
    )


def _over(price: float, load: float) -> float:
    return price / load if load else math.inf


def _grid(point: Point) -> float:
    windows: dict[str, float] | None = json.loads(point["options"]).get("screening")
    return 0.0 if windows is None else windows["grid"]


def _recommendation(designs: Sequence[Design], unit: str) -> str:
    if not designs or designs[0].asked == math.inf:
        return ""
    best, *others = designs
    kinds = ", ".join(f"{text} {best.carried[name]:.3f}" for name, text in _KINDS)
    told = [
        f"{best} asks {amount(best.asked)} {unit} for each packet/cycle that it accepts of common "
        f"traffic: {amount(best.price)} {unit} per node, for {best.carried['common']:.3f} "
        f"packets/cycle/node, the mean of {kinds}.",
        _against(best, others),
        _under_worst(best, designs, unit),
    ]
    sizes = [one.nodes for one in designs]
    if max(sizes) > _ALIKE * min(sizes):
        told.append(
            f"Designs have {amount(min(sizes))} to {amount(max(sizes))} nodes, and small networks "
            "ask less for each: compare those of the size that you need."
        )
    if unit == _PORTS:
        told.append(
            "The sweep has no prices, so ports of switches stand for them: one for each node, two "
            "for each cable."
        )
    return " ".join(told)


def _against(best: Design, others: Sequence[Design]) -> str:
    """Tell by how much it is ahead, and what is as good as far as simulations tell."""
    if not others:
        return "There is no other design to compare it with."
    alike = [str(one) for one in others if one.asked <= best.asked * (1.0 + best.resolution)]
    if alike:
        more = f" and {len(alike) - _NAMED} more" if len(alike) > _NAMED else ""
        return (
            f"Within the {100 * best.resolution:.1f}% that the grid of simulated loads leaves "
            f"open, {', '.join(alike[:_NAMED])}{more} may be as good: let size, latency or cabling "
            "decide."
        )
    ahead = 100 * (1.0 - best.asked / others[0].asked)
    count = number_of(len(others) + 1, "design")
    return f"That is {ahead:.0f}% less than the next of {count}, {others[0]}."


def _under_worst(best: Design, designs: Sequence[Design], unit: str) -> str:
    told = (
        f"Under the worst pattern that was simulated, {best.worst_pattern}, it accepts "
        f"{best.carried['worst']:.3f}"
    )
    other = min(designs, key=lambda one: one.asked_worst)
    if other.asked_worst >= best.asked_worst:
        return f"{told}; no other design asks less for what it accepts under its own worst."
    return (
        f"{told}; there {other} asks less, {amount(other.asked_worst)} {unit} for each "
        f"packet/cycle instead of {amount(best.asked_worst)}: take that if such traffic rules."
    )
