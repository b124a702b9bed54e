"""Load balancing: even out how busy links are, by removing paths or by changing draw weights.

`balance` removes paths per switch pair and then over all pairs, `balance_weights` keeps every path;
the report says what was achieved. `balance_pairs` works per switch pair only, on whichever pairs it
is given.
"""

from tvlb.balance.balancing import balance, unbalanced
from tvlb.balance.by_weight import balance_weights, reweight
from tvlb.balance.options import BalanceOptions, WeightOptions
from tvlb.balance.per_pair import balance_pairs
from tvlb.balance.result import Balanced, BalanceMethod, BalanceReport
from tvlb.balance.sample import chunks, sample_of
from tvlb.balance.sets import BalancedSet, KeptSet, ReweightedSet
from tvlb.balance.usage import KindUsage, UsageCount, link_usage

__all__ = [
    "BalanceMethod",
    "BalanceOptions",
    "BalanceReport",
    "Balanced",
    "BalancedSet",
    "KeptSet",
    "KindUsage",
    "ReweightedSet",
    "UsageCount",
    "WeightOptions",
    "balance",
    "balance_pairs",
    "balance_weights",
    "chunks",
    "link_usage",
    "reweight",
    "sample_of",
    "unbalanced",
]
