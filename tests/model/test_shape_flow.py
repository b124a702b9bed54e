"""The throughput model with a rate for every shape, against programs with a variable per path."""

from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
import scipy
from numpy.typing import NDArray

from sim_bridge import Scenario, SimulationConfig
from tvlb.model.bounds import capacity_bound, theta_cap
from tvlb.model.shape_flow import ShapeModel
from tvlb.paths import PathSet, Shapes, ShapeSet, min_rows, parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import MatrixPattern, Pattern, parse_pattern, switch_demand

Matrix = NDArray[np.float64]

HOPS = Shapes(("g", "gl", "lg", "lgl")).hops
SHAPES = len(HOPS)
EVERY = np.ones(SHAPES, dtype=bool)
NETWORKS = [Dragonfly(2, 4, 2, 3), Dragonfly(2, 4, 2, 5), Dragonfly(1, 2, 1, 3)]
PATTERNS = ["shift(1,0)", "type2(seed=3)", "permutation(seed=2)"]
LOADS = (0.2, 0.6)


def uneven(topology: Dragonfly) -> MatrixPattern:
    """Every switch sends to two others and to itself, at rates of its own."""
    random = Random(3)
    entries: dict[tuple[int, int], float] = {}
    for source in range(topology.num_switches):
        for target in (source, *random.sample(range(topology.num_switches), 2)):
            entries[source, target] = random.random() * topology.nodes_per_switch / 3
    rows = tuple(sorted((*pair, rate) for pair, rate in entries.items()))
    return MatrixPattern("uneven", "switch", rows)


@dataclass(frozen=True)
class Program:
    """A program with a variable for every path: MIN and those of a set."""

    topology: Dragonfly
    pattern: Pattern
    path_set: PathSet

    def _matrices(self) -> tuple[Matrix, Matrix, Matrix]:
        """Crossings by link and path, paths by flow, rates of the flows."""
        demand = switch_demand(self.topology, self.pattern.resolve(self.topology, 0))
        ends = demand.source, demand.target
        rows = [min_rows(self.topology, *ends), self.path_set.rows(*ends)]
        owner = np.concatenate([one.pair_of_row for one in rows])
        links = np.concatenate([one.links() for one in rows])
        path, hop = np.nonzero(links >= 0)
        crossings = np.zeros((self.topology.num_links, len(owner)))
        np.add.at(crossings, (links[path, hop], path), 1.0)
        flows = np.zeros((len(demand.rate), len(owner)))
        flows[owner, np.arange(len(owner))] = 1.0
        return crossings, flows, demand.rate

    def throughput(self) -> float:
        """Largest theta at which every flow ships theta times its rate."""
        crossings, flows, rate = self._matrices()
        links, paths = crossings.shape
        demand = switch_demand(self.topology, self.pattern.resolve(self.topology, 0))
        found = scipy.optimize.linprog(
            np.append(-1.0, np.zeros(paths)),
            A_ub=np.hstack([np.zeros((links, 1)), crossings]),
            b_ub=np.ones(links),
            A_eq=np.hstack([-rate[:, np.newaxis], flows]),
            b_eq=np.zeros(len(rate)),
            bounds=[(0, theta_cap(demand)), *[(0, None)] * paths],
        )
        assert found.fun is not None
        return -float(found.fun)

    def accepted(self, load: float) -> float:
        """Most that is delivered where every flow offers its rate times a load, by node."""
        crossings, flows, rate = self._matrices()
        found = scipy.optimize.linprog(
            -np.ones(crossings.shape[1]),
            A_ub=np.vstack([crossings, flows]),
            b_ub=np.concatenate([np.ones(len(crossings)), load * rate]),
        )
        assert found.fun is not None
        sent = self.pattern.resolve(self.topology, 0).rate.sum()
        inside = load * float(sent - rate.sum())
        return (inside - float(found.fun)) / self.topology.num_nodes


def supports() -> list[NDArray[np.bool_]]:
    """Single shapes, some more, and all."""
    random = np.random.default_rng(1)
    single = [np.eye(SHAPES, dtype=bool)[code] for code in (0, 1, 5, 8, 11, 15)]
    return [*single, *(random.random(SHAPES) < 0.3 for _ in range(3)), EVERY]


def of_shapes(topology: Dragonfly, shapes: NDArray[np.bool_]) -> ShapeSet:
    return ShapeSet(topology, tuple(shapes.astype(float).tolist()))


def patterns(topology: Dragonfly) -> list[Pattern]:
    return [*map(parse_pattern, PATTERNS), uneven(topology)]


CASES = [
    *((topology, pattern) for topology in NETWORKS for pattern in patterns(topology)),
    # All pairs are flows, most of them inside a group.
    (NETWORKS[2], parse_pattern("tmixed(75,25,shift(1,1))")),
]


@pytest.mark.parametrize(("topology", "pattern"), CASES, ids=str)
def test_bounds_hold_whatever_the_paths_are_used_for(topology: Dragonfly, pattern: Pattern) -> None:
    model = ShapeModel(topology, pattern)
    exact = [
        [Program(topology, pattern, of_shapes(topology, shapes)).accepted(load) for load in LOADS]
        for shapes in supports()
    ]
    for shapes in (None, EVERY, supports()[0]):
        # Every program that is solved adds its prices to the bound.
        if shapes is not None:
            model.solve(shapes)
        bounds = [[model.most_accepted(one, load) for load in LOADS] for one in supports()]
        assert (np.array(bounds) >= np.array(exact) - 1e-7).all()
    if "shift" in str(pattern) or "type2" in str(pattern):
        assert np.array(bounds)[-1] == pytest.approx(np.array(exact)[-1], rel=0.02)


@pytest.mark.parametrize("topology", NETWORKS, ids=str)
def test_a_rate_for_every_shape_is_no_more_than_one_for_every_path(topology: Dragonfly) -> None:
    for pattern in patterns(topology):
        model = ShapeModel(topology, pattern)
        for shapes in (supports()[1], supports()[-2], EVERY):
            exact = Program(topology, pattern, of_shapes(topology, shapes)).throughput()
            assert model.solve(shapes).theta <= exact + 1e-7


@pytest.mark.parametrize("pattern", ["shift(1,0)", "type2(seed=3)"])
def test_all_shapes_reach_the_bound_by_capacity(pattern: str) -> None:
    # (a*h + k) / (2*p*a) = (8 + 2) / 16, which is what model 3 of `all` reaches, too.
    topology, traffic = NETWORKS[1], parse_pattern(pattern)
    demand = switch_demand(topology, traffic.resolve(topology, 0))
    found = ShapeModel(topology, traffic).solve(EVERY)
    assert found.theta == pytest.approx(0.625)
    assert found.theta == pytest.approx(capacity_bound(topology, demand).value)
    assert found.mass.sum() == pytest.approx(1.0)
    assert (found.mass >= 0).all()


def test_bounds_by_hand() -> None:
    # Before any program is solved: a group sends by 8 global links, 2 of them direct. MIN takes one
    # of those, detours two of any, and the 8 nodes of a group share (8 + 2) / 2 flits/cycle.
    model = ShapeModel(NETWORKS[1], parse_pattern("shift(1,0)"))
    assert model.most_accepted(EVERY, 1.0) == pytest.approx(0.625)
    assert model.most_accepted(EVERY, 0.3) == pytest.approx(0.3)
    assert model.most_accepted(EVERY, 0.0) == 0.0


def test_traffic_inside_a_switch_is_always_delivered() -> None:
    # Eight of 16 nodes send all they have to their neighbours, nobody else sends.
    topology = Dragonfly(2, 4, 2, 3)
    entries = tuple((node, node + 1, 1.0) for node in range(0, 16, 2))
    pattern = MatrixPattern("inside", "node", entries)
    model = ShapeModel(topology, pattern)
    assert model.most_accepted(EVERY, 0.5) == pytest.approx(0.5 * 8 / topology.num_nodes)
    assert model.solve(EVERY).mass.tolist() == [[0.0] * SHAPES]


def test_detours_inside_a_group_belong_to_every_set() -> None:
    # Switch 0 sends 2 flits/cycle to switch 1 of its group: one link and two detours carry 3.
    topology = Dragonfly(2, 4, 2, 3)
    pattern = MatrixPattern("group", "switch", ((0, 1, 2.0),))
    longest = np.eye(SHAPES, dtype=bool)[15]
    model = ShapeModel(topology, pattern)
    found = model.solve(longest)
    assert found.theta == pytest.approx(1.0)
    assert model.most_accepted(longest, 1.0) == pytest.approx(2.0 / topology.num_nodes)
    # They are no detours by way of another group.
    assert found.mass.tolist() == [[0.0] * SHAPES]


def test_shapes_carry_as_few_hops_as_possible() -> None:
    model = ShapeModel(NETWORKS[1], parse_pattern("shift(1,0)"))
    hops = np.array(HOPS)
    (few,) = model.solve(hops <= 4).mass
    (every,) = model.solve(EVERY).mass
    assert every @ hops <= few @ hops + 1e-6
    assert not few[hops > 4].any()


@pytest.mark.parametrize(
    "pattern", ["shift(1,0)", "type2(seed=3)", pytest.param("uniform", marks=pytest.mark.slow)]
)
def test_what_shapes_carry_is_told_for_every_share(pattern: str) -> None:
    shares = (0.95, 0.2, 0.8, 0.5)
    found = ShapeModel(NETWORKS[1], parse_pattern(pattern)).solve(EVERY, shares)
    assert found.mass.shape == (4, SHAPES)
    # Each as if it had been asked for alone, and of the same highest throughput.
    for share, mass in zip(shares, found.mass, strict=True):
        alone = ShapeModel(NETWORKS[1], parse_pattern(pattern)).solve(EVERY, [share])
        assert alone.theta == pytest.approx(found.theta)
        assert alone.mass[0] == pytest.approx(mass, abs=1e-9)


def test_less_throughput_needs_fewer_hops() -> None:
    # MIN has 2 of the 8 global links of a group, so 2/8 flits/cycle/node, which is 0.4 of the
    # throughput of 0.625: below that no detour is left but g.g, which may be shorter than MIN.
    model = ShapeModel(NETWORKS[1], parse_pattern("shift(1,0)"))
    mass = model.solve(EVERY, (1.0, 0.8, 0.5, 0.3)).mass
    assert mass.sum(axis=1) == pytest.approx(np.ones(4))
    full, most, half, least = mass @ HOPS
    assert full > most + 0.1 > half + 0.2
    assert least == pytest.approx(2.0)


def test_what_a_simulation_accepts_is_within_the_bound() -> None:
    # Far beyond saturation, with a routing that knows all queues, in a network with deep buffers.
    topology, pattern = Dragonfly(2, 4, 2, 5), uneven(Dragonfly(2, 4, 2, 5))
    config = SimulationConfig(
        warmup_cycles=2_000, measured_cycles=2_000, drain_limit_cycles=0, buffer_flits=64
    )
    for expression in ("shape(g.g)", "shape(lgl.lgl)", "shape(g.?:8, lg.g)"):
        path_set = parse_expression(expression, topology)
        assert isinstance(path_set, ShapeSet)
        shapes = np.array(path_set.weights) > 0
        model = ShapeModel(topology, pattern)
        model.solve(shapes)
        found = Scenario(topology, "ugal-g", path_set, pattern).run(0.9, config)
        assert found.accepted <= 1.02 * model.most_accepted(shapes, 0.9)


@pytest.mark.parametrize(
    ("network", "pattern", "small"),
    [
        ((2, 4, 2, 9), "shift(1,0)", True),
        ((2, 4, 2, 5), "uniform", True),
        ((4, 8, 4, 9), "type2(seed=0)", True),
        ((4, 8, 4, 33), "uniform", False),
        ((13, 26, 13, 27), "shift(1,0)", False),
    ],
)
def test_only_programs_of_seconds_are_small(
    network: tuple[int, int, int, int], pattern: str, small: bool
) -> None:
    assert ShapeModel(Dragonfly(*network), parse_pattern(pattern)).is_small is small
