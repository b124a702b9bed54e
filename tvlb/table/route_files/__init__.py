"""Switches that packets visit, by pair, and the formats of other tools that hold them.

A module of this folder declares ``FORMAT``: what `tvlb export --to` calls it, and what it writes.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import declared, settings
from tvlb.paths import (
    PUBLISHED_RULE,
    EmptySet,
    PathRows,
    PathSet,
    SwitchSequences,
    check_listable,
    min_rows,
    pairs_from,
    simple_rows,
    switch_sequences,
)
from tvlb.table.kinds import StoredTable, TableReport, WeightedPaths
from tvlb.topology import Topology

Route = tuple[float, tuple[int, ...]]
"""Weight and switches, from the source to the target."""


def check_share(share: float) -> None:
    """Raise InvalidInput unless a MIN share is in 0..1."""
    if not 0 <= share <= 1:
        raise InvalidInput(f"min_share {share:g} is out of range: 0..1")


@dataclass(frozen=True)
class SourceRoutes:
    """Switch sequences from one switch to every other, without equal ones.

    Attributes
    ----------
    minimal, detours : of MIN and of VLB paths; weights of each sum to 1 per pair that has some, or
        both together where the MIN share is fixed.
    lost_pairs : pairs of which every detour was left out for visiting a switch twice.
    """

    minimal: SwitchSequences
    detours: SwitchSequences
    lost_pairs: int

    def by_target(self) -> Iterator[tuple[int, list[Route], list[Route]]]:
        """Yield every target with its MIN routes and its detours."""
        both = zip(self._lists(self.minimal), self._lists(self.detours), strict=True)
        for target, (minimal, detours) in zip(self.minimal.target.tolist(), both, strict=True):
            yield target, minimal, detours

    @staticmethod
    def _lists(sequences: SwitchSequences) -> Iterator[list[Route]]:
        length = (sequences.switches >= 0).sum(axis=1).tolist()
        switches, weight = sequences.switches.tolist(), sequences.weight.tolist()
        for begin, end in zip(sequences.offset[:-1], sequences.offset[1:], strict=True):
            yield [(weight[row], tuple(switches[row][: length[row]])) for row in range(begin, end)]


@dataclass(frozen=True)
class Routes:
    """The MIN paths and detours of every pair of switches, as switch sequences.

    Attributes
    ----------
    path_set : the detours; or the paths of a table that fixes all weights, which then are in place
        of the MIN paths.
    min_share : share of MIN paths in the packets of a pair that has detours, 0..1; None where the
        receiver chooses between MIN paths and detours by itself.
    loop_free : whether detours that visit a switch twice are left out.
    merge_parallel : whether parallel cables become one, where a format cannot hold them.
    by_cable : whether sequences that take other cables between two switches stay apart.

    Raises
    ------
    InvalidInput : the share is out of range, or there are too many paths to list.
    """

    path_set: PathSet | WeightedPaths
    min_share: float | None = None
    loop_free: bool = False
    merge_parallel: bool = False
    by_cable: bool = False

    def __post_init__(self) -> None:
        if self.min_share is not None:
            check_share(self.min_share)
        if isinstance(self.path_set, PathSet):
            check_listable(self.path_set)
            if isinstance(self.path_set, EmptySet) and self.min_share not in (None, 1.0):
                raise InvalidInput(
                    f"min_share {self.min_share:g} has no meaning for path set {self.path_set}: "
                    "all is MIN"
                )
        elif self.min_share is not None or self.loop_free:
            raise InvalidInput(
                "min_share and loop_free have no meaning for a table that fixes all weights, such "
                f"as {self.path_set}"
            )

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.path_set.topology

    @property
    def kinds(self) -> tuple[str, str]:
        """What the paths and the detours are called."""
        return ("min" if isinstance(self.path_set, PathSet) else "table"), "vlb"

    def of_sources(self) -> Iterator[SourceRoutes]:
        """Yield the routes from every switch, in order."""
        path_set = self.path_set
        for source in range(self.topology.num_switches):
            if isinstance(path_set, PathSet):
                yield self._of_source(path_set, source)
            else:
                found = path_set.sequences_from(source, by_cable=self.by_cable)
                yield SourceRoutes(found, found.without_any(), 0)

    def remarks(self, lost_pairs: int) -> list[str]:
        """Say what a receiver should know, a line each.

        Parameters
        ----------
        lost_pairs : see `SourceRoutes`, of all sources together.
        """
        said: list[str] = []
        if self.min_share is not None:
            said.append(
                f"paths are drawn by fixed weights, MIN paths with {self.min_share:g}; this is not "
                "UGAL, which chooses by the queues"
            )
        ugal = self.path_set.ugal if isinstance(self.path_set, PathSet) else None
        if ugal not in (None, PUBLISHED_RULE):
            said.append(
                f"the table was made for a rule of UGAL that the file does not hold: {ugal}"
            )
        if lost_pairs:
            said.append(
                "switch pairs with MIN paths only, since every detour visits a switch twice: "
                f"{lost_pairs:,}"
            )
        return said

    def _of_source(self, path_set: PathSet, source: int) -> SourceRoutes:
        sources, targets = pairs_from(self.topology, source)
        given = path_set.rows(sources, targets)
        detours = simple_rows(given) if self.loop_free else given
        lost = (np.diff(given.offset) > 0) & (np.diff(detours.offset) == 0)
        minimal = min_rows(self.topology, sources, targets)
        if self.min_share is not None:
            some = np.diff(detours.offset) > 0
            minimal = _scaled(minimal, np.where(some, self.min_share, 1.0))
            detours = _scaled(detours, np.where(some, 1.0 - self.min_share, 1.0))
        return SourceRoutes(
            switch_sequences(minimal, by_cable=self.by_cable),
            switch_sequences(detours, by_cable=self.by_cable),
            int(lost.sum()),
        )


def _scaled(rows: PathRows, share: NDArray[np.float64]) -> PathRows:
    """Multiply the weights of each pair by its share, and leave out what weighs nothing."""
    weight = rows.weight * share[rows.pair_of_row]
    return replace(rows, weight=weight).filtered(weight > 0)


__all__ = ["FileAudit", "RouteFormat", "audit_of", "route_formats"]


@dataclass(frozen=True)
class FileAudit:
    """How files of a format are checked.

    Attributes
    ----------
    called : what messages call these files.
    is_file : whether a file looks like one.
    audit : checks it; raises InvalidInput if it cannot be read.
    options : keywords of `audit`, which are options of `tvlb verify`; None where one is not given.
    """

    called: str
    is_file: Callable[[str], bool]
    audit: Callable[..., TableReport]
    options: tuple[str, ...]


@dataclass(frozen=True)
class RouteFormat:
    """A format of another tool, for paths or for tables of some kind.

    Attributes
    ----------
    name : what `tvlb export --to` calls it.
    suffixes : of its file, with their dots; none if any name will do.
    endings : of the names of the files that it writes, each behind the path that is given.
    fixed_weights : whether MIN paths and detours are drawn alike, by weight, so that the share of
        MIN paths has to be fixed.
    single_cables : whether it cannot hold parallel cables, and merges them where that is asked for.
    write : writes the files of a name and returns what has to be said about them, a line each;
        raises InvalidInput if the format cannot hold what it is given.
    takes : what it writes: switch sequences, or tables of a class.
    options : keywords of `write`, which are options of `tvlb export`.
    network : format of networks that is meant where a network is written.
    settings : a dataclass of settings, a keyword of `write`; they are asked for wherever tables are
        exported.
    check : raises InvalidInput if settings do not fit a network, before anything is computed.
    audit : how `tvlb verify` checks its files; None where they are not read.
    """

    name: str
    suffixes: tuple[str, ...]
    endings: tuple[str, ...]
    fixed_weights: bool
    write: Callable[..., Sequence[str]]
    takes: type[Routes] | type[StoredTable] = Routes
    single_cables: bool = False
    options: tuple[str, ...] = ()
    network: str = ""
    settings: Callable[..., Any] | None = None
    check: Callable[[Topology, Any], None] | None = None
    audit: FileAudit | None = None

    def settled(self, given: Mapping[str, Any], topology: Topology) -> dict[str, Any]:
        """Return the settings as `write` takes them, where the format has any.

        Parameters
        ----------
        given : settings of any formats, None where one is not given.

        Raises
        ------
        InvalidInput : a setting is out of range, or does not fit the network.
        """
        if self.settings is None:
            return {}
        own = {name: given.get(name) for name in self.own_settings}
        made = self.settings(**{name: value for name, value in own.items() if value is not None})
        if self.check is not None:
            self.check(topology, made)
        return {"settings": made}

    @property
    def own_settings(self) -> Collection[str]:
        """Names of its settings."""
        return () if self.settings is None else settings(self.settings).keys()


def audit_of(path: str) -> FileAudit | None:
    """Return how a file of another tool is checked; None where it is none that is known."""
    every = (one.audit for one in route_formats().values())
    return next((one for one in every if one is not None and one.is_file(path)), None)


@cache
def route_formats() -> dict[str, RouteFormat]:
    """Return the formats by name."""
    return {each.name: each for each in declared(__name__, "FORMAT", RouteFormat)}
