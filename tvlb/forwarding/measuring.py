"""Measures routes as a request asks for it: EFI, EBB by size of job, a pattern, and bounds."""

from dataclasses import dataclass

from tvlb.errors import InvalidInput
from tvlb.forwarding.bounds import EfiBound, SplitEfi, efi_bound, split_efi, table_bound
from tvlb.forwarding.forwarding import Forwarding
from tvlb.forwarding.measures import (
    MAX_BISECTIONS,
    Routes,
    StreamRates,
    bandwidth_of,
    check_job,
    pattern_rates,
    shift_rates,
    streams_of,
)
from tvlb.languages import Flag, Names, Text, Whole, check_settings, setting
from tvlb.processes import Reporter, silent
from tvlb.statistics import MAX_SEED
from tvlb.topology import Topology
from tvlb.traffic import parse_pattern

_MOST_JOBS = 64


@dataclass(frozen=True)
class MeasureOptions:
    """What is measured; all but `workers` decides the figures.

    Attributes
    ----------
    workers : threads.

    Raises
    ------
    InvalidInput : a value is out of range.
    """

    bisections: int = setting(10_000, "Random bisections of the nodes", Whole(1, MAX_BISECTIONS))
    both: bool = setting(False, "Streams in both directions of a bisection", Flag())
    job: str = setting(
        "",
        "Sizes of jobs: every bisection draws so many nodes for itself",
        Text("N[,N...]"),
        unset="all nodes",
    )
    pattern: str = setting(
        "",
        "Pattern whose streams are measured too, and with it all shifts of nodes",
        Text("PATTERN"),
        unset="none",
    )
    bound: str | None = setting(
        None,
        "Bound on the EFI besides those that take no time: lp for that of routes that split",
        Names(("lp",)),
        unset="none",
    )
    seed: int = setting(0, "Keys all draws", Whole(0, MAX_SEED))
    workers: int = setting(1, "Threads", Whole(1), option=None)

    def __post_init__(self) -> None:
        check_settings(self)
        object.__setattr__(self, "job", ",".join(map(str, self.jobs)))

    @property
    def jobs(self) -> tuple[int, ...]:
        """Sizes of jobs; none for all nodes."""
        parts = self.job.replace(" ", "").split(",") if self.job else []
        if len(parts) > _MOST_JOBS:
            raise InvalidInput(f"{len(parts)} sizes of jobs; at most {_MOST_JOBS} are measured")
        for part in parts:
            if not (part.isascii() and part.isdigit() and len(part) <= 8 and int(part) >= 2):
                raise InvalidInput(f"job {part[:40]!r}: expected a number of nodes, 2 or more")
        return tuple(map(int, parts))

    def check(self, topology: Topology) -> None:
        """Raise InvalidInput where an option has no meaning on a network."""
        for job in self.jobs:
            check_job(topology, job)
        if self.pattern:
            pattern = parse_pattern(self.pattern).outlined(topology, self.seed)
            streams_of(pattern, topology, self.seed)


@dataclass(frozen=True, eq=False)
class Measured:
    """What routes are worth.

    Attributes
    ----------
    routes : the routes, with the loads of their links.
    bandwidth : under bisections, by size of job; of all nodes where none was asked for.
    pattern, shifts : rates of the streams of the pattern, and under all shifts of nodes.
    bound : on the EFI of any routes, or of any forwarding table where they are one.
    split_efi : EFI of routes that split; None where it was not asked for.
    """

    routes: Routes
    bandwidth: dict[int, StreamRates]
    pattern: StreamRates | None
    shifts: StreamRates | None
    bound: EfiBound
    split_efi: SplitEfi | None


def measure(
    routes: Routes, options: MeasureOptions | None = None, report: Reporter = silent
) -> Measured:
    """Measure routes.

    Raises
    ------
    InvalidInput : as `MeasureOptions.check`, or packets do not arrive.
    """
    asked, topology = options or MeasureOptions(), routes.topology
    asked.check(topology)
    bandwidth = {
        job: bandwidth_of(
            routes,
            asked.bisections,
            asked.seed,
            both=asked.both,
            job=job,
            workers=asked.workers,
            report=report,
        )
        for job in asked.jobs or (topology.num_nodes,)
    }
    pattern = shifts = None
    if asked.pattern:
        pattern = pattern_rates(routes, parse_pattern(asked.pattern), asked.seed)
        shifts = shift_rates(routes, workers=asked.workers, report=report)
    solved = split_efi(topology) if asked.bound == "lp" else None
    bound = (table_bound if isinstance(routes, Forwarding) else efi_bound)(topology)
    return Measured(routes, bandwidth, pattern, shifts, bound, solved)
