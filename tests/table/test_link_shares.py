"""Usage of the links by a table, against paths counted one by one."""

import numpy as np
import pytest

from tvlb.paths import parse_expression
from tvlb.table import CompactTable, Table, link_shares, pair_paths, pair_summary
from tvlb.topology import Dragonfly, LinkKind


@pytest.fixture
def table() -> Table:
    network = Dragonfly(2, 4, 2, 5)
    path_set = parse_expression("<=4+50%", network, 3)
    return Table.from_rows(path_set, path_set.all_rows(), seed=3, version="test")


def counted(table: Table) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    usage = np.zeros(table.topology.num_links)
    switches = table.topology.num_switches
    for source in range(switches):
        for target in set(range(switches)) - {source}:
            for path in pair_paths(table, source, target):
                usage[list(path.links)] += path.weight
    return usage


def test_every_path_counts_by_its_weight(table: Table) -> None:
    found = link_shares(table)
    usage = counted(table)
    kinds = table.topology.network.link_kind
    for kind in LinkKind:
        of_kind = usage[kinds == kind]
        expected = of_kind / of_kind[of_kind > 0].mean()
        np.testing.assert_allclose(found.relative[kinds == kind], expected, rtol=1e-9)
    assert found.sampled_pairs is None


def test_a_compact_table_is_seen_in_a_sample(table: Table) -> None:
    path_set = parse_expression("<=4+50%", table.topology, 3)
    compact = CompactTable.from_set(path_set, seed=3, version="test")
    found = link_shares(compact)
    switches = table.topology.num_switches
    assert found.sampled_pairs is not None
    assert found.sampled_pairs % switches == 0
    kinds = table.topology.network.link_kind
    for kind in LinkKind:
        inside = found.relative[(kinds == kind) & (found.relative > 0)]
        assert inside.mean() == pytest.approx(1.0)
    # 5,000 drawn pairs of a network of 20 switches: nearly as all of them.
    np.testing.assert_allclose(found.relative, link_shares(table).relative, atol=0.12)


def test_a_pair_is_summarised(table: Table) -> None:
    every = pair_paths(table, 0, 19)
    found = pair_summary(table, 0, 19, limit=2)
    assert found.paths == tuple(every[:2])
    assert found.total == len(every) > 2
    assert found.mean_hops == pytest.approx(sum(p.weight * p.hops for p in every))
    usage = np.zeros(table.topology.num_links)
    for path in every:
        usage[list(path.links)] += path.weight
    assert {one.link: one.weight for one in found.links} == pytest.approx(
        {int(link): usage[link] for link in np.flatnonzero(usage)}
    )
    # Two cables join the groups of a pair, and each begins one MIN path.
    assert [path.intermediate for path in found.min_paths] == [-1, -1]
    assert sum(path.weight for path in found.min_paths) == pytest.approx(1.0)
    for path in found.min_paths:
        assert path.switches[0] == 0
        assert path.switches[-1] == 19
        assert path.kinds.count("global") == 1
