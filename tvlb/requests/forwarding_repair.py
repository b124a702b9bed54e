"""Repairs of forwarding tables: what changes for failures, where, and in which order."""

import csv
import io
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tvlb.documents import Document, files, versions
from tvlb.errors import InvalidInput
from tvlb.forwarding import Forwarding, dependency_circle
from tvlb.forwarding.repair import BLOCK, BlockWrites, RepairedForwarding, repair_forwarding
from tvlb.languages import asked
from tvlb.processes import Reporter, silent
from tvlb.requests.common import Count, NonNegative
from tvlb.requests.repair import RepairOptions, what_is_left
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.table.lfts import assigned_lids
from tvlb.topology import Fabric, Failures, Topology

_OF_FORWARDING = ("rebalance",)


@dataclass(frozen=True, eq=False)
class RepairedTable:
    """A forwarding table for what failures left, as a repair tells it.

    Attributes
    ----------
    old, table : before and after.
    repaired : what was done.
    lids : int64 (nodes,), the LIDs of the nodes that are left, which count them from 1 where no
        fabric tells others.
    seconds : CPU time.
    """

    old: ForwardingTable
    table: ForwardingTable
    repaired: RepairedForwarding
    lids: NDArray[np.int64]
    seconds: float

    @cached_property
    def writes(self) -> BlockWrites:
        """The order of writes of blocks."""
        return self.repaired.block_writes((self.lids // BLOCK).astype(np.int32))

    @cached_property
    def circle_together(self) -> tuple[int, ...]:
        """Links that can wait for each other in a circle while old and new entries are mixed."""
        kept = Forwarding.of(self.table.topology, self.repaired.before)
        return dependency_circle(self.repaired.forwarding, kept, one_lane=True)


def repair_table(
    table: ForwardingTable,
    failures: Failures,
    options: RepairOptions,
    report: Reporter = silent,
    fabric: Fabric | None = None,
) -> RepairedTable:
    """Make the forwarding table for what failures left; see `repair_forwarding`.

    Parameters
    ----------
    fabric : of the network as it was, whose LIDs are meant.

    Raises
    ------
    InvalidInput : the failures do not fit the network, packets of the table do not arrive, an
        option is of other tables, or the fabric is another network.
    """
    left = check_entries_repair(table.topology, failures, options)
    lids = _lids(table.topology, left, fabric)
    start = time.process_time()
    found = repair_forwarding(table.forwarding, left, rebalance=options.rebalance, report=report)
    header = table.header
    made = ForwardingTable.of(found.forwarding, header.engine, header.order, header.passes)
    return RepairedTable(table, made, found, lids, time.process_time() - start)


def check_entries_repair(
    topology: Topology, failures: Failures, options: RepairOptions
) -> Topology:
    """Return what failures leave of the network of a forwarding table; computes nothing else.

    Raises
    ------
    InvalidInput : the failures do not fit the network, or an option is of other tables.
    """
    usual = asked(RepairOptions())
    for name, value in asked(options).items():
        if name not in _OF_FORWARDING and value != usual[name]:
            raise InvalidInput(f"{name} is given, which has no meaning for a forwarding table")
    return what_is_left(topology, failures)


def _lids(before: Topology, left: Topology, fabric: Fabric | None) -> NDArray[np.int64]:
    """Return the LIDs of the nodes that are left."""
    if fabric is None:
        return np.arange(left.num_nodes) + 1
    fabric.check_is(before)
    given = assigned_lids(fabric)[: before.num_nodes]
    stays = left.switch_nodes[before.network.node_switch] > 0
    return np.array([one.start for one in given])[stays]


class ChangedSwitch(Document):
    """What changes at a switch."""

    switch: Count
    name: str = Field(description="What messages call it: its number, with its label.")
    entries: Count = Field(description="Entries that change.")
    blocks: Count = Field(
        description="Blocks of 64 LIDs that these are in; LIDs count nodes from 1 without a fabric."
    )


class ForwardingRepairDocument(Document):
    """The forwarding table for what failures left, and what loading it takes."""

    topology: str = Field(description="What is left of the network.")
    table_id: str = Field(description="Id of the new table, SHA-256, hex.")
    old_table_id: str = Field(description="Id of the old one.")
    entries: Count = Field(description="Entries of the new table.")
    must_change: Count = Field(
        description="Entries whose link is down, or leads on no way that is allowed."
    )
    changed: Count = Field(description="Entries that change.")
    changed_share: float = Field(ge=0.0, le=1.0, description="Share of all entries.")
    switches: tuple[ChangedSwitch, ...] = Field(description="Where, by number.")
    blocks: Count = Field(description="Blocks of 64 LIDs with entries that change.")
    block_writes: Count = Field(
        description="Writes of blocks, in an order in which no packet circles; a block is written "
        "more than once if its entries must not change together."
    )
    efi_before: Count = Field(description="EFI of the old table on its network, routes.")
    efi: Count = Field(description="EFI of the new one.")
    layers: Count = Field(description="Layers of virtual channels of the new table.")
    in_one_lane: bool = Field(description="Whether the old table can not deadlock in one lane.")
    reoriented: bool = Field(
        description="Whether routes take links in another order, since the old one leaves some "
        "switch no way."
    )
    free_of_deadlock_together: bool = Field(
        description="Whether packets can not deadlock in one lane, by whatever mixture of old and "
        "new entries they go."
    )
    seconds: NonNegative = Field(description="CPU time without reading and writing, seconds.")
    provenance: dict[str, str] = Field(description="Versions of the software that matters.")

    @classmethod
    def of(cls, found: RepairedTable) -> Self:
        """Return the document of a repair."""
        repaired, table = found.repaired, found.table
        changed = len(repaired.changes[0])
        return cls(
            topology=str(table.topology),
            table_id=table.id,
            old_table_id=found.old.id,
            entries=repaired.entries,
            must_change=repaired.must_change,
            changed=changed,
            changed_share=changed / max(repaired.entries, 1),
            switches=tuple(_by_switch(found)),
            blocks=found.writes.blocks,
            block_writes=len(found.writes.switch),
            efi_before=int(found.old.forwarding.loads.efi),
            efi=int(repaired.forwarding.loads.efi),
            layers=table.header.layers,
            in_one_lane=repaired.in_one_lane,
            reoriented=repaired.reoriented,
            free_of_deadlock_together=not found.circle_together,
            seconds=found.seconds,
            provenance=versions(),
        )


def _by_switch(found: RepairedTable) -> list[ChangedSwitch]:
    topology, writes = found.table.topology, found.writes
    entries = np.bincount(found.repaired.changes[1], minlength=topology.num_switches)
    pairs = np.unique(np.stack([writes.switch, writes.block]), axis=1)
    blocks = np.bincount(pairs[0], minlength=topology.num_switches)
    return [
        ChangedSwitch(
            switch=switch,
            name=topology.called(switch),
            entries=int(entries[switch]),
            blocks=int(blocks[switch]),
        )
        for switch in np.flatnonzero(entries).tolist()
    ]


def write_updates(found: RepairedTable, path: Path | str) -> None:
    """Write the entries that change as CSV, in an order that may be followed, a line each.

    Columns: step; the write of a block that makes the change, from 0; switch; destination node and
    its LID; the link and the switch that packets go to from then on. Sorted by write, they are the
    order of blocks. The closing comment tells a complete file.

    Raises
    ------
    InvalidInput : the path cannot be written.
    """
    nodes, switches = found.repaired.changes
    links = found.repaired.forwarding.links()[nodes, switches]
    target = found.table.topology.network.link_target[links]
    columns = (found.writes.of_change, switches, nodes, found.lids[nodes], links, target)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["step", "write", "switch", "destination", "lid", "link", "next_switch"])
    rows = zip(*(one.tolist() for one in columns), strict=True)
    writer.writerows((step, *row) for step, row in enumerate(rows))
    with files.atomic_file(Path(path)) as stream:
        stream.write(f"# tvlb updates of {found.old.id} to {found.table.id}\n".encode())
        stream.write(text.getvalue().encode())
        stream.write(b"# end of updates\n")
