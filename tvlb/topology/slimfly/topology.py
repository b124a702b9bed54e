"""The Slim Fly: diameter 2 with nearly as many switches as a degree allows."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field as Described

from tvlb.errors import InvalidInput
from tvlb.languages import Choice, WholeArgument
from tvlb.native import kernels
from tvlb.topology.compiled import path_kernel
from tvlb.topology.family import Family, NetworkSizes, TopologyMetadata, register
from tvlb.topology.network import LinkKinds
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.slimfly.field import Field, field_of
from tvlb.topology.slimfly.sizing import (
    KNOWN,
    LARGEST,
    MOST_PORTS,
    SIZING,
    SMALLEST,
    cables,
    degree,
    parts,
    usual_nodes,
)
from tvlb.topology.topology import Layout

_DIAMETER = 2
# Of pictures: what is left free at their edges, the heights of what is written above the columns,
# and how far columns are bent, in the distance of two columns.
_MARGIN, _TOP = 0.05, 0.12
_SUBGRAPH_LABEL, _COLUMN_LABEL = 0.025, 0.075
_BEND = 0.3


@dataclass(frozen=True, repr=False)
class SlimFly(ShortestPathTopology):
    """Two subgraphs of q columns of q switches each; halves of paths are named by their first link.

    Attributes
    ----------
    q : a prime power 4l + d with d = -1, 0 or 1.
    p : compute nodes per switch; None for half the degree (3q - d) / 2, rounded up.
    xi : primitive element of GF(q) from which the columns are made; None for the smallest one of a
        prime q, else the root of the Conway polynomial.
    min : whether all shortest paths are MIN paths, or of every pair the single one by the switch of
        the lowest id.

    Raises
    ------
    InvalidInput : q is no such number, xi is not primitive, or a switch has more than 128 ports.

    Notes
    -----
    Switch (s, x, y) of subgraph s has id s*q^2 + x*q + y. Local links are those inside a column.

    References
    ----------
    Besta, Hoefler, Slim Fly: A Cost Effective Low-Diameter Network Topology, SC'14, section 2.
    """

    q: Annotated[int, WholeArgument("Q", SMALLEST, LARGEST)]
    p: Annotated[int | None, WholeArgument("P", 1, MOST_PORTS)] = None
    xi: Annotated[int | None, WholeArgument("XI", 1, LARGEST - 1)] = None
    min: Annotated[str, Choice("MIN", ("all", "single"), keyword=True)] = "all"

    name = "slimfly"
    path_names = "link ids"
    kinds = LinkKinds(
        ("local", "global"),
        (10, 10),
        ("Links inside a column.", "Links between the two subgraphs."),
    )
    published_set = "ori"
    conventional_set = "ori"

    def __post_init__(self) -> None:
        _check(self.q, self.p)
        if self.xi is not None and not self.field.is_primitive(self.xi):
            allowed = ", ".join(
                str(one) for one in range(1, self.q) if self.field.is_primitive(one)
            )
            raise InvalidInput(
                f"xi = {self.xi} is not primitive in GF({self.q}); allowed are {allowed}"
            )
        # Equal networks have one text.
        if self.xi == self.field.primitive_element:
            object.__setattr__(self, "xi", None)
        usual = usual_nodes(self.q)
        if self.xi is not None:
            object.__setattr__(self, "p", self.p or usual)
        elif self.p == usual:
            object.__setattr__(self, "p", None)
        self._build()
        self._check_graph()

    def _check_graph(self) -> None:
        degrees = np.bincount(self.network.link_source, minlength=self.num_switches)
        assert (degrees == degree(self.q)).all()
        assert len(self.longest_min_path) == _DIAMETER

    @property
    def field(self) -> Field:
        """GF(q)."""
        return field_of(self.q)

    @property
    def primitive_element(self) -> int:
        """Xi."""
        return self.xi or self.field.primitive_element

    @cached_property
    def steps(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """X and X': by what switches of a column of either subgraph differ that have a cable."""
        powers = self.field.powers(self.primitive_element)
        first = [powers[exponent] for exponent in _exponents(self.q)]
        second = [int(self.field.times[self.primitive_element, one]) for one in first]
        return tuple(sorted(first)), tuple(sorted(second))

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology.cables`."""
        q, field = self.q, self.field
        column, row = np.indices((q, q), dtype=np.int32)
        local: list[NDArray[np.int32]] = []
        for subgraph, steps in enumerate(self.steps):
            ends = np.argwhere(np.isin(field.minus, steps))
            assert len(ends) == 2 * int((ends[:, 0] < ends[:, 1]).sum())
            ends = ends[ends[:, 0] < ends[:, 1]].astype(np.int32)
            columns = subgraph * q * q + q * np.arange(q, dtype=np.int32)
            local.append((columns[:, None, None] + ends).reshape(-1, 2))
        # y = m x + c: c = y - m x.
        ends = [
            np.stack([column * q + row, q * q + m * q + field.minus[row, field.times[m, column]]])
            for m in range(q)
        ]
        across = np.concatenate([one.reshape(2, -1) for one in ends], axis=1).T
        return np.concatenate(local), across.astype(np.int32)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology.nodes_of_switches`."""
        each = self.p or usual_nodes(self.q)
        return np.full(2 * self.q**2, each, dtype=np.int32)

    @property
    def chosen(self) -> kernels.Chosen:
        """See `ShortestPathTopology`."""
        return kernels.Chosen.ALL if self.min == "all" else kernels.Chosen.LOWEST_SWITCH

    def compile(self) -> kernels.ShortestPaths:
        """See `Topology`."""
        return kernels.ShortestPaths(self.network.compile(), self.chosen, by_link=True)

    @property
    def identity(self) -> tuple[int | str, ...]:
        """See `Topology`."""
        return *super().identity, self.min

    @property
    def representatives(self) -> NDArray[np.int32]:
        """See `Topology`: a switch of either subgraph."""
        return np.array([0, self.q**2], dtype=np.int32)

    @property
    def metadata(self) -> Mapping[str, int | str]:
        """See `Topology`."""
        return {
            **super().metadata,
            "q": self.q,
            "nodes_per_switch": self.nodes_per_switch,
            "primitive_element": self.primitive_element,
            "degree": degree(self.q),
        }

    def capacity_prices(
        self, sources: NDArray[np.integer], targets: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """See `Topology`: where every flow is between switches that no link joins.

        All paths but MIN ones take three links or more, and each MIN path begins with a link of its
        own: theta <= (degree + mean MIN paths per pair) / (3 p).
        """
        apart = sources != targets
        ends = sources[apart].astype(np.int32), targets[apart].astype(np.int32)
        if self.min != "all" or (self._hops(*ends) < _DIAMETER).any():
            return super().capacity_prices(sources, targets)
        first_links = path_kernel(self).enumerate_min(*ends)[2]
        prices = np.ones(self.num_links)
        prices[first_links] = 2.0
        return prices * (2 / 3)

    def data_points(self) -> list[str]:
        """See `Topology`: lengths, what repairs `<=3`, and the three sets of the literature."""
        shares = ["", *(f"+{percent}%" for percent in range(10, 100, 10))]
        lengths = [f"<=3{share}" for share in shares]
        return [*lengths, "<=2+(1,2)", "near", "all", "ori", "nta", "3h"]

    @property
    def layout(self) -> Layout:
        """See `Topology`: a group is a column; both subgraphs stand side by side."""
        columns = range(2 * self.q)
        return Layout(
            groups=2 * self.q,
            switches_per_group=self.q,
            first_global_link=self.num_links - 2 * self.q**3,
            places=tuple(_place(self.q, one, row) for one in columns for row in range(self.q)),
            labels=(
                *((_place(self.q, one, 0)[0], _COLUMN_LABEL, str(one % self.q)) for one in columns),
                *((0.25 + 0.5 * side, _SUBGRAPH_LABEL, f"subgraph {side}") for side in (0, 1)),
            ),
        )

    def coordinates(self, switch: int) -> Mapping[str, int | str]:
        """See `Topology`."""
        column, row = divmod(switch, self.q)
        return {"subgraph": column // self.q, "column": column % self.q, "row": row}


def _place(q: int, column: int, row: int) -> tuple[float, float]:
    """Return where a switch stands in a picture, of columns 0 .. 2 q - 1.

    Columns are bent towards the other subgraph and stand lower towards it, so that straight lines
    between switches of a column, or of a row, pass beside the others.
    """
    side, height = column // q, row / (q - 1)
    apart, rise = (1 - 2 * _MARGIN) / (2 * q), (1 - _TOP - _MARGIN) / (q - 0.5)
    bent = 4 * _BEND * height * (1 - height) * (1 - 2 * side)
    lower = 0.5 * abs(column - side * (2 * q - 1)) / (q - 1)
    return _MARGIN + apart * (column + side + bent), _TOP + rise * (row + lower)


def _exponents(q: int) -> list[int]:
    """Exponents of the elements of X."""
    part, d = parts(q)
    if d >= 0:
        return list(range(0, q - 1, 2))
    return [*range(0, 2 * part - 1, 2), *range(2 * part - 1, 4 * part - 2, 2)]


def _check(q: int, p: int | None) -> None:
    if q not in KNOWN:
        allowed = ", ".join(map(str, KNOWN))
        raise InvalidInput(f"q = {q} is no size of a Slim Fly; allowed are {allowed}")
    most = MOST_PORTS - degree(q)
    if p is not None and not 1 <= p <= most:
        raise InvalidInput(
            f"p = {p} is out of range: a switch of slimfly({q}) has {degree(q)} ports for links "
            f"and 1..{most} for compute nodes"
        )


def slimfly_sizes(q: int, p: int | None = None, **_: object) -> NetworkSizes:
    """Return how large a Slim Fly is, whatever its other parameters; see `SlimFly`."""
    _check(q, p)
    return NetworkSizes(2 * q * q, 2 * q * q * (p or usual_nodes(q)), cables(q))


class SlimFlyMetadata(TopologyMetadata):
    """What a Slim Fly amounts to."""

    q: int = Described(description="Columns of a subgraph, and switches of a column.")
    nodes_per_switch: int = Described(description="Compute nodes of every switch.")
    primitive_element: int = Described(description="Of the field that the columns are made from.")
    degree: int = Described(description="Links of a switch.")


register(
    Family(SlimFly, slimfly_sizes, example="slimfly(7)", metadata=SlimFlyMetadata, sizing=SIZING)
)
