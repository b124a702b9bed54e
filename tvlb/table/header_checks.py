"""Checks of what a header says by itself."""

from tvlb.table.findings import Finding
from tvlb.table.rule import WEIGHT_TOLERANCE
from tvlb.topology import ARRANGEMENTS, Dragonfly

__all__ = ["check_arrangement", "same_mean"]


def check_arrangement(topology: Dragonfly) -> list[Finding]:
    """Compare the links of a header with the arrangement that it names."""
    if topology.arrangement not in ARRANGEMENTS or topology == _rebuilt(topology):
        return []
    return [Finding(1, f"the links of the header are not the {topology.arrangement} arrangement")]


def same_mean(given: float | None, found: float | None) -> bool:
    """Whether two means agree; None stands for no mean."""
    if given is None or found is None:
        return given is found
    return abs(given - found) <= WEIGHT_TOLERANCE * max(1.0, found)


def _rebuilt(topology: Dragonfly) -> Dragonfly:
    return Dragonfly(
        topology.nodes_per_switch,
        topology.switches_per_group,
        topology.global_ports,
        topology.groups,
        topology.arrangement,
    )
