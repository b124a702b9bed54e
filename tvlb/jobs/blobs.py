"""Files by the hash of their content: written whole or not at all, checked when read."""

import hashlib
import math
import os
import re
import secrets
import threading
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import BinaryIO

from tvlb.errors import StoreUnavailable, TvlbError
from tvlb.files import PathIdentity, stale_before, sync_directory

__all__ = ["BlobStore", "DamagedBlob"]

_NAME = re.compile(r"[0-9a-f]{64}")
# Longer than any file takes to be written.
_STALE_SECONDS = 3600.0
_PROBE_BYTES = 16_384


class DamagedBlob(TvlbError):
    """A stored file is missing, or its content does not have the hash that it is named by."""


class BlobStore:
    """Content-addressed files below one directory, shared by any number of processes.

    Parameters
    ----------
    root : the directory; made if it does not exist.

    Notes
    -----
    A file is hashed when this process first reads it, and again whenever its size or its time of
    change differ from then. Where the directory is not the one that this object found, nothing is
    known of its files, and none is stored.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._incoming = root / "incoming"
        self._incoming.mkdir(parents=True, exist_ok=True)
        self._identity = PathIdentity(root)
        self._checked: dict[str, tuple[int, int, int]] = {}
        self._lock = threading.Lock()

    def put(self, write: Callable[[BinaryIO], None]) -> str:
        """Store what `write` writes to a stream and return its SHA-256 (hex).

        Raises
        ------
        OSError : the disk failed or filled up; nothing is left behind.
        StoreUnavailable : the directory is gone, or another one.
        """
        self.check_identity()
        temporary = self._incoming / f"{secrets.token_hex(12)}.tmp"
        try:
            with temporary.open("x+b") as stream:
                write(stream)
                stream.flush()
                os.fsync(stream.fileno())
                stream.seek(0)
                name = hashlib.file_digest(stream, "sha256").hexdigest()
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

    def put_bytes(self, data: bytes) -> str:
        """Store bytes and return their SHA-256 (hex); raises OSError as `put`."""

        def write(stream: BinaryIO) -> None:
            stream.write(data)

        return self.put(write)

    def path(self, name: str) -> Path:
        """Return where a file is, after its content was checked.

        Raises
        ------
        DamagedBlob : it is missing or does not match its hash.
        StoreUnavailable : the store cannot be read.
        """
        path = self._path(name)
        try:
            status = path.stat()
            state = (status.st_size, status.st_mtime_ns, status.st_ino)
            with self._lock:
                if self._checked.get(name) == state:
                    return path
            with path.open("rb") as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            if isinstance(error, FileNotFoundError):
                self.check_identity()
                raise DamagedBlob(f"the stored file {name} is missing") from error
            raise StoreUnavailable(f"the result store: {error.strerror}") from error
        if found != name:
            raise DamagedBlob(f"the stored file {name} is damaged: its hash is {found}")
        with self._lock:
            self._checked[name] = state
        return path

    def read(self, name: str) -> bytes:
        """Return the content of a file; raises as `path`."""
        path = self.path(name)
        try:
            return path.read_bytes()
        except OSError as error:
            raise StoreUnavailable(f"the result store: {error.strerror}") from error

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

    def unused(self, used: Collection[str]) -> list[str]:
        """Return the files that are not among those in use, but for those just written."""
        oldest = stale_before(self._incoming, _STALE_SECONDS)
        spare = (name for name in self.names() if name not in used)
        return [name for name in spare if self._changed_at(name) < oldest]

    def remove(self, name: str) -> None:
        """Drop a file."""
        self._path(name).unlink(missing_ok=True)

    def check(self) -> None:
        """Raise StoreUnavailable or OSError unless files of a few kilobytes can be written."""
        self.check_identity()
        probe = self._incoming / f"{secrets.token_hex(12)}.tmp"
        try:
            probe.write_bytes(bytes(_PROBE_BYTES))
        finally:
            probe.unlink(missing_ok=True)

    def check_identity(self) -> None:
        """Raise StoreUnavailable if the directory is gone, or another one."""
        self._identity.check()

    def sweep(self) -> None:
        """Remove what writers that died left behind."""
        oldest = stale_before(self._incoming, _STALE_SECONDS)
        for path in self._incoming.glob("*.tmp"):
            try:
                if path.stat().st_mtime < oldest:
                    path.unlink(missing_ok=True)
            except FileNotFoundError:
                continue

    def _changed_at(self, name: str) -> float:
        """Time of change, seconds since 1970; a file that is gone is not stale."""
        try:
            return self._path(name).stat().st_mtime
        except OSError:
            return math.inf

    def _path(self, name: str) -> Path:
        if _NAME.fullmatch(name) is None:
            raise ValueError(f"{name!r} is no SHA-256")
        return self._root / name[:2] / name
