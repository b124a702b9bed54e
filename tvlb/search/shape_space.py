"""Sets by shape as points: the share of the detours that each shape carries, on a log scale."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tvlb.model.shape_flow import ShapeModel
from tvlb.paths import HALVES, SHAPES, ShapeSet, mean_paths_by_shape, shape_code, shape_hops
from tvlb.topology import Topology

__all__ = ["ShapeSpace", "starting_sets"]

# Shares are powers of two; what would carry less than this is left out.
_LEAST_SHARE = -6.0
_ABSENT = -20.0
_DIGITS = 2
_LARGEST = 100.0

# First halves, second halves, and how much more often a path is drawn per hop that it is shorter.
_FAMILIES: tuple[tuple[tuple[str, ...], tuple[str, ...], tuple[float, ...]], ...] = (
    (("g",), HALVES, (1.0, 2.0, 4.0)),
    (("g", "lg"), ("g", "lg"), (2.0, 4.0)),
    (HALVES, HALVES, (8.0,)),
)
_MODEL_SHARES = (0.95, 0.8)


class ShapeSpace:
    """Translates weights by shape into points and back.

    Parameters
    ----------
    topology : the network; how many paths of a shape a pair has on average scales its weight.
    """

    def __init__(self, topology: Topology) -> None:
        self._topology = topology
        self._paths = mean_paths_by_shape(topology)

    def point(self, weights: Sequence[float]) -> NDArray[np.float64]:
        """Return log2 of the share that each shape carries, float64 (16,)."""
        mass = np.array(weights, dtype=np.float64) * self._paths
        return self.point_of_mass(mass / mass.sum())

    def point_of_mass(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the point of some shares, float64 (16,)."""
        return np.maximum(np.log2(np.maximum(mass, 2.0 ** (2 * _ABSENT))), _ABSENT)

    def set_at(self, point: NDArray[np.float64]) -> ShapeSet:
        """Return the set of a point, its weights rounded to what people can read."""
        usable = np.where(self._paths > 0, point, -np.inf)
        share = usable - usable.max()
        present = share >= _LEAST_SHARE
        weight = np.where(present, 2.0**share / np.maximum(self._paths, 1e-12), 0.0)
        scaled = weight * (_LARGEST / weight.max())
        return ShapeSet(
            self._topology, tuple(float(f"{value:.{_DIGITS}g}") for value in scaled.tolist())
        )


def starting_sets(topology: Topology, models: Sequence[ShapeModel]) -> list[ShapeSet]:
    """Return different sets to begin with.

    Families whose paths are drawn the more often the shorter they are, by several ratios per hop:
    those that begin with a global link of the source, for UGAL-L then sees the queue of the very
    link that it is about to use; those that do without a local hop before the intermediate and
    before the target; and all. Then what optimal flows of the free model use, near the highest
    throughput and well below it, where they can do with fewer hops.

    Parameters
    ----------
    models : the free model of some patterns.
    """
    found = [
        ShapeSet(topology, _family(first, second, ratio))
        for first, second, ratios in _FAMILIES
        for ratio in ratios
    ]
    space = ShapeSpace(topology)
    found += [space.set_at(space.point_of_mass(mass)) for mass in _model_masses(models)]
    return list(dict.fromkeys(found))


def _family(first: Sequence[str], second: Sequence[str], ratio: float) -> tuple[float, ...]:
    """Weigh the shapes of some halves, each hop less than the longest `ratio` times as much."""
    codes = [shape_code(one, other) for one in first for other in second]
    longest = max(map(shape_hops, codes))
    weights = {code: ratio ** (longest - shape_hops(code)) for code in codes}
    return tuple(weights.get(code, 0.0) for code in range(SHAPES))


def _model_masses(models: Sequence[ShapeModel]) -> list[NDArray[np.float64]]:
    """Return the shares of the shapes in optimal flows, float64 (16,) each; none without models."""
    up_to_four = np.array([shape_hops(code) <= 4 for code in range(SHAPES)])
    found = [model.solve(up_to_four, _MODEL_SHARES).mass for model in models]
    by_share = [
        [one[row] for one in found if one[row].sum() > 0] for row in range(len(_MODEL_SHARES))
    ]
    return [np.mean(masses, axis=0) for masses in by_share if masses]
