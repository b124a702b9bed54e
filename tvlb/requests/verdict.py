"""The verdict on a table in documents: `verdict` of a table and of a repair."""

from dataclasses import asdict
from typing import Literal, Self

from pydantic import Field

from tvlb.documents import Document
from tvlb.requests.common import Count, Figure, Load, NonNegative, OptionalKey, PatternText, Share
from tvlb.requests.found import SetName
from tvlb.search import VerdictRecord
from tvlb.statistics import Judgement as Judged
from tvlb.statistics import Verdict

# What sentences tell, and what few records have.
_NOT_TOLD = ("notes", "rule", "parts", "on_vct", "floors")


class Change(Document):
    """A relative change, paired by pattern and seed: 0.1 for 10% more."""

    mean: float = Field(description="Mean over the patterns, by their shares.")
    half_width: NonNegative = Field(
        description="Half of its 95% interval, which holds together with all others; null for a "
        "single run.",
    )
    worst: float = Field(description="The worst change of a pattern, the mean over its runs.")
    worst_pattern: PatternText
    patterns: int = Field(ge=1, description="Patterns that both sets have the figure of.")


class Judgement(Document):
    """A set against another that sets are compared with."""

    expression: SetName
    against: SetName
    saturation: Change = Field(description="Change of the saturation load; more is better.")
    latency: tuple[Change | None, ...] = Field(
        description="Change of the mean latency at each load; less is better. Null where no "
        "pattern has the figure of both sets."
    )

    verdict: Verdict = Field(
        description="What follows from the changes of saturation and of latency at the lower load."
    )

    @classmethod
    def of(cls, one: Judged) -> Self:
        """Return the document of a judgement."""
        return cls.model_validate({**asdict(one), "verdict": one.verdict})


class SetMeans(Document):
    """What was measured of a set, means over the runs."""

    expression: SetName
    called: str = Field(description="What it is, in words; empty for what has a name only.")
    saturation: Load = Field(description="Saturation load, packets/cycle/node.")
    latency: tuple[Figure, ...] = Field(
        description="Mean latency at each load, cycles; null where every run was saturated."
    )
    saturated: tuple[Count, ...] = Field(description="In how many runs, at each load.")
    mean_hops: Figure = Field(description="Mean hops of a drawn VLB path; null if not known.")


class VerdictDocument(Document):
    """What a search or a repair ends with, in the words and numbers that all surfaces show."""

    text: tuple[str, ...] = Field(
        description="Sentences: what to do, the changes, the figures, and what is not decided."
    )
    verdict: Verdict = Field(
        description="On the choice or, where that is what others are compared with, on the best of "
        "these."
    )
    expression: SetName
    replaces: bool = Field(
        description="Whether the table is to be used instead of what it is compared with first."
    )
    loads: tuple[Load, ...] = Field(
        description="Where latencies were compared, packets/cycle/node."
    )
    sets: tuple[SetMeans, ...] = Field(
        description="The choice first, then what others are compared with, then all else."
    )
    judgements: tuple[Judgement, ...] = Field(
        description="Those of the choice first; intervals of 95% that all hold together."
    )
    cases: str = Field(description="What was simulated of every set, in words.")
    vcs: Count = Field(
        description="Virtual channels per port of the simulated routers; where nothing was "
        "simulated, those that the table needs."
    )
    vc_policy: str = Field(description="How they are assigned.")
    paths: Count = Field(description="VLB paths of the table.")
    balancing: str = Field(
        description="What balancing did to the choice, in words; empty without any."
    )
    parts: OptionalKey[dict[Literal["paths", "rule", "both"], SetName]] = Field(
        None,
        description="Of a search for paths and the rule of UGAL, the sets that tell what either "
        "alone gains, and both; absent of others.",
    )
    on_vct: OptionalKey[tuple[Judgement, ...]] = Field(
        None,
        description="The same by virtual cut-through, where it was asked for; saturation is the "
        "change of what is accepted beyond saturation.",
    )
    floors: OptionalKey[dict[SetName, Share]] = Field(
        None,
        description="What senders that split by fixed shares over the paths of each set sustain on "
        "any traffic, packets/cycle/node; absent where the objective does not weigh it.",
    )
    undecided_runs: Count = Field(
        description="Simulations that were too short to tell whether the load is sustained."
    )

    @classmethod
    def of(cls, record: VerdictRecord) -> Self:
        """Return the document of a verdict."""
        return cls.model_validate(
            {
                **{name: one for name, one in vars(record).items() if name not in _NOT_TOLD},
                **({"parts": record.parts} if record.parts else {}),
                **({"on_vct": [*map(Judgement.of, record.on_vct)]} if record.on_vct else {}),
                **({"floors": record.floors} if record.floors else {}),
                "text": record.text,
                "verdict": record.verdict,
                "judgements": [Judgement.of(one) for one in record.judgements],
            }
        )
