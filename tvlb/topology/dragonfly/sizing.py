"""The sizes of Dragonflies: what sweeps know of them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tvlb.topology.sizing import Largest, Numbers, SizeColumn, SizeParameter, Sizing

_LEAST_GROUPS = 3


def _most_groups(of: Mapping[str, Numbers]) -> Numbers:
    return of["a"] * of["h"] + 1


def _links_per_pair(of: Mapping[str, Numbers]) -> Numbers:
    return of["a"] * of["h"] / (of["g"] - 1)


def _global_cables(of: Mapping[str, Numbers]) -> Numbers:
    # Ports beyond a whole number of links per group pair stay unconnected.
    return np.floor(_links_per_pair(of)) * of["g"] * (of["g"] - 1) / 2


def _wired(facts: Mapping[str, Any]) -> int:
    """Return the global cables that there are, whatever the wiring."""
    return (facts["g"] * facts["a"] * facts["h"] - facts["unconnected_ports"]) // 2


_PARAMETERS = (
    SizeParameter("p", "Compute nodes per switch.", "2..8"),
    SizeParameter("a", "Switches per group.", "4..16"),
    SizeParameter("h", "Global ports per switch.", "2..8"),
    SizeParameter("g", "Groups.", "3..max", largest=Largest(("a", "h"), _most_groups, "a*h + 1")),
)
SIZING = Sizing(
    parameters=_PARAMETERS,
    rule=f"{_LEAST_GROUPS} <= g <= a*h + 1",
    are_networks=lambda of: (of["g"] >= _LEAST_GROUPS) & (of["g"] <= _most_groups(of)),
    nodes=lambda of: of["p"] * of["a"] * of["g"],
    switches=((lambda of: of["p"] + of["a"] - 1 + of["h"], lambda of: of["a"] * of["g"]),),
    cables={
        "global": _global_cables,
        "local": lambda of: of["g"] * of["a"] * (of["a"] - 1) / 2,
    },
    others={"links_per_pair": _links_per_pair},
    columns=(
        SizeColumn("arrangement", "text", "", "Wiring of the global links."),
        *(one.column for one in _PARAMETERS),
        SizeColumn(
            "links_per_pair",
            "number",
            "cables",
            "Mean number of cables between two groups: a*h/(g-1) where no global port is left "
            "over.",
            lambda facts: 2 * _wired(facts) / (facts["g"] * (facts["g"] - 1)),
        ),
        SizeColumn(
            "links_per_pair_min",
            "integer",
            "cables",
            "Fewest cables between two groups.",
            lambda facts: facts["fewest_links_per_group_pair"],
        ),
        SizeColumn(
            "links_per_pair_max",
            "integer",
            "cables",
            "Most cables between two groups.",
            lambda facts: facts["most_links_per_group_pair"],
        ),
        SizeColumn("radix", "integer", "ports", "Ports of a switch, p+a-1+h."),
        SizeColumn("global_cables", "integer", "cables", "Cables between groups.", _wired),
        SizeColumn("local_cables", "integer", "cables", "Cables between the switches of a group."),
    ),
)
