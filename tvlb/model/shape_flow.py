"""The throughput model with a free rate for every shape of VLB path.

Model 3 ties the rates of a flow to the lengths of its paths. Here every shape (`tvlb.paths`) has a
rate of its own, which tells how much each shape should carry, and the link prices bound what a
network can deliver by some shapes alone: no packet travels cheaper than by the cheapest path.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import highspy
import numpy as np
from numpy.typing import NDArray

from tvlb.errors import SolverFailed
from tvlb.model.bounds import theta_cap
from tvlb.model.instance import summed
from tvlb.paths import LengthSet, PathRows, min_rows, shapes_of
from tvlb.topology import Topology
from tvlb.traffic import Demand, Pattern, switch_demand

_MOST_ROWS = 2_000_000
# Measured: passes over the nonzeros, as many as the smaller side of the program.
_SECONDS_PER_PASS, _MOST_SECONDS = 3e-9, 6.0
_SETTINGS = (
    ("output_flag", False),
    ("threads", 1),
    ("solver", "simplex"),
    ("simplex_strategy", 4),
    ("presolve", "off"),
)


@dataclass(frozen=True, eq=False)
class ShapeFlow:
    """An optimal flow.

    Attributes
    ----------
    theta : throughput, packets/cycle/node.
    mass : float64 (shares, shapes), for every share of `theta` asked for what part of the VLB
        traffic each shape carries, by code, where as few hops as possible are taken; sums to 1, or
        is 0 if MIN carries all.
    """

    theta: float
    mass: NDArray[np.float64]


class ShapeModel:
    """One pattern on one network.

    Parameters
    ----------
    pattern : its flows have demands; see `tvlb.traffic.switch_demand`.
    seed : used where the pattern has no own seed.
    """

    def __init__(self, topology: Topology, pattern: Pattern, seed: int = 0) -> None:
        traffic = pattern.resolve(topology, seed)
        self._topology = topology
        self._shapes = len(shapes_of(topology))
        self._demand: Demand = switch_demand(topology, traffic)
        # What nodes of one switch send each other takes no link.
        self._inside = max(float(traffic.rate.sum() - self._demand.rate.sum()), 0.0)
        prices = topology.capacity_prices(self._demand.source, self._demand.target)
        self._prices = [prices, np.maximum(prices - 1.0, 0.0)]
        self._tables: list[NDArray[np.float64]] = []

    @property
    def is_small(self) -> bool:
        """Whether its paths may be listed and its programs solved within seconds."""
        demand = self._demand
        flows = len(demand.rate)
        paths = flows * self._topology.most_vlb_paths
        if paths > _MOST_ROWS:
            return False
        entries = min(paths * 5, flows * self._shapes * self._topology.num_links)
        side = min(flows * self._shapes, flows + self._topology.num_links)
        return entries * side * _SECONDS_PER_PASS <= _MOST_SECONDS

    @property
    def shape_hops(self) -> NDArray[np.int64]:
        """Links of a path by shape code, int64 (shapes,)."""
        return np.array(shapes_of(self._topology).hops)

    @cached_property
    def _rows(self) -> PathRows:
        return LengthSet(self._topology).rows(self._demand.source, self._demand.target)

    @cached_property
    def _minimal(self) -> PathRows:
        return min_rows(self._topology, self._demand.source, self._demand.target)

    @cached_property
    def _cells(self) -> NDArray[np.int64]:
        """Flow * (shapes + 1) + shape of every VLB path, `shapes` where there is no choice."""
        return self._rows.pair_of_row * (self._shapes + 1) + self._rows.shapes()

    @cached_property
    def _classes(self) -> "_Classes":
        """MIN as one class per flow, then every (flow, shape) that has paths."""
        flows = len(self._demand.rate)
        owner = np.concatenate([self._minimal.pair_of_row, flows + self._cells])
        links = np.concatenate([self._minimal.links(), self._rows.links()])
        hops = np.concatenate([self._minimal.hops, self._rows.hops])
        return _classes(owner, links, hops, flows, self._topology.num_links, self._shapes)

    def solve(self, shapes: NDArray[np.bool_], shares: Sequence[float] = (0.95,)) -> ShapeFlow:
        """Find the highest throughput with the VLB paths of some shapes, bool (shapes,) by code.

        At a share of it there is a choice of flows, and that with the fewest hops is taken. Flows
        between groups that have no such path are left to MIN; detours inside a group belong
        to every set.

        Raises
        ------
        SolverFailed : HiGHS found no optimum.
        """
        classes = self._classes
        of_shape = np.append(shapes, True)[classes.shape]
        allowed = np.concatenate([np.ones(classes.flows, dtype=bool), of_shape])
        best = self._solve(allowed, None)
        theta = best.columns[0]
        self._prices.append(best.price)
        mass = np.zeros((len(shares), self._shapes))
        for row, share in zip(mass, shares, strict=True):
            shipped = self._solve(allowed, share * theta).columns[1 + classes.flows :]
            row[:] = summed(classes.shape, shipped, self._shapes + 1)[: self._shapes]
        total = mass.sum(axis=1, keepdims=True)
        return ShapeFlow(float(theta), mass / np.where(total > 0, total, 1.0))

    @property
    def offered(self) -> float:
        """What all nodes send at load 1, packets/cycle/node."""
        return (self._inside + float(self._demand.rate.sum())) / self._topology.num_nodes

    def most_accepted(self, shapes: NDArray[np.bool_], load: float) -> float:
        """Bound what is delivered in the long run at an offered load, packets/cycle/node.

        Whatever the routing does with MIN and with the VLB paths of some shapes, bool (shapes,) by
        code, and of others between switches that have none of these (`tvlb.paths.ShapeSet`).

        Notes
        -----
        Any link prices give a bound. Flow i offers L*r_i and pays at least c_i per packet, the
        price of its cheapest path, and the links take in no more than the sum P of all prices; so
        the flows deliver at most ``s*P + sum_i L*r_i * max(0, 1 - s*c_i)``, for any s >= 0. The
        least of it over s is at some ``s = 1/c_i``. Used are the prices of the bound by capacity,
        1 on the direct links of the group pairs in use, and those of the programs solved so far.
        """
        offered = load * float(self._demand.rate.sum())
        delivered = min(
            [
                offered,
                *(
                    self._most_delivered(shapes, load, number)
                    for number in range(len(self._prices))
                ),
            ]
        )
        return (load * self._inside + delivered) / self._topology.num_nodes

    def _most_delivered(self, shapes: NDArray[np.bool_], load: float, number: int) -> float:
        """Evaluate the bound by one vector of prices, flits/cycle between all switches."""
        cheapest = self._cheapest[number]
        detour: NDArray[np.float64] = np.where(shapes, cheapest[:, : self._shapes], np.inf).min(
            axis=1
        )
        none = np.isinf(detour)
        detour[none] = cheapest[none, : self._shapes].min(axis=1)
        cost = np.minimum(cheapest[:, self._shapes], detour)
        order = np.argsort(cost, kind="stable")
        cost, rate = cost[order], load * self._demand.rate[order]
        # Cheaper flows than the one that s is taken from, and itself, which adds 0.
        worth = float(self._prices[number].sum()) - np.cumsum(rate * cost)
        paying = cost > 0
        values = np.cumsum(rate)[paying] + worth[paying] / cost[paying]
        return float(values.min(initial=np.inf))

    @property
    def _cheapest(self) -> list[NDArray[np.float64]]:
        """What `_cheapest_at` says of every price vector, computed once."""
        for price in self._prices[len(self._tables) :]:
            self._tables.append(self._cheapest_at(price))
        return self._tables

    def _cheapest_at(self, price: NDArray[np.float64]) -> NDArray[np.float64]:
        """Price of the cheapest path by flow and shape, float64 (flows, shapes + 1).

        Last comes what every set has: MIN, and detours inside a group.
        """
        paid = np.append(price, 0.0)  # where a path has ended
        flows = len(self._demand.rate)
        cheapest = np.full(flows * (self._shapes + 1), np.inf)
        np.minimum.at(cheapest, self._cells, paid[self._rows.links()].sum(axis=1))
        minimal = self._minimal.pair_of_row * (self._shapes + 1) + self._shapes
        np.minimum.at(cheapest, minimal, paid[self._minimal.links()].sum(axis=1))
        return cheapest.reshape(flows, self._shapes + 1)

    def _solve(self, allowed: NDArray[np.bool_], theta: float | None) -> "_Optimum":
        """Maximise theta, or with theta given minimise the hops that carry it."""
        classes, rate = self._classes, self._demand.rate
        flows, links = classes.flows, self._topology.num_links
        columns = len(classes.hops)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = 1 + columns, flows + links
        infinity = highspy.kHighsInf
        shipped = rate[classes.flow]
        lp.col_lower_ = np.append(theta or 0.0, np.zeros(columns))
        lp.col_upper_ = np.append(
            theta_cap(self._demand) if theta is None else theta, np.where(allowed, infinity, 0.0)
        )
        lp.col_cost_ = (
            np.append(-1.0, np.zeros(columns))
            if theta is None
            else np.append(0.0, shipped * classes.hops)
        )
        lp.row_lower_ = np.append(np.zeros(flows), np.full(links, -infinity))
        lp.row_upper_ = np.append(np.zeros(flows), np.ones(links))
        counts = np.append(flows, np.diff(classes.offset) + 1)
        first = classes.offset[:-1]
        owner = np.repeat(np.arange(columns), np.diff(classes.offset))
        index = np.insert(classes.link + flows, first, classes.flow)
        value = np.insert(classes.share * shipped[owner], first, 1.0)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = np.append(0, np.cumsum(counts)).astype(np.int32)
        lp.a_matrix_.index_ = np.append(np.arange(flows), index).astype(np.int32)
        lp.a_matrix_.value_ = np.append(-np.ones(flows), value)
        engine = highspy.Highs()
        for name, setting in _SETTINGS:
            engine.setOptionValue(name, setting)
        engine.passModel(lp)
        engine.run()
        if engine.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise SolverFailed(f"shape model: HiGHS says {engine.getModelStatus().name}")
        found = engine.getSolution()
        price = np.maximum(-np.array(found.row_dual)[flows:], 0.0)
        values = np.array(found.col_value)
        return _Optimum(np.append(values[0], values[1:] * shipped), price)


@dataclass(frozen=True, eq=False)
class _Optimum:
    columns: NDArray[np.float64]  # theta, then what every class ships
    price: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Classes:
    """Classes of paths with the shares of what they ship that cross each link.

    The first `flows` are the MIN paths; `shape` is of the others, the number of shapes for pairs
    without a choice.
    """

    flows: int
    flow: NDArray[np.int64]
    shape: NDArray[np.int64]
    hops: NDArray[np.float64]
    offset: NDArray[np.int64]
    link: NDArray[np.int64]
    share: NDArray[np.float64]


def _classes(
    owner: NDArray[np.int64],
    links: NDArray[np.int32],
    hops: NDArray[np.int8],
    flows: int,
    num_links: int,
    shapes: int,
) -> _Classes:
    """Group paths, each with a class number: MIN by flow, then as `ShapeModel._cells`."""
    numbers, position, paths = np.unique(owner, return_inverse=True, return_counts=True)
    row, column = np.nonzero(links >= 0)
    cells, counts = np.unique(
        position[row].astype(np.int64) * num_links + links[row, column], return_counts=True
    )
    cls, link = np.divmod(cells, num_links)
    sizes = np.bincount(cls, minlength=len(numbers))
    detour = numbers[flows:] - flows
    return _Classes(
        flows=flows,
        flow=np.concatenate([numbers[:flows], detour // (shapes + 1)]),
        shape=detour % (shapes + 1),
        hops=np.bincount(position, weights=hops) / paths,
        offset=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        link=link,
        share=counts / paths[cls],
    )
