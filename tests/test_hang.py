"""Processes that hang: told from those that compute for long, killed, and replaced."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.jobs.processes import until
from tests.jobs.queue_helpers import Clock
from tests.worker_tasks import process_id, size, stop_once
from tvlb.jobs.failure import Failure
from tvlb.jobs.task_process import Message, TaskProcess
from tvlb.jobs.workspace import Task, TaskOutput, Workspace
from tvlb.processes import (
    LOOK_SECONDS,
    HangLimits,
    HangWatch,
    Progress,
    WorkerPool,
    cpu_seconds,
    local_workers,
    wants_cpu,
)
from tvlb.requests import SimulationBody

# At the second look at the latest.
AT_ONCE = HangLimits(idle_seconds=LOOK_SECONDS)
_TIMEOUT = 60.0


class Scene:
    """A process whose CPU time is made up."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.used: float | None = 0.0
        self.wants = False
        self.watch = HangWatch(
            1, HangLimits(60.0, 1000.0), self.clock, lambda pid: self.used, lambda pid: self.wants
        )

    def pass_time(self, seconds: float, share: float) -> str | None:
        """Look as often as a watcher does while a share of the time is spent computing."""
        for _ in range(round(seconds / LOOK_SECONDS)):
            self.clock.now += LOOK_SECONDS
            if self.used is not None:
                self.used += share * LOOK_SECONDS
            if (hung := self.watch.look()) is not None:
                return hung
        return None


def test_a_process_that_takes_no_cpu_time_hangs() -> None:
    scene = Scene()
    assert scene.pass_time(58.0, share=0.001) is None
    assert scene.pass_time(2.0, share=0.001) == "it took no CPU time for 60 seconds"


def test_a_process_that_others_leave_no_cpu_time_does_not_hang() -> None:
    scene = Scene()
    scene.wants = True
    assert scene.pass_time(600.0, share=0.0) is None
    scene.wants = False
    assert scene.pass_time(58.0, share=0.0) is None
    assert scene.pass_time(2.0, share=0.0) == "it took no CPU time for 60 seconds"


@pytest.mark.parametrize("in_child", [False, True])
def test_who_waits_or_is_stopped_wants_no_cpu_time(in_child: bool) -> None:
    code = "import os\nos.write(1, b'.')\nwhile True: pass"
    if in_child:
        code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {code!r}])"
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"."
        assert wants_cpu(process.pid)
        os.killpg(process.pid, signal.SIGSTOP)
        until(lambda: not wants_cpu(process.pid))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert not wants_cpu(process.pid)


def test_a_process_that_computes_for_long_does_not_hang_however_busy_the_machine() -> None:
    assert Scene().pass_time(40_000.0, share=0.02) is None


def test_an_endless_loop_is_told_by_the_cpu_time_that_it_takes_without_progress() -> None:
    scene = Scene()
    assert scene.pass_time(400.0, share=2.0) is None
    scene.watch.start_over()
    assert scene.pass_time(498.0, share=2.0) is None
    assert scene.pass_time(2.0, share=2.0) == "it took 1,000 CPU seconds without progress"


def test_a_child_that_is_not_seen_for_a_moment_did_not_work_anew() -> None:
    scene = Scene()
    scene.used = 40_000.0
    scene.watch.start_over()
    scene.used = 0.0
    assert scene.pass_time(2.0, share=0.0) is None
    scene.used = 40_001.0
    assert scene.pass_time(2.0, share=0.0) is None
    # Nor does one that has ended keep the others from being seen at work.
    scene.used = 10.0
    assert scene.pass_time(600.0, share=1.0) is None


def test_who_was_stopped_along_with_the_process_does_not_blame_it() -> None:
    scene = Scene()
    scene.clock.now += 1000.0
    assert scene.watch.look() is None
    assert scene.pass_time(54.0, share=0.0) is None


def test_where_nothing_is_known_of_a_process_it_does_not_hang() -> None:
    scene = Scene()
    scene.used = None
    assert scene.pass_time(100.0, share=0.0) is None
    assert cpu_seconds(2**22 + 1) is None


def test_the_time_of_a_process_has_that_of_its_children() -> None:
    """Those that have ended, too."""
    before = cpu_seconds(os.getpid())
    spin = "import time\nwhile time.process_time() < 0.3: pass"
    subprocess.run([sys.executable, "-c", spin], check=True)
    after = cpu_seconds(os.getpid())
    assert before is not None
    assert after is not None
    assert after - before > 0.25


def test_a_worker_process_that_hangs_is_replaced_and_its_task_tried_again(tmp_path: Path) -> None:
    with local_workers(1, AT_ONCE) as pool:
        assert pool.submit(stop_once, tmp_path / "tried").result(_TIMEOUT) == "second attempt"


def test_a_task_is_not_handed_over_for_ever_to_a_process_that_does_not_read() -> None:
    with WorkerPool(1, AT_ONCE) as pool:
        stopped = pool.submit(process_id).result(_TIMEOUT)
        os.kill(stopped, signal.SIGSTOP)
        assert pool.submit(size, bytes(5_000_000)).result(_TIMEOUT) == 5_000_000


@pytest.mark.parametrize("computing", [False, True])
def test_the_process_of_a_job_that_hangs_is_replaced(tmp_path: Path, computing: bool) -> None:
    """Whether it is stopped while it computes or before."""
    body = SimulationBody(topology="2,4,2,5", load=(0.2,), cycles=100_000_000)
    process = TaskProcess(Workspace(tmp_path, cores=1, hang=AT_ONCE))
    heard: list[Message] = []
    until(lambda: heard.extend(process.messages()) or process.ready)
    task = Task("simulation", "0" * 64, body.model_dump_json())
    if computing:
        process.begin(task)
        until(lambda: heard.extend(process.messages()) or any(_computes(one) for one in heard))
    os.kill(process.pid, signal.SIGSTOP)
    if not computing:
        process.begin(task)
    until(
        lambda: heard.extend(process.messages()) or any(isinstance(one, Failure) for one in heard)
    )
    process.end()
    assert not any(isinstance(one, TaskOutput) for one in heard)
    [failure] = [one for one in heard if isinstance(one, Failure)]
    assert (failure.type, failure.may_pass) == ("process-hung", True)


def test_a_job_of_a_kind_that_is_gone_fails_in_words(tmp_path: Path) -> None:
    """And its process lives on."""
    process = TaskProcess(Workspace(tmp_path, cores=1))
    heard: list[Message] = []
    until(lambda: heard.extend(process.messages()) or process.ready)
    before = process.pid
    process.begin(Task("gone", "0" * 64, "{}"))
    until(lambda: heard.extend(process.messages()) or bool(heard))
    after = process.pid
    process.end()
    [failure] = heard
    assert isinstance(failure, Failure)
    assert "KeyError: 'gone'" in failure.detail
    assert after == before


def _computes(message: Message) -> bool:
    return isinstance(message, Progress) and message.done > 0
