"""Programs without most inner links: the same bounds, rows listed only as they crowd."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.model import Outcome, PatternModel, RegretSolver, throughput
from tvlb.model.separation import crowded_links, list_also, within_capacity
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import parse_pattern

# On the last two many inner links limit the routing, on the others few or none.
TOPOLOGIES = (
    Dragonfly(2, 4, 2, 5),
    Dragonfly(3, 6, 3, 7, "palmtree"),
    Dragonfly(2, 4, 2, 9),
    Dragonfly(4, 4, 4, 17),
)
SETS = (
    *("<=3", "<=3+40%", "<=4", "<=4+(2,3)", "<=4+70%", "<=5+30%", "all", "short(2,3)"),
    *("shape(g.?:3, lg.lgl)", "shape(lgl.lgl, g.lgl:0.1) & <=4"),
)
PATTERNS = ("shift(1,0)", "shift(2,1)", "type2(seed=3)")


def _model(topology: Dragonfly, pattern: str) -> PatternModel:
    """A model that starts without any inner link, as on a large network."""
    nothing = np.zeros(topology.num_links, dtype=bool)
    return PatternModel(topology, parse_pattern(pattern), solver=RegretSolver(1e-3), listed=nothing)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("topology", TOPOLOGIES, ids=str)
def test_bounds_hold_the_exact_optimum(topology: Dragonfly, pattern: str) -> None:
    traffic = parse_pattern(pattern)
    model = _model(topology, pattern)
    for expression in SETS:
        path_set = parse_expression(expression, topology)
        found = model.solve(path_set)
        exact = throughput(topology, path_set, traffic)
        assert found.status is Outcome.OPTIMAL
        assert found.theta_low - 1e-6 <= exact.theta <= found.theta_up + 1e-6
        assert found.relative_gap <= 1e-3
        assert found.nonzeros <= exact.nonzeros + 10_000


def test_what_is_left_out_holds_too() -> None:
    topology = Dragonfly(4, 4, 4, 17)
    model = _model(topology, "shift(1,1)")
    instance = model.instance(parse_expression("<=4", topology))
    assert instance.unlisted is not None
    assert not instance.unlisted.listed.any()
    attempt = next(iter(model.solver.attempts(instance)))
    shrunk = within_capacity(instance, attempt)
    assert instance.loads(shrunk.minimal, shrunk.detour).max() <= 1.0 + 1e-9
    assert shrunk.theta < attempt.theta
    crowded = crowded_links(instance, shrunk)
    assert crowded.any()
    # Only local links are ever left out, and listing them changes no load.
    assert (topology.network.link_kind[crowded] == 0).all()
    more = list_also(instance, crowded, attempt)
    assert more.loads(shrunk.minimal, shrunk.detour) == pytest.approx(
        instance.loads(shrunk.minimal, shrunk.detour), abs=1e-12
    )
    assert not crowded_links(more, shrunk)[crowded].any()
    assert len(more.detour.link) > len(instance.detour.link)


@settings(max_examples=25, deadline=None)
@given(
    expression=st.sampled_from(SETS),
    pattern=st.sampled_from(PATTERNS),
    seed=st.integers(0, 2**32 - 1),
)
def test_any_choice_of_rows_gives_valid_bounds(expression: str, pattern: str, seed: int) -> None:
    topology = Dragonfly(2, 4, 2, 9)
    path_set = parse_expression(expression, topology)
    traffic = parse_pattern(pattern)
    whole = PatternModel(topology, traffic, solver=RegretSolver(1e-3)).solve(path_set)
    random = np.random.default_rng(seed)
    listed = random.random(topology.num_links) < random.random()
    part = PatternModel(topology, traffic, solver=RegretSolver(1e-3), listed=listed).solve(path_set)
    assert part.theta_low <= whole.theta_up + 1e-9
    assert whole.theta_low <= part.theta_up + 1e-9


def test_a_small_network_lists_everything_at_once() -> None:
    topology = Dragonfly(2, 4, 2, 5)
    model = PatternModel(topology, parse_pattern("shift(1,0)"), solver=RegretSolver(1e-3))
    assert model.instance(parse_expression("all", topology)).unlisted is None


@pytest.mark.parametrize("arrangement", ["absolute", "palmtree", "circulant"])
def test_a_start_that_is_already_good_is_gone_on_from(arrangement: str) -> None:
    # The first routing meets the capacity bound on the listed links, so the first run makes no
    # iteration; the inner links then crowd, and regret matching must still do without HiGHS.
    topology = Dragonfly(2, 4, 4, 5, arrangement)
    proof = _model(topology, "shift(1,0)").prove(parse_expression("<=4", topology))
    assert proof.solution.reported.startswith("regret matching")
    assert proof.certificate.relative_gap <= 1e-3
