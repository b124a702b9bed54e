"""Freedom from routing deadlock: the channel dependency graph must be acyclic.

A channel is a virtual channel of a network link. A path makes each channel it takes depend on
the next one (Dally and Seitz, 1987); injection and ejection are source and sink.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.choices import choose
from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, all_pairs, min_rows
from tvlb.topology import Topology
from tvlb.virtual_channels import Kinds, VcScheme

if TYPE_CHECKING:
    from sim_bridge import Routing

__all__ = ["Channel", "DeadlockCheck", "VcSettings", "check_deadlock"]

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
    routing: "Routing | None" = None

    def __post_init__(self) -> None:
        if self.scheme is not None:
            object.__setattr__(self, "scheme", choose(VcScheme, "VC scheme", self.scheme))
        if self.vc_count is not None and self.vc_count < 1:
            raise InvalidInput(f"VC count {self.vc_count} is out of range; at least 1 is needed")

    def on(self, topology: Topology) -> VcScheme:
        """Return the scheme on a network."""
        return VcScheme(self.scheme or topology.vc_scheme)

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


def check_deadlock(rows: PathRows, settings: VcSettings) -> DeadlockCheck:
    """Look for a cycle among the channels that all MIN paths and the given VLB paths take.

    Parameters
    ----------
    rows : valid VLB paths of every ordered pair.
    settings : with a routing that decides again, the paths from the second switch are looked at
        too.

    Notes
    -----
    O(paths) to collect the dependencies, and O(dependencies) to search for a cycle.
    """
    collector = _Dependencies(rows.topology, settings.on(rows.topology), settings.vc_count)
    minimal = min_rows(rows.topology, *all_pairs(rows.topology))
    for chunk in (*minimal.chunks(), *rows.chunks()):
        collector.add(chunk)
    if settings.decides_again:
        for chunk in (*_shortest(minimal).chunks(), *rows.chunks()):
            collector.add_revisions(chunk)
    return DeadlockCheck(collector.vcs_needed, collector.cycle())


class _Dependencies:
    """The dependencies between channels, one flag for each that is possible.

    The link after another one leaves the switch where that one ends, so a dependency is coded by
    the first channel, the position of the second link among those of its switch, and its VC.
    """

    def __init__(self, topology: Topology, scheme: VcScheme, vc_count: int | None) -> None:
        self.topology = topology
        self.scheme = scheme
        # No scheme rises by more than one on a link, and a second decision adds one link.
        self.most_vcs = topology.max_hops + 1
        self.last_vc = self.most_vcs - 1 if vc_count is None else min(vc_count, self.most_vcs) - 1
        self.vcs_needed = 0
        # Position -1, where a path has ended, reads as no kind.
        self._kind_of_link = np.append(topology.network.link_kind.astype(np.int8), np.int8(_BEYOND))
        self._outgoing, self._position = _outgoing_links(topology)
        self._choices = self._outgoing.shape[1] * self.most_vcs
        self._seen = np.zeros(topology.num_links * self.most_vcs * self._choices, dtype=bool)

    def add(self, rows: PathRows) -> None:
        """Add the dependencies of paths taken from their first link on."""
        links = rows.links()
        self._add_walk(links, self._vcs(self._kind_of_link[links]))

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
        self._add_walk(links, vcs[:, 1:])
        starts = (links[:, 0].astype(np.int64) * self.most_vcs + vcs[:, 0]) * self.most_vcs
        start, vc = np.divmod(np.unique(starts + vcs[:, 1]), self.most_vcs)
        link, arrival_vc = np.divmod(start, self.most_vcs)
        for column in arriving[self.topology.network.link_source[link]].T:
            present = column >= 0
            self._keep(column[present], arrival_vc[present], link[present], vc[present])

    def cycle(self) -> tuple[Channel, ...]:
        """Return the channels of one cycle, or nothing."""
        before, choice = np.divmod(np.flatnonzero(self._seen), self._choices)
        position, vc = np.divmod(choice, self.most_vcs)
        meeting = self.topology.network.link_target[before // self.most_vcs]
        after = self._outgoing[meeting, position].astype(np.int64) * self.most_vcs + vc
        channels, ends = np.unique(np.concatenate([before, after]), return_inverse=True)
        source, target = np.split(ends, 2)
        size = len(channels)
        graph = scipy.sparse.csr_array(
            (np.ones(len(source), dtype=np.int8), (source, target)), (size, size)
        )
        return tuple(self._named(int(channels[node])) for node in _find_cycle(graph))

    def _vcs(self, kinds: Kinds) -> NDArray[np.int64]:
        self.vcs_needed = max(self.vcs_needed, self.scheme.vcs_needed(kinds))
        return self.scheme.vcs(kinds, self.last_vc).astype(np.int64)

    def _add_walk(self, links: NDArray[np.int32], vcs: NDArray[np.int64]) -> None:
        for hop in range(links.shape[1] - 1):
            taken = links[:, hop + 1] >= 0
            self._keep(
                links[taken, hop], vcs[taken, hop], links[taken, hop + 1], vcs[taken, hop + 1]
            )

    def _keep(
        self,
        link: NDArray[np.integer],
        vc: NDArray[np.int64],
        next_link: NDArray[np.integer],
        next_vc: NDArray[np.int64],
    ) -> None:
        channel = link.astype(np.int64) * self.most_vcs + vc
        choice = self._position[next_link] * self.most_vcs + next_vc
        self._seen[channel * self._choices + choice] = True

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


def _outgoing_links(topology: Topology) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the links that leave each switch, (switches, most), and each link's place there."""
    source = topology.network.link_source
    by_source = np.argsort(source, kind="stable")
    degree = np.bincount(source, minlength=topology.num_switches)
    start = np.concatenate([[0], np.cumsum(degree)[:-1]])
    place = np.arange(len(source)) - start[source[by_source]]
    position = np.zeros(len(source), dtype=np.int64)
    position[by_source] = place
    outgoing = np.full((topology.num_switches, int(degree.max())), _BEYOND, dtype=np.int64)
    outgoing[source[by_source], place] = by_source
    return outgoing, position


def _shortest(rows: PathRows) -> PathRows:
    """Keep the shortest paths of every pair: the second MIN candidate."""
    # Those of a switch that is down have none.
    shortest = np.full(len(rows.source), np.iinfo(rows.hops.dtype).max, dtype=rows.hops.dtype)
    np.minimum.at(shortest, rows.pair_of_row, rows.hops)
    return rows.select(rows.hops == shortest[rows.pair_of_row])


def _revisable(rows: PathRows) -> PathRows:
    """Keep the rows of pairs whose source is the second switch of some MIN path."""
    return rows.select(rows.topology.is_second(rows.source, rows.target)[rows.pair_of_row])


def _find_cycle(graph: "scipy.sparse.csr_array") -> list[int]:
    """Return the nodes of a shortest cycle through one node that lies on any, or nothing."""
    count, component = scipy.sparse.csgraph.connected_components(
        graph, directed=True, connection="strong"
    )
    if count == graph.shape[0]:
        return []
    sizes = np.bincount(component)
    start = int(np.flatnonzero(sizes[component] > 1)[0])
    _, predecessor = scipy.sparse.csgraph.breadth_first_order(graph, start, directed=True)
    return min(
        (
            _walk_back(predecessor, start, int(node))
            for node in np.flatnonzero(graph[:, [start]].toarray().ravel())
            if component[node] == component[start]
        ),
        key=len,
    )


def _walk_back(predecessor: NDArray[np.int32], start: int, node: int) -> list[int]:
    walk = [node]
    while walk[-1] != start:
        walk.append(int(predecessor[walk[-1]]))
    return walk[::-1]
