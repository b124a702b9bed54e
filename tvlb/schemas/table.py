"""The document of a whole search: `tvlb table --json`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field

from tvlb.balance import BalanceReport, KindUsage, unbalanced
from tvlb.documents import Document
from tvlb.schemas.common import (
    Count,
    Figure,
    Load,
    NonNegative,
    OptionalKey,
    PathSetText,
    PatternText,
    Seconds,
    Seed,
    TopologyText,
    Versions,
    by_kind,
)
from tvlb.schemas.examples import example
from tvlb.schemas.found import Balancing, FoundSearch, SetName
from tvlb.schemas.settings import Windows, with_settings
from tvlb.search import (
    MAX_TRAFFIC,
    Candidate,
    ProbeResult,
    SearchOptions,
    TableResult,
    Validation,
    Verdict,
    budget_text,
)
from tvlb.search import SimulatedSet as Simulated
from tvlb.topology import TopologyMetadata, metadata_type

if TYPE_CHECKING:
    Metadata = TopologyMetadata
else:
    Metadata = metadata_type()

__all__ = [
    "Balance",
    "Comparison",
    "CurvePoint",
    "Decision",
    "PatternFigures",
    "ProbeCurve",
    "ProbePoint",
    "Provenance",
    "SearchParameters",
    "SimulatedSet",
    "TableDocument",
    "TableSummary",
    "Timings",
    "Usage",
]

MeanHops = Annotated[
    Figure,
    Field(
        description="Mean network hops of a drawn VLB path over the pairs in different groups; "
        "null if none has one.",
    ),
]
Percentiles = Annotated[tuple[Figure, ...], Field(min_length=101, max_length=101)]


class TableSummary(Document):
    """The chosen table."""

    id: str = Field(pattern="^[0-9a-f]{64}$", description="SHA-256 of the content, hex.")
    form: Literal["full", "compact"] = Field(
        description="Whether the table lists its rows, or holds rule, seed and removed paths."
    )
    expression: PathSetText
    mean_vlb_hops: MeanHops
    paths: Count = Field(
        description="Paths of all switch pairs; before balancing where that saw only a sample."
    )
    removed_by_balance: Count | None = Field(
        description="Paths that balancing removed; null where it saw only a sample of the pairs."
    )
    balancing: Balancing
    sampled_pairs: Count | None = Field(
        description="Switch pairs that mean_vlb_hops is of; null for all."
    )

    @classmethod
    def of(cls, result: TableResult) -> Self:
        """Describe the table that a search ended with."""
        header = result.table.header
        compact, removed = header.compact, _removed_by_balance(result)
        given = sum(header.paths_by_hops.values())
        return cls(
            id=result.table.id,
            form="full" if compact is None else "compact",
            expression=header.expression,
            mean_vlb_hops=header.mean_vlb_hops,
            paths=given if compact is None else given - (removed or 0),
            removed_by_balance=removed,
            balancing=None if result.chosen is None else result.chosen.form,
            sampled_pairs=None if compact is None else compact.sampled_pairs,
        )


def _removed_by_balance(result: TableResult) -> int | None:
    """Count removed paths; None where balancing only saw a sample."""
    report = None if result.chosen is None else result.chosen.balance_report
    if report is None:
        return 0
    return report.removed if report.sampled_pairs is None else None


class ProbePoint(Document):
    """Modelled throughput of one path set, averaged over the patterns."""

    expression: PathSetText
    theta_mean: float = Field(ge=0.0, description="Mean of theta_low, flits/cycle/node.")
    theta_sem: NonNegative = Field(
        description="Standard error of theta_mean, flits/cycle/node; null for a single pattern.",
    )
    theta_low: float = Field(
        ge=0.0, description="Mean of the certified lower bounds, flits/cycle/node."
    )
    theta_up: float = Field(
        ge=0.0, description="Mean of the certified upper bounds, flits/cycle/node."
    )
    patterns: int = Field(ge=1, description="Patterns that it was solved for.")
    mean_vlb_hops: MeanHops
    distance_to_cut: float = Field(description="theta_up less the candidate cut, flits/cycle/node.")
    within_tolerance: bool = Field(description="Whether the point reaches the candidate cut.")


class PatternFigures(Document):
    """What was simulated of a path set on one pattern."""

    pattern: PatternText
    saturation: Load = Field(description="Saturation throughput, packets/cycle/node.")
    latency: Figure = Field(
        description="Mean latency at the reference load, cycles; null without packets, and for a "
        "search where that load was not sustained."
    )


class Usage(Document):
    """How evenly paths use the links of one kind; null where no link of it is in use."""

    before: Figure = Field(
        description="Largest usage over the mean of the links in use, all pairs together, before "
        "balancing."
    )
    after: Figure = Field(description="The same after balancing.")
    pair_mean_before: Figure = Field(
        description="Mean over the pairs of a pair's own largest usage over its mean, before "
        "balancing; null if no pair has a choice."
    )
    pair_mean_after: Figure = Field(description="The same after balancing.")
    pair_max_before: Figure = Field(
        description="Largest over the pairs instead of the mean, before balancing."
    )
    pair_max_after: Figure = Field(description="The same after balancing.")
    percentiles_before: Percentiles = Field(
        description="Percentiles 0..100 of usage over mean of the links, before balancing."
    )
    percentiles_after: Percentiles = Field(description="The same after balancing.")

    @classmethod
    def of(cls, before: KindUsage, after: KindUsage) -> Self:
        """Describe one kind of link before and after balancing."""
        return cls.model_validate(
            {
                "before": before.max_over_mean,
                "after": after.max_over_mean,
                "pair_mean_before": before.pair_mean,
                "pair_mean_after": after.pair_mean,
                "pair_max_before": before.pair_max,
                "pair_max_after": after.pair_max,
                "percentiles_before": before.quantiles.tolist(),
                "percentiles_after": after.quantiles.tolist(),
            }
        )


class Balance(by_kind(Usage)):
    """What balancing by removal did to a path set, or how it uses the links as it is."""

    paths: Count = Field(description="Paths before.")
    removed: Count = Field(description="Paths removed.")
    removed_locally: Count = Field(description="Of these, by the step for each pair.")
    removed_globally: Count = Field(description="Of these, by the step over all pairs.")
    pairs_at_floor: Count = Field(
        description="Pairs left overloaded because no further path may be removed."
    )
    sampled_pairs: Count | None = Field(
        description="Switch pairs between groups that these figures are of; null for all pairs."
    )

    @classmethod
    def of(cls, report: BalanceReport) -> Self:
        """Describe what balancing did to a path set."""
        usage = {
            kind: Usage.of(before, report.after[kind]) for kind, before in report.before.items()
        }
        return cls.model_validate(
            {
                **usage,
                "paths": report.paths_before,
                "removed": report.removed,
                "removed_locally": report.removed_locally,
                "removed_globally": report.removed_globally,
                "pairs_at_floor": report.pairs_at_floor,
                "sampled_pairs": report.sampled_pairs,
            }
        )


class Comparison(Document):
    """A candidate against `all`, paired by pattern; differences are candidate minus `all`."""

    expression: SetName
    saturation_gain: float = Field(
        description="Mean difference in saturation throughput, packets/cycle/node."
    )
    saturation_sem: NonNegative = Field(
        description="Its standard error, packets/cycle/node; null for a single run."
    )
    latency_change: Figure = Field(
        description="Mean difference in latency at the reference load, cycles; null without "
        "packets."
    )
    latency_sem: NonNegative = Field(
        description="Its standard error, cycles; null without packets or for one run."
    )
    verdict: Verdict = Field(description="What follows from the differences.")


class SimulatedSet(Document):
    """What was simulated of a path set."""

    expression: SetName
    path_set: PathSetText
    balancing: Balancing
    mean_vlb_hops: MeanHops
    saturation_mean: Load = Field(
        description="Saturation throughput, mean over the patterns by their shares, "
        "packets/cycle/node."
    )
    saturation_sem: NonNegative = Field(
        description="Its standard error, packets/cycle/node; null for a single run."
    )
    latency_at_reference_load: Figure = Field(
        description="Mean latency at the reference load over the patterns that have one, by their "
        "shares, cycles; null without any."
    )
    latency_sem: NonNegative = Field(
        description="Its standard error, cycles; null without packets or for one run."
    )
    per_pattern: tuple[PatternFigures, ...] = Field(
        min_length=1,
        max_length=MAX_TRAFFIC,
        description="The same by pattern, and by seed where named patterns are few.",
    )
    confirmed: bool = Field(description="Whether the figures counted for the decision.")
    windows: Windows
    balance: Balance | None = Field(
        description="What balancing did; null for `all` and without balancing."
    )
    comparison: Comparison | None = Field(
        description="Confirmed comparison with `all`; null for `all` and what was not confirmed."
    )

    @classmethod
    def of(
        cls,
        simulated: Simulated,
        validation: Validation,
        mean_hops: float,
        candidate: Candidate | None = None,
    ) -> Self:
        """Describe a simulated candidate, or without one the conventional set."""
        measured = simulated.measured
        comparisons = {one.expression: one for one in validation.decision.comparisons}
        report = None if candidate is None else candidate.balance_report
        figures = (validation.patterns, measured.saturation.tolist(), measured.latency.tolist())
        return cls.model_validate(
            {
                "expression": measured.expression,
                "path_set": measured.expression if candidate is None else candidate.expression,
                "balancing": None if candidate is None else candidate.form,
                "mean_vlb_hops": mean_hops,
                "saturation_mean": measured.saturation_mean,
                "saturation_sem": measured.saturation_sem,
                "latency_at_reference_load": measured.latency_mean,
                "latency_sem": measured.latency_sem,
                "per_pattern": [
                    {"pattern": pattern, "saturation": saturation, "latency": latency}
                    for pattern, saturation, latency in zip(*figures, strict=True)
                ],
                "confirmed": simulated.confirmed,
                "windows": simulated.windows,
                "balance": None if report is None else Balance.of(report),
                "comparison": comparisons.get(measured.expression),
            }
        )


class Decision(Document):
    """The outcome of the search."""

    expression: SetName
    replaces_all: bool = Field(description="Whether a candidate was chosen.")
    reason: str = Field(description="One sentence.")


class CurvePoint(Document):
    """One load of a latency-load curve, averaged over the patterns that are not saturated."""

    load: Load = Field(description="Offered load, packets/cycle/node.")
    latency_mean: Figure = Field(
        description="Mean latency, cycles; null where every pattern is saturated, or without "
        "packets."
    )
    latency_sem: NonNegative = Field(
        description="Its standard error, cycles; null for fewer than two patterns."
    )
    accepted: float = Field(
        ge=0.0, description="Accepted load, mean over all patterns, packets/cycle/node."
    )
    saturated_patterns: Count = Field(description="Patterns that are saturated at this load.")


class Timings(Document):
    """Wall time of each stage, seconds; stages of the other method are left out."""

    probe: Seconds = Field(description="Step 1, the throughput model, seconds.")
    balance: Seconds = Field(
        description="Choosing the candidates, and balancing them by the paper's method, seconds."
    )
    simulate: OptionalKey[Seconds] = Field(
        None, description="Screening, confirmation and curves of the paper's method, seconds."
    )
    search: OptionalKey[Seconds] = Field(
        None, description="The search for weighted sets, balancing included, seconds."
    )
    compare: OptionalKey[Seconds] = Field(
        None, description="Judging what a search found, and curves, seconds."
    )
    table: Seconds = Field(description="Building the table, seconds.")


class SearchParameters(with_settings(Document, SearchOptions)):
    """The options of the search that decide its result."""

    seed: Seed

    @classmethod
    def of(cls, result: TableResult) -> Self:
        """Describe the options of a search, with the defaults of its method filled in."""
        budget = budget_text(result.options.budget, result.topology)
        return cls.model_validate(replace(result.options.resolved(), budget=budget))


class Provenance(Versions):
    """Versions of the software, and the options of the search."""

    parameters: SearchParameters


class Work(Document):
    """What was computed, in units that do not depend on the machine."""

    programs: Count = Field(description="Path sets times the patterns that each was modelled for.")
    flit_hops: Count = Field(description="Links traversed by flits in all simulations.")
    cycles: Count = Field(description="Simulated cycles of all simulations.")


class _Curve(Document):
    probe: tuple[ProbePoint, ...] = Field(
        description="Modelled throughput of the data points of Table 1, shortest first."
    )
    strategic: tuple[ProbePoint, ...] = Field(
        description="The same of the deterministic choices considered besides."
    )
    best: PathSetText = Field(description="Data point with the largest mean.")
    cut: float = Field(
        ge=0.0, description="(1 - tolerance) times the largest mean, flits/cycle/node."
    )
    tolerance: float = Field(
        ge=0.0, lt=1.0, description="Candidates are within this share of the largest mean."
    )
    patterns: tuple[PatternText, ...] = Field(
        min_length=1, description="The patterns that were modelled."
    )
    patterns_available: int = Field(ge=1, description="Patterns to choose from.")
    half_width: NonNegative = Field(
        description="Largest half-width of a 95% confidence interval that leaves open on which "
        "side of the cut a set is, as a share of the largest mean; null if one of several "
        "patterns was modelled.",
    )
    stopped: str = Field(description="Why no more patterns were modelled.")


class ProbeCurve(_Curve):
    """Modelled throughput of all data points: Step 1."""

    @classmethod
    def of(cls, probe: ProbeResult, tolerance: float) -> Self:
        """Describe Step 1 alone."""
        return cls.model_validate(_curve(probe, tolerance))


def _curve(probe: ProbeResult, tolerance: float) -> dict[str, Any]:
    return {
        "probe": probe.points,
        "strategic": probe.strategic,
        "best": probe.best,
        "cut": probe.cut,
        "tolerance": tolerance,
        "patterns": probe.sample.patterns,
        "patterns_available": probe.sample.available,
        "half_width": probe.sample.half_width,
        "stopped": probe.sample.stopped,
    }


class _Found(Document):
    topology: TopologyText
    table: TableSummary
    topology_metadata: Metadata = Field(description="What the network amounts to.")


# The keys of the last base come first.
class TableDocument(_Curve, _Found):
    """A T-VLB table and how it was found."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("search"), example("table")]})

    candidates: tuple[SimulatedSet, ...] = Field(
        description="The simulated sets, in order; what a search found comes first."
    )
    merged: dict[str, str] = Field(
        description="Path sets left out because they mean the paths of another: that other set, "
        "by the expression left out."
    )
    baseline: SimulatedSet = Field(description="The conventional set, `all`.")
    decision: Decision
    reference_load: Load = Field(
        description="Load at which latencies are compared, packets/cycle/node."
    )
    curves: dict[str, tuple[CurvePoint, ...]] = Field(
        description="Latency-load curves of `all` and of the chosen set, by name."
    )
    balance: Balance = Field(description="What balancing did to the chosen set.")
    search: FoundSearch | None = Field(
        description="What a search for weighted sets found; null for the paper's method."
    )
    timings: Timings
    work: Work
    provenance: Provenance

    @classmethod
    def of(cls, result: TableResult) -> Self:
        """Describe a whole search."""
        validation, chosen = result.validation, result.chosen
        report = None if chosen is None else chosen.balance_report
        return cls.model_validate(
            {
                "topology": str(result.topology),
                "table": TableSummary.of(result),
                "topology_metadata": result.topology.metadata,
                **_curve(result.probe, result.options.tolerance),
                "candidates": [
                    SimulatedSet.of(simulated, validation, candidate.mean_hops, candidate)
                    for candidate, simulated in zip(
                        result.candidates, validation.candidates, strict=True
                    )
                ],
                "merged": result.merged,
                "baseline": SimulatedSet.of(validation.baseline, validation, result.baseline_hops),
                "decision": validation.decision,
                "reference_load": validation.reference_load,
                "curves": validation.curves,
                "balance": Balance.of(report or unbalanced(result.table.base_set)),
                "search": None if result.found is None else FoundSearch.of(result.found),
                "timings": result.timings,
                "work": result.work,
                "provenance": {**result.provenance, "parameters": SearchParameters.of(result)},
            }
        )
