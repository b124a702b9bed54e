"""Two formulations of one LP agree: classes with monotonicity rows (PuLP) and vertices (HiGHS)."""

from dataclasses import dataclass
from functools import cache
from random import Random

import pytest

from tvlb.model import Throughput, throughput
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import MatrixPattern, Pattern, parse_pattern

# Links per group pair: 4, 2, 1, 2 (not all ports used), 3 with palmtree wiring, 1, 4.
TOPOLOGIES = (
    Dragonfly(2, 4, 2, 3),
    Dragonfly(2, 4, 2, 5),
    Dragonfly(2, 4, 2, 9),
    Dragonfly(2, 4, 2, 4),
    Dragonfly(3, 6, 3, 7, "palmtree"),
    Dragonfly(1, 2, 1, 3),
    Dragonfly(4, 8, 4, 9),
)
SETS = (
    "none",
    "<=3",
    "<=3+40%",
    "<=4",
    "<=4+(2,3)",
    "<=4+70%",
    "<=5+20%",
    "all",
    "short(2,3)",
    "short(<=4)",
    "short(all)",
)
PATTERNS = ("shift", "type2", "permutation", "uniform", "mixed", "matrix")


@dataclass(frozen=True)
class Case:
    topology: Dragonfly
    expression: str
    pattern: Pattern
    seed: int

    def solve(self, solver: str, *, monotone: bool) -> Throughput:
        path_set = parse_expression(self.expression, self.topology, self.seed)
        return throughput(
            self.topology,
            path_set,
            self.pattern,
            monotone=monotone,
            solver=solver,
            seed=self.seed,
        )

    def __str__(self) -> str:
        return f"{self.topology} {self.expression} {self.pattern}"


def _matrix(topology: Dragonfly, random: Random) -> MatrixPattern:
    """Every switch sends to three random ones, at most its own nodes' rate in all."""
    entries: list[tuple[int, int, float]] = []
    for switch in range(topology.num_switches):
        targets = sorted(random.sample(range(topology.num_switches), 3))
        shares = [random.random() for _ in targets]
        rate = topology.nodes_per_switch * random.random()
        entries += [
            (switch, target, rate * share / sum(shares))
            for target, share in zip(targets, shares, strict=True)
        ]
    return MatrixPattern("random", "switch", tuple(entries))


def _pattern(kind: str, topology: Dragonfly, random: Random) -> Pattern:
    groups, switches = topology.groups, topology.switches_per_group
    shift = f"shift({random.randrange(1, groups)},{random.randrange(switches)})"
    match kind:
        case "shift":
            return parse_pattern(shift)
        case "mixed":
            return parse_pattern(f"mixed(25,75,{shift})")
        case "matrix":
            return _matrix(topology, random)
        case _:
            return parse_pattern(kind)


def _case(seed: int) -> Case:
    random = Random(seed)
    kind = PATTERNS[seed % len(PATTERNS)]
    # Dense patterns stay on the small networks, where PuLP takes well under a second.
    sparse = kind in {"shift", "type2"}
    small = [t for t in TOPOLOGIES if t.num_switches <= (42 if kind == "permutation" else 16)]
    topology = random.choice(TOPOLOGIES if sparse else small)
    return Case(topology, random.choice(SETS), _pattern(kind, topology, random), seed)


CASES = [_case(seed) for seed in range(60)]


@cache
def _optimum(case: Case, *, monotone: bool) -> Throughput:
    return case.solve("highs", monotone=monotone)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_pulp_and_highs_agree(case: Case) -> None:
    monotone = case.seed % 4 != 3
    direct = _optimum(case, monotone=monotone)
    portable = case.solve("pulp:HiGHS", monotone=monotone)
    assert portable.theta == pytest.approx(direct.theta, abs=1e-6)


# CBC answers with eight digits, which is too coarse for the certificate of the largest network.
@pytest.mark.parametrize(
    "case", [case for case in CASES if case.topology.num_switches < 40][::6], ids=str
)
def test_another_solver_agrees(case: Case) -> None:
    direct = _optimum(case, monotone=True)
    assert case.solve("pulp:PULP_CBC_CMD", monotone=True).theta == pytest.approx(
        direct.theta, abs=1e-6
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_optimum_is_certified_and_below_the_bound(case: Case) -> None:
    result = _optimum(case, monotone=True)
    assert result.theta == result.theta_low
    assert result.theta_up - result.theta_low <= 1e-6 * result.theta_up
    assert result.theta <= result.bound + 1e-6
    assert result.bound <= result.theta_cap <= 1.0


SHAPES = (
    "shape(g.g:8, g.gl:4, g.lg:4, g.lgl)",
    "shape(lgl.lgl) & <=4",
    "shape(g.?:2, lg.?) & <=4+60%",
    "shape(g.?) & short(2,3)",
)


@pytest.mark.parametrize("expression", SHAPES)
@pytest.mark.parametrize("topology", TOPOLOGIES[:5], ids=str)
def test_solvers_agree_on_sets_by_shape(topology: Dragonfly, expression: str) -> None:
    case = Case(topology, expression, parse_pattern("shift(1,1)"), 3)
    exact = case.solve("highs", monotone=True).theta
    assert case.solve("pulp:HiGHS", monotone=True).theta == pytest.approx(exact, abs=1e-6)
    bounds = case.solve("rm+:0.001", monotone=True)
    assert bounds.theta_low - 1e-6 <= exact <= bounds.theta_up + 1e-6
    assert bounds.theta_up - bounds.theta_low <= 1e-3 * bounds.theta_up


# Ten times the weight of every shape is the same set, and so are all shapes of some lengths if no
# pair lacks them all.
@pytest.mark.parametrize(
    ("expression", "same"),
    [
        ("shape(g.?:10, lg.g:20)", "shape(g.?, lg.g:2)"),
        ("shape(?.?:7) & <=4+60%", "<=4+60%"),
        ("shape(g.?, gl.g, gl.gl, gl.lg, lg.g, lg.gl, lg.lg, lgl.g)", "<=4"),
    ],
)
def test_equal_sets_have_equal_optima(expression: str, same: str) -> None:
    cases = [
        Case(Dragonfly(2, 4, 2, 5), text, parse_pattern("shift(1,1)"), 3)
        for text in (expression, same)
    ]
    first, second = (case.solve("highs", monotone=True) for case in cases)
    assert first.theta == pytest.approx(second.theta, abs=1e-9)


def test_the_sample_has_binding_monotonicity_rows() -> None:
    losses = [
        _optimum(case, monotone=False).theta - _optimum(case, monotone=True).theta for case in CASES
    ]
    assert min(losses) >= -1e-6
    assert sum(loss > 1e-4 for loss in losses) >= 5
