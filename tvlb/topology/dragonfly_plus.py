"""The Dragonfly+: groups of leaf and spine switches, which have the global cables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field as Described

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.topology.family import Family, NetworkSizes, TopologyMetadata, register
from tvlb.topology.network import MAX_PORTS, LinkKinds, check_ports
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.sizing import Largest, Numbers, SizeColumn, SizeParameter, Sizing
from tvlb.topology.topology import Layout

_MOST_GROUPS = 4097
_FEWEST_GROUPS = 2
_FEWEST_SPINES = 2  # of groups that a path turns in


@dataclass(frozen=True, repr=False)
class DragonflyPlus(ShortestPathTopology):
    """Groups of `a` leaves and `a` spines, each leaf joined to each spine; spines join the groups.

    Attributes
    ----------
    p : compute nodes per leaf; spines have none.
    a : leaves, and spines, of a group.
    h : global ports of a spine.
    g : groups, 2..a*h + 1.

    Raises
    ------
    InvalidInput : there are too many groups, or a switch has more than 128 ports.

    Notes
    -----
    Leaf i of group G has id G*a + i, spine i id a*g + G*a + i. Global cables follow the palmtree
    arrangement over the spines: global port n of a group meets group G - (n mod (g-1)) - 1 at the
    mirrored port, as many at each; ports that are left over stay unconnected. Paths begin, end and
    turn at leaves; all shortest paths are MIN.

    References
    ----------
    Shpiner et al., Dragonfly+: Low Cost Topology for Scaling Datacenters, HiPINEB'17.
    """

    p: Annotated[int, WholeArgument("P", 1, MAX_PORTS)]
    a: Annotated[int, WholeArgument("A", 1, MAX_PORTS)]
    h: Annotated[int, WholeArgument("H", 1, MAX_PORTS)]
    g: Annotated[int, WholeArgument("G", _FEWEST_GROUPS, _MOST_GROUPS)]

    name = "dflyplus"
    between_nodes = True
    kinds = LinkKinds(
        ("local", "global"),
        (10, 15),
        ("Links between leaves and spines of a group.", "Links between spines of two groups."),
    )

    def __post_init__(self) -> None:
        _check(self.p, self.a, self.h, self.g)
        self._build()

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology.cables`."""
        a, h, g = self.a, self.h, self.g
        group, leaf, spine = (one.ravel() for one in np.indices((g, a, a), dtype=np.int32))
        local = np.stack([group * a + leaf, a * g + group * a + spine], axis=1)
        used = a * h // (g - 1) * (g - 1)
        group, port = (one.ravel() for one in np.indices((g, used), dtype=np.int32))
        # Each cable is found from both ends.
        other = (group - port % (g - 1) - 1) % g
        ends = np.stack([group * a + port // h, other * a + (used - 1 - port) // h], axis=1)
        return local, (ends + a * g)[group < other].astype(np.int32)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology.nodes_of_switches`."""
        leaves = self.a * self.g
        return np.repeat(np.array([self.p, 0], dtype=np.int32), leaves)

    @property
    def switch_ports(self) -> NDArray[np.int64]:
        """See `Topology`: global ports that are left over count, too."""
        return np.repeat(np.array([self.p + self.a, self.a + self.h]), self.a * self.g)

    @property
    def shortest_detours(self) -> int:
        """See `Topology`: by another leaf of either group, after or before a MIN path."""
        return len(self.longest_min_path) + 2

    def check_searchable(self) -> None:
        """See `Topology`."""
        if self.a < _FEWEST_SPINES:
            raise InvalidInput(f"{self} has no VLB paths: they need a second spine in a group")

    @property
    def node_groups(self) -> int:
        """See `Topology`."""
        return self.g

    @property
    def representatives(self) -> NDArray[np.int32]:
        """See `Topology`: the leaves of a group."""
        return np.arange(self.a, dtype=np.int32)

    @property
    def metadata(self) -> Mapping[str, int | str]:
        """See `Topology`."""
        return {
            **super().metadata,
            "leaves": self.a * self.g,
            "nodes_per_leaf": self.p,
            "groups": self.g,
            "links_per_group_pair": self.a * self.h // (self.g - 1),
        }

    @property
    def layout(self) -> Layout:
        """See `Topology`: the leaves of each group, then the spines of each."""
        return Layout(2 * self.g, self.a, 0)

    def coordinates(self, switch: int) -> Mapping[str, int | str]:
        """See `Topology`."""
        level, rest = divmod(switch, self.a * self.g)
        return {"level": ("leaf", "spine")[level], "group": rest // self.a, "index": rest % self.a}


def _check(p: int, a: int, h: int, g: int) -> None:
    text = f"dflyplus({p},{a},{h},{g})"
    if not _FEWEST_GROUPS <= g <= a * h + 1:
        raise InvalidInput(
            f"g = {g} is out of range: {text} has {_FEWEST_GROUPS}..{a * h + 1} groups"
        )
    check_ports(text, a + max(p, h))


def _per_pair(of: Mapping[str, Numbers]) -> Numbers:
    return np.floor(of["a"] * of["h"] / (of["g"] - 1))


def _switches(of: Mapping[str, Numbers]) -> Numbers:
    return of["a"] * of["g"]


def _leaf_radix(of: Mapping[str, Numbers]) -> Numbers:
    return of["p"] + of["a"]


def _spine_radix(of: Mapping[str, Numbers]) -> Numbers:
    return of["a"] + of["h"]


def _are_networks(of: Mapping[str, Numbers]) -> NDArray[np.bool_]:
    ports = np.maximum(_leaf_radix(of), _spine_radix(of))
    groups = (of["g"] >= _FEWEST_GROUPS) & (of["g"] <= of["a"] * of["h"] + 1)
    return groups & (of["a"] >= _FEWEST_SPINES) & (ports <= MAX_PORTS)


_PARAMETERS = (
    SizeParameter("p", "Compute nodes per leaf.", "2..8", high=MAX_PORTS),
    SizeParameter("a", "Leaves of a group, and spines.", "4..16", high=MAX_PORTS),
    SizeParameter("h", "Global ports per spine.", "2..8", high=MAX_PORTS),
    SizeParameter(
        "g",
        "Groups.",
        "2..max",
        largest=Largest(("a", "h"), lambda of: of["a"] * of["h"] + 1, "a*h + 1"),
    ),
)
SIZING = Sizing(
    parameters=_PARAMETERS,
    rule=(
        f"a >= {_FEWEST_SPINES}, {_FEWEST_GROUPS} <= g <= a*h + 1 and at most {MAX_PORTS} ports "
        "per switch"
    ),
    are_networks=_are_networks,
    nodes=lambda of: of["p"] * of["a"] * of["g"],
    switches=((_leaf_radix, _switches), (_spine_radix, _switches)),
    cables={
        "global": lambda of: _per_pair(of) * of["g"] * (of["g"] - 1) / 2,
        "local": lambda of: of["a"] ** 2 * of["g"],
    },
    others={"links_per_pair": _per_pair},
    columns=(
        *(one.column for one in _PARAMETERS),
        SizeColumn("links_per_pair", "number", "cables", "Cables between two groups."),
        SizeColumn("radix", "integer", "ports", "Ports of a leaf, p+a, or a spine, a+h."),
        SizeColumn("global_cables", "integer", "cables", "Cables between groups."),
        SizeColumn("local_cables", "integer", "cables", "Cables between leaves and spines."),
    ),
)


def dragonfly_plus_sizes(p: int, a: int, h: int, g: int) -> NetworkSizes:
    """Return how large a Dragonfly+ is; see `DragonflyPlus`."""
    _check(p, a, h, g)
    return NetworkSizes(
        2 * a * g, p * a * g, {"local": a * a * g, "global": a * h // (g - 1) * (g - 1) * g // 2}
    )


class DragonflyPlusMetadata(TopologyMetadata):
    """What a Dragonfly+ amounts to."""

    leaves: int = Described(description="Switches with compute nodes.")
    nodes_per_leaf: int = Described(description="Compute nodes of every leaf.")
    groups: int = Described(description="Groups.")
    links_per_group_pair: int = Described(description="Global cables between two groups.")


register(
    Family(
        DragonflyPlus,
        dragonfly_plus_sizes,
        example="dflyplus(4,4,4,17)",
        metadata=DragonflyPlusMetadata,
        sizing=SIZING,
    )
)
