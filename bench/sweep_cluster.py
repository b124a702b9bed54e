"""Runs a sweep locally, on Dask and on Slurm, kills workers meanwhile, and compares the results.

::

    python -m bench.sweep_cluster bench/sweeps/kills.toml

Dask: a scheduler and two workers of one thread on this machine. The sweep runs once undisturbed and
once while a worker process is killed four times (its nanny starts another), and then one with its
nanny. Slurm, where `sinfo` answers: two jobs of one core, of which one is cancelled on the way.
Ends with exit 1 unless `results.parquet`, `results.csv` and `report.html` are equal to the byte
everywhere.
"""

import argparse
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

_RESULTS = ("results.parquet", "results.csv", "report.html")
_TIMEOUT_SECONDS = 120.0


def units(root: Path) -> int:
    """Count the finished units of a run."""
    return sum(1 for _ in (root / "data" / "units").glob("??/*"))


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + _TIMEOUT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit("this takes too long")
        time.sleep(0.1)


def run(
    name: str, sweep: Path, root: Path, options: Sequence[str], harm: Callable[[], None]
) -> str:
    """Run the sweep while `harm` is done; return the hash of its results."""
    program = [sys.executable, "-m", "tvlb", "sweep", str(sweep), "-o", str(root / "results")]
    begun = time.monotonic()
    with (root.parent / f"{name}.log").open("wb") as log:
        process = subprocess.Popen(
            [*program, "--data", str(root / "data"), *options], stdout=log, stderr=log
        )
        harm()
        code = process.wait()
    seconds = time.monotonic() - begun
    if code != 0:
        raise SystemExit(f"{name}: exit code {code}; {(root.parent / f'{name}.log').read_text()}")
    content = b"".join((root / "results" / one).read_bytes() for one in _RESULTS)
    found = hashlib.sha256(content).hexdigest()
    print(f"{name}: {seconds:.1f} s, {units(root)} units, results {found[:16]}", flush=True)
    return found


def free_port() -> int:
    """Return a port of the loopback that nobody uses."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@contextmanager
def dask(root: Path) -> Generator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Run a scheduler and two workers; yields the address and the nannies of the workers."""
    address = f"tcp://127.0.0.1:{free_port()}"
    program = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    with (root / "dask.log").open("wb") as log:
        started = [
            subprocess.Popen(
                [*program, "--host", address, "--no-dashboard"], stdout=log, stderr=log
            )
        ]
        for number in range(2):
            worker = [sys.executable, "-m", "distributed.cli.dask_worker", address]
            place = ["--local-directory", str(root / f"worker-{number}")]
            started.append(
                subprocess.Popen(
                    [*worker, "--nthreads", "1", "--no-dashboard", *place], stdout=log, stderr=log
                )
            )
        try:
            yield address, started[1:]
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait()


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    answer = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in answer.stdout.split()]


def kill_workers(root: Path, nanny: subprocess.Popen[bytes], total: int) -> None:
    """Kill a worker process four times, then with its nanny, evenly over the run."""
    for step in range(1, 5):
        wait_for(lambda wanted=step * total // 6: units(root) >= wanted)
        wait_for(lambda: len(children(nanny.pid)) > 1)
        os.kill(children(nanny.pid)[-1], signal.SIGKILL)
    wait_for(lambda: units(root) >= 5 * total // 6)
    for pid in [nanny.pid, *children(nanny.pid)]:
        os.kill(pid, signal.SIGKILL)


def cancel_job(root: Path, total: int) -> None:
    """Cancel one of the jobs when a third of the work is done."""
    wait_for(lambda: units(root) >= total // 3)
    jobs = subprocess.run(["squeue", "-h", "-o", "%i"], capture_output=True, text=True, check=True)
    subprocess.run(["scancel", jobs.stdout.split()[0]], check=True)


def has_slurm() -> bool:
    """Whether Slurm answers."""
    if shutil.which("sinfo") is None:
        return False
    return subprocess.run(["sinfo"], capture_output=True, check=False).returncode == 0


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sweep", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tvlb-sweep-cluster-") as directory:
        root = Path(directory)
        places = {name: root / name for name in ("local", "dask", "dask-killed", "slurm")}
        for place in places.values():
            place.mkdir()
        found = {run("local", given.sweep, places["local"], [], lambda: None)}
        total = units(places["local"])
        with dask(root) as (address, nannies):
            options = ["--executor", "dask", "--scheduler", address]
            found.add(run("dask", given.sweep, places["dask"], options, lambda: None))
            killed = places["dask-killed"]
            found.add(
                run(
                    "dask-killed",
                    given.sweep,
                    killed,
                    options,
                    lambda: kill_workers(killed, nannies[0], total),
                )
            )
        if has_slurm():
            place = places["slurm"]
            options = ["--executor", "slurm", "--slurm-jobs", "2", "--slurm-memory", "2GB"]
            logs = ["--slurm-logs", str(root / "slurm-logs")]
            found.add(
                run(
                    "slurm",
                    given.sweep,
                    place,
                    [*options, *logs],
                    lambda: cancel_job(place, total),
                )
            )
        else:
            print("slurm: not tried, sinfo does not answer")
    print("results equal" if len(found) == 1 else "results DIFFERENT")
    return 0 if len(found) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
