"""The document of Step 1, the throughput model: `tvlb probe --json`."""

from typing import Any, Self

from pydantic import Field

from tvlb.documents import Document
from tvlb.requests.common import MeanHops, NonNegative, PathSetText, PatternText
from tvlb.search import ProbeResult


class ProbePoint(Document):
    """Modelled throughput of one path set, averaged over the patterns."""

    expression: PathSetText
    theta_mean: float = Field(ge=0.0, description="Mean of theta_low, packets/cycle/node.")
    theta_sem: NonNegative = Field(
        description="Standard error of theta_mean, packets/cycle/node; null for a single pattern.",
    )
    theta_low: float = Field(
        ge=0.0, description="Mean of the certified lower bounds, packets/cycle/node."
    )
    theta_up: float = Field(
        ge=0.0, description="Mean of the certified upper bounds, packets/cycle/node."
    )
    patterns: int = Field(ge=1, description="Patterns that it was solved for.")
    mean_vlb_hops: MeanHops
    distance_to_cut: float = Field(
        description="theta_up less the candidate cut, packets/cycle/node."
    )
    within_tolerance: bool = Field(description="Whether the point reaches the candidate cut.")


class Curve(Document):
    """What documents tell of Step 1."""

    probe: tuple[ProbePoint, ...] = Field(
        description="Modelled throughput of the data points of Table 1, shortest first."
    )
    strategic: tuple[ProbePoint, ...] = Field(
        description="The same of the deterministic choices considered besides."
    )
    best: PathSetText = Field(description="Data point with the largest mean.")
    cut: float = Field(
        ge=0.0, description="(1 - tolerance) times the largest mean, packets/cycle/node."
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

    @staticmethod
    def figures(probe: ProbeResult, tolerance: float) -> dict[str, Any]:
        """Return the values of these keys."""
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


class ProbeCurve(Curve):
    """Modelled throughput of all data points: Step 1."""

    @classmethod
    def of(cls, probe: ProbeResult, tolerance: float) -> Self:
        """Describe Step 1 alone."""
        return cls.model_validate(cls.figures(probe, tolerance))
