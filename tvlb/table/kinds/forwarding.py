"""Forwarding tables: one port per destination node and switch."""

from typing import Any

import numpy as np

from tvlb.forwarding import MOST_ENTRIES
from tvlb.table.audit import audit
from tvlb.table.forwarding_table import ForwardingHeader, ForwardingTable
from tvlb.table.kinds import TableKind

_COLUMNS = {"port": np.dtype(np.uint8), "layer": np.dtype(np.uint8)}


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
    verify=lambda table, _: audit(table),
    summary=_summary,
    row="a port and a layer",
    most_in_file=MOST_ENTRIES,
    no_repair="forwarding tables are repaired by tvlb repair, entry by entry",
    formats=("parquet", "json"),
)
KINDS = (FORWARDING,)
