"""VLB path sets: which detours a router may draw, and how likely each is.

A path set is a value: it prints as the expression it is parsed from. The kinds of sets that
expressions are made of are in `tvlb.paths.sets`; all that is asked of a set follows from its rows,
where it says nothing else.
"""

from abc import ABC, abstractmethod
from copy import copy
from dataclasses import replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tvlb.native import kernels
from tvlb.paths.compositions import count_of_rule
from tvlb.paths.rows import ClassUsage, PathRows, Switches
from tvlb.paths.shape_rule import ShapeRule
from tvlb.paths.ugal_rule import UgalRule
from tvlb.paths.usage import HopProfile, Pairs, RowUsage, SetUsage, ShapeUsage
from tvlb.topology import Topology, path_kernel

# By which the simulator draws paths that nobody lists.
DrawRule = (
    kernels.AllRule
    | kernels.EmptyRule
    | kernels.ShapeRule
    | kernels.ShortcutRule
    | kernels.ShortRule
)


def all_pairs(topology: Topology) -> tuple[Switches, Switches]:
    """Return every ordered pair of different switches, sorted by (source, target)."""
    switches = np.arange(topology.num_switches, dtype=np.int32)
    source, target = (ends.ravel() for ends in np.meshgrid(switches, switches, indexing="ij"))
    different = source != target
    return source[different], target[different]


def sender_pairs(topology: Topology) -> tuple[Switches, Switches]:
    """Return all ordered pairs of different switches with nodes, int32 (pairs,) each, sorted."""
    senders = np.flatnonzero(topology.switch_nodes).astype(np.int32)
    source, target = (ends.ravel() for ends in np.meshgrid(senders, senders, indexing="ij"))
    different = source != target
    return source[different], target[different]


def pairs_from(topology: Topology, source: int) -> tuple[Switches, Switches]:
    """Return the pairs of one switch with every other, in the order of `all_pairs`."""
    targets = np.delete(np.arange(topology.num_switches, dtype=np.int32), source)
    return np.full_like(targets, source), targets


def pair_index(topology: Topology, sources: Switches, targets: Switches) -> NDArray[np.int64]:
    """Position of each pair in `all_pairs`, int64; 0 for a switch with itself."""
    index = sources.astype(np.int64) * (topology.num_switches - 1) + targets - (targets > sources)
    return np.where(sources == targets, 0, index)


class PathSet(ABC):
    """The VLB paths of every switch pair of one topology, with draw weights.

    Attributes
    ----------
    topology : the network.
    ugal : the rule that a table of these paths was made for; None of what is no such table.

    Notes
    -----
    Pairs inside a group have the a-2 local detours whatever the expression (but `none`).
    """

    topology: Topology
    ugal: ClassVar[UgalRule | None] = None

    def made_for(self, ugal: UgalRule | None) -> Self:
        """Return the same paths with the rule that they were chosen for; see `ugal`."""
        found = copy(self)
        vars(found)["ugal"] = ugal
        return found

    @abstractmethod
    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """List the paths of the given pairs, int32 arrays of equal length."""

    @abstractmethod
    def __str__(self) -> str: ...

    def rows_of_source(self, source: int) -> PathRows:
        """List the paths from one switch to every other."""
        return self.rows(*pairs_from(self.topology, source))

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

    @property
    def draw_rule(self) -> DrawRule | None:
        """By which the simulator draws; None where it has to list the paths."""
        return None

    def expected_paths_by_halves(self) -> NDArray[np.float64]:
        """Estimate the paths of a pair by the hops of both halves, from 1, float64 (most, most).

        Nothing is listed. As if all VLB paths belonged to the set, where it says nothing else.
        """
        return self.topology.expected_paths.vlb_paths_by_halves

    def takes_nearest(self, sources: Switches, targets: Switches) -> NDArray[np.bool_]:
        """Whether each given pair takes paths of the nearest shape, having no others."""
        assert len(sources) == len(targets)
        return np.zeros(len(sources), dtype=bool)

    def nearest_pairs(self) -> int:
        """Count the pairs that take paths of the nearest shape, having no others."""
        pairs = (pairs_from(self.topology, one) for one in range(self.topology.num_switches))
        return sum(int(self.takes_nearest(*one).sum()) for one in pairs)

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
        return HopProfile.of(self.topology, count, weight), unit

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

    @property
    def draw_rule(self) -> DrawRule | None:
        """See `PathSet.draw_rule`."""
        rule = self.rule
        return None if rule is None else rule.native

    def expected_paths_by_halves(self) -> NDArray[np.float64]:
        """See `PathSet.expected_paths_by_halves`; drawn paths count as if all were kept."""
        counts, rule = super().expected_paths_by_halves(), self.rule
        return counts if rule is None else counts * rule.kept_shares(len(counts))
