"""Trees of switches by levels: compute nodes at the lowest one, the leaves."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field as Described

from tvlb.topology.family import NetworkSizes, TopologyMetadata
from tvlb.topology.network import MAX_PORTS, LinkKinds, check_ports
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.sizing import Formula, Numbers, SizeColumn, SizeParameter, Sizing
from tvlb.topology.topology import Layout

MOST_LEVELS = 7
_LETTERS = "abcdef"
_LATENCY = 10
_PAIR = 2
# Of pictures, in the height of the picture: what is left free at the top and at the bottom.
_MARGIN = 0.1


def level_kinds(levels: int) -> LinkKinds:
    """Return a kind of links between each of so many levels of switches and the next."""
    names = tuple(_LETTERS[: levels - 1])
    texts = tuple(f"Links between the levels {low} and {low + 1}." for low in range(levels - 1))
    return LinkKinds(names, (_LATENCY,) * len(names), texts)


class Tree(ShortestPathTopology):
    """Levels of switches, each joined to the next; only those of the lowest one have nodes.

    A family has `nodes_per_leaf`, `level_sizes`, `leaf_group` and `cables`. Switch ids rise with
    the level.
    """

    between_nodes = True

    @property
    @abstractmethod
    def nodes_per_leaf(self) -> int:
        """Compute nodes of every switch of the lowest level."""

    @property
    @abstractmethod
    def level_sizes(self) -> tuple[int, ...]:
        """Switches of every level, from the lowest one."""

    @property
    @abstractmethod
    def leaf_group(self) -> int:
        """Leaves below a switch of the level above them."""

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology.nodes_of_switches`."""
        leaves, *others = self.level_sizes
        return np.repeat(np.array([self.nodes_per_leaf, 0], dtype=np.int32), [leaves, sum(others)])

    @property
    def shortest_detours(self) -> int:
        """See `Topology`: by a third leaf below the same switches, or after or before a MIN path.

        Where there are only two, they turn a level further up, twice.
        """
        near = 4 if self.leaf_group > _PAIR else 8
        return max(near, len(self.longest_min_path) + 2)

    @property
    def representatives(self) -> NDArray[np.int32]:
        """See `Topology`: any leaf."""
        return np.zeros(1, dtype=np.int32)

    @property
    def metadata(self) -> Mapping[str, int | str]:
        """See `Topology`."""
        return {
            **super().metadata,
            "leaves": self.level_sizes[0],
            "nodes_per_leaf": self.nodes_per_leaf,
            "levels": len(self.level_sizes),
        }

    @property
    def layout(self) -> Layout:
        """See `Topology`: a row of every level, the leaves at the bottom."""
        heights = np.linspace(1.0 - _MARGIN, _MARGIN, len(self.level_sizes)).tolist()
        places = tuple(
            ((place + 0.5) / size, height)
            for size, height in zip(self.level_sizes, heights, strict=True)
            for place in range(size)
        )
        return Layout(self.num_switches, 1, 0, places)

    def coordinates(self, switch: int) -> Mapping[str, int | str]:
        """See `Topology`."""
        starts = np.cumsum([0, *self.level_sizes])
        level = int(np.searchsorted(starts, switch, side="right")) - 1
        return {"level": level, "index": switch - int(starts[level])}


class TreeMetadata(TopologyMetadata):
    """What a tree of switches amounts to."""

    leaves: int = Described(description="Switches with compute nodes.")
    nodes_per_leaf: int = Described(description="Compute nodes of every leaf.")
    levels: int = Described(description="Levels of switches.")


def tree_sizes(
    text: str, nodes_per_leaf: int, level_sizes: Sequence[int], cables: Sequence[int], radix: int
) -> NetworkSizes:
    """Return how large a tree is.

    Parameters
    ----------
    text : of the tree.
    cables : from each level to the next.
    radix : ports of the largest switch.

    Raises
    ------
    InvalidInput : a switch has more than 128 ports.
    """
    check_ports(text, radix)
    by_kind = dict(zip(_LETTERS, cables, strict=False))
    return NetworkSizes(sum(level_sizes), nodes_per_leaf * level_sizes[0], by_kind)


def tree_sizing(
    parameters: tuple[SizeParameter, ...],
    rule: str,
    are_networks: Callable[[Mapping[str, Numbers]], NDArray[np.bool_]],
    nodes: Formula,
    switches: tuple[tuple[Formula, Formula], ...],
    cables: Sequence[Formula],
) -> Sizing:
    """Return the sizing of a tree, of cables from each level to the next; see `Sizing`."""

    def fits(of: Mapping[str, Numbers]) -> NDArray[np.bool_]:
        ports = np.maximum.reduce([radix(of) for radix, _ in switches])
        return are_networks(of) & (ports <= MAX_PORTS)

    by_kind = dict(zip(_LETTERS, cables, strict=False))
    return Sizing(
        parameters=parameters,
        rule=f"{rule} and at most {MAX_PORTS} ports per switch",
        are_networks=fits,
        nodes=nodes,
        switches=switches,
        cables=by_kind,
        columns=(
            *(one.column for one in parameters),
            SizeColumn("radix", "integer", "ports", "Ports of the largest switch."),
            *(
                SizeColumn(
                    f"{kind}_cables",
                    "integer",
                    "cables",
                    f"Cables between the levels {low} and {low + 1}.",
                )
                for low, kind in enumerate(by_kind)
            ),
        ),
    )


def joined(low: NDArray[np.integer], high: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return cables by their ends, arrays of one shape, as int32 (cables, 2)."""
    return np.stack([low.ravel(), high.ravel()], axis=1).astype(np.int32)
