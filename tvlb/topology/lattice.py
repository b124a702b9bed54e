"""Networks whose switches are the points of a lattice, joined along its dimensions."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import prod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field as Described

from tvlb.errors import InvalidInput
from tvlb.topology.family import NetworkSizes, TopologyMetadata
from tvlb.topology.network import MAX_PORTS, LinkKinds, check_ports
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.sizing import Formula, Numbers, SizeColumn, SizeParameter, Sizing
from tvlb.topology.topology import Layout

AXES = "xyzwvuts"
"""Names of the dimensions; a network has at most as many kinds of links."""
_LATENCY = 10
_FEWEST_SWITCHES = 3  # of which pairs have VLB paths

Ends = tuple[NDArray[np.integer], NDArray[np.integer]]


def axis_kinds(dimensions: int) -> LinkKinds:
    """Return a kind of links for each of so many dimensions."""
    names = tuple(AXES[:dimensions])
    texts = tuple(f"Links along the {name} axis." for name in names)
    return LinkKinds(names, (_LATENCY,) * dimensions, texts)


class Lattice(ShortestPathTopology):
    """Switches (x1, .., xn), those of a line along a dimension joined alike.

    A family has `p`, compute nodes per switch, `sides`, `line` and `degree`. Switch (x1, x2, ..)
    has id x1 + k1 (x2 + k2 (..)), of sides k1, k2, ..
    """

    dimensions = True
    p: int

    def __post_init__(self) -> None:
        # The dataclass is frozen.
        object.__setattr__(self, "kinds", axis_kinds(len(self.sides)))
        self._build()

    @property
    @abstractmethod
    def sides(self) -> tuple[int, ...]:
        """Switches along each dimension."""

    @staticmethod
    @abstractmethod
    def line(side: int) -> Ends:
        """Return the ends of the cables of a line of so many switches, as places in it."""

    @staticmethod
    @abstractmethod
    def degree(side: Numbers) -> Numbers:
        """Return the links that a switch has in lines of so many switches; 0 of 1."""

    def positions(self) -> NDArray[np.int64]:
        """Coordinates of every switch, int64 (switches, dimensions)."""
        switch = np.arange(prod(self.sides))
        return np.stack(np.unravel_index(switch, self.sides, order="F"), axis=1)

    def switches_at(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the switches of coordinates (switches, dimensions)."""
        places = np.cumprod([1, *self.sides[:-1]], dtype=np.int64)
        return positions @ places

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology.cables`."""
        lattice = np.arange(prod(self.sides), dtype=np.int32).reshape(self.sides, order="F")
        found: list[NDArray[np.int32]] = []
        for axis, side in enumerate(self.sides):
            lines = np.moveaxis(lattice, axis, -1).reshape(-1, side)
            one, other = self.line(side)
            ends = np.stack([lines[:, one], lines[:, other]], -1).reshape(-1, 2)
            found.append(ends.astype(np.int32))
        return tuple(found)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology.nodes_of_switches`."""
        return np.full(prod(self.sides), self.p, dtype=np.int32)

    @property
    def representatives(self) -> NDArray[np.int32]:
        """See `Topology`: any switch."""
        return np.zeros(1, dtype=np.int32)

    @property
    def metadata(self) -> Mapping[str, int | str]:
        """See `Topology`."""
        return {
            **super().metadata,
            "sides": "x".join(map(str, self.sides)),
            "nodes_per_switch": self.p,
            "degree": self.num_links // self.num_switches,
        }

    @property
    def layout(self) -> Layout:
        """See `Topology`: a group of every line along the first dimension."""
        first, *others = self.sides
        inside = np.count_nonzero(self.network.link_kind == 0)
        return Layout(prod(others), first, int(inside))

    def coordinates(self, switch: int) -> Mapping[str, int | str]:
        """See `Topology`."""
        at = np.unravel_index(switch, self.sides, order="F")
        return {name: int(one) for name, one in zip(self.kinds.names, at, strict=True)}

    @classmethod
    def sized(cls, sides: Sequence[int], p: int, *others: int) -> NetworkSizes:
        """Return how large a network of these sides and parameters is; nothing is built.

        Raises
        ------
        InvalidInput : a switch has more than 128 ports.
        """
        degrees = [int(one) for one in cls.degree(np.array(sides, dtype=np.float64))]
        check_ports(f"{cls.name}({','.join(map(str, (p, *others)))})", p + sum(degrees))
        switches = prod(sides)
        cables = {name: switches * degree // 2 for name, degree in zip(AXES, degrees, strict=False)}
        return NetworkSizes(switches, switches * p, cables)


class SidedLattice(Lattice):
    """A lattice whose sides are parameters one by one, None beyond the last one.

    Attributes
    ----------
    side_names : of these parameters.
    """

    side_names: ClassVar[tuple[str, ...]]

    @property
    def sides(self) -> tuple[int, ...]:
        """See `Lattice`."""
        given = (getattr(self, name) for name in self.side_names)
        return tuple(side for side in given if side is not None)

    @classmethod
    def sizes_of(cls, p: int, **given: int | None) -> NetworkSizes:
        """Return how large a network of these sides is; see `Lattice.sized`.

        Raises
        ------
        InvalidInput : a side is missing before another.
        """
        every = [given.get(name) for name in cls.side_names]
        sides = [side for side in every if side is not None]
        if every[: len(sides)] != sides:
            missing = cls.side_names[every.index(None)].upper()
            raise InvalidInput(f"{missing} is missing: sides follow each other without a gap")
        return cls.sized(sides, p, *sides)

    @classmethod
    def sizing(cls, highest: int) -> Sizing:
        """Return what sweeps know of sizes; sides are at most `highest`, 1 where there is none."""
        names = cls.side_names

        def switches(of: Mapping[str, Numbers]) -> Numbers:
            return np.multiply.reduce([of[name] for name in names])

        def radix(of: Mapping[str, Numbers]) -> Numbers:
            return of["p"] + np.add.reduce([cls.degree(of[name]) for name in names])

        def are_networks(of: Mapping[str, Numbers]) -> NDArray[np.bool_]:
            sides = [of[name] for name in names]
            follow = [(before > 1) | (after == 1) for before, after in pairwise(sides)]
            sizes = (switches(of) >= _FEWEST_SWITCHES) & (radix(of) <= MAX_PORTS)
            return np.all([*follow, sizes], axis=0)

        def cables(side: str) -> Formula:
            return lambda of: switches(of) * cls.degree(of[side]) / 2

        return lattice_sizing(
            (size_of_p(), *map(_size_of_side, names, AXES, [highest] * len(names))),
            f"three switches, no gap between sides and at most {MAX_PORTS} ports per switch",
            are_networks,
            switches,
            radix,
            {axis: cables(side) for axis, side in zip(AXES, names, strict=False)},
        )


def lattice_sizing(
    parameters: tuple[SizeParameter, ...],
    rule: str,
    are_networks: Callable[[Mapping[str, Numbers]], NDArray[np.bool_]],
    switches: Formula,
    radix: Formula,
    cables: Mapping[str, Formula],
) -> Sizing:
    """Return the sizing of a lattice with a parameter `p`; the others are as those of `Sizing`."""
    return Sizing(
        parameters=parameters,
        rule=rule,
        are_networks=are_networks,
        nodes=lambda of: switches(of) * of["p"],
        switches=((radix, switches),),
        cables=cables,
        columns=(
            *(one.column for one in parameters),
            SizeColumn(
                "radix", "integer", "ports", "Ports of a switch, p and those of every axis."
            ),
            *(
                SizeColumn(f"{axis}_cables", "integer", "cables", f"Cables along the {axis} axis.")
                for axis in cables
            ),
        ),
    )


def size_of_p() -> SizeParameter:
    """Return the parameter `p` of sweeps."""
    return SizeParameter("p", "Compute nodes per switch.", "4..8", high=MAX_PORTS)


def _size_of_side(name: str, axis: str, highest: int) -> SizeParameter:
    text, example = f"Switches along the {axis} axis", "4..8"
    if axis == AXES[0]:
        return SizeParameter(name, f"{text}.", example, low=2, high=highest)
    return SizeParameter(
        name,
        f"{text}, 1 where there is none.",
        example,
        low=2,
        high=highest,
        usual=lambda of: np.ones_like(of["p"]),
    )


class LatticeMetadata(TopologyMetadata):
    """What a lattice of switches amounts to."""

    sides: str = Described(description="Switches along each dimension, such as 8x8.")
    nodes_per_switch: int = Described(description="Compute nodes of every switch.")
    degree: int = Described(description="Links of a switch.")
