"""Files by 64 hexadecimal digits, below one directory: written whole or not at all."""

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from tvlb.documents import PathIdentity, stale_before, sync_directory

_NAME = re.compile(r"[0-9a-f]{64}")
# Longer than any file takes to be written; and whoever wrote one may be about to need it.
STALE_SECONDS = 3600.0


class FileStore:
    """A directory of files that any number of processes share.

    Parameters
    ----------
    root : the directory; made if it does not exist.

    Notes
    -----
    A file is at ``ROOT/ab/abcd...``; what is being written is in ``ROOT/incoming``. Where the
    directory is not the one that this object found, nothing is known of its files, and none is
    stored.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._incoming = root / "incoming"
        self._incoming.mkdir(parents=True, exist_ok=True)
        self._identity = PathIdentity(root)

    def check_identity(self) -> None:
        """Raise StoreUnavailable if the directory is gone, or another one."""
        self._identity.check()

    def names(self) -> Iterator[str]:
        """Yield the names of all files, in order; nothing is checked."""
        for directory in sorted(self._root.glob("??")):
            found = (path.name for path in directory.iterdir())
            yield from sorted(name for name in found if _NAME.fullmatch(name))

    def size(self, name: str) -> int:
        """Return the bytes of a file, 0 if it is gone."""
        try:
            return self._path(name).stat().st_size
        except OSError:
            return 0

    def free_bytes(self) -> int:
        """Return how much room is left on the disk, 0 if that cannot be told."""
        try:
            return shutil.disk_usage(self._root).free
        except OSError:
            return 0

    def remove(self, name: str) -> None:
        """Drop a file."""
        self._path(name).unlink(missing_ok=True)

    def drop_leftovers(self) -> None:
        """Drop what writers that died left behind."""
        oldest = stale_before(self._root, STALE_SECONDS)
        for path in self._incoming.glob("*.tmp"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def stale(self, seconds: float = 0.0) -> Iterator[tuple[float, str]]:
        """Yield time of change and name of files not changed for so long, an hour at least."""
        oldest = stale_before(self._root, max(seconds, STALE_SECONDS))
        for name in self.names():
            # One that is gone is not stale.
            with suppress(OSError):
                changed = self._path(name).stat().st_mtime
                if changed < oldest:
                    yield changed, name

    def _write(self, write: Callable[[BinaryIO], object], name: str | None = None) -> str:
        """Keep what `write` writes to a stream, durably, and return its name.

        Without a name it is the SHA-256 of the content.

        Raises
        ------
        OSError : the disk failed or filled up; nothing is left behind.
        StoreUnavailable : the directory is gone, or another one.
        """
        self.check_identity()
        temporary = self._temporary()
        try:
            with temporary.open("x+b") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
                stream.seek(0)
                name = name or hashlib.file_digest(stream, "sha256").hexdigest()
            target = self._path(name)
            if not target.parent.is_dir():
                target.parent.mkdir(exist_ok=True)
                sync_directory(self._root)
            temporary.replace(target)
            sync_directory(target.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        return name

    def _temporary(self) -> Path:
        return self._incoming / f"{secrets.token_hex(12)}.tmp"

    def _path(self, name: str) -> Path:
        if _NAME.fullmatch(name) is None:
            raise ValueError(f"{name!r} is no SHA-256")
        return self._root / name[:2] / name
