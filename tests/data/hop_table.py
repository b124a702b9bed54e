"""A kind of table of another package: the next link of every switch towards every other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tvlb.table import Header, StoredTable, TableKind, TableReport, VcSettings, record_of
from tvlb.table.kinds import findings_of
from tvlb.topology import Topology


class HopHeader(Header):
    """The header says what chose the links."""

    engine: str


@dataclass(frozen=True, eq=False)
class HopTable(StoredTable):
    """Columns by name: the link that a switch takes towards a target, and how many are left."""

    header: HopHeader
    columns: Mapping[str, NDArray[Any]]

    def arrays(self) -> Mapping[str, NDArray[Any]]:
        return self.columns


def hop_table(topology: Topology) -> HopTable:
    """Take the first link that is on a shortest path; every pair of switches is joined by one."""
    network = topology.network
    header = HopHeader(version="1", topology=record_of(topology), engine="first")
    rows = {"target": network.link_target, "switch": network.link_source}
    links = np.arange(topology.num_links, dtype=np.int32)
    return HopTable(header, {**rows, "link": links, "share": np.ones(len(links))})


def check(table: HopTable, settings: VcSettings) -> TableReport:
    starts = table.topology.network.link_source[table.columns["link"]]
    wrong = starts != table.columns["switch"]
    told = findings_of(wrong, lambda count, row: f"{count} links begin elsewhere, first row {row}")
    return TableReport.of(table, told)


HOPS = TableKind(
    name="hop table",
    made=HopTable,
    mark="hops",
    header=HopHeader,
    columns={name: np.dtype(np.int32) for name in ("target", "switch", "link")}
    | {"share": np.dtype(np.float64)},
    most_rows=lambda topology: topology.num_switches**2,
    load=lambda header, lists, columns: HopTable(header, columns),
    verify=check,
    summary=lambda table: {"id": table.id, "engine": table.header.engine},
)
KINDS = (HOPS,)
