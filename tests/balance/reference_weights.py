"""Balancing by weights written out slowly from its definition, to check the compiled kernel."""

import math
from collections import defaultdict

from tvlb.balance import WeightOptions
from tvlb.paths import PathRows
from tvlb.topology import Dragonfly

_SLACK = 1e-9


def reweight_slowly(rows: PathRows, options: WeightOptions) -> list[float]:
    """Return the new draw weight of every row."""
    kinds = rows.topology.network.link_kind.tolist()
    factor = [1.0] * len(kinds)
    best, least = rows.weight.tolist(), math.inf
    for _ in range(options.rounds + 1):
        weight = _weights(rows, factor, options.floor)
        ratio = _ratios(_usage(rows, weight), kinds)
        largest = max(ratio.values(), default=1.0)
        if largest < least * (1 - _SLACK):
            best, least = weight, largest
        for link, value in ratio.items():
            changed = factor[link] * math.exp(-options.step * (value - 1))
            factor[link] = min(max(changed, options.floor), 1 / options.floor)
    return best


def _weights(rows: PathRows, factor: list[float], floor: float) -> list[float]:
    assert isinstance(rows.topology, Dragonfly)
    group = rows.topology.switch_group
    paths = _paths(rows)
    weight: list[float] = rows.weight.tolist()
    for pair, (source, target) in enumerate(zip(rows.source, rows.target, strict=True)):
        owned = range(int(rows.offset[pair]), int(rows.offset[pair + 1]))
        if not owned or group[source] == group[target]:
            continue
        product = {row: math.prod(factor[link] for link in paths[row]) for row in owned}
        lowest = floor * max(product.values())
        raw = {row: weight[row] * max(product[row], lowest) for row in owned}
        total = math.fsum(raw.values())
        for row in owned:
            weight[row] = raw[row] / total
    return weight


def _usage(rows: PathRows, weight: list[float]) -> dict[int, float]:
    usage: dict[int, float] = defaultdict(float)
    for links, share in zip(_paths(rows), weight, strict=True):
        for link in links:
            usage[link] += share
    return usage


def _paths(rows: PathRows) -> list[list[int]]:
    return [[link for link in links if link >= 0] for links in rows.links().tolist()]


def _ratios(usage: dict[int, float], kinds: list[int]) -> dict[int, float]:
    """Usage over the mean of the links of its kind that are in use."""
    ratio: dict[int, float] = {}
    for kind in set(kinds):
        of_kind = {link: value for link, value in usage.items() if kinds[link] == kind}
        mean = math.fsum(of_kind.values()) / len(of_kind) if of_kind else math.nan
        ratio |= {link: value / mean for link, value in of_kind.items()}
    return ratio
