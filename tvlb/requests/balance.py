"""What balancing did to a path set, in documents."""

from typing import Annotated, Self

from pydantic import Field

from tvlb.balance import BalanceReport, KindUsage
from tvlb.documents import Document
from tvlb.requests.common import Count, Figure, by_kind

Percentiles = Annotated[tuple[Figure, ...], Field(min_length=101, max_length=101)]


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
