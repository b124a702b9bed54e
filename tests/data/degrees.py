"""A kind of request of another package: how many links leave the switches of a network."""

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tvlb.documents import Document
from tvlb.processes import Reporter
from tvlb.requests import Answer, Context, Cost, Form, Request, RequestKind
from tvlb.topology import Topology


class DegreesBody(Request):
    """Count the links that leave the switches of a network."""

    kind: ClassVar[str] = "degree"
    least: Annotated[int, Field(ge=0, description="Fewest links of a switch that counts.")] = 0

    def _cost(self, network: Topology) -> Cost:
        return Cost(1e-3, 1 << 20, {"count": 1e-3})


class DegreesDocument(Document):
    """The links that leave the switches of a network."""

    switches: int
    links: int


def _compute(body: DegreesBody, _: Context, report: Reporter) -> Answer:
    links = np.bincount(body.network().network.link_source)
    counted = links[links >= body.least]
    return Answer({"switches": len(counted), "links": int(counted.sum())})


KIND = RequestKind("degree", (Form(DegreesBody, DegreesDocument, _compute),), at_once=True)
