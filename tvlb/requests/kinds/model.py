"""Models: the throughput of one path set under one pattern, as a linear program."""

from typing import Annotated, ClassVar, Literal, Self

from pydantic import ConfigDict, Field

from tvlb.documents import Document, versions
from tvlb.languages import one_of
from tvlb.model import (
    BoundKind,
    Outcome,
    PatternModel,
    Throughput,
    parse_solver,
    solver_kinds,
)
from tvlb.paths import PathSet
from tvlb.processes import Reporter
from tvlb.requests import Answer, Context, Form, Request, RequestKind
from tvlb.requests.common import (
    Count,
    OptionalKey,
    PathSetText,
    PatternText,
    Seconds,
    Seed,
    TopologyText,
    Versions,
)
from tvlb.requests.cost import Cost, model_cost
from tvlb.requests.examples import example
from tvlb.requests.request import Seed as SeedBody
from tvlb.requests.stored_tables import (
    ReadPaths,
    examine_with_tables,
    paths_of,
    unread_paths,
)
from tvlb.requests.texts import PathSetText as AskedPathSet
from tvlb.requests.texts import PatternText as AskedPattern
from tvlb.requests.texts import SolverText, is_table_id
from tvlb.topology import Topology, described
from tvlb.traffic import Pattern, default_pattern, idle_warnings, parse_asked_pattern


class ModelBody(Request):
    """Solve the throughput model of one path set under one pattern."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"topology": "2,4,2,9", "vlb": "<=4+60%", "pattern": "shift(2,0)"}]
        }
    )
    kind: ClassVar[str] = "model"

    vlb: AskedPathSet = "all"
    pattern: Annotated[
        AskedPattern | None,
        Field(description="Traffic pattern; null for the first adversarial one of the network."),
    ] = None
    solver: SolverText = "highs"
    monotone: Annotated[
        bool, Field(description="Keep longer VLB paths no busier than shorter ones.")
    ] = True
    seed: SeedBody = 0

    def path_set(self, network: Topology, read_paths: ReadPaths = unread_paths) -> PathSet:
        """Return the path set; with the default, only its name where it is a table."""
        return read_paths(self.vlb, network, self.seed)

    def traffic(self, network: Topology) -> Pattern:
        """Return the traffic pattern."""
        return (
            default_pattern(network) if self.pattern is None else parse_asked_pattern(self.pattern)
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
        traffic.outlined(network, self.seed).resolve(network, self.seed)
        return self.model_copy(
            update={
                "topology": described(network),
                "vlb": str(self.path_set(network)),
                "pattern": traffic.asked,
                "solver": str(parse_solver(self.solver)),
            }
        )

    def _cost(self, network: Topology) -> Cost:
        named = self.vlb if is_table_id(self.vlb) else self.path_set(network)
        return model_cost(network, named, self.traffic(network))


class _Case(Document):
    topology: TopologyText
    path_set: PathSetText
    pattern: PatternText
    monotone: bool = Field(description="Whether VLB rates must not rise with path length.")
    seed: Seed
    warnings: OptionalKey[tuple[str, ...]] = Field(
        None, description="Of which patterns some nodes do not send; absent where all do."
    )


class ModelledCase(_Case):
    """What a model is of."""

    @classmethod
    def of(
        cls,
        topology: Topology,
        path_set: PathSet,
        pattern: Pattern,
        *,
        monotone: bool,
        seed: int,
    ) -> Self:
        """Return the document of what is modelled."""
        idle = idle_warnings([pattern], topology, seed)
        return cls(
            topology=str(topology),
            path_set=str(path_set),
            pattern=str(pattern),
            monotone=monotone,
            seed=seed,
            **({"warnings": idle} if idle else {}),
        )


class ModelDocument(_Case):
    """Modelled saturation throughput of one path set under one pattern."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("model")]})

    theta: float = Field(
        ge=0.0, description="Modelled saturation throughput, packets/cycle/node; equals theta_low."
    )
    theta_low: float = Field(
        ge=0.0, description="Certified lower bound on the optimum, packets/cycle/node."
    )
    theta_up: float = Field(description="Certified upper bound on the optimum, packets/cycle/node.")
    theta_cap: float = Field(
        description="Largest throughput that 1 and the busiest port allow, packets/cycle/node."
    )
    bound: float = Field(
        description="Upper bound that holds for every path set, packets/cycle/node."
    )
    bound_kind: BoundKind = Field(
        description="What limits the bound; links were `global-links` in earlier versions."
    )
    status: Literal[Outcome.OPTIMAL] = Field(
        description="How the solver ended; an answer that is not proven optimal is an error."
    )
    primal_residual: float = Field(
        ge=0.0, description="Largest violated constraint of the solver's answer, flits/cycle."
    )
    relative_gap: float = Field(description="(theta_up - theta_low) / theta_up.")
    rows: Count = Field(description="Rows of the program as solved; 0 if no flow uses a link.")
    columns: Count = Field(description="Columns of the program as solved.")
    nonzeros: Count = Field(description="Nonzero coefficients of the program as solved.")
    build_seconds: Seconds = Field(description="Wall time to build the program, seconds.")
    solve_seconds: Seconds = Field(description="Wall time to solve and check it, seconds.")
    solver: str = Field(
        description=f"Solver: {one_of(kind.usage for kind in solver_kinds().values())}."
    )
    provenance: Versions

    @classmethod
    def of(cls, case: ModelledCase, found: Throughput) -> Self:
        """Return the document of a solved model."""
        return cls.model_validate({**case.plain(), **vars(found), "provenance": versions()})


def _compute(body: ModelBody, context: Context, report: Reporter) -> Answer:
    network = body.network()
    path_set = body.path_set(network, paths_of(context))
    solved = body.model(network).solve(path_set)
    case = ModelledCase.of(
        network, path_set, body.traffic(network), monotone=body.monotone, seed=body.seed
    )
    timings = {"build": solved.build_seconds, "solve": solved.solve_seconds}
    work = {"programs": 1, "probe_seconds": sum(timings.values())}
    return Answer(ModelDocument.of(case, solved).plain(), timings, work)


KIND = RequestKind(
    "model",
    (
        Form(
            ModelBody,
            ModelDocument,
            _compute,
            text="A solved throughput model.",
            example="model",
        ),
    ),
    asking="Solve one throughput model: at once if it is small, else as a job.",
    noun="solved model",
    at_once=True,
    swept=True,
    examine=examine_with_tables,
    menu="Model",
    rank=3,
)
