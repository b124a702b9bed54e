"""Settings of balancing."""

import math
from dataclasses import dataclass

from tvlb import _native
from tvlb.errors import InvalidInput

__all__ = ["BalanceOptions"]

_MOST_FLOOR_PATHS = 2**31 - 1


@dataclass(frozen=True)
class BalanceOptions:
    """Thresholds and floors of balancing.

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
