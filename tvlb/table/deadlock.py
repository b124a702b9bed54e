"""Freedom from routing deadlock: the channel dependency graph must be acyclic.

A channel is a virtual channel of a network link. A path makes each channel it takes depend on
the next one (Dally and Seitz, 1987); injection and ejection are source and sink.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import choose
from tvlb.native.kernels import DependencyGraph
from tvlb.native.virtual_channels import Kinds, VcScheme
from tvlb.paths import PathRows, all_pairs, min_rows
from tvlb.topology import Topology

_BEYOND = -1


@dataclass(frozen=True)
class Channel:
    """A virtual channel of a directed link; `str` says it in words."""

    link: int
    source: int
    target: int
    kind: str
    vc: int

    def __str__(self) -> str:
        return f"link {self.link} ({self.kind}, {self.source} -> {self.target}) VC {self.vc}"


class Revising(Protocol):
    """A routing, so far as proofs ask for it: what paths it takes, and whether it leaves them."""

    @property
    def draws_vlb(self) -> bool:
        """Whether it draws VLB paths."""
        ...

    @property
    def decides_again(self) -> bool:
        """Whether it may decide once more, at the second switch of a MIN path."""
        ...

    def check(self, topology: Topology) -> None:
        """Raise InvalidInput where it has no place on a network."""


@dataclass(frozen=True)
class VcSettings:
    """How packets use the virtual channels.

    Attributes
    ----------
    scheme : `VcScheme` or its text; None for that of the network's family.
    vc_count : VCs of every link; higher indices are clamped to the last one. None: as many as the
        scheme needs.
    routing : None for one that decides at the source only.

    Raises
    ------
    InvalidInput : unknown scheme, or `vc_count` below 1.
    """

    scheme: str | None = None
    vc_count: int | None = None
    routing: Revising | None = None

    def __post_init__(self) -> None:
        if self.scheme is not None:
            object.__setattr__(self, "scheme", choose(VcScheme, "VC scheme", self.scheme))
        if self.vc_count is not None and self.vc_count < 1:
            raise InvalidInput(f"VC count {self.vc_count} is out of range; at least 1 is needed")

    def on(self, topology: Topology) -> VcScheme:
        """Return the scheme on a network."""
        return VcScheme(self.scheme or topology.vc_scheme)

    @property
    def draws_vlb(self) -> bool:
        """Whether packets take VLB paths."""
        return self.routing is None or self.routing.draws_vlb

    @property
    def decides_again(self) -> bool:
        """Whether packets may be decided on again at the second switch."""
        return self.routing is not None and self.routing.decides_again


@dataclass(frozen=True)
class DeadlockCheck:
    """What the dependency graph says.

    Attributes
    ----------
    vcs_needed : 1 + the highest VC index of the scheme, before any clamping.
    cycle : the channels of one cycle, each waiting for the next and the last for the first;
        empty if there is none.
    """

    vcs_needed: int
    cycle: tuple[Channel, ...]

    @property
    def problem(self) -> str:
        """The cycle in words, empty if there is none."""
        if not self.cycle:
            return ""
        return f"routing deadlock: {' waits for '.join(map(str, (*self.cycle, self.cycle[0])))}"


@dataclass(frozen=True, eq=False)
class RoutesBeside:
    """Routes that are in use at the same time as others of the same network.

    Attributes
    ----------
    minimal, rows : MIN and VLB paths.
    settings : how their packets use the virtual channels.
    """

    minimal: PathRows
    rows: PathRows
    settings: VcSettings


def check_deadlock(rows: PathRows, settings: VcSettings, *beside: RoutesBeside) -> DeadlockCheck:
    """Look for a cycle among the channels that packets take on MIN paths and on given VLB paths.

    Packets begin and end at switches with compute nodes.

    Parameters
    ----------
    rows : valid VLB paths of every ordered pair.
    settings : with a routing that decides again, the paths from the second switch are looked at
        too; with one that takes MIN paths only, no VLB paths.
    beside : what else is in use.

    Returns
    -------
    DeadlockCheck : of all together.

    Notes
    -----
    O(paths) to collect the dependencies, and O(dependencies) to search for a cycle.
    """
    topology = rows.topology
    every = (RoutesBeside(min_rows(topology, *all_pairs(topology)), rows, settings), *beside)
    most_vcs = max(_most_vcs(topology, one.settings.on(topology)) for one in every)
    graph = DependencyGraph(topology.num_links * most_vcs)
    collectors = [_Dependencies(topology, one.settings, most_vcs, graph) for one in every]
    for collector, one in zip(collectors, every, strict=True):
        draws = np.full(len(one.rows), one.settings.draws_vlb)
        for taken in (one.minimal, one.rows.filtered(draws)):
            for chunk in _between_nodes(taken).chunks():
                collector.add(chunk)
        if one.settings.decides_again:
            for chunk in (*_shortest(one.minimal).chunks(), *one.rows.chunks()):
                collector.add_revisions(chunk)
    return DeadlockCheck(max(one.vcs_needed for one in collectors), collectors[0].cycle())


def check_routes(
    topology: Topology, routes: Iterable[PathRows], settings: VcSettings
) -> DeadlockCheck:
    """Look for a cycle among the channels that packets take on given paths alone."""
    most_vcs = _most_vcs(topology, settings.on(topology))
    graph = DependencyGraph(topology.num_links * most_vcs)
    collector = _Dependencies(topology, settings, most_vcs, graph)
    for rows in routes:
        collector.add(rows)
    return DeadlockCheck(collector.vcs_needed, collector.cycle())


def _most_vcs(topology: Topology, scheme: VcScheme) -> int:
    # A second decision adds one link.
    return scheme.most_vcs(topology.max_hops + 1, len(topology.kinds.names))


class _Dependencies:
    """The dependencies between channels; the number of one is link * most VCs + VC.

    Parameters
    ----------
    most_vcs : of all that add to the graph.
    """

    def __init__(
        self, topology: Topology, settings: VcSettings, most_vcs: int, graph: DependencyGraph
    ) -> None:
        self.topology = topology
        self.scheme = settings.on(topology)
        self.most_vcs = most_vcs
        count = settings.vc_count
        self.last_vc = self.most_vcs - 1 if count is None else min(count, self.most_vcs) - 1
        self.vcs_needed = 0
        # Position -1, where a path has ended, reads as no kind.
        self._kind_of_link = np.append(topology.network.link_kind.astype(np.int8), np.int8(_BEYOND))
        self._graph = graph

    def add(self, rows: PathRows) -> None:
        """Add the dependencies of paths taken from their first link on."""
        self._graph.add(rows.channels(self.most_vcs, self._vcs))

    def add_revisions(self, rows: PathRows) -> None:
        """Add those of paths that are taken from the second switch of a MIN path on.

        The packet has already taken the first link of the MIN path, to the switch where it starts.
        """
        links = _revisable(rows).links()
        arriving = self.topology.arrivals(np.arange(self.topology.num_switches, dtype=np.int32))
        start = self.topology.network.link_source[links[:, 0]]
        for kind in range(len(self.topology.kinds.names)):
            of_kind = np.where(self._kind_of_link[arriving] == kind, arriving, _BEYOND)
            taken = np.any(of_kind >= 0, axis=1, keepdims=True)[start, 0]
            if np.any(taken):
                self._add_after(of_kind, kind, links[taken])

    def _add_after(self, arriving: NDArray[np.int32], kind: int, links: NDArray[np.int32]) -> None:
        """Add paths that follow on links of one kind, `arriving` at each switch, -1 beyond."""
        first = np.full((len(links), 1), kind, dtype=np.int8)
        vcs = self._vcs(np.hstack([first, self._kind_of_link[links]]))
        channels = self._channels(links, vcs[:, 1:])
        self._graph.add(channels)
        # What follows on an arriving link is added once for all paths that begin alike.
        channel, arrival_vc = np.divmod(
            np.unique(channels[:, 0].astype(np.int64) * self.most_vcs + vcs[:, 0]), self.most_vcs
        )
        before = arriving[self.topology.network.link_source[channel // self.most_vcs]]
        held = self._channels(before, arrival_vc[:, np.newaxis])
        wanted = np.broadcast_to(channel[:, np.newaxis], held.shape)[held >= 0]
        self._graph.add(np.stack([held[held >= 0], wanted.astype(np.int32)], axis=1))

    def cycle(self) -> tuple[Channel, ...]:
        """Return the channels of one cycle, or nothing."""
        return tuple(self._named(channel) for channel in self._graph.find_cycle())

    def _channels(self, links: NDArray[np.int32], vcs: NDArray[np.integer]) -> NDArray[np.int32]:
        channels = links * self.most_vcs + vcs
        return np.where(links < 0, _BEYOND, channels).astype(np.int32)

    def _vcs(self, kinds: Kinds) -> NDArray[np.int32]:
        self.vcs_needed = max(self.vcs_needed, self.scheme.vcs_needed(kinds))
        return self.scheme.vcs(kinds, self.last_vc).astype(np.int32)

    def _named(self, channel: int) -> Channel:
        link, vc = divmod(channel, self.most_vcs)
        network = self.topology.network
        return Channel(
            link,
            int(network.link_source[link]),
            int(network.link_target[link]),
            self.topology.kind_name(link),
            vc,
        )


def _between_nodes(rows: PathRows) -> PathRows:
    """Keep the paths between switches with compute nodes."""
    sends = rows.topology.switch_nodes > 0
    return rows.filtered((sends[rows.source] & sends[rows.target])[rows.pair_of_row])


def _shortest(rows: PathRows) -> PathRows:
    """Keep the shortest paths of every pair: the second MIN candidate."""
    # Those of a switch that is down have none.
    shortest = np.full(len(rows.source), np.iinfo(rows.hops.dtype).max, dtype=rows.hops.dtype)
    np.minimum.at(shortest, rows.pair_of_row, rows.hops)
    return rows.select(rows.hops == shortest[rows.pair_of_row])


def _revisable(rows: PathRows) -> PathRows:
    """Keep the rows of pairs whose source is the second switch of some MIN path."""
    return rows.select(rows.topology.is_second(rows.source, rows.target)[rows.pair_of_row])
