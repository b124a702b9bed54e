"""What models can be asked for, as a JSON body."""

from typing import Annotated, ClassVar, Self

from pydantic import ConfigDict, Field

from tvlb.model import PatternModel, parse_solver
from tvlb.paths import PathSet, parse_expression
from tvlb.schemas.requests import Request, Seed
from tvlb.schemas.texts import PathSetText, PatternText, SolverText
from tvlb.search import Cost, model_cost
from tvlb.topology import Topology, described
from tvlb.traffic import Pattern, default_pattern, parse_named_pattern


class ModelBody(Request):
    """Solve the throughput model of one path set under one pattern."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"topology": "2,4,2,9", "vlb": "<=4+60%", "pattern": "shift(2,0)"}]
        }
    )
    kind: ClassVar[str] = "model"

    vlb: PathSetText = "all"
    pattern: Annotated[
        PatternText | None,
        Field(description="Traffic pattern; null for the first adversarial one of the network."),
    ] = None
    solver: SolverText = "highs"
    monotone: Annotated[
        bool, Field(description="Keep longer VLB paths no busier than shorter ones.")
    ] = True
    seed: Seed = 0

    def path_set(self, network: Topology) -> PathSet:
        """Return the path set."""
        return parse_expression(self.vlb, network, self.seed)

    def traffic(self, network: Topology) -> Pattern:
        """Return the traffic pattern."""
        return (
            default_pattern(network) if self.pattern is None else parse_named_pattern(self.pattern)
        )

    def model(self, network: Topology) -> PatternModel:
        """Return the model, ready to be solved."""
        return PatternModel(
            network,
            self.traffic(network),
            monotone=self.monotone,
            solver=parse_solver(self.solver),
            seed=self.seed,
        )

    def _resolved(self, network: Topology) -> Self:
        traffic = self.traffic(network)
        traffic.resolve(network, self.seed)
        return self.model_copy(
            update={
                "topology": described(network),
                "vlb": str(self.path_set(network)),
                "pattern": str(traffic),
                "solver": str(parse_solver(self.solver)),
            }
        )

    def _cost(self, network: Topology) -> Cost:
        return model_cost(network, self.path_set(network), self.traffic(network))
