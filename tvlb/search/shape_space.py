"""Sets by shape as points: the share of the detours that each shape carries, on a log scale."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tvlb.model.shape_flow import ShapeModel
from tvlb.paths import (
    SHAPES,
    ShapeSet,
    mean_paths_by_shape,
    parse_expression,
    shape_hops,
)
from tvlb.topology import Dragonfly

__all__ = ["ShapeSpace", "starting_sets"]

# Shares are powers of two; what would carry less than this is left out.
_LEAST_SHARE = -6.0
_ABSENT = -20.0
_DIGITS = 2
_LARGEST = 100.0


class ShapeSpace:
    """Translates weights by shape into points and back.

    Parameters
    ----------
    topology : the network; how many paths of a shape a pair has on average scales its weight.
    """

    def __init__(self, topology: Dragonfly) -> None:
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


def starting_sets(topology: Dragonfly, models: Sequence[ShapeModel]) -> list[ShapeSet]:
    """Return sets to begin with.

    Sets whose first half is one global link of the source, for UGAL-L then sees the queue of the
    very link that it is about to use; sets that avoid local hops next to the intermediate; all
    paths with shorter ones drawn more often; and what optimal flows of the free model use.

    Parameters
    ----------
    models : the free model of some patterns.
    """
    texts = [
        "shape(g.?)",
        "shape(g.g:4, g.gl:2, g.lg:2, g.lgl:1)",
        "shape(g.g:8, g.gl:4, g.lg:4, g.lgl:1)",
        "shape(g.g:8, g.lg:8, lg.g:1, lg.lg:1)",
        "shape(g.g:100, g.lg:25, lg.g:3, lg.lg:3, gl.g:1.5)",
    ]
    found: list[ShapeSet] = []
    for text in texts:
        one = parse_expression(text, topology)
        assert isinstance(one, ShapeSet)
        found.append(one)
    shorter_first = tuple(4.0 ** (4 - shape_hops(code)) for code in range(SHAPES))
    found.append(ShapeSet(topology, shorter_first))
    space = ShapeSpace(topology)
    mass = _model_mass(models)
    if mass is not None:
        found.append(space.set_at(space.point_of_mass(mass)))
    return found


def _model_mass(models: Sequence[ShapeModel]) -> NDArray[np.float64] | None:
    """Return the shares of the shapes in optimal flows, None without models."""
    up_to_four = np.array([shape_hops(code) <= 4 for code in range(SHAPES)])
    found = [model.solve(up_to_four).mass for model in models]
    used = [mass for mass in found if mass.sum() > 0]
    return np.mean(used, axis=0) if used else None
