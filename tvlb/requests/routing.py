"""A forwarding table made of a network, and what it took."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from tvlb.forwarding import RouteOptions
from tvlb.forwarding import route as entries_of
from tvlb.processes import Reporter, silent
from tvlb.table import ForwardingTable
from tvlb.topology import Topology, as_topology


@dataclass(frozen=True, eq=False)
class RoutedTable:
    """A forwarding table that was made.

    Attributes
    ----------
    table : the table; `tvlb.write_table` writes it.
    options : what was asked for; of the order `auto` the table tells the better one.
    seconds : wall time by stage.
    """

    table: ForwardingTable
    options: RouteOptions
    seconds: Mapping[str, float]

    def __repr__(self) -> str:
        loads = self.table.forwarding.loads
        return f"<RoutedTable of {self.table.topology}, EFI {loads.efi} on {loads.efi_links} links>"


def route(
    topology: Topology | str, options: RouteOptions | None = None, *, report: Reporter = silent
) -> RoutedTable:
    """Make the forwarding table of a network: an entry for every switch and destination node.

    Parameters
    ----------
    topology : also as the text that commands take.
    options : engine, order of destinations and so on; None for the defaults.
    report : called with `Progress` events.

    Raises
    ------
    InvalidInput : the engine cannot route the network, or a switch has more than 255 links.

    Examples
    --------
    >>> from tvlb.forwarding import RouteOptions
    >>> route("2,4,2,9", RouteOptions(order="interleave"))
    <RoutedTable of dfly(2,4,2,9), EFI 86 on 4 links>
    """
    network, asked = as_topology(topology), options or RouteOptions()
    start = time.perf_counter()
    found = entries_of(network, asked, report)
    table = ForwardingTable.of(found.forwarding, asked.engine, str(found.order), asked.passes)
    return RoutedTable(table, asked, {"route": time.perf_counter() - start})
