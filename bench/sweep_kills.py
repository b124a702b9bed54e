"""Kills a sweep at random moments, takes it up again each time, and looks for harm.

::

    python -m bench.sweep_kills bench/sweeps/kills.toml --kills 10

The sweep runs once without interruption. Then it runs in another store and gets SIGKILL at random
moments, spread over its work and by turns alone and with all its worker processes, and is started
again with the same command until it ends. Ends with exit 1 unless `results.parquet`, `results.csv`
and `report.html` are equal to the byte, no finished unit was computed a second time, and no
half-written file is left among the results.
"""

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_RESULTS = ("results.parquet", "results.csv", "report.html")


def command(sweep: Path, root: Path, workers: int) -> list[str]:
    """Return the command that runs the sweep with its store and its results below `root`."""
    program = [sys.executable, "-m", "tvlb", "sweep", str(sweep), "--workers", str(workers)]
    return [*program, "-o", str(root / "results"), "--data", str(root / "data")]


def kept(root: Path) -> dict[str, int]:
    """Return the finished units with their inodes; one that is computed again is a new file."""
    units = (root / "data" / "units").glob("??/[0-9a-f]*")
    return {path.name: path.stat().st_ino for path in units}


def run_until(arguments: list[str], over: Callable[[], bool], whole_family: bool) -> bool:
    """Run a command, killed when `over` says so; return whether it ended by itself, and well."""
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               start_new_session=True)  # fmt: skip
    while process.poll() is None:
        if over():
            if whole_family:
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
            return False
        time.sleep(0.02)
    if process.returncode != 0:
        raise SystemExit(f"the sweep ended with exit code {process.returncode}")
    return True


def never() -> bool:
    """Say that a sweep may go on."""
    return False


class Moment:
    """The next kill: a random time after so many more files are finished."""

    def __init__(self, root: Path, files: int, seconds: float) -> None:
        self._root = root
        self._files = files
        self._seconds = seconds
        self._since: float | None = None

    def __call__(self) -> bool:
        """Say whether it has come."""
        if self._since is None and len(kept(self._root)) >= self._files:
            self._since = time.monotonic()
        return self._since is not None and time.monotonic() - self._since >= self._seconds


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sweep", type=Path)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    moments = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="tvlb-sweep-kills-") as directory:
        whole, killed = Path(directory, "whole"), Path(directory, "killed")
        begun = time.monotonic()
        run_until(command(given.sweep, whole, given.workers), never, whole_family=False)
        seconds, total = time.monotonic() - begun, len(kept(whole))
        print(f"without interruption: {seconds:.1f} s, {total} units")
        rewritten = kills = 0
        before: dict[str, int] = {}
        while True:
            more = len(before) + int(moments.uniform(0.0, 1.4 * total / (given.kills + 1)))
            moment = Moment(killed, more, moments.uniform(0.0, 0.2))
            over = moment if kills < given.kills else never
            done = run_until(command(given.sweep, killed, given.workers), over, kills % 2 == 0)
            # Workers whose parent was killed end by themselves.
            time.sleep(1.0)
            now = kept(killed)
            again = sum(now.get(name) != state for name, state in before.items())
            rewritten += again
            if done:
                break
            kills += 1
            print(f"kill {kills}: {len(now)} of {total} there, {again} computed anew")
            before = now
        same = all(
            hashlib.sha256((whole / "results" / name).read_bytes()).digest()
            == hashlib.sha256((killed / "results" / name).read_bytes()).digest()
            for name in _RESULTS
        )
        left = [path for path in (killed / "results").iterdir() if path.suffix == ".tmp"]
        print(
            f"{kills} kills: results {'equal' if same else 'DIFFERENT'}, {rewritten} finished "
            f"units computed anew, {len(left)} half-written files among the results"
        )
    return 0 if same and not rewritten and not left and kills == given.kills else 1


if __name__ == "__main__":
    sys.exit(main())
