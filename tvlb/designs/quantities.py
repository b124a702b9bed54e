"""What a constraint may speak of: parameters, what follows from them, and what it costs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.designs.prices import Hardware, PriceList
from tvlb.errors import InvalidInput
from tvlb.topology import Sizing

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sizes:
    """Sizes of networks of a family, one per entry.

    Attributes
    ----------
    sizing : of the family.
    parameters : by name, float64 (sizes,), whole numbers.
    prices : what `cost`, `cost_per_node` and `watts` go by; None if these are not known.
    """

    sizing: Sizing
    parameters: Mapping[str, Numbers]
    prices: PriceList | None = None

    def __len__(self) -> int:
        return len(next(iter(self.parameters.values())))

    def at(self, which: NDArray[np.intp] | NDArray[np.bool_]) -> "Sizes":
        """Return some of the sizes."""
        kept = {name: values[which] for name, values in self.parameters.items()}
        return Sizes(self.sizing, kept, self.prices)

    def value(self, name: str) -> Numbers:
        """Return one of `quantity_names` of every size, float64 (sizes,).

        Raises
        ------
        InvalidInput : it is a cost or a power, and there is no price of it.
        """
        if name in self.parameters:
            return self.parameters[name]
        if name in _PRICED:
            return _PRICED[name](self)
        return self.sizing.quantities[name](self.parameters)

    @property
    def hardware(self) -> Hardware:
        """What the networks are built of."""
        of, sizing = self.parameters, self.sizing
        return Hardware(
            nodes=sizing.nodes(of),
            switches=tuple((radix(of), number(of)) for radix, number in sizing.switches),
            cables={kind: number(of) for kind, number in sizing.cables.items()},
        )

    @property
    def priced(self) -> PriceList:
        """The prices, which have to be there."""
        if self.prices is None:
            raise InvalidInput("cost and watts are not known: the sweep has no prices")
        return self.prices


_PRICED: dict[str, Callable[[Sizes], Numbers]] = {
    "cost": lambda sizes: sizes.priced.cost(sizes.hardware),
    "cost_per_node": lambda sizes: sizes.priced.cost(sizes.hardware) / sizes.value("nodes"),
    "watts": lambda sizes: sizes.priced.watts(sizes.hardware),
}


def quantity_names(sizing: Sizing) -> tuple[str, ...]:
    """Return what a constraint on the sizes of a family may speak of."""
    return (*sizing.names, *sizing.quantities, *_PRICED)
