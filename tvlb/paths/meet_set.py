"""What several path sets have in common."""

from dataclasses import replace
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.paths.compositions import count_of_rule
from tvlb.paths.expression_set import ExpressionSet
from tvlb.paths.filter_set import FilterSet
from tvlb.paths.members import keys_of_rows, members
from tvlb.paths.path_set import PathSet, WeightedSet
from tvlb.paths.rows import PathRows, Switches
from tvlb.paths.shape_rule import ShapeRule
from tvlb.paths.shapes import shapes_of
from tvlb.paths.usage import HopProfile, Pairs, SetUsage
from tvlb.topology import Topology, compiled, path_kernel


class MeetSet(WeightedSet):
    """Paths that belong to each of several sets; weights are multiplied and sum to 1 per pair.

    Parameters
    ----------
    sets : at least two sets of one topology that may meet, or are met. A set that is itself met
        counts as the sets that it is made of.

    Raises
    ------
    InvalidInput : a set may not meet others or is of another topology, percentages are drawn with
        different seeds, or sets by shape have no shape in common.

    Notes
    -----
    If one of the sets is by shape, a pair without any path takes those of the nearest shape: of the
    paths that all sets have whose weights do not follow from the shape, such as those of shortest
    halves, or of all if the pair has none of these. Those take no path that is not simple, if
    `simple` is among the sets.
    """

    example = "shape(g.?) & <=4"

    def __init__(self, sets: tuple[PathSet, ...]) -> None:
        self.sets = _flat(sets)
        _check(self.sets)
        self.topology = self.sets[0].topology
        # Of the others weights follow from the shape, or are all the same.
        self._listed = tuple(
            one for one in self.sets if not isinstance(one, WeightedSet | FilterSet)
        )
        self._filters = tuple(one for one in self.sets if isinstance(one, FilterSet))
        if self._by_shape.near_to == frozenset():
            raise InvalidInput(f"the sets by shape of {self} have no shape in common")

    @property
    def _everything(self) -> ShapeRule:
        shapes = shapes_of(self.topology)
        return ShapeRule(shapes, (1.0,) * len(shapes))

    @cached_property
    def _by_shape(self) -> ShapeRule:
        """What the sets that weigh by shape have in common."""
        rules = [one.rule for one in self.sets if isinstance(one, WeightedSet)]
        known = (rule for rule in rules if rule is not None)
        return reduce(ShapeRule.meet, known, self._everything)

    @property
    def _leaves_out(self) -> bool:
        """Whether the sets that weigh by shape leave out paths of the others, whatever the shape.

        Those that pass a switch twice, in some families.
        """
        by_shape = any(isinstance(one, WeightedSet) for one in self.sets)
        return by_shape and compiled(self.topology).are_simple

    @property
    def rule(self) -> ShapeRule | None:
        """See `WeightedSet.rule`."""
        return None if self._listed or self._filters else self._by_shape

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """See `PathSet.rows`."""
        if self.rule is not None:
            return super().rows(sources, targets)
        found = self._own_rows(sources, targets)
        lacking = np.flatnonzero(_lacks_paths(found))
        if self._by_shape.near_to is None or len(lacking) == 0:
            return found
        return found.replaced(lacking, self._nearest_rows(sources[lacking], targets[lacking]))

    def _own_rows(self, sources: Switches, targets: Switches) -> PathRows:
        """Paths that all sets have; some pairs may have none."""
        if self._listed:
            return self._common(self._listed_rows(sources, targets))
        rule = replace(self._by_shape, near_to=None)
        return self._filtered(_of_rule(rule, self.topology, sources, targets))

    def _listed_rows(self, sources: Switches, targets: Switches) -> PathRows:
        """Paths that all listed sets have and that pass the filters; the others may have them."""
        rows = _product([one.rows(sources, targets) for one in self._listed])
        if self._leaves_out:
            rows = _product([rows, self._all_rows(sources, targets)])
        return self._filtered(rows)

    def _all_rows(self, sources: Switches, targets: Switches) -> PathRows:
        return _of_rule(self._everything, self.topology, sources, targets)

    def _filtered(self, rows: PathRows) -> PathRows:
        for one in self._filters:
            rows = rows.select(one.passing(rows))
        return rows

    def _common(self, listed: PathRows) -> PathRows:
        """Those of the paths that the other sets have as well."""
        rule = self._by_shape
        if rule.drawn_hops:
            own = replace(rule, near_to=None)
            return _product([listed, _of_rule(own, self.topology, listed.source, listed.target)])
        # Paths of pairs without a choice have no shape and keep their weight.
        return _weighted(listed, np.array([*rule.weight, 1.0])[listed.shapes()])

    def _nearest_rows(self, sources: Switches, targets: Switches) -> PathRows:
        """Paths of the nearest shape of each pair: of the listed ones, or of all if it has none."""
        if not self._listed:
            return self._of_nearest_shape(self._filtered(self._all_rows(sources, targets)))
        near = self._of_nearest_shape(self._listed_rows(sources, targets))
        without = np.flatnonzero(np.diff(near.offset) == 0)
        if len(without) == 0:
            return near
        ends = sources[without], targets[without]
        if not self._filters:
            return near.replaced(without, _of_rule(self._nearest_only, self.topology, *ends))
        others = self._of_nearest_shape(self._filtered(self._all_rows(*ends)))
        return near.replaced(without, others)

    def _of_nearest_shape(self, rows: PathRows) -> PathRows:
        """Keep the paths of the nearest shape that each pair has."""
        nearest = self._by_shape.nearest
        rank = np.argsort(nearest)[rows.shapes()]
        least = np.full(len(rows.source), len(nearest))
        np.minimum.at(least, rows.pair_of_row, rank)
        return _weighted(rows, (rank == least[rows.pair_of_row]).astype(np.float64))

    @property
    def _nearest_only(self) -> ShapeRule:
        """The rule that gives every pair the paths of its nearest shape."""
        rule = self._by_shape
        none = (0.0,) * len(rule.shapes)
        return ShapeRule(rule.shapes, none, near_to=rule.near_to, preferred=rule.preferred)

    def profile(self, sources: Switches, targets: Switches) -> HopProfile:
        """See `PathSet.profile`."""
        if self.rule is None:
            return PathSet.profile(self, sources, targets)
        return super().profile(sources, targets)

    def usage(self, pairs: Pairs) -> SetUsage:
        """See `PathSet.usage`."""
        return PathSet.usage(self, pairs) if self.rule is None else super().usage(pairs)

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """See `PathSet.most_paths`; as if the others took nothing from the listed sets."""
        if self.rule is not None:
            return super().most_paths(sources, targets)
        if self._listed:
            most = np.minimum.reduce([one.most_paths(sources, targets) for one in self._listed])
        else:
            most = self._most_by(replace(self._by_shape, near_to=None), sources, targets)
        if self._by_shape.near_to is None:
            return most
        if self._filters:
            return np.maximum(most, self._most_by(self._everything, sources, targets))
        nearest = self._most_by(self._nearest_only, sources, targets)
        return np.where((most > 0) & (not self._leaves_out or most > nearest), most, nearest)

    def _most_by(self, rule: ShapeRule, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        whole = replace(rule, drawn_hops=0, percent=0, seed=0)
        return count_of_rule(self.topology, whole.native, sources, targets)

    def takes_nearest(self, sources: Switches, targets: Switches) -> NDArray[np.bool_]:
        """See `PathSet.takes_nearest`."""
        if self.rule is not None:
            return super().takes_nearest(sources, targets)
        if self._by_shape.near_to is None:
            return PathSet.takes_nearest(self, sources, targets)
        lacking = _lacks_paths(self._own_rows(sources, targets))
        return lacking & ~_lacks_paths(self.rows(sources, targets))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MeetSet) and self.sets == other.sets

    def __hash__(self) -> int:
        return hash(self.sets)

    def __str__(self) -> str:
        return " & ".join(str(one) for one in self.sets)


def _flat(sets: tuple[PathSet, ...]) -> tuple[PathSet, ...]:
    parts = [one.sets if isinstance(one, MeetSet) else (one,) for one in sets]
    return tuple(one for part in parts for one in part)


def _check(sets: tuple[PathSet, ...]) -> None:
    if len(sets) < 2:
        raise InvalidInput("only several path sets can meet")
    for one in sets:
        if not (isinstance(one, ExpressionSet) and one.may_meet):
            raise InvalidInput(f"{one} cannot meet other sets")
        if one.topology != sets[0].topology:
            raise InvalidInput(
                f"sets of {sets[0].topology} and of {one.topology} cannot meet each other"
            )
    rules = [one.rule for one in sets if isinstance(one, WeightedSet)]
    if len({rule.seed for rule in rules if rule is not None and rule.drawn_hops}) > 1:
        raise InvalidInput("sets cannot meet whose percentages are drawn with different seeds")


def _lacks_paths(rows: PathRows) -> NDArray[np.bool_]:
    """Whether a pair with a choice has no row, bool (pairs,)."""
    return (np.diff(rows.offset) == 0) & rows.topology.has_choice(rows.source, rows.target)


def _of_rule(rule: ShapeRule, topology: Topology, sources: Switches, targets: Switches) -> PathRows:
    """Rows that a rule gives some pairs."""
    columns = path_kernel(topology).enumerate(rule.native, sources, targets)
    return PathRows(topology, sources, targets, *columns)


def _weighted(rows: PathRows, factor: NDArray[np.float64]) -> PathRows:
    """Multiply the weights, drop what weighs nothing, and scale the rest."""
    weight = rows.weight * factor
    total = np.bincount(rows.pair_of_row, weights=weight, minlength=len(rows.source))
    kept = factor > 0
    scaled = np.zeros(len(rows))
    scaled[kept] = weight[kept] / total[rows.pair_of_row[kept]]
    return rows.with_weights(scaled).filtered(kept)


def _product(several: list[PathRows]) -> PathRows:
    """Rows that all have; in equal order, since rows of a pair are sorted."""
    product = several[0]
    for other in several[1:]:
        mine, theirs = members(keys_of_rows(product), keys_of_rows(other))
        factor = np.zeros(len(product))
        factor[mine] = other.weight[theirs]
        product = _weighted(product, factor)
    return product
