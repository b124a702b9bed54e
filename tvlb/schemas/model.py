"""The document of one linear program: `tvlb model --json`."""

from typing import Literal, Self

from pydantic import ConfigDict, Field

from tvlb.documents import Document, versions
from tvlb.languages import one_of
from tvlb.model import BoundKind, Outcome, Throughput, solver_kinds
from tvlb.paths import PathSet
from tvlb.schemas.common import (
    Count,
    PathSetText,
    PatternText,
    Seconds,
    Seed,
    TopologyText,
    Versions,
)
from tvlb.schemas.examples import example
from tvlb.topology import Topology
from tvlb.traffic import Pattern


class _Case(Document):
    topology: TopologyText
    path_set: PathSetText
    pattern: PatternText
    monotone: bool = Field(description="Whether VLB rates must not rise with path length.")
    seed: Seed


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
        return cls(
            topology=str(topology),
            path_set=str(path_set),
            pattern=str(pattern),
            monotone=monotone,
            seed=seed,
        )


class ModelDocument(_Case):
    """Modelled saturation throughput of one path set under one pattern."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("model")]})

    theta: float = Field(
        ge=0.0, description="Modelled saturation throughput, flits/cycle/node; equals theta_low."
    )
    theta_low: float = Field(
        ge=0.0, description="Certified lower bound on the optimum, flits/cycle/node."
    )
    theta_up: float = Field(description="Certified upper bound on the optimum, flits/cycle/node.")
    theta_cap: float = Field(
        description="Largest throughput that 1 and the busiest port allow, flits/cycle/node."
    )
    bound: float = Field(description="Upper bound that holds for every path set, flits/cycle/node.")
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
        return cls.model_validate({**vars(case), **vars(found), "provenance": versions()})
