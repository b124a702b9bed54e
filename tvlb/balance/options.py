"""Settings of balancing, by removing paths and by changing weights."""

import math
from dataclasses import dataclass

from tvlb import _native
from tvlb.errors import InvalidInput

__all__ = ["BalanceOptions", "WeightOptions"]

_MOST_FLOOR_PATHS = 2**31 - 1
_MOST_ROUNDS = 10_000
_MOST_STEP = 10.0
_LEAST_FLOOR = 1e-6


@dataclass(frozen=True)
class BalanceOptions:
    """Thresholds and floors of balancing by removing paths.

    Attributes
    ----------
    local_threshold : a link is overloaded for a pair above this multiple of the mean usage over
        the links of its kind that the pair uses (links on every path of the pair left out); > 1.
    global_threshold : the same for usage summed over all pairs; > 1.
    floor_paths, floor_share : a pair keeps at least max(floor_paths, ceil(floor_share * n)) of
        its n paths (and always two first links and two intermediates where it had them).
    """

    local_threshold: float = 2.0
    global_threshold: float = 1.2
    floor_paths: int = 4
    floor_share: float = 0.5

    def __post_init__(self) -> None:
        for name in ("local_threshold", "global_threshold"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 1.0):
                raise InvalidInput(f"{name} {value} is out of range: it must be above 1")
        if not 1 <= self.floor_paths <= _MOST_FLOOR_PATHS:
            raise InvalidInput(
                f"floor_paths {self.floor_paths} is out of range: 1..{_MOST_FLOOR_PATHS}"
            )
        if not 0.0 <= self.floor_share <= 1.0:
            raise InvalidInput(f"floor_share {self.floor_share} is out of range: 0..1")

    def native(self, seed: int) -> _native.BalanceOptions:
        """Return the settings in the form that the compiled kernels read."""
        return _native.BalanceOptions(
            self.local_threshold, self.global_threshold, self.floor_paths, self.floor_share, seed
        )


@dataclass(frozen=True)
class WeightOptions:
    """How far balancing by weights goes.

    Attributes
    ----------
    rounds : how often the usage of the links is looked at and the weights are changed; 1..10,000.
    step : in a round, a path over a link at twice the mean usage of its kind is drawn exp(-step)
        times as often as before, relative to others; above 0, at most 10.
    floor : every path keeps at least this share of its draw weight; 1e-6..1.
    """

    rounds: int = 30
    step: float = 0.5
    floor: float = 1 / 64

    def __post_init__(self) -> None:
        if not 1 <= self.rounds <= _MOST_ROUNDS:
            raise InvalidInput(f"rounds {self.rounds} is out of range: 1..{_MOST_ROUNDS}")
        if not 0.0 < self.step <= _MOST_STEP:
            raise InvalidInput(f"step {self.step} is out of range: above 0, at most {_MOST_STEP:g}")
        if not _LEAST_FLOOR <= self.floor <= 1.0:
            raise InvalidInput(f"floor {self.floor} is out of range: {_LEAST_FLOOR:g}..1")

    def native(self) -> _native.WeightOptions:
        """Return the settings in the form that the compiled kernel reads."""
        return _native.WeightOptions(self.rounds, self.step, self.floor)
