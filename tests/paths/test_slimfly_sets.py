"""Path sets and loads of links on Slim Flies, against an independent prototype."""

from operator import attrgetter

import numpy as np
import pytest

from tests.slimfly_reference import load_figures, path_figures, read_rows
from tests.slimfly_simulated import Case, cases_of
from tvlb.errors import InvalidInput
from tvlb.paths import all_pairs, parse_expression
from tvlb.topology import SlimFly, parse_topology

TOLERANCE = 1e-6


@pytest.mark.parametrize("case", cases_of(read_rows("paths")), ids=attrgetter("name"))
def test_reference_paths(case: Case) -> None:
    row = case.row
    figures = path_figures(row.topology, row.path_set, row.params)
    assert case.found_in(figures) == pytest.approx(case.values, abs=TOLERANCE)


@pytest.mark.parametrize("case", cases_of(read_rows("load")), ids=attrgetter("name"))
def test_reference_loads(case: Case) -> None:
    row = case.row
    figures = load_figures(row.topology, row.pattern, row.path_set)
    assert case.found_in(figures) == pytest.approx(case.values, abs=TOLERANCE)


@pytest.mark.parametrize(
    ("q", "pairs"), [(4, 0), (5, 350), (7, 0), pytest.param(9, 1458, marks=pytest.mark.slow)]
)
def test_near_has_a_path_where_three_hops_have_none(q: int, pairs: int) -> None:
    topology = SlimFly(q)
    ends = all_pairs(topology)
    short, near = (parse_expression(text, topology).rows(*ends) for text in ("<=3", "near"))
    lacking = np.diff(short.offset) == 0
    assert lacking.sum() == pairs
    assert (np.diff(near.offset) > 0).all()
    assert set(near.hops[lacking[near.pair_of_row]].tolist()) <= {4}
    assert near.pairs(np.flatnonzero(~lacking)).weight == pytest.approx(short.weight)


# VAL_3h counts the draws that leave by a neighbour; written out for every draw.
@pytest.mark.parametrize("text", ["slimfly(4)", "slimfly(7)"])
def test_three_hops_weigh_as_they_are_drawn(text: str) -> None:
    topology = parse_topology(text)
    joined = np.zeros((topology.num_switches,) * 2, dtype=bool)
    joined[topology.network.link_source, topology.network.link_target] = True
    near = [set(np.flatnonzero(row).tolist()) for row in joined]
    source, target = 0, topology.num_switches - 1
    weight: dict[tuple[int, ...], float] = {}
    for via in set(range(topology.num_switches)) - {source, target}:
        turns = [via] if via in near[source] else sorted(near[source] & near[via])
        for turn in turns:
            if turn == target:
                continue
            rest = [()] if target in near[turn] else [(one,) for one in near[turn] & near[target]]
            for middle in rest:
                if middle != (source,):
                    path = (source, turn, *middle, target)
                    weight[path] = weight.get(path, 0.0) + 1 / len(turns) / len(rest)
    ends = np.array([source], dtype=np.int32), np.array([target], dtype=np.int32)
    rows = parse_expression("3h", topology).rows(*ends)
    visited = topology.network.link_target[rows.links()]
    found = {
        (source, *row[:hops].tolist()): share
        for row, hops, share in zip(visited, rows.hops, rows.weight, strict=True)
    }
    total = sum(weight.values())
    assert found == pytest.approx({path: share / total for path, share in weight.items()})


@pytest.mark.parametrize("text", ["ori", "nta", "3h", "near"])
def test_other_networks_do_not_know_these_sets(text: str) -> None:
    for network in ("dfly(2,4,2,9)", "slimfly(5)"):
        topology = parse_topology(network)
        if isinstance(topology, SlimFly):
            assert str(parse_expression(text, topology)) == text
        else:
            with pytest.raises(InvalidInput, match="is unknown"):
                parse_expression(text, topology)
