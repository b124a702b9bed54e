"""Measures of routes: by hand, against paths listed one by one, and bounds that hold for all."""

from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.forwarding.networks import connected_networks as networks
from tests.sssp_rows import DATA
from tvlb.errors import InvalidInput
from tvlb.forwarding import (
    EfiBound,
    Forwarding,
    LinkLoads,
    MeasureOptions,
    RouteOptions,
    SplitRoutes,
    bandwidth_of,
    efi_bound,
    graph_of,
    measure,
    pattern_rates,
    route,
    shift_rates,
    split_efi,
    table_bound,
)
from tvlb.native import kernels
from tvlb.paths import parse_expression
from tvlb.topology import ListedTopology, Topology, parse_topology
from tvlb.traffic import parse_pattern

LINE = ListedTopology([2, 1, 1], [[(0, 1), (1, 2)]])


def test_a_line_by_hand() -> None:
    # Nodes 0, 1 on the first switch, 2 on the second, 3 on the third: over the first cable go 2 x 2
    # routes each way, over the second 3.
    loads = route(LINE).forwarding.loads
    assert sorted(loads.of_link.tolist()) == [3, 3, 4, 4]
    assert (loads.efi, loads.efi_links, loads.mean_load) == (4, 2, 3.5)
    assert (loads.pairs, loads.own_pairs, loads.hops) == (10, 2, 14)
    assert loads.hops_mean == 14 / 12
    # 0 -> 2, 1 -> 3 and 3 -> 0 share no direction of a link but the first two: half each.
    native = route(LINE).forwarding.native
    rates = native.stream_rates(np.array([0, 1, 3], np.int32), np.array([2, 3, 0], np.int32))
    assert rates.tolist() == [0.5, 0.5, 1.0]
    assert efi_bound(LINE).value == 4


@pytest.mark.parametrize(
    ("name", "expected", "bound"),
    [
        # EFI_LP by another formulation.
        (str(DATA / "networks/random80.json"), 217.6, 164),
        ("2,4,2,9", 70.0, 66),
        (str(DATA / "networks/kary4_3.json"), 60.0, 60),
        (str(DATA / "networks/odin128.json"), 107.25, 108),
    ],
)
def test_the_efi_of_routes_that_split(name: str, expected: float, bound: int) -> None:
    topology = parse_topology(name)
    found = split_efi(topology)
    assert found.low == pytest.approx(expected, rel=1e-9)
    assert found.high == pytest.approx(expected, rel=1e-9)
    assert efi_bound(topology).value == bound
    # Rounds of prices bracket it.
    loads, low = kernels.even_loads(kernels.ForwardingGraph(topology.network.compile()), 1000)
    assert low <= expected * (1 + 1e-9) <= loads.max() * (1 + 2e-9)
    assert loads.max() < 1.03 * low


def test_the_entries_of_a_switch_bound_its_links() -> None:
    # The 11 nodes of a switch send by 117 entries over 12 links: by 10 over one of them.
    topology = parse_topology(str(DATA / "networks/odin128.json"))
    assert table_bound(topology) == EfiBound(110, "entries")


@given(networks())
def test_bounds_hold(topology: Topology) -> None:
    efi = route(topology, RouteOptions(order="auto", passes=2)).forwarding.loads.efi
    assert efi_bound(topology).value <= table_bound(topology).value <= efi
    if topology.num_links and efi:
        found = split_efi(topology)
        assert found.low <= efi * (1 + 1e-9)
        assert found.low == pytest.approx(found.high, rel=1e-7)


def _walked(forwarding: Forwarding, source: int, node: int) -> list[int]:
    network, links, taken = forwarding.topology.network, forwarding.links(), list[int]()
    switch = int(network.node_switch[source])
    while switch != network.node_switch[node]:
        taken.append(int(links[node, switch]))
        switch = int(network.link_target[taken[-1]])
    return taken


def test_rates_are_those_of_routes_walked_one_by_one() -> None:
    forwarding = route(parse_topology("2,4,2,9")).forwarding
    nodes = forwarding.topology.num_nodes
    for shift, (mean, worst) in enumerate(
        zip(*forwarding.native.shift_rates(1, nodes - 1), strict=True), 1
    ):
        ways = [_walked(forwarding, one, (one + shift) % nodes) for one in range(nodes)]
        streams = np.bincount(np.concatenate(ways).astype(int), minlength=1)
        rates = [1 / max([1, *(streams[link] for link in way)]) for way in ways]
        assert mean == pytest.approx(np.mean(rates))
        assert worst == min(rates)
    pattern = pattern_rates(forwarding, parse_pattern("shift(1,0)"))
    assert pattern.mean == pytest.approx(forwarding.native.shift_rates(8, 1)[0][0])


def _highest_rates(
    topology: Topology, sources: np.ndarray, targets: np.ndarray, *, shortest: bool
) -> tuple[float, float]:
    """Return the highest mean rate of streams that split freely, and the highest worst one.

    A rate is at most 1, and so is what a link carries.
    """
    network, graph = topology.network, graph_of(topology)
    start, end = network.node_switch[sources], network.node_switch[targets]
    hops = {one: kernels.shortest_hops(graph, one) for one in set(end.tolist())}
    rows, columns, values = list[int](), list[int](), list[float]()
    taken = list[int]()
    for stream, (source, target) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        for link, (one, other) in enumerate(
            zip(network.link_source.tolist(), network.link_target.tolist(), strict=True)
        ):
            if source != target and not (shortest and hops[target][one] <= hops[target][other]):
                rows += [stream * topology.num_switches + at for at in (one, other)]
                columns += [len(start) + len(taken)] * 2
                values += [1.0, -1.0]
                taken.append(link)
        if source != target:
            # What leaves the first switch, and reaches the last one, is the rate.
            rows += [stream * topology.num_switches + at for at in (source, target)]
            columns += [stream] * 2
            values += [-1.0, 1.0]
    streams, flows = len(start), len(taken)
    kept = scipy.sparse.csc_array(
        (values, (rows, columns)), shape=(streams * topology.num_switches, streams + flows)
    )
    carried = scipy.sparse.csc_array(
        (np.ones(flows), (taken, np.arange(flows))), shape=(topology.num_links, flows)
    )
    # Its types know no sparse matrices.
    linprog: Any = scipy.optimize.linprog
    found: list[float] = []
    # Every stream has a rate of its own, and then all have the same.
    for rates in (kept[:, :streams], scipy.sparse.csc_array(kept[:, :streams].sum(1)[:, None])):
        number = rates.shape[1]
        done = linprog(
            np.repeat([-1.0, 0.0], [number, flows]),
            scipy.sparse.hstack([scipy.sparse.csc_array((topology.num_links, number)), carried]),
            np.ones(topology.num_links),
            scipy.sparse.hstack([rates, kept[:, streams:]]),
            np.zeros(kept.shape[0]),
            bounds=(0, 1),
        )
        found.append(-done.fun / number)
    return found[0], found[1]


@pytest.mark.parametrize(
    ("name", "engine", "shortest"),
    [
        ("2,4,2,9", "psssp", True),
        ("2,4,2,9", "p2sssp", True),
        (str(DATA / "networks/random80.json"), "minhop", True),
        ("torus(1,4,4)", "psssp-w1", False),
        ("torus(1,4,4)", "updn", False),
    ],
)
def test_no_bisection_is_above_the_program_of_streams_that_split(
    name: str, engine: str, shortest: bool
) -> None:
    forwarding = route(parse_topology(name), RouteOptions(engine)).forwarding
    nodes = forwarding.topology.num_nodes
    for seed in range(2):
        drawn = np.random.default_rng(seed).permutation(nodes).astype(np.int32)
        sources, targets = drawn[: nodes // 2], drawn[nodes // 2 :]
        rates = forwarding.native.stream_rates(sources, targets)
        mean, worst = _highest_rates(forwarding.topology, sources, targets, shortest=shortest)
        assert rates.mean() <= mean + 1e-9
        assert rates.min() <= worst + 1e-9
        # The program is one of this network: it is not above 1, nor far above the table.
        assert worst <= mean <= min(1.0, 1.5 * rates.mean()) + 1e-9


def test_draws_depend_on_seed_and_number_alone() -> None:
    forwarding = route(parse_topology("2,4,2,9")).forwarding
    one, many = (bandwidth_of(forwarding, 200, 5, workers=workers) for workers in (1, 3))
    assert np.array_equal(one.means, many.means)
    assert np.array_equal(one.worsts, many.worsts)
    assert np.array_equal(bandwidth_of(forwarding, 70, 5).means, one.means[:70])
    assert not np.array_equal(bandwidth_of(forwarding, 70, 6).means, one.means[:70])


def test_jobs_and_both_directions() -> None:
    forwarding = route(parse_topology("2,4,2,9")).forwarding
    # A stream alone has all there is; the one that comes back uses the other direction.
    alone = bandwidth_of(forwarding, 50, job=2, both=True)
    assert (alone.mean, alone.worst_mean, alone.standard_error) == (1.0, 1.0, 0.0)
    # 71 nodes of 72: one idles.
    assert bandwidth_of(forwarding, 50, job=71).mean < 1
    for job in (1, 73):
        with pytest.raises(InvalidInput, match=rf"job {job} is out of range: .* for 2\.\.72"):
            bandwidth_of(forwarding, 1, job=job)


@pytest.mark.parametrize("expression", ["all", "short(2,3)"])
@pytest.mark.parametrize("share", [1.0, 0.25, 0.0])
def test_shares_of_paths_are_added_up(expression: str, share: float) -> None:
    topology = parse_topology("1,4,1,5")
    routes = SplitRoutes(parse_expression(expression, topology), share)
    loads, by_hand = routes.loads, np.zeros(topology.num_links)
    shares: dict[tuple[int, int], dict[int, float]] = {}
    for source in range(topology.num_switches):
        for rows, part in routes.of_source(source):
            for row, pair in enumerate(rows.pair_of_row.tolist()):
                of_pair = shares.setdefault((source, int(rows.target[pair])), {})
                for link in rows.links()[row].tolist():
                    if link >= 0:
                        carried = rows.weight[row] * part[pair]
                        of_pair[link] = of_pair.get(link, 0.0) + carried
                        by_hand[link] += carried
    # A node per switch.
    assert np.allclose(loads.of_link, by_hand)
    assert loads.hops == pytest.approx(by_hand.sum())
    assert loads.pairs == topology.num_nodes * (topology.num_nodes - 1)
    # A stream has one over the largest sum of shares on any of its links.
    sources = np.arange(topology.num_nodes, dtype=np.int32)
    targets = np.roll(sources, -3)
    on_link = np.zeros(topology.num_links)
    for ends in zip(sources.tolist(), targets.tolist(), strict=True):
        for link, part in shares[ends].items():
            on_link[link] += part
    expected = [
        1 / max(1.0, *(on_link[link] for link in shares[ends]))
        for ends in zip(sources.tolist(), targets.tolist(), strict=True)
    ]
    assert np.allclose(routes.native.stream_rates(sources, targets), expected)


def test_forwarding_and_a_share_of_one_agree_where_paths_are_single() -> None:
    topology = parse_topology("hyperx(2,5)")
    table = route(topology).forwarding
    split = SplitRoutes(parse_expression("all", topology), 1.0)
    assert np.array_equal(table.loads.of_link, split.loads.of_link)
    assert split.loads.minimal_share == 1.0
    assert np.allclose(bandwidth_of(table, 40).means, bandwidth_of(split, 40).means)


def test_an_all_to_all_exchange() -> None:
    # Between nodes of one switch nothing is shared; here any two have their own link.
    full = route(parse_topology("hyperx(1,5)")).forwarding
    assert shift_rates(full).means.tolist() == [1.0] * 4


def test_what_a_request_measures() -> None:
    forwarding = route(parse_topology("2,4,2,9")).forwarding
    asked = MeasureOptions(bisections=20, job="10, 72", pattern="shift(1,0)", bound="lp")
    found = measure(forwarding, asked)
    assert list(found.bandwidth) == [10, 72]
    assert found.pattern is not None
    assert found.shifts is not None
    assert len(found.shifts.means) == 71
    assert found.split_efi is not None
    assert found.split_efi.high == pytest.approx(70)
    assert measure(forwarding, MeasureOptions(bisections=20)).pattern is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bisections": 0}, r"bisections 0 is out of range: 1\.\."),
        ({"job": "5,x"}, "job 'x': expected a number of nodes"),
        ({"job": "1"}, "job '1': expected a number of nodes, 2 or more"),
        ({"job": "73"}, r"job 73 is out of range: .* 2\.\.72"),
        ({"job": ",".join(["2"] * 65)}, "65 sizes of jobs; at most 64"),
        ({"pattern": "uniform"}, "pattern uniform: streams need one destination"),
        ({"pattern": "nonsense"}, "nonsense"),
        ({"bound": "guess"}, "bound 'guess': choose one of lp"),
        ({"seed": -1}, "seed -1 is out of range"),
    ],
)
def test_what_can_not_be_measured(change: dict[str, object], words: str) -> None:
    forwarding = route(parse_topology("2,4,2,9")).forwarding
    with pytest.raises(InvalidInput, match=words):
        measure(forwarding, MeasureOptions(**change))  # pyright: ignore[reportArgumentType]


def test_shares_that_are_none() -> None:
    with pytest.raises(InvalidInput, match=r"min_share 1\.5 is out of range"):
        SplitRoutes(parse_expression("all", parse_topology("1,4,1,5")), 1.5)


def _loads(ports: list[list[int]]) -> LinkLoads:
    return Forwarding.of(LINE, np.array(ports, dtype=np.uint8)).loads


def test_tables_that_lose_packets() -> None:
    good = route(LINE).forwarding.ports.tolist()
    assert _loads(good).lost_pairs == 0
    # Switch 1 has no way to node 3: the nodes 0, 1, and 2 lose theirs.
    hole = [row[:] for row in good]
    hole[3][1] = 255
    assert (_loads(hole).lost_pairs, _loads(hole).holes) == (3, 1)
    # It sends them back, and they circle.
    loop = [row[:] for row in good]
    loop[3][1] = 0
    assert (_loads(loop).lost_pairs, _loads(loop).holes) == (3, 0)
    # A port that it does not have.
    wrong = [row[:] for row in good]
    wrong[3][1] = 2
    assert (_loads(wrong).lost_pairs, _loads(wrong).holes) == (3, 1)
    with pytest.raises(InvalidInput, match="packets of 3 pairs of nodes do not arrive"):
        bandwidth_of(Forwarding.of(LINE, np.array(wrong, dtype=np.uint8)), 1)


@given(st.integers(2, 6), st.integers(0, 10**6))
def test_any_entries_are_counted(size: int, seed: int) -> None:
    """Whatever a table says, lost and arriving pairs are all pairs, as walks tell."""
    ring = ListedTopology([1] * size, [[(one, (one + 1) % size) for one in range(size)]])
    ports = np.random.default_rng(seed).integers(0, 3, (size, size)).astype(np.uint8)
    forwarding = Forwarding.of(ring, ports)
    links, lost = forwarding.links(), 0
    for source in range(size):
        for node in range(size):
            at, steps = source, 0
            while at != node and links[node, at] >= 0 and steps <= size:
                at, steps = int(ring.network.link_target[links[node, at]]), steps + 1
            lost += at != node
    assert forwarding.loads.lost_pairs == lost
    assert forwarding.loads.pairs == size * (size - 1) - lost
