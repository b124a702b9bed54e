"""Kills a sweep at random moments, takes it up again each time, and looks for harm.

::

    python -m bench.sweep_kills bench/sweeps/kills.toml --kills 10

The sweep runs once without interruption. Then it runs in another store and gets SIGKILL at random
moments, by turns alone and with all its worker processes, and is started again with the same
command until it ends. Ends with exit 1 unless `results.parquet`, `results.csv` and `report.html`
are equal to the byte, no finished piece of work and no table was written a second time, and no
half-written file is left.
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
from pathlib import Path

_RESULTS = ("results.parquet", "results.csv", "report.html")


def command(sweep: Path, root: Path, workers: int) -> list[str]:
    """Return the command that runs the sweep with its store and its results below `root`."""
    program = [sys.executable, "-m", "tvlb", "sweep", str(sweep), "--workers", str(workers)]
    return [*program, "-o", str(root / "results"), "--data", str(root / "data")]


def kept(root: Path) -> dict[Path, int]:
    """Return the finished files of the store with their inodes; writing one anew changes it."""
    found = [*(root / "data" / "units").glob("??/*"), *(root / "data" / "blobs").glob("??/*")]
    return {path: path.stat().st_ino for path in found if not path.name.startswith(".")}


def run_until(arguments: list[str], seconds: float | None, whole_family: bool) -> bool:
    """Run a command, killed after so many seconds; return whether it ended by itself, and well."""
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               start_new_session=True)  # fmt: skip
    try:
        code = process.wait(seconds)
    except subprocess.TimeoutExpired:
        if whole_family:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        return False
    if code != 0:
        raise SystemExit(f"the sweep ended with exit code {code}")
    return True


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
        run_until(command(given.sweep, whole, given.workers), None, whole_family=False)
        seconds = time.monotonic() - begun
        print(f"without interruption: {seconds:.1f} s, {len(kept(whole))} files in the store")
        rewritten = kills = 0
        before: dict[Path, int] = {}
        while True:
            after = (
                moments.uniform(0.0, 2.0 * seconds / given.kills) if kills < given.kills else None
            )
            done = run_until(command(given.sweep, killed, given.workers), after, kills % 2 == 0)
            # Workers whose parent was killed end by themselves.
            time.sleep(1.0)
            now = kept(killed)
            again = sum(now.get(path) != inode for path, inode in before.items())
            rewritten += again
            if done:
                break
            kills += 1
            print(f"kill {kills} after {after:.1f} s: {len(now) - len(before)} more, {again} anew")
            before = now
        same = all(
            hashlib.sha256((whole / "results" / name).read_bytes()).digest()
            == hashlib.sha256((killed / "results" / name).read_bytes()).digest()
            for name in _RESULTS
        )
        left = [path for path in (killed / "results").iterdir() if path.suffix == ".tmp"]
        print(
            f"{kills} kills: results {'equal' if same else 'DIFFERENT'}, {rewritten} finished "
            f"files written anew, {len(left)} half-written files among the results"
        )
    return 0 if same and not rewritten and not left and kills == given.kills else 1


if __name__ == "__main__":
    sys.exit(main())
