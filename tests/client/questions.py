"""Small questions to a server."""

from tvlb.requests import TableBody, WindowsBody


def tiny_table(seed: int, cycles: int = 300) -> TableBody:
    """Ask for a table that takes seconds; longer windows take longer."""
    windows = WindowsBody(warmup=cycles, measured=cycles, grid=0.05)
    return TableBody(
        topology="1,2,2,3",
        patterns=1,
        method="paper",
        screening=windows,
        confirmation=windows,
        finalists=1,
        data_points=1,
        simulated_patterns=2,
        seed=seed,
    )
