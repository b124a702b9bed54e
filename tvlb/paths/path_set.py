"""VLB path sets: which detours a router may draw, and how likely each is.

A path set is a value: it prints as the expression it is parsed from. Adding a kind of set is
adding one class with `rows`; the other operations follow from the rows.
"""

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tvlb import _native
from tvlb.errors import InvalidInput
from tvlb.paths.compositions import compositions, count_of_rule
from tvlb.paths.rows import ClassUsage, PathRows, Switches
from tvlb.paths.shape_rule import ShapeRule
from tvlb.paths.shapes import shapes_of
from tvlb.paths.usage import HopProfile, Pairs, RowUsage, SetUsage, ShapeUsage, ShortUsage
from tvlb.randomness import check_seed
from tvlb.topology import Topology, path_kernel

__all__ = [
    "EmptySet",
    "LengthSet",
    "PathSet",
    "RowSet",
    "ShapeSet",
    "ShortSet",
    "WeightedSet",
    "all_pairs",
]

# Stands for the longest that a network has.
_LONGEST = sys.maxsize


def all_pairs(topology: Topology) -> tuple[Switches, Switches]:
    """Return every ordered pair of different switches, sorted by (source, target)."""
    switches = np.arange(topology.num_switches, dtype=np.int32)
    source, target = (ends.ravel() for ends in np.meshgrid(switches, switches, indexing="ij"))
    different = source != target
    return source[different], target[different]


class PathSet(ABC):
    """The VLB paths of every switch pair of one topology, with draw weights.

    Attributes
    ----------
    topology : the network.

    Notes
    -----
    Pairs inside a group have the a-2 local detours whatever the expression (but `none`).
    """

    topology: Topology

    @abstractmethod
    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """List the paths of the given pairs, int32 arrays of equal length."""

    @abstractmethod
    def __str__(self) -> str: ...

    def rows_of_source(self, source: int) -> PathRows:
        """List the paths from one switch to every other."""
        targets = np.delete(np.arange(self.topology.num_switches, dtype=np.int32), source)
        return self.rows(np.full_like(targets, source), targets)

    def all_rows(self) -> PathRows:
        """List the paths of every ordered pair of different switches."""
        return self.rows(*all_pairs(self.topology))

    def class_usage(self, sources: Switches, targets: Switches) -> ClassUsage:
        """Return class sizes and link usage of the given pairs; see `ClassUsage`."""
        return self.rows(sources, targets).class_usage()

    def usage(self, pairs: Pairs) -> SetUsage:
        """Return class sizes and link usage of the given pairs, to be listed as far as wanted."""
        return RowUsage(self.class_usage(pairs.source, pairs.target), self.topology.num_links)

    def profile(self, sources: Switches, targets: Switches) -> HopProfile:
        """Count the paths of the given pairs by hop count."""
        usage = self.class_usage(sources, targets)
        return HopProfile(usage.count, usage.weight)

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """Bound the number of paths of each given pair from above, quickly, int64 (pairs,)."""
        return self.profile(sources, targets).count.sum(axis=1)

    def mean_hops(self) -> float:
        """Mean hops of a drawn VLB path over all inter-group pairs; nan if no pair has one."""
        total, pairs = 0.0, 0
        switches = np.arange(self.topology.num_switches, dtype=np.int32)
        for source in range(len(switches)):
            targets = switches[self.topology.has_choice(switches[source : source + 1], switches)]
            weight = self.profile(np.full_like(targets, source), targets).weight
            total += float((weight @ np.arange(self.topology.max_hops + 1)).sum())
            pairs += int((weight.sum(axis=1) > 0).sum())
        return total / pairs if pairs else float("nan")

    def takes_nearest(self, sources: Switches, targets: Switches) -> NDArray[np.bool_]:
        """Whether each given pair takes paths of the nearest shape, having no others."""
        assert len(sources) == len(targets)
        return np.zeros(len(sources), dtype=bool)

    def nearest_pairs(self) -> int:
        """Count the pairs that take paths of the nearest shape, having no others."""
        total = 0
        for source in range(self.topology.num_switches):
            targets = np.delete(np.arange(self.topology.num_switches, dtype=np.int32), source)
            total += int(self.takes_nearest(np.full_like(targets, source), targets).sum())
        return total

    def __repr__(self) -> str:
        return f"<{self} on {self.topology}>"


class WeightedSet(PathSet):
    """A set whose paths weigh as their shape says, if it has a rule that says so.

    Sets by length, by shape, and what several of these have in common.
    """

    @property
    @abstractmethod
    def rule(self) -> ShapeRule | None:
        """The weights by shape; None where they depend on more than the shape."""

    @property
    def _known_rule(self) -> ShapeRule:
        rule = self.rule
        assert rule is not None
        return rule

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        columns = path_kernel(self.topology).enumerate(self._known_rule.native, sources, targets)
        return PathRows(self.topology, sources, targets, *columns)

    def profile(self, sources: Switches, targets: Switches) -> HopProfile:
        """See `PathSet.profile`; counted from the structure, no path is listed."""
        if not self._known_rule.is_compact:
            return super().profile(sources, targets)
        return self._profile_and_unit(sources, targets)[0]

    def _profile_and_unit(
        self, sources: Switches, targets: Switches
    ) -> tuple[HopProfile, NDArray[np.float64]]:
        count, weight, unit = path_kernel(self.topology).profile(
            self._known_rule.native, sources, targets
        )
        return _hop_profile(self.topology, count, weight), unit

    def usage(self, pairs: Pairs) -> SetUsage:
        """See `PathSet.usage`; only the paths drawn by a percentage are listed, and forgotten."""
        rule = self._known_rule
        if not (rule.is_compact and self.topology.has_usage_kernel):
            return super().usage(pairs)
        profile, unit = self._profile_and_unit(pairs.source, pairs.target)
        drawn = pairs.drawn(rule.drawn_hops, rule.percent, rule.seed) if rule.drawn_hops else None
        return ShapeUsage(pairs, rule, drawn, profile, unit)

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`; of drawn paths that differ in weight, as if all were kept."""
        rule = self._known_rule
        if rule.is_compact:
            return super().most_paths(sources, targets)
        whole = replace(rule, drawn_hops=0, percent=0, seed=0)
        return count_of_rule(self.topology, whole.native, sources, targets)

    def takes_nearest(self, sources: Switches, targets: Switches) -> NDArray[np.bool_]:
        """See `PathSet.takes_nearest`."""
        rule = self._known_rule
        if rule.near_to is None:
            return super().takes_nearest(sources, targets)
        taken = path_kernel(self.topology).takes_nearest(rule.native, sources, targets)
        return taken.astype(bool)


def _hop_profile(
    topology: Topology, count: NDArray[np.int64], weight: NDArray[np.float64]
) -> HopProfile:
    shape = (-1, topology.max_hops + 1)
    return HopProfile(count.reshape(shape), weight.reshape(shape))


@dataclass(frozen=True, repr=False)
class LengthSet(WeightedSet):
    """All VLB paths up to `max_hops`, and some of those one hop longer.

    Attributes
    ----------
    max_hops : from 2 to the longest VLB path of the network, which is the default.
    percent : 0..99, share of the (max_hops + 1)-hop paths, drawn per pair by the keyed order.
    composition : (m, n) with m + n = max_hops + 1: of the longer paths exactly those whose MIN
        parts have m and n hops. Excludes `percent`.
    seed : keys the order; 64 bits.
    """

    topology: Topology
    max_hops: int = _LONGEST
    percent: int = 0
    composition: tuple[int, int] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_seed(self.seed)
        longest = self.topology.max_hops
        if self.max_hops == _LONGEST:
            object.__setattr__(self, "max_hops", longest)
        if not 2 <= self.max_hops <= longest:
            raise InvalidInput(f"<={self.max_hops}: path lengths are 2..{longest}")
        if self.percent and not 1 <= self.percent <= 99:
            raise InvalidInput(f"{self.percent}%: percentages are 1..99")
        if self.has_extra and self.max_hops == longest:
            raise InvalidInput(f"no VLB path is longer than {longest} hops")
        if self.composition is not None:
            self._check_composition(*self.composition)

    def _check_composition(self, first: int, second: int) -> None:
        most = self.topology.max_hops // 2
        within = min(first, second) >= 1 and max(first, second) <= most
        if first + second != self.max_hops + 1 or not within:
            raise InvalidInput(
                f"<={self.max_hops}+({first},{second}): the parts are 1..{most} hops each and must "
                f"add up to {self.max_hops + 1}"
            )

    def mean_hops(self) -> float:
        """See `PathSet.mean_hops`; from counts that all sets of a topology share."""
        all_counts = compositions(self.topology)
        hops = all_counts.hops
        counts = np.where(hops <= self.max_hops, all_counts.paths, 0)
        longer = hops == self.max_hops + 1
        if self.composition is not None:
            cell = all_counts.cell(*self.composition)
            counts[:, cell] = all_counts.paths[:, cell]
        elif self.percent:
            # Which of the longer paths are drawn does not matter here, only how many.
            drawn = (all_counts.paths[:, longer].sum(axis=1) * self.percent + 50) // 100
            counts[:, np.argmax(longer)] = drawn
        return all_counts.mean_hops(counts)

    @property
    def rule(self) -> ShapeRule:
        """See `WeightedSet.rule`."""
        shapes = shapes_of(self.topology)
        longest = self.max_hops + self.has_extra
        weight = tuple(
            float(
                hops <= self.max_hops or (hops == longest and self._has_longer(shapes.parts(code)))
            )
            for code, hops in enumerate(shapes.hops)
        )
        if not self.percent:
            return ShapeRule(shapes, weight)
        return ShapeRule(shapes, weight, drawn_hops=longest, percent=self.percent, seed=self.seed)

    def _has_longer(self, halves: tuple[str, str]) -> bool:
        return self.composition is None or self.composition[0] == len(halves[0])

    @property
    def has_extra(self) -> bool:
        """Whether the set holds a part of the paths longer than `max_hops`."""
        return self.percent != 0 or self.composition is not None

    @property
    def is_all(self) -> bool:
        """Whether this is the conventional set of all VLB paths."""
        return self.max_hops == self.topology.max_hops

    def __str__(self) -> str:
        if self.is_all:
            return "all"
        if self.composition is not None:
            return f"<={self.max_hops}+({self.composition[0]},{self.composition[1]})"
        return f"<={self.max_hops}" + (f"+{self.percent}%" if self.percent else "")


@dataclass(frozen=True, repr=False)
class ShapeSet(WeightedSet):
    """VLB paths by shape, each with the weight of its shape.

    Attributes
    ----------
    weights : by shape code (`tvlb.paths.shapes`), 0 to leave a shape out.

    Notes
    -----
    A pair that has no path of these shapes takes all paths of the nearest shape that it has.
    """

    topology: Topology
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        shapes_of(self.topology).check_weights(self.weights)

    @property
    def rule(self) -> ShapeRule:
        """See `WeightedSet.rule`."""
        given = frozenset(code for code, weight in enumerate(self.weights) if weight)
        return ShapeRule(shapes_of(self.topology), self.weights, near_to=given)

    def __str__(self) -> str:
        return f"shape({shapes_of(self.topology).weights_text(self.weights)})"


@dataclass(frozen=True, repr=False)
class ShortSet(PathSet):
    """Shortest halves: intermediates within the limits equally likely, then shortest MIN halves.

    Attributes
    ----------
    max_first, max_second : limits of the shortest MIN distance source-intermediate and
        intermediate-destination, hops; by default the longest that the network has.
    max_total : limit of their sum, the same.
    """

    topology: Topology
    max_first: int = _LONGEST
    max_second: int = _LONGEST
    max_total: int = _LONGEST

    def __post_init__(self) -> None:
        total = self.topology.max_hops
        half = total // 2
        for name, longest in (("max_first", half), ("max_second", half), ("max_total", total)):
            if getattr(self, name) == _LONGEST:
                object.__setattr__(self, name, longest)
        if not (1 <= self.max_first <= half and 1 <= self.max_second <= half):
            raise InvalidInput(
                f"short({self.max_first},{self.max_second}): each half is 1..{half} hops"
            )
        if not 2 <= self.max_total <= total:
            raise InvalidInput(f"short(<={self.max_total}): path lengths are 2..{total}")
        if self.max_total != total and self._limits_halves:
            raise InvalidInput("a short set limits either its halves or their sum, not both")

    @property
    def _limits_halves(self) -> bool:
        return min(self.max_first, self.max_second) < self.topology.max_hops // 2

    def mean_hops(self) -> float:
        """See `PathSet.mean_hops`; from counts that all sets of a topology share."""
        all_counts = compositions(self.topology)
        first, second = all_counts.halves
        within = (
            (first <= self.max_first)
            & (second <= self.max_second)
            & (all_counts.hops <= self.max_total)
        )
        return all_counts.mean_hops(np.where(within, all_counts.vias, 0))

    @property
    def rule(self) -> _native.ShortRule:
        """The limits in the form that the compiled kernels read."""
        return _native.ShortRule(self.max_first, self.max_second, self.max_total)

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        columns = path_kernel(self.topology).enumerate(self.rule, sources, targets)
        return PathRows(self.topology, sources, targets, *columns)

    def profile(self, sources: Switches, targets: Switches) -> HopProfile:
        """See `PathSet.profile`; counted from the structure, no path is listed."""
        count, weight, _ = path_kernel(self.topology).profile(self.rule, sources, targets)
        return _hop_profile(self.topology, count, weight)

    def usage(self, pairs: Pairs) -> SetUsage:
        """See `PathSet.usage`; no path is listed."""
        if not self.topology.has_usage_kernel:
            return super().usage(pairs)
        return ShortUsage(pairs, self.rule, self.profile(pairs.source, pairs.target))

    def __str__(self) -> str:
        if self._limits_halves:
            return f"short({self.max_first},{self.max_second})"
        is_all = self.max_total == self.topology.max_hops
        return "short(all)" if is_all else f"short(<={self.max_total})"


@dataclass(frozen=True, repr=False)
class EmptySet(PathSet):
    """No VLB path at all: MIN only."""

    topology: Topology

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        nothing = np.zeros(0, dtype=np.int32)
        offset = np.zeros(len(sources) + 1, dtype=np.int64)
        hops, weight = np.zeros(0, dtype=np.int8), np.zeros(0)
        return PathRows(
            self.topology, sources, targets, offset, nothing, nothing, nothing, hops, weight
        )

    def __str__(self) -> str:
        return "none"


class RowSet(PathSet):
    """A path set given by its rows: a balanced set or a saved table.

    Parameters
    ----------
    stored : rows of every ordered pair of different switches, as from `PathSet.all_rows`.
    name : what `str` returns: the expression the rows came from, or the path of the table file.
    """

    def __init__(self, stored: PathRows, name: str) -> None:
        self.topology = stored.topology
        self.stored = stored
        self._name = name

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`; a switch paired with itself has no rows."""
        switches = self.topology.num_switches
        same = sources == targets
        index = sources.astype(np.int64) * (switches - 1) + targets - (targets > sources)
        found = self.stored.pairs(np.where(same, 0, index))
        if not same.any():
            return found
        kept = found.select(~same[found.pair_of_row])
        return PathRows(
            self.topology,
            sources,
            targets,
            kept.offset,
            kept.intermediate,
            kept.first_link,
            kept.second_link,
            kept.hops,
            kept.weight,
        )

    def __str__(self) -> str:
        return self._name
