"""The worst admissible traffic for what pairs cost: an assignment, with its proof.

Traffic is admissible if no node sends or receives more than 1 packet/cycle. Costs are not negative,
so the worst lets every node send and receive all it can; where all switches have as many nodes it
is a mixture of permutations of switches (Birkhoff), else of matrices of whole numbers.
"""

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology import Topology

# Links times pairs of copies: an assignment for every link. Measured: 4 million take 3 s.
_MOST_PROVED = 100_000_000
# Measured: an assignment of so many takes 8 s of three switches, 3 s of 128, and 340 MB.
_MOST_COPIES = 4096


@dataclass(frozen=True, eq=False)
class Assigned:
    """Traffic between switches.

    Attributes
    ----------
    pair : int64 (flows,), pairs of different switches with traffic, of `sender_pairs`, sorted.
    rate : float64 (flows,), packets/cycle.
    cost : what it costs.
    bound : no admissible traffic costs more, whatever the solver says.
    """

    pair: NDArray[np.int64]
    rate: NDArray[np.float64]
    cost: float
    bound: float


class Assignments:
    """Finds the worst traffic of a network.

    Switches with more nodes than others count as several copies, of as many nodes as the greatest
    common divisor says.
    """

    def __init__(self, topology: Topology) -> None:
        nodes = topology.switch_nodes[topology.switch_nodes > 0]
        self._senders = len(nodes)
        self._unit = math.gcd(*nodes.tolist())
        self._copy = np.repeat(np.arange(len(nodes)), nodes // self._unit)
        self._off_diagonal = ~np.eye(self._senders, dtype=bool)

    @staticmethod
    def copies(topology: Topology) -> int:
        """Return how many copies of switches an assignment takes."""
        nodes = topology.switch_nodes.tolist()
        return sum(nodes) // math.gcd(*nodes)

    @classmethod
    def check(cls, topology: Topology) -> None:
        """Raise InvalidInput where an assignment takes too many copies."""
        if (copies := cls.copies(topology)) > _MOST_COPIES:
            raise InvalidInput(
                f"the switches of {topology} count as {copies:,}, by the greatest common divisor "
                f"of their numbers of nodes; the limit is {_MOST_COPIES:,}"
            )

    @property
    def nodes(self) -> int:
        """Number of nodes, which is the rate of all traffic."""
        return self._unit * len(self._copy)

    def worst(self, costs: NDArray[np.float64]) -> Assigned:
        """Return the traffic that costs most, of non-negative costs by pair, float64 (pairs,).

        Notes
        -----
        The bound is that of weak duality for prices of the columns that complementary slackness
        gives, and of the rows that follow: whatever these are, the sum of all is a bound.
        """
        square = self._expanded(costs)
        rows, columns = scipy.optimize.linear_sum_assignment(square, maximize=True)
        cost = float(square[rows, columns].sum())
        price = _prices(square, columns)
        bound = float((square - price).max(axis=1).sum() + price.sum())
        ends = self._copy[rows], self._copy[columns]
        pair, times = np.unique(self._pair(*ends)[ends[0] != ends[1]], return_counts=True)
        rate = (self._unit * times).astype(np.float64)
        return Assigned(pair, rate, self._unit * cost, self._unit * bound)

    def floor(self, crossing: "scipy.sparse.csr_array") -> float | None:
        """Return what a fixed split sustains under every admissible traffic, 0..1.

        None where pairs of copies times links are more than 100 million.

        Parameters
        ----------
        crossing : float64 (pairs, links), share of the traffic of a pair that crosses a link.
        """
        copies = len(self._copy)
        if copies * (copies - 1) * crossing.shape[1] > _MOST_PROVED:
            return None
        return 1.0 / max(1.0, self.most_load(crossing))

    def most_load(self, crossing: "scipy.sparse.csr_array") -> float:
        """Return what no admissible traffic loads a link beyond, flits/cycle; see `floor`."""
        crossed = crossing.tocsc()
        links = range(crossed.shape[1])
        return max(self.worst(crossed[:, [link]].toarray().ravel()).bound for link in links)

    def scale(self, traffic: NDArray[np.float64]) -> float:
        """Return by what traffic between pairs, float64 (pairs,), is divided to be admissible."""
        square, nodes = self.matrix(traffic), self._unit * np.bincount(self._copy)
        return float(max((square.sum(axis=1) / nodes).max(), (square.sum(axis=0) / nodes).max()))

    def matrix(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Spread values of pairs to a square over switches with nodes; 0 on the diagonal."""
        square = np.zeros((self._senders, self._senders))
        square[self._off_diagonal] = values
        return square

    def _expanded(self, costs: NDArray[np.float64]) -> NDArray[np.float64]:
        square = self.matrix(costs)
        if len(self._copy) == self._senders:
            return square
        return square[np.ix_(self._copy, self._copy)]

    def _pair(self, source: NDArray[np.int64], target: NDArray[np.int64]) -> NDArray[np.int64]:
        return source * (self._senders - 1) + target - (target > source)


def _prices(square: NDArray[np.float64], column: NDArray[np.int64]) -> NDArray[np.float64]:
    """Prices of the columns by which a best assignment is proved, float64 (columns,).

    The longest ways of exchanges: a row takes another column, and its own is free for the next.
    """
    gain = square - square[np.arange(len(column)), column][:, np.newaxis]
    price = np.zeros(len(column))
    for _ in range(len(column)):
        better = (gain + price[column][:, np.newaxis]).max(axis=0)
        if (better <= price + 1e-15).all():
            break
        price = np.maximum(price, better)
    return price
