"""What routes are worth: loads of links, and bandwidth under random bisections and patterns.

Source: Hoefler, Schneider, Lumsdaine 2009, sections II and IV-A.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.native import kernels
from tvlb.processes import Progress, Reporter, silent
from tvlb.topology import Topology
from tvlb.traffic import Pattern

MAX_BISECTIONS = 10_000_000
_CHUNK = 64
# Loads of routes that split are sums of shares.
_EQUAL = 1e-9

NativeRoutes = kernels.PortRoutes | kernels.SharedRoutes
"""What the core follows."""

_Rates = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class LinkLoads:
    """Routes of all ordered pairs of nodes over every link between switches.

    Attributes
    ----------
    of_link : uint64 or float64 (links,): routes by link, or the sums of shares where routes split.
    pairs : ordered pairs of nodes of two switches that have a route.
    shortest_pairs : of these, pairs with a shortest one, or the shares of shortest ones.
    hops : links of all routes.
    own_pairs : pairs of nodes of one switch.
    lost_pairs : pairs whose packets do not arrive.
    holes : entries that are missing, or name no link of their switch.
    """

    of_link: NDArray[np.uint64] | NDArray[np.float64]
    pairs: int
    shortest_pairs: float
    hops: float
    own_pairs: int
    lost_pairs: int = 0
    holes: int = 0

    @cached_property
    def efi(self) -> float:
        """Edge forwarding index: the highest load of a link; a whole number if none splits."""
        return self.of_link.max(initial=0).item()

    @cached_property
    def efi_links(self) -> int:
        """Number of links with that load."""
        return int(np.count_nonzero(self.of_link >= self.efi * (1 - _EQUAL)))

    @property
    def mean_load(self) -> float:
        """Mean load of a link."""
        return float(self.of_link.mean())

    @property
    def hops_mean(self) -> float:
        """Mean links of a route, over all ordered pairs of nodes, those of one switch too."""
        return self.hops / max(self.pairs + self.own_pairs, 1)

    @property
    def minimal_share(self) -> float:
        """Share of the routes between two switches that are shortest in the graph."""
        return self.shortest_pairs / max(self.pairs, 1)


class Routes(Protocol):
    """Routes of any kind on a network."""

    @property
    def topology(self) -> Topology:
        """The network."""
        ...

    @cached_property
    def loads(self) -> LinkLoads:
        """Of its links."""
        ...

    @property
    def native(self) -> NativeRoutes:
        """What the core follows; raises InvalidInput where packets do not arrive."""
        ...


@dataclass(frozen=True, eq=False)
class StreamRates:
    """Rates of streams, as shares of full bandwidth, drawn or shifted several times.

    Attributes
    ----------
    means, worsts : float64 (times,): mean and lowest rate of the streams each time.
    """

    means: NDArray[np.float64]
    worsts: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Mean rate over all times."""
        return float(self.means.mean())

    @property
    def standard_error(self) -> float:
        """Of that mean, if times are drawn; 0 of a single one."""
        count = len(self.means)
        return float(self.means.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0

    @property
    def worst_mean(self) -> float:
        """Mean over all times of the lowest rate."""
        return float(self.worsts.mean())


def bandwidth_of(
    routes: Routes,
    bisections: int,
    seed: int = 0,
    *,
    both: bool = False,
    job: int | None = None,
    workers: int = 1,
    report: Reporter = silent,
) -> StreamRates:
    """Draw random bisections and share the links among their streams: the mean is the EBB.

    Node i of one half sends to node i of the other; a stream gets one over the largest number of
    streams, or sum of shares, on a link of its route. With an odd number of nodes one idles.

    Parameters
    ----------
    bisections : how many; each is drawn by the seed and its number.
    both : streams in both directions.
    job : nodes that every bisection draws for itself; None for all.
    workers : threads; they change no figure.

    Raises
    ------
    InvalidInput : the job is larger than the network, or a packet would not arrive.
    """
    nodes = routes.topology.num_nodes if job is None else job
    check_job(routes.topology, nodes)
    native = routes.native

    def rates(first: int, count: int) -> _Rates:
        return native.rates(kernels.Bisections(seed, first, count, nodes, both))

    return _in_chunks(rates, 0, bisections, workers, "bisections", report)


def check_job(topology: Topology, nodes: int) -> None:
    """Raise InvalidInput unless a network has so many nodes, two at least."""
    if topology.num_nodes < 2:
        raise InvalidInput(f"{topology} has one node: there is nothing to measure")
    if not 2 <= nodes <= topology.num_nodes:
        raise InvalidInput(
            f"job {nodes} is out of range: {topology} has nodes for 2..{topology.num_nodes}"
        )


def shift_rates(routes: Routes, *, workers: int = 1, report: Reporter = silent) -> StreamRates:
    """Return the rates under every shift of nodes, which together are an all-to-all exchange.

    Node i sends to node i + k, modulo their number, for k = 1, 2, ...
    """
    native = routes.native
    return _in_chunks(
        native.shift_rates, 1, routes.topology.num_nodes - 1, workers, "shifts", report
    )


def pattern_rates(routes: Routes, pattern: Pattern, seed: int = 0) -> StreamRates:
    """Return the rates of the streams of a pattern in which every node has one destination.

    Raises
    ------
    InvalidInput : nodes have several destinations, or the pattern does not fit the network.
    """
    sources, targets = streams_of(pattern, routes.topology, seed)
    rates = routes.native.stream_rates(sources, targets)
    return StreamRates(rates.mean(keepdims=True), rates.min(keepdims=True))


def streams_of(
    pattern: Pattern, topology: Topology, seed: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the nodes that send under a pattern and their destinations, see `pattern_rates`."""
    traffic = pattern.resolve(topology, seed)
    sends = traffic.rate > 0
    several = traffic.table is not None or bool(traffic.uniform_fraction[sends].any())
    if several or not sends.any():
        raise InvalidInput(
            f"pattern {pattern}: streams need one destination for every node, as those of shift(1) "
            "or permutation have"
        )
    return np.flatnonzero(sends).astype(np.int32), traffic.destination[sends]


def _in_chunks(
    rates: Callable[[int, int], _Rates],
    first: int,
    count: int,
    workers: int,
    stage: str,
    report: Reporter,
) -> StreamRates:
    """Compute so many from the first on, some at a time, in the order of their numbers."""
    ends = range(first + count)
    chunks = [ends[at : at + _CHUNK] for at in range(first, first + count, _CHUNK)]

    def computed() -> Iterator[_Rates]:
        with ThreadPoolExecutor(workers) as executor:
            firsts, counts = [one[0] for one in chunks], list(map(len, chunks))
            for done, found in enumerate(executor.map(rates, firsts, counts), 1):
                report(Progress(stage, min(done * _CHUNK, count), count))
                yield found

    means, worsts = (np.concatenate(part) for part in zip(*computed(), strict=True))
    return StreamRates(means, worsts)
