"""The HyperX: switches at the points of a lattice, joined along every dimension."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field as Described

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.native import kernels
from tvlb.topology.family import Family, NetworkSizes, TopologyMetadata, register
from tvlb.topology.network import LinkKinds
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.sizing import Formula, Numbers, SizeColumn, SizeParameter, Sizing
from tvlb.topology.topology import Layout

_MOST_PORTS = 128
_DIMENSIONS = "xyzw"
_LATENCY = 10


def _kinds(dimensions: int) -> LinkKinds:
    names = tuple(_DIMENSIONS[:dimensions])
    texts = tuple(f"Links along the {name} axis." for name in names)
    return LinkKinds(names, (_LATENCY,) * dimensions, texts)


@dataclass(frozen=True, repr=False)
class HyperX(ShortestPathTopology):
    """Switches (x1, .., xn), those that differ in one coordinate joined; MIN is dimension order.

    Attributes
    ----------
    p : compute nodes per switch.
    s1, s2, s3, s4 : switches along each dimension, None beyond the last one.

    Raises
    ------
    InvalidInput : a side is missing before another, or a switch has more than 128 ports.

    Notes
    -----
    Switch (x1, x2, ..) has id x1 + s1 (x2 + s2 (..)). A MIN path corrects x1 first: one path per
    pair.

    References
    ----------
    Ahn, Binkert, Davis, McLaren, Schreiber, HyperX: Topology, Routing, and Packaging of Efficient
    Large-Scale Networks, SC'09.
    """

    p: Annotated[int, WholeArgument("P", 1, _MOST_PORTS)]
    s1: Annotated[int, WholeArgument("S1", 2, _MOST_PORTS)]
    s2: Annotated[int | None, WholeArgument("S2", 2, _MOST_PORTS)] = None
    s3: Annotated[int | None, WholeArgument("S3", 2, _MOST_PORTS)] = None
    s4: Annotated[int | None, WholeArgument("S4", 2, _MOST_PORTS)] = None

    name = "hyperx"
    kinds = _kinds(len(_DIMENSIONS))
    dimensions = True

    def __post_init__(self) -> None:
        _check(self.p, self.sides, (self.s1, self.s2, self.s3, self.s4))
        # The dataclass is frozen.
        object.__setattr__(self, "kinds", _kinds(len(self.sides)))
        self._build()

    @property
    def sides(self) -> tuple[int, ...]:
        """Switches along each dimension."""
        return _sides(self.s1, self.s2, self.s3, self.s4)

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
            low, high = np.triu_indices(side, 1)
            ends = np.stack([lines[:, low], lines[:, high]], -1).reshape(-1, 2)
            found.append(ends.astype(np.int32))
        return tuple(found)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology.nodes_of_switches`."""
        return np.full(prod(self.sides), self.p, dtype=np.int32)

    @property
    def chosen(self) -> kernels.Chosen:
        """See `ShortestPathTopology`: links of the first dimension come first."""
        return kernels.Chosen.FIRST_LINK

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
            "degree": sum(self.sides) - len(self.sides),
        }

    @property
    def layout(self) -> Layout:
        """See `Topology`: a group of every line along the first dimension."""
        groups = prod(self.sides[1:])
        return Layout(groups, self.s1, groups * self.s1 * (self.s1 - 1))

    def coordinates(self, switch: int) -> Mapping[str, int | str]:
        """See `Topology`."""
        at = np.unravel_index(switch, self.sides, order="F")
        return {name: int(one) for name, one in zip(self.kinds.names, at, strict=True)}


def _sides(*sides: int | None) -> tuple[int, ...]:
    return tuple(side for side in sides if side is not None)


def _check(p: int, sides: tuple[int, ...], given: tuple[int | None, ...]) -> None:
    if given[: len(sides)] != sides:
        missing = given.index(None) + 1
        raise InvalidInput(f"S{missing} is missing: sides follow each other without a gap")
    ports = p + sum(sides) - len(sides)
    if ports > _MOST_PORTS:
        raise InvalidInput(
            f"a switch of hyperx({p},{','.join(map(str, sides))}) has {ports} ports; at most "
            f"{_MOST_PORTS} are supported"
        )


def _is_network(of: Mapping[str, Numbers]) -> NDArray[np.bool_]:
    """Whether sides, 1 where there is none, follow each other without a gap and ports suffice."""
    sides = [of[name] for name in _SIDES]
    follow = [(before > 1) | (after == 1) for before, after in pairwise(sides)]
    # Two switches have no VLB path.
    return np.all([*follow, _switches(of) > _FEWEST, _radix(of) <= _MOST_PORTS], axis=0)


def _switches(of: Mapping[str, Numbers]) -> Numbers:
    return np.multiply.reduce([of[name] for name in _SIDES])


def _radix(of: Mapping[str, Numbers]) -> Numbers:
    return of["p"] + np.add.reduce([of[name] - 1 for name in _SIDES])


def _cables(side: str) -> Formula:
    return lambda of: _switches(of) * (of[side] - 1) / 2


_SIDES = ("s1", "s2", "s3", "s4")
_FEWEST = 2
_PARAMETERS = (
    SizeParameter("p", "Compute nodes per switch.", "4..8", high=_MOST_PORTS),
    SizeParameter("s1", "Switches along the x axis.", "4..8", low=2, high=_MOST_PORTS),
    *(
        SizeParameter(
            side,
            f"Switches along the {axis} axis, 1 where there is none.",
            "4..8",
            low=2,
            high=_MOST_PORTS,
            usual=lambda of: np.ones_like(of["p"]),
        )
        for side, axis in zip(_SIDES[1:], _DIMENSIONS[1:], strict=True)
    ),
)
SIZING = Sizing(
    parameters=_PARAMETERS,
    rule=f"three switches, no gap between sides and at most {_MOST_PORTS} ports per switch",
    are_networks=_is_network,
    nodes=lambda of: _switches(of) * of["p"],
    switches=((_radix, _switches),),
    cables={axis: _cables(side) for axis, side in zip(_DIMENSIONS, _SIDES, strict=True)},
    columns=(
        *(one.column for one in _PARAMETERS),
        SizeColumn("radix", "integer", "ports", "Ports of a switch, p and those of every axis."),
        *(
            SizeColumn(f"{axis}_cables", "integer", "cables", f"Cables along the {axis} axis.")
            for axis in _DIMENSIONS
        ),
    ),
)


def hyperx_sizes(
    p: int, s1: int, s2: int | None = None, s3: int | None = None, s4: int | None = None
) -> NetworkSizes:
    """Return how large a HyperX is; see `HyperX`."""
    sides = _sides(s1, s2, s3, s4)
    _check(p, sides, (s1, s2, s3, s4))
    switches = prod(sides)
    cables = {
        name: switches * (side - 1) // 2 for name, side in zip(_DIMENSIONS, sides, strict=False)
    }
    return NetworkSizes(switches, switches * p, cables)


class HyperXMetadata(TopologyMetadata):
    """What a HyperX amounts to."""

    sides: str = Described(description="Switches along each dimension, such as 8x8.")
    nodes_per_switch: int = Described(description="Compute nodes of every switch.")
    degree: int = Described(description="Links of a switch.")


register(
    Family(HyperX, hyperx_sizes, example="hyperx(4,8,8)", metadata=HyperXMetadata, sizing=SIZING)
)
