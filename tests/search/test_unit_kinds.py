"""Every kind of unit: what its key depends on, and results that come back to the last bit."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import pytest

from sim_bridge import Scenario, SimulationConfig
from tvlb.balance import (
    BalanceOptions,
    ReweightedSet,
    WeightOptions,
    balance,
    balance_weights,
)
from tvlb.documents import versions
from tvlb.errors import TvlbError
from tvlb.model import PatternTask, RegretSolver, solve_pattern
from tvlb.paths import parse_expression
from tvlb.processes import Unit
from tvlb.search import NamedSet
from tvlb.search.candidates import ContentUnit
from tvlb.search.pattern_unit import PatternUnit
from tvlb.search.preparation import BalanceUnit
from tvlb.search.simulation_units import Recipe, RunUnit, SaturationUnit
from tvlb.topology import Dragonfly
from tvlb.traffic import MatrixPattern, Pattern, Shift, Type2

TOPOLOGY = Dragonfly(2, 4, 2, 3)
# In a file, and by two rules that come to the same here.
SAME_CABLES = [
    Dragonfly(2, 4, 2, 3, "circulant"),
    Dragonfly.from_cables(2, 4, 2, 3, TOPOLOGY.cables, path="cables.csv"),
]
CONFIG = SimulationConfig(warmup_cycles=200, measured_cycles=200)
BALANCING = BalanceOptions()
WEIGHTS = WeightOptions()
SOLVER = RegretSolver()
PATTERN = Type2(0)

# Another value or several of every field of what a key is made of.
OTHERS: Mapping[type, Mapping[str, list[object]]] = {
    BalanceOptions: {
        "local_threshold": [2.5],
        "global_threshold": [1.5],
        "floor_paths": [5],
        "floor_share": [0.25],
    },
    SimulationConfig: {
        "warmup_cycles": [201],
        "measured_cycles": [201],
        "warmup": ["detect"],
        "drain_limit_cycles": [999],
        "vc_scheme": ["per-hop"],
        "vc_count": [4, 5],
        "buffer_flits": [16],
        "local_latency": [9],
        "global_latency": [9],
        "link_latencies": ["local=8"],
        "speedup": [1],
        "ugal_rule": ["two"],
        "queue": ["vc"],
        "threshold": [1],
        "vlb_factor": [1.5],
        "candidates": [2],
        "decide": ["each-attempt"],
        "traced_packets": [1],
        "stop_when_saturated": [True],
        "interval": [],  # of the course, which no unit keeps
    },
    WeightOptions: {"rounds": [29], "step": [0.25], "floor": [1 / 32]},
    RegretSolver: {"gap": [1e-2], "max_iterations": [9]},
}
NETWORKS = [
    Dragonfly(1, 4, 2, 3),
    Dragonfly(2, 3, 2, 3),
    Dragonfly(2, 4, 3, 3),
    Dragonfly(2, 4, 2, 5),
    Dragonfly(2, 4, 2, 3, "palmtree"),
]


def variants(value: Any) -> list[Any]:
    """Return a value with one field changed, in all the ways listed above."""
    others = OTHERS[type(value)]
    assert others.keys() == {field.name for field in fields(value)}
    return [replace(value, **{name: one}) for name, some in others.items() for one in some]


@dataclass(frozen=True)
class Asked:
    """What the five kinds of units are asked, all in one."""

    network: Dragonfly = TOPOLOGY
    expression: str = "<=3"
    balancing: BalanceOptions | WeightOptions | None = BALANCING
    path_seed: int = 0
    seed: int = 0
    routing: str = "ugal-l"
    pattern: Pattern = PATTERN
    solver: RegretSolver = SOLVER
    config: SimulationConfig = CONFIG
    load: float = 0.25
    grid: float = 0.05
    guess: float | None = None
    guess_error: float = 0.0
    listed: bool = True

    def recipe(self) -> Recipe:
        path_set = parse_expression(self.expression, self.network, self.path_seed)
        match self.balancing:
            case None:
                pass
            case WeightOptions():
                path_set = balance_weights(path_set, self.balancing).path_set
            case BalanceOptions():
                path_set = balance(path_set, self.balancing, seed=self.path_seed).path_set
        named_set = NamedSet("any", self.expression, path_set, self.path_seed, self.balancing)
        return Recipe(named_set, self.routing, self.pattern, self.seed)

    def units(self) -> dict[str, Unit[Any]]:
        """Return a unit of each kind, by its class."""
        assert self.balancing is not None
        task = PatternTask(
            self.network, self.pattern, (self.expression, "all"), self.seed, self.solver
        )
        units: list[Unit[Any]] = [
            ContentUnit(self.network, self.expression, self.path_seed, self.listed),
            PatternUnit(task),
            BalanceUnit(self.network, self.expression, self.balancing, self.path_seed),
            RunUnit(self.recipe(), self.config, self.load),
            SaturationUnit(self.recipe(), self.config, self.grid, self.guess, self.guess_error),
        ]
        return {type(unit).__name__: unit for unit in units}


ASKED = Asked()
UNITS = ASKED.units()
ANY = frozenset(UNITS)
BALANCED = frozenset({"BalanceUnit", "RunUnit", "SaturationUnit"})
SIMULATED = frozenset({"RunUnit", "SaturationUnit"})
SEARCHED = frozenset({"SaturationUnit"})
# Every field of `Asked`: other values, and the kinds of unit whose result it decides.
CHANGES: Mapping[str, tuple[list[object], frozenset[str]]] = {
    "network": (list(NETWORKS), ANY),
    "expression": (["<=4", "<=3+10%"], ANY),
    "balancing": ([*variants(BALANCING), WEIGHTS, *variants(WEIGHTS)], BALANCED),
    "path_seed": ([1], BALANCED | {"ContentUnit"}),
    "seed": ([1], SIMULATED | {"PatternUnit"}),
    "routing": (["ugal-g", "par"], SIMULATED),
    "pattern": ([Type2(1), Shift(1, 0)], SIMULATED | {"PatternUnit"}),
    "solver": (variants(SOLVER), frozenset({"PatternUnit"})),
    "config": (variants(CONFIG), SIMULATED),
    "load": ([0.2500000000000001], frozenset({"RunUnit"})),
    "grid": ([0.01], SEARCHED),
    "guess": ([0.0, 0.3], SEARCHED),
    "guess_error": ([0.05], SEARCHED),
    "listed": ([False], frozenset({"ContentUnit"})),
}


def test_keys_differ_where_the_fields_do_and_nowhere_else() -> None:
    assert CHANGES.keys() == {field.name for field in fields(ASKED)}
    seen = {name: [unit.key] for name, unit in UNITS.items()}
    for name, (others, decided) in CHANGES.items():
        for other in others:
            for kind, unit in replace(ASKED, **{name: other}).units().items():
                if kind in decided:
                    seen[kind].append(unit.key)
                else:
                    assert unit.key == UNITS[kind].key, f"{kind} {name}"
    every = [key for keys in seen.values() for key in keys]
    assert len(set(every)) == len(every)


def test_intervals_of_the_course_are_no_part_of_keys() -> None:
    other = Asked(config=replace(CONFIG, interval=250)).units()
    assert {name: unit.key for name, unit in other.items()} == {
        name: unit.key for name, unit in UNITS.items()
    }


def test_simulations_tell_sets_from_balanced_ones() -> None:
    plain, balanced = (Asked(balancing=one).recipe() for one in (None, BALANCING))
    assert RunUnit(plain, CONFIG, 0.25).key != RunUnit(balanced, CONFIG, 0.25).key
    # Processes keep scenarios by what is asked.
    assert plain != balanced
    assert Asked().recipe() == balanced


def test_a_traffic_matrix_is_told_by_its_content_and_not_by_its_path() -> None:
    def key(*matrix: Any) -> str:
        return RunUnit(Asked(pattern=MatrixPattern(*matrix)).recipe(), CONFIG, 0.25).key

    entries = ((0, 4, 0.5), (4, 0, 0.5))
    same = key("m.csv", "switch", entries)
    assert key("elsewhere/m.csv", "switch", entries) == same
    others = [
        key("m.csv", "node", entries),
        key("m.csv", "switch", entries[:1]),
        key("m.csv", "switch", ((0, 4, 0.5), (4, 0, 0.5000000000000001))),
        UNITS["RunUnit"].key,
    ]
    assert len({same, *others}) == 5


@pytest.mark.parametrize("name", ["tvlb", "highspy", "numpy"])
def test_another_version_has_other_keys(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    software = versions() | {name: "0.0.0"}
    monkeypatch.setattr("tvlb.processes.units._software", lambda: software)
    assert all(unit.key != UNITS[kind].key for kind, unit in Asked().units().items())


def test_the_order_of_path_sets_is_part_of_the_key() -> None:
    tasks = [
        PatternTask(TOPOLOGY, PATTERN, names, 0, SOLVER)
        for names in (("<=3", "all"), ("all", "<=3"), ("all",))
    ]
    assert len({PatternUnit(task).key for task in tasks}) == 3


@pytest.mark.parametrize("network", SAME_CABLES, ids=["by another rule", "in a file"])
def test_keys_do_not_depend_on_the_name_of_the_wiring(network: Dragonfly) -> None:
    assert network != TOPOLOGY
    same = Asked(network=network).units()
    assert {kind: unit.key for kind, unit in same.items()} == {
        kind: unit.key for kind, unit in UNITS.items()
    }
    for kind, unit in same.items():
        assert unit.compute() == UNITS[kind].compute()


@pytest.mark.parametrize("kind", sorted(ANY - {"ContentUnit"}))
@pytest.mark.parametrize("data", [b"", b"\xff", b"garbage", b"PK\x03\x04", b"{}", b"[]", b"[[1]]"])
def test_what_is_no_answer_is_refused(kind: str, data: bytes) -> None:
    with pytest.raises((IndexError, KeyError, TypeError, ValueError, TvlbError)):
        UNITS[kind].decode(data)


def test_bounds_come_back_to_the_last_bit() -> None:
    unit = UNITS["PatternUnit"]
    assert isinstance(unit, PatternUnit)
    result = unit.decode(unit.compute())
    assert result.tobytes() == solve_pattern(unit.task).tobytes()
    assert unit.decode(b"[[0.30000000000000004, NaN], [5e-324, -0.0]]").tolist()[0][0] == 0.1 + 0.2


def test_balanced_sets_come_back_with_their_reports() -> None:
    options = BalanceOptions(local_threshold=1.4, floor_paths=2)
    unit = BalanceUnit(TOPOLOGY, "<=3", options, 0)
    result = unit.decode(unit.compute())
    expected = balance(parse_expression("<=3", TOPOLOGY), options)
    assert expected.report.removed > 0
    assert repr(result.report) == repr(expected.report)
    assert result.mean_hops == expected.mean_hops
    assert result.keep is not None
    assert expected.keep is not None
    assert result.keep.tolist() == expected.keep.tolist()


def test_weighted_sets_come_back_to_the_last_bit() -> None:
    topology = Dragonfly(2, 4, 2, 5)
    unit = BalanceUnit(topology, "<=4", WEIGHTS, 0)
    result = unit.decode(unit.compute())
    expected = balance_weights(parse_expression("<=4", topology), WEIGHTS)
    assert isinstance(result.path_set, ReweightedSet)
    assert isinstance(expected.path_set, ReweightedSet)
    # The usage of the links is not even as it is.
    assert len(set(expected.path_set.factors.tolist())) > 1
    assert result.path_set.factors.tobytes() == expected.path_set.factors.tobytes()
    rows, others = result.path_set.all_rows(), expected.path_set.all_rows()
    assert rows.weight.tobytes() == others.weight.tobytes()
    assert (result.mean_hops, result.keep) == (expected.mean_hops, None)
    assert repr(result.report) == repr(expected.report)


def test_a_run_without_packets_has_no_latency_and_comes_back() -> None:
    unit = RunUnit(ASKED.recipe(), CONFIG, 0.0)
    run = unit.decode(unit.compute())
    assert math.isnan(run.latency)
    assert (run.accepted, run.saturated) == (0.0, False)
    assert run.work.cycles >= 400


def test_runs_are_those_of_the_scenario() -> None:
    unit = RunUnit(ASKED.recipe(), CONFIG, 0.25)
    run, result = unit.decode(unit.compute()), ASKED.recipe().scenario().run(0.25, CONFIG)
    assert (run.latency, run.accepted, run.saturated) == (
        result.latency_mean,
        result.accepted,
        result.saturated,
    )
    assert (run.work.flit_hops, run.work.cycles) == (result.flit_hops, result.cycles)


def test_runs_of_large_networks_have_the_threads_that_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And the same results, to the byte; a search for a saturation load asks before every run."""
    threads = list[int]()
    asked = Asked(network=Dragonfly(4, 8, 4, 17), balancing=None, pattern=Shift(1, 0))
    search = SaturationUnit(asked.recipe(), CONFIG, 0.1, 0.2)
    run = RunUnit(asked.recipe(), CONFIG, 0.1)
    simulated = Scenario.run

    def noted(*args: Any, **more: Any) -> Any:
        threads.append(more["threads"])
        return simulated(*args, **more)

    monkeypatch.setattr(Scenario, "run", noted)
    alone = run.compute(), search.compute()
    assert set(threads) == {1}
    left = iter((2, 1, *[9] * 99))
    monkeypatch.setattr("tvlb.search.simulation_units.spare_threads", lambda: next(left))
    threads.clear()
    assert (run.compute(), search.compute()) == alone
    assert threads[:3] == [2, 1, 2]  # of 544 nodes


@pytest.mark.parametrize(("senders", "tenth"), [(12, 2), (7, 1)])
def test_a_run_tells_what_the_worst_served_switches_send(senders: int, tenth: int) -> None:
    # Some of 12 switches send to the next group, every other one half as much. What nodes that
    # send less get into the network counts as a share of that.
    rates = tuple((one, (one + 4) % 12, 2.0 / (1 + one % 2)) for one in range(senders))
    recipe = Asked(pattern=MatrixPattern("next", "switch", rates)).recipe()
    unit = RunUnit(recipe, CONFIG, 0.9)
    injected = recipe.scenario().run(0.9, CONFIG).switch_injected
    served = sorted(injected[one] / (0.9 / (1 + one % 2)) for one in range(senders))
    assert served[0] < served[tenth] < 0.95
    least = unit.decode(unit.compute()).least_served
    assert least == pytest.approx(sum(served[:tenth]) / tenth)


def test_switches_that_send_hardly_anything_tell_nothing() -> None:
    busy = tuple((one, (one + 4) % 12, 2.0) for one in range(8))
    idle = tuple((one, (one + 4) % 12, 0.002) for one in range(8, 12))
    runs = [
        RunUnit(Asked(pattern=MatrixPattern("next", "switch", rates)).recipe(), CONFIG, 0.9)
        for rates in (busy, busy + idle, idle)
    ]
    alone, beside, nothing = (unit.decode(unit.compute()).least_served for unit in runs)
    assert 0 < beside == pytest.approx(alone, rel=0.2)
    assert math.isnan(nothing)
