"""Settings of balancing, by removing paths and by changing weights."""

from dataclasses import dataclass

from tvlb.languages import Number, Whole, check_settings, setting
from tvlb.native import kernels


@dataclass(frozen=True)
class BalanceOptions:
    """Thresholds and floors of balancing by removing paths.

    Attributes
    ----------
    local_threshold : a link is overloaded for a pair above this multiple of the mean usage over
        the links of its kind that the pair uses (links on every path of the pair left out).
    global_threshold : the same for usage summed over all pairs.
    floor_paths, floor_share : a pair keeps at least max(floor_paths, ceil(floor_share * n)) of
        its n paths (and always two first links and two intermediates where it had them).
    """

    local_threshold: float = setting(
        2.0,
        "Removal: a link is overloaded for a pair above this multiple of the mean usage",
        Number(1, above=True),
    )
    global_threshold: float = setting(
        1.2,
        "Removal: a link is overloaded over all pairs above this multiple of the mean usage",
        Number(1, above=True),
    )
    floor_paths: int = setting(4, "Removal: fewest paths that a pair keeps", Whole(1, 2**31 - 1))
    floor_share: float = setting(
        0.5, "Removal: smallest share of its paths that a pair keeps", Number(0, 1)
    )

    def __post_init__(self) -> None:
        check_settings(self)

    def native(self, seed: int) -> kernels.BalanceOptions:
        """Return the settings in the form that the compiled kernels read."""
        return kernels.BalanceOptions(
            self.local_threshold, self.global_threshold, self.floor_paths, self.floor_share, seed
        )


@dataclass(frozen=True)
class WeightOptions:
    """How far balancing by weights goes.

    Attributes
    ----------
    rounds : how often the usage of the links is looked at and the weights are changed.
    step : in a round, a path over a link at twice the mean usage of its kind is drawn exp(-step)
        times as often as before, relative to others.
    floor : every path keeps at least this share of its draw weight.
    """

    rounds: int = setting(30, "Weights: how often they are changed", Whole(1, 10_000))
    step: float = setting(
        0.5,
        "Weights: at twice the mean usage, paths are drawn exp(-STEP) times as often",
        Number(0, 10, above=True),
    )
    floor: float = setting(
        1 / 64,
        "Weights: smallest share of its weight that a path keeps",
        Number(1e-6, 1),
        option="weight_floor",
    )

    def __post_init__(self) -> None:
        check_settings(self)

    def native(self) -> kernels.WeightOptions:
        """Return the settings in the form that the compiled kernel reads."""
        return kernels.WeightOptions(self.rounds, self.step, self.floor)
