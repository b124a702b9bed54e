"""Networks whose MIN paths are all shortest paths: what their families need not say."""

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import Signature
from tvlb.native import kernels
from tvlb.topology.compiled import compiled
from tvlb.topology.expected import ExpectedPaths
from tvlb.topology.family import NamedTopology, NetworkSizes, family_of
from tvlb.topology.network import Network, directed_links
from tvlb.topology.topology import Topology, Triples

_SAMPLED_SWITCHES = 4
_ABSENT = -1
_ANY_KIND = "h"

_Switches = NDArray[np.integer]
_Mask = NDArray[np.bool_]


class ShortestPathTopology(Topology):
    """A network given by its cables; a MIN path is any shortest path, or one that `chosen` tells.

    A family is a frozen dataclass that is registered (`tvlb.topology.register`). Its fields are the
    parameters, annotated as `tvlb.languages.Signature` says; it has `name`, `kinds`, `cables` and
    `nodes_of_switches`.

    Attributes
    ----------
    between_nodes : whether only switches with compute nodes have paths and are intermediates; the
        others are passed.

    Raises
    ------
    InvalidInput : the network is too large, or some switches do not reach each other.

    Notes
    -----
    Halves of paths are named by their position among the MIN paths of their ends. Numbers and
    lengths of these come from the compiled twin, which lists none of them.
    """

    between_nodes: bool = False

    @property
    def chosen(self) -> kernels.Chosen:
        """Which of the shortest paths of a pair are MIN paths."""
        return kernels.Chosen.ALL

    @property
    def is_told_by_cables(self) -> bool:
        """Whether its cables tell its MIN paths: all shortest ones between any two switches."""
        return self.chosen == kernels.Chosen.ALL and not self.between_nodes

    @abstractmethod
    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """Return the cables of each kind as switch pairs, int32 (cables, 2), in order of kinds."""

    @abstractmethod
    def nodes_of_switches(self) -> NDArray[np.int32]:
        """Return the number of compute nodes of every switch, int32 (switches,)."""

    @property
    def sizes(self) -> NetworkSizes:
        """How large it is to be: what its family makes of the parameters."""
        signature = family_of(self).signature
        parameters = {key: getattr(self, key) for key in signature.arguments}
        return NamedTopology(family_of(self), parameters).sizes

    def __post_init__(self) -> None:
        self._build()

    def _build(self) -> None:
        self.sizes.check(self)
        nodes = self.nodes_of_switches()
        source, target, kind, ordinal = directed_links(*self.cables())
        switches = np.arange(len(nodes), dtype=np.int32)
        network = Network(len(nodes), np.repeat(switches, nodes), source, target, kind, ordinal)
        if parts := _parts(network):
            first, second = (self.called(one) for one in parts[:2])
            raise InvalidInput(
                f"{self} has no path from switch {first} to switch {second}; it falls into "
                f"{len(parts)} parts"
            )
        # The dataclass is frozen.
        object.__setattr__(self, "network", network)

    def __str__(self) -> str:
        return Signature(self.name, type(self)).text(self)

    @property
    def identity(self) -> tuple[int | str, ...]:
        """See `Topology`: the name and a hash of nodes and links."""
        return self.name, self.num_switches, self.network.digest()

    def compile(self) -> kernels.ShortestPaths:
        """See `Topology`."""
        try:
            return kernels.ShortestPaths(
                self.network.compile(), self.chosen, between_nodes=self.between_nodes
            )
        except ValueError as error:
            raise InvalidInput(f"{self}: {error}") from error

    @property
    def _twin(self) -> kernels.ShortestPaths:
        return compiled(self)

    @cached_property
    def _halves(self) -> list[list[int]]:
        return self._twin.halves

    @property
    def halves(self) -> tuple[str, ...]:
        """See `Topology`: whatever MIN paths take, shorter halves first.

        Where the kinds follow each other in more than 255 orders, lengths: `h` for every link.
        """
        if self._twin.are_by_length:
            return tuple(_ANY_KIND * len(half) for half in self._halves)
        letters = [name[0] for name in self.kinds.names]
        return tuple("".join(letters[kind] for kind in half) for half in self._halves)

    def _hops(self, sources: _Switches, targets: _Switches) -> NDArray[np.int32]:
        """Hops of the MIN paths of pairs; arrays broadcast."""
        source, target = np.broadcast_arrays(np.int32(sources), np.int32(targets))
        return self._twin.min_hops(source.ravel(), target.ravel()).reshape(source.shape)

    def _paths(self, sources: _Switches, targets: _Switches) -> NDArray[np.int32]:
        """Count the MIN paths of pairs; arrays broadcast."""
        source, target = np.broadcast_arrays(np.int32(sources), np.int32(targets))
        return self._twin.min_paths(source.ravel(), target.ravel()).reshape(source.shape)

    @property
    def longest_min_path(self) -> tuple[int, ...]:
        """See `Topology`: of one of the longest."""
        return tuple(self._halves[-1])

    @property
    def most_min_paths(self) -> int:
        """See `Topology`."""
        return self._twin.most_min_paths

    @property
    def is_end(self) -> _Mask:
        """See `Topology`."""
        return self.switch_nodes > 0 if self.between_nodes else super().is_end

    def has_choice(self, sources: _Switches, targets: _Switches) -> _Mask:
        """See `Topology`."""
        return (self.has_paths if self.between_nodes else super().has_choice)(sources, targets)

    @property
    def decides_again(self) -> bool:
        """See `Topology`: not where the second switch of a MIN path may have no paths."""
        return not self.between_nodes

    @property
    def most_vlb_paths(self) -> int:
        """See `Topology`."""
        return max(int(np.count_nonzero(self.is_end)) - 2, 0) * self.most_min_paths**2

    @cached_property
    def expected_paths(self) -> ExpectedPaths:
        """See `Topology`: from the MIN paths of a few switches to all others."""
        ends = np.flatnonzero(self.is_end).astype(np.int32)
        few = ends[np.unique(np.linspace(0, len(ends) - 1, _SAMPLED_SWITCHES).astype(np.int32))]
        sources, targets = np.meshgrid(few, ends, indexing="ij")
        apart = sources != targets
        hops = self._hops(sources[apart], targets[apart])
        paths = self._paths(sources[apart], targets[apart])
        by_hops = np.bincount(hops, weights=paths)[1:]
        return ExpectedPaths(
            pairs=len(ends) * (len(ends) - 1),
            intermediates=len(ends) - 2,
            min_paths=float(paths.mean()),
            share_by_hops=by_hops / by_hops.sum(),
            # Every packet takes two MIN paths.
            adversarial_throughput=self.num_links / (2 * float(hops.mean()) * self.num_nodes),
        )

    def path_faults(self, paths: Triples) -> Iterator[tuple[str, _Mask]]:
        """See `Topology`."""
        via = paths.intermediate
        yield (
            "the intermediate switch is the source or the destination",
            (via == paths.source) | (via == paths.target),
        )
        halves = (
            ("first", paths.first, paths.source, via),
            ("second", paths.second, via, paths.target),
        )
        hops = np.zeros(len(via), dtype=np.int64)
        named = {"positions": "number", "link ids": "first link"}[self.path_names]
        for name, given, start, end in halves:
            hops += self._hops(start, end)
            found = self._twin.half_hops(
                start.astype(np.int32), given.astype(np.int32), end.astype(np.int32)
            )
            yield f"there is no {name} half of this {named}", found < 0
        yield "hops do not match the path", paths.hops != hops

    @cached_property
    def _links_from(self) -> NDArray[np.int32]:
        """Links that leave each switch, int32 (switches, most), -1 beyond; ids ascend."""
        return _grouped(self.network.link_source, self.num_switches)

    def arrivals(self, switches: _Switches) -> NDArray[np.int32]:
        """See `Topology`: all links into a switch."""
        return _grouped(self.network.link_target, self.num_switches)[switches]

    def is_second(self, sources: _Switches, targets: _Switches) -> _Mask:
        """See `Topology`: where a MIN path has its second switch."""
        near, exists = self._neighbours(sources)
        further = self._hops(near, targets[:, None]) > self._hops(sources, targets)[:, None]
        return np.any(exists & further, axis=1)

    def seconds(self, sources: _Switches, targets: _Switches) -> tuple[_Switches, _Switches]:
        """See `Topology`: from the second switches of the MIN paths of two or more hops."""
        near, exists = self._neighbours(sources)
        left = self._hops(near, targets[:, None])
        found = exists & (left > 0) & (left < self._hops(sources, targets)[:, None])
        return near[found], np.broadcast_to(targets[:, None], found.shape)[found]

    def _neighbours(self, switches: _Switches) -> tuple[_Switches, _Mask]:
        """Return the switches next to given ones, (switches, most), and which there are."""
        links = self._links_from[switches]
        return self.network.link_target[links], links != _ABSENT


def _grouped(ends: NDArray[np.int32], switches: int) -> NDArray[np.int32]:
    """List the links of each switch, int32 (switches, most), -1 beyond; ids ascend."""
    counts = np.bincount(ends, minlength=switches)
    order = np.argsort(ends, kind="stable")
    rank = np.arange(len(ends)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = np.full((switches, counts.max(initial=0)), _ABSENT, dtype=np.int32)
    table[ends[order], rank] = order
    return table


def _parts(network: Network) -> list[int]:
    """Return a switch of each part that no link leads out of; none if there is one part only.

    Switches without cables and compute nodes do not count.
    """
    part_of = network.parts()
    used = np.union1d(network.link_source, network.node_switch)
    firsts = used[np.unique(part_of[used], return_index=True)[1]]
    return sorted(firsts.tolist()) if len(firsts) > 1 else []
