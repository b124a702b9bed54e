"""Path sets in the form that the simulator draws from."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sim_bridge import _core
from sim_bridge.routing import check_takes_table, draws_split, steering, takes_of_rule, takes_table
from sim_bridge.rule import ruled
from tvlb.errors import InvalidInput
from tvlb.languages import in_turn
from tvlb.native import kernels
from tvlb.paths import (
    PUBLISHED_RULE,
    RULE_SETTINGS,
    PathRows,
    PathSet,
    Switches,
    parse_expression,
)
from tvlb.topology import Topology

_Config = TypeVar("_Config", bound=Any)

ANY_SET = ("all", "none")
"""What path sets print as that nobody chose."""
_ROWS_AT_ONCE = 1 << 21
_PAIRS_AT_ONCE = 10_000
# 12 bytes each where weights differ.
_MOST_LISTED = 400_000_000
_UNLISTED = ", or short(all), <=4 or another set by length or shape: those are drawn without a list"


@runtime_checkable
class Split(Protocol):
    """MIN and VLB paths with the shares of the packets that take them; `str` names it."""

    @property
    def topology(self) -> Topology:
        """The network."""
        ...

    def rows(self, sources: Switches, targets: Switches) -> PathRows:
        """List the paths of given pairs; weights are shares, and sum to 1 for every pair.

        Raises
        ------
        InvalidInput : they do not.
        """
        ...

    def most_paths(self, sources: Switches, targets: Switches) -> NDArray[np.int64]:
        """Bound the number of paths of each given pair from above, int64 (pairs,)."""
        ...


@runtime_checkable
class StoredSplit(Protocol):
    """A table of a split, as files have it."""

    def weighted_paths(self, name: str) -> object:
        """Return its paths with their shares, a `Split` that prints as `name`."""
        ...


Pairs = Callable[[], tuple[Switches, Switches]]
"""Lists pairs of different switches, sorted by (source, target), int32 (pairs,) each."""


def make_sampler(network: kernels.Topology, path_set: PathSet, pairs: Pairs) -> _core.PathSampler:
    """Return a sampler for some pairs of switches.

    Parameters
    ----------
    pairs : asked only where the sampler depends on them: sets that have no rule are listed for
        these pairs alone.

    Notes
    -----
    Sets with a rule draw for any pair. On a Dragonfly their memory grows with the switches times
    the groups, with shortest halves and percentages with the pairs of switches; elsewhere, and
    with percentages of paths that differ in weight, it is 5 to 16 bytes per pair of switches.
    Memory of a listed set is 4 bytes per path (12 with unequal weights), and 8 per pair of
    switches; room is reserved for as many paths as there may be.
    """
    rule = path_set.draw_rule
    if rule is None:
        return _listed(network, path_set, *pairs())
    return _core.rule_sampler(network, rule)


def _listed(
    network: kernels.Topology, path_set: PathSet | Split, sources: Switches, targets: Switches
) -> _core.PathSampler:
    """List the paths in chunks, until weights differ and then once more from the beginning."""
    most = _most_rows(path_set, sources, targets)
    equal = all(_has_equal_weights(rows) for rows in listed(path_set, sources, targets))
    stored = _core.explicit_rows(network, expected=most, weighted=not equal)
    before = 0.0
    for rows in listed(path_set, sources, targets):
        running = _running_sums(rows.weight, before)
        before = float(running[-1])
        stored.append(
            sources=rows.source,
            targets=rows.target,
            offset=rows.offset,
            intermediate=rows.intermediate,
            first_link=rows.first_link,
            second_link=rows.second_link,
            cumulative=np.zeros(0) if equal else _since_start(rows.offset, running),
        )
    stored.finish()
    return stored


def _most_rows(path_set: PathSet | Split, sources: Switches, targets: Switches) -> int:
    """Bound the number of paths; refuse what would not fit into memory, before any is listed."""
    total = 0
    for start in range(0, len(sources), _PAIRS_AT_ONCE):
        span = slice(start, start + _PAIRS_AT_ONCE)
        total += int(path_set.most_paths(sources[span], targets[span]).sum())
        if total > _MOST_LISTED:
            raise InvalidInput(
                f"the traffic uses more than {_MOST_LISTED:,} paths of {path_set} on "
                f"{path_set.topology}, the most that is listed to draw from; choose a pattern with "
                f"fewer pairs of switches{_UNLISTED if isinstance(path_set, PathSet) else ''}"
            )
    return total


def listed(path_set: PathSet | Split, sources: Switches, targets: Switches) -> Iterator[PathRows]:
    """List the paths of so many pairs at a time that they are `_ROWS_AT_ONCE` at most."""
    topology = path_set.topology
    # Networks of two switches have no VLB paths.
    step = max(_ROWS_AT_ONCE // max(topology.most_vlb_paths, 1), 1)
    for start in range(0, len(sources), step):
        yield path_set.rows(sources[start : start + step], targets[start : start + step])


def _has_equal_weights(rows: PathRows) -> bool:
    sizes = np.diff(rows.offset)
    equal = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
    return np.allclose(rows.weight, equal, rtol=1e-9, atol=0.0)


def cumulative_within(
    offset: NDArray[np.int64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Cumulative sums of `weight` that start anew with each row ``offset[i]:offset[i+1]``."""
    return _since_start(offset, _running_sums(weight, 0.0))


def _running_sums(weight: NDArray[np.float64], before: float) -> NDArray[np.float64]:
    """Return the sums of `before` and the first 0, 1, ... weights, float64 (weights+1,)."""
    return np.cumsum(np.concatenate([[before], weight]))


def _since_start(offset: NDArray[np.int64], running: NDArray[np.float64]) -> NDArray[np.float64]:
    return running[1:] - np.repeat(running[offset[:-1]], np.diff(offset))


def with_second_switches(
    topology: Topology, sources: Switches, targets: Switches
) -> tuple[Switches, Switches]:
    """Add the pairs from which a packet may decide again."""
    starts, ends = topology.seconds(sources, targets)
    switches = np.int64(topology.num_switches)
    keys = np.unique(
        np.concatenate(
            [
                sources.astype(np.int64) * switches + targets,
                starts.astype(np.int64) * switches + ends,
            ]
        )
    )
    return (keys // switches).astype(np.int32), (keys % switches).astype(np.int32)


class DrawsPaths(ABC):
    """Of scenarios of routers whose packets follow paths that their steering draws.

    Attributes
    ----------
    path_set : a field of theirs: the VLB paths, one set or several; None for all.
    table : another one: what a routing by a table takes, None with others.
    """

    topology: Topology
    routing: str

    @property
    @abstractmethod
    def draws_sets(self) -> bool:
        """Whether the routing draws from them."""

    @cached_property
    def path_sets(self) -> tuple[PathSet, ...]:
        """The VLB paths by level: one set, unless the routing draws by level."""
        given: PathSet | Sequence[PathSet] | None = vars(self)["path_set"]
        if given is None:
            return (parse_expression("all", self.topology),)
        return (given,) if isinstance(given, PathSet) else tuple(given)

    def check_chosen(self, name: str) -> None:
        """Raise InvalidInput if a path set is chosen without meaning; `name` is the option's."""
        for one in self.path_sets:
            if str(one) not in ANY_SET and not self.draws_sets:
                raise InvalidInput(f"{name} {one} has no meaning for routing {self.routing}")

    def check_table(self, routings: Iterable[str]) -> None:
        """Raise InvalidInput unless there is the table that the routing takes, or none needed.

        Parameters
        ----------
        routings : all that the router has.
        """
        table = vars(self)["table"]
        kind = "split" if draws_split(self.routing) else "forwarding"
        if table is None:
            if takes_table(self.routing):
                raise InvalidInput(f"routing {self.routing} needs a {kind} table: give table")
            return
        check_takes_table(self.routing, routings)
        # Path sets have the same methods, and no MIN paths.
        is_split = isinstance(table, Split) and not isinstance(table, PathSet)
        if is_split != (kind == "split"):
            raise InvalidInput(f"routing {self.routing} needs a {kind} table, which {table} is not")
        if table.topology != self.topology:
            raise InvalidInput(f"{table} is of {table.topology}, not of {self.topology}")

    def check_networks(self) -> None:
        """Raise InvalidInput if a path set is of another network."""
        for one in self.path_sets:
            if one.topology != self.topology:
                raise InvalidInput(
                    f"path set {one} belongs to {one.topology}, not to {self.topology}"
                )

    def ruled(self, config: _Config) -> _Config:
        """Return settings with what is left open of UGAL's comparison as tables are made for.

        Raises
        ------
        InvalidInput : they are made for different rules, and a setting that these differ in is
            left open.
        """
        rules = dict.fromkeys(one.ugal for one in self.path_sets if one.ugal is not None)
        disputed = [
            name
            for name in RULE_SETTINGS
            if getattr(config, name) is None
            and takes_of_rule(self.routing, name)
            and len({getattr(one, name) for one in rules}) > 1
        ]
        if disputed:
            raise InvalidInput(
                f"path sets {in_turn(map(str, self.path_sets))} are made for different rules of "
                f"UGAL ({'; '.join(map(str, rules))}): give {', '.join(disputed)}"
            )
        rule = next(iter(rules), PUBLISHED_RULE)
        return ruled(config, rule, lambda name: takes_of_rule(self.routing, name))

    def samplers(
        self, network: kernels.Topology, pairs: Pairs
    ) -> tuple[list[_core.PathSampler], str | None]:
        """Return what draws from each path set, and what to say of pairs without any path.

        Parameters
        ----------
        pairs : those that have traffic.

        Raises
        ------
        InvalidInput : a routing that always takes VLB paths has none.
        """
        if draws_split(self.routing):
            return [_listed(network, vars(self)["table"], *pairs())], None
        known, sets = steering(self.routing), self.path_sets
        always = self.draws_sets and known.detours == _core.Detours.ALWAYS
        name = f"path set {in_turn(map(str, sets))}"
        if always and all(isinstance(one.draw_rule, kernels.EmptyRule) for one in sets):
            raise InvalidInput(
                f"routing {self.routing} needs VLB paths; {in_turn(map(str, sets))} has none"
            )
        if not self.draws_sets:
            return [_core.rule_sampler(network, kernels.EmptyRule())], None

        @cache
        def decided() -> tuple[Switches, Switches]:
            asked = pairs()
            return with_second_switches(self.topology, *asked) if known.decides_again else asked

        samplers = [make_sampler(network, one, decided) for one in sets]
        if not always:
            return samplers, None
        sources, targets = decided()
        missing = sorted(
            set[int].intersection(
                *({*one.pairs_without_path(sources, targets)} for one in samplers)
            )
        )
        if not missing:
            return samplers, None
        return samplers, (
            f"{name} has no VLB path for {len(missing):,} of {len(sources):,} "
            f"pairs of switches, such as from switch {sources[missing[0]]} to switch "
            f"{targets[missing[0]]}: they take MIN paths"
        )
