"""Guarantees against enumeration of all traffic, known figures and the model."""

import itertools

import highspy
import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from tvlb.errors import Cancelled, InvalidInput
from tvlb.guarantee import check_floor, check_network, split, symmetry, worst
from tvlb.guarantee.symmetry import orbits
from tvlb.guarantee.usage import ENTRIES_PER_BLOCK, PairUsage
from tvlb.model import throughput
from tvlb.paths import as_path_set
from tvlb.processes import Progress
from tvlb.topology import Listing, Topology, as_topology
from tvlb.traffic import Assignments, MatrixPattern

# A ring with chords, two of them parallel; a switch has two nodes, and one has none.
UNEQUAL = {
    "switches": 6,
    "endpoints": [1, 2, 0, 1, 1, 1],
    "links": [*([one, (one + 1) % 6] for one in range(6)), [0, 3], [0, 3], [1, 4]],
}
# Numbers of nodes without a common divisor.
UNEVEN = {"switches": 3, "endpoints": [9001, 9000, 8999], "links": [[0, 1], [1, 2], [2, 0]]}
SMALL = ["listed", "torus(1,5)", "dfly(1,2,1,3)"]


def network(text: str) -> Topology:
    return Listing.model_validate(UNEQUAL).build() if text == "listed" else as_topology(text)


def all_traffic(topology: Topology) -> NDArray[np.float64]:
    """Return what permutations of the nodes are between switches, (traffic, pairs).

    Only those where nodes of at most one switch send to their own: those of two could send to each
    other's, which is more traffic.
    """
    senders = np.flatnonzero(topology.switch_nodes)
    owner = np.searchsorted(senders, topology.network.node_switch)
    images = owner[np.array(list(itertools.permutations(range(len(owner)))))]
    stays = np.where(images == owner, owner, -1)
    alone = (stays == -1) | (stays == stays.max(axis=1, keepdims=True))
    images = np.unique(images[alone.all(axis=1)], axis=0)
    traffic = np.zeros((len(images), len(senders), len(senders)))
    for source, targets in zip(owner, images.T, strict=True):
        traffic[np.arange(len(images)), source, targets] += 1.0
    return traffic[:, ~np.eye(len(senders), dtype=bool)]


def pattern(usage: PairUsage, traffic: NDArray[np.float64]) -> MatrixPattern:
    used = np.flatnonzero(traffic)
    ends = (one[used].tolist() for one in (usage.source, usage.target))
    return MatrixPattern.by_switch(zip(*ends, traffic[used].tolist(), strict=True))


def crossed(
    usage: PairUsage, classes: NDArray[np.float64], links: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how much of a unit of each pair crosses given links by a split, (pairs, links)."""
    parts = np.split(classes, [len(usage.minimal.code)], axis=1)
    used = [
        (one.share[:, links].toarray().reshape(*part.shape, -1) * part[:, :, np.newaxis]).sum(
            axis=1
        )
        for one, part in zip((usage.minimal, usage.detour), parts, strict=True)
    ]
    return used[0] + used[1]


def best_load(
    crossing: NDArray[np.float64],
    there: NDArray[np.bool_],
    cost: NDArray[np.float64] | None = None,
    most: float = 0.0,
) -> float:
    """Return the least of the largest entry of crossing @ split, (rows, pairs, columns).

    Of splits that cost no more than so much, where costs are given, (pairs, columns).
    """
    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    columns = int(there.sum())
    for price in (*np.zeros(columns), 1.0):
        engine.addCol(price, 0.0, highspy.kHighsInf, 0, [], [])
    index = np.arange(columns + 1, dtype=np.int32)
    for mine in np.split(index[:-1], np.cumsum(there.sum(axis=1))[:-1]):
        engine.addRow(1.0, 1.0, len(mine), mine, np.ones(len(mine)))
    if cost is not None:
        engine.addRow(-highspy.kHighsInf, most, columns, index[:-1], cost[there])
    for row in np.unique(crossing[:, there].round(9), axis=0):
        engine.addRow(-highspy.kHighsInf, 0.0, len(index), index, np.append(row, -1.0))
    engine.run()
    return engine.getObjectiveValue()


@pytest.mark.parametrize("text", SMALL)
def test_floor_and_ceiling_are_those_of_all_traffic(text: str) -> None:
    topology = network(text)
    found = worst(topology, "all", starts=4)
    usage, traffic = found.usage, all_traffic(topology)
    links = np.arange(topology.num_links)
    shares = usage.vertices_on_links(links).astype(np.float64)
    # The split of the floor, by the link and the traffic that load most.
    load = float((traffic @ crossed(usage, found.split, links)).max())
    assert found.floor == pytest.approx(1.0 / max(load, 1.0), rel=3e-6)
    # No split is better.
    crossing = traffic[:, np.newaxis, :, np.newaxis] * shares
    best = best_load(crossing.reshape(-1, *crossing.shape[2:]), usage.is_vertex)
    assert 1.0 / best == pytest.approx(found.floor_bound, rel=4e-5)
    assert found.gap < 4e-5
    thetas = [throughput(topology, "all", pattern(usage, one)).theta for one in traffic]
    assert found.ceiling == pytest.approx(min(thetas), abs=1e-6)


@pytest.mark.parametrize(
    ("vlb", "floor"), [("short(2,3)", 0.4689), pytest.param("all", 0.5086, marks=pytest.mark.slow)]
)
def test_floors_of_a_symmetric_dragonfly_are_the_known_ones(vlb: str, floor: float) -> None:
    topology = as_topology("dfly(4,8,4,9,palmtree)")
    usage = PairUsage.of(as_path_set(vlb, topology))
    alike = orbits(usage)
    assert (alike.pairs, len(alike.first_links)) == (35, 7)
    found = split.best_split(usage, alike)
    assert 1.0 / found.load == pytest.approx(floor, abs=1e-4)
    # Blocks of classes cost what all of them do.
    price = np.random.default_rng(1).random(topology.num_links)
    kind = usage.detour
    assert kind.share.nnz > 2 * ENTRIES_PER_BLOCK
    np.testing.assert_array_equal(kind.costs(price).ravel(), kind.share @ price)
    # What is proved of one link of an orbit holds for all.
    links = np.arange(0, topology.num_links, 11)
    assignments = Assignments(topology)
    for one in crossed(usage, usage.to_classes(found.share), links).T:
        assert assignments.worst(one).bound <= found.load


@pytest.mark.parametrize(
    ("vlb", "ceiling"),
    [
        pytest.param("<=4", 0.3587, marks=pytest.mark.slow),
        pytest.param("all", 0.5358, marks=pytest.mark.slow),
        pytest.param("short(2,3)", 0.4452, marks=pytest.mark.slow),
        pytest.param("shape(g.?)", 0.3273, marks=pytest.mark.slow),
        pytest.param("shape(g.g:16, g.gl:4, g.lg:4, g.lgl)", 0.2778, marks=pytest.mark.slow),
    ],
)
def test_the_adversary_finds_what_is_known_and_worse(
    vlb: str, ceiling: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only traffic is sought here: a rough split takes a second less.
    monkeypatch.setattr(split, "_MOST_WORK", 1e6)
    found = worst("2,4,2,9", vlb)
    assert found.floor <= found.ceiling <= ceiling + 1e-4
    assert throughput("2,4,2,9", vlb, found.witness).theta == pytest.approx(found.ceiling)


def test_a_game_proves_bounds_around_those_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = worst("hyperx(2,3,3)", "<=3", starts=1)
    monkeypatch.setattr(split, "_MOST_EXACT", 0)
    game = worst("hyperx(2,3,3)", "<=3", starts=1)
    assert game.floor <= exact.floor + 1e-5
    assert game.floor_bound >= exact.floor_bound - 1e-5
    assert game.gap < 0.021


def test_what_a_set_draws_is_no_symmetry() -> None:
    topology = as_topology("dfly(2,4,2,5,palmtree)")
    drawn, ruled = (
        orbits(PairUsage.of(as_path_set(text, topology))) for text in ("<=4+50%", "<=4")
    )
    assert drawn.pairs == topology.num_switches * (topology.num_switches - 1)
    assert ruled.pairs < drawn.pairs / 10


def test_assignments_are_proved_for_unequal_switches() -> None:
    topology = network("listed")
    costs = np.random.Generator(np.random.PCG64(1)).random((50, 20)).round(2)
    traffic = all_traffic(topology)
    for one in costs:
        found = Assignments(topology).worst(one)
        assert found.cost == pytest.approx(float((traffic @ one).max()))
        assert found.bound == pytest.approx(found.cost, abs=1e-12)


def test_more_copies_of_switches_than_can_be_assigned_are_refused() -> None:
    topology = Listing.model_validate(UNEVEN).build()
    for check in (check_network, check_floor):
        with pytest.raises(InvalidInput, match=r"count as 27,000, .*; the limit is 4,096$"):
            check(topology)
    assert Assignments(topology).floor(scipy.sparse.csr_array((6, 6))) is None


def test_answers_do_not_depend_on_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "_MOST_EXACT", 0)
    one, other = (
        worst("dfly(2,4,2,3)", "<=4", starts=3, seed=7, workers=workers) for workers in (1, 3)
    )
    assert one.witness.asked == other.witness.asked
    assert (one.floor, one.floor_bound) == (other.floor, other.floor_bound)
    assert np.array_equal(one.split, other.split)


def test_an_interrupted_search_ends() -> None:
    def stop(progress: Progress) -> None:
        raise Cancelled(progress.stage)

    with pytest.raises(Cancelled):
        worst("2,4,2,3", "all", report=stop)


def test_other_networks_paths_are_refused() -> None:
    with pytest.raises(InvalidInput, match="belongs to"):
        worst("2,4,2,3", as_path_set("all", as_topology("2,4,2,5")))


def classes_of(topology: Topology) -> NDArray[np.int64]:
    """Return one permutation of the switches of all that symmetries make alike, int64 (.., 8).

    At most one switch stays, as in `all_traffic`; every switch has as many nodes.
    """
    switches = topology.num_switches
    group = {tuple(range(switches))}
    generators = symmetry._automorphisms(topology)  # pyright: ignore[reportPrivateUsage]
    while True:
        more = {tuple(one[list(known)].tolist()) for known in group for one in generators} | group
        if len(more) == len(group):
            break
        group = more
    images = np.array(list(itertools.permutations(range(switches))))
    images = images[(images == np.arange(switches)).sum(axis=1) <= 1]
    digits = switches ** np.arange(switches)
    least = images @ digits
    for one in map(np.array, group):
        # What is sent from a to b goes from the image of a to that of b.
        least = np.minimum(least, one[images[:, np.argsort(one)]] @ digits)
    return images[np.unique(least, return_index=True)[1]]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["torus(1,8)", "hyperx(1,2,4)", "dfly(1,4,1,2)"])
def test_floor_and_ceiling_of_eight_switches_are_those_of_all_permutations(text: str) -> None:
    topology = as_topology(text)
    assert topology.num_switches == 8
    found = worst(topology, "all", starts=4)
    usage, alike = found.usage, found.orbits
    number = np.full((8, 8), -1)
    number[usage.source, usage.target] = np.arange(len(usage))
    images = classes_of(topology)
    rows = np.zeros((len(images), len(usage)))
    for switch, targets in enumerate(images.T):
        goes = targets != switch
        rows[np.flatnonzero(goes), number[switch, targets[goes]]] = 1.0
    # Symmetries map what loads a link to what loads any other of its orbit: so all links are asked.
    links = np.arange(topology.num_links)
    load = float((rows @ crossed(usage, found.split, links)).max())
    assert found.floor == pytest.approx(1.0 / max(load, 1.0), rel=3e-6)
    shares = usage.vertices_on_links(links).astype(np.float64)
    of_pairs = (rows[:, np.newaxis, :, np.newaxis] * shares).reshape(-1, *shares.shape[1:])
    crossing = np.zeros((len(of_pairs), alike.pairs, shares.shape[2]))
    for pair, orbit in enumerate(alike.pair):
        crossing[:, orbit] += of_pairs[:, pair]
    best = best_load(crossing, usage.is_vertex[alike.first_pairs])
    assert 1.0 / max(best, 1.0) == pytest.approx(found.floor_bound, rel=4e-5)
    assert found.gap < 4e-5
    thetas = [throughput(topology, "all", pattern(usage, one)).theta for one in rows]
    assert found.ceiling == pytest.approx(min(thetas), abs=1e-6)
