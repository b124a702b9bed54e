"""What engines know of a network: its links, and what its family says of paths and pairs."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.native import kernels
from tvlb.topology.expected import ExpectedPaths, touched
from tvlb.topology.failures import Failures
from tvlb.topology.network import LinkKinds, Network
from tvlb.topology.switch_names import SwitchNames

if TYPE_CHECKING:
    import networkx as nx

_REPRESENTATIVES = 64
_FEWEST_ENDS = 3

_Switches = NDArray[np.integer]
_Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Triples:
    """Named paths with their ends, arrays of one length.

    Attributes
    ----------
    source, target, intermediate : switches.
    first, second : names of the MIN halves, -1 where absent.
    hops : links of the path, as somebody says.
    """

    source: _Switches
    target: _Switches
    intermediate: _Switches
    first: _Switches
    second: _Switches
    hops: _Switches


@dataclass(frozen=True, eq=False)
class Origin:
    """What a network with failures was.

    Attributes
    ----------
    network : with all its links.
    failures : what is down.
    """

    network: "Topology"
    failures: Failures


@dataclass(frozen=True)
class Layout:
    """A picture of a network: a ring of groups, each a ring of switches, or places of its own.

    Attributes
    ----------
    groups, switches_per_group : their numbers; switch id = group * switches_per_group + index.
    first_global_link : id of the first link between groups; those inside come first.
    places : of each switch, x and y from the top left corner of a square of side 1; none for rings.
    labels : x, y and text of what is written beside such places.
    """

    groups: int
    switches_per_group: int
    first_global_link: int
    places: tuple[tuple[float, float], ...] = ()
    labels: tuple[tuple[float, float, str], ...] = ()


class Topology(ABC):
    """A network of some family: an immutable value, whose `str` parses back to it.

    Attributes
    ----------
    name : by which networks of the family are called, such as `dfly`.
    path_names : what names a MIN half of a path: its link id, or its position among the MIN
        paths of its ends.
    kinds : kinds of links that it has; a link's kind is a position in it. Of a class, those of its
        networks that have no others of their own.
    vc_scheme : scheme of virtual channels that is used where nothing else is said.
    conventional_set : path set that routers draw from without a table; every other is compared with
        it.
    published_set : path set that the literature holds to be good, for comparison.
    dimensions : whether its kinds of links are the dimensions of a lattice in their order, so that
        the order of kinds is dimension order.
    has_usage_kernel : whether the compiled core adds up the links of sets by rule without a list of
        their paths.
    network : switches, nodes and links.
    origin : of what is left of a network with failures; see `tvlb.topology.without`.
    """

    name: ClassVar[str]
    path_names: ClassVar[Literal["link ids", "positions"]] = "positions"
    kinds: LinkKinds
    vc_scheme: ClassVar[str] = "per-hop"
    conventional_set: ClassVar[str] = "all"
    published_set: ClassVar[str] = "short(all)"
    dimensions: ClassVar[bool] = False
    has_usage_kernel: ClassVar[bool] = False
    network: Network
    origin: Origin | None = None

    @property
    def num_switches(self) -> int:
        """Number of switches."""
        return self.network.num_switches

    @property
    def num_nodes(self) -> int:
        """Number of compute nodes."""
        return self.network.num_nodes

    @property
    def num_links(self) -> int:
        """Number of directed links; a cable counts twice."""
        return self.network.num_links

    @cached_property
    def switch_nodes(self) -> NDArray[np.int64]:
        """Compute nodes of each switch, int64 (switches,)."""
        return np.bincount(self.network.node_switch, minlength=self.num_switches)

    @property
    def switch_ports(self) -> NDArray[np.int64]:
        """Ports of each switch, int64 (switches,): those in use, unless the family has others."""
        links = np.bincount(self.network.link_source, minlength=self.num_switches)
        return self.switch_nodes + links

    @property
    def is_end(self) -> NDArray[np.bool_]:
        """Whether paths begin, end and have intermediates at a switch, bool (switches,).

        Where they do not, they at most pass it. They do wherever it is not down, if the family says
        nothing else.
        """
        found = np.ones(self.num_switches, dtype=bool)
        if self.origin is not None:
            found[self.origin.failures.down_switches] = False
        return found

    def has_paths(self, sources: _Switches, targets: _Switches) -> NDArray[np.bool_]:
        """Whether paths lead from given switches to others; arrays broadcast."""
        return np.asarray((sources != targets) & self.is_end[sources] & self.is_end[targets])

    @property
    def num_senders(self) -> int:
        """Number of switches with compute nodes."""
        return int(np.count_nonzero(self.switch_nodes))

    @cached_property
    def nodes_per_switch(self) -> int:
        """Compute nodes of every switch; node id = switch * nodes_per_switch + k.

        Raises
        ------
        InvalidInput : some switches have more of them than others.
        """
        counts = self.switch_nodes
        if counts.min() != counts.max():
            raise InvalidInput(
                f"{self} has {counts.min()} compute nodes at some switches and {counts.max()} at "
                "others; this needs as many at each"
            )
        return int(counts[0])

    @cached_property
    def first_node(self) -> NDArray[np.int64]:
        """First compute node of each switch, int64 (switches,); where it has none, the next one."""
        return np.cumsum(self.switch_nodes) - self.switch_nodes

    @property
    def node_groups(self) -> int:
        """Number of groups of equally many consecutive nodes; 1 where the family has none."""
        return 1

    @property
    def switch_groups(self) -> int:
        """Number of groups of switches between which all global links lead; 0 of other families."""
        return 0

    def kind_name(self, link: int) -> str:
        """Kind of a link."""
        return self.kinds.names[int(self.network.link_kind[link])]

    @property
    @abstractmethod
    def identity(self) -> tuple[int | str, ...]:
        """What all figures of the network depend on, whatever it is called."""

    @property
    def is_named(self) -> bool:
        """Whether its parameters give it; if not, it is known by its cables alone."""
        return True

    @property
    def metadata(self) -> Mapping[str, int | str]:
        """Facts for documents, reports and sweeps, as the family describes them."""
        return {"switches": self.num_switches, "nodes": self.num_nodes, "links": self.num_links}

    @property
    def misnomer(self) -> str | None:
        """What its text calls the links and they are not."""
        return None

    @abstractmethod
    def compile(self) -> kernels.Topology:
        """Make the twin that the compiled engines read; see `tvlb.topology.compiled`."""

    @property
    @abstractmethod
    def longest_min_path(self) -> tuple[int, ...]:
        """Kinds of the links of the longest MIN path that the family has."""

    @property
    def max_hops(self) -> int:
        """Links of the longest VLB path that the family has."""
        return 2 * len(self.longest_min_path)

    @property
    @abstractmethod
    def halves(self) -> tuple[str, ...]:
        """Kinds of the links of MIN halves of VLB paths in travel order, a letter each, by code."""

    @property
    @abstractmethod
    def most_min_paths(self) -> int:
        """Bound on the MIN paths of a pair of switches."""

    @property
    @abstractmethod
    def most_vlb_paths(self) -> int:
        """Bound on the VLB paths of a pair of switches with a choice."""

    def has_choice(self, sources: _Switches, targets: _Switches) -> NDArray[np.bool_]:
        """Whether path sets choose among the detours of given pairs; arrays broadcast.

        Where they do not, every set but the empty one has all detours. Two different switches have
        a choice, where the family says nothing else.
        """
        return np.asarray(sources != targets)

    @property
    def representatives(self) -> NDArray[np.int32]:
        """Switches that stand for all others, as far as the network is regular.

        Some that are evenly spread, where the family knows of none.
        """
        few = np.linspace(0, self.num_switches - 1, min(self.num_switches, _REPRESENTATIVES))
        return few.astype(np.int32)

    @abstractmethod
    def path_faults(self, paths: Triples) -> Iterator[tuple[str, _Mask]]:
        """Yield each rule that VLB paths must keep, with the paths that break it.

        Intermediates exist; names of halves may be any number.
        """

    @abstractmethod
    def arrivals(self, switches: _Switches) -> NDArray[np.int32]:
        """Links by which a packet that decides again comes, int32 (switches, most), -1 beyond."""

    @abstractmethod
    def is_second(self, sources: _Switches, targets: _Switches) -> _Mask:
        """Whether a packet for a target may decide again at a switch, having taken one link."""

    @abstractmethod
    def seconds(self, sources: _Switches, targets: _Switches) -> tuple[_Switches, _Switches]:
        """Return the pairs from which a packet of given pairs may decide again, after one link."""

    @property
    def decides_again(self) -> bool:
        """Whether a packet may decide again at the second switch of a MIN path."""
        return True

    def capacity_prices(self, sources: _Switches, targets: _Switches) -> NDArray[np.float64]:
        """Return link prices of which every path of the given flows costs at least 2.

        float64 (links,); all zero where the family knows of none. Every link that is used by
        other paths is priced, so that the sum over half the traffic bounds the throughput.
        """
        return np.zeros(self.num_links)

    @cached_property
    @abstractmethod
    def expected_paths(self) -> ExpectedPaths:
        """What paths there are on average; takes little time."""

    def links_in_use(self, vlb_paths: NDArray[np.float64]) -> float:
        """Estimate the links used by the VLB paths of a pair, summed over their hop counts.

        Parameters
        ----------
        vlb_paths : expected VLB paths of 2, 3, ... hops.
        """
        hops = np.arange(2, 2 + len(vlb_paths))
        return float(touched(vlb_paths * hops, self.num_links).sum())

    @property
    def shortest_detours(self) -> int:
        """Length of detours at which every pair may have one: that of the longest MIN path."""
        return max(len(self.longest_min_path), 2)

    def data_points(self) -> list[str]:
        """Return the path sets among which Step 1 looks for candidates, shortest first.

        From `shortest_detours` up, ten steps each, then all paths.

        References
        ----------
        Rahman et al., Topology-Custom UGAL Routing on Dragonfly, SC'19, Table 1.
        """
        most = len(self.longest_min_path)
        lengths = [f"<={length}" for length in range(self.shortest_detours, 2 * most)]
        shares = ["", *(f"+{percent}%" for percent in range(10, 100, 10))]
        return [*(length + share for length in lengths for share in shares), "all"]

    def strategic_choices(self) -> list[str]:
        """Return the path sets that Step 2 adds to the data points, if the family has some."""
        return []

    def check_searchable(self) -> None:
        """Raise InvalidInput unless there are VLB paths to choose from."""
        if np.count_nonzero(self.is_end) < _FEWEST_ENDS:
            raise InvalidInput(f"{self} has no VLB paths: they need a third switch")

    @cached_property
    def graph(self) -> "nx.MultiDiGraph[int]":
        """The switches as a networkx graph; edges have ``kind``, ``latency`` (cycles), ``id``."""
        # Loaded here, since it takes long and little needs it.
        import networkx as nx

        graph: nx.MultiDiGraph[int] = nx.MultiDiGraph(name=str(self))
        graph.graph.update(self.metadata)
        for switch in range(self.num_switches):
            nodes = int(self.switch_nodes[switch])
            graph.add_node(switch, nodes=nodes, **self.coordinates(switch))
        network = self.network
        ends = zip(
            network.link_source.tolist(),
            network.link_target.tolist(),
            network.link_kind.tolist(),
            strict=True,
        )
        for link, (source, target, kind) in enumerate(ends):
            latency = self.kinds.latencies[int(kind)]
            graph.add_edge(source, target, id=link, kind=self.kind_name(link), latency=latency)
        return graph

    @property
    def layout(self) -> Layout:
        """How pictures show it; as a ring of all switches, where the family says no other."""
        return Layout(self.num_switches, 1, 0)

    @property
    def labels(self) -> Sequence[str]:
        """What the owner calls every switch, by number; none where there are no such names."""
        return ()

    @cached_property
    def switch_names(self) -> SwitchNames:
        """Finds switches by number or label."""
        return SwitchNames(self.labels, str(self))

    def called(self, switch: int) -> str:
        """Return what messages call a switch: its number, with its label."""
        return f"{switch} ({self.labels[switch]})" if self.labels else str(switch)

    @property
    def caution(self) -> str | None:
        """What people may take it for and it is not; None where there is no such thing."""
        return None

    def coordinates(self, switch: int) -> Mapping[str, int | str]:
        """Where a switch stands, in the family's terms."""
        return {}

    def where(self, switch: int) -> str:
        """Where a switch stands as a text, such as `group 3`; empty where there are no terms."""
        return ", ".join(f"{name} {value}" for name, value in self.coordinates(switch).items())

    def __repr__(self) -> str:
        return f"<{self}>"
