"""Sets by shape as points: the share of the detours that each shape carries, on a log scale."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tvlb.model.shape_flow import ShapeModel
from tvlb.paths import Shapes, ShapeSet, mean_paths_by_shape, shapes_of
from tvlb.topology import Topology

# Shares are powers of two; what would carry less than this is left out.
_LEAST_SHARE = -6.0
_ABSENT = -20.0
_DIGITS = 2
_LARGEST = 100.0

# How much more often a path is drawn per hop that it is shorter: of those whose first half is as
# short as any, of those whose halves end with a link of the last kind, of all.
_OF_SHORTEST_FIRST, _OF_LAST_KIND, _OF_ALL = (1.0, 2.0, 4.0), (2.0, 4.0), (8.0,)
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

    @property
    def dimensions(self) -> int:
        """Number of shapes."""
        return len(self._paths)

    def point(self, weights: Sequence[float]) -> NDArray[np.float64]:
        """Return log2 of the share that each shape carries, float64 (shapes,)."""
        mass = np.array(weights, dtype=np.float64) * self._paths
        return self.point_of_mass(mass / mass.sum())

    def point_of_mass(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the point of some shares, float64 (shapes,)."""
        return np.maximum(np.log2(np.maximum(mass, 2.0 ** (2 * _ABSENT))), _ABSENT)

    def set_at(self, point: NDArray[np.float64]) -> ShapeSet:
        """Return the set of a point, its weights rounded to what people can read."""
        usable = np.where(self._paths > 0, point, -np.inf)
        share = usable - usable.max()
        present = share >= _LEAST_SHARE
        weight = np.where(present, 2.0**share / np.maximum(self._paths, 1e-12), 0.0)
        scaled = weight * (_LARGEST / weight.max())
        rounded = np.array([float(f"{value:.{_DIGITS}g}") for value in scaled.tolist()])
        return ShapeSet(self._topology, shapes_of(self._topology).fitting(rounded))


def starting_sets(topology: Topology, models: Sequence[ShapeModel]) -> list[ShapeSet]:
    """Return different sets to begin with.

    Sets whose paths are drawn the more often the shorter they are, by several ratios per hop: those
    whose first half is as short as any, for where it is one link UGAL-L sees the queue of the very
    link that it is about to use; those whose halves both end with a link of the last kind, on a
    Dragonfly without a local hop before the intermediate and before the target; and all. Then what
    optimal flows of the free model use, near the highest throughput and well below it, where they
    can do with fewer hops.

    Parameters
    ----------
    models : the free model of some patterns.
    """
    shapes = shapes_of(topology)
    found = [
        ShapeSet(topology, _weights(shapes, first, second, ratio))
        for first, second, ratios in _starts(shapes.halves)
        for ratio in ratios
    ]
    space = ShapeSpace(topology)
    found += [space.set_at(space.point_of_mass(mass)) for mass in _model_masses(models)]
    return list(dict.fromkeys(found))


def _starts(
    halves: tuple[str, ...],
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], tuple[float, ...]]]:
    """Yield first halves, second halves and ratios."""
    shortest = tuple(half for half in halves if len(half) == min(map(len, halves)))
    ended = tuple(half for half in halves if half[-1] == shortest[-1][-1])
    yield shortest, halves, _OF_SHORTEST_FIRST
    yield ended, ended, _OF_LAST_KIND
    yield halves, halves, _OF_ALL


def _weights(
    shapes: Shapes, first: Sequence[str], second: Sequence[str], ratio: float
) -> tuple[float, ...]:
    """Weigh the shapes of some halves, each hop less than the longest `ratio` times as much."""
    codes = [shapes.code(one, other) for one in first for other in second]
    longest = max(shapes.hops[code] for code in codes)
    weights = np.zeros(len(shapes))
    weights[codes] = [ratio ** (longest - shapes.hops[code]) for code in codes]
    return shapes.fitting(weights)


def _model_masses(models: Sequence[ShapeModel]) -> list[NDArray[np.float64]]:
    """Return the shares of the shapes in optimal flows, float64 (shapes,) each, if any."""
    found = [model.solve(model.shape_hops <= 4, _MODEL_SHARES).mass for model in models]
    by_share = [
        [one[row] for one in found if one[row].sum() > 0] for row in range(len(_MODEL_SHARES))
    ]
    return [np.mean(masses, axis=0) for masses in by_share if masses]
