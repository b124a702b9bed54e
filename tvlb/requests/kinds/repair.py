"""Repairs: a stored table made anew by its rule for what failures left of its network.

Of forwarding tables only the entries change that have to.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field

from tvlb.documents import Document, versions
from tvlb.errors import InvalidInput
from tvlb.languages import asked, made, one_of
from tvlb.processes import Reporter, Stages
from tvlb.requests import (
    Answer,
    Context,
    Examination,
    Form,
    Link,
    Question,
    RequestKind,
    RequestLimits,
    StoredResult,
    TableBody,
)
from tvlb.requests.common import Count, Load, NonNegative, OptionalKey
from tvlb.requests.cost import Cost, entries_repair_cost, repair_cost
from tvlb.requests.forwarding_repair import (
    ForwardingRepairDocument,
    check_entries_repair,
    repair_table,
)
from tvlb.requests.kinds.route import RouteBody
from tvlb.requests.loading import LoadingDocument
from tvlb.requests.repair import Repaired, RepairOptions, check_repair, repair
from tvlb.requests.request import (
    FAILURES_FILE,
    TABLE_FILE,
    AnyNetwork,
    description_of,
    network_in,
    network_of,
)
from tvlb.requests.settings import with_options, with_settings
from tvlb.requests.stored_tables import about
from tvlb.requests.texts import told_digits
from tvlb.requests.verdict import VerdictDocument
from tvlb.search import traffic_texts
from tvlb.table import COMPACT_REFUSED, FORWARDING, ForwardingTable, table_formats
from tvlb.topology import ExplicitTopology, Failures, Topology


class RepairBody(with_options(Question, RepairOptions)):
    """Rebuild a stored table by its rule for what failures left of its network.

    Or only strike out its paths that are down. Of a forwarding table the entries change that have
    to.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"table": "9b6c" * 16, "without": {"links": [[0, 4]], "switches": []}}]
        }
    )
    kind: ClassVar[str] = "repair"

    table: Annotated[
        str,
        Field(
            pattern="^[0-9a-f]{64}$",
            description="Id of the table, forwarding table or repair; its network may have some of "
            "the failures.",
        ),
        told_digits(64),
    ]
    without: Annotated[Failures, Field(description="What of its network is down.")]
    topology: Annotated[
        AnyNetwork | None, Field(description="The network of the table; null for just that.")
    ] = None

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    @classmethod
    def of(cls, table: str, failures: Failures, options: RepairOptions) -> Self:
        """Return the request for a repair; raises InvalidInput where a request cannot ask for it.

        Parameters
        ----------
        table : its id at the server.
        """
        return cls(table=table, without=failures, **asked(options))

    def options(self, workers: int | None = None) -> RepairOptions:
        """Return the settings of the repair."""
        return made(RepairOptions, dict(self), workers=workers)

    def arguments(self) -> list[str] | None:
        """See `Question.arguments`."""
        return [TABLE_FILE, "--without", FAILURES_FILE]

    def usual(self) -> dict[str, Any]:
        """See `Question.usual`; the table tells its network."""
        return super().usual() | {"topology": self.topology}

    def about(self, network: Any) -> Self:
        """Return the request with the network of its table, which is given in JSON.

        Raises
        ------
        InvalidInput : it is another network than the request says.
        """
        known = about(self, network)
        assert known.topology is not None
        if self.topology is not None and _canonical(self.topology) != _canonical(known.topology):
            there = description_of(known.topology)
            raise InvalidInput(f"topology {description_of(self.topology)}: the table is of {there}")
        return known

    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """See `Question.examined`; of a request with the network of its T-VLB table."""
        return self._examined(limits, check_repair, repair_cost)

    def examined_entries(
        self, limits: RequestLimits | None = None, *, in_one_lane: bool
    ) -> tuple[Self, Cost]:
        """Return the same of a request with the network of its forwarding table.

        Parameters
        ----------
        in_one_lane : whether that was made for one lane.
        """
        estimate = partial(entries_repair_cost, in_one_lane=in_one_lane)
        return self._examined(limits, check_entries_repair, estimate)

    def _examined(
        self,
        limits: RequestLimits | None,
        check: Callable[[Topology, Failures, RepairOptions], Topology],
        estimate: Callable[[Topology, RepairOptions], Cost],
    ) -> tuple[Self, Cost]:
        if self.topology is None:
            raise InvalidInput(f"the network of the table {self.table} is not known")
        options = self.options()
        left = check(network_of(self.topology, limits), self.without, options)
        cost = estimate(left, options)
        if limits is not None:
            limits.check_cost(cost)
        resolved = {"without": self.without.canonical(), "traffic": traffic_texts(self.traffic)}
        return self.model_copy(update=resolved), cost


def _canonical(topology: str | ExplicitTopology) -> str | ExplicitTopology:
    """Return what names a network, as it prints."""
    if isinstance(topology, str):
        return str(description_of(topology))
    return topology.canonical()


class RepairParameters(with_settings(Document, RepairOptions)):
    """The options of a repair that decide what its comparison says."""


class RepairDocument(Document):
    """The table for what failures left, and what it is worth beside the old one.

    The table is new, by the rule of the old one, or the old one without its dead paths.
    """

    topology: str = Field(description="What is left of the network.")
    table_id: str = Field(description="Id of the table, SHA-256, hex.")
    expression: str = Field(description="Path set of both tables before balancing.")
    paths: Count = Field(description="Paths of the table.")
    load: OptionalKey[Literal["new", "struck"]] = Field(
        None, description="Which table to load: the new one, or the old one without dead paths."
    )
    old_vcs_needed: OptionalKey[Count] = Field(
        None, description="Virtual channels that the old table needs on its own network."
    )
    struck: OptionalKey[LoadingDocument] = Field(
        None, description="The old table without its dead paths."
    )
    new: OptionalKey[LoadingDocument] = Field(
        None, description="The new table by the rule; absent where dead paths were only struck out."
    )
    struck_paths: Count = Field(description="Paths of the old table that are down.")
    pairs_without_paths: Count = Field(
        description="Pairs of switches that are up and lost all VLB paths of the old table."
    )
    pairs_without_min_paths: Count = Field(
        description="Pairs of switches that are up and lost all MIN paths; they have others now."
    )
    ok: bool = Field(description="Whether the table passed verification.")
    vcs_needed: Count = Field(description="Virtual channels that the table needs.")
    deadlock_free: bool = Field(description="Whether no route of it can take part in a deadlock.")
    patterns: tuple[str, ...] = Field(
        description="Patterns of the comparison; none where nothing was simulated."
    )
    loads: tuple[Load, ...] = Field(
        description="Where latencies were compared, packets/cycle/node."
    )
    parameters: OptionalKey[RepairParameters] = Field(
        None, description="What was asked for, with the routers that were simulated."
    )
    verdict: OptionalKey[VerdictDocument] = Field(
        None,
        description="The new table against the old one without dead paths, and against all paths, "
        "and what loading either brings; absent in documents of earlier versions.",
    )
    timings: dict[str, NonNegative] = Field(description="Wall time by stage, seconds.")
    provenance: dict[str, str] = Field(description="Versions of the software that matters.")

    @classmethod
    def of(cls, repaired: Repaired) -> Self:
        """Return the document of a repair."""
        table, struck, report = repaired.table, repaired.old.struck, repaired.report
        held_out = repaired.held_out
        known: dict[str, Any] = {
            "topology": str(table.topology),
            "table_id": table.id,
            "expression": table.header.expression,
            "paths": report.paths,
            "load": "new" if repaired.verdict.replaces else "struck",
            "old_vcs_needed": repaired.old.vcs_needed,
            "struck": LoadingDocument.of(repaired.struck),
            "struck_paths": struck.struck,
            "pairs_without_paths": struck.pairs_without_paths,
            "pairs_without_min_paths": struck.pairs_without_min_paths,
            "ok": report.ok,
            "vcs_needed": report.vcs_needed,
            "deadlock_free": not report.cycle,
            "patterns": () if held_out is None else map(str, held_out.workload.first_round),
            "loads": () if held_out is None else held_out.loads,
            "parameters": RepairParameters.model_validate(repaired.options),
            "verdict": VerdictDocument.of(repaired.verdict),
            "timings": repaired.seconds,
            "provenance": versions(),
        }
        if repaired.new is not None:
            known["new"] = LoadingDocument.of(repaired.new)
        return cls.model_validate(known)


class _Listed(Document):
    topology: str = Field(description="What is left of the network.")
    table_id: str = Field(description="Id of the new table.")
    verdict: OptionalKey[VerdictDocument] = Field(None, description="As in the document.")
    changed: OptionalKey[Count] = Field(None, description="Of a forwarding table, as there.")
    entries: OptionalKey[Count] = Field(None, description="Of a forwarding table, as there.")


def _named(body: RepairBody, context: Context) -> StoredResult:
    return context.result(body.table, TableBody.kind, RouteBody.kind, RepairBody.kind)


def _examine(body: RepairBody, limits: RequestLimits | None, context: Context) -> Examination:
    found = _named(body, context)
    known = body.about(network_in(found.request))
    if found.tables == FORWARDING.name:
        document = found.read_document()
        asked_lanes = document.get("parameters", {}).get("max_layers")
        in_one_lane = document.get("in_one_lane", asked_lanes == 1)
        return Examination(*known.examined_entries(limits, in_one_lane=in_one_lane))
    if found.read_document().get("table", {}).get("form") == "compact":
        raise InvalidInput(COMPACT_REFUSED)
    return Examination(*known.examined(limits))


def _compute(body: RepairBody, context: Context, report: Reporter) -> Answer:
    table = _named(body, context).read_table()
    if isinstance(table, ForwardingTable):
        made = repair_table(table, body.without, body.options(), report)
        document = ForwardingRepairDocument.of(made).plain()
        return Answer(document, {"repair": made.seconds}, table=made.table)
    if body.strike_only:
        found = repair(table, body.without, body.options(), report=report)
        return Answer(RepairDocument.of(found).plain(), found.seconds, table=found.table)
    with context.unit_cache() as unit_cache:
        found = repair(table, body.without, body.options(), report=report, unit_cache=unit_cache)
    return Answer(RepairDocument.of(found).plain(), found.seconds, table=found.table)


KIND = RequestKind(
    "repair",
    (
        Form(
            RepairBody,
            RepairDocument,
            _compute,
            example="repair",
            others={FORWARDING.name: ForwardingRepairDocument},
        ),
    ),
    asking="Rebuild a stored table by its rule for what failures left of its network, and compare "
    "it with the old one, or only strike out its paths that are down. Of a forwarding table the "
    "entries change that have to.",
    reading="Return a repair: the table, and what it is worth beside the old one or what changes.",
    makes_table=True,
    links={
        "download_url": Link(
            "/download?format=parquet",
            f"Of the file of the table; format is {one_of(table_formats())}.",
        )
    },
    listed=_Listed,
    stages=Stages({"balance": ("build", 0.00, 0.10), "compare": ("compare", 0.10, 1.00)}),
    examine=_examine,
    menu=None,
    rank=2,
)
