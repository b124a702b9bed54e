"""Balancing written out slowly from its definition, to check the compiled kernel against."""

import math
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tvlb.balance import BalanceOptions
from tvlb.native import kernels
from tvlb.paths import PathRows
from tvlb.topology import Dragonfly

_SLACK = 1e-9


@dataclass
class _Path:
    row: int
    order: tuple[int, int, int]
    first_link: int
    intermediate: int
    links: list[int]
    weight: float


@dataclass
class _Pair:
    floor: int
    inside_group: bool
    paths: list[_Path] = field(default_factory=list[_Path])
    _usage: dict[int, float] | None = None
    _row: NDArray[np.float64] | None = None

    def remove(self, path: _Path) -> None:
        self.paths.remove(path)
        self._usage = self._row = None

    def usage(self) -> dict[int, float]:
        if self._usage is None:
            self._usage = self._count()
        return self._usage

    def usage_of_all(self, links: int) -> NDArray[np.float64]:
        """Usage by link, with those that no path takes."""
        if self._row is None:
            self._row = np.zeros(links)
            for link, value in self.usage().items():
                self._row[link] = value
        return self._row

    def _count(self) -> dict[int, float]:
        total = sum(path.weight for path in self.paths)
        usage: dict[int, float] = defaultdict(float)
        for path in self.paths:
            for link in path.links:
                usage[link] += path.weight / total
        return usage

    def removable(self, link: int) -> _Path | None:
        """Longest path first, ties by the largest key, keeping two first links and two vias."""
        if len(self.paths) <= self.floor:
            return None
        for path in sorted(self.paths, key=lambda one: one.order, reverse=True):
            if link in path.links and self._diverse_without(path):
                return path
        return None

    def _diverse_without(self, gone: _Path) -> bool:
        rest = [path for path in self.paths if path is not gone]
        for name in ("first_link", "intermediate"):
            before = {getattr(path, name) for path in self.paths}
            if len(before) > 1 and len({getattr(path, name) for path in rest}) < 2:
                return False
        return True


def balance_slowly(rows: PathRows, options: BalanceOptions, seed: int) -> set[int]:
    """Return the positions of the rows that stay."""
    pairs = _pairs(rows, options, seed)
    kinds = rows.topology.network.link_kind.tolist()
    for pair in pairs:
        if not pair.inside_group:
            _local(pair, kinds, options.local_threshold)
    _global(pairs, kinds, options.global_threshold)
    return {path.row for pair in pairs for path in pair.paths}


def _pairs(rows: PathRows, options: BalanceOptions, seed: int) -> list[_Pair]:
    assert isinstance(rows.topology, Dragonfly)
    group = rows.topology.switch_group
    links = rows.links().tolist()
    pairs: list[_Pair] = []
    for index, (s, d) in enumerate(zip(rows.source.tolist(), rows.target.tolist(), strict=True)):
        begin, end = int(rows.offset[index]), int(rows.offset[index + 1])
        floor = max(options.floor_paths, math.ceil(options.floor_share * (end - begin)))
        pair = _Pair(floor, bool(group[s] == group[d]))
        for row in range(begin, end):
            via, first, second = (
                int(column[row])
                for column in (rows.intermediate, rows.first_link, rows.second_link)
            )
            key = kernels.path_key(seed, s, d, via, first, second)
            taken = [link for link in links[row] if link >= 0]
            order = (int(rows.hops[row]), key, row)
            pair.paths.append(_Path(row, order, first, via, taken, float(rows.weight[row])))
        pairs.append(pair)
    return pairs


def _worst(
    usage: dict[int, float], kinds: list[int], threshold: float, skip: set[int]
) -> int | None:
    """The link with the largest usage over the mean of its kind, if above the threshold."""
    means: dict[int, float] = {}
    for kind in set(kinds):
        values = [value for link, value in usage.items() if kinds[link] == kind]
        means[kind] = sum(values) / len(values) if values else math.inf
    worst, ratio = None, 0.0
    for link in sorted(usage):
        now = usage[link] / means[kinds[link]]
        if link not in skip and now > threshold * (1 + _SLACK) and now > ratio * (1 + _SLACK):
            worst, ratio = link, now
    return worst


def _local(pair: _Pair, kinds: list[int], threshold: float) -> None:
    stuck: set[int] = set()
    while True:
        usage = {
            link: value
            for link, value in pair.usage().items()
            if not all(link in path.links for path in pair.paths)
        }
        link = _worst(usage, kinds, threshold, stuck)
        if link is None or len(pair.paths) <= pair.floor:
            return
        victim = pair.removable(link)
        if victim is None:
            stuck.add(link)
        else:
            pair.remove(victim)


def _total(pairs: list[_Pair], links: int) -> dict[int, float]:
    # Pair after pair, to the last digit as one by one, and twenty times as fast.
    total = np.add.reduce([pair.usage_of_all(links) for pair in pairs], axis=0)
    return {link: float(total[link]) for link in np.flatnonzero(total).tolist()}


def _global(pairs: list[_Pair], kinds: list[int], threshold: float) -> None:
    stuck: set[int] = set()
    while (link := _worst(_total(pairs, len(kinds)), kinds, threshold, stuck)) is not None:
        if not _relieve(pairs, link, kinds, threshold):
            stuck.add(link)


def _relieve(pairs: list[_Pair], link: int, kinds: list[int], threshold: float) -> bool:
    """One path of each pair that uses the link, most use first, until it is relieved."""
    users = [
        (share, index)
        for index, pair in enumerate(pairs)
        if not pair.inside_group and 0 < (share := pair.usage().get(link, 0.0)) < 1 - _SLACK
    ]
    users.sort(key=lambda user: (-round(user[0], 9), user[1]))
    removed = False
    for _, index in users:
        victim = pairs[index].removable(link)
        if victim is None:
            continue
        pairs[index].remove(victim)
        removed = True
        total = _total(pairs, len(kinds))
        if _worst(total, kinds, threshold, set(total) - {link}) is None:
            break
    return removed
