"""Switch sequences against a plain account of the switches that every path visits."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.paths.conftest import PlainPaths
from tvlb.paths import (
    all_pairs,
    minimal,
    parse_expression,
    repeats,
    revisits,
    simple_rows,
    switch_sequences,
)
from tvlb.topology import Dragonfly, ListedTopology, Topology, parse_topology


def visited(network: Topology, source: int, links: list[int]) -> tuple[int, ...]:
    targets = network.network.link_target
    return (source, *(int(targets[link]) for link in links if link >= 0))


def test_counts_are_those_of_the_plain_account(topology: Dragonfly, plain: PlainPaths) -> None:
    rows = parse_expression("all", topology).all_rows()
    twice = repeated = 0
    for source, target in zip(rows.source.tolist(), rows.target.tolist(), strict=True):
        paths = [
            visited(topology, source, list(one.links)) for one in plain.detours(source, target)
        ]
        twice += sum(len(set(one)) < len(one) for one in paths)
        repeated += len(paths) - len(set(paths))
    assert int(revisits(rows).sum()) == twice
    assert int(repeats(rows).sum()) == repeated
    assert len(switch_sequences(rows)) == len(rows) - repeated


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("name", ["2,4,2,5", "3,3,3,4,palmtree", "2,4,2,3", "ring(7,2)"])
@pytest.mark.parametrize("text", ["all", "short(all)", "simple", "none", "<=3+50%"])
def test_merged_weights_are_those_of_the_paths(name: str, text: str) -> None:
    network = parse_topology(name)
    rows = parse_expression(text, network, seed=3).all_rows()
    expected: dict[tuple[int, ...], float] = defaultdict(float)
    for pair, links, weight in zip(rows.pair_of_row, rows.links(), rows.weight, strict=True):
        expected[visited(network, int(rows.source[pair]), links.tolist())] += weight
    found = switch_sequences(rows)
    pairs = np.repeat(np.arange(len(found.source)), np.diff(found.offset))
    merged = {
        tuple(switch for switch in switches if switch >= 0): (int(pair), weight)
        for pair, switches, weight in zip(pairs, found.switches.tolist(), found.weight, strict=True)
    }
    assert {key: weight for key, (_, weight) in merged.items()} == pytest.approx(dict(expected))
    assert len(found) == len(merged)
    for switches, (pair, _) in merged.items():
        assert (switches[0], switches[-1]) == (found.source[pair], found.target[pair])
    simple = switch_sequences(simple_rows(rows))
    kept = {key for key in expected if len(set(key)) == len(key)}
    assert len(simple) == len(kept)


def test_a_path_that_revisits_and_one_that_repeats() -> None:
    # docs/formats.md: by 8, to and from 6; by 6 or by 9.
    network = Dragonfly(3, 6, 3, 10)
    ends = np.array([0], dtype=np.int32), np.array([17], dtype=np.int32)
    rows = parse_expression("all", network).rows(*ends)
    paths = [visited(network, 0, links) for links in rows.links().tolist()]
    assert (0, 6, 8, 6, 14, 17) in paths
    times = Counter(paths)
    for path, again, before in zip(paths, repeats(rows), range(len(paths)), strict=True):
        assert again == (path in paths[:before])
    assert times[0, 6, 9, 15, 17] == 2
    assert sorted(
        int(via)
        for via, path in zip(rows.intermediate, paths, strict=True)
        if path == (0, 6, 9, 15, 17)
    ) == [6, 9]
    simple = parse_expression("simple", network).rows(*ends)
    assert len(simple) == sum(len(set(path)) == len(path) for path in paths)


def test_many_switches_need_several_words(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = parse_expression("all", Dragonfly(2, 4, 2, 5)).all_rows()
    one_word = switch_sequences(rows)
    # 20 switches take five bits each: two to a word.
    monkeypatch.setattr("tvlb.paths.sequences._WORD_BITS", 12)
    several = switch_sequences(rows)
    assert np.array_equal(several.switches, one_word.switches)
    assert np.array_equal(several.weight, one_word.weight)


def test_paths_that_are_min_paths_are_counted() -> None:
    # On a ring of five, 0 - 1 - 2 is the MIN path of 0 and 2, and a detour by 1 as well.
    ring = ListedTopology([1] * 5, [[[one, (one + 1) % 5] for one in range(5)]])
    rows = parse_expression("all", ring).rows(*all_pairs(ring))
    visited = [
        (int(rows.source[pair]), *ring.network.link_target[links[links >= 0]].tolist())
        for pair, links in zip(rows.pair_of_row, rows.links(), strict=True)
    ]
    around = [min((one[-1] - one[0]) % 5, (one[0] - one[-1]) % 5) for one in visited]
    assert minimal(rows).tolist() == [
        len(one) == hops + 1 for one, hops in zip(visited, around, strict=True)
    ]
    assert minimal(rows).sum() == 10
