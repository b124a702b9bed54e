"""The table for what failures leave of a network, from the table of the whole network.

The rule of the table, its path set and balancing, is applied to what is left: no probe and no
search. Held-out patterns then tell what that is worth beside the old table without the paths that
are down; or nothing is made anew and simulated, and the table is the old one without these.
"""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sim_bridge import Routing, SimulationConfig
from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.languages import Flag, Group, Names, Number, Texts, asked, check_settings, setting
from tvlb.paths import (
    PUBLISHED_RULE,
    RULE_SETTINGS,
    PathRows,
    RowSet,
    UgalRule,
    check_listable,
    parse_expression,
)
from tvlb.processes import Reporter, Stop, available_cores, check_workers, silent
from tvlb.processes.units import UnitCache, Units, own_units
from tvlb.requests.loading import Loading, OldTable, loading_notes
from tvlb.search.decision import is_better
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
    idle_notes,
)
from tvlb.search.windows import ROUTERS, Windows, parse_windows
from tvlb.search.workload import MAX_TRAFFIC, held_out_workload, parse_traffic
from tvlb.table import (
    AnyTable,
    RoutesBeside,
    StoredTable,
    StruckOut,
    Table,
    VcSettings,
    VerifyReport,
    check_deadlock,
    passing_rows,
    read_any_table,
    strike_out,
    verify,
)
from tvlb.topology import Failures, Topology, links_left, read_failures, without

NEW_TABLE = "the new table"
OLD_TABLE = "the old table without its dead paths"
"""What comparisons call the table by the rule, and the old one without the paths that are down."""

_OF_STRUCK = ("strike_only", "routing", "vcs", "vc_count")
_OWN_TRAFFIC = "adversarial and some benign patterns"


@dataclass(frozen=True)
class RepairOptions:
    """Settings of a repair; all but `workers` decide what the comparison says.

    Raises
    ------
    InvalidInput : a value is out of range.
    """

    strike_only: bool = setting(
        False, "Whether the table is the old one without its dead paths, nothing simulated", Flag()
    )
    routing: str = setting("ugal-l", "Routing that will use the table", Names(ADAPTIVE))
    traffic: tuple[str, ...] = setting(
        (), "What to compare on", Texts("PATTERN[:SHARE]", MAX_TRAFFIC), unset=_OWN_TRAFFIC
    )
    rebalance: float = setting(
        0.0,
        "Share of the entries of a forwarding table that may change besides, to lower the highest "
        "load of a link",
        Number(0.0, 1.0),
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
    table : by the rule of the old table, or the old one without the paths that are down.
    old : the old table, and what is left of it.
    report : of `table`, with the proof that no route deadlocks.
    held_out : the new table, the old one, and conventional UGAL; None where only paths are struck.
    struck, new : what loading the old table without its dead paths brings, and the new one, None
        without it.
    verdict : what follows, in the record that every surface shows.
    seconds : wall time by stage: build, compare.
    """

    options: RepairOptions
    table: AnyTable
    old: OldTable
    report: VerifyReport
    held_out: HeldOut | None
    struck: Loading
    new: Loading | None
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
    given = options or RepairOptions()
    topology = check_repair(old.topology, down, given)
    filled = replace(given, config=given.config.on(topology))
    striker = _Striker(old, topology, given.config.vc_scheme, filled)
    if given.strike_only:
        return striker.run()
    repairer = _Repairer(striker, _balancing(old), report)
    flag = stop or threading.Event()
    if unit_cache is not None:
        return repairer.run(Units(unit_cache, flag))
    with own_units(filled.worker_count, flag) as units:
        return repairer.run(units)


def check_repair(topology: Topology, failures: Failures, options: RepairOptions) -> Topology:
    """Return what failures leave of a network; computes nothing else.

    Raises
    ------
    InvalidInput : the failures do not fit the network, or lack some that it has already; a setting
        does not fit what is left, or is one of simulations where there are none.
    """
    left = what_is_left(topology, failures)
    if options.rebalance:
        raise InvalidInput("rebalance is given, which is for forwarding tables: this lists paths")
    config = options.config
    # More virtual channels than there are is what only conventional UGAL may need.
    roomy = _conventional(left, options)
    if options.strike_only:
        _check_struck(options)
        config.on(left).resolved_vc_count(left, options.routing)
    else:
        for one in (roomy, replace(config, vc_count=roomy.vc_count)):
            check_routers(left, options.routing, one, confirmation=options.windows)
    least = config.vcs_needed(left, Routing("min"), 1)
    if config.vc_count is not None and config.vc_count < least:
        raise InvalidInput(
            f"vc_count {config.vc_count} is too few: MIN paths of {left} alone need {least} "
            f"({config.on(left).vc_scheme})"
        )
    workload = parse_traffic(options.traffic)
    for pattern in () if workload is None else workload.patterns:
        # What a pattern needs of a network, no seed changes.
        pattern.outlined(left, 0).resolve(left, 0)
    return left


def what_is_left(topology: Topology, failures: Failures) -> Topology:
    """Return what failures leave of the network of a table.

    Raises
    ------
    InvalidInput : they do not fit the network, or lack some that it has already.
    """
    left = without(topology if topology.origin is None else topology.origin.network, failures)
    links_left(topology, left)
    return left


def _conventional(topology: Topology, options: RepairOptions) -> SimulationConfig:
    """Return the settings of routers by which conventional UGAL runs, free of deadlock.

    By the published rule, whatever the tables are simulated by.
    """
    config = replace(options.config, **dict.fromkeys(RULE_SETTINGS))
    if config.vc_count is None:
        return config
    needed = config.vcs_needed(topology, Routing(options.routing))
    return replace(config, vc_count=max(config.vc_count, needed))


def _check_struck(options: RepairOptions) -> None:
    """Raise InvalidInput if an option is given that only simulations have."""
    usual = asked(RepairOptions())
    for name, value in asked(options).items():
        if name not in _OF_STRUCK and value != usual[name]:
            raise InvalidInput(f"{name} is given, but with strike_only nothing is simulated")


def _balancing(table: Table) -> BalanceOptions | WeightOptions | None:
    """Return how a table was balanced."""
    if table.weights == "listed":
        raise InvalidInput(
            "the weights of the table follow from no rule that could be applied to what is left; "
            "strike out its dead paths with --strike-only, or search anew with tvlb table --without"
        )
    if isinstance(table.weights, WeightOptions):
        return table.weights
    return BalanceOptions() if len(table.removed) > 0 else None


@dataclass(frozen=True, eq=False)
class _Striker:
    """What both ways of a repair do.

    Attributes
    ----------
    topology : what is left of the network.
    scheme : of virtual channels, as it was asked for.
    options : with the settings of the routers filled in.
    """

    old: Table
    topology: Topology
    scheme: str | None
    options: RepairOptions

    def run(self) -> Repaired:
        """Make the old table without its dead paths."""
        watch = Stopwatch()
        with watch.stage("build"):
            old = self.struck()
            table = old.struck.table(self.old, VERSION)
            verified = verify(table, self.settings)
            struck = self.loading(OLD_TABLE, old.struck.rows, old, old.struck.left_out)
        verdict = VerdictRecord(
            expression=OLD_TABLE,
            replaces=False,
            sets=(),
            judgements=(),
            loads=(),
            cases="",
            vcs=struck.vcs_needed,
            vc_policy=struck.vc_policy,
            paths=struck.paths,
            balancing="",
            undecided_runs=0,
            notes=(
                f"Load {OLD_TABLE}, which is the table of this repair; nothing was simulated.",
                *loading_notes(struck, (), old, vc_count=self.settings.vc_count),
            ),
        )
        return Repaired(self.told, table, old, verified, None, struck, None, verdict, watch.seconds)

    @property
    def told(self) -> RepairOptions:
        """The options, with the rule of UGAL by which the tables are judged."""
        options, rule = self.options, self.old.ugal or PUBLISHED_RULE
        config = options.config.ruled(rule, Routing(options.routing))
        return replace(options, config=config)

    @property
    def settings(self) -> VcSettings:
        """How packets use the virtual channels."""
        config = self.options.config
        return VcSettings(config.vc_scheme, config.vc_count, Routing(self.options.routing))

    @property
    def _before(self) -> VcSettings:
        scheme = self.scheme or self.old.topology.vc_scheme
        return VcSettings(scheme, None, Routing(self.options.routing))

    def struck(self) -> OldTable:
        """Strike the dead paths out, and those that need too many virtual channels."""
        whole = strike_out(self.old, self.topology)
        passing = self.passing(lambda text: passing_rows(whole.rows, text))
        struck = whole if passing is None else strike_out(self.old, self.topology, passing)
        needed = check_deadlock(self.old.rows, self._before).vcs_needed
        none = struck.rows.filtered(np.zeros(len(struck.rows), dtype=bool))
        scheme = str(self._before.scheme)
        return OldTable(
            paths=len(self.old),
            struck=struck,
            vcs_needed=needed,
            vc_policy=scheme,
            least_vcs=check_deadlock(none, self.settings).vcs_needed,
            keeps_policy=scheme != self.settings.scheme and self._fits(whole.rows, needed),
        )

    def _fits(self, rows: PathRows, count: int) -> bool:
        """Whether by the policy of the old table rows take no more VCs and are free of deadlock."""
        found = check_deadlock(rows, self._before)
        return not found.cycle and found.vcs_needed <= count

    def passing(self, rows_of: Callable[[str | None], PathRows]) -> str | None:
        """Return the set that paths have to be in to need no more virtual channels than there are.

        Parameters
        ----------
        rows_of : returns the paths of such a set, or all.
        """
        count = self.settings.vc_count
        free = replace(self.settings, vc_count=None)
        if count is None:
            return None
        sets = (f"vcs({most},{free.scheme})" for most in range(count, 0, -1))
        for text in (None, *sets):
            if check_deadlock(rows_of(text), free).vcs_needed <= count:
                return text
        raise InvalidInput(
            f"vc_count {count} is too few: MIN paths of {self.topology} alone need more with "
            f"{self.options.routing}"
        )

    def loading(self, name: str, rows: PathRows, old: OldTable, left_out: int) -> Loading:
        """Return what it takes to load a table with such rows."""
        struck = old.struck
        beside = RoutesBeside(struck.minimal, struck.survivors, self._before)
        together = check_deadlock(rows, self.settings, beside)
        return Loading(
            name=name,
            paths=len(rows),
            left_out=left_out,
            vcs_needed=check_deadlock(rows, self.settings).vcs_needed,
            vc_policy=str(self.settings.scheme),
            bare=struck.bare(rows),
            changes=struck.changes(rows),
            cycle=together.cycle,
            keeps_policy=self._fits(rows, old.vcs_needed),
            labels=self.topology.labels,
        )


@dataclass(frozen=True, eq=False)
class _Repairer:
    striker: _Striker
    balancing: BalanceOptions | WeightOptions | None
    report: Reporter

    @property
    def table(self) -> Table:
        return self.striker.old

    @property
    def topology(self) -> Topology:
        return self.striker.topology

    @property
    def options(self) -> RepairOptions:
        return self.striker.options

    def run(self, units: Units) -> Repaired:
        watch, striker, seed = Stopwatch(), self.striker, self.table.header.seed
        with watch.stage("build"):
            old = striker.struck()
            expression, left_out = self._rule()
            (made,) = prepare(
                self.topology,
                [expression],
                self.balancing,
                seed=seed,
                units=units,
                report=self.report,
            )
            table = table_of(self.topology, made, seed, self._ugal)
            assert isinstance(table, Table)
            verified = verify(table, striker.settings)
            struck = striker.loading(OLD_TABLE, old.struck.rows, old, old.struck.left_out)
            new = striker.loading(NEW_TABLE, table.rows, old, left_out)
        with watch.stage("compare"):
            held_out = self._judged(made, old.struck, units)
        verdict = self._verdict(made, held_out, old, (new, struck))
        told = striker.told
        return Repaired(told, table, old, verified, held_out, struck, new, verdict, watch.seconds)

    @property
    def _ugal(self) -> UgalRule:
        """The rule of UGAL that the new table is judged by and made for."""
        return self.striker.told.config.rule

    def _rule(self) -> tuple[str, int]:
        """Return the path set of the new table, and how many paths it lacks for want of VCs."""
        expression, seed = self.table.header.expression, self.table.header.seed

        def rows_of(text: str | None) -> PathRows:
            within = expression if text is None else f"{expression} & {text}"
            return parse_expression(within, self.topology, seed).all_rows()

        check_listable(parse_expression(expression, self.topology, seed))
        passing = self.striker.passing(rows_of)
        if passing is None:
            return expression, 0
        return f"{expression} & {passing}", len(rows_of(None)) - len(rows_of(passing))

    def _verdict(
        self, made: Candidate, held_out: HeldOut, old: OldTable, tables: tuple[Loading, Loading]
    ) -> VerdictRecord:
        options, usual = self.options, self.topology.conventional_set
        hops = {NEW_TABLE: made.mean_hops, usual: conventional(self.topology, 0).mean_hops}
        judged = held_out.judgements
        replaces = is_better(judged[0])
        chosen, other = tables if replaces else tables[::-1]
        return VerdictRecord(
            expression=NEW_TABLE,
            replaces=replaces,
            sets=tuple(
                SetMeans.of(
                    called(self.topology, name) if name == usual else name,
                    held_out.by_load(name),
                    hops.get(name, math.nan),
                )
                for name in (one.candidate.name for one in held_out.sets)
            ),
            judgements=judged,
            loads=held_out.loads,
            cases=described_cases(list(map(str, held_out.workload.patterns))),
            vcs=options.config.resolved_vc_count(self.topology, options.routing),
            vc_policy=str(options.config.vc_scheme),
            paths=tables[0].paths,
            balancing=balancing_text(made.balance_report),
            undecided_runs=held_out.undecided,
            notes=(
                _advice(chosen),
                *loading_notes(chosen, (other,), old, vc_count=options.config.vc_count),
                self._conventional_vcs,
                *idle_notes(held_out.workload.first_round, self.topology, self.table.header.seed),
                self._ruled,
            ),
        )

    @property
    def _ruled(self) -> str:
        if self._ugal == PUBLISHED_RULE:
            return ""
        return f"Tables were simulated by {self._ugal}, conventional UGAL by {PUBLISHED_RULE}."

    @property
    def _conventional_vcs(self) -> str:
        count = self.options.config.vc_count
        roomy = _conventional(self.topology, self.options).vc_count
        if count == roomy:
            return ""
        return (
            f"Conventional UGAL needs {roomy} virtual channels and was simulated with these, the "
            f"tables with {count}."
        )

    def _judged(self, made: Candidate, struck: StruckOut, units: Units) -> HeldOut:
        options, seed = self.options, self.table.header.seed
        # Kept simulations are known by this text.
        passing = "" if struck.record.passing is None else f" & {struck.record.passing}"
        rows = RowSet(struck.rows, f"table {self.table.id} without dead paths{passing}")
        old = replace(Candidate.as_it_is(rows, seed), name=OLD_TABLE)
        named = parse_traffic(options.traffic)
        workload = (
            held_out_workload(
                self.topology, seed, rules=self.striker.told.config.rule != PUBLISHED_RULE
            )
            if named is None
            else named.settled(self.topology, seed).in_rounds()
        )
        usual = conventional(self.topology, seed)
        # By the rule that the table was made for, and conventional UGAL by its own.
        tables = [
            replace(one, ugal=self.table.ugal) for one in (replace(made, name=NEW_TABLE), old)
        ]
        return judge(
            [*tables, usual],
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
            own={usual.name: _conventional(self.topology, options)},
        )


def _advice(chosen: Loading) -> str:
    if chosen.name == NEW_TABLE:
        return f"Load {NEW_TABLE}, which is the table of this repair."
    return (
        f"Load {OLD_TABLE}, which tvlb repair --strike-only writes; the table of this repair is "
        f"{NEW_TABLE}."
    )
