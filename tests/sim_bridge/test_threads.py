"""One simulation on several threads, and block by block: nothing but times may change."""

import subprocess
import sys
from dataclasses import asdict, replace
from typing import Any, cast

import pytest

from sim_bridge import (
    FogConfig,
    Scenario,
    SimulationConfig,
    SimulationRequest,
    simulate,
    simulate_request,
)
from tvlb.cli import main
from tvlb.documents import plain
from tvlb.errors import InvalidInput
from tvlb.paths import parse_expression
from tvlb.topology import parse_topology
from tvlb.traffic import MatrixPattern, parse_pattern

CONFIG = SimulationConfig(warmup_cycles=200, measured_cycles=400, drain_limit_cycles=2000)
# Networks, routings, and what ends or moves what is decided for all switches together.
CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("dfly(2,4,2,9)", "ugal-l", {}),
    ("dfly(2,4,2,9)", "par", {"local_latency": 1, "global_latency": 2}),
    ("dfly(2,4,2,9)", "par", {"stop_when_saturated": True}),
    ("dfly(2,4,2,9)", "ugal-l", {"queue": "waiting", "speedup": 2.5, "interval": 37}),
    ("dfly(2,4,2,9)", "vlb", {"decide": "each-attempt", "buffer_flits": 4}),
    ("dfly(2,4,2,9)", "min", {"local_latency": 40, "global_latency": 300}),
    ("dfly(2,4,2,9)", "ugal-l", {"warmup": "detect", "warmup_cycles": 4000}),
    ("dfly(2,4,2,9)", "ugal-g", {}),
    ("dfly(2,4,2,9)", "ugal-g", {"queue": "waiting", "decide": "each-attempt", "interval": 37}),
    ("hyperx(2,3,4)", "ugal-g", {"stop_when_saturated": True}),
    ("slimfly(5)", "ugal-l", {"drain_limit_cycles": 7}),
    ("hyperx(2,3,4)", "par", {}),
]


def figures(
    name: str,
    routing: str,
    settings: dict[str, Any],
    load: float,
    threads: int,
    *,
    verdict_only: bool = False,
    **more: Any,
) -> Any:
    """Return all that a run tells but for times and traces."""
    topology = parse_topology(name)
    paths = parse_expression("all", topology)
    scenario = Scenario(topology, routing, paths, parse_pattern("uniform"), 3)
    config = replace(CONFIG, **settings, **more)
    found = asdict(scenario.run(load, config, threads=threads, verdict_only=verdict_only))
    times = ("cpu_seconds", "wall_seconds", "threads", "traces", "config")
    return plain({key: one for key, one in found.items() if key not in times})


@pytest.mark.parametrize(("name", "routing", "settings"), CASES)
def test_that_threads_change_no_figure(name: str, routing: str, settings: dict[str, Any]) -> None:
    """With traces, all switches take every cycle together."""
    load = 0.6 if settings.get("stop_when_saturated") else 0.25
    together = figures(name, routing, settings, load, 1, traced_packets=5)
    assert together["flits"] > 0
    for threads in (1, 2, 3):
        assert figures(name, routing, settings, load, threads) == together
    verdict = figures(name, routing, settings, load, 1, verdict_only=True)
    for threads in (2, 3):
        assert figures(name, routing, settings, load, threads, verdict_only=True) == verdict


def test_that_units_of_switches_change_no_figure() -> None:
    """More switches than run together: 264 of 4.2 kB with eight VCs, in units of up to 157."""
    settings = {"warmup_cycles": 60, "measured_cycles": 60, "vc_count": 8}
    together = figures("dfly(4,8,4,33)", "par", settings, 0.2, 1, traced_packets=1)
    assert figures("dfly(4,8,4,33)", "par", settings, 0.2, 1) == together
    assert figures("dfly(4,8,4,33)", "par", settings, 0.2, 2) == together


@pytest.mark.parametrize("latency", [1, 10, 31])
def test_a_run_ends_with_its_last_measured_packet(latency: int) -> None:
    """Also where no packet takes a link, whose latency says how often the parts meet."""
    pattern = MatrixPattern.of("# level=node\nsrc,dst,rate\n0,1,1\n1,0,1\n")
    config = SimulationConfig(50, 100, buffer_flits=2, local_latency=latency, traced_packets=1000)
    run = simulate("hyperx(2,4)", routing="min", pattern=pattern, load=0.6, config=config, seed=1)
    granted = max(hop.departure for one in run.traces for hop in one.hops if one.created < 150)
    assert run.cycles == granted + 1


def test_threads_out_of_range() -> None:
    """Before anything is simulated."""
    topology = parse_topology("2,4,2,5")
    with pytest.raises(InvalidInput, match=r"threads 0 is out of range: 1\.\.1024"):
        simulate(topology, load=0.1, config=CONFIG, threads=0)
    for wrong in (2.0, True, "2"):
        with pytest.raises(InvalidInput, match=rf"threads {wrong!r} is not an integer: 1\.\.1024"):
            simulate(topology, load=0.1, config=CONFIG, threads=cast("Any", wrong))
    loads: list[Any] = [0.1, [0.1]]
    for load in loads:
        with pytest.raises(InvalidInput, match="threads 2 is out of range: 1, as routers of this"):
            simulate(topology, load=load, config=FogConfig(10, 10), threads=2)
        simulate(topology, load=load, config=FogConfig(10, 10), threads=1)


def test_a_router_that_takes_one_is_known_before_any_work(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tvlb.cli.simulate.parse_topology", None)
    assert main(["simulate", "2,4,2,5", "--router", "vct", "--load", "0.1", "--threads", "2"]) == 2
    assert "--threads 2 is out of range: 1" in capsys.readouterr().err


def test_a_run_alone_has_the_cores_but_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim_bridge.simulations.available_cores", lambda: 2)
    topology = parse_topology("dfly(4,8,4,33)")
    scenario = Scenario(
        topology, "min", parse_expression("none", topology), parse_pattern("uniform"), 0
    )
    request = SimulationRequest(scenario, SimulationConfig(10, 10), loads=[0.1], saturation=True)
    for workers, threads in ((1, 1), (64, 2)):
        assert {one.threads for one in simulate_request(request, workers=workers).runs} == {threads}


_FEW_THREADS = """
import os, resource
from sim_bridge import SimulationConfig, simulate

def run(threads):
    config = SimulationConfig(10, 20)
    return simulate("hyperx(1,4,4,4)", routing="min", load=0.5, config=config, threads=threads)

alone = run(1)
if os.getuid() == 0:  # whom no limit holds
    os.setuid(65534)
resource.setrlimit(resource.RLIMIT_NPROC, (8, 8))
few = run(64)
print(few.threads < 64, few.flit_hops == alone.flit_hops)
"""


def test_fewer_threads_do_where_no_more_can_be_started() -> None:
    command = [sys.executable, "-c", _FEW_THREADS]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout == "True True\n"


def test_a_command_says_where_threads_are_of_no_use(capsys: pytest.CaptureFixture[str]) -> None:
    """On the terminal alone: documents are the same."""
    asked = ["--load", "0.1", "--warmup", "50", "--cycles", "50", "--json", "--threads", "2"]
    told: list[str] = []
    runs = [("2,4,2,5", "ugal-l"), ("2,4,2,5", "ugal-g"), ("hyperx(2,3,4)", "par")]
    for (network, routing), warned in zip(runs, (False, False, True), strict=True):
        assert main(["simulate", network, "--routing", routing, *asked]) == 0
        printed = capsys.readouterr()
        assert ("warning: --threads 2: simulated on 1." in printed.err) == warned
        told.append(printed.out)
    assert "threads" not in "".join(told)
