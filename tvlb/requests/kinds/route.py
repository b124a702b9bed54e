"""Routes: the forwarding table of a network, made by an engine."""

from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import ConfigDict, Field

from tvlb.documents import Document, versions
from tvlb.forwarding import RouteOptions, check_entries, graph_of, table_bound
from tvlb.languages import asked, made, one_of
from tvlb.processes import Reporter, Stages
from tvlb.requests import Answer, Context, Form, Link, Request, RequestKind
from tvlb.requests.common import Count, Seconds, TopologyText, Versions
from tvlb.requests.cost import Cost, route_cost
from tvlb.requests.examples import example
from tvlb.requests.loads import LoadFigures, load_figures
from tvlb.requests.routing import RoutedTable, route
from tvlb.requests.settings import with_asked, with_options
from tvlb.table import FORWARDING, ForwardingTable, written_formats
from tvlb.topology import Topology, described


class RouteBody(with_options(Request, RouteOptions)):
    """Make the forwarding table of a network: an entry for every switch and destination node."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"topology": "2,4,2,9", "engine": "psssp", "order": "interleave"}]
        }
    )
    kind: ClassVar[str] = "route"

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def options(self) -> RouteOptions:
        """Return how the table is made."""
        return made(RouteOptions, dict(self))

    def _resolved(self, network: Topology) -> Self:
        graph_of(network)
        known = asked(self.options())
        return self.model_copy(update={"topology": described(network), **known})

    def _cost(self, network: Topology) -> Cost:
        check_entries(network)
        return route_cost(network, self.options())


class RouteParameters(with_asked(Document, RouteOptions)):
    """How the table was asked for."""


class ForwardingSummary(Document):
    """A forwarding table."""

    id: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the content, hex.")
    engine: str = Field(description="Engine that made it, or where it came from.")
    order: str = Field(
        description="Order in which destinations were routed; of `auto` the better one."
    )
    endpoints: Count = Field(description="Destination nodes.")
    switches: Count = Field(description="Switches, each with an entry for every node.")
    layers: Count = Field(description="Layers of virtual channels.")

    @classmethod
    def of(cls, table: ForwardingTable) -> Self:
        """Describe a table."""
        header = table.header
        return cls(
            id=table.id,
            engine=header.engine,
            order=header.order,
            endpoints=table.topology.num_nodes,
            switches=table.topology.num_switches,
            layers=header.layers,
        )


class _Head(Document):
    topology: TopologyText
    table: ForwardingSummary


# The keys of the last base come first.
class RouteDocument(LoadFigures, _Head):
    """A forwarding table, and how it loads the links of its network.

    A load is the number of ordered pairs of nodes whose route takes a directed link between
    switches.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [example("route")]})

    parameters: RouteParameters
    timings: dict[str, Seconds] = Field(description="Wall time by stage, seconds.")
    provenance: Versions

    @classmethod
    def of(cls, found: RoutedTable) -> Self:
        """Describe a table that was made."""
        return cls.model_validate(
            {
                "topology": str(found.table.topology),
                "table": ForwardingSummary.of(found.table),
                **load_figures(found.table.forwarding.loads, table_bound(found.table.topology)),
                "parameters": RouteParameters.model_validate(asked(found.options)),
                "timings": found.seconds,
                "provenance": versions(),
            }
        )


class _Listed(Document):
    topology: str
    table: ForwardingSummary
    efi: int = Field(description="As in the document.")
    efi_bound: Count = Field(description="As in the document.")


def _compute(body: RouteBody, _: Context, report: Reporter) -> Answer:
    found = route(body.network(), body.options(), report=report)
    return Answer(RouteDocument.of(found).plain(), found.seconds, table=found.table)


KIND = RequestKind(
    "route",
    (
        Form(
            RouteBody,
            RouteDocument,
            _compute,
            text="A forwarding table and its link loads.",
            example="route",
        ),
    ),
    asking="Make the forwarding table of a network: at once if it is small, else as a job.",
    reading="Return a forwarding table's document: its engine, and how it loads links.",
    noun=FORWARDING.name,
    makes_table=True,
    tables=FORWARDING.name,
    links={
        "download_url": Link(
            "/download?format=parquet",
            f"Of the table file; format is {one_of(written_formats(FORWARDING))}.",
        ),
        "links_url": Link("/links", "Of the links of the network, and how the table loads them."),
    },
    usage_route="get_route_links",
    listed=_Listed,
    lists_by_table=True,
    stages=Stages({"passes": ("route", 0.0, 1.0)}),
    at_once=True,
    swept=True,
    menu="Forwarding table",
    rank=7,
)
