"""Sets by shape as points, and the sets that a search begins with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tvlb.model.shape_flow import ShapeModel
from tvlb.paths import (
    Shapes,
    ShapeSet,
    mean_paths_by_shape,
    parse_expression,
)
from tvlb.requests.texts import PathSetText
from tvlb.search.shape_space import ShapeSpace, starting_sets
from tvlb.topology import Dragonfly, ListedTopology, kinds_of
from tvlb.traffic import MatrixPattern, Shift

# Of the second, no switch has two global links, so that no path has the shape g.g.
NETWORKS = [Dragonfly(2, 4, 2, 5), Dragonfly(1, 2, 1, 3), Dragonfly(4, 1, 2, 3)]
SPACES = [(ShapeSpace(one), mean_paths_by_shape(one), one) for one in NETWORKS]

SHAPES = Shapes(("g", "gl", "lg", "lgl"))
points = st.lists(st.floats(-12.0, 3.0), min_size=len(SHAPES), max_size=len(SHAPES))


def shares(one: ShapeSet, paths: np.ndarray) -> np.ndarray:
    mass = np.array(one.weights) * paths
    return mass / mass.sum()


@pytest.mark.parametrize("case", SPACES, ids=[str(one) for one in NETWORKS])
@given(points)
def test_a_point_is_the_shares_that_its_shapes_carry(
    case: tuple[ShapeSpace, np.ndarray, Dragonfly], coordinates: list[float]
) -> None:
    space, paths, topology = case
    point = np.array(coordinates)
    found = space.set_at(point)
    # Weights are 100 at most, have two digits, and belong to shapes that some pair has.
    assert max(found.weights) == 100.0
    assert all(weight == float(f"{weight:.2g}") for weight in found.weights)
    assert (paths[np.array(found.weights) > 0] > 0).all()
    # In that range, a share less than 1/64 of the largest is none.
    usable = np.where(paths > 0, point, -np.inf)
    wanted = np.exp2(usable - usable.max())
    wanted[wanted < 1 / 64] = 0.0
    assert shares(found, paths) == pytest.approx(wanted / wanted.sum(), rel=0.12)
    # The point of the set is the same less what all shapes have in common.
    kept = wanted > 0
    offset = space.point(found.weights)[kept] - point[kept]
    assert offset == pytest.approx(offset[0], abs=0.15)
    assert parse_expression(str(found), topology) == found


@given(points)
def test_what_a_set_rounds_to_stays(coordinates: list[float]) -> None:
    space, paths, _ = SPACES[0]
    once = space.set_at(np.array(coordinates))
    again = space.set_at(space.point(once.weights))
    # Shapes on the edge of 1/64 may fall out.
    clear = shares(once, paths) > shares(once, paths).max() / 60
    for first, second, sure in zip(once.weights, again.weights, clear, strict=True):
        assert not sure or second == pytest.approx(first, rel=0.06)


@given(points, st.floats(-5.0, 5.0))
def test_points_that_differ_by_a_constant_are_one_set(
    coordinates: list[float], shift: float
) -> None:
    space = SPACES[0][0]
    point = np.round(np.array(coordinates) * 4) / 4  # so that sums are exact
    assert space.set_at(point) == space.set_at(point + round(shift * 4) / 4)


@pytest.mark.parametrize("topology", NETWORKS, ids=str)
def test_a_search_begins_with_different_sets_that_have_paths(topology: Dragonfly) -> None:
    ruled = starting_sets(topology, [])
    found = starting_sets(topology, [ShapeModel(topology, Shift(1, 0))])
    # Six by rule and one or two by the model, which are one on small networks.
    assert (len(ruled), found[:6]) == (6, ruled)
    assert len({str(one) for one in found}) == len(found) <= 8
    for one in found:
        assert parse_expression(str(one), topology) == one
        assert (np.array(one.weights) * mean_paths_by_shape(topology)).sum() > 0


def test_the_sets_by_rule_are_families_of_halves_that_prefer_short_paths() -> None:
    halves = ["g", "gl", "lg", "lgl"]
    short = ["g", "lg"]
    families: list[tuple[list[str], list[str], list[float]]] = [
        (["g"], halves, [1, 2, 4]), (short, short, [2, 4]), (halves, halves, [8]),
    ]  # fmt: skip
    # Every link that a path takes less makes it a number of times as likely.
    expected = [
        {f"{one}.{other}": ratio ** -len(one + other) for one in first for other in second}
        for first, second, ratios in families
        for ratio in ratios
    ]
    for one, by_name in zip(starting_sets(NETWORKS[0], []), expected, strict=True):
        weights = {SHAPES.name(code): weight for code, weight in enumerate(one.weights) if weight}
        assert weights.keys() == by_name.keys()
        assert min(weights.values()) == 1.0
        least = min(by_name.values())
        assert weights == pytest.approx({name: each / least for name, each in by_name.items()})


def test_the_free_model_starts_from_what_its_shapes_carry() -> None:
    topology = NETWORKS[0]
    models = [ShapeModel(topology, Shift(1, 0)), ShapeModel(topology, Shift(2, 1))]
    up_to_four = np.array(SHAPES.hops) <= 4
    last = starting_sets(topology, models)[-2:]
    assert last[0] != last[1]
    # Near the highest throughput, then well below it.
    for share, one in zip((0.95, 0.8), last, strict=True):
        mass = np.mean([model.solve(up_to_four, [share]).mass[0] for model in models], axis=0)
        carried = shares(one, mean_paths_by_shape(topology))
        wanted = np.where(mass < mass.max() / 64, 0.0, mass)
        assert carried == pytest.approx(wanted / wanted.sum(), rel=0.12)
        assert not carried[~up_to_four].any()


def test_models_without_detours_start_nothing() -> None:
    # Nodes that send to their neighbours on the switch only.
    inside = MatrixPattern("inside", "node", tuple((node, node + 1, 1.0) for node in (0, 2, 4)))
    topology = NETWORKS[0]
    models = [ShapeModel(topology, one) for one in (inside, Shift(1, 0))]
    assert starting_sets(topology, models[:1]) == starting_sets(topology, [])
    assert starting_sets(topology, models) == starting_sets(topology, models[1:])


def _path_of_kinds(switches: int, kinds: int) -> ListedTopology:
    """Return a path of switches whose MIN paths take the kinds of links in many orders."""
    cables: list[list[list[int]]] = [[] for _ in range(kinds)]
    for switch in range(switches - 1):
        cables[(switch * switch + switch // 3) % kinds].append([switch, switch + 1])
    return ListedTopology([1] * switches, cables, kinds_of(dict.fromkeys("abcdefgh"[:kinds], 10)))


@pytest.mark.parametrize(("switches", "kinds"), [(9, 4), (14, 1), (22, 2)])
def test_sets_of_any_number_of_shapes_and_links_are_written(switches: int, kinds: int) -> None:
    # Of the last more than 10,000 shapes; a weight of 8 per hop is one of 8^40 over 40 links.
    topology = _path_of_kinds(switches, kinds)
    shapes = len(mean_paths_by_shape(topology))
    random = np.random.default_rng(1)
    drawn = ShapeSpace(topology).set_at(random.uniform(-5.0, 0.0, shapes))
    # Requests take such texts, too.
    assert TypeAdapter[str](PathSetText).validate_python(str(drawn)) == str(drawn)
    for one in [*starting_sets(topology, []), drawn]:
        assert max(one.weights) > 0
        assert parse_expression(str(one), topology) == one
