"""Measures: what the routes of a forwarding table, or paths by fixed shares, are worth."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import ConfigDict, Field

from tvlb.documents import Document, versions
from tvlb.errors import InvalidInput
from tvlb.forwarding import MeasureOptions, SplitRoutes, StreamRates
from tvlb.languages import asked, made
from tvlb.processes import Reporter, Stages
from tvlb.requests import Answer, Context, Form, Question, RequestKind, RequestLimits
from tvlb.requests.common import (
    Count,
    OptionalKey,
    PatternText,
    Seconds,
    Share,
    TopologyText,
    Versions,
)
from tvlb.requests.cost import Cost, measure_cost
from tvlb.requests.examples import example
from tvlb.requests.kinds.route import ForwardingSummary
from tvlb.requests.loads import LoadFigures, Percentiles, load_figures, percentiles
from tvlb.requests.measuring import (
    Measurement,
    check_measure,
    check_shares,
    forwarding_table,
    measurement,
    split_routes,
)
from tvlb.requests.request import TABLE_FILE, TOPOLOGY_FILE, AnyNetwork, network_of
from tvlb.requests.request import Seed as AskedSeed
from tvlb.requests.settings import with_asked, with_options
from tvlb.requests.stored_tables import examine_with_tables, paths_of, unread_paths
from tvlb.requests.texts import PathSetText, TableIdText
from tvlb.topology import Topology, described
from tvlb.traffic import idle_warnings, parse_pattern


class _Routes(Question):
    """What is measured."""

    topology: Annotated[
        AnyNetwork | None, Field(description="The network; null for that of the table.")
    ] = None
    table: Annotated[
        TableIdText | None,
        Field(
            description="Id of the forwarding table whose routes they are, or its first digits, 8 "
            "or more; null for paths."
        ),
    ] = None
    vlb: Annotated[
        PathSetText | None, Field(description="VLB paths beside the MIN paths; null for none.")
    ] = None
    min_share: Annotated[
        float | None, Field(ge=0, le=1, description="Share of the MIN paths, 0..1; null for all.")
    ] = None


class MeasureBody(with_options(_Routes, MeasureOptions)):
    """Measure routes: loads of links, bandwidth under random bisections and patterns, bounds.

    Routes are those of a forwarding table, or MIN paths, or both MIN and VLB paths by fixed shares.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"topology": "2,4,2,5", "vlb": "<=4", "min_share": 0.6, "bisections": 100}]
        }
    )
    kind: ClassVar[str] = "measure"

    seed: AskedSeed = 0

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def options(self, workers: int = 1) -> MeasureOptions:
        """Return what is measured."""
        return made(MeasureOptions, dict(self), workers=workers)

    def arguments(self) -> list[str] | None:
        """See `Question.arguments`; a table tells its network."""
        if self.table is not None:
            return ["--table", TABLE_FILE]
        return [self.topology if isinstance(self.topology, str) else TOPOLOGY_FILE]

    def network(self, limits: RequestLimits | None = None) -> Topology:
        """Build the network; raises as `network_of`, or InvalidInput where none is known."""
        if self.topology is None:
            raise InvalidInput("nothing to measure: give a network or a forwarding table")
        return network_of(self.topology, limits)

    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """See `Question.examined`; of a request with the network of its table."""
        resolved, cost = self.resolved_on(self.network(limits))
        if limits is not None:
            limits.check_cost(cost)
        return resolved, cost

    def resolved_on(self, network: Topology) -> tuple[Self, Cost]:
        """See `Question.resolved_on`."""
        if self.table is not None and (self.vlb, self.min_share) != (None, None):
            raise InvalidInput(
                "a forwarding table has routes of its own: vlb has no meaning with it"
            )
        check_shares(self.vlb, self.min_share)
        options = self.options()
        check_measure(network, options)
        vlb = None if self.vlb is None else str(unread_paths(self.vlb, network, self.seed))
        cost = measure_cost(
            network, options, is_table=self.table is not None, has_detours=bool(vlb)
        )
        resolved = asked(options) | {"topology": described(network), "vlb": vlb}
        return self.model_copy(update=resolved), cost


class MeasureParameters(with_asked(Document, MeasureOptions)):
    """What was asked for."""


class StreamFigures(Document):
    """Rates of streams, as shares of full bandwidth."""

    mean: Share = Field(description="Mean rate of the streams.")
    worst: Share = Field(description="Lowest rate of a stream.")
    worst_stream_mean: Share = Field(
        description="Mean of the lowest rates; that rate itself of a single pattern."
    )

    @classmethod
    def of(cls, rates: StreamRates) -> Self:
        """Describe rates."""
        worst = float(rates.worsts.min())
        return cls(mean=rates.mean, worst=worst, worst_stream_mean=rates.worst_mean)


class Bandwidth(Document):
    """Effective bisection bandwidth: mean rates of the streams of random bisections."""

    ebb: Share = Field(
        description="Effective bisection bandwidth: mean rate of the streams over all bisections, "
        "as a share of full bandwidth."
    )
    ebb_se: float = Field(ge=0, description="Its standard error.")
    ebb_min: Share = Field(description="Mean rate in the worst bisection.")
    ebb_max: Share = Field(description="Mean rate in the best bisection.")
    worst_stream_mean: Share = Field(
        description="Mean over the bisections of the lowest rate of a stream."
    )


def _bandwidth(rates: StreamRates) -> dict[str, float]:
    """Return the values of the keys of `Bandwidth`."""
    return {
        "ebb": rates.mean,
        "ebb_se": rates.standard_error,
        "ebb_min": float(rates.means.min()),
        "ebb_max": float(rates.means.max()),
        "worst_stream_mean": rates.worst_mean,
    }


class JobBandwidth(Bandwidth):
    """Effective bisection bandwidth of jobs of a size."""

    nodes: Count = Field(description="Nodes that every bisection draws for itself.")
    bandwidth_percentiles: Percentiles = Field(
        description="Mean rates in the bisections: the least, percentiles 1 to 99 and the highest."
    )

    @classmethod
    def of(cls, nodes: int, rates: StreamRates) -> Self:
        """Describe bisections."""
        spread = percentiles(rates.means)
        return cls.model_validate(
            _bandwidth(rates) | {"nodes": nodes, "bandwidth_percentiles": spread}
        )


class _Head(Document):
    topology: TopologyText
    table: ForwardingSummary | None = Field(
        description="The forwarding table that was measured; null for paths."
    )
    path_set: str | None = Field(description="VLB paths that were measured; null for none.")
    min_share: Share | None = Field(description="Share of MIN paths; null for a table.")


# The keys of the last base come first.
class MeasureDocument(Bandwidth, LoadFigures, _Head):
    """What routes are worth: loads of links, and rates of streams under random bisections."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("measure")]})

    bisections: Count = Field(description="Random bisections of each size of job.")
    efi_lp: OptionalKey[float] = Field(
        None,
        description="Index of shortest routes that split freely, EFI_LP, from below; no table of "
        "shortest routes has a lower one.",
    )
    efi_lp_high: OptionalKey[float] = Field(
        None, description="The same from above; equal, but for rounding, where it is exact."
    )
    jobs: tuple[JobBandwidth, ...] = Field(
        description="By size of job; the figures above are of the first one."
    )
    pattern: OptionalKey[PatternText] = Field(
        None, description="Pattern that was measured besides; absent without one."
    )
    pattern_rates: OptionalKey[StreamFigures] = Field(None, description="Its streams.")
    shift_rates: OptionalKey[StreamFigures] = Field(
        None,
        description="Streams of all shifts of nodes, which together are an all-to-all exchange.",
    )
    warnings: OptionalKey[tuple[str, ...]] = Field(
        None, description="Of which patterns some nodes do not send; absent where all do."
    )
    parameters: MeasureParameters
    timings: dict[str, Seconds] = Field(description="Wall time by stage, seconds.")
    provenance: Versions

    @classmethod
    def of(cls, measured: Measurement) -> Self:
        """Describe measures."""
        found, options = measured.found, measured.options
        routes = found.routes
        split = routes if isinstance(routes, SplitRoutes) else None
        jobs = [JobBandwidth.of(nodes, rates) for nodes, rates in found.bandwidth.items()]
        first = next(iter(found.bandwidth.values()))
        return cls.model_validate(
            {
                "topology": str(routes.topology),
                "table": measured.table and ForwardingSummary.of(measured.table),
                "path_set": split and str(split.path_set),
                "min_share": split and split.min_share,
                **load_figures(routes.loads, found.bound),
                **_bandwidth(first),
                "bisections": options.bisections,
                "jobs": jobs,
                **_optional(measured),
                "parameters": MeasureParameters.model_validate(asked(options)),
                "timings": measured.seconds,
                "provenance": versions(),
            }
        )


def _optional(measured: Measurement) -> Mapping[str, Any]:
    """Return the keys of what was asked for besides."""
    found, options = measured.found, measured.options
    told: dict[str, Any] = {}
    if found.split_efi is not None:
        told |= {"efi_lp": found.split_efi.low, "efi_lp_high": found.split_efi.high}
    for name, rates in (("pattern_rates", found.pattern), ("shift_rates", found.shifts)):
        if rates is not None:
            told[name] = StreamFigures.of(rates)
    if options.pattern:
        pattern = parse_pattern(options.pattern)
        idle = idle_warnings([pattern], found.routes.topology, options.seed)
        told |= {"pattern": str(pattern)} | ({"warnings": idle} if idle else {})
    return told


class _Listed(Document):
    topology: str
    efi: int | float = Field(description="As in the document.")
    ebb: Share = Field(description="As in the document.")


def _compute(body: MeasureBody, context: Context, report: Reporter) -> Answer:
    network = body.network()
    options = body.options(context.cores)
    table = None
    if body.table is None:
        vlb = None if body.vlb is None else paths_of(context)(body.vlb, network, body.seed)
        routes = split_routes(network, vlb, body.min_share)
    else:
        stored = context.table(body.table)
        table = forwarding_table(stored.read_table(), f"table {stored.name}", network)
        routes = table.forwarding
    found = measurement(routes, options, table, report)
    return Answer(MeasureDocument.of(found).plain(), found.seconds)


KIND = RequestKind(
    "measure",
    (
        Form(
            MeasureBody,
            MeasureDocument,
            _compute,
            text="What routes are worth.",
            example="measure",
        ),
    ),
    asking="Measure the routes of a forwarding table, or MIN paths and VLB paths by fixed shares: "
    "at once if that takes little, else as a job.",
    noun="measurement",
    reading="Return measures of routes: loads of links, and bandwidth under random bisections.",
    listed=_Listed,
    stages=Stages({"bisections": ("measure", 0.0, 0.9), "shifts": ("measure", 0.9, 1.0)}),
    at_once=True,
    swept=True,
    examine=examine_with_tables,
    menu="Measure",
    rank=8,
)
