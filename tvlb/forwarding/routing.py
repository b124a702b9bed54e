"""Makes a forwarding table: an engine, an order of destinations, passes, and layers.

The order and its ties decide more than literature says, see docs/forwarding-tables.md.
"""

import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.forwarding.engines import RouteTask, engines, mean_rate
from tvlb.forwarding.forwarding import Forwarding, check_entries
from tvlb.forwarding.layers import best_in_layers, in_layers
from tvlb.languages import Flag, Names, Text, Texts, Whole, check_settings, setting
from tvlb.processes import Reporter, silent
from tvlb.statistics import KeyedStream, check_seed
from tvlb.topology import Topology

MAX_PASSES = 1000
MAX_ROOTS = 1000
MAX_LAYERS = 15
DEFAULT_LAYERS = 8
_MOST_LOST = 0.01
_FORMS = "id, interleave, random(seed=N) or auto"
_RANDOM = re.compile(r"random\((?:seed=)?([0-9]{1,19})\)")


@dataclass(frozen=True)
class Order:
    """In which order destinations are routed; `str` parses back to it.

    Attributes
    ----------
    name : id: as nodes are numbered; interleave: the first node of every switch, then the second
        ones; random, where ties are drawn too; auto: id and interleave, of which the lower EFI is
        kept.
    seed : of a random order.
    """

    name: Literal["id", "interleave", "random", "auto"]
    seed: int = 0

    @classmethod
    def parse(cls, text: str) -> "Order":
        """Parse an order; raise InvalidInput naming the text."""
        given = text.replace(" ", "")
        if (found := _RANDOM.fullmatch(given)) is not None:
            check_seed(seed := int(found[1]))
            return cls("random", seed)
        for name in ("id", "interleave", "auto"):
            if given == name:
                return cls(name)
        if given.startswith("random"):
            raise InvalidInput(f"order {text[:80]!r}: a random order needs a seed: random(seed=N)")
        raise InvalidInput(f"order {text[:80]!r}: expected {_FORMS}")

    @property
    def tried(self) -> "tuple[Order, ...]":
        """The orders that are tried."""
        return (Order("id"), Order("interleave")) if self.name == "auto" else (self,)

    @property
    def tie_seed(self) -> int | None:
        """Of lots where ways cost the same; None: the first link wins."""
        return self.seed if self.name == "random" else None

    def nodes(self, topology: Topology) -> NDArray[np.int32]:
        """Return all nodes in this order, int32 (nodes,)."""
        every = np.arange(topology.num_nodes)
        if self.name == "interleave":
            switch = topology.network.node_switch
            every = np.lexsort((switch, every - topology.first_node[switch]))
        elif self.name == "random":
            every = np.array(KeyedStream(self.seed, "forwarding").permutation(len(every)))
        return every.astype(np.int32)

    def __str__(self) -> str:
        return f"random(seed={self.seed})" if self.name == "random" else self.name


@dataclass(frozen=True)
class RouteOptions:
    """How a forwarding table is made; every option decides the result.

    Raises
    ------
    InvalidInput : a value is out of range.
    """

    engine: str = setting("psssp", "Engine that makes the table", Names(tuple(engines())))
    order: str = setting("id", f"Order in which destinations are routed: {_FORMS}", Text("ORDER"))
    passes: int = setting(
        0,
        "How often every destination is taken out and routed again by the loads that are there; "
        "the table with the lowest EFI is kept",
        Whole(0, MAX_PASSES),
    )
    roots: tuple[str, ...] = setting(
        (),
        "Switches from which routes go down, by number or name, for the engine updn",
        Texts("SWITCH", MAX_ROOTS),
        unset="found by the engine",
    )
    layers: bool = setting(
        False, "Part routes into layers of virtual channels that cannot deadlock", Flag()
    )
    max_layers: int | None = setting(
        None,
        "Layers at most; giving it asks for layers",
        Whole(1, MAX_LAYERS),
        unset=f"{DEFAULT_LAYERS} where layers are asked for",
    )
    fallback: bool = setting(
        True,
        "Give nodes whose routes do not fit into the layers new entries; without, it is an error",
        Flag(),
    )

    def __post_init__(self) -> None:
        check_settings(self)
        object.__setattr__(self, "order", str(Order.parse(self.order)))
        if not self.fallback and self.most_layers is None:
            raise InvalidInput("no fallback is given, which only layers have: ask for them, too")
        if self.roots and not engines()[self.engine].takes_roots:
            takers = [name for name, engine in engines().items() if engine.takes_roots]
            raise InvalidInput(f"roots are for {', '.join(takers)}, not for {self.engine}")

    def root_switches(self, topology: Topology) -> tuple[int, ...]:
        """Return the roots on a network; raise InvalidInput if it has no such switch."""
        found = tuple(topology.switch_names.number(root) for root in self.roots)
        for root in found:
            if not 0 <= root < topology.num_switches:
                raise InvalidInput(f"root {root} is out of range: 0..{topology.num_switches - 1}")
        return found

    @property
    def most_layers(self) -> int | None:
        """Layers at most; None where none are asked for."""
        return self.max_layers or (DEFAULT_LAYERS if self.layers else None)


@dataclass(frozen=True, eq=False)
class Routed:
    """A forwarding table that was made.

    Attributes
    ----------
    forwarding : the entries.
    order : the order that gave it; of `auto` the better one.
    """

    forwarding: Forwarding
    order: Order


def route(
    topology: Topology, options: RouteOptions | None = None, report: Reporter = silent
) -> Routed:
    """Make a forwarding table.

    Raises
    ------
    InvalidInput : the engine cannot route the network, a switch has more than 255 links, or the
        layers do not suffice.

    References
    ----------
    Hoefler, Schneider, Lumsdaine, Optimized Routing for Large-Scale InfiniBand Networks, HOTI 2009.

    Examples
    --------
    >>> from tvlb.topology import parse_topology
    >>> route(parse_topology("2,4,2,9"), RouteOptions(order="interleave")).forwarding.loads.efi
    86
    """
    check_entries(topology)
    asked = options or RouteOptions()
    engine = engines()[asked.engine]
    roots = asked.root_switches(topology)
    orders = Order.parse(asked.order).tried
    tasks = [
        RouteTask(topology, order.nodes(topology), 0, report, roots, order.tie_seed)
        for order in orders
    ]
    if asked.passes:
        # Passes lower the EFI, and leave what the better order has without them, but for a little.
        least = max(mean_rate(topology, engine.route(task)) for task in tasks) - _MOST_LOST
        tasks = [replace(task, passes=asked.passes, least_rate=least) for task in tasks]
    tried = [
        Routed(Forwarding.of(topology, engine.route(task)), order)
        for task, order in zip(tasks, orders, strict=True)
    ]
    # Loads are not counted where there is no choice.
    found = min(tried, key=lambda one: one.forwarding.loads.efi) if len(tried) > 1 else tried[0]
    if (most := asked.most_layers) is None:
        return found
    if asked.fallback:
        return replace(found, forwarding=best_in_layers(found.forwarding, most))
    return replace(found, forwarding=in_layers(found.forwarding, most, fallback=False))
