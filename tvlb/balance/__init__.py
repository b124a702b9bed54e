"""Load balancing: remove the paths that make some links far busier than others.

`balance` works per switch pair and then over all pairs; the report says what it achieved.
`balance_pairs` works per switch pair only, on whichever pairs it is given.
"""

from tvlb.balance.balancing import (
    Balanced,
    BalancedPairs,
    BalanceOptions,
    BalanceReport,
    KindUsage,
    balance,
    balance_pairs,
    link_usage,
)

__all__ = [
    "BalanceOptions",
    "BalanceReport",
    "Balanced",
    "BalancedPairs",
    "KindUsage",
    "balance",
    "balance_pairs",
    "link_usage",
]
