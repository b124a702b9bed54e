"""The header of a T-VLB table file: what the rows are."""

from dataclasses import asdict
from typing import Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.errors import InvalidInput
from tvlb.paths import LONGEST_EXPRESSION, UgalRule
from tvlb.statistics import MAX_SEED
from tvlb.table.kinds import Entries, Header, HeaderList
from tvlb.topology import Failures

Removed = Entries
"""Paths taken out of the rule: int32 (paths, 5), as `REMOVED` says."""
REMOVED = HeaderList("removed paths", ("src", "dst", "intermediate", "first", "second"))


TableWeights = WeightOptions | Literal["listed"]
"""Where draw weights come from that are not the rule's: balancing by weights, or elsewhere."""


class BalanceRecord(BaseModel):
    """The per-pair step of balancing that is part of a compact table's rule.

    Attributes
    ----------
    local_threshold, global_threshold, floor_paths, floor_share : see `BalanceOptions`.
    seed : breaks ties between paths of equal length.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    local_threshold: float
    global_threshold: float
    floor_paths: int
    floor_share: float
    seed: int = Field(ge=0, le=MAX_SEED)

    @classmethod
    def of(cls, options: BalanceOptions, seed: int) -> Self:
        """Record settings."""
        return cls(**asdict(options), seed=seed)

    def options(self) -> BalanceOptions:
        """Return the settings; raises InvalidInput if one is out of range."""
        return BalanceOptions(**self.model_dump(exclude={"seed"}))


class WeightsRecord(BaseModel):
    """The balancing by weights that gives the draw weights of a table.

    Attributes
    ----------
    rounds, step, floor : see `WeightOptions`.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    rounds: int
    step: float
    floor: float

    @classmethod
    def of(cls, options: WeightOptions) -> Self:
        """Record settings."""
        return cls(**asdict(options))

    def options(self) -> WeightOptions:
        """Return the settings; raises InvalidInput if one is out of range."""
        return WeightOptions(**self.model_dump())


class UgalRecord(BaseModel):
    """The rule by which UGAL compares, that a table was made for.

    Attributes
    ----------
    ugal_rule, queue, threshold, vlb_factor, candidates : see `UgalRule`.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    ugal_rule: str
    queue: str
    threshold: int
    vlb_factor: float
    candidates: int

    @classmethod
    def of(cls, rule: UgalRule) -> Self:
        """Record a rule."""
        return cls(**{name: getattr(one, "value", one) for name, one in asdict(rule).items()})

    def rule(self) -> UgalRule:
        """Return the rule; raises InvalidInput if a value is out of range."""
        try:
            return UgalRule(**self.model_dump())
        except InvalidInput as error:
            raise InvalidInput(f"table header, ugal: {error}") from error


class CompactRecord(BaseModel):
    """What the header of a compact table says instead of rows.

    Attributes
    ----------
    balance : the balancing that the rule includes, None without.
    sampled_pairs : number of switch pairs that `mean_vlb_hops` is of; None for all.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    balance: BalanceRecord | None
    sampled_pairs: int | None


class StruckRecord(BaseModel):
    """How the rows of a table follow from those of a network that had fewer failures.

    Attributes
    ----------
    without : what was down of the network by whose rule the paths are; nothing of the whole one.
    passing : expression of the set that the paths which survived have to be in; None for all.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    without: Failures
    passing: str | None = Field(max_length=LONGEST_EXPRESSION)


class TableHeader(Header):
    """Everything that a T-VLB table file says besides its rows and the removed paths.

    Attributes
    ----------
    expression : the path-set expression that gives the rows, before any removal.
    seed : keys the random fractions of the expression.
    paths_by_hops : number of rows by hop count, all pairs together; in the compact form number of
        paths of the expression, before any removal.
    mean_vlb_hops : mean hops of a drawn path over the inter-group pairs, None without any path.
    compact : None in the full form.
    weights : None if the draw weights are those of the expression, renormalised after removals; the
        settings of balancing if it changed them over all pairs; "listed" if they follow from no
        rule and only the rows say them. None in the compact form.
    incomplete : where the search was interrupted that had found this table so far; None of a table
        that a search ended with.
    struck : None if expression, removed paths and weights are those of `topology`; else the network
        that they are of, whose paths that are down now are struck out.
    ugal : the rule of UGAL that the table was made for; None for the published one.
    """

    expression: str = Field(max_length=LONGEST_EXPRESSION)
    seed: int = Field(ge=0, le=MAX_SEED)
    paths_by_hops: dict[int, int]
    mean_vlb_hops: float | None
    compact: CompactRecord | None = None
    weights: WeightsRecord | Literal["listed"] | None = None
    incomplete: str | None = Field(default=None, max_length=200)
    struck: StruckRecord | None = None
    ugal: UgalRecord | None = None


def no_removed() -> Removed:
    """Return no paths."""
    return np.zeros((0, len(REMOVED.numbers)), dtype=np.int32)
