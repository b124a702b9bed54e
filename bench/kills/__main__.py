"""Kills, stops and starves the service at random while small jobs run, and counts the loss.

::

    python -m bench.kills --faults 500                      # on a SQLite file
    python -m bench.kills --faults 500 --postgresql         # on a PostgreSQL server of its own
    python -m bench.kills --faults 200 --kills --of repair,stability,sweep

An API process and two workers run, the second with a clock that is an hour ahead. Every few seconds
one of the three, or a process that computes for one of them, gets SIGKILL, or SIGSTOP with SIGCONT
some seconds later, or SIGSTOP alone. What was killed or left stopped is started again, as a
supervisor would; computing processes are left to the process that started them. Two of three
requests are for tables, which workers compute, the third is for a simulation, which a process
beside the API computes at once. In between the result store cannot
be written for a time, then the whole data directory has a full disk, and PostgreSQL is restarted
without warning. Requests are sent over HTTP without a pause. With --kills there are SIGKILLs only,
and --of names other kinds of requests, by turns; repairs are of a table that is computed first.

At the end every request must have exactly one result, its files must be what the library computes
(tables to the byte, documents but for the times that they took), every error must have been a
problem that says to try again, and every job whose worker or process was lost must have been taken
up again within a minute. A job that loses its worker three times fails, as documented, and is asked
for again. Prints counts and a verdict; exit code 1 if anything was lost, doubled or damaged.

Small disks need the right to mount (root); without it these two phases are left out, which the
verdict says.
"""

import argparse
import json
import random
import secrets
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from bench.kills.comparison import check
from bench.kills.faults import Disks, Faults, processes_of, restart_postgresql
from bench.kills.requests import Batch
from tests.postgresql import free_port, new_database, postgresql_server

_RESUME_SECONDS = 60.0
_PHASE_SECONDS = 8.0


def _phases(faults: int, disks: Disks, server: str | None) -> dict[int, str]:
    """Say before which faults what befalls the store or the database."""
    found: dict[int, str] = {}
    if disks.available:
        found |= {faults // 4: "read-only store", faults // 2: "full disk"}
    if server is not None:
        for part in (1, 3, 5):
            found[part * faults // 6 + 1] = "PostgreSQL restarted"
    return found


def _befall(what: str, faults: Faults, disks: Disks, server: str | None) -> None:
    # With few faults what befell before may not be over.
    faults.follow(at_once=True)
    if what == "read-only store":
        disks.protect()
        faults.after(_PHASE_SECONDS, disks.release)
    elif what == "full disk":
        disks.fill()
        faults.after(_PHASE_SECONDS, disks.free)
    else:
        assert server is not None
        restart_postgresql(server)
    faults.count[what] += 1


def main() -> int:
    """Run the batch and print what became of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--kills", action="store_true")
    parser.add_argument("--of", default="table,table,simulation")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with ExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tvlb-kills-")))
        directory = root / "data"
        directory.mkdir()
        server = stack.enter_context(postgresql_server()) if given.postgresql else None
        disks = Disks(directory, wanted=not given.kills)
        stack.callback(disks.unmount)
        url = f"sqlite:///{directory / 'jobs.sqlite3'}"
        if server is not None:
            url = new_database(server, secrets.token_hex(6))
        port = free_port()
        processes = processes_of(root, ["--data", str(directory), "--database", url], port)
        batch = Batch(f"http://127.0.0.1:{port}", given.of.split(","))
        faults = Faults(processes, chance, only_kills=given.kills)
        stack.callback(faults.release)
        for one in processes:
            one.start()
            stack.callback(one.end)
        batch.begin()
        phases = {} if given.kills else _phases(given.faults, disks, server)
        for number in range(given.faults):
            if number in phases:
                _befall(phases[number], faults, disks, server)
            _work(batch, faults, 8.0 if number == 0 else chance.uniform(0.5, 6.5))
            faults.strike()
            print(
                f"{number + 1} faults, {len(batch.done)} requests done", file=sys.stderr, end="\r"
            )
        faults.follow(at_once=True)
        batch.finish()
        found = check(batch, url, directory, processes[1:], time.time())
    found["faults"] = dict(faults.count)
    print(json.dumps(found, indent=2))
    return _judge(found, given.faults, complete=given.kills or disks.available)


def _work(batch: Batch, faults: Faults, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        faults.follow()
        batch.step()
        time.sleep(0.05)


def _judge(found: dict[str, object], faults: int, *, complete: bool) -> int:
    longest = float(str(found["longest_resume_seconds"]))
    bad = any(found[name] for name in ("lost", "doubled", "damaged", "wrong_answers"))
    bad = bad or longest > _RESUME_SECONDS
    without = "" if complete else ", without read-only and full disks (no right to mount)"
    print(
        f"{'FAILED' if bad else 'passed'}: {faults} faults{without}, {found['requests']} requests: "
        f"{found['lost']} lost, {found['doubled']} doubled, {found['damaged']} damaged; longest "
        f"time to resume {longest:.1f} s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
