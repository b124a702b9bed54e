"""Stability: whether throughput lasts where a network is under full load for long."""

import threading
import time
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import ConfigDict, Field

from sim_bridge import SEEDS, VCT_ROUTINGS
from sim_bridge.latencies import LATENCY_SETTINGS
from sim_bridge.routers.vct import (
    VC_POLICIES,
    VCT_ROUTING_NAMES,
    LongRun,
    StabilityCase,
    StabilityRun,
    StabilityStudy,
    checked_cases,
    parse_vcs,
    stability_cases,
    study_stability,
)
from tvlb.documents import WHOLE, Document, versions
from tvlb.languages import made, one_of
from tvlb.paths import RULE_SETTINGS
from tvlb.processes import Reporter, Units
from tvlb.requests import Answer, Context, Form, Request, RequestKind
from tvlb.requests.common import (
    Load,
    OptionalKey,
    PatternText,
    Seconds,
    Seed,
    TopologyText,
    Versions,
)
from tvlb.requests.cost import Cost, stability_cost, with_traffic
from tvlb.requests.request import Load as AskedLoad
from tvlb.requests.request import Seed as AskedSeed
from tvlb.requests.routers.vct import DeadlockProofPart
from tvlb.requests.settings import VctSettings, with_options
from tvlb.requests.texts import OneOf, VcsText
from tvlb.requests.texts import PatternText as AskedPattern
from tvlb.topology import Topology, described
from tvlb.traffic import Pattern, idle_warnings, parse_asked_pattern

_MOST_VCS = 64
_Category = Literal[1, 2, 3]


class _Cases(Request):
    """What is simulated."""

    pattern: AskedPattern = "uniform"
    routing: Annotated[
        tuple[Annotated[str, OneOf(VCT_ROUTING_NAMES)], ...],
        Field(
            min_length=1,
            max_length=len(VCT_ROUTINGS),
            strict=False,
            description="Routings of the router vct; every one is run with every choice of "
            "virtual channels.",
        ),
    ] = (VCT_ROUTINGS[1],)
    vcs: Annotated[
        tuple[VcsText, ...],
        Field(
            min_length=1,
            max_length=_MOST_VCS,
            strict=False,
            description=f"Virtual channels: {one_of(VC_POLICIES)}, and :COUNT for other than it "
            "needs.",
        ),
    ] = ("ladder",)
    load: Annotated[AskedLoad, Field(description="Offered load, phits/cycle/node, 0..1.")] = 1.0


class StabilityBody(with_options(_Cases, LongRun)):
    """Run a network under full load for long, and tell whether throughput lasts."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "topology": "hyperx(4,4,4)",
                    "pattern": "dshift(1)",
                    "routing": ["valiant(minlast)"],
                    "vcs": ["2phases:4", "reuse"],
                }
            ]
        }
    )
    kind: ClassVar[str] = "stability"

    seed: AskedSeed = 0
    seeds: Annotated[
        int, Field(ge=SEEDS.low, le=SEEDS.high, description="Runs of each case."), WHOLE
    ] = 1
    until_collapse: Annotated[
        bool,
        Field(
            description="End a run as soon as it is sure to be of category 3; categories are the "
            "same."
        ),
    ] = False

    if TYPE_CHECKING:
        # Which options there are is known only when the program runs.
        def __init__(self, **asked: Any) -> None: ...

    def traffic(self) -> Pattern:
        """Return the traffic pattern."""
        return parse_asked_pattern(self.pattern)

    def cases(self) -> list[StabilityCase]:
        """Return the cases, by virtual channels and then by routing."""
        return stability_cases(made(LongRun, dict(self)), self.routing, self.vcs)

    def _resolved(self, network: Topology) -> Self:
        traffic = self.traffic()
        known = list(
            checked_cases(
                network,
                self.cases(),
                traffic.outlined(network, self.seed),
                load=self.load,
                seed=self.seed,
                seeds=self.seeds,
            )
        )
        routings = len(self.routing)
        return self.model_copy(
            update={
                "topology": described(network),
                "pattern": traffic.asked,
                **{name: getattr(known[0].config, name) for name in LATENCY_SETTINGS},
                **{
                    name: _first(getattr(one.config, name) for one in known)
                    for name in RULE_SETTINGS
                },
                "routing": tuple(case.routing for case in known[:routings]),
                "vcs": tuple(
                    _vcs_text(text, known[place * routings : (place + 1) * routings])
                    for place, text in enumerate(self.vcs)
                ),
            }
        )

    def _cost(self, network: Topology) -> Cost:
        cost = stability_cost(network, self.cases(), self.load, self.seeds)
        return with_traffic(cost, network, [self.traffic()])


def _first(values: Iterable[Any]) -> Any:
    """Return the first value of a setting that has a meaning, None if none has."""
    return next((one for one in values if one is not None), None)


def _vcs_text(text: str, cases: list[StabilityCase]) -> str:
    """Write virtual channels with their number, unless routings need different ones."""
    policy, _ = parse_vcs(text)
    counts = {case.config.vc_count for case in cases}
    return f"{policy}:{counts.pop()}" if len(counts) == 1 else policy


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
    warnings: OptionalKey[tuple[str, ...]] = Field(
        None,
        description="What limits such runs beyond their routing; absent in documents of earlier "
        "versions.",
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
        of_routers = (line for case in study.runs for line in case.config.warnings(study.topology))
        seed = next(iter(study.runs.values()))[0].seed
        idle = idle_warnings([study.pattern], study.topology, seed)
        return cls.model_validate(
            {
                "topology": str(study.topology),
                "pattern": str(study.pattern),
                "load": study.load,
                "until_collapse": study.until_collapse,
                "warnings": tuple(dict.fromkeys((*of_routers, *idle))),
                "stability": cases,
                "provenance": versions(),
            }
        )


def _compute(body: StabilityBody, context: Context, report: Reporter) -> Answer:
    start = time.perf_counter()
    with context.unit_cache() as unit_cache:
        study = study_stability(
            body.network(),
            body.cases(),
            body.traffic(),
            load=body.load,
            seed=body.seed,
            seeds=body.seeds,
            until_collapse=body.until_collapse,
            units=Units(unit_cache, context.stop or threading.Event()),
            report=report,
        )
    timings = {"stability": time.perf_counter() - start}
    return Answer(StabilityDocument.of(study).plain(), timings)


KIND = RequestKind(
    "stability",
    (
        Form(
            StabilityBody,
            StabilityDocument,
            _compute,
            example="stability",
        ),
    ),
    asking="Run a network under full load for long, and tell whether throughput lasts.",
    reading="Return a study of stability: case by case.",
    noun="study of stability",
    nouns="studies of stability",
    swept=True,
    in_units=True,
    menu="Stability",
    rank=5,
)
