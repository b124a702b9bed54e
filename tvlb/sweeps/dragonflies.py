"""What rows of sweeps say of Dragonflies alone."""

from collections.abc import Mapping
from typing import Any

from tvlb.topology import Description, Dragonfly, NamedTopology
from tvlb.topology.dragonfly import Wiring

__all__ = ["dragonfly_values"]


def dragonfly_values(
    network: Description, metadata: Mapping[str, Any]
) -> dict[str, str | int | float | None]:
    """Return values by column; none for networks of other families."""
    if isinstance(network, NamedTopology) and network.family.topology is Dragonfly:
        p, a, h, g = (int(str(network.parameters[name])) for name in "pahg")
    elif isinstance(network, Wiring):
        p, a, h, g = network.p, network.a, network.h, network.g
    else:
        return {}
    global_cables = (g * a * h - metadata["unconnected_ports"]) // 2
    return {
        "arrangement": metadata["arrangement"],
        "p": p,
        "a": a,
        "h": h,
        "g": g,
        "links_per_pair": 2 * global_cables / (g * (g - 1)),
        "links_per_pair_min": metadata["fewest_links_per_group_pair"],
        "links_per_pair_max": metadata["most_links_per_group_pair"],
        "radix": p + a - 1 + h,
        "global_cables": global_cables,
        "local_cables": g * a * (a - 1) // 2,
    }
