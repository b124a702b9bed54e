"""Files that appear complete or not at all, and checks of where they are."""

import math
import os
import re
import secrets
import weakref
from collections.abc import Collection, Generator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from tvlb.errors import InvalidInput, StoreUnavailable

_LONGEST_NAME = 80


class PathIdentity:
    """Tells, by device and inode, whether a path still leads to the same file or directory.

    Parameters
    ----------
    path : of what is there now; raises OSError if that is nothing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        # While it is open, no other file gets its inode. Opened so, its closing frees no locks.
        self._held = os.open(path, os.O_PATH | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._held)

    def check(self) -> None:
        """Raise StoreUnavailable if what was there is deleted, replaced or out of reach."""
        try:
            found = self._path.stat()
        except OSError as error:
            raise StoreUnavailable(
                f"{self._path} is gone ({error.strerror}): put it back, or start tvlb again"
            ) from error
        if not os.path.samestat(found, os.fstat(self._held)):
            raise StoreUnavailable(
                f"{self._path} was replaced by another: put the first one back, or start tvlb again"
            )


@contextmanager
def atomic_file(path: Path) -> Generator[BinaryIO]:
    """Open a file for writing that replaces `path` only when the block ends without an error.

    Notes
    -----
    The bytes go to a temporary file of the same directory and are on disk before the rename. A
    symbolic link is followed, so its target is what gets replaced.
    """
    target = path.resolve()
    temporary = _temporary_name(target.parent, target.name)
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(target)
        sync_directory(target.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def explained(problem: str, path: Path | str) -> Generator[None]:
    """Make InvalidInput, which names the path, of what the file system raises in the block."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"{problem} {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise InvalidInput(f"{problem} {str(path)!r}: {error}") from error


def check_writable(path: Path | str, suffixes: Collection[str]) -> None:
    """Find out before long work starts whether a file could be written.

    Parameters
    ----------
    suffixes : the allowed file suffixes, with their dots.

    Raises
    ------
    InvalidInput : unknown suffix, missing directory, directory not writable, or `path` is itself
        a directory.
    """
    suffix = Path(path).suffix
    if suffix not in suffixes:
        raise InvalidInput(
            f"{path}: the name must end in one of {', '.join(suffixes)}, "
            f"not {suffix or 'nothing'!r}"
        )
    with explained("cannot write", path):
        target = Path(path).resolve()
        if target.is_dir():
            raise InvalidInput(f"cannot write {path}: it is a directory")
        if not target.parent.is_dir():
            raise InvalidInput(f"cannot write {path}: {target.parent} is not a directory")
        _probe_directory(target.parent)


def check_directory(path: Path, names: Collection[str] = ()) -> None:
    """Make a directory if there is none, and find out whether files could be written there.

    Parameters
    ----------
    names : of the files.

    Raises
    ------
    InvalidInput : it cannot be made, is no directory, is not writable, or one of the names is that
        of a directory in it.
    """
    with explained("cannot write into", path):
        try:
            path.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise InvalidInput(f"cannot write into {path}: it is no directory") from error
        _probe_directory(path)
        for name in names:
            if (path / name).is_dir():
                raise InvalidInput(f"cannot write {path / name}: it is a directory")


def safe_name(text: str) -> str:
    """Return a name for a file that is about something, of letters, digits and hyphens.

    Examples
    --------
    >>> safe_name("dfly(3,6,3,10,palmtree)"), safe_name("../nets/my net.json")
    ('dfly-3-6-3-10-palmtree', 'nets-my-net-json')
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text)[:_LONGEST_NAME].strip("-") or "network"


def free_path(path: Path) -> Path:
    """Return the path, or where there is something already the first free one with a number.

    Examples
    --------
    >>> free_path(Path("no-such-table.parquet")).name
    'no-such-table.parquet'
    """
    numbered = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return next(one for one in chain([path], numbered) if not os.path.lexists(one))


def _probe_directory(directory: Path) -> None:
    """Create and remove a file; raises OSError where that is impossible.

    Permission bits do not tell: the user may be root, or the file system read-only.
    """
    probe = _temporary_name(directory, "probe")
    probe.touch(exist_ok=False)
    probe.unlink()


def _temporary_name(directory: Path, name: str) -> Path:
    # Cut, so that a name of legal length stays legal.
    return directory / f".{name[:100]}.{secrets.token_hex(6)}.tmp"


def stale_before(directory: Path, seconds: float) -> float:
    """Return the time of change, seconds since 1970, of a file that was changed so long ago.

    By the clock that dates files there: that of this process may be wrong. Where no file can be
    made, none counts as stale.
    """
    try:
        with TemporaryFile(dir=directory) as file:
            return os.fstat(file.fileno()).st_mtime - seconds
    except OSError:
        return -math.inf


def sync_directory(directory: Path) -> None:
    """Put the names in a directory on disk."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
