"""What a server is willing to compute, found from sizes before anything is built."""

from collections.abc import Iterable
from dataclasses import dataclass

from tvlb.errors import InvalidInput
from tvlb.requests.cost import Cost
from tvlb.topology import NetworkSizes


class BeyondLimits(InvalidInput):
    """A request is larger than this server allows; the text names the value and the limit."""


@dataclass(frozen=True)
class RequestLimits:
    """Most that one request may ask for.

    Attributes
    ----------
    switches, nodes, cables : of the topology; cables of one kind.
    cpu_seconds : estimated cost, see `tvlb.requests.Cost`; of all points of a sweep together.
    memory_bytes : estimated memory; of the largest point of a sweep.
    answer_bytes : estimated size of the document; whoever reads it needs many times as much.
    points : of a sweep.
    search_steps : switches times directed links, of all networks of a sweep together: so much of a
        breadth-first search from every switch, 20 ns or less each, takes to examine it.
    """

    switches: int = 1024
    nodes: int = 65_536
    cables: int = 65_536
    cpu_seconds: float = 100_000.0
    memory_bytes: int = 16 << 30
    answer_bytes: int = 48 << 20
    points: int = 1000
    search_steps: int = 500_000_000

    def check_sizes(self, sizes: NetworkSizes) -> None:
        """Raise BeyondLimits if a network is too large."""
        for name, value, limit in (
            ("switches", sizes.switches, self.switches),
            ("nodes", sizes.nodes, self.nodes),
            *((f"{kind} cables", number, self.cables) for kind, number in sizes.cables.items()),
        ):
            if value > limit:
                raise BeyondLimits(
                    f"the topology has {value:,} {name}; this server computes at most {limit:,}"
                )

    def check_points(self, points: int) -> None:
        """Raise BeyondLimits if a sweep has too many points."""
        if points > self.points:
            raise BeyondLimits(
                f"the sweep has {points:,} points; this server computes at most {self.points:,}"
            )

    def check_networks(self, networks: Iterable[tuple[object, NetworkSizes]]) -> None:
        """Raise BeyondLimits if a network of a sweep, or all together, are too large."""
        steps = 0
        for name, sizes in networks:
            try:
                self.check_sizes(sizes)
            except BeyondLimits as error:
                raise BeyondLimits(f"{name}: {error}") from error
            steps += sizes.switches * sizes.links
        if steps > self.search_steps:
            raise BeyondLimits(
                f"switches times directed links are {steps:,} over all networks of the sweep; "
                f"this server examines at most {self.search_steps:,}: ask for fewer or smaller ones"
            )

    def check_cost(self, cost: Cost) -> None:
        """Raise BeyondLimits if a request costs too much."""
        if cost.cpu_seconds > self.cpu_seconds:
            raise BeyondLimits(
                f"the request takes about {cost.cpu_seconds:,.0f} CPU seconds; this server "
                f"computes at most {self.cpu_seconds:,.0f}"
            )
        if cost.memory_bytes > self.memory_bytes:
            raise BeyondLimits(
                f"the request takes about {cost.memory_bytes / 2**30:,.1f} GiB of memory; this "
                f"server gives at most {self.memory_bytes / 2**30:,.1f}"
            )
        if cost.answer_bytes > self.answer_bytes:
            raise BeyondLimits(
                f"the answer has about {cost.answer_bytes / 2**20:,.1f} MiB; this server gives at "
                f"most {self.answer_bytes / 2**20:,.1f}: ask for fewer traces, loads or seeds"
            )
