"""Load balancing: remove the paths that make some links far busier than others.

`balance` works per switch pair and then over all pairs; the report says what it achieved.
`balance_pairs` works per switch pair only, on whichever pairs it is given.
"""

from tvlb.balance.balanced_set import BalancedSet
from tvlb.balance.balancing import Balanced, BalanceReport, balance, unbalanced
from tvlb.balance.kept_set import KeptSet
from tvlb.balance.options import BalanceOptions
from tvlb.balance.per_pair import BalancedPairs, balance_pairs
from tvlb.balance.sample import Sample, chunks, sample_of
from tvlb.balance.usage import KindUsage, UsageCount, link_usage

__all__ = [
    "BalanceOptions",
    "BalanceReport",
    "Balanced",
    "BalancedPairs",
    "BalancedSet",
    "KeptSet",
    "KindUsage",
    "Sample",
    "UsageCount",
    "balance",
    "balance_pairs",
    "chunks",
    "link_usage",
    "sample_of",
    "unbalanced",
]
