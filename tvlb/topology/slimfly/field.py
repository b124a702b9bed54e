"""Finite fields as tables: what the cables of a Slim Fly are computed with."""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Field:
    """The field of q elements, numbered 0..q-1.

    Of a prime q the numbers are the residues. Of q = r^k the digits of a number to base r are the
    coefficients of a polynomial, the constant lowest, modulo the Conway polynomial.

    Attributes
    ----------
    minus : int32 (q, q), differences.
    times : int32 (q, q), products.
    characteristic : r.
    """

    minus: NDArray[np.int32]
    times: NDArray[np.int32]
    characteristic: int

    @property
    def order(self) -> int:
        """Number of elements."""
        return len(self.times)

    def powers(self, element: int) -> list[int]:
        """Return element^0, element^1, ... as far as they differ."""
        found = [1]
        while (power := int(self.times[found[-1], element])) not in (0, 1):
            found.append(power)
        return found

    def is_primitive(self, element: int) -> bool:
        """Whether the powers of an element are all elements but 0."""
        return 0 < element < self.order and len(self.powers(element)) == self.order - 1

    @property
    def primitive_element(self) -> int:
        """The smallest one of a prime field, else the root of the Conway polynomial."""
        if self.order > self.characteristic:
            return self.characteristic
        return next(one for one in range(1, self.order) if self.is_primitive(one))


def is_prime_power(order: int) -> bool:
    """Whether there is a field of so many elements, for `order` >= 2."""
    return _characteristic(order) is not None


def _characteristic(order: int) -> tuple[int, int] | None:
    """Return r and k of r^k."""
    prime = next(one for one in range(2, order + 1) if order % one == 0)
    exponent = 0
    while order % prime == 0:
        order, exponent = order // prime, exponent + 1
    return (prime, exponent) if order == 1 else None


@cache
def field_of(order: int) -> Field:
    """Return the field of a prime power, for `order` of some hundreds at most."""
    # Loaded here, since little needs it; it has no types.
    flint = import_module("flint")
    split = _characteristic(order)
    assert split is not None
    prime, exponent = split
    field = flint.fq_default_ctx(prime, exponent)
    numbers = np.arange(order)
    digits = numbers[:, None] // prime ** np.arange(exponent) % prime
    elements = [field(row) for row in digits.tolist()]
    places = prime ** np.arange(exponent)

    def number(element: Any) -> int:
        coefficients = [int(one) for one in element.to_list()]
        return int(np.dot(coefficients, places[: len(coefficients)]))

    times = [[number(one * other) for other in elements] for one in elements]
    differences = (digits[:, None] - digits) % prime
    return Field(
        minus=(differences @ places).astype(np.int32),
        times=np.array(times, dtype=np.int32),
        characteristic=prime,
    )
