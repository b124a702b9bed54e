"""What paths a network has on average, which estimates of cost are made from."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class ExpectedPaths:
    """Expected values over the ordered pairs of switches with a choice.

    Attributes
    ----------
    pairs : number of these pairs.
    intermediates : switches that may be the intermediate of a pair.
    min_paths : MIN paths of two switches.
    share_by_hops : float64 (most hops,), share of the MIN paths of 1, 2, ... hops.
    adversarial_throughput : bound by capacity on the throughput under adversarial traffic,
        packets/cycle/node.
    """

    pairs: float
    intermediates: float
    min_paths: float
    share_by_hops: NDArray[np.float64]
    adversarial_throughput: float

    @property
    def min_paths_by_hops(self) -> NDArray[np.float64]:
        """MIN paths of two switches of 1, 2, ... hops."""
        return self.min_paths * self.share_by_hops

    @property
    def vlb_paths_by_halves(self) -> NDArray[np.float64]:
        """VLB paths of a pair by the hops of both halves, from 1, float64 (most, most)."""
        half = self.min_paths_by_hops
        return self.intermediates * np.outer(half, half)

    @property
    def vlb_paths(self) -> float:
        """VLB paths of all these pairs."""
        return self.pairs * self.intermediates * self.min_paths**2


def touched(draws: NDArray[np.float64], links: float) -> NDArray[np.float64]:
    """Return the expected number of different links after so many draws of one."""
    return links * (1.0 - np.exp(-draws / links))
