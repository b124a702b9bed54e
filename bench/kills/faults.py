"""The processes of the service, and what befalls them, their disks and their database."""

import ctypes
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.jobs.processes import children_of
from tests.postgresql import find_binaries

AHEAD_SECONDS = 3600
"""By how much the clock of the last process is ahead."""
_LEFT_SECONDS = 10.0
_HANG_SECONDS = 10
_NAMESPACE = 0x00020000
_DISK_MIB, _BLOBS_MIB = 512, 128


@dataclass
class Process:
    """A process that is started again when it was lost; `faults` are the times of its troubles."""

    name: str
    command: list[str]
    log: Path
    environment: dict[str, str] = field(default_factory=dict[str, str])
    pids: set[int] = field(default_factory=set[int])
    faults: list[float] = field(default_factory=list[float])

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as stream:
            self._process = subprocess.Popen(
                self.command, stderr=stream, stdout=stream, env={**os.environ, **self.environment}
            )
        self.pids.add(self.pid)

    @property
    def pid(self) -> int:
        """Of the process that runs now."""
        return self._process.pid

    def end(self) -> None:
        """End it without a word."""
        self._process.kill()
        self._process.wait()

    def replace(self) -> None:
        """End it, and start it again."""
        self.end()
        self.start()


def processes_of(root: Path, common: list[str], port: int) -> list[Process]:
    """Return an API process and two workers, not started, the last with a clock that is ahead."""
    tvlb = [sys.executable, "-m", "tvlb"]
    serve = [*tvlb, "serve", "--no-worker", "--port", str(port), *common]
    work = [*tvlb, "worker", "--workers", "2", "--hang-seconds", str(_HANG_SECONDS), *common]
    return [
        Process("api", serve, root / "api"),
        Process("worker", work, root / "worker"),
        Process("worker with a clock ahead", work, root / "ahead", _clock_ahead(root)),
    ]


def _clock_ahead(root: Path) -> dict[str, str]:
    source, library = Path(__file__).with_name("clock.c"), root / "clock.so"
    ahead = f"-DAHEAD_SECONDS={AHEAD_SECONDS}"
    _run("cc", "-shared", "-fPIC", "-O1", ahead, "-o", str(library), str(source), "-ldl")
    return {"LD_PRELOAD": str(library)}


class Faults:
    """Does harm, one fault at a time, and sees to what has to follow some seconds later."""

    def __init__(
        self, processes: list[Process], chance: random.Random, *, only_kills: bool
    ) -> None:
        self._processes = processes
        self._chance = chance
        self._ways = (self._kill,) if only_kills else (self._kill, self._pause, self._leave)
        self._later: list[tuple[float, Callable[[], None]]] = []
        self._left: set[int] = set()
        self.count = Counter[str]()

    def strike(self) -> None:
        """Kill or stop a process, or one that computes for it."""
        process = self._chance.choice(self._processes)
        way = self._chance.choice(self._ways)
        family = [pid for pid in sorted(children_of(process.pid)) if _computes(pid)]
        computing = bool(family) and self._chance.random() < 0.5
        pid = self._chance.choice(family) if computing else process.pid
        process.faults.append(time.time())
        way(process, pid)
        what = f"process of the {process.name}" if computing else process.name
        self.count[f"{way.__name__[1:]} {what}"] += 1

    def after(self, seconds: float, do: Callable[[], None]) -> None:
        """Do something later."""
        self._later.append((time.monotonic() + seconds, do))

    def follow(self, *, at_once: bool = False) -> None:
        """Do what is due, or all."""
        moment = time.monotonic()
        due = [one for one in self._later if at_once or one[0] <= moment]
        self._later = [one for one in self._later if one not in due]
        for _, do in due:
            do()

    def release(self) -> None:
        """Let what is still stopped find out that its parent is gone."""
        for pid in self._left:
            _signal(pid, signal.SIGCONT)

    def _kill(self, process: Process, pid: int) -> None:
        _signal(pid, signal.SIGKILL)
        if pid == process.pid:
            process.replace()

    def _pause(self, process: Process, pid: int) -> None:
        _signal(pid, signal.SIGSTOP)
        self.after(self._chance.uniform(0.5, 5.0), lambda: _signal(pid, signal.SIGCONT))

    def _leave(self, process: Process, pid: int) -> None:
        _signal(pid, signal.SIGSTOP)
        self._left.add(pid)

        def supervise() -> None:
            if pid == process.pid:
                process.replace()

        self.after(_LEFT_SECONDS, supervise)


def _computes(pid: int) -> bool:
    """Whether a process was spawned to compute; others only look after semaphores."""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)


class Disks:
    """Small disks for the data directory and, in it, for the result store.

    Parameters
    ----------
    wanted : whether they are to be filled; results of long runs need more room.
    """

    def __init__(self, directory: Path, *, wanted: bool) -> None:
        self._directory = directory
        self._blobs = directory / "blobs"
        libc = ctypes.CDLL(None, use_errno=True)
        self.available = wanted and os.geteuid() == 0 and libc.unshare(_NAMESPACE) == 0
        if self.available:
            _run("mount", "--make-rprivate", "/")
            self._mount(directory, _DISK_MIB)
            self._mount(self._blobs, _BLOBS_MIB)

    def _mount(self, directory: Path, mib: int) -> None:
        directory.mkdir(exist_ok=True)
        _run("mount", "-t", "tmpfs", "-o", f"size={mib}m", "tmpfs", str(directory))

    def unmount(self) -> None:
        """Give the directories back."""
        if self.available:
            _run("umount", "--lazy", str(self._blobs))
            _run("umount", "--lazy", str(self._directory))

    def fill(self) -> None:
        """Leave no room on either."""
        for directory in (self._directory, self._blobs):
            with (directory / "ballast").open("wb", buffering=0) as stream:
                for size in (1 << 20, 4096):
                    with suppress(OSError):
                        while stream.write(bytes(size)) == size:
                            pass

    def free(self) -> None:
        """Make room again."""
        for directory in (self._directory, self._blobs):
            (directory / "ballast").unlink()

    def protect(self) -> None:
        """Make the result store read-only."""
        while not _run("mount", "-o", "remount,ro", str(self._blobs), check=False):
            # A file is being written.
            time.sleep(0.01)

    def release(self) -> None:
        """Make the result store writable again."""
        _run("mount", "-o", "remount,rw", str(self._blobs))


def _run(*command: str, check: bool = True, user: str | None = None) -> bool:
    done = subprocess.run(command, check=check, user=user, cwd="/", capture_output=True)
    return done.returncode == 0


def restart_postgresql(server: str) -> None:
    """Restart the server as after a crash."""
    with psycopg.connect(f"{server}/postgres") as connection:
        found = connection.execute("SHOW data_directory").fetchone()
    binaries = find_binaries()
    assert found is not None
    assert binaries is not None
    user = "postgres" if os.geteuid() == 0 else None
    directory = str(found[0])
    log = str(Path(directory).with_name("log"))
    restart = [str(binaries / "pg_ctl"), "-D", directory, "-l", log, "-m", "immediate", "-w"]
    _run(*restart, "restart", user=user)
