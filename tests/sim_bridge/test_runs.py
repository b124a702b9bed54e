"""Runs as a whole: conservation, repetition, threads, stopping, saturation, bad input."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim_bridge import (
    PATH_ROUTINGS,
    Scenario,
    SimulationConfig,
    SimulationResult,
    StopFlag,
    search_saturation,
    simulate,
)
from tvlb.errors import Cancelled, InvalidInput
from tvlb.native.virtual_channels import VcScheme
from tvlb.paths import parse_expression
from tvlb.topology import Dragonfly
from tvlb.traffic import Shift, parse_pattern

Run = Callable[..., SimulationResult]
Figures = Callable[[SimulationResult], tuple[object, ...]]

WINDOWS = SimulationConfig(warmup_cycles=500, measured_cycles=500)
SHAPES = [(1, 3, 1, 3), (2, 4, 2, 3), (1, 3, 2, 4), (2, 4, 2, 9)]


@settings(max_examples=40, deadline=None)
@given(
    shape=st.sampled_from(SHAPES),
    routing=st.sampled_from(PATH_ROUTINGS),
    pattern=st.sampled_from(["uniform", "shift(1,0)", "tmixed(50,50,shift(1,1))"]),
    load=st.floats(0.0, 1.0),
    scheme=st.sampled_from(VcScheme),
    speedup=st.integers(1, 4),
    buffer=st.integers(2, 40),
    decide=st.sampled_from(["once", "each-attempt"]),
    seed=st.integers(0, 2**63 - 1),
)
def test_flits_are_conserved(
    *,
    shape: tuple[int, int, int, int],
    routing: str,
    pattern: str,
    load: float,
    scheme: str,
    speedup: int,
    buffer: int,
    decide: str,
    seed: int,
) -> None:
    topology = Dragonfly(*shape)
    result = simulate(
        topology,
        routing=routing,
        path_set=parse_expression("all", topology),
        pattern=parse_pattern(pattern),
        load=load,
        seed=seed,
        config=replace(
            WINDOWS,
            drain_limit_cycles=300,
            vc_scheme=scheme,
            speedup=speedup,
            buffer_flits=buffer,
            decide=decide,
        ),
    )
    assert result.flits_injected == result.flits + result.flits_in_network
    assert 0 <= result.undelivered <= round(result.generated * topology.num_nodes * 500)
    assert np.all((result.link_load >= 0) & (result.link_load <= 1))
    assert round(result.link_load.sum() * 500) <= result.flit_hops
    most = 7 if routing == "par" else 6
    assert result.flit_hops <= most * result.flits_injected
    if result.generated > 0 and result.undelivered == 0:
        assert result.latency_mean >= 5


def test_equal_arguments_give_equal_results(small: Dragonfly, run: Run, figures: Figures) -> None:
    first = run(small, "par", "all", "shift(1,0)", 0.2, seed=5)
    assert figures(run(small, "par", "all", "shift(1,0)", 0.2, seed=5)) == figures(first)
    assert figures(run(small, "par", "all", "shift(1,0)", 0.2, seed=6)) != figures(first)


def test_results_do_not_depend_on_the_number_of_threads(small: Dragonfly, figures: Figures) -> None:
    path_set = parse_expression("<=4+60%", small)
    scenarios = [
        Scenario(small, routing, path_set, Shift(1, 0), seed)
        for routing in ("ugal-l", "par")
        for seed in (0, 1)
    ]

    def run(scenario: Scenario) -> SimulationResult:
        return scenario.run(0.2, WINDOWS)

    def runs(threads: int) -> list[tuple[object, ...]]:
        # Runs of one scenario share what was prepared for it.
        with ThreadPoolExecutor(threads) as pool:
            return [figures(result) for result in pool.map(run, scenarios * 2)]

    alone = runs(1)
    assert alone[:4] == alone[4:]
    assert runs(3) == alone


def test_a_set_flag_cancels_a_run(small: Dragonfly) -> None:
    stop = StopFlag()
    stop.set()
    scenario = Scenario(small, "min", parse_expression("none", small), Shift(1, 0))
    result = scenario.run(0.1, stop=stop)
    assert (result.stopped, result.cycles) == ("cancelled", 0)
    with pytest.raises(Cancelled):
        search_saturation(scenario, stop=stop)


def test_a_flag_set_from_another_thread_ends_a_long_run(small: Dragonfly) -> None:
    stop = StopFlag()
    progress = threading.Thread(target=_set_once_running, args=(stop,))
    progress.start()
    result = simulate(
        small,
        routing="ugal-l",
        path_set=parse_expression("all", small),
        pattern=Shift(1, 0),
        load=0.1,
        config=SimulationConfig(warmup_cycles=100_000_000),
        stop=stop,
    )
    progress.join()
    assert result.stopped == "cancelled"
    assert 0 < result.cycles < 100_000_000
    assert stop.cycles_done == result.cycles


def _set_once_running(stop: StopFlag) -> None:
    while stop.cycles_done == 0:
        pass
    stop.set()


def test_a_saturated_run_may_stop_early_with_the_same_verdict(small: Dragonfly, run: Run) -> None:
    config = SimulationConfig(warmup_cycles=6000, measured_cycles=2000)
    whole = run(small, "min", "none", "shift(1,0)", 0.3, config=config)
    early = run(
        small, "min", "none", "shift(1,0)", 0.3, config=replace(config, stop_when_saturated=True)
    )
    assert whole.saturated
    assert whole.stopped == "completed"
    # What was generated does not depend on how much of it got through.
    assert whole.generated == pytest.approx(0.3, rel=0.01)
    assert early.saturated
    assert early.stopped == "saturated-early"
    assert early.cycles < whole.cycles


def test_stopping_early_does_not_change_an_unsaturated_run(
    small: Dragonfly, run: Run, figures: Figures
) -> None:
    whole = run(small, "ugal-l", "all", "shift(1,0)", 0.2, config=WINDOWS)
    careful = replace(WINDOWS, stop_when_saturated=True)
    assert figures(run(small, "ugal-l", "all", "shift(1,0)", 0.2, config=careful)) == figures(whole)


@pytest.mark.parametrize("routing", ["ugal-l", "ugal-g"])
@pytest.mark.parametrize("drain", [0, 60, 20_000])
def test_a_run_for_its_verdict_alone_has_the_same(
    small: Dragonfly, routing: str, drain: int
) -> None:
    config = replace(WINDOWS, stop_when_saturated=True, drain_limit_cycles=drain)
    scenario = Scenario(small, routing, parse_expression("all", small), Shift(1, 0), 3)
    saved = 0
    for load in (0.05, 0.2, 0.22, 0.24, 0.26, 0.28, 0.4):
        whole = scenario.run(load, config)
        brief = scenario.run(load, config, verdict_only=True)
        assert brief.saturated is whole.saturated
        assert brief.accepted == whole.accepted
        assert brief.cycles <= whole.cycles
        if brief.cycles < whole.cycles:
            assert brief.stopped == "sustained-early"
            saved += 1
    # Without a drain there is nothing to save.
    assert (saved > 0) is (drain > 0)
    searches = [
        search_saturation(scenario, config, verdict_only=one, guess=0.25) for one in (False, True)
    ]
    assert searches[0].load == searches[1].load
    assert searches[0].undecided == searches[1].undecided


def test_a_window_too_short_to_tell_is_that_for_its_verdict_alone(small: Dragonfly) -> None:
    config = SimulationConfig(warmup_cycles=200, measured_cycles=30)
    scenario = Scenario(small, "min", parse_expression("none", small), Shift(1, 0))
    whole, brief = (scenario.run(0.13, config, verdict_only=one) for one in (False, True))
    assert whole.saturated is brief.saturated is None
    assert brief.cycles == whole.cycles


# MIN on shift(1,0) sends 8 nodes over one global link: at most 32/34/8 = 0.1176 per node.
@pytest.mark.parametrize("guess", [None, 0.02, 0.11, 0.3])
def test_saturation_load_does_not_depend_on_the_guess(
    small: Dragonfly, guess: float | None
) -> None:
    found = search_saturation(
        Scenario(small, "min", parse_expression("none", small), Shift(1, 0)),
        SimulationConfig(warmup_cycles=4000, measured_cycles=2000),
        guess=guess,
    )
    assert found.load == 0.11
    loads = [result.load for result in found.evaluated]
    assert loads == sorted(loads)
    assert {0.11, 0.12} <= set(loads)
    assert [result.saturated for result in found.evaluated] == [load > 0.11 for load in loads]


def test_saturation_at_the_ends_of_the_grid(small: Dragonfly) -> None:
    windows = SimulationConfig(warmup_cycles=2000, measured_cycles=1000)
    within = search_saturation(
        Scenario(small, "min", parse_expression("none", small), Shift(0, 0)), windows, step=0.25
    )
    # Every packet stays in its switch and every ejection port has one sender.
    assert within.load == 1.0
    beyond = search_saturation(
        Scenario(small, "min", parse_expression("none", small), Shift(1, 0)), windows, step=0.25
    )
    assert beyond.load == 0.0


@pytest.mark.parametrize(
    ("settings_", "named"),
    [
        ({"warmup_cycles": -1}, "warmup_cycles -1"),
        ({"measured_cycles": 0}, "cycles 0"),
        ({"buffer_flits": 0}, "buffer 0"),
        ({"vc_count": 17}, "vc_count 17 is out of range: 1..16"),
        ({"vlb_factor": "x"}, r"vlb_factor 'x' is not a number: 0\.01\.\.100"),
        ({"speedup": 0.5}, "speedup 0.5"),
        ({"local_latency": 0}, "local_latency 0"),
        ({"vc_scheme": "ladder"}, "won, per-hop"),
        ({"decide": "twice"}, "once, each-attempt"),
    ],
)
def test_bad_settings_name_the_value_and_the_range(settings_: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        SimulationConfig(**settings_)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"routing": "ecmp"}, "min, vlb, ugal-l, ugal-g, par"),
        ({"load": 1.5}, "load 1.5 is out of range: 0..1"),
        ({"load": float("nan")}, "load nan"),
        ({"seed": -1}, "seed -1"),
        ({"pattern": Shift(9, 0)}, "shift 9 is out of range"),
    ],
)
def test_bad_arguments_name_the_value_and_the_range(
    small: Dragonfly, change: dict[str, Any], named: str
) -> None:
    arguments: dict[str, Any] = {
        "routing": "min",
        "path_set": parse_expression("none", small),
        "pattern": Shift(1, 0),
        "load": 0.1,
    }
    with pytest.raises(InvalidInput, match=named):
        simulate(small, **(arguments | change))


def test_a_path_set_of_another_topology_is_refused(small: Dragonfly, medium: Dragonfly) -> None:
    with pytest.raises(InvalidInput, match="belongs to"):
        Scenario(small, "min", parse_expression("all", medium), Shift(1, 0))


def test_a_switch_with_too_many_ports_is_refused() -> None:
    topology = Dragonfly(100, 30, 2, 3)
    scenario = Scenario(topology, "min", parse_expression("none", topology), Shift(1, 0))
    with pytest.raises(InvalidInput, match="more than 128 ports"):
        scenario.run(0.1)


def test_saturation_arguments_are_checked(small: Dragonfly) -> None:
    arguments: dict[str, Any] = {
        "routing": "min",
        "path_set": parse_expression("none", small),
        "pattern": Shift(1, 0),
    }
    with pytest.raises(InvalidInput, match="step"):
        search_saturation(Scenario(small, **arguments), step=0.0)
    with pytest.raises(InvalidInput, match="guess"):
        search_saturation(Scenario(small, **arguments), guess=2.0)
