"""Measures of routes: those of a forwarding table, or MIN and VLB paths by fixed shares."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tvlb.errors import InvalidInput
from tvlb.forwarding import Measured, MeasureOptions, Routes, SplitRoutes
from tvlb.forwarding import measure as measured
from tvlb.forwarding.measures import check_job
from tvlb.paths import PathSet
from tvlb.processes import Reporter, available_cores, check_workers, silent
from tvlb.table import (
    ForwardingTable,
    StoredTable,
    forwarding_of,
    parse_path_set,
)
from tvlb.topology import Topology, as_topology


@dataclass(frozen=True, eq=False)
class Measurement:
    """What routes are worth.

    Attributes
    ----------
    table : whose routes they are; None for paths.
    options : what was asked for.
    found : the figures.
    seconds : wall time by stage.
    """

    table: ForwardingTable | None
    options: MeasureOptions
    found: Measured
    seconds: Mapping[str, float]

    def __repr__(self) -> str:
        loads, bandwidth = self.found.routes.loads, next(iter(self.found.bandwidth.values()))
        return (
            f"<Measurement of {self.found.routes.topology}: EFI {loads.efi:g}, "
            f"EBB {bandwidth.mean:.4f}>"
        )


def check_measure(topology: Topology, options: MeasureOptions) -> None:
    """Raise InvalidInput where something cannot be measured on a network."""
    options.check(topology)
    check_job(topology, topology.num_nodes)


def check_shares(vlb: object, min_share: float | None) -> None:
    """Raise InvalidInput where VLB paths and the share of MIN paths do not come together."""
    if vlb is not None and min_share is None:
        raise InvalidInput(f"vlb {vlb}: give min_share, the share of MIN paths, 0..1")
    if vlb is None and min_share is not None:
        raise InvalidInput(f"min_share {min_share:g} has no meaning without vlb: all is MIN")


def measure(
    topology: Topology | str | None = None,
    options: MeasureOptions | None = None,
    *,
    table: ForwardingTable | None = None,
    vlb: PathSet | str | None = None,
    min_share: float | None = None,
    workers: int | None = None,
    report: Reporter = silent,
) -> Measurement:
    """Measure the routes of a forwarding table, or MIN paths and VLB paths by fixed shares.

    Parameters
    ----------
    topology : also as the text that commands take; None for that of the table.
    options : bisections, sizes of jobs and so on; None for the defaults.
    table : the forwarding table; None for paths.
    vlb, min_share : VLB paths, and the share of MIN paths beside them; None for MIN paths alone.
    workers : threads; None for one per core. Figures do not depend on it.
    report : called with `Progress` events.

    Raises
    ------
    InvalidInput : an option is out of range on the network, the table is of another one, or packets
        do not arrive.

    Examples
    --------
    >>> from tvlb.requests.routing import route
    >>> measure(table=route("2,4,2,9").table, options=MeasureOptions(bisections=100))
    <Measurement of dfly(2,4,2,9): EFI 102, EBB 0.7080>
    """
    count = available_cores() if workers is None else workers
    check_workers(count)
    asked = replace(options or MeasureOptions(), workers=count)
    if table is None and topology is None:
        raise InvalidInput("nothing to measure: give a network or a forwarding table")
    network = (
        table.topology if topology is None and table is not None else as_topology(topology or "")
    )
    check_measure(network, asked)
    if table is not None:
        forwarding = forwarding_of(table, "the table", network)
        if vlb is not None or min_share is not None:
            raise InvalidInput(
                "a forwarding table has routes of its own: vlb has no meaning with it"
            )
        return measurement(forwarding, asked, table, report)
    paths = parse_path_set(vlb, network, asked.seed) if isinstance(vlb, str) else vlb
    return measurement(split_routes(network, paths, min_share), asked, None, report)


def split_routes(topology: Topology, vlb: PathSet | None, min_share: float | None) -> SplitRoutes:
    """Return MIN paths, or with VLB paths both by their shares; raises as `check_shares`."""
    check_shares(vlb, min_share)
    if vlb is None or min_share is None:
        return SplitRoutes(parse_path_set("none", topology), 1.0)
    return SplitRoutes(vlb, min_share)


def forwarding_table(table: StoredTable, name: str, topology: Topology) -> ForwardingTable:
    """Return a forwarding table of a network; raises as `forwarding_of`."""
    forwarding_of(table, name, topology)
    assert isinstance(table, ForwardingTable)
    return table


def measurement(
    routes: Routes, options: MeasureOptions, table: ForwardingTable | None, report: Reporter
) -> Measurement:
    """Measure routes; the time that it took is told."""
    start = time.perf_counter()
    found = measured(routes, options, report)
    return Measurement(table, options, found, {"measure": time.perf_counter() - start})
