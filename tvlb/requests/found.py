"""What a search for weighted sets found: the `search` of a table's document."""

from typing import Annotated, Literal, Self

from pydantic import Field

from tvlb.balance import BalanceMethod
from tvlb.documents import Document
from tvlb.paths import ShapeSet, UgalRule, shape_shares, shapes_of
from tvlb.requests.common import (
    Count,
    Figure,
    Load,
    OptionalKey,
    PathSetText,
    PatternText,
    Share,
)
from tvlb.requests.settings import with_settings
from tvlb.search import MOST_ON_FRONT, Candidate, Found, Judged, Searched, WeightedSearch

# The best ones; thousands are raced with a large budget.
_MOST_RACED = 50

SetName = Annotated[
    str,
    Field(
        description="Name of the set, unique: its expression and, where sets differ in that only, "
        "how it was balanced."
    ),
]
Balancing = Annotated[
    BalanceMethod | None,
    Field(description="How it was balanced: removal or weights; null for a set as it is."),
]


class SearchedPattern(Document):
    """A pattern that sets were searched on."""

    pattern: PatternText
    share: Share = Field(description="How much it counts; the shares sum to 1.")
    low_load: Load = Field(description="Load of the simulated latencies, packets/cycle/node.")
    beyond_saturation: Load = Field(
        description="Load of the simulated throughput, beyond saturation, packets/cycle/node; "
        "where rules are searched, of sets that challenge none."
    )


class SearchStep(Document):
    """A new best set of the search."""

    flit_hops: Count = Field(description="Flit-hops simulated by the search until then.")
    score: float = Field(
        description="Weighted mean of the logarithms of throughput (beyond saturation; where rules "
        "are searched, at the saturation load) and latency over those of the reference, in the "
        "longer windows; higher is better."
    )
    expression: SetName
    latency_weight: Share = Field(
        description="Weight of latency beside throughput in the score, 0..1."
    )


class UgalDocument(with_settings(Document, UgalRule)):
    """The rule by which UGAL compares a MIN path with VLB paths."""


class _Set(Document):
    expression: SetName
    path_set: PathSetText
    balancing: Balancing
    ugal: OptionalKey[UgalDocument] = Field(
        None, description="Rule of UGAL; absent of a set by the rule that the settings say."
    )


def _names(candidate: Candidate) -> dict[str, object]:
    """Return the keys of `_Set`."""
    return {
        "expression": candidate.name,
        "path_set": candidate.expression,
        "balancing": candidate.form,
        **({} if candidate.ugal is None else {"ugal": candidate.ugal}),
    }


class RacedSet(_Set):
    """A set that was simulated in the short windows."""

    score: Figure = Field(
        description="Score in the short windows, see the steps; null where no packet arrived."
    )
    patterns: int = Field(ge=1, description="Patterns that it was simulated on.")


class JudgedSet(_Set):
    """A set on the patterns that the search never saw."""

    known_as: Literal["conventional", "published", "algorithm 1", "paths", "rule"] | None = Field(
        description="What others call it, or of a search for both whether paths alone or the rule "
        "alone make it; null for what only the search found."
    )
    weights: dict[str, float] | None = Field(
        description="Weight of a path by its shape; null for sets that are not by shape, or "
        "balanced."
    )
    shares: dict[str, float] | None = Field(
        description="Share of the drawn paths by shape; null for sets too large to be listed."
    )
    saturation_mean: Load = Field(
        description="Saturation load, mean over the patterns by their shares, packets/cycle/node."
    )
    latency_mean: tuple[Figure, Figure] = Field(
        description="Mean latency at both loads, over the patterns that are not saturated there by "
        "their shares, cycles; null where all are."
    )
    saturation: tuple[Load, ...] = Field(
        description="Saturation load by pattern, packets/cycle/node."
    )
    latency: tuple[tuple[Figure, ...], tuple[Figure, ...]] = Field(
        description="Mean latency at both loads by pattern, cycles; null where saturated."
    )

    @classmethod
    def of(cls, one: Judged, found: Found, **more: str) -> Self:
        """Return the document of a judged set, with the values of further keys."""
        low, high = (found.held_out.measured(one.candidate.name, load) for load in range(2))
        return cls.model_validate(
            {
                **_names(one.candidate),
                "known_as": _known_as(one.candidate, found.search),
                "weights": _weights(one.candidate),
                "shares": _shares(one.candidate),
                "saturation_mean": low.saturation_mean,
                "latency_mean": (low.latency_mean, high.latency_mean),
                "saturation": one.saturation.tolist(),
                "latency": one.latency.tolist(),
                **more,
            }
        )


def _weights(candidate: Candidate) -> dict[str, float] | None:
    """Weights of a path by shape, None for sets that are not by shape."""
    path_set = candidate.path_set if candidate.balanced is None else None
    if not isinstance(path_set, ShapeSet):
        return None
    name = shapes_of(path_set.topology).name
    return {name(code): weight for code, weight in enumerate(path_set.weights) if weight}


def _shares(candidate: Candidate) -> dict[str, float] | None:
    """Share of the drawn paths by shape, None for sets too large to be listed."""
    shares = shape_shares(candidate.path_set)
    if shares is None:
        return None
    name = shapes_of(candidate.path_set.topology).name
    return {name(code): share for code, share in enumerate(shares.tolist()) if share > 0}


def _known_as(candidate: Candidate, search: WeightedSearch) -> str | None:
    """Return what others call a set, None for what only the search found."""
    paper, parts = search.paper, search.parts
    if candidate.name == candidate.path_set.topology.conventional_set:
        return "conventional"
    if candidate.name == candidate.path_set.topology.published_set:
        return "published"
    if parts and candidate.name != parts[Searched.BOTH].name:
        alone = (Searched.PATHS, Searched.RULE)
        return next((one.value for one in alone if parts[one].name == candidate.name), None)
    return "algorithm 1" if paper is not None and candidate.name == paper.name else None


class _Tabled(Document):
    table_id: str = Field(pattern="^[0-9a-f]{64}$", description="Id of its table, SHA-256, hex.")


# The keys of the last base come first.
class FrontPoint(JudgedSet, _Tabled):
    """An answer of the search, with its table."""


class FoundSearch(Document):
    """What was searched, how, and how the answers compare on other patterns or other seeds."""

    objective: str = Field(
        description="What makes a set good: saturation, latency@LOAD, worst-pattern, guaranteed or "
        "front."
    )
    budget: Count = Field(
        description="Flit-hops after which no further generation of sets was begun."
    )
    flit_hops: Count = Field(description="Flit-hops that the search simulated.")
    sets: Count = Field(description="Sets that were simulated.")
    pruned: Count = Field(
        description="Sets that were not, because by certified bounds they cannot match the "
        "throughput of the incumbent under any pattern that has a bound."
    )
    traffic: tuple[SearchedPattern, ...] = Field(
        min_length=1, description="The patterns that sets were searched on."
    )
    reference: SetName = Field(description="Set that scores are relative to.")
    steps: tuple[SearchStep, ...] = Field(description="The best sets one after another.")
    raced: tuple[RacedSet, ...] = Field(
        description="The best sets of the short windows, best first; at most 50."
    )
    front: tuple[FrontPoint, ...] = Field(
        min_length=1,
        max_length=MOST_ON_FRONT,
        description="The answers: of objective front those that no other set beats in both "
        "throughput and latency, of others the best one.",
    )
    loads: tuple[Load, Load] = Field(
        description="Where latencies were compared, packets/cycle/node."
    )
    held_out: tuple[JudgedSet, ...] = Field(
        min_length=1,
        description="The sets that were compared, on the patterns of the baseline; the answers "
        "come first.",
    )

    @classmethod
    def of(cls, found: Found) -> Self:
        """Return what was searched, how, and how the answers compare."""
        search, held_out, setting = found.search, found.held_out, found.search.setting
        workload = setting.workload
        return cls.model_validate(
            {
                "objective": str(setting.objective),
                "budget": setting.budget,
                "flit_hops": search.work.flit_hops,
                "sets": search.sets,
                "pruned": search.pruned,
                "traffic": [
                    {
                        "pattern": str(pattern),
                        "share": share,
                        "low_load": loads.low,
                        "beyond_saturation": loads.beyond,
                    }
                    for pattern, share, loads in zip(
                        workload.patterns, workload.shares, search.loads, strict=True
                    )
                ],
                "reference": search.reference.candidate.name,
                "steps": search.steps,
                "raced": [
                    {
                        **_names(one.candidate),
                        "score": one.score,
                        "patterns": len(one.figures.latency),
                    }
                    for one in search.raced[:_MOST_RACED]
                ],
                "front": [
                    FrontPoint.of(held_out.of(candidate.name), found, table_id=table.id)
                    for candidate, table in zip(found.answers, found.front, strict=True)
                ],
                "loads": held_out.loads,
                "held_out": [JudgedSet.of(one, found) for one in held_out.sets],
            }
        )
