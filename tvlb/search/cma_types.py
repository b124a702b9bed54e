"""The part of pycma that tvlb uses, typed; pycma itself ships no types."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray


class Strategy(Protocol):
    """CMA-ES (Hansen, 2016), by ask and tell; it minimises."""

    def ask(self) -> list[NDArray[np.float64]]:
        """Return the points to look at next."""
        ...

    def tell(self, points: Sequence[NDArray[np.float64]], values: Sequence[float]) -> object:
        """Learn what they are worth."""
        ...

    def stop(self) -> Mapping[str, object]:
        """Return why it would end, empty if it would not."""
        ...


class _Cma(Protocol):
    CMAEvolutionStrategy: Callable[[NDArray[np.float64], float, Mapping[str, object]], Strategy]


def new_strategy(start: NDArray[np.float64], spread: float, population: int, seed: int) -> Strategy:
    """Return a strategy around a point.

    Parameters
    ----------
    spread : standard deviation of the first points in every direction.
    population : points per generation.
    seed : of its own generator; the global one of numpy is left alone.
    """
    generator = np.random.Generator(np.random.PCG64(seed))

    def normal(*shape: int) -> NDArray[np.float64]:
        return generator.standard_normal(shape)

    cma = cast("_Cma", import_module("cma"))
    return cma.CMAEvolutionStrategy(
        start,
        spread,
        {
            "popsize": population,
            "seed": np.nan,
            "randn": normal,
            "verbose": -9,
            "verb_log": 0,
            # Or settings are read from a file of that name in the working directory.
            "signals_filename": "",
        },
    )
