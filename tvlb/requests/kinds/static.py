"""Fixed splits: the best for any traffic, and what splits of fewer hops guarantee."""

from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import ConfigDict, Field

from tvlb.documents import Document, versions
from tvlb.guarantee import FrontierPoint, SingleFailure, StaticSplit, check_static, static
from tvlb.languages import one_of
from tvlb.paths import PathSet, parse_expression
from tvlb.processes import Reporter, Stages
from tvlb.requests import Answer, Context, Form, Link, Request, RequestKind
from tvlb.requests.common import (
    Count,
    OptionalKey,
    PathSetText,
    Seconds,
    Seed,
    Share,
    TopologyText,
    Versions,
)
from tvlb.requests.cost import Cost, static_cost
from tvlb.requests.examples import example
from tvlb.requests.request import Seed as AskedSeed
from tvlb.requests.texts import ExpressionText
from tvlb.table import SPLIT, SplitTable, written_formats
from tvlb.topology import Failures, Topology, described


class SplitBody(Request):
    """Find the best fixed split for any traffic, and what splits of fewer mean hops guarantee.

    Every pair of switches has a rate for its MIN paths of each length and its VLB paths of each
    shape.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": "2,4,2,3", "throughput": 0.6}]}
    )
    kind: ClassVar[str] = "split"

    vlb: ExpressionText = "all"
    hops: Annotated[
        float | None,
        Field(gt=0, le=1000, description="Most mean hops of the split; null for any number."),
    ] = None
    throughput: Annotated[
        float | None,
        Field(
            gt=0,
            le=1,
            description="That it guarantees with as few hops as that takes, packets/cycle/node; "
            "null for the most.",
        ),
    ] = None
    failures: Annotated[
        Literal["cables", "switches", "both"] | None,
        Field(
            description="Tell what is guaranteed after each single failure of cables, switches or "
            "both; null for none."
        ),
    ] = None
    protected: Annotated[
        bool,
        Field(
            description="Take the split of which those failures leave every pair its whole rate, "
            "instead of the best for the whole network."
        ),
    ] = False
    seed: AskedSeed = 0

    def path_set(self, network: Topology) -> PathSet:
        """Return the path set."""
        return parse_expression(self.vlb, network, self.seed)

    def _resolved(self, network: Topology) -> Self:
        vlb = str(self.path_set(network))
        check_static(network, self.hops, self.throughput, self.failures, protected=self.protected)
        return self.model_copy(update={"topology": described(network), "vlb": vlb})

    def _cost(self, network: Topology) -> Cost:
        return static_cost(network, self.path_set(network), self.failures)


class FrontierFigures(Document):
    """What a fixed split of some mean hops guarantees."""

    hops_mean: float = Field(
        ge=0.0, description="Mean links of its paths, over all nodes of other switches alike."
    )
    floor: Share = Field(
        description="It sustains it under every traffic in which no node sends or receives more "
        "than 1 packet/cycle; packets/cycle/node."
    )
    floor_bound: Share = Field(
        description="No fixed split of no more mean hops guarantees more, packets/cycle/node."
    )
    gap: Share = Field(description="1 - floor / floor_bound: how much better a split may be.")

    @classmethod
    def of(cls, point: FrontierPoint) -> Self:
        """Describe a point."""
        return cls(
            hops_mean=point.hops, floor=point.floor, floor_bound=point.floor_bound, gap=point.gap
        )


class FailureFigures(Document):
    """What splits guarantee after a failure, under any traffic of the nodes that are left."""

    down: str = Field(description="What is down.")
    without: Failures = Field(description="The same, as requests and files of failures have it.")
    alike: Annotated[int, Field(ge=1)] = Field(
        description="Cables or switches that symmetries make alike; each leaves as much."
    )
    struck: Share = Field(
        description="The best split without its dead paths sustains it, what is left of every pair "
        "scaled; packets/cycle/node."
    )
    struck_lost: tuple[tuple[int, int], ...] = Field(
        description="Pairs of switches that lose all the paths of that split."
    )
    protected: Share = Field(description="The same of the protected split.")
    protected_lost: tuple[tuple[int, int], ...] = Field(
        description="Pairs of switches that lose all the paths of the set."
    )
    afresh: Share | None = Field(
        description="The best split of what is left sustains it; null where nodes are cut off from "
        "others or all are at one switch, or where too little symmetry is left."
    )
    afresh_bound: Share | None = Field(description="No split of what is left guarantees more.")

    @classmethod
    def of(cls, found: SingleFailure) -> Self:
        """Describe a failure."""
        told = {name: getattr(found, name) for name in cls.model_fields.keys() & vars(found).keys()}
        return cls(down=found.text, without=found.failures, **told)


class SplitSummary(Document):
    """A table of a split."""

    id: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the content, hex.")
    classes: dict[str, Share] = Field(
        description="Mean rate of the paths of each class over all pairs of switches: of MIN paths "
        "by hops, of VLB paths by shape."
    )
    rates: Count = Field(description="Rates above 0.")

    @classmethod
    def of(cls, table: SplitTable) -> Self:
        """Describe a table."""
        means = np.minimum(table.rates.mean(axis=0), 1.0).tolist()
        classes = dict(zip(table.header.classes, means, strict=True))
        return cls(id=table.id, classes=classes, rates=table.num_rows)


class _Orbits(Document):
    pairs: Count = Field(description="Orbits of pairs of switches with nodes.")
    links: Count = Field(description="Orbits of links.")


class _Head(Document):
    topology: TopologyText
    path_set: PathSetText
    table: SplitSummary


# The keys of the last base come first.
class SplitDocument(FrontierFigures, _Head):
    """A fixed split with what it guarantees, and the frontier of throughput against mean hops."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("split")]})

    frontier: tuple[FrontierFigures, ...] = Field(
        description="The best splits from the mean hops of shortest paths to the fewest by which "
        "the highest throughput is guaranteed."
    )
    protected: OptionalKey[FrontierFigures] = Field(
        default=None,
        description="What the split for all failures guarantees on the whole network.",
    )
    failures: OptionalKey[tuple[FailureFigures, ...]] = Field(
        default=None, description="What is guaranteed after each single failure."
    )
    orbits: _Orbits = Field(description="What no symmetry of network and paths makes alike.")
    seed: Seed
    timings: dict[str, Seconds] = Field(description="Wall time by stage, seconds.")
    provenance: Versions

    @classmethod
    def of_split(cls, found: StaticSplit) -> Self:
        """Describe a split."""
        orbits = found.orbits
        failing: dict[str, Any] = {}
        if found.protected is not None:
            failing["protected"] = FrontierFigures.of(found.protected)
            failing["failures"] = tuple(map(FailureFigures.of, found.failures))
        return cls.model_validate(
            {
                "topology": str(found.topology),
                "path_set": str(found.path_set),
                "table": SplitSummary.of(found.table),
                **dict(FrontierFigures.of(found.chosen)),
                "frontier": tuple(map(FrontierFigures.of, found.frontier)),
                **failing,
                "orbits": {"pairs": orbits.pairs, "links": len(orbits.first_links)},
                "seed": found.seed,
                "timings": found.seconds,
                "provenance": versions(),
            }
        )


class _Listed(Document):
    topology: str
    path_set: str
    floor: Share = Field(description="As in the document.")
    hops_mean: float = Field(description="As in the document.")
    table: SplitSummary


def _compute(body: SplitBody, context: Context, report: Reporter) -> Answer:
    network = body.network()
    found = static(
        network,
        body.path_set(network),
        hops=body.hops,
        throughput=body.throughput,
        failures=body.failures,
        protected=body.protected,
        seed=body.seed,
        report=context.stopping(report, "the search for the best split"),
    )
    document: dict[str, Any] = SplitDocument.of_split(found).plain()
    return Answer(document, found.seconds, table=found.table)


KIND = RequestKind(
    "split",
    (
        Form(
            SplitBody,
            SplitDocument,
            _compute,
            text="A fixed split, and the frontier of what splits guarantee.",
            example="split",
        ),
    ),
    asking="Find the best fixed split for any traffic: at once if that is little, else as a job.",
    reading="Return a fixed split's document: what it guarantees, and what shorter ones do.",
    noun="fixed split",
    command="static",
    makes_table=True,
    tables=SPLIT.name,
    links={
        "download_url": Link(
            "/download?format=parquet",
            f"Of the table of rates; format is {one_of(written_formats(SPLIT))}.",
        ),
        "links_url": Link("/links", "Of the links of the network, and how the split loads them."),
    },
    usage_route="get_split_links",
    listed=_Listed,
    lists_by_table=True,
    stages=Stages(
        {
            "build": ("build", 0.0, 0.3),
            "split": ("split", 0.3, 0.7),
            "failures": ("failures", 0.7, 1.0),
        }
    ),
    at_once=True,
    swept=True,
    rank=10,
)
