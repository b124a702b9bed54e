"""Jobs of Slurm: what is submitted, and a real run where there is a Slurm."""

import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from pathlib import Path
from queue import Queue

import pytest

from tests.worker_tasks import error_of, slurm_job
from tvlb.errors import InvalidInput, NoWorkers
from tvlb.processes import Progress
from tvlb.processes.cluster import SlurmOptions, slurm_workers
from tvlb.processes.cluster.certificates import temporary_security
from tvlb.processes.cluster.packages import cluster_package
from tvlb.processes.cluster.slurm import SlurmJobs

_ROOT = Path(__file__).parents[2]
_TIMEOUT = 60.0


def _answers() -> bool:
    if shutil.which("sinfo") is None:
        return False
    return subprocess.run(["sinfo", "-h"], capture_output=True, check=False).returncode == 0


def test_the_script_that_is_submitted(tmp_path: Path) -> None:
    options = SlurmOptions(
        jobs=3,
        cores=16,
        memory="32GiB",
        partition="batch",
        account="noc",
        wall_time="4:00:00",
        directives=("--qos=long",),
        logs=tmp_path / "logs",
        interface="lo",
    )
    jobs = SlurmJobs(options)
    try:
        lines = jobs.script.splitlines()
    finally:
        jobs.close()
    for directive in (
        "-p batch",
        "-A noc",
        "-n 1",
        "--cpus-per-task=16",
        "--mem=32G",
        "-t 4:00:00",
        "--qos=long",
    ):
        assert f"#SBATCH {directive}" in lines
    assert any(line.startswith(f"#SBATCH -o {tmp_path}/logs/tvlb-") for line in lines)
    # As many workers as cores, of one thread each, with this Python.
    command = lines[-1]
    assert command.startswith(f"{sys.executable} -P -m distributed.cli.dask_worker tls://")
    assert "--nthreads 1 " in command
    assert "--nworkers 16 " in command
    assert "--memory-limit 2.00GiB " in command
    assert "--interface lo" in command
    assert "--no-dashboard --dashboard-address 127.0.0.1:0" in command


def _knock(address: str, certificate: Path | None) -> None:
    """Try to get in with another certificate, or none."""
    host, _, port = address.removeprefix("tls://").rpartition(":")
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if certificate is not None:
        context.load_cert_chain(certificate / "certificate.pem", certificate / "key.pem")
    with (
        socket.create_connection((host, int(port)), _TIMEOUT) as plain,
        context.wrap_socket(plain) as connection,
    ):
        connection.recv(1)


def test_nobody_without_the_certificate_is_let_in(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    with temporary_security(tmp_path / "other"):
        (other,) = (tmp_path / "other").iterdir()
        jobs = SlurmJobs(SlurmOptions(1, 1, "500MB", logs=logs))
        try:
            (secret,) = logs.iterdir()
            assert secret.stat().st_mode & 0o777 == 0o700
            for name in ("key", "ca-file"):
                assert f"--tls-{name} {secret}/" in jobs.script
            with pytest.raises(ssl.SSLError, match="certificate required"):
                _knock(jobs.address, None)
            with pytest.raises(ssl.SSLError, match="unknown ca"):
                _knock(jobs.address, other)
        finally:
            jobs.close()
    assert not [*logs.iterdir(), *(tmp_path / "other").iterdir()]


_HOLDER = """
import sys, time
from pathlib import Path
from tvlb.processes.cluster.certificates import temporary_security

with temporary_security(Path(sys.argv[1])):
    print("ready", flush=True)
    time.sleep(600)
"""


def test_certificates_are_removed_after_a_kill(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(tmp_path)], stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ready\n"
        assert len([*tmp_path.iterdir()]) == 1
        holder.kill()
    deadline = time.monotonic() + _TIMEOUT
    while any(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(tmp_path.iterdir())


def test_ctrl_c_does_what_it_did_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "dask_jobqueue"]:
        monkeypatch.delitem(sys.modules, name)
    before = signal.getsignal(signal.SIGINT)
    cluster_package("dask_jobqueue")
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"jobs": 0}, "Slurm jobs: 0"),
        ({"cores": -1}, "cores of a Slurm job: -1"),
        ({"memory": "much"}, "memory of a Slurm job: 'much'"),
        ({"memory": "8"}, "8GB"),
        ({"partition": "two words"}, "partition: 'two words'"),
        ({"account": "a\n#SBATCH -p b"}, "account"),
        ({"wall_time": "4h"}, "wall time: '4h'"),
        ({"interface": ""}, "interface"),
        ({"directives": ("qos=long",)}, "'qos=long' is not a directive"),
        ({"directives": ("--mem=4G",)}, "'--mem=4G' is set by tvlb"),
        ({"directives": ("-p other",)}, "'-p other' is set by tvlb"),
        ({"logs": Path("two words")}, "log folder"),
    ],
)
def test_malformed_options(change: dict[str, object], words: str) -> None:
    good: dict[str, object] = {"jobs": 1, "cores": 1, "memory": "1GB"}
    with pytest.raises(InvalidInput) as raised:
        SlurmOptions(**(good | change))  # pyright: ignore[reportArgumentType]
    assert words in str(raised.value)


def test_longer_directives_that_begin_like_those_of_tvlb_are_taken() -> None:
    directives = ("--mem-bind=local", "--constraint=avx512", "--exclusive", "-C avx512")
    assert SlurmOptions(1, 1, "1GB", directives=directives).directives == directives


def test_a_machine_without_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    options = SlurmOptions(1, 1, "1GB", logs=tmp_path)
    with pytest.raises(InvalidInput, match="sbatch is not found"), slurm_workers(options):
        raise AssertionError("there is no Slurm")


class _FakeSlurm:
    """Commands that take jobs, and tell of each whatever the test says."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._command("sbatch", 'test "$1" = --test-only || echo "$$|job" | tee -a "{}/jobs"')
        self._command("squeue", 'test ! -e "{0}/jobs" || sed "s#job#$(cat {0}/says)#" {0}/jobs')
        self._command("scancel", ":")

    def begin_jobs(self) -> None:
        """Run the jobs on this machine from now on; they end with the coordinator."""
        # Who submits a script removes it then, maybe before the job has begun.
        begun = 'cp "$1" "{0}/script"; sh "{0}/script" >"{0}/output" 2>&1 & '
        begun += 'echo "$!|job" | tee -a "{0}/jobs"'
        self._command("sbatch", f'if test "$1" != --test-only; then {begun}; fi')

    def _command(self, name: str, line: str) -> None:
        path = self._folder / name
        path.write_text(f"#!/bin/sh\n{line.format(self._folder)}\n")
        path.chmod(0o755)

    def say(self, state_and_reason: str) -> None:
        # The commands read it at any time.
        (self._folder / "next").write_text(state_and_reason)
        (self._folder / "next").replace(self._folder / "says")


@pytest.fixture
def fake_slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _FakeSlurm:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setattr("tvlb.processes.cluster.slurm._LOOK_SECONDS", 0.05)
    return _FakeSlurm(folder)


@pytest.mark.slow
def test_jobs_compute_over_tls(fake_slurm: _FakeSlurm, tmp_path: Path) -> None:
    fake_slurm.begin_jobs()
    fake_slurm.say("R|None")
    options = SlurmOptions(1, 1, "1GB", logs=tmp_path / "logs", interface="lo")
    with slurm_workers(options) as (executor, _):
        assert executor.submit(abs, -3).result(5 * _TIMEOUT) == 3


def test_why_jobs_are_pending_is_told(fake_slurm: _FakeSlurm, tmp_path: Path) -> None:
    told: Queue[Progress] = Queue()

    def until(note: str) -> Progress:
        while (event := told.get(timeout=_TIMEOUT)).note != note:
            pass
        return event

    fake_slurm.say("PD|Resources")
    options = SlurmOptions(2, 1, "500MB", logs=tmp_path)
    with slurm_workers(options, told.put) as (executor, _):
        task = executor.submit(slurm_job, 0.0)
        # The jobs are submitted one after the other.
        assert until("2 pending: Resources") == Progress("slurm jobs", 0, 2, "2 pending: Resources")
        fake_slurm.say("PD|PartitionDown")
        until("2 pending: PartitionDown")
        until("2 pending: PartitionDown")
        assert not task.done()
        task.cancel()


@pytest.mark.parametrize(
    "reason",
    [
        "PartitionTimeLimit",
        "BadConstraints",
        "QOSMaxWallDurationPerJobLimit",
        "AssocMaxCpuPerJobLimit",
    ],
)
def test_jobs_that_can_never_start_end_the_wait(
    fake_slurm: _FakeSlurm, tmp_path: Path, reason: str
) -> None:
    fake_slurm.say(f"PD|{reason}")
    with slurm_workers(SlurmOptions(2, 1, "500MB", logs=tmp_path)) as (executor, _):
        error = error_of(executor, _TIMEOUT, slurm_job, 0.0)
    assert isinstance(error, NoWorkers)
    assert re.fullmatch(f"Slurm will never start the jobs tvlb-[0-9a-f]{{8}}: {reason}", str(error))


@pytest.mark.parametrize(
    "reason",
    [
        "Priority",
        "Resources",
        "None",
        "JobHeldUser",
        "PartitionDown",
        "QOSMaxJobsPerUserLimit",
        "AssocGrpCpuLimit",
        "AssocGrpCPUMinutesLimit",
        "AssocGrpCPURunMinutesLimit",
        "ReqNodeNotAvail, UnavailableNodes:n[1-4]",
    ],
)
def test_reasons_that_may_pass_are_waited_for(
    fake_slurm: _FakeSlurm, tmp_path: Path, reason: str
) -> None:
    told: Queue[Progress] = Queue()
    fake_slurm.say(f"PD|{reason}")
    with slurm_workers(SlurmOptions(1, 1, "500MB", logs=tmp_path), told.put) as (executor, _):
        task = executor.submit(slurm_job, 0.0)
        # Looked at twice, it is not given up.
        for _ in range(2):
            while told.get(timeout=_TIMEOUT).note != f"1 pending: {reason}":
                pass
        assert not task.done()
        task.cancel()


@pytest.mark.skipif(not _answers(), reason="no Slurm answers sinfo")
def test_a_job_that_is_cancelled_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(_ROOT))
    monkeypatch.setattr("tvlb.processes.cluster.slurm._LOOK_SECONDS", 0.5)
    options = SlurmOptions(1, 1, "500MB", wall_time="5", logs=tmp_path)
    with slurm_workers(options) as (executor, _):
        first = executor.submit(slurm_job, 0.0).result(_TIMEOUT)
        waiting = [executor.submit(slurm_job, 0.1) for _ in range(30)]
        subprocess.run(["scancel", first], check=True)
        jobs = {future.result(_TIMEOUT) for future in waiting}
    assert jobs - {first}
    assert not _active() & (jobs | {first})


def _active() -> set[str]:
    """Return the jobs that wait or run, without those told to end."""
    command = ["squeue", "-h", "-o", "%i", "-t", "PENDING,RUNNING"]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.skipif(not _answers(), reason="no Slurm answers sinfo")
def test_what_slurm_refuses(tmp_path: Path) -> None:
    options = SlurmOptions(1, 1, "500MB", partition="no-such-partition", logs=tmp_path)
    with pytest.raises(InvalidInput, match="Invalid partition"), slurm_workers(options):
        raise AssertionError("Slurm has no such partition")
