"""The Dragonfly family dfly(p, a, h, g) with complete-graph groups."""

import hashlib
from collections.abc import Iterator, Mapping
from enum import IntEnum
from functools import cached_property
from typing import Annotated, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import Choice, WholeArgument
from tvlb.native import kernels
from tvlb.topology.dragonfly.arrangements import ARRANGEMENTS, ArrangementSizes
from tvlb.topology.dragonfly.parameters import check_cables, check_parameters, local_cables
from tvlb.topology.dragonfly.path_rules import path_faults
from tvlb.topology.expected import ExpectedPaths, touched
from tvlb.topology.network import LinkKinds, Network, directed_links
from tvlb.topology.topology import Layout, Topology, Triples

FROM_FILE = "file"

_Switches = NDArray[np.integer]


class LinkKind(IntEnum):
    """Kind of a link; the order is part of the link numbering."""

    LOCAL = 0
    GLOBAL = 1


class Dragonfly(Topology):
    """A Dragonfly network dfly(p, a, h, g).

    Parameters
    ----------
    p, a, h, g : compute nodes per switch, switches per group, global ports per switch, groups.
        p, a, h >= 1, g >= 2 and g <= a*h + 1.
    arrangement : wiring of the global links: one of `ARRANGEMENTS`.

    Raises
    ------
    InvalidInput : a parameter is out of range, the arrangement is unknown, or it leaves two
        groups without any direct link.

    Examples
    --------
    >>> topology = Dragonfly(4, 8, 4, 9)
    >>> topology.num_switches, topology.num_nodes, topology.links_per_group_pair
    (72, 288, (4, 4))
    >>> str(topology)
    'dfly(4,8,4,9)'

    Notes
    -----
    Switch id = group * a + index; node id = switch * p + k. Instances are immutable.

    References
    ----------
    Rahman et al., Topology-Custom UGAL Routing on Dragonfly, SC'19, section 2.1.
    """

    name = "dfly"
    path_names = "link ids"
    kinds = LinkKinds(
        ("local", "global"), (10, 15), ("Links inside groups.", "Links between groups.")
    )
    vc_scheme = "won"
    published_set = "short(2,3)"
    has_usage_kernel = True

    def __init__(
        self,
        p: Annotated[int, WholeArgument("p", 1)],
        a: Annotated[int, WholeArgument("a", 1)],
        h: Annotated[int, WholeArgument("h", 1)],
        g: Annotated[int, WholeArgument("g", 2)],
        arrangement: Annotated[str, Choice("arrangement", tuple(ARRANGEMENTS))] = "absolute",
    ) -> None:
        check_parameters(p, a, h, g)
        if arrangement not in ARRANGEMENTS:
            raise InvalidInput(
                f"unknown arrangement {arrangement!r}; choose one of {', '.join(ARRANGEMENTS)}"
            )
        self._path = None
        self._set(p, a, h, g, arrangement, ARRANGEMENTS[arrangement](ArrangementSizes(a, h, g)))

    @classmethod
    def from_cables(
        cls,
        p: int,
        a: int,
        h: int,
        g: int,
        cables: ArrayLike,
        arrangement: str = FROM_FILE,
        *,
        path: str | None = None,
    ) -> Self:
        """Build a Dragonfly from an explicit list of global cables.

        Parameters
        ----------
        cables : integer array of shape (cables, 2), undirected switch pairs, repeats allowed.
        arrangement : the name recorded for this wiring.
        path : the file the list came from; `str` of the topology is then this path.

        Raises
        ------
        InvalidInput : a switch id is out of range, a cable stays inside a group, a switch has
            more than h cables, or two groups are not joined at all.
        """
        check_parameters(p, a, h, g)
        pairs = np.asarray(cables)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
            raise InvalidInput("links must be a list of [switch, switch] pairs of integers")
        check_cables(pairs, a, h, g)
        self = cls.__new__(cls)
        self._path = path
        self._set(p, a, h, g, arrangement, pairs.astype(np.int32))
        return self

    def _set(
        self, p: int, a: int, h: int, g: int, arrangement: str, cables: NDArray[np.int32]
    ) -> None:
        self.switches_per_group = a
        self.global_ports = h
        self.groups = g
        self.arrangement = arrangement
        low_first = np.sort(cables, axis=1)
        self.cables = low_first[np.lexsort((low_first[:, 1], low_first[:, 0]))]
        source, target, kind, ordinal = directed_links(local_cables(a, g), self.cables)
        self.network = Network(
            num_switches=a * g,
            node_switch=np.repeat(np.arange(a * g, dtype=np.int32), p),
            link_source=source,
            link_target=target,
            link_kind=kind,
            link_ordinal=ordinal,
        )
        if (counts := self._links_between).min() == 0:
            first, second = np.argwhere(counts == 0)[0]
            # The diagonal is left out of the counts.
            second += second >= first
            raise InvalidInput(
                f"dfly({p},{a},{h},{g}) with arrangement {arrangement} leaves groups {first} and "
                f"{second} without a direct link; every group pair needs at least one"
            )

    @property
    def parameters(self) -> tuple[int, int, int, int]:
        """The sizes p, a, h and g."""
        return self.nodes_per_switch, self.switches_per_group, self.global_ports, self.groups

    @property
    def identity(self) -> tuple[int | str, ...]:
        """See `Topology`: p, a, h, g and a hash of the cables."""
        cables = hashlib.sha256(self.cables.astype("<i4").tobytes()).hexdigest()
        return (*self.parameters, cables)

    @property
    def is_named(self) -> bool:
        """See `Topology`: whether the wiring is an arrangement."""
        return self.arrangement != FROM_FILE

    @property
    def misnomer(self) -> str | None:
        """See `Topology`: an arrangement that would have other cables."""
        name = self.arrangement
        if name not in ARRANGEMENTS or self == Dragonfly(*self.parameters, name):
            return None
        return f"the {name} arrangement"

    @property
    def caution(self) -> str | None:
        """See `Topology`."""
        if self.arrangement != "absolute":
            return None
        return (
            "absolute is the wiring of the T-UGAL paper; what others publish under this name is "
            "the arrangement consecutive"
        )

    @property
    def switch_ports(self) -> NDArray[np.int64]:
        """See `Topology`: all alike, whether or not a wiring uses all global ports."""
        p, a, h, _ = self.parameters
        return np.full(self.num_switches, p + a - 1 + h)

    def compile(self) -> kernels.Topology:
        """See `Topology`."""
        return kernels.Dragonfly(self.network.compile(), self.groups)

    @property
    def longest_min_path(self) -> tuple[int, ...]:
        """See `Topology`."""
        return (LinkKind.LOCAL, LinkKind.GLOBAL, LinkKind.LOCAL)

    @property
    def halves(self) -> tuple[str, ...]:
        """See `Topology`: of paths between groups."""
        return ("g", "gl", "lg", "lgl")

    @property
    def most_min_paths(self) -> int:
        """See `Topology`."""
        return self.links_per_group_pair[1]

    @property
    def most_vlb_paths(self) -> int:
        """See `Topology`."""
        return max(self.groups - 2, 1) * self.switches_per_group * self.links_per_group_pair[1] ** 2

    def has_choice(self, sources: _Switches, targets: _Switches) -> NDArray[np.bool_]:
        """See `Topology`: between groups; inside one, every third switch is a detour."""
        return self.switch_group[sources] != self.switch_group[targets]

    @property
    def switch_groups(self) -> int:
        """See `Topology`; also of those that are down."""
        return self.groups

    @property
    def node_groups(self) -> int:
        """See `Topology`."""
        return self.groups

    @property
    def representatives(self) -> NDArray[np.int32]:
        """See `Topology`: those of the first group."""
        return np.arange(self.switches_per_group, dtype=np.int32)

    def path_faults(self, paths: Triples) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """See `Topology`."""
        return path_faults(self, paths)

    def arrivals(self, switches: _Switches) -> NDArray[np.int32]:
        """See `Topology`: the local links from all others of the group."""
        members = np.arange(self.switches_per_group)
        origins = self.switch_group[switches][:, None] * self.switches_per_group + members
        return self.local_link[origins, (switches % self.switches_per_group)[:, None]]

    def is_second(self, sources: _Switches, targets: _Switches) -> NDArray[np.bool_]:
        """See `Topology`: at the switches with a global link into the target's group."""
        return self._reaches[sources, self.switch_group[targets]]

    def seconds(self, sources: _Switches, targets: _Switches) -> tuple[_Switches, _Switches]:
        """See `Topology`: from every switch of the source's group."""
        between = self.has_choice(sources, targets)
        inside = np.arange(self.switches_per_group, dtype=np.int32)
        starts = self.switch_group[sources[between], None] * np.int32(self.switches_per_group)
        seconds = np.repeat(targets[between], self.switches_per_group)
        return (starts + inside).ravel(), seconds

    def capacity_prices(self, sources: _Switches, targets: _Switches) -> NDArray[np.float64]:
        """See `Topology`: 2 on the direct links of the group pairs in use, 1 on other global links.

        All zero unless every group sends to one other group.

        Notes
        -----
        With total traffic T, G global links and D direct links between the group pairs in use, at
        most D flits/cycle take one global hop and the others take two, so 2 theta T - D <= G.
        """
        price = np.zeros(self.num_links)
        source = self.switch_group[sources].astype(np.int64)
        target = self.switch_group[targets].astype(np.int64)
        pairs = np.unique(source * self.groups + target)
        senders = pairs // self.groups
        one_partner_each = len(np.unique(senders)) == len(senders)
        if len(pairs) == 0 or not one_partner_each or (source == target).any():
            return price
        price[self.is_global] = 1.0
        offset = self.group_link_offset
        for pair in pairs.tolist():
            price[self.group_links[offset[pair] : offset[pair + 1]]] = 2.0
        return price

    @cached_property
    def expected_paths(self) -> ExpectedPaths:
        """See `Topology`: as if the ends of the global cables were drawn at random."""
        cables = 2 * len(self.cables) / self.groups
        at_end = 1.0 / self.switches_per_group
        away = 1.0 - at_end
        return ExpectedPaths(
            pairs=self.num_switches * (self.num_switches - self.switches_per_group),
            intermediates=(self.groups - 2) * self.switches_per_group,
            min_paths=self._mean_cables,
            share_by_hops=np.array([at_end * at_end, 2 * at_end * away, away * away]),
            # Every group sends to one other.
            adversarial_throughput=(cables + cables / (self.groups - 1))
            / (2 * (self.num_nodes / self.groups)),
        )

    @property
    def _mean_cables(self) -> float:
        """Mean number of cables between two groups."""
        return 2 * len(self.cables) / (self.groups * (self.groups - 1))

    def links_in_use(self, vlb_paths: NDArray[np.float64]) -> float:
        """See `Topology`.

        A path of h hops has h-2 local ones: half of them at the intermediate switch, where all
        groups but two have links, and a quarter at either end.
        """
        inner_groups = max(self.groups - 2, 1)
        around = max(self.switches_per_group - 1, 1)
        local = vlb_paths * np.arange(5)
        links = (
            2 * touched(vlb_paths, inner_groups * self._mean_cables)
            + touched(local / 2, inner_groups * self.switches_per_group * around)
            + 2 * touched(local / 4, around)
        )
        return float(links.sum())

    def strategic_choices(self) -> list[str]:
        """See `Topology`: those of the T-UGAL paper and the sets of shortest halves."""
        return [
            "<=4+(2,3)",
            "<=4+(3,2)",
            "short(2,3)",
            "short(3,2)",
            "short(<=4)",
            "short(<=5)",
            "short(all)",
        ]

    def check_searchable(self) -> None:
        """See `Topology`: there must be a third group."""
        if self.groups < 3:
            raise InvalidInput(
                f"g={self.groups} is out of range: a VLB path between groups needs a third "
                "group, so g must be at least 3"
            )

    @property
    def layout(self) -> Layout:
        """See `Topology`."""
        local_links = int((~self.is_global).sum())
        return Layout(self.groups, self.switches_per_group, local_links)

    def coordinates(self, switch: int) -> Mapping[str, int]:
        """See `Topology`."""
        return {"group": switch // self.switches_per_group}

    @cached_property
    def switch_group(self) -> NDArray[np.int32]:
        """Group of each switch, int32, shape (switches,)."""
        switches = np.arange(self.num_switches, dtype=np.int32)
        return switches // np.int32(self.switches_per_group)

    @cached_property
    def is_global(self) -> NDArray[np.bool_]:
        """Which links are global, bool (links,)."""
        return self.network.link_kind == LinkKind.GLOBAL

    @cached_property
    def group_links(self) -> NDArray[np.int32]:
        """Global link ids sorted by (source group, target group, id), int32."""
        return self._global_ids[np.argsort(self._global_pairs, kind="stable")]

    @cached_property
    def group_link_offset(self) -> NDArray[np.int32]:
        """int32 (g*g+1,): links from A to B are ``group_links[o[A*g+B]:o[A*g+B+1]]``."""
        counts = np.bincount(self._global_pairs, minlength=self.groups**2)
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    @cached_property
    def local_link(self) -> NDArray[np.int32]:
        """Local link from each switch to each index of its group, int32 (switches, a), or -1."""
        network = self.network
        table = np.full((self.num_switches, self.switches_per_group), -1, dtype=np.int32)
        ids = np.flatnonzero(network.link_kind == LinkKind.LOCAL).astype(np.int32)
        table[network.link_source[ids], network.link_target[ids] % self.switches_per_group] = ids
        return table

    @property
    def links_per_group_pair(self) -> tuple[int, int]:
        """Smallest and largest number of cables between two groups."""
        return int(self._links_between.min()), int(self._links_between.max())

    @property
    def unconnected_ports(self) -> int:
        """Global ports that the wiring leaves unused."""
        return self.num_switches * self.global_ports - 2 * len(self.cables)

    @property
    def metadata(self) -> dict[str, int | str]:
        """What the wiring amounts to: arrangement, switches, nodes, links per group pair, ..."""
        fewest, most = self.links_per_group_pair
        return {
            "arrangement": self.arrangement,
            "switches": self.num_switches,
            "nodes": self.num_nodes,
            "links": self.num_links,
            "fewest_links_per_group_pair": fewest,
            "most_links_per_group_pair": most,
            "unconnected_ports": self.unconnected_ports,
        }

    @cached_property
    def _reaches(self) -> NDArray[np.bool_]:
        """Whether a switch has a link into a group, bool (switches, groups)."""
        network = self.network
        reaches = np.zeros((self.num_switches, self.groups), dtype=bool)
        ends = self.switch_group[network.link_target[self.is_global]]
        reaches[network.link_source[self.is_global], ends] = True
        return reaches

    @cached_property
    def _global_ids(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.is_global).astype(np.int32)

    @cached_property
    def _global_pairs(self) -> NDArray[np.int32]:
        source = self.switch_group[self.network.link_source[self._global_ids]]
        target = self.switch_group[self.network.link_target[self._global_ids]]
        return source * self.groups + target

    @cached_property
    def _links_between(self) -> NDArray[np.int64]:
        counts = np.bincount(self._global_pairs, minlength=self.groups**2)
        off_diagonal = ~np.eye(self.groups, dtype=bool)
        return counts.reshape(self.groups, self.groups)[off_diagonal].reshape(self.groups, -1)

    def __str__(self) -> str:
        return self._name if self._path is None else self._path

    @property
    def _name(self) -> str:
        suffix = "" if self.arrangement == "absolute" else f",{self.arrangement}"
        return f"dfly({','.join(map(str, self.parameters))}{suffix})"

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Dragonfly)
            and self._name == other._name
            and np.array_equal(self.cables, other.cables)
        )

    def __hash__(self) -> int:
        return hash((self._name, self.cables.tobytes()))
