"""The linear program of the throughput model, independent of any solver.

Model 3 of Mollah et al., PMBS'17, with the path-length rule of Rahman et al., SC'19, section
3.3.2: maximise theta such that every flow ships theta times its demand, the paths of one class
(same kind and hop count) share one rate, and no link carries more than 1 flit/cycle.
"""

from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tvlb.model.bounds import theta_cap
from tvlb.native import kernels
from tvlb.paths import ClassUsage, PathSet, SetUsage, Switches, min_usage
from tvlb.topology import Topology
from tvlb.traffic import Demand

_ROWS_PER_CHUNK = 2_000_000


def summed(
    index: NDArray[np.integer], values: NDArray[np.float64], size: int
) -> NDArray[np.float64]:
    """Add up `values` by `index`, float64 (size,)."""
    return np.asarray(np.bincount(index, weights=values, minlength=size), dtype=np.float64)


class RateOrder(Enum):
    """How the rates of one flow's VLB classes compare."""

    FREE = "free"
    SHORTER_FIRST = "shorter-first"


@dataclass(frozen=True, eq=False)
class PathClasses:
    """The path classes of one kind (MIN or VLB) of all flows.

    Attributes
    ----------
    flow : int64 (classes,), the flow of each class; non-decreasing.
    hops : int64 (classes,), path length of each class; increasing within a flow.
    weight : float64 (classes,), sum of draw weights, positive.
    offset : int64 (classes+1,), class c owns entries ``offset[c]:offset[c+1]``.
    link, share : int32 and float64 (entries,), the share, in (0, 1], of the flow shipped on the
        class that crosses the link; increasing links within a class.
    """

    flow: NDArray[np.int64]
    hops: NDArray[np.int64]
    weight: NDArray[np.float64]
    offset: NDArray[np.int64]
    link: NDArray[np.int32]
    share: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.flow)

    @property
    def class_of_entry(self) -> NDArray[np.int64]:
        """The class that owns each entry, int64 (entries,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.offset))

    @property
    def has_shorter(self) -> NDArray[np.bool_]:
        """Whether the class before belongs to the same flow, bool (classes,)."""
        found = np.zeros(len(self), dtype=bool)
        found[1:] = self.flow[1:] == self.flow[:-1]
        return found

    def by_length(
        self, values: NDArray[np.float64], flows: int, max_hops: int, absent: float = 0.0
    ) -> NDArray[np.float64]:
        """Spread values of the classes to float64 (flows, max_hops + 1)."""
        table = np.full((flows, max_hops + 1), absent)
        table[self.flow, self.hops] = values
        return table

    @property
    def native(self) -> kernels.Classes:
        """The classes in the form that the compiled solver reads (not copied)."""
        return kernels.Classes(self.flow, self.weight, self.offset, self.link, self.share)

    def loads(self, shipped: NDArray[np.float64], num_links: int) -> NDArray[np.float64]:
        """Link loads, float64 (links,), when class c ships ``shipped[c]`` flits/cycle."""
        carried = self.share * np.repeat(shipped, np.diff(self.offset))
        return summed(self.link, carried, num_links)

    def costs(self, price: NDArray[np.float64]) -> NDArray[np.float64]:
        """Price of one unit of flow on each class, float64 (classes,), from link prices."""
        paid = self.share * price[self.link]
        return summed(self.class_of_entry, paid, len(self))


@dataclass(frozen=True, eq=False)
class Unlisted:
    """Inner links (`SetUsage`) that a program leaves out for the flows that only pass by.

    Attributes
    ----------
    usage : the path set over the flows of the program.
    max_hops : of its paths.
    listed : bool (links,), inner links that the program lists after all.
    """

    usage: SetUsage
    max_hops: int
    listed: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Instance:
    """One linear program.

    Attributes
    ----------
    demand : the flows, their rates at theta = 1 and the largest port rates.
    minimal, detour : the MIN and VLB classes; every flow has a MIN class.
    order : whether VLB rates must not rise with length.
    start_price : float64 (links,), prices that prove the capacity bound, of
        `Topology.capacity_prices`: a start for iterative solvers, no part of the program.
    unlisted : what the VLB classes do not list, None if they list everything.
    begun : where a run on the same program with fewer links listed ended, None if there was none;
        no part of the program.
    """

    demand: Demand
    minimal: PathClasses
    detour: PathClasses
    order: RateOrder
    start_price: NDArray[np.float64]
    unlisted: Unlisted | None = None
    begun: kernels.RegretState | None = None

    def loads(
        self, minimal: NDArray[np.float64], detour: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Link loads, float64 (links,), of what the classes ship, unlisted links included."""
        return self.listed_loads(minimal, detour) + self.unlisted_loads(detour)

    def listed_loads(
        self, minimal: NDArray[np.float64], detour: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the part of `loads` that the classes list, float64 (links,)."""
        on_minimal = self.minimal.loads(minimal, self.num_links)
        return on_minimal + self.detour.loads(detour, self.num_links)

    def unlisted_loads(self, detour: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the part of `loads` that the classes do not list, float64 (links,)."""
        if self.unlisted is None:
            return np.zeros(self.num_links)
        rates = self.detour.by_length(
            detour / self.detour.weight, len(self.demand.rate), self.unlisted.max_hops
        )
        return np.where(self.unlisted.listed, 0.0, self.unlisted.usage.inner_loads(rates))

    @property
    def num_links(self) -> int:
        """Number of directed links, each of capacity 1 flit/cycle."""
        return len(self.start_price)

    @property
    def theta_cap(self) -> float:
        """Largest theta that 1, the injection ports and the ejection ports allow."""
        return theta_cap(self.demand)


class _UsageOf(Protocol):
    def __call__(self, sources: Switches, targets: Switches, /) -> ClassUsage: ...


def build_instance(
    topology: Topology, path_set: PathSet, demand: Demand, order: RateOrder
) -> Instance:
    """Build the linear program of one path set and one demand.

    Notes
    -----
    Paths are listed for a bounded number of flows at a time, so memory follows the number of
    (class, link) entries and not the number of paths.
    """
    return Instance(
        demand=demand,
        minimal=minimal_classes(topology, demand),
        detour=detour_classes(path_set, demand),
        order=order,
        start_price=topology.capacity_prices(demand.source, demand.target),
    )


def minimal_classes(topology: Topology, demand: Demand) -> PathClasses:
    """Group the MIN paths of every flow by hop count."""
    return _classes(
        partial(min_usage, topology),
        demand,
        topology.most_min_paths,
    )


def detour_classes(path_set: PathSet, demand: Demand) -> PathClasses:
    """Group the VLB paths of every flow by hop count; flows without any have no class."""
    return _classes(path_set.class_usage, demand, path_set.topology.most_vlb_paths)


def _classes(usage_of: _UsageOf, demand: Demand, paths_per_flow: int) -> PathClasses:
    step = max(1, _ROWS_PER_CHUNK // max(1, paths_per_flow))
    starts = range(0, max(len(demand.rate), 1), step)
    parts = [
        classes_of(usage_of(demand.source[at : at + step], demand.target[at : at + step]), at)
        for at in starts
    ]
    return _joined(parts)


def classes_of(usage: ClassUsage, first_flow: int = 0) -> PathClasses:
    """Drop the empty (flow, hop count) cells and express usage as shares of the class."""
    weight = usage.weight.ravel()
    hop_counts = usage.weight.shape[1]
    cells = np.flatnonzero(weight > 0)
    position = np.cumsum(weight > 0) - 1
    used = (usage.entry_value > 0) & (weight[usage.entry_class] > 0)
    owner = usage.entry_class[used]
    entries = np.bincount(position[owner], minlength=len(cells))
    return PathClasses(
        flow=cells // hop_counts + first_flow,
        hops=cells % hop_counts,
        weight=weight[cells],
        offset=np.concatenate([[0], np.cumsum(entries)]).astype(np.int64),
        link=usage.entry_link[used],
        share=np.minimum(usage.entry_value[used] / weight[owner], 1.0),
    )


def _joined(parts: list[PathClasses]) -> PathClasses:
    sizes = np.concatenate([np.diff(part.offset) for part in parts])
    return PathClasses(
        offset=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in ("flow", "hops", "weight", "link", "share")
        },
    )
