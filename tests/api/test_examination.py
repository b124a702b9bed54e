"""What is found of a request, in the server and, if its body is large, in a process beside it."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError

from api.examination import Examined, Examiner, examine, load
from api.problems import Problem
from api.side_process import SideProcess
from sim_bridge import _core
from tests.api.counting import CountingProcess
from tvlb.errors import InvalidInput
from tvlb.jobs.tasks import run_task
from tvlb.jobs.workspace import Task, Workspace
from tvlb.native import kernels
from tvlb.processes import silent
from tvlb.requests import BeyondLimits, RequestLimits
from tvlb.topology import NamedTopology
from tvlb.topology.dragonfly import Wiring

LIMITS = RequestLimits(switches=100)
# No stored table is asked for.
NOWHERE = Workspace(Path("nowhere"), cores=1)
MODEL = {"topology": "2,4,2,5", "pattern": "shift(1,0)"}
SWEEP = {"topologies": ["2,4,2,5"]}


def sent(body: dict[str, Any], size: int = 0) -> bytes:
    return json.dumps(body).encode().ljust(size)


def asked(*bodies: bytes, kind: str = "model") -> list[object]:
    """Return what is found of each; an exception is what was raised."""

    async def run() -> list[object]:
        process = SideProcess(load)
        examiner = Examiner(LIMITS, process, NOWHERE)
        found = [await asyncio.gather(examiner.run(kind, one), return_exceptions=True)
                 for one in bodies]  # fmt: skip
        process.close()
        return [one for (one,) in found]

    return asyncio.run(run())


def test_small_and_large_bodies_are_examined_alike() -> None:
    small, large = asked(sent(MODEL), sent(MODEL, 20_000))
    assert isinstance(small, Examined)
    assert large == small == examine("model", sent(MODEL), LIMITS, NOWHERE)
    assert json.loads(small.text)["topology"] == "dfly(2,4,2,5)"
    assert small.may_be_quick
    assert small.command == "tvlb model 'dfly(2,4,2,5)' --pattern 'shift(1,0)'"


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (MODEL | {"pattern": 3}, RequestValidationError),
        (MODEL | {"topology": "8,16,8,129"}, InvalidInput),
    ],
)
def test_refusals_come_from_beside_as_well(body: dict[str, Any], error: type[Exception]) -> None:
    small, large = asked(sent(body), sent(body, 20_000))
    assert isinstance(small, error)
    assert type(large) is type(small)
    assert str(large) == str(small)


@pytest.mark.parametrize("kind", ["model", "simulation"])
def test_networks_without_vlb_paths_are_examined(kind: str) -> None:
    body = {"topology": "hyperx(1,2)"} | ({"load": [0.5]} if kind == "simulation" else {})
    assert isinstance(examine(kind, sent(body), LIMITS, NOWHERE), Examined)


@pytest.mark.parametrize(
    ("kind", "asked_for"),
    [
        ("simulation", {"router": "vct", "load": [0.1, 0.2]}),
        ("stability", {"routing": ["valiant"]}),
    ],
)
def test_what_packets_may_take_is_worked_out_once(
    monkeypatch: pytest.MonkeyPatch, kind: str, asked_for: dict[str, Any]
) -> None:
    """On a network with failures it takes seconds."""
    made: list[object] = []
    work_out = _core.MinPorts

    def counted(network: kernels.Topology) -> _core.MinPorts:
        made.append(network)
        return work_out(network)

    monkeypatch.setattr(_core, "MinPorts", counted)
    body = {"topology": "4,8,4,5", **asked_for}
    assert isinstance(examine(kind, sent(body), LIMITS, NOWHERE), Examined)
    assert len(made) == 1


def test_points_of_a_sweep_are_told_by_their_keys() -> None:
    body = {"topologies": ["2,4,2,5", "2,4,2,9"], "options": {"method": "paper"}}
    (found,) = asked(sent(body), kind="sweep")
    assert isinstance(found, Examined)
    assert len(set(found.points)) == 2
    assert not found.may_be_quick


def after_others(
    monkeypatch: pytest.MonkeyPatch,
    count: int,
    kind: str,
    body: dict[str, Any],
    held: tuple[str, dict[str, Any]] = ("sweep", SWEEP),
) -> Examined:
    """Return what is found of a body while so many others, of the kind `held`, are held."""
    go_on = threading.Event()

    def slow(kind: str, content: bytes, *given: Any) -> object:
        if kind == held[0]:
            go_on.wait()
        return examine(kind, content, *given)

    async def run() -> Examined:
        examiner = Examiner(LIMITS, SideProcess(load), NOWHERE)
        first = [asyncio.create_task(examiner.run(held[0], sent(held[1]))) for _ in range(count)]
        # All take their places before anything else happens.
        for _ in range(50):
            await asyncio.sleep(0)
        try:
            return await asyncio.wait_for(examiner.run(kind, sent(body)), 30.0)
        finally:
            go_on.set()
            # Those that have waited too long are refused.
            await asyncio.gather(*first, return_exceptions=True)

    monkeypatch.setattr("api.examination.examine", slow)
    return asyncio.run(run())


def test_nothing_waits_for_sweeps_but_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert after_others(monkeypatch, 3, "model", MODEL).kind == "model"


def test_few_sweeps_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Problem, match="20 requests wait") as raised:
        after_others(monkeypatch, 21, "sweep", SWEEP)
    assert raised.value.status_code == 503


@pytest.mark.parametrize(("kind", "body", "count"), [("model", MODEL, 2), ("sweep", SWEEP, 1)])
def test_small_bodies_wait_for_a_bounded_time(
    monkeypatch: pytest.MonkeyPatch, kind: str, body: dict[str, Any], count: int
) -> None:
    monkeypatch.setattr("api.side_process._MOST_SECONDS_OF_WAITING", 0.01)
    with pytest.raises(Problem, match="none was done in time") as raised:
        after_others(monkeypatch, count, kind, body, (kind, body))
    assert raised.value.status_code == 503
    assert raised.value.headers == {"Retry-After": "2"}


def test_no_large_body_is_beside_a_sweep_in_its_process() -> None:
    process = CountingProcess()

    async def run() -> None:
        examiner = Examiner(LIMITS, process, NOWHERE)
        await asyncio.gather(
            examiner.run("sweep", sent(SWEEP, 20_000)),
            examiner.run("model", sent(MODEL, 20_000)),
        )

    asyncio.run(run())
    assert process.most == 1


# As many global cables as one network may have, and one group more: 65,703.
LARGE, TOO_LARGE = "1,1,361,362", "1,1,362,363"


def test_networks_beyond_the_limits_are_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NamedTopology, "build", None)
    monkeypatch.setattr(Wiring, "build", None)
    wiring = {"p": 1, "a": 1, "h": 362, "g": 363, "links": [[0, 1]]}
    for topology in (TOO_LARGE, wiring):
        for kind in ("model", "table", "simulation"):
            with pytest.raises(BeyondLimits, match="65,703 global cables"):
                examine(kind, sent({"topology": topology}), RequestLimits(), NOWHERE)


def test_at_most_two_of_many_large_networks_are_built_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Never where the event loop runs, which answers for health."""
    build, lock = NamedTopology.build, threading.Lock()
    threads: list[threading.Thread] = []
    running, most = 0, 0

    def counted(self: NamedTopology) -> object:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            threads.append(threading.current_thread())
        try:
            return build(self)
        finally:
            with lock:
                running -= 1

    async def run() -> None:
        examiner = Examiner(RequestLimits(), SideProcess(load), NOWHERE)
        body = sent({"topology": LARGE})
        await asyncio.gather(*(examiner.run("model", body) for _ in range(40)))

    monkeypatch.setattr(NamedTopology, "build", counted)
    monkeypatch.setattr("api.side_process._MOST_SECONDS_OF_WAITING", 300.0)
    asyncio.run(run())
    assert len(threads) == 40
    assert most <= 2
    assert threading.current_thread() not in threads


def test_what_is_computed_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"topology": "2,4,2,9", "load": [0.3], "cycles": 20_000}
    found = examine("simulation", sent(body), LIMITS, NOWHERE)
    assert isinstance(found, Examined)
    task, workspace = Task("simulation", found.key, found.text), Workspace(tmp_path, cores=1)
    assert "cpu_seconds" not in (run_task(task, workspace, silent).work or {})
    monkeypatch.setattr("tvlb.jobs.tasks._LEAST_SECONDS", 0.0)
    work = run_task(task, workspace, silent).work
    assert work is not None
    assert work["estimated_seconds"] == found.cost.cpu_seconds
    assert 0.0 < work["cpu_seconds"] < 60.0
