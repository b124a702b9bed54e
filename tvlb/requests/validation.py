"""What was simulated of path sets and follows from it, in documents."""

from typing import Self

from pydantic import Field

from tvlb.documents import Document
from tvlb.requests.balance import Balance
from tvlb.requests.common import (
    Count,
    Figure,
    Load,
    MeanHops,
    NonNegative,
    PathSetText,
    PatternText,
)
from tvlb.requests.found import Balancing, SetName
from tvlb.requests.settings import Windows
from tvlb.requests.verdict import Judgement
from tvlb.search import MAX_TRAFFIC, Candidate, Validation
from tvlb.search import SimulatedSet as Simulated


class PatternFigures(Document):
    """What was simulated of a path set on one pattern."""

    pattern: PatternText
    saturation: Load = Field(description="Saturation throughput, packets/cycle/node.")
    latency: Figure = Field(
        description="Mean latency at the reference load, cycles; null without packets, and for a "
        "search where that load was not sustained."
    )


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
    comparison: Judgement | None = Field(
        description="Confirmed comparison with the conventional set; null for that, and for what "
        "was not confirmed."
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
        base = validation.baseline.measured.expression
        comparisons = {
            one.expression: Judgement.of(one)
            for one in validation.judgements
            if one.against == base
        }
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
    latency_ci95: NonNegative = Field(
        default=None,
        description="Half its 95% interval, cycles; null for fewer than two patterns.",
    )
    accepted: float = Field(
        ge=0.0, description="Accepted load, mean over all patterns, packets/cycle/node."
    )
    saturated_patterns: Count = Field(description="Patterns that are saturated at this load.")
