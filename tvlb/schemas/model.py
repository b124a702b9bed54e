"""The document of one linear program: `tvlb model --json`."""

from typing import Literal

from pydantic import ConfigDict, Field

from tvlb.model import BoundKind, Outcome, solver_kinds
from tvlb.registry import one_of
from tvlb.schemas.common import (
    Count,
    Document,
    PathSetText,
    PatternText,
    Seconds,
    Seed,
    TopologyText,
    Versions,
)
from tvlb.schemas.examples import example

__all__ = ["ModelDocument"]


class ModelDocument(Document):
    """Modelled saturation throughput of one path set under one pattern."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("model")]})

    topology: TopologyText
    path_set: PathSetText
    pattern: PatternText
    monotone: bool = Field(description="Whether VLB rates must not rise with path length.")
    seed: Seed
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
    bound_kind: BoundKind = Field(description="What limits the bound.")
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
