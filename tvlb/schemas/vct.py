"""The document of loads simulated by virtual cut-through: `tvlb simulate --router vct --json`."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from pydantic import ConfigDict, Field

from tvlb.documents import Document, versions
from tvlb.schemas.common import (
    Count,
    Cycles,
    Figure,
    Load,
    NonNegative,
    OptionalKey,
    PatternText,
    Seconds,
    Seed,
    TopologyText,
    Versions,
)
from tvlb.schemas.examples import example
from tvlb.schemas.settings import VctSettings
from tvlb.schemas.simulation import Intervals, LinkLoad, OneSeed, Trace, over_seeds
from tvlb.search import DeadlockProof, VctRequest, VctResult
from tvlb.topology import Topology

_SERIES_CYCLES = 1000


class DeadlockProofPart(Document):
    """Why no buffers can wait for each other in a circle."""

    vcs_needed: int = Field(ge=1, description="Fewest VCs per port that the policy takes here.")
    multiple: int = Field(ge=1, description="What the number of VCs is a multiple of.")
    argument: str = Field(description="The argument, in words.")

    @classmethod
    def of(cls, proof: DeadlockProof) -> Self:
        """Describe a proof."""
        return cls.model_validate({name: getattr(proof, name) for name in cls.model_fields})


def no_deadlock(case: Mapping[str, Any]) -> str:
    """Return in words why a case of a document does not deadlock, empty where it does not say."""
    proof = case.get("deadlock_proof")
    if proof is None:
        return ""
    fewest, multiple = proof["vcs_needed"], proof["multiple"]
    more = "more" if multiple == 1 else f"another multiple of {multiple}"
    vcs = f"{fewest} VC{'' if fewest == 1 else 's'} or {more}"
    policy = f"{case['routing']}, {case['config']['vc_policy']} with {vcs}"
    return f"No deadlock, {policy}: {proof['argument']}"


class VctSeries(Document):
    """The course of a run in intervals of 1,000 cycles, warm-up included."""

    cycle: tuple[Cycles, ...] = Field(description="First cycle of each interval.")
    accepted: tuple[float, ...] = Field(description="Delivered in it, phits/cycle/node.")


class _OneLoad(Document):
    load: Load = Field(description="Offered load, phits/cycle/node.")


class _Means(Document):
    accepted: float = Field(
        ge=0.0, description="Delivered in the measured window, phits/cycle/node."
    )
    latency_mean: Figure = Field(
        description="Mean latency, from generation to the delivery of the last phit, of the "
        "packets delivered in the measured window, cycles; null without any."
    )
    hops_mean: Figure = Field(description="Network links taken by those packets; null without any.")
    injected: float = Field(
        ge=0.0, description="Sent by the nodes in the measured window, phits/cycle/node."
    )
    refused: float = Field(
        ge=0.0,
        description="Packets per node that found its queue full in the measured window.",
    )
    jain: NonNegative = Field(
        description="Jain's index of the phits delivered to each node in the measured window, 1 "
        "if all are equal; null without any."
    )


class _Population(Document):
    population: Literal["delivered"] = Field(
        description="Whose latency and hops are told: packets whose last phit was delivered in the "
        "measured window."
    )


class _Totals(Document):
    """Figures that several runs have the sum of."""

    phit_hops: Count = Field(
        description="Phits times the network links that they took, warm-up included."
    )
    cycles: Cycles = Field(description="Simulated cycles, warm-up included.")
    cpu_seconds: Seconds = Field(description="Processor time, seconds.")
    wall_seconds: Seconds = Field(description="Elapsed time, seconds.")


# The keys of the last base come first.
class VctRun(_Totals, Intervals, _Population, _Means, OneSeed, _OneLoad):
    """One run; it tells no intervals."""

    link_load: LinkLoad
    series: VctSeries
    traces: OptionalKey[tuple[Trace, ...]] = Field(
        default=None,
        description="Traced packets, generated in the measured window, in order of injection.",
    )

    @classmethod
    def of(cls, result: VctResult, topology: Topology) -> Self:
        """Describe a run."""
        told = (*_Totals.model_fields, *_Means.model_fields, "seed", "load", "traces")
        steps = np.arange(len(result.series)) * _SERIES_CYCLES
        return cls.model_validate(
            {
                **{name: getattr(result, name) for name in told},
                "population": "delivered",
                "accepted_ci95": math.nan,
                "latency_ci95": math.nan,
                "link_load": LinkLoad.of(result.link_load, topology),
                "series": {"cycle": steps.tolist(), "accepted": result.series.tolist()},
            }
        )


class VctRuns(_Totals, Intervals, _Population, _Means, _OneLoad):
    """One load with several seeds: means, totals, and intervals from seed to seed."""

    runs: tuple[VctRun, ...] = Field(min_length=2, description="The single runs, by seed.")

    @classmethod
    def of(cls, runs: Sequence[VctResult], topology: Topology) -> Self:
        """Describe the runs of one load."""
        return cls.model_validate(
            {
                **over_seeds(runs, _Means, _Totals),
                "population": "delivered",
                "runs": [VctRun.of(run, topology) for run in runs],
            }
        )


class VctDocument(Document):
    """Loads simulated with the virtual cut-through router."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("vct")]})

    topology: TopologyText
    router: Literal["vct"] = Field(
        description="Model of the routers: virtual cut-through, packets of several phits."
    )
    load_unit: Literal["phits/cycle/node"] = Field(description="Unit of offered and accepted load.")
    routing: str = Field(description="How a packet gets its route.")
    pattern: PatternText
    seed: Seed
    seeds: int = Field(ge=1, description="Runs per load, with seeds seed, seed + 1, ...")
    config: VctSettings
    deadlock_proof: OptionalKey[DeadlockProofPart] = None
    warnings: tuple[str, ...] = Field(description="What limits such runs beyond their routing.")
    rows: tuple[VctRun | VctRuns, ...] = Field(
        min_length=1,
        description="One entry per load, in the order asked for: the run, or with several seeds "
        "the figures of all of them.",
    )
    provenance: Versions

    @classmethod
    def of(cls, request: VctRequest, results: Sequence[Sequence[VctResult]]) -> Self:
        """Describe the results of `simulate_loads`."""
        scenario = request.scenario
        topology = scenario.topology
        return cls.model_validate(
            {
                "topology": str(topology),
                "router": "vct",
                "load_unit": "phits/cycle/node",
                "routing": scenario.routing,
                "pattern": str(scenario.pattern),
                "seed": scenario.seed,
                "seeds": request.seeds,
                "config": request.config,
                "deadlock_proof": DeadlockProofPart.of(scenario.proof(request.config.vc_policy)),
                "warnings": (),
                "rows": [
                    VctRuns.of(runs, topology) if len(runs) > 1 else VctRun.of(runs[0], topology)
                    for runs in results
                ],
                "provenance": versions(),
            }
        )
