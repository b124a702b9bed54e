"""The share of MIN paths at the optimum of the model."""

import pytest

from tvlb.model import min_share, throughput
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import Shift

SMALL = Dragonfly(2, 4, 2, 9)


def test_shift_fills_the_direct_link() -> None:
    # The 8 nodes of a group send to the next one, whose cable carries 1 flit/cycle; a detour takes
    # two global links. At the bound by capacity the direct cables carry MIN traffic alone.
    everything = parse_expression("all", SMALL)
    solved = throughput(SMALL, everything, Shift(1, 0))
    assert solved.theta == pytest.approx(solved.bound, rel=1e-5)
    assert min_share(everything, Shift(1, 0)) == pytest.approx(1 / (8 * solved.theta), abs=1e-4)


def test_only_min_paths() -> None:
    assert min_share(parse_expression("none", SMALL), Shift(1, 0)) == 1.0
    # Nobody sends to another switch.
    assert min_share(parse_expression("all", SMALL), Shift(0, 0)) == 1.0
