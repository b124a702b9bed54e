"""Times a sweep on one and on two local workers, each from an empty store.

::

    python -m bench.sweep_speed bench/sweeps/speed.toml --rounds 3

Runs take turns, so that a machine that slows down harms both alike. Prints the wall times, their
ratio, and the CPU seconds. Ends with exit 1 unless all runs leave equal results.
"""

import argparse
import hashlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def timed(sweep: Path, workers: int) -> tuple[float, float, str]:
    """Run the sweep; return wall seconds, CPU seconds and the hash of its results."""
    with tempfile.TemporaryDirectory(prefix="tvlb-sweep-speed-") as directory:
        program = [sys.executable, "-m", "tvlb", "sweep", str(sweep), "--workers", str(workers)]
        places = ["-o", f"{directory}/results", "--data", f"{directory}/data"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        subprocess.run([*program, *places], check=True, capture_output=True)
        wall = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        content = Path(directory, "results", "results.parquet").read_bytes()
        return wall, cpu, hashlib.sha256(content).hexdigest()


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sweep", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    walls: dict[int, list[float]] = {1: [], 2: []}
    found: set[str] = set()
    for _ in range(given.rounds):
        for workers, times in walls.items():
            wall, cpu, content = timed(given.sweep, workers)
            times.append(wall)
            found.add(content)
            print(f"{workers} workers: {wall:.1f} s wall, {cpu:.1f} s CPU", flush=True)
    one, two = (statistics.median(times) for times in walls.values())
    print(f"median {one:.1f} s on one, {two:.1f} s on two: {one / two:.2f} times as fast")
    print("results equal" if len(found) == 1 else "results DIFFERENT")
    return 0 if len(found) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
