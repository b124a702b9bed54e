"""What splits guarantee after single failures, against degraded networks taken one by one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.guarantee.test_worst import network
from tvlb.errors import InvalidInput
from tvlb.guarantee import static
from tvlb.guarantee.failures import FailureKind, failure_cases, protection
from tvlb.guarantee.program import Goal, LinearProgram, Program
from tvlb.guarantee.symmetry import orbits
from tvlb.guarantee.usage import ShapeUsage
from tvlb.paths import as_path_set, sender_pairs
from tvlb.requests.kinds.static import SplitBody, SplitDocument
from tvlb.table import SplitTable
from tvlb.topology import Failures, Listing, Topology, as_topology, link_ids, without
from tvlb.traffic import Assignments

NETWORK = "dfly(2,4,2,3,palmtree)"
# Two of the cables are double.
PARALLEL = [[4, 5], [0, 4], [2, 0], [1, 4], [3, 5], [0, 2], [2, 5], [0, 5], [5, 3]]
DOUBLE = [(0, 2), (3, 5)]
LOST = [(0, 1), (0, 2), (1, 0), (1, 4), (2, 0), (4, 1)]


def every_failure(topology: Topology) -> list[Failures]:
    ends = zip(topology.network.link_source, topology.network.link_target, strict=True)
    cables = [(int(low), int(high)) for low, high in ends if low < high]
    switches = range(topology.num_switches)
    return [
        *(Failures(links=(one,)) for one in cables),
        *(Failures(switches=(one,)) for one in switches),
    ]


def left_of(table: SplitTable, failures: Failures) -> float:
    """Return what a split guarantees without its dead paths, path by path on what is left."""
    left = without(table.topology, failures)
    beyond = left.num_links
    now = np.append(link_ids(left), beyond)
    pairs = sender_pairs(left)
    crossing = np.zeros((len(pairs[0]), left.num_links + 1))
    for rows in table.routes(*pairs):
        links = now[rows.links()]
        alive = np.asarray((links >= 0).all(axis=1))
        row, hop = np.nonzero(alive[:, np.newaxis] & (links < beyond))
        np.add.at(crossing, (rows.pair_of_row[row], links[row, hop]), rows.weight[row])
        np.add.at(crossing[:, beyond], rows.pair_of_row[alive], rows.weight[alive])
    assignments = Assignments(left)
    scaled = crossing[:, :beyond] / crossing[:, beyond:]
    return 1.0 / max(1.0, *(assignments.worst(one).bound for one in scaled.T))


def left_by(table: SplitTable, down: NDArray[np.bool_]) -> float:
    """Return the same, 0 where a pair has nothing left, of links that are down."""
    pairs, beyond = sender_pairs(table.topology), len(down)
    crossing = np.zeros((len(pairs[0]), beyond + 1))
    for rows in table.routes(*pairs):
        links = rows.links()
        alive = np.append(~down, np.ones(1, dtype=np.bool_))[links].all(axis=1)
        row, hop = np.nonzero((links >= 0) & np.expand_dims(alive, 1))
        np.add.at(crossing, (rows.pair_of_row[row], links[row, hop]), rows.weight[row])
        np.add.at(crossing[:, beyond], rows.pair_of_row[alive], rows.weight[alive])
    if not crossing[:, beyond].all():
        return 0.0
    scaled = crossing[:, :beyond] / crossing[:, beyond:]
    return 1.0 / max(1.0, *(Assignments(table.topology).worst(one).bound for one in scaled.T))


@pytest.mark.parametrize(
    "text", [pytest.param(NETWORK, marks=pytest.mark.slow), "hyperx(2,3)", "listed"]
)
def test_every_single_failure_leaves_what_its_case_says(text: str) -> None:
    topology = network(text)
    best = static(topology, failures="both")
    kept = static(topology, failures="both", protected=True)
    assert (best.failures, best.protected) == (kept.failures, kept.chosen)
    every = every_failure(topology)
    assert sum(one.alike for one in best.failures) == len(every)
    # Not only one of an orbit.
    for name, table in (("struck", best.table), ("protected", kept.table)):
        told = [getattr(one, name) for one in best.failures for _ in range(one.alike)]
        found = [left_of(table, one) for one in every]
        np.testing.assert_allclose(sorted(told), sorted(found), rtol=5e-6)
    for one in best.failures[:: max(1, len(best.failures) // 4)]:
        assert one.struck == pytest.approx(left_of(best.table, one.failures), rel=5e-6)
        alone = static(without(topology, one.failures)).chosen
        assert one.afresh == pytest.approx(alone.floor, rel=5e-5)
        assert one.afresh_bound == pytest.approx(alone.floor_bound, rel=5e-5)


@pytest.mark.parametrize(("paths", "cases"), [("<=3", [2, 2]), ("<=3+30%", [1, 1, 1, 1])])
def test_parallel_cables_are_alike_only_where_their_paths_are(paths: str, cases: list[int]) -> None:
    listing = {"switches": 6, "endpoints": [2, 1, 0, 1, 1, 2], "links": PARALLEL}
    topology = Listing.model_validate(listing).build()
    asked = static(topology, paths, failures="cables", seed=1)
    kept = static(topology, paths, failures="cables", protected=True, seed=1)
    assert [one.alike for one in asked.failures if one.failures.links[0] in DOUBLE] == cases
    network = topology.network
    ends = np.column_stack([network.link_source, network.link_target])
    ends.sort(axis=1)
    cables = np.column_stack([ends, network.link_ordinal])
    down = [(cables == one).all(axis=1) for one in np.unique(cables, axis=0)]
    for name, table in (("struck", asked.table), ("protected", kept.table)):
        told = [getattr(one, name) for one in asked.failures for _ in range(one.alike)]
        found = [left_by(table, one) for one in down]
        np.testing.assert_allclose(sorted(told), sorted(found), rtol=5e-6)


def test_a_protected_split_keeps_whole_rates_and_promises_no_more_than_it_has() -> None:
    topology = as_topology(NETWORK)
    paths = as_path_set("all", topology)
    used = ShapeUsage.of(paths)
    program = Program(used, orbits(used))
    cases = failure_cases(topology, program.orbits, FailureKind.BOTH)
    kept = protection(program, paths, cases)
    split, _ = LinearProgram(program, kept).solve(Goal(full=1.0))
    # Every pair has to have so many times its rate that what is left is whole.
    left = (split.share[kept.orbit] * kept.left).sum(axis=1)
    times = np.ones(len(split.share))
    np.maximum.at(times, kept.orbit, 1.0 / left)
    crossing = program.used(split.share * times[:, np.newaxis])
    promised = 1.0 / max(program.assignments.worst(one).bound for one in crossing.T.astype(float))
    found = static(NETWORK, failures="both", protected=True)
    assert min(one.protected for one in found.failures) >= promised * (1 - 1e-5)
    assert found.chosen.floor >= promised * (1 - 1e-5)


def test_pairs_that_lose_every_path_are_named(ran: Any, tmp_path: Path) -> None:
    to = ["--failures", "cables", "-o", str(tmp_path / "s.parquet")]
    document = ran("static", "torus(1,5)", "--vlb", "none", *to)
    SplitDocument.model_validate(document, strict=False)
    (case,) = document["failures"]
    assert (case["down"], case["alike"], case["without"]["links"]) == (
        "x cable 0 to 1",
        5,
        [[0, 1]],
    )
    assert [tuple(one) for one in case["struck_lost"]] == LOST
    assert case["struck_lost"] == case["protected_lost"]
    assert case["struck"] == case["protected"] == 0.0
    # The way around, which shortest paths take now.
    assert case["afresh"] > 0.4


def test_a_switch_without_nodes_that_is_cut_off_is_no_loss() -> None:
    listing = {"switches": 4, "endpoints": [1, 1, 1, 0], "links": [[0, 1], [1, 2], [2, 0], [2, 3]]}
    found = static(Listing.model_validate(listing).build(), failures="both").failures
    whole = next(one for one in found if one.failures.links == ((2, 3),))
    assert (whole.struck, whole.struck_lost) == (whole.protected, ())
    assert whole.struck == pytest.approx(whole.afresh, rel=1e-5)
    alone = next(one for one in found if one.failures.switches == (3,))
    assert (alone.struck, alone.afresh) == (whole.struck, whole.afresh)


def test_nothing_is_routed_afresh_where_the_network_falls_apart() -> None:
    listing = {"switches": 4, "endpoints": [1, 1, 1, 1], "links": [[0, 1], [1, 2], [2, 0], [2, 3]]}
    found = static(Listing.model_validate(listing).build(), failures="cables").failures
    apart = next(one for one in found if one.failures.links == ((2, 3),))
    assert (apart.afresh, apart.afresh_bound, apart.struck) == (None, None, 0.0)
    assert apart.protected_lost == ((0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2))
    assert all(one.afresh for one in found if one is not apart)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"failures": "links"}, "failures 'links': choose one of cables, switches, both"),
        ({"protected": True}, "protected: from which failures is not said"),
        (
            {"failures": "both", "protected": True, "hops": 2.0},
            "protected: a split for all failures has no limit of hops or throughput",
        ),
    ],
)
def test_what_cannot_be_is_refused(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        static(NETWORK, **asked)


def test_costs_know_of_failures() -> None:
    body = SplitBody(topology="4,8,4,9,palmtree")
    failing = body.model_copy(update={"failures": "both"})
    assert body.cost().cpu_seconds * 20 < failing.cost().cpu_seconds < 2000.0
