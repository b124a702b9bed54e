"""Guarantees: what a path set sustains whatever the traffic is, and the worst traffic found."""

from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import AliasChoices, ConfigDict, Field

from tvlb.documents import WHOLE, Document, versions
from tvlb.guarantee import MOST_STARTS, STARTS, Guarantee, check_network, check_starts, worst
from tvlb.paths import PathSet
from tvlb.processes import Reporter, Stages
from tvlb.requests import Answer, Context, Form, Request, RequestKind, TextFile
from tvlb.requests.common import (
    Count,
    PathSetText,
    Seconds,
    Seed,
    Share,
    TopologyText,
    Versions,
)
from tvlb.requests.cost import Cost, worst_cost
from tvlb.requests.examples import example
from tvlb.requests.problems import InWords
from tvlb.requests.request import Seed as AskedSeed
from tvlb.requests.stored_tables import ReadPaths, examine_with_tables, paths_of, unread_paths
from tvlb.requests.texts import PathSetText as AskedPathSet
from tvlb.requests.texts import is_table_id
from tvlb.topology import Topology, described

_DIGITS = 6


class GuaranteeBody(Request):
    """Bound what paths sustain whatever the traffic is, and find the worst traffic for them.

    The floor is that of a fixed split over MIN and VLB paths, proved for all traffic; the ceiling
    is what no split exceeds under the traffic that was found.
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": "dfly(2,4,2,9,palmtree)", "vlb": "<=4"}]}
    )
    kind: ClassVar[str] = "guarantee"

    # By either name where it is a table.
    vlb: Annotated[AskedPathSet, Field(validation_alias=AliasChoices("vlb", "table"))] = "all"
    starts: Annotated[
        int,
        Field(
            ge=1, le=MOST_STARTS, description="How often the search for the worst traffic begins."
        ),
        WHOLE,
        InWords(check_starts),
    ] = STARTS
    seed: AskedSeed = 0

    def path_set(self, network: Topology, read_paths: ReadPaths = unread_paths) -> PathSet:
        """Return the path set; with the default, only its name where it is a table."""
        return read_paths(self.vlb, network, self.seed)

    def _resolved(self, network: Topology) -> Self:
        check_network(network)
        vlb = str(self.path_set(network))
        return self.model_copy(update={"topology": described(network), "vlb": vlb})

    def _cost(self, network: Topology) -> Cost:
        # What a table holds, and what is drawn, is as good as never symmetric.
        is_symmetric = not is_table_id(self.vlb) and "%" not in self.vlb
        return worst_cost(network, self.path_set(network), self.starts, is_symmetric=is_symmetric)


class SplitShareFigures(Document):
    """What a fixed split sends by paths of a kind and length."""

    paths: Literal["MIN", "VLB"] = Field(description="Kind of the paths.")
    hops: int = Field(ge=1, description="Their links.")
    share: Share = Field(description="Of the traffic, mean over all pairs of switches with nodes.")


class OrbitFigures(Document):
    """How many pairs of switches and links no symmetry of network and paths makes alike."""

    pairs: Count = Field(description="Orbits of pairs of switches with nodes.")
    links: Count = Field(description="Orbits of links.")


class GuaranteeDocument(Document):
    """What paths sustain whatever the traffic is, packets/cycle/node."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("guarantee")]})

    topology: TopologyText
    path_set: PathSetText
    floor: Share = Field(
        description="A fixed split sustains it under every traffic in which no node sends or "
        "receives more than 1 packet/cycle; packets/cycle/node."
    )
    floor_bound: Share = Field(
        description="No fixed split that the model allows guarantees more, packets/cycle/node."
    )
    gap: Share = Field(description="1 - floor / floor_bound: how much better a split may be.")
    ceiling: Share = Field(
        description="No split that the model allows sustains more under `witness`, even if it "
        "adapts to it; packets/cycle/node."
    )
    orbits: OrbitFigures
    floor_split: tuple[SplitShareFigures, ...] = Field(
        description="The fixed split of `floor`, mean over the pairs; shares sum to 1."
    )
    witness: str = Field(
        description="The worst traffic found, as the CSV of a traffic matrix, which every pattern "
        "may be."
    )
    witness_loads: tuple[Annotated[float, Field(ge=0.0)], ...] = Field(
        description="Load of each link, by id, where `ceiling` is reached under `witness`, "
        "flits/cycle."
    )
    starts: Count = Field(description="How often the search for the worst traffic began.")
    seed: Seed
    timings: dict[str, Seconds] = Field(description="Wall time by stage, seconds.")
    provenance: Versions

    @classmethod
    def of(cls, found: Guarantee, starts: int, seed: int) -> Self:
        """Describe a guarantee."""
        shares: list[dict[str, Any]] = [
            {
                "paths": "MIN" if one.minimal else "VLB",
                "hops": one.hops,
                "share": min(one.share, 1.0),
            }
            for one in found.split_shares
        ]
        return cls.model_validate(
            {
                "topology": str(found.topology),
                "path_set": str(found.path_set),
                "floor": found.floor,
                "floor_bound": found.floor_bound,
                "gap": found.gap,
                "ceiling": found.ceiling,
                "orbits": {"pairs": found.orbits.pairs, "links": len(found.orbits.first_links)},
                "floor_split": shares,
                "witness": found.witness.asked,
                "witness_loads": np.round(found.witness_load, _DIGITS).tolist(),
                "starts": starts,
                "seed": seed,
                "timings": found.seconds,
                "provenance": versions(),
            }
        )


class _Listed(Document):
    topology: str
    path_set: str
    floor: Share = Field(description="As in the document.")
    ceiling: Share = Field(description="As in the document.")


def _compute(body: GuaranteeBody, context: Context, report: Reporter) -> Answer:
    network = body.network()
    told = context.stopping(report, "the search for the worst traffic")
    paths = body.path_set(network, paths_of(context))
    found = worst(
        network, paths, starts=body.starts, seed=body.seed, workers=context.cores, report=told
    )
    return Answer(GuaranteeDocument.of(found, body.starts, body.seed).plain(), found.seconds)


KIND = RequestKind(
    "guarantee",
    (
        Form(
            GuaranteeBody,
            GuaranteeDocument,
            _compute,
            text="What paths guarantee, and the worst traffic found.",
            example="guarantee",
        ),
    ),
    asking="Bound what a path set sustains whatever the traffic is: at once if that takes little, "
    "else as a job.",
    reading="Return what paths guarantee, and the worst traffic found for them.",
    command="worst",
    written=TextFile("witness", ".csv", "the worst traffic found, a traffic matrix"),
    listed=_Listed,
    stages=Stages(
        {
            "build": ("build", 0.0, 0.1),
            "split": ("split", 0.1, 0.6),
            "adversary": ("adversary", 0.6, 1.0),
        }
    ),
    at_once=True,
    swept=True,
    examine=examine_with_tables,
    rank=9,
)
