"""The worst traffic that is found for a path set, whatever splits over it."""

import re
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Annotated, Any

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.languages import Argument
from tvlb.paths import expression_examples, expression_regex
from tvlb.topology import Topology
from tvlb.traffic.assignment import Assignments
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.matrix import MatrixPattern
from tvlb.traffic.pattern import NamedPattern

_SHOWN = 80


@dataclass(frozen=True)
class _SetArgument(Argument):
    """An expression of VLB paths; what it means, a network says."""

    def parse(self, text: str) -> str:
        """See `Argument.parse`."""
        if re.fullmatch(self.regex, " ".join(text.split())) is None:
            raise InvalidInput(
                f"{text[:_SHOWN]!r} is no expression of paths, such as "
                f"{', '.join(expression_examples())}; of a table take the matrix that `tvlb worst "
                "--vlb TABLE -o FILE.csv` writes"
            )
        return "".join(text.split())

    @property
    def regex(self) -> str:
        """See `Argument.regex`."""
        return f"({expression_regex()})"


@dataclass(frozen=True)
class Worst(NamedPattern):
    """The worst traffic between switches that a short search by the model finds for paths SET."""

    path_set: Annotated[str, _SetArgument("SET")]

    name = "worst"
    example = "worst(none)"
    place = 3

    @property
    def searched_paths(self) -> str:
        """See `Pattern.searched_paths`."""
        return self.path_set

    def settled(self, topology: Topology, seed: int) -> MatrixPattern:
        """See `Pattern.settled`."""
        try:
            found = self._engine().worst_traffic(topology, self.path_set, seed)
        except InvalidInput as error:
            raise InvalidInput(f"{self}: {error}") from error
        return replace(found, name=str(self))

    def outlined(self, topology: Topology, seed: int) -> MatrixPattern:
        """See `Pattern.outlined`; a ring of all switches with nodes."""
        try:
            self._engine().check_worst_traffic(topology, self.path_set, seed)
        except InvalidInput as error:
            raise InvalidInput(f"{self}: {error}") from error
        ring = np.flatnonzero(topology.switch_nodes).tolist()
        rates = topology.switch_nodes[ring].astype(np.float64).tolist()
        ends = zip(ring, ring[1:] + ring[:1], rates, strict=True)
        return MatrixPattern.between(topology, ends, str(self))

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        return self.settled(topology, seed).resolve(topology, seed)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`: each switch sends to one, larger ones to several."""
        return Assignments.copies(topology)

    def _engine(self) -> Any:
        # By its name: what searches traffic is of a layer above.
        return import_module("tvlb.guarantee")


PATTERN = Worst
