"""Which workers of this machine have died: each holds a lock that the kernel frees at its end."""

import fcntl
import os
from pathlib import Path

from tvlb.documents import stale_before

_KERNEL = Path("/proc/sys/kernel/random/boot_id")
# Until then a reaper can see that a worker died.
_KEPT_SECONDS = 3600.0


class WorkerLocks:
    """Lock files of workers below one directory.

    Parameters
    ----------
    root : the directory; made when it is first needed.

    Notes
    -----
    Heartbeats tell of every worker, but only when they have been missing for a time. A lock tells
    at once, though only of workers that this kernel runs, in containers too: the name of the file
    holds the identity of the kernel. Where it tells nothing, a worker counts as not gone.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._held: tuple[int, Path] | None = None

    def acquire(self, worker: str) -> None:
        """Hold a lock from now on; without one, where the file system has none to give."""
        path = self._path(worker)
        if path is None:
            return
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            held = os.open(path, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o644)
        except OSError:
            return
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            path.unlink(missing_ok=True)
            os.close(held)
            return
        self._held = held, path

    def release(self) -> None:
        """Give the lock up; nothing is known of the worker afterwards."""
        if self._held is None:
            return
        held, path = self._held
        self._held = None
        path.unlink(missing_ok=True)
        os.close(held)

    def has_died(self, worker: str) -> bool:
        """Whether a worker of this machine has certainly ended."""
        path = self._path(worker)
        return path is not None and _is_free(path)

    def sweep(self) -> None:
        """Remove the files of workers that died long ago."""
        oldest = stale_before(self._root, _KEPT_SECONDS)
        for path in self._root.glob("*.lock"):
            try:
                if path.stat().st_mtime < oldest and _is_free(path):
                    path.unlink(missing_ok=True)
            except FileNotFoundError:
                continue

    def _path(self, worker: str) -> Path | None:
        try:
            kernel = _KERNEL.read_text().strip()
        except OSError:
            return None
        return self._root / f"{worker}.{kernel}.lock"


def _is_free(path: Path) -> bool:
    try:
        found = os.open(path, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(found, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(found)
    return True
