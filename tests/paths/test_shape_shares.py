"""Shares of shapes: counted from the structure, and added up path by path."""

import numpy as np
import pytest

from tvlb.paths import ShapeSet, parse_expression, shape_shares, shapes_of
from tvlb.paths.path_set import WeightedSet
from tvlb.paths.shape_rule import ShapeRule
from tvlb.topology import Dragonfly


class Listed(WeightedSet):
    """A set by shape that does not say so, and is therefore listed."""

    def __init__(self, same: ShapeSet) -> None:
        self.topology = same.topology
        self._rule = same.rule

    @property
    def rule(self) -> ShapeRule:
        return self._rule

    def __str__(self) -> str:
        return "listed"


@pytest.mark.parametrize("sizes", [(2, 4, 2, 5), (2, 4, 2, 9), (2, 4, 2, 4), (1, 1, 4, 5)], ids=str)
@pytest.mark.parametrize("weights", ["g.g", "g.g:8, g.gl:4, g.lg:4, g.lgl", "lgl.lgl:2, gl.g"])
def test_counted_shares_are_those_of_the_listed_paths(
    sizes: tuple[int, int, int, int], weights: str
) -> None:
    path_set = parse_expression(f"shape({weights})", Dragonfly(*sizes))
    assert isinstance(path_set, ShapeSet)
    counted, listed = shape_shares(path_set), shape_shares(Listed(path_set))
    assert counted is not None
    assert counted == pytest.approx(listed)
    assert counted.sum() == pytest.approx(1.0)


def test_shares_of_a_network_with_one_switch_a_group() -> None:
    # Without local links every path is g.g, whatever the weights say.
    topology = Dragonfly(1, 1, 4, 5)
    shares = shape_shares(parse_expression("all", topology))
    assert shares is not None
    assert np.flatnonzero(shares).tolist() == [shapes_of(topology).code("g", "g")]


def test_a_set_without_paths_has_no_shares() -> None:
    assert shape_shares(parse_expression("none", Dragonfly(2, 4, 2, 5))) is None


def test_a_set_that_is_too_large_to_be_listed_has_no_shares() -> None:
    assert shape_shares(parse_expression("all", Dragonfly(13, 26, 13, 27))) is None
