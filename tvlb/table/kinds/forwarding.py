"""Forwarding tables: one port per destination node and switch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.forwarding import NO_PORT, Forwarding, dependency_circle
from tvlb.table.deadlock import VcSettings
from tvlb.table.kinds import Finding, Header, StoredTable, TableKind, TableReport
from tvlb.table.networks import record_of

_COLUMNS = {"port": np.dtype(np.uint8), "layer": np.dtype(np.uint8)}
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

    def link_usage(self) -> NDArray[np.float64]:
        """See `StoredTable`."""
        return self.forwarding.loads.of_link.astype(np.float64)


def _verify(table: ForwardingTable, _: VcSettings) -> TableReport:
    loads = table.forwarding.loads
    found: list[Finding] = []
    if loads.holes:
        found.append(Finding(loads.holes, f"{loads.holes:,} entries name no link of their switch"))
    if loads.lost_pairs:
        text = f"packets of {loads.lost_pairs:,} pairs of nodes do not arrive"
        found.append(Finding(loads.lost_pairs, text))
    if circle := dependency_circle(table.forwarding):
        found.append(Finding(1, f"packets can deadlock: {_in_words(table, circle)}"))
    return TableReport.of(table, found)


def _in_words(table: ForwardingTable, circle: Sequence[int]) -> str:
    """Say which links wait for each other, by the names of switches."""
    network, called = table.topology.network, table.topology.called
    cables = [
        f"{called(int(network.link_source[link]))} -> {called(int(network.link_target[link]))}"
        for link in circle[:_MOST_TOLD]
    ]
    more = len(circle) - len(cables)
    rest = f", and {more} more" if more else ""
    return f"{len(circle)} links wait for each other in a circle: {', '.join(cables)}{rest}"


def _summary(table: ForwardingTable) -> dict[str, Any]:
    header, loads = table.header, table.forwarding.loads
    return {
        "id": table.id,
        "topology": str(table.topology),
        "engine": header.engine,
        "order": header.order,
        "passes": header.passes,
        "layers": header.layers,
        "nodes": table.topology.num_nodes,
        "switches": table.topology.num_switches,
        "efi": loads.efi,
        "efi_links": loads.efi_links,
        "mean_load": loads.mean_load,
        "hops_mean": loads.hops_mean,
        "minimal_share": loads.minimal_share,
    }


FORWARDING = TableKind(
    name="forwarding table",
    made=ForwardingTable,
    mark="forwarding",
    header=ForwardingHeader,
    columns=_COLUMNS,
    most_rows=lambda topology: topology.num_nodes * topology.num_switches,
    load=lambda header, _, columns: ForwardingTable(header, **columns),
    verify=_verify,
    summary=_summary,
    row="a port and a layer",
    no_repair="forwarding tables cannot be repaired yet",
)
KINDS = (FORWARDING,)
