"""Uniform random traffic."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.languages import Choice
from tvlb.topology import Topology
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.pattern import NamedPattern

_FEWEST_NODES = 2


@dataclass(frozen=True)
class Uniform(NamedPattern):
    """Uniform random (UR): packets go to uniformly drawn nodes; `others`: never to their sender."""

    others: Annotated[str | None, Choice("others", ("others",))] = None

    name = "uniform"
    example = "uniform"
    place = 0

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        nodes = topology.num_nodes
        if self.others and nodes < _FEWEST_NODES:
            raise InvalidInput(f"{self}: {topology} has no other nodes")
        nowhere = np.full(nodes, -1, dtype=np.int32)
        return NodeTraffic(
            np.ones(nodes), np.ones(nodes), nowhere, uniform_to_others=self.others is not None
        )

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`."""
        return topology.num_senders * (topology.num_senders - 1)


PATTERN = Uniform
