"""Load balancing: remove the paths that make some links far busier than others.

`balance` works per switch pair and then over all pairs; the report says what it achieved.
"""

from tvlb.balance.balancing import (
    Balanced,
    BalanceOptions,
    BalanceReport,
    KindUsage,
    balance,
    link_usage,
)

__all__ = [
    "BalanceOptions",
    "BalanceReport",
    "Balanced",
    "KindUsage",
    "balance",
    "link_usage",
]
