"""Workers in jobs of Slurm, submitted, replaced and cancelled as the work needs it."""

import re
import shutil
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from tvlb.errors import InvalidInput, NoWorkers
from tvlb.processes import MAX_ATTEMPTS, Progress, Reporter, silent
from tvlb.processes.cluster.certificates import temporary_security
from tvlb.processes.cluster.dask import serving, settings
from tvlb.processes.cluster.executor import DaskExecutor, Workers
from tvlb.processes.cluster.options import SlurmOptions
from tvlb.processes.cluster.packages import cluster_package

_SETTINGS = {
    # One task at a time for a worker: what waits beside a task that kills it is not blamed.
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.allowed-failures": MAX_ATTEMPTS - 1,
}
# Any port that only this machine reaches.
_NOWHERE = "127.0.0.1:0"
_LOOK_SECONDS = 10.0
_COMMAND_SECONDS = 60.0
_TIMEOUT_SECONDS = 5.0
_USELESS_JOBS = 3
# Workers end themselves so long after the coordinator was killed.
_ORPHAN_SECONDS = 60
# Reasons, see Slurm's "Job Reason Codes", that no waiting ends: the job asks for what it may not
# have. Others pass, such as a budget that is used up, or an administrator ends them.
_NEVER = re.compile(
    r"(Assoc|QOS)Max\w+Per(Job|Node)\w*|QOSMin\w+"
    r"|(Account|QOS)NotAllowed|Invalid(Account|QOS)|BadConstraints|PartitionTimeLimit"
    r"|DependencyNeverSatisfied|ReservationDeleted|DeadLine"
)


@contextmanager
def slurm_workers(options: SlurmOptions, report: Reporter = silent) -> Generator[Workers]:
    """Compute in jobs of Slurm while the block runs; tasks wait until a job has started.

    The jobs use the Python of this process, by its path. A job that ends early is replaced; all
    are cancelled at the end of the block, which waits for its tasks unless an exception leaves it.
    Where jobs end again and again before a worker of theirs has connected, or none can ever start,
    the tasks raise `NoWorkers`. Jobs may be pending for days: there is no bound.

    Parameters
    ----------
    report : told of the stage `slurm jobs`: how many have a worker, and why others are pending;
        from another thread.

    Raises
    ------
    InvalidInput : Slurm refuses such a job, its commands are not found, or the packages of the
        extra ``cluster`` are missing.
    """
    with settings(_SETTINGS), SlurmJobs(options, report) as jobs, serving(jobs.executor) as workers:
        yield workers


@dataclass(frozen=True)
class _HeldJob:
    """What squeue says of a job."""

    number: str
    state: str
    reason: str

    @property
    def pending(self) -> bool:
        return self.state == "PD"

    @property
    def never_starts(self) -> bool:
        return self.pending and _NEVER.fullmatch(self.reason) is not None


class SlurmJobs:
    """A scheduler in this process, and the jobs of Slurm that work for it.

    Parameters
    ----------
    options : what the jobs are like.
    report : see `slurm_workers`.

    Raises
    ------
    InvalidInput : the packages of the extra ``cluster`` are missing.
    """

    def __init__(self, options: SlurmOptions, report: Reporter = silent) -> None:
        self._options = options
        self._report = report
        self._name = f"tvlb-{uuid.uuid4().hex[:8]}"
        self._ended = threading.Event()
        self._told: Progress | None = None
        with ExitStack() as resources:
            security = resources.enter_context(temporary_security(options.logs))
            self._cluster = self._new_cluster(security)
            resources.callback(self._cluster.close)
            client = cluster_package("distributed").Client(self._cluster, set_as_default=False)
            resources.callback(client.close)
            self._resources = resources.pop_all()
        self.executor = DaskExecutor(client, f"the scheduler of the Slurm jobs {self._name}")
        self._watch = threading.Thread(target=self._keep_up, name="slurm", daemon=True)

    def __enter__(self) -> "SlurmJobs":
        """Submit the jobs.

        Raises
        ------
        InvalidInput : Slurm would refuse them, in its own words, or is not found.
        """
        try:
            self._check()
        except BaseException:
            self.close()
            raise
        self._cluster.scale(jobs=self._options.jobs)
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel the jobs."""
        self.close()

    @property
    def address(self) -> str:
        """Of the scheduler."""
        return self._cluster.scheduler_address

    @property
    def script(self) -> str:
        """The script that is submitted for a job, but for the address of the scheduler."""
        return self._cluster.job_script()

    def close(self) -> None:
        """Cancel the jobs and end the scheduler."""
        self._ended.set()
        if self._watch.is_alive():
            self._watch.join(_TIMEOUT_SECONDS)
        try:
            self._resources.close()
        finally:
            # By name: one may have been submitted that nobody has waited for.
            if shutil.which("scancel") is not None:
                _slurm("scancel", "--quiet", f"--name={self._name}")

    def _check(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
            file.write(self.script)
            file.flush()
            answer = _slurm("sbatch", "--test-only", file.name)
        if answer.returncode != 0:
            raise InvalidInput(f"Slurm refuses the jobs: {_last_line(answer.stderr)}")

    def _new_cluster(self, security: Any) -> Any:
        options = self._options
        # What is None here is looked up in the site's own jobqueue.yaml.
        described = {
            "queue": options.partition,
            "account": options.account,
            "walltime": options.wall_time,
            "interface": options.interface,
        }
        return cluster_package("dask_jobqueue").SLURMCluster(
            **described,
            cores=options.cores,
            processes=options.cores,
            memory=options.memory,
            job_name=self._name,
            job_extra_directives=list(options.directives),
            log_directory=str(options.logs),
            # Jobs begin in the directory that they were submitted from; nothing is imported there.
            python=f"{sys.executable} -P",
            death_timeout=_ORPHAN_SECONDS,
            # Only who has the certificate may send work, which is code.
            security=security,
            # Without dashboards there still are pages that tell of the cluster.
            worker_extra_args=["--no-dashboard", "--dashboard-address", _NOWHERE],
            scheduler_options={"dashboard": False, "dashboard_address": _NOWHERE},
        )

    # What follows runs on a thread of its own.

    def _keep_up(self) -> None:
        """Replace jobs that have ended."""
        useful: set[str] = set()
        useless = 0
        while not self._ended.wait(_LOOK_SECONDS):
            jobs: dict[str, str] = {
                name: job.job_id for name, job in list(self._cluster.workers.items()) if job.job_id
            }
            connected = self._connected()
            useful |= {jobs[name] for name in connected & jobs.keys()}
            held = self._held()
            # A controller that does not answer has not ended the jobs.
            if held is None:
                continue
            self._tell(len(connected & jobs.keys()), held)
            if not connected and held and all(one.never_starts for one in held):
                reasons = _reasons(held)
                self.executor.give_up(
                    NoWorkers(f"Slurm will never start the jobs {self._name}: {reasons}")
                )
                return
            numbers = {one.number for one in held}
            ended = {name for name, number in jobs.items() if number not in numbers}
            useless = 0 if connected else useless + sum(jobs[name] not in useful for name in ended)
            if useless >= _USELESS_JOBS:
                self.executor.give_up(
                    NoWorkers(
                        f"{useless} Slurm jobs in a row ended before a worker of theirs had "
                        f"connected: see the output in {self._options.logs}"
                    )
                )
                return
            self._cluster.loop.add_callback(self._replace, ended)

    def _connected(self) -> set[str]:
        """Return the names of the jobs that have a worker."""
        workers = list(self._cluster.scheduler.workers.values())
        # Dask names the workers of a job after it, with a number where they are several.
        several = self._options.cores > 1
        return {str(one.name).rsplit("-", 1)[0] if several else str(one.name) for one in workers}

    def _held(self) -> list[_HeldJob] | None:
        """Return the jobs that Slurm holds; None if it does not answer."""
        answer = _slurm("squeue", "--noheader", "--format=%i|%t|%r", f"--name={self._name}")
        if answer.returncode != 0:
            return None
        # Whatever else it prints has no three fields.
        rows = [line.split("|", 2) for line in answer.stdout.splitlines() if line.count("|") >= 2]
        held = [_HeldJob(*row) for row in rows]
        # What is completing (CG) has been told to end.
        return [one for one in held if one.state != "CG"]

    def _tell(self, working: int, held: list[_HeldJob]) -> None:
        pending = [one for one in held if one.pending]
        note = f"{len(pending)} pending: {_reasons(pending)}" if pending else ""
        event = Progress("slurm jobs", working, self._options.jobs, note)
        # A log has the reason again and again, but not that all is well.
        if pending or event != self._told:
            self._told = event
            self._report(event)

    async def _replace(self, ended: set[str]) -> None:
        """Submit as many jobs as are missing, also those that Dask itself has seen end."""
        for name in ended & self._cluster.workers.keys():
            job = self._cluster.workers.pop(name)
            await job.close()
            job.status = cluster_package("distributed").Status.closed
        self._cluster.scale(jobs=self._options.jobs)


def _reasons(jobs: list[_HeldJob]) -> str:
    return ", ".join(sorted({one.reason for one in jobs}))


def _slurm(command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    if shutil.which(command) is None:
        raise InvalidInput(f"{command} is not found: run this where Slurm's commands work")
    try:
        return subprocess.run(
            [command, *arguments],
            capture_output=True,
            text=True,
            timeout=_COMMAND_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        late = f"{command} has not answered for {_COMMAND_SECONDS:g} s"
        return subprocess.CompletedProcess(command, returncode=1, stdout="", stderr=late)


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2]
