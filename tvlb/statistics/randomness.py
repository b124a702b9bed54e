"""Random numbers keyed by what they are for, never by who draws them or when.

A stream is named by (seed, purpose, index). The generator is SplitMix64 (Steele, Lea and
Flood, OOPSLA 2014), written out here so that a table or a pattern never changes with the
version of a library.
"""

import numpy as np

from tvlb.errors import InvalidInput

MAX_SEED = 2**63 - 1

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def mix64(value: int) -> int:
    """Scramble a 64-bit integer (the output function of SplitMix64)."""
    value &= _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def check_seed(seed: object) -> None:
    """Raise InvalidInput unless the seed is an integer in 0..2^63-1."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise InvalidInput(f"seed {seed!r} is not an integer")
    if not 0 <= seed <= MAX_SEED:
        raise InvalidInput(f"seed {seed} is out of range: 0..2^63-1")


class KeyedStream:
    """A reproducible stream of random integers for one purpose.

    Parameters
    ----------
    seed : the run's seed, any integer.
    purpose : a short fixed name such as ``"type2"``; streams of different purposes are
        independent of each other.
    index : distinguishes streams of one purpose.
    """

    def __init__(self, seed: int, purpose: str, index: int = 0) -> None:
        state = mix64(seed + _GOLDEN)
        for byte in purpose.encode():
            state = mix64(state ^ byte)
        self._state = mix64(state ^ mix64(index + _GOLDEN))

    def next64(self) -> int:
        """Return the next 64 random bits."""
        self._state = (self._state + _GOLDEN) & _MASK
        return mix64(self._state)

    def below(self, bound: int) -> int:
        """Return a uniform integer in ``0 .. bound-1`` (exact, by rejection)."""
        limit = (1 << 64) - (1 << 64) % bound
        while True:
            value = self.next64()
            if value < limit:
                return value % bound

    def uniform(self) -> float:
        """Return a float in [0, 1) with 53 random bits."""
        return (self.next64() >> 11) * 2.0**-53

    def permutation(self, size: int) -> list[int]:
        """Return a uniform random permutation of ``0 .. size-1`` (Fisher-Yates)."""
        items = list(range(size))
        for last in range(size - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
        return items

    def derangement(self, size: int) -> list[int]:
        """Return a uniform permutation of ``0 .. size-1`` without fixed points (size >= 2)."""
        while True:
            items = self.permutation(size)
            if all(position != item for position, item in enumerate(items)):
                return items
