"""What a constraint may speak of: one function of p, a, h and g per name."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.designs.prices import Hardware, PriceList
from tvlb.errors import InvalidInput

__all__ = ["NAMES", "Numbers", "Sizes"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sizes:
    """Sizes of Dragonflies, one per entry.

    Attributes
    ----------
    p, a, h, g : float64, shape (sizes,), whole numbers.
    prices : what `cost`, `cost_per_node` and `watts` go by; None if these are not known.
    """

    p: Numbers
    a: Numbers
    h: Numbers
    g: Numbers
    prices: PriceList | None = None

    def __len__(self) -> int:
        return len(self.p)

    def at(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> "Sizes":
        """Return some of the sizes."""
        return Sizes(self.p[which], self.a[which], self.h[which], self.g[which], self.prices)

    def value(self, name: str) -> Numbers:
        """Return one of `NAMES` of every size, float64 (sizes,).

        Raises
        ------
        InvalidInput : it is a cost or a power, and there is no price of it.
        """
        return _QUANTITIES[name](self)

    @property
    def hardware(self) -> Hardware:
        """What the Dragonflies are built of."""
        return Hardware(
            nodes=self.value("nodes"),
            switches=((self.value("radix"), self.value("switches")),),
            cables={"local": _local_cables(self), "global": _global_cables(self)},
        )

    @property
    def priced(self) -> PriceList:
        """The prices, which have to be there."""
        if self.prices is None:
            raise InvalidInput("cost and watts are not known: the sweep has no prices")
        return self.prices


def _switches(sizes: Sizes) -> Numbers:
    return sizes.a * sizes.g


def _links_per_pair(sizes: Sizes) -> Numbers:
    return sizes.a * sizes.h / (sizes.g - 1)


def _global_cables(sizes: Sizes) -> Numbers:
    # Ports beyond a whole number of links per group pair stay unconnected.
    return np.floor(_links_per_pair(sizes)) * sizes.g * (sizes.g - 1) / 2


def _local_cables(sizes: Sizes) -> Numbers:
    return sizes.g * sizes.a * (sizes.a - 1) / 2


_QUANTITIES: dict[str, Callable[[Sizes], Numbers]] = {
    "p": lambda sizes: sizes.p,
    "a": lambda sizes: sizes.a,
    "h": lambda sizes: sizes.h,
    "g": lambda sizes: sizes.g,
    "radix": lambda sizes: sizes.p + sizes.a - 1 + sizes.h,
    "switches": _switches,
    "nodes": lambda sizes: sizes.p * _switches(sizes),
    "cables": lambda sizes: _global_cables(sizes) + _local_cables(sizes),
    "global_cables": _global_cables,
    "local_cables": _local_cables,
    "links_per_pair": _links_per_pair,
    "cost": lambda sizes: sizes.priced.cost(sizes.hardware),
    "cost_per_node": lambda sizes: sizes.priced.cost(sizes.hardware) / sizes.value("nodes"),
    "watts": lambda sizes: sizes.priced.watts(sizes.hardware),
}
NAMES = tuple(_QUANTITIES)
