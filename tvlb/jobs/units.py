"""Results of units of work on disk, so that none is computed twice."""

import math
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tvlb.files import atomic_file, stale_before, sync_directory

__all__ = ["UnitFiles"]

_NAME = re.compile(r"[0-9a-f]{64}")
# Longer than any file takes to be written; and whoever saved a result may still need it.
_STALE_SECONDS = 3600.0


class UnitFiles:
    """A store of the search's units (`tvlb.search.UnitStore`), shared by any number of processes.

    Parameters
    ----------
    root : the directory; made when something is saved.

    Notes
    -----
    The time of change of a file is that of its last use.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def load(self, key: str) -> bytes | None:
        """Return what was saved under a key; None if nothing was, or it cannot be read."""
        data = self.peek(key)
        if data is not None:
            with suppress(OSError):
                os.utime(self._path(key))
        return data

    def peek(self, key: str) -> bytes | None:
        """Do as `load` does, without a use of what is kept."""
        try:
            return self._path(key).read_bytes()
        except OSError:
            return None

    def save(self, key: str, data: bytes) -> None:
        """Keep bytes under a key, durably; raises OSError where that is impossible."""
        path = self._path(key)
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            sync_directory(self._root)
        with atomic_file(path) as stream:
            stream.write(data)

    def keys(self) -> Iterator[str]:
        """Yield the keys of all that is kept, in order."""
        for directory in sorted(self._root.glob("??")):
            names = (path.name for path in directory.iterdir())
            yield from sorted(name for name in names if _NAME.fullmatch(name))

    def size(self, key: str) -> int:
        """Return the bytes that are kept under a key, 0 if it is gone."""
        try:
            return self._path(key).stat().st_size
        except OSError:
            return 0

    def remove(self, key: str) -> None:
        """Drop what is kept under a key."""
        self._path(key).unlink(missing_ok=True)

    def unused(self, seconds: float) -> list[str]:
        """Return the keys of what was not used for so long, an hour at least."""
        oldest = stale_before(self._root, max(seconds, _STALE_SECONDS))
        return [key for key in self.keys() if self._used_at(key) < oldest]

    def sweep(self, unused_seconds: float) -> None:
        """Drop what was not used for so long, and what writers that died left behind."""
        for key in self.unused(unused_seconds):
            self.remove(key)
        self.drop_leftovers()

    def drop_leftovers(self) -> None:
        """Drop what writers that died left behind."""
        oldest = stale_before(self._root, _STALE_SECONDS)
        for path in self._root.glob("??/.*.tmp"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _used_at(self, key: str) -> float:
        try:
            return self._path(key).stat().st_mtime
        except OSError:
            return math.inf

    def _path(self, key: str) -> Path:
        if _NAME.fullmatch(key) is None:
            raise ValueError(f"{key!r} is no SHA-256")
        return self._root / key[:2] / key
