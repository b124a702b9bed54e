"""The document of simulated loads and saturation searches: `tvlb simulate --json`.

Of the router with input queues; that of the other one is in `tvlb.schemas.vct`.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field, model_validator

from tvlb.documents import Document, versions
from tvlb.schemas.common import (
    Count,
    Cycles,
    Figure,
    Load,
    NonNegative,
    OptionalKey,
    OrNull,
    PathSetText,
    PatternText,
    Seconds,
    Seed,
    Share,
    TopologyText,
    Versions,
    by_kind,
    drop_default,
)
from tvlb.schemas.examples import example
from tvlb.schemas.settings import SimulationSettings
from tvlb.search import (
    Routing,
    SaturationSearch,
    SimulationRequest,
    SimulationResult,
    half_width,
    jain_index,
)
from tvlb.topology import Topology


class Fairness(Document):
    """Traffic of every switch in the measured window."""

    min: float = Field(ge=0.0, description="Least of all switches, packets/cycle/node.")
    max: float = Field(ge=0.0, description="Most of all switches, packets/cycle/node.")
    jain_index: NonNegative = Field(
        description="Jain's fairness index, 1 if all are equal; null without traffic."
    )
    by_switch: tuple[float, ...] = Field(description="By switch id, packets/cycle/node.")

    @classmethod
    def of(cls, rates: NDArray[np.float64]) -> Self:
        """Describe float64 (switches,), packets/cycle/node."""
        return cls.model_validate(
            {
                "min": rates.min(),
                "max": rates.max(),
                "jain_index": jain_index(rates),
                "by_switch": rates.tolist(),
            }
        )


class Spread(Document):
    """Load of the links of one kind; null where the network has none of it."""

    mean: Figure = Field(description="Mean over the links, flits or phits/cycle.")
    max: Figure = Field(description="Load of the busiest link, flits or phits/cycle.")

    @classmethod
    def of(cls, loads: NDArray[np.float64]) -> Self:
        """Describe float64 (links,), flits or phits/cycle."""
        if len(loads) == 0:
            return cls(mean=None, max=None)
        return cls(mean=float(loads.mean()), max=float(loads.max()))


class LinkLoad(by_kind(Spread)):
    """Load of the links in the measured window."""

    by_link: tuple[float, ...] = Field(description="By link id, flits or phits/cycle.")

    @classmethod
    def of(cls, loads: NDArray[np.float64], topology: Topology) -> Self:
        """Describe float64 (links,), flits or phits/cycle."""
        kinds = topology.network.link_kind
        spreads = {
            name: Spread.of(loads[kinds == kind]) for kind, name in enumerate(topology.kinds.names)
        }
        return cls.model_validate({**spreads, "by_link": loads.tolist()})


class Series(Document):
    """The course of a run in intervals of 1,000 cycles, warm-up and drain included."""

    cycle: tuple[Cycles, ...] = Field(description="First cycle of each interval.")
    accepted: tuple[float, ...] = Field(description="Delivered in it, packets/cycle/node.")
    latency_mean: tuple[Figure, ...] = Field(
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


Saturated = Annotated[
    bool,
    Field(
        description="Mean latency above 500 cycles, or accepted below 0.995 of generated; of "
        "several runs, whether most are."
    ),
]
Steady = Annotated[
    bool,
    Field(
        description="False if the end of the warm-up was to be detected and was not; of several "
        "runs, whether all are."
    ),
]


class _OneLoad(Document):
    load: Load = Field(description="Offered load, packets/cycle/node.")


class OneSeed(Document):
    """A run."""

    seed: Seed


class _Means(Document):
    """Figures that several runs have the mean of."""

    accepted: float = Field(
        ge=0.0, description="Delivered in the measured window, packets/cycle/node."
    )
    latency_mean: Figure = Field(
        description="Mean latency of the packets generated in the measured window, cycles; null "
        "without any."
    )
    latency_p50: Figure = Field(description="Median of that latency, cycles.")
    latency_p90: Figure = Field(description="Percentile 90 of that latency, cycles.")
    latency_p99: Figure = Field(description="Percentile 99 of that latency, cycles.")
    latency_p999: Figure = Field(description="Percentile 99.9 of that latency, cycles.")
    hops_mean: Figure = Field(
        description="Network links taken by those packets; null if none was delivered."
    )
    vlb_share: Annotated[Share | None, OrNull] = Field(
        description="Share of VLB among the route decisions, warm-up included; null without any."
    )
    vlb_share_measured: Annotated[Share | None, OrNull] = Field(
        description="The same for packets generated in the measured window."
    )


class Intervals(Document):
    """Half the 95% confidence intervals of the means."""

    accepted_ci95: NonNegative = Field(
        description="Half the 95% confidence interval of accepted, in its unit; null where it "
        "cannot be told.",
    )
    latency_ci95: NonNegative = Field(
        description="Half the 95% confidence interval of latency_mean, cycles; null where it "
        "cannot be told.",
    )


class _Population(Document):
    population: OptionalKey[Literal["generated"]] = Field(
        default=None,
        description="Whose latency and hops are told: those generated in the measured window.",
    )


class _Ending(Document):
    saturated: Saturated
    stopped: Literal["completed", "saturated-early"] = Field(
        description="How the run ended; the figures of one that stopped early are partial."
    )
    stop_reason: str = Field(description="Why it stopped early, else empty.")
    warmup_cycles: Cycles = Field(description="Cycles before the measured window.")
    steady: Steady


class _Totals(Document):
    """Figures that several runs have the sum of."""

    flits: Count = Field(description="Packets delivered, warm-up and drain included.")
    flit_hops: Count = Field(description="Network links traversed, warm-up and drain included.")
    cycles: Cycles = Field(description="Simulated cycles, warm-up and drain included.")
    cpu_seconds: Seconds = Field(description="Processor time, seconds.")
    wall_seconds: Seconds = Field(description="Elapsed time, seconds.")


# The keys of the last base come first.
class Run(_Totals, _Ending, Intervals, _Population, _Means, OneSeed, _OneLoad):
    """One run; intervals come from its batch means."""

    switch_injected: Fairness = Field(description="Sent by the nodes of each switch.")
    switch_accepted: Fairness = Field(description="Delivered to the nodes of each switch.")
    link_load: LinkLoad
    series: Series
    traces: tuple[Trace, ...] = Field(description="Traced packets, in order of injection.")

    @classmethod
    def of(cls, result: SimulationResult, topology: Topology) -> Self:
        """Describe a run."""
        described = cls.model_fields.keys() - _Population.model_fields
        figures = {name: getattr(result, name) for name in described}
        figures["population"] = "generated"
        figures["switch_injected"] = Fairness.of(result.switch_injected)
        figures["switch_accepted"] = Fairness.of(result.switch_accepted)
        figures["series"] = {name: values.tolist() for name, values in vars(result.series).items()}
        figures["link_load"] = LinkLoad.of(result.link_load, topology)
        return cls.model_validate(figures)


class SimulatedRuns(_Totals, Intervals, _Population, _Means, _OneLoad):
    """One load with several seeds: means, totals, and intervals from seed to seed."""

    saturated: Saturated
    saturated_runs: Count = Field(description="How many of the runs are saturated.")
    warmup_cycles: float = Field(ge=0.0, description="Mean cycles before the measured window.")
    steady: Steady
    runs: tuple[Run, ...] = Field(min_length=2, description="The single runs, by seed.")

    @classmethod
    def of(cls, runs: Sequence[SimulationResult], topology: Topology) -> Self:
        """Describe the runs of one load."""
        saturated = sum(run.saturated for run in runs)
        return cls.model_validate(
            {
                **over_seeds(runs, _Means, _Totals),
                "population": "generated",
                "saturated": 2 * saturated > len(runs),
                "saturated_runs": saturated,
                "warmup_cycles": float(np.mean([run.warmup_cycles for run in runs])),
                "steady": all(run.steady for run in runs),
                "runs": [Run.of(run, topology) for run in runs],
            }
        )


def over_seeds(
    runs: Sequence[Any], means: type[Document], totals: type[Document]
) -> dict[str, Any]:
    """Return the load of runs that differ in the seed, means with intervals, and totals."""

    def values(name: str) -> NDArray[np.float64]:
        return np.array([getattr(run, name) for run in runs], dtype=np.float64)

    return {
        "load": runs[0].load,
        **{name: float(values(name).mean()) for name in means.model_fields},
        "accepted_ci95": half_width(values("accepted")),
        "latency_ci95": half_width(values("latency_mean")),
        **{name: sum(getattr(run, name) for run in runs) for name in totals.model_fields},
    }


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
    router: OptionalKey[Literal["iq"]] = Field(
        default=None, description="Model of the routers: input queues, packets of one flit."
    )
    load_unit: OptionalKey[Literal["packets/cycle/node"]] = Field(
        default=None, description="Unit of offered and accepted load."
    )
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
    saturation_ci95: NonNegative = Field(
        default=None,
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

    @classmethod
    def of(
        cls,
        request: SimulationRequest,
        results: Sequence[Sequence[SimulationResult]],
        saturation: Sequence[SaturationSearch],
    ) -> Self:
        """Describe the results of `simulate_loads` and `find_saturation`.

        Notes
        -----
        With one seed, a row describes its run, and intervals come from its batch means. With
        several, a row has means over the seeds with intervals from seed to seed, totals over the
        seeds, and the single runs under ``runs``; it is saturated if most of them are, and steady
        if all are.
        """
        scenario = request.scenario
        return cls.model_validate(
            {
                "topology": str(scenario.topology),
                "router": "iq",
                "load_unit": "packets/cycle/node",
                "routing": scenario.routing,
                "path_set": str(scenario.path_set),
                "pattern": str(scenario.pattern),
                "seed": scenario.seed,
                "seeds": request.seeds,
                "config": request.config,
                "warnings": scenario.warnings(request.config),
                "rows": [
                    SimulatedRuns.of(runs, scenario.topology)
                    if len(runs) > 1
                    else Run.of(runs[0], scenario.topology)
                    for runs in results
                ],
                "provenance": versions(),
                **(_found(saturation, scenario.topology) if saturation else {}),
            }
        )


def _found(searches: Sequence[SaturationSearch], topology: Topology) -> dict[str, Any]:
    loads = np.array([search.load for search in searches])
    return {
        "saturation_load": round(float(loads.mean()), 10),
        "saturation_ci95": half_width(loads),
        "saturation_by_seed": loads.tolist(),
        "saturation_runs": [Run.of(run, topology) for one in searches for run in one.evaluated],
    }
