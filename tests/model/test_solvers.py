"""What every solver keeps: the certified bounds hold the optimum, and are as close as promised."""

import _thread
import re
import signal
import threading
from functools import cache

import highspy
import pytest

from tvlb.errors import InvalidInput
from tvlb.model import TOLERANCE, PatternModel, Throughput, parse_solver, solver_kinds, throughput
from tvlb.model.solvers.pulp import available_solvers
from tvlb.paths import parse_expression
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

KINDS = solver_kinds().values()
INSTALLED = [text for kind in KINDS for text in kind.installed()]

# Network, path set, pattern, whether rates must not rise with length.
CASES = (
    ("2,4,2,3", "none", "shift(1,0)", True),
    ("2,4,2,3", "all", "shift(1,1)", False),
    ("2,4,2,5", "<=4+60%", "type2(seed=1)", True),
    ("2,4,2,4", "shape(g.?:2, lg.?)", "uniform", True),
    ("1,2,1,3", "all", "permutation(seed=2)", True),
    ("4,4,2,3", "all", "shift(0,1)", True),
)
Case = tuple[str, str, str, bool]


def solved(case: Case, solver: str) -> Throughput:
    name, expression, pattern, monotone = case
    topology = parse_topology(name)
    path_set = parse_expression(expression, topology, 3)
    return throughput(
        topology, path_set, parse_pattern(pattern), monotone=monotone, solver=solver, seed=3
    )


@cache
def optimum(case: Case) -> float:
    """Solve by the default, which the reference file checks."""
    return solved(case, "highs").theta


@pytest.mark.parametrize("solver", INSTALLED)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_bounds_hold_the_optimum_and_keep_the_gap(solver: str, case: Case) -> None:
    found, gap = solved(case, solver), parse_solver(solver).gap
    assert found.solver == solver
    assert found.theta == found.theta_low
    assert found.theta_low - TOLERANCE <= optimum(case) <= found.theta_up + TOLERANCE
    assert found.relative_gap <= gap
    assert found.theta == pytest.approx(optimum(case), rel=gap + TOLERANCE)
    assert found.primal_residual <= TOLERANCE


@pytest.mark.parametrize("solver", INSTALLED)
def test_equal_programs_get_equal_answers(solver: str) -> None:
    topology = parse_topology("2,4,2,5")
    model = PatternModel(topology, parse_pattern("shift(1,0)"))
    instance = model.instance(parse_expression("<=4", topology))
    first, second = (next(parse_solver(solver).attempts(instance)) for _ in range(2))
    assert (first.outcome, first.reported) == (second.outcome, second.reported)
    assert first.theta == second.theta
    for name in ("minimal", "detour", "price"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes()


@pytest.mark.parametrize("name", solver_kinds())
def test_something_of_every_kind_can_be_tested(name: str) -> None:
    kind = solver_kinds()[name]
    assert kind.installed()
    assert all(text.partition(":")[0] == name for text in kind.installed())


@pytest.mark.parametrize("solver", INSTALLED)
def test_texts_parse_back(solver: str) -> None:
    chosen = parse_solver(solver)
    assert str(chosen) == solver
    assert parse_solver(str(chosen)) == chosen


@pytest.mark.parametrize("solver", ["", "HIGHS", "highs:", "pulp", "rm+", "glpk", "glpk:x"])
def test_unknown_solvers(solver: str) -> None:
    with pytest.raises(InvalidInput, match=f"unknown solver {re.escape(repr(solver))}") as caught:
        parse_solver(solver)
    assert all(kind.usage in str(caught.value) for kind in KINDS)


@pytest.mark.parametrize("name", ["", "NOPE", "CHOCO_CMD"])
def test_unavailable_solver_names_the_available_ones(name: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_solver(f"pulp:{name}")
    assert all(name in str(caught.value) for name in available_solvers())


def test_a_service_starts_no_other_programs() -> None:
    served = {kind.name: kind.served for kind in KINDS if kind.served is not None}
    assert "pulp" not in served
    for name, pattern in served.items():
        assert all(re.fullmatch(pattern, text) for text in solver_kinds()[name].installed())


# 5,112 flows: seconds, if it went on.
def test_highs_hears_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    run = highspy.Highs.run

    def told(engine: highspy.Highs) -> highspy.HighsStatus:
        begun.set()
        return run(engine)

    def interrupt() -> None:
        begun.wait()
        _thread.interrupt_main()

    monkeypatch.setattr(highspy.Highs, "run", told)
    # Packages that other tests import may have put their own.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Thread(target=interrupt).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            throughput("4,8,4,9", "<=4", "uniform")
    finally:
        signal.signal(signal.SIGINT, handler)
