"""Files by the hash of their content: written whole or not at all, checked when read."""

import hashlib
import threading
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from tvlb.errors import StoreUnavailable, TvlbError
from tvlb.jobs.file_store import FileStore

_PROBE_BYTES = 16_384

# See `_state`.
_State = tuple[int, int, int]


class DamagedBlob(TvlbError):
    """A stored file is missing, or its content does not have the hash that it is named by."""


@contextmanager
def store_errors() -> Generator[None]:
    """Raise StoreUnavailable where the block raises OSError."""
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(f"the result store: {error.strerror}") from error


class BlobStore(FileStore):
    """Files by the SHA-256 of their content.

    Parameters
    ----------
    root : the directory; made if it does not exist.

    Notes
    -----
    A file is hashed when this process first reads it, and again whenever its size or its time of
    change differ from then.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        # By name: the state in which a file was hashed, and its hash, also where it is another.
        self._hashed: dict[str, tuple[_State, str]] = {}
        # Takes a processor: one file at a time, and once for all who ask together.
        self._hashing = threading.Lock()

    def put(self, write: Callable[[BinaryIO], object]) -> str:
        """Store what `write` writes to a stream and return its SHA-256 (hex).

        Raises
        ------
        OSError : the disk failed or filled up; nothing is left behind.
        StoreUnavailable : the directory is gone, or another one.
        """
        return self._write(write)

    def put_bytes(self, data: bytes) -> str:
        """Store bytes and return their SHA-256 (hex); raises OSError as `put`."""
        return self.put(lambda stream: stream.write(data))

    def path(self, name: str) -> Path:
        """Return where a file is, after its content was checked.

        Raises
        ------
        DamagedBlob : it is missing or does not match its hash.
        StoreUnavailable : the store cannot be read.
        """
        path = self._path(name)
        with store_errors():
            try:
                found = self._known_hash(name, path)
                if found is None:
                    with self._hashing:
                        found = self._known_hash(name, path) or self._hash(name, path)
            except FileNotFoundError as error:
                self.check_identity()
                raise DamagedBlob(f"the stored file {name} is missing") from error
        if found != name:
            raise DamagedBlob(f"the stored file {name} is damaged: its hash is {found}")
        return path

    def _known_hash(self, name: str, path: Path) -> str | None:
        state, found = self._hashed.get(name, (None, None))
        return found if state == _state(path) else None

    def _hash(self, name: str, path: Path) -> str:
        # What changes meanwhile is hashed again.
        state = _state(path)
        with path.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        self._hashed[name] = state, found
        return found

    def read(self, name: str) -> bytes:
        """Return the content of a file; raises as `path`."""
        path = self.path(name)
        with store_errors():
            return path.read_bytes()

    def temporary_file(self) -> BinaryIO:
        """Return an empty file on the disk of the store, gone when it is closed.

        Raises
        ------
        OSError : the disk failed or filled up.
        """
        return TemporaryFile(dir=self._incoming)

    def unused(self, used: Collection[str]) -> list[str]:
        """Return the files that are not among those in use, but for those just written."""
        return [name for _, name in self.stale() if name not in used]

    def check(self) -> None:
        """Raise StoreUnavailable or OSError unless files of a few kilobytes can be written."""
        self.check_identity()
        probe = self._temporary()
        try:
            probe.write_bytes(bytes(_PROBE_BYTES))
        finally:
            probe.unlink(missing_ok=True)


def _state(path: Path) -> _State:
    """Return what changes where the content does."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino
