"""Points of a report with figures by hand."""

from typing import Any

from tvlb.report.points import LATER_COLUMNS, ROW_COLUMNS, Point, tvlb_values


def point(
    number: int,
    size: str = "2,4,2,5",
    links: float = 2.0,
    *,
    gain: float | None = 0.1,
    half: float | None = 0.05,
    change: float | None = -0.05,
    change_half: float | None = 0.01,
    **others: Any,
) -> Point:
    """Return a succeeded point; `gain` and `change` are of the best candidate, which is chosen."""
    made: Point = dict.fromkeys((*ROW_COLUMNS, *LATER_COLUMNS))
    made |= (
        made
        | {"point": number, "status": "succeeded", "topology": f"dfly({size})", "settings": ""}
        | {"size": size, "links_per_pair": links, "routing": "ugal-l", "seed": 0}
        | {"simulated_patterns": 5, "confirmed_candidates": 2, "best": "short(2,3)"}
        | {"chosen": "short(2,3)", "replaces_all": True}
        | _figure("saturation_gain", gain, half)
        | _figure("latency_change", change, change_half)
        | _figure("best_saturation_gain", gain, half)
        | _figure("best_latency_change", change, change_half)
        | others
    )
    return made | tvlb_values(made)


def _figure(name: str, mean: float | None, half: float | None) -> Point:
    if mean is None or half is None:
        return {name: mean, f"{name}_low": None, f"{name}_high": None}
    return {name: mean, f"{name}_low": mean - half, f"{name}_high": mean + half}
