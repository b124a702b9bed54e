"""The traffic that tables are searched for, and the traffic that they are judged on.

A table is searched on a few patterns and judged on others that the search never saw, with other
seeds. Where the user names the traffic, it is judged on that with other seeds.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import decimal_number
from tvlb.errors import InvalidInput
from tvlb.statistics import KeyedStream
from tvlb.topology import Topology
from tvlb.traffic import (
    DestinationPattern,
    Pattern,
    Permutation,
    TimeMixed,
    Uniform,
    is_matrix,
    parse_asked_pattern,
    parse_pattern,
    to_neighbours,
    type1_set,
    type2_pattern,
)

MAX_TRAFFIC = 100
"""Patterns that the user may name."""
_MOST_SHARE = 1_000_000
_HELD_OUT_TYPE2 = 5
# The probe and Algorithm 1 use type2(seed=0..19); those that judge are drawn from above.
_FIRST_HELD_OUT, _HELD_OUT_SEEDS = 100, 1_000_000
_INSTEAD_OF_TYPE1 = range(10, 20)
# Cases of a judgement: fewer leave intervals that say nothing.
_LEAST_CASES = 8
# Benign traffic has its say beside the adversarial, or the search would sell it.
_BENIGN_SHARE = 0.16


@dataclass(frozen=True)
class Workload:
    """Patterns, and how much each counts.

    Attributes
    ----------
    patterns : one round after another of the same patterns.
    shares : of each, above 0; they sum to 1.
    rounds : how many; each is to be run with another seed.
    """

    patterns: tuple[Pattern, ...]
    shares: tuple[float, ...]
    rounds: int = 1

    @property
    def share(self) -> NDArray[np.float64]:
        """The shares, float64 (patterns,)."""
        return np.array(self.shares, dtype=np.float64)

    @property
    def first_round(self) -> tuple[Pattern, ...]:
        """The patterns, each once."""
        return self.patterns[: len(self.patterns) // self.rounds]

    def weightiest_first(self) -> "Workload":
        """Return the same with patterns of larger share ahead of others."""
        order = sorted(range(len(self.shares)), key=lambda index: -self.shares[index])
        return Workload(
            tuple(self.patterns[index] for index in order),
            tuple(self.shares[index] for index in order),
        )

    def settled(self, topology: Topology, seed: int) -> "Workload":
        """Return the same with all traffic found that an engine has to find."""
        return replace(self, patterns=tuple(one.settled(topology, seed) for one in self.patterns))

    def in_rounds(self) -> "Workload":
        """Return the same in as many rounds as it takes for intervals that say something."""
        rounds = math.ceil(_LEAST_CASES / len(self.patterns))
        shares = tuple(share / rounds for share in self.shares)
        return Workload(self.patterns * rounds, shares * rounds, rounds)

    @classmethod
    def even(cls, patterns: Sequence[Pattern]) -> "Workload":
        """All patterns count alike."""
        return cls(tuple(patterns), (1.0 / len(patterns),) * len(patterns))


def parse_traffic(texts: Sequence[str]) -> Workload | None:
    """Parse the user's traffic: PATTERN or PATTERN:SHARE each; None for an empty list.

    Shares without a number are 1; all are scaled to sum to 1.

    Raises
    ------
    InvalidInput : a pattern or a share is malformed, or a pattern comes twice or is not
        stationary.
    """
    if not texts:
        return None
    patterns, shares = zip(*_parts(texts), strict=True)
    total = sum(shares)
    return Workload(patterns, tuple(float(share / total) for share in shares))


def traffic_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return traffic as it parses back, so that equal traffic is equal texts.

    Shares are whole numbers without a common divisor, and left out where all are equal.

    Raises
    ------
    InvalidInput : as `parse_traffic`.

    Examples
    --------
    >>> traffic_texts(["uniform:0.5", "shift( 1, 0 ):1.5"])
    ('uniform:1', 'shift(1,0):3')
    """
    return _texts(_parts(texts), lambda pattern: pattern.text)


def asked_traffic(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the same as requests ask for it: a matrix by what its file holds."""
    return _texts(_parts(texts), lambda pattern: pattern.asked)


def _texts(
    parts: Sequence[tuple[Pattern, Fraction]], text_of: Callable[[Pattern], str]
) -> tuple[str, ...]:
    shares = [share for _, share in parts]
    if len(set(shares)) <= 1:
        return tuple(text_of(pattern) for pattern, _ in parts)
    # Of fractions the numerators over the common denominator, without what they have in common.
    common = math.lcm(*(share.denominator for share in shares))
    whole = [int(share * common) for share in shares]
    whole = [share // math.gcd(*whole) for share in whole]
    written = whole if max(whole) <= _MOST_SHARE else [_number(share) for share in shares]
    return tuple(
        f"{text_of(pattern)}:{share}" for (pattern, _), share in zip(parts, written, strict=True)
    )


def _number(share: Fraction) -> str:
    return repr(float(share)).removesuffix(".0")


def _parts(texts: Sequence[str]) -> list[tuple[Pattern, Fraction]]:
    if len(texts) > MAX_TRAFFIC:
        raise InvalidInput(f"traffic of {len(texts)} patterns: at most {MAX_TRAFFIC}")
    parts = [_part(text) for text in texts]
    names = [str(pattern) for pattern, _ in parts]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"traffic {name!r} is named twice")
    return parts


def shown_traffic(text: str) -> str:
    """Return how documents tell one text of `traffic_texts`: a matrix by its hash."""
    if not is_matrix(text):
        return text
    pattern, share = _part(text)
    return f"{pattern}" if share == 1 else f"{pattern}:{_number(share)}"


def parse_asked_traffic(text: str) -> tuple[Pattern, Fraction]:
    """Parse PATTERN or PATTERN:SHARE, where the pattern is never the path of a file.

    Raises
    ------
    InvalidInput : the pattern or the share is malformed, or the pattern is not stationary.
    """
    return _part(text, parse_asked_pattern)


def _part(
    text: str, parse_one: Callable[[str], Pattern] = parse_pattern
) -> tuple[Pattern, Fraction]:
    def stationary(one: str) -> Pattern:
        pattern = parse_one(one)
        pattern.check_stationary()
        return pattern

    name, colon, number = text.rpartition(":")
    if not colon or not name:
        return stationary(text), Fraction(1)
    try:
        share = decimal_number(number)
    except ValueError:
        return stationary(text), Fraction(1)
    if not 0 < share <= _MOST_SHARE:
        raise InvalidInput(f"traffic {text!r}: shares are above 0 and at most {_MOST_SHARE:,}")
    # The decimal number that was written, not the binary one beside it.
    return stationary(name), Fraction(repr(share))


def training_workload(
    topology: Topology, type2_patterns: int, seed: int, *, rules: bool = False
) -> Workload:
    """Return what tables are searched on: type2 and shift patterns, and mostly uniform traffic.

    Parameters
    ----------
    rules : whether UGAL has other rules than the published one: what these lose they lose where
        nearly all traffic is uniform, and where the nodes of a switch fill its link.
    """
    first, second, *_, last = _shifts(topology, seed)
    adversarial = [
        first,
        *(type2_pattern(topology, number) for number in range(type2_patterns)),
        (to_neighbours(topology, 0) if rules else None) or second,
    ]
    each = (1 - _BENIGN_SHARE) / len(adversarial)
    benign = TimeMixed(96, 4, last) if rules else TimeMixed(90, 10, last)
    return Workload((*adversarial, benign), (*[each] * len(adversarial), _BENIGN_SHARE))


def held_out_workload(topology: Topology, seed: int, *, rules: bool = False) -> Workload:
    """Return what tables are judged on: ten patterns that no search sees.

    On networks with less than four shifts between groups there are less: those of the search are
    left out. With `rules`, as in `training_workload`, one sends to neighbours.
    """
    first, second, third, fourth, fifth, _ = _shifts(topology, seed)
    shifts = [one for one in dict.fromkeys([third, fourth]) if one not in (first, second)]
    stream = KeyedStream(seed, "held-out-patterns")
    seeds: list[int] = []
    while len(seeds) <= _HELD_OUT_TYPE2:
        drawn = _FIRST_HELD_OUT + stream.below(_HELD_OUT_SEEDS)
        if drawn not in seeds:
            seeds.append(drawn)
    patterns = [type2_pattern(topology, number) for number in seeds[1:]]
    if rules and (near := to_neighbours(topology, seeds[-1])):
        patterns[-1] = near
    benign = [Uniform(), Permutation(seed=seeds[0]), TimeMixed(50, 50, fifth)]
    return Workload.even([*patterns, *shifts, *benign])


def _shifts(topology: Topology, seed: int) -> list[DestinationPattern]:
    """Six different patterns of TYPE_1_SET; on the smallest networks some come twice.

    Of families without such, random ones that are no other's.
    """
    every = type1_set(topology) or [type2_pattern(topology, number) for number in _INSTEAD_OF_TYPE1]
    order = KeyedStream(seed, "searched-shifts").permutation(len(every))
    return [every[order[position % len(order)]] for position in range(6)]
