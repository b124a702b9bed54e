"""The table for what failures leave of a network, from the table of the whole network.

The rule of the table, its path set and balancing, is applied to what is left: no probe and no
search. Held-out patterns then tell what that is worth beside the old table without the paths that
are down.
"""

import math
import threading
from dataclasses import dataclass, replace

from sim_bridge import Routing, SimulationConfig
from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.errors import InvalidInput
from tvlb.languages import Group, Names, Texts, check_settings, setting
from tvlb.paths import RowSet
from tvlb.processes import Reporter, Stop, available_cores, check_workers, silent
from tvlb.processes.units import UnitCache, Units, own_units
from tvlb.search.held_out import HeldOut, judge
from tvlb.search.objective import REFERENCE_LOAD
from tvlb.search.options import ADAPTIVE
from tvlb.search.preparation import Candidate, conventional, prepare
from tvlb.search.routers import check_routers
from tvlb.search.tables import table_of
from tvlb.search.task import Stopwatch
from tvlb.search.verdict import (
    SetMeans,
    VerdictRecord,
    balancing_text,
    called,
    described_cases,
)
from tvlb.search.windows import ROUTERS, Windows, parse_windows
from tvlb.search.workload import MAX_TRAFFIC, held_out_workload, parse_traffic
from tvlb.table import (
    AnyTable,
    StoredTable,
    StruckOut,
    Table,
    VcSettings,
    VerifyReport,
    read_any_table,
    strike_out,
    verify,
)
from tvlb.topology import Failures, Topology, read_failures, without

NEW_TABLE = "the new table"
OLD_TABLE = "the old table without its dead paths"
"""What comparisons call the table by the rule, and the old one without the paths that are down."""

_OWN_TRAFFIC = "adversarial and some benign patterns"


@dataclass(frozen=True)
class RepairOptions:
    """Settings of a repair; all but `workers` decide what the comparison says.

    Raises
    ------
    InvalidInput : a value is out of range.
    """

    routing: str = setting("ugal-l", "Routing that will use the table", Names(ADAPTIVE))
    traffic: tuple[str, ...] = setting(
        (), "What to compare on", Texts("PATTERN[:SHARE]", MAX_TRAFFIC), unset=_OWN_TRAFFIC
    )
    windows: Windows = setting(
        Windows(2_000, 2_000, 0.01),
        "Windows (cycles) of simulations, and grid of saturation loads",
        Group(Windows, parse_windows, "WARMUP,CYCLES,GRID"),
        option="confirmation",
    )
    config: SimulationConfig = setting(
        SimulationConfig(),
        "Settings of the routers that are simulated",
        ROUTERS,
        option=None,
    )
    workers: int | None = None

    def __post_init__(self) -> None:
        check_settings(self)
        if self.workers is not None:
            check_workers(self.workers)
        parse_traffic(self.traffic)

    @property
    def worker_count(self) -> int:
        """Worker processes of the comparison."""
        return self.workers if self.workers is not None else available_cores()


@dataclass(frozen=True, eq=False)
class Repaired:
    """A table for what failures left.

    Attributes
    ----------
    options : the question, with the settings of the routers filled in.
    table : by the rule of the old table.
    struck : the old table without the paths that are down.
    report : of the new table, with the proof that no route deadlocks.
    held_out : the new table, the old one, and conventional UGAL.
    verdict : what follows, in the record that every surface shows.
    seconds : wall time by stage: build, compare.
    """

    options: RepairOptions
    table: AnyTable
    struck: StruckOut
    report: VerifyReport
    held_out: HeldOut
    verdict: VerdictRecord
    seconds: dict[str, float]


def repair(
    table: StoredTable | str,
    failures: Failures | str,
    options: RepairOptions | None = None,
    *,
    report: Reporter = silent,
    stop: Stop | None = None,
    unit_cache: UnitCache | None = None,
) -> Repaired:
    """Make the table of a network anew for what failures leave of it.

    Parameters
    ----------
    table : of the network with all its cables and switches; its seed is that of the new one.
        Also the path of its file.
    failures : what is down, or the path of a file that says so.
    report, stop, unit_cache : as of `tvlb.search.optimize`. The stages that are reported are
        balance and compare.

    Raises
    ------
    InvalidInput : the failures do not fit the network, a setting does not fit what is left, or the
        table is compact or has weights that follow from no rule; checked before any work.
    SimulationDeadlock, WorkerLost, Cancelled : as of `tvlb.search.optimize`.
    """
    old = read_any_table(table) if isinstance(table, str) else table
    down = read_failures(failures) if isinstance(failures, str) else failures
    if not isinstance(old, Table):
        raise InvalidInput(old.kind.no_repair)
    asked = options or RepairOptions()
    topology = check_repair(old.topology, down, asked)
    settings = replace(asked, config=asked.config.on(topology))
    repairer = _Repairer(old, topology, _balancing(old), settings, report)
    flag = stop or threading.Event()
    if unit_cache is not None:
        return repairer.run(Units(unit_cache, flag))
    with own_units(settings.worker_count, flag) as units:
        return repairer.run(units)


def check_repair(topology: Topology, failures: Failures, options: RepairOptions) -> Topology:
    """Return what failures leave of a network; computes nothing else.

    Raises
    ------
    InvalidInput : the failures do not fit the network, or a setting does not fit what is left.
    """
    left = without(topology, failures)
    check_routers(left, options.routing, options.config, confirmation=options.windows)
    workload = parse_traffic(options.traffic)
    for pattern in () if workload is None else workload.patterns:
        pattern.resolve(left, 0)  # what a pattern needs of a network, no seed changes
    return left


def _balancing(table: Table) -> BalanceOptions | WeightOptions | None:
    """Return how a table was balanced."""
    if table.weights == "listed":
        raise InvalidInput(
            "the weights of the table follow from no rule that could be applied to what is left; "
            "search anew with tvlb table --without"
        )
    if isinstance(table.weights, WeightOptions):
        return table.weights
    return BalanceOptions() if len(table.removed) > 0 else None


@dataclass(frozen=True, eq=False)
class _Repairer:
    table: Table
    topology: Topology
    balancing: BalanceOptions | WeightOptions | None
    options: RepairOptions
    report: Reporter

    def run(self, units: Units) -> Repaired:
        watch = Stopwatch()
        seed = self.table.header.seed
        with watch.stage("build"):
            struck = strike_out(self.table, self.topology)
            (made,) = prepare(
                self.topology,
                [self.table.header.expression],
                self.balancing,
                seed=seed,
                units=units,
                report=self.report,
            )
            new = table_of(self.topology, made, seed)
            verified = verify(new, self._vcs)
        with watch.stage("compare"):
            held_out = self._judged(made, struck, units)
        verdict = self._verdict(made, verified, held_out)
        return Repaired(self.options, new, struck, verified, held_out, verdict, watch.seconds)

    def _verdict(self, made: Candidate, verified: VerifyReport, held_out: HeldOut) -> VerdictRecord:
        options, usual = self.options, self.topology.conventional_set
        hops = {NEW_TABLE: made.mean_hops, usual: conventional(self.topology, 0).mean_hops}
        judged = held_out.judgements
        return VerdictRecord(
            expression=NEW_TABLE,
            replaces=judged[0].verdict.is_gain,
            sets=tuple(
                SetMeans.of(
                    called(self.topology, name) if name == usual else name,
                    [held_out.measured(name, load) for load in range(len(held_out.loads))],
                    hops.get(name, math.nan),
                )
                for name in (one.candidate.name for one in held_out.sets)
            ),
            judgements=judged,
            loads=held_out.loads,
            cases=described_cases(list(map(str, held_out.workload.patterns))),
            vcs=options.config.resolved_vc_count(self.topology, options.routing),
            vc_policy=str(options.config.vc_scheme),
            paths=verified.paths,
            balancing=balancing_text(made.balance_report),
            undecided_runs=held_out.undecided,
        )

    @property
    def _vcs(self) -> VcSettings:
        config = self.options.config
        return VcSettings(config.vc_scheme, config.vc_count, Routing(self.options.routing))

    def _judged(self, made: Candidate, struck: StruckOut, units: Units) -> HeldOut:
        options, seed = self.options, self.table.header.seed
        # Kept simulations are known by this text.
        rows = RowSet(struck.rows, f"table {self.table.id} without dead paths")
        old = replace(Candidate.as_it_is(rows, seed), name=OLD_TABLE)
        named = parse_traffic(options.traffic)
        workload = held_out_workload(self.topology, seed) if named is None else named.in_rounds()
        usual = conventional(self.topology, seed)
        return judge(
            [replace(made, name=NEW_TABLE), old, usual],
            [OLD_TABLE, usual.name],
            workload,
            (REFERENCE_LOAD, 2 * REFERENCE_LOAD),
            {},
            routing=options.routing,
            config=options.config,
            windows=options.windows,
            seed=seed,
            units=units,
            report=self.report,
        )
