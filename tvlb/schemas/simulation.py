"""The document of simulated loads and saturation searches: `tvlb simulate --json`."""

from typing import Literal, Self

from pydantic import ConfigDict, Field, model_validator

from tvlb.schemas.common import (
    Count,
    Cycles,
    Document,
    Load,
    OptionalKey,
    PathSetText,
    PatternText,
    Seconds,
    Seed,
    Share,
    TopologyText,
    Versions,
    drop_default,
)
from tvlb.schemas.examples import example
from tvlb.schemas.settings import SimulationSettings
from tvlb.search import Routing

__all__ = [
    "Fairness",
    "LinkLoad",
    "Run",
    "Series",
    "SimulatedRuns",
    "SimulationDocument",
    "Spread",
    "Trace",
    "TraceHop",
]


class Fairness(Document):
    """Traffic of every switch in the measured window."""

    min: float = Field(ge=0.0, description="Least of all switches, packets/cycle/node.")
    max: float = Field(ge=0.0, description="Most of all switches, packets/cycle/node.")
    jain_index: float | None = Field(
        ge=0.0, description="Jain's fairness index, 1 if all are equal; null without traffic."
    )
    by_switch: tuple[float, ...] = Field(description="By switch id, packets/cycle/node.")


class Spread(Document):
    """Load of the links of one kind; null where the network has none of it."""

    mean: float | None = Field(description="Mean over the links, flits/cycle.")
    max: float | None = Field(description="Load of the busiest link, flits/cycle.")


class LinkLoad(Document):
    """Load of the links in the measured window."""

    local: Spread = Field(description="Links inside groups.")
    global_: Spread = Field(alias="global", description="Links between groups.")
    by_link: tuple[float, ...] = Field(description="By link id, flits/cycle.")

    model_config = ConfigDict(serialize_by_alias=True)


class Series(Document):
    """The course of a run in intervals of 1,000 cycles, warm-up and drain included."""

    cycle: tuple[Cycles, ...] = Field(description="First cycle of each interval.")
    accepted: tuple[float, ...] = Field(description="Delivered in it, packets/cycle/node.")
    latency_mean: tuple[float | None, ...] = Field(
        description="Mean latency of the packets delivered in it, cycles; null without any."
    )


class TraceHop(Document):
    """A switch that a traced packet left."""

    switch: Count = Field(description="Switch id.")
    link: int = Field(ge=-1, description="Link id, -1 for the way to the destination node.")
    vc: Count = Field(description="Virtual channel on that link.")
    departure: Cycles = Field(description="Cycle in which the packet left the switch.")


class Trace(Document):
    """The way of one packet."""

    source: Count = Field(description="Source node.")
    destination: Count = Field(description="Destination node.")
    created: Cycles = Field(description="Cycle in which it was generated.")
    injected: Cycles = Field(description="Cycle in which it left its node.")
    delivered: Cycles | None = Field(
        description="Cycle of delivery; null if it was under way when the run ended."
    )
    vlb: bool = Field(description="Whether it took a VLB path in the end.")
    hops: tuple[TraceHop, ...] = Field(description="The switches that it left, in order.")


class _Figures(Document):
    """Figures of a run, or their means and totals over several."""

    load: Load = Field(description="Offered load, packets/cycle/node.")
    accepted: float = Field(
        ge=0.0, description="Delivered in the measured window, packets/cycle/node."
    )
    latency_mean: float | None = Field(
        description="Mean latency of the packets generated in the measured window, cycles; null "
        "without any."
    )
    latency_p50: float | None = Field(description="Median of that latency, cycles.")
    latency_p90: float | None = Field(description="Percentile 90 of that latency, cycles.")
    latency_p99: float | None = Field(description="Percentile 99 of that latency, cycles.")
    latency_p999: float | None = Field(description="Percentile 99.9 of that latency, cycles.")
    hops_mean: float | None = Field(
        description="Network links taken by those packets; null if none was delivered."
    )
    vlb_share: Share | None = Field(
        description="Share of VLB among the route decisions, warm-up included; null without any."
    )
    vlb_share_measured: Share | None = Field(
        description="The same for packets generated in the measured window."
    )
    accepted_ci95: float | None = Field(
        ge=0.0,
        description="Half the 95% confidence interval of accepted, packets/cycle/node; null where "
        "it cannot be told.",
    )
    latency_ci95: float | None = Field(
        ge=0.0,
        description="Half the 95% confidence interval of latency_mean, cycles; null where it "
        "cannot be told.",
    )
    saturated: bool = Field(
        description="Mean latency above 500 cycles, or accepted below 0.995 of generated; of "
        "several runs, whether most are."
    )
    steady: bool = Field(
        description="False if the end of the warm-up was to be detected and was not; of several "
        "runs, whether all are."
    )
    flits: Count = Field(description="Packets delivered, warm-up and drain included.")
    flit_hops: Count = Field(description="Network links traversed, warm-up and drain included.")
    cycles: Cycles = Field(description="Simulated cycles, warm-up and drain included.")
    cpu_seconds: Seconds = Field(description="Processor time, seconds.")
    wall_seconds: Seconds = Field(description="Elapsed time, seconds.")


class Run(_Figures):
    """One run; intervals come from its batch means."""

    seed: Seed
    stopped: Literal["completed", "saturated-early"] = Field(
        description="How the run ended; the figures of one that stopped early are partial."
    )
    stop_reason: str = Field(description="Why it stopped early, else empty.")
    warmup_cycles: Cycles = Field(description="Cycles before the measured window.")
    switch_injected: Fairness = Field(description="Sent by the nodes of each switch.")
    switch_accepted: Fairness = Field(description="Delivered to the nodes of each switch.")
    link_load: LinkLoad
    series: Series
    traces: tuple[Trace, ...] = Field(description="Traced packets, in order of injection.")


class SimulatedRuns(_Figures):
    """One load with several seeds: means, totals, and intervals from seed to seed."""

    saturated_runs: Count = Field(description="How many of the runs are saturated.")
    warmup_cycles: float = Field(ge=0.0, description="Mean cycles before the measured window.")
    runs: tuple[Run, ...] = Field(min_length=2, description="The single runs, by seed.")


_SEARCH_KEYS = ("saturation_load", "saturation_ci95", "saturation_by_seed", "saturation_runs")


class SimulationDocument(Document):
    """Simulated loads, and the saturation load if it was searched.

    The keys saturation_* come together, and only with a search.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "dependentRequired": {key: list(_SEARCH_KEYS) for key in _SEARCH_KEYS},
            "examples": [example("simulation")],
        }
    )

    topology: TopologyText
    routing: Routing = Field(description="How a packet gets its route.")
    path_set: PathSetText
    pattern: PatternText
    seed: Seed
    seeds: int = Field(ge=1, description="Runs per load, with seeds seed, seed + 1, ...")
    config: SimulationSettings
    warnings: tuple[str, ...] = Field(description="What limits such runs beyond their routing.")
    rows: tuple[Run | SimulatedRuns, ...] = Field(
        description="One entry per load, in the order asked for: the run, or with several seeds "
        "the figures of all of them; empty if only the saturation was searched."
    )
    provenance: Versions
    saturation_load: OptionalKey[Load] = Field(
        default=None, description="Largest sustained load, mean over the seeds, packets/cycle/node."
    )
    saturation_ci95: float | None = Field(
        default=None,
        ge=0.0,
        json_schema_extra=drop_default,
        description="Half its 95% confidence interval from seed to seed, packets/cycle/node; null "
        "with a single seed.",
    )
    saturation_by_seed: OptionalKey[tuple[Load, ...]] = Field(
        default=None, description="Largest sustained load of every seed, packets/cycle/node."
    )
    saturation_runs: OptionalKey[tuple[Run, ...]] = Field(
        default=None, description="Runs of the searches, by seed and rising load."
    )

    @model_validator(mode="after")
    def _all_or_none(self) -> Self:
        given = [key for key in _SEARCH_KEYS if key in self.model_fields_set]
        if len(given) not in (0, len(_SEARCH_KEYS)):
            raise ValueError(f"{', '.join(_SEARCH_KEYS)} come together; given: {', '.join(given)}")
        return self
