"""Small questions to a server."""

from tests.service import quick_options
from tvlb.requests import TableBody


def tiny_table(seed: int, cycles: int = 300) -> TableBody:
    """Ask for a table that takes seconds; longer windows take longer."""
    return TableBody(topology="1,2,2,3", seed=seed, **quick_options(cycles, cycles, 0.05))
