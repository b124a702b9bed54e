"""The document of stability studies: `tvlb stability --json`."""

from dataclasses import asdict
from typing import Annotated, Literal, Self

from pydantic import Field

from tvlb.documents import Document, versions
from tvlb.schemas.common import (
    Load,
    OptionalKey,
    PatternText,
    Seconds,
    Seed,
    TopologyText,
    Versions,
)
from tvlb.schemas.routers.vct import DeadlockProofPart
from tvlb.schemas.settings import VctSettings
from tvlb.search import StabilityRun, StabilityStudy

_Category = Literal[1, 2, 3]


class JudgedRun(Document):
    """A long run, and what it shows."""

    seed: Seed
    category: _Category = Field(
        description="1: throughput is never low; 2: low for at most a tenth of the time, and high "
        "at the end; 3: otherwise. Low is below 0.85 of the peak."
    )
    level: float = Field(
        ge=0.0, description="Mean accepted load from cycle 5,000 on, phits/cycle/node."
    )
    peak: float = Field(ge=0.0, description="Largest mean of 10,000 cycles, phits/cycle/node.")
    lowest: float = Field(ge=0.0, description="Smallest mean of 10,000 cycles, phits/cycle/node.")
    low_share: float = Field(ge=0.0, le=1.0, description="Of these means, those that are low.")
    end_level: float = Field(
        ge=0.0, description="Mean of the last 50,000 cycles, phits/cycle/node."
    )
    low_from: Annotated[int, Field(ge=0)] | None = Field(
        description="First cycle of the first 10,000 that are low; null where none are."
    )
    jain: float = Field(
        ge=0.0, le=1.0, description="Jain's fairness index of what each node was delivered."
    )
    series: tuple[float, ...] = Field(
        description="Accepted load per 1,000 cycles, from cycle 0 on, phits/cycle/node; "
        "shorter where the run ended at a collapse."
    )
    cpu_seconds: Seconds = Field(description="Processor time, where it was computed.")

    @classmethod
    def of(cls, run: StabilityRun) -> Self:
        """Describe a run."""
        return cls.model_validate(
            {
                "seed": run.seed,
                **asdict(run.stability),
                "jain": run.jain,
                "series": run.series.tolist(),
                "cpu_seconds": run.cpu_seconds,
            }
        )


class JudgedCase(Document):
    """A routing and a policy of virtual channels."""

    routing: str = Field(description="Routing of the router vct.")
    config: VctSettings
    deadlock_proof: OptionalKey[DeadlockProofPart] = None
    category: _Category = Field(description="The worst of its runs.")
    runs: tuple[JudgedRun, ...] = Field(min_length=1, description="One for each seed.")


class StabilityDocument(Document):
    """Whether throughput under full load lasts."""

    topology: TopologyText
    pattern: PatternText
    load: Load = Field(description="Offered load, phits/cycle/node.")
    until_collapse: bool = Field(
        description="Runs ended as soon as they were sure to be of category 3."
    )
    stability: tuple[JudgedCase, ...] = Field(min_length=1, description="By case.")
    provenance: Versions

    @classmethod
    def of(cls, study: StabilityStudy) -> Self:
        """Describe a study."""
        cases = [
            {
                "routing": case.routing,
                "config": case.config,
                "deadlock_proof": study.proofs[case],
                "category": study.worst(case),
                "runs": [JudgedRun.of(run) for run in runs],
            }
            for case, runs in study.runs.items()
        ]
        return cls.model_validate(
            {
                "topology": str(study.topology),
                "pattern": str(study.pattern),
                "load": study.load,
                "until_collapse": study.until_collapse,
                "stability": cases,
                "provenance": versions(),
            }
        )
