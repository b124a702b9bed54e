"""Loads of inner links from the structure against the listed paths."""

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.paths import Pairs, all_pairs, parse_expression
from tvlb.topology import Dragonfly

# Links per group pair: 2, 1, 2 (not all ports used), 3 with palmtree wiring, 1, 4; one switch each.
TOPOLOGIES = (
    Dragonfly(2, 4, 2, 5),
    Dragonfly(2, 4, 2, 9),
    Dragonfly(2, 4, 2, 4),
    Dragonfly(3, 6, 3, 7, "palmtree"),
    Dragonfly(1, 2, 1, 3),
    Dragonfly(4, 8, 4, 9),
    Dragonfly(1, 1, 4, 5),
)
SETS = (
    "none", "<=2", "<=3", "<=3+40%", "<=3+(1,3)", "<=4", "<=4+(2,3)", "<=4+(3,2)", "<=4+33%",
    "<=5", "<=5+10%", "<=5+90%", "all", "short(2,3)", "short(1,3)", "short(<=4)", "short(all)",
    "shape(g.g:8, g.gl:4, g.lg:4, g.lgl)", "shape(g.lgl:0.1, lgl.lgl:0.3)", "shape(lgl.lgl) & <=3",
    "shape(g.?:7) & <=4", "shape(?.?:0.3) & <=4+40%",
)  # fmt: skip


@lru_cache
def _pairs(topology: Dragonfly) -> Pairs:
    """200 pairs at most, some of them inside a group."""
    source, target = all_pairs(topology)
    some = np.random.default_rng(0).permutation(len(source))[:200]
    return Pairs(topology, source[some], target[some])


@settings(max_examples=60, deadline=None)
@given(
    topology=st.sampled_from(TOPOLOGIES),
    expression=st.sampled_from(SETS),
    seed=st.integers(0, 2**32 - 1),
)
def test_listed_and_inner_loads_together_are_all_loads(
    topology: Dragonfly, expression: str, seed: int
) -> None:
    path_set = parse_expression(expression, topology, seed=7)
    pairs = _pairs(topology)
    random = np.random.default_rng(seed)
    rate = random.random((len(pairs), 7))
    listed = random.random(topology.num_links) < random.random()
    whole = path_set.rows(pairs.source, pairs.target).class_usage()
    usage = path_set.usage(pairs)
    part = usage.listed(listed)
    inner = np.where(listed, 0.0, usage.inner_loads(rate))

    def loads(owner: np.ndarray, link: np.ndarray, value: np.ndarray) -> np.ndarray:
        return np.bincount(link, value * rate.ravel()[owner], minlength=topology.num_links)

    expected = loads(whole.entry_class, whole.entry_link, whole.entry_value)
    found = loads(part.entry_class, part.entry_link, part.entry_value) + inner
    assert found == pytest.approx(expected, rel=1e-10, abs=1e-12)
    # No inner link is listed unasked: those of the ends' own groups and the global ones are none.
    group = topology.switch_group
    network = topology.network
    pair = part.entry_class // 7
    of_link = group[network.link_source[part.entry_link]]
    passes_by = (network.link_kind[part.entry_link] == 0) & ~listed[part.entry_link]
    passes_by &= (of_link != group[pairs.source[pair]]) & (of_link != group[pairs.target[pair]])
    assert expression == "none" or not passes_by.any()


def _cable(topology: Dragonfly, source_group: int, target_group: int) -> int:
    pair = source_group * topology.groups + target_group
    begin, end = topology.group_link_offset[pair : pair + 2]
    assert end == begin + 1
    return int(topology.group_links[begin])


# One route from every intermediate switch: with k = 1 link per group pair a pair of groups has
# g - 2 = 7 entry and exit switches. If they differ, all paths of "all" go through a - 2 = 2 detours
# and the straight link twice; a direct inner link then carries 2 of the 4 paths.
def test_inner_usage_by_hand() -> None:
    topology = Dragonfly(2, 4, 2, 9)
    pairs = Pairs(topology, np.array([0], dtype=np.int32), np.array([8], dtype=np.int32))
    usage = parse_expression("all", topology).usage(pairs)
    paths = 7 * 4
    load = usage.inner_loads(np.ones((1, 7))) * paths
    group = topology.network.link_source // 4
    for passed in (1, *range(3, 9)):
        first, second = _cable(topology, 0, passed), _cable(topology, passed, 2)
        entry = topology.network.link_target[first]
        exit_ = topology.network.link_source[second]
        inside = np.flatnonzero((topology.network.link_kind == 0) & (group == passed))
        straight = (topology.network.link_source[inside] == entry) & (
            topology.network.link_target[inside] == exit_
        )
        if entry == exit_:
            assert sorted(load[inside]) == [0.0] * 6 + [1.0] * 6
        else:
            assert load[inside][straight] == pytest.approx([2.0])
            assert load[inside].sum() == pytest.approx(2.0 + 2 * 2)
