"""Forwarding tables as their files have them: one port per destination node and switch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.forwarding import NO_PORT, Forwarding, sequences_from
from tvlb.paths import SwitchSequences
from tvlb.table.kinds import Header, StoredTable
from tvlb.table.networks import record_of
from tvlb.topology import Topology

_LONGEST_NAME = 100
_MOST_TOLD = 12


class ForwardingHeader(Header):
    """What the header says besides the ports.

    Attributes
    ----------
    engine : that made the table, or where it came from.
    order : of destinations, as `tvlb.forwarding.Order` prints.
    passes : how often destinations were routed again.
    layers : of virtual channels.
    """

    engine: str = Field(max_length=_LONGEST_NAME)
    order: str = Field(max_length=_LONGEST_NAME)
    passes: int = Field(ge=0)
    layers: int = Field(ge=1, le=NO_PORT)


@dataclass(frozen=True, eq=False)
class ForwardingTable(StoredTable):
    """A forwarding table as its file has it: row = destination node * switches + switch.

    Attributes
    ----------
    port, layer : uint8 (nodes * switches,): see `tvlb.forwarding.Forwarding`.
    """

    header: ForwardingHeader
    port: NDArray[np.uint8]
    layer: NDArray[np.uint8]

    @classmethod
    def of(cls, forwarding: Forwarding, engine: str, order: str = "id", passes: int = 0) -> Self:
        """Store the entries of a network."""
        header = ForwardingHeader(
            version=VERSION,
            topology=record_of(forwarding.topology),
            engine=engine,
            order=order,
            passes=passes,
            layers=forwarding.num_layers,
        )
        return cls(header, forwarding.ports.ravel(), forwarding.layers.ravel())

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """See `StoredTable`."""
        return {"port": self.port, "layer": self.layer}

    @cached_property
    def forwarding(self) -> Forwarding:
        """The entries on the network."""
        shape = (self.topology.num_nodes, self.topology.num_switches)
        return Forwarding(self.topology, self.port.reshape(shape), self.layer.reshape(shape))

    def check(self) -> None:
        """See `StoredTable`: there is an entry for every node and switch."""
        expected = self.topology.num_nodes * self.topology.num_switches
        if len(self.port) != expected:
            raise InvalidInput(
                f"{len(self.port):,} entries, but {self.topology} has {expected:,}: one for every "
                "node and switch"
            )

    def weighted_paths(self, name: str) -> "TablePaths":
        """See `StoredTable`."""
        return TablePaths(self.forwarding, name)

    def link_usage(self) -> NDArray[np.float64]:
        """See `StoredTable`."""
        return self.forwarding.loads.of_link.astype(np.float64)


@dataclass(frozen=True)
class TablePaths:
    """See `tvlb.table.kinds.WeightedPaths`: each has the share of nodes that it leads to."""

    forwarding: Forwarding
    text: str

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.forwarding.topology

    def sequences_from(self, source: int, *, by_cable: bool) -> SwitchSequences:
        """See `tvlb.forwarding.sequences_from`."""
        return sequences_from(self.forwarding, source, by_cable=by_cable)

    def __str__(self) -> str:
        return self.text


def circle_in_words(links: Sequence[str]) -> str:
    """Say that links wait for each other."""
    more = len(links) - _MOST_TOLD
    rest = f", and {more} more" if more > 0 else ""
    told = ", ".join(links[:_MOST_TOLD])
    return f"{len(links)} links wait for each other in a circle: {told}{rest}"
