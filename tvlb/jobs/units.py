"""Results of units of work on disk, so that none is computed twice."""

import os
from contextlib import suppress

from tvlb.jobs.file_store import FileStore


class UnitFiles(FileStore):
    """A store of units of work (`tvlb.processes.UnitStore`), by their keys.

    Parameters
    ----------
    root : the directory; made if it does not exist.

    Notes
    -----
    The time of change of a file is that of its last use.
    """

    def load(self, key: str) -> bytes | None:
        """Return what was saved under a key; None if nothing was, or it cannot be read.

        Raises
        ------
        StoreUnavailable : the directory is gone, or another one.
        """
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
            self.check_identity()
            return None

    def save(self, key: str, data: bytes) -> None:
        """Keep bytes under a key, durably; raises OSError or StoreUnavailable if it cannot."""
        self._write(lambda stream: stream.write(data), key)

    def unused(self, seconds: float) -> list[str]:
        """Return the keys of what was not used for so long, an hour at least."""
        return [key for _, key in self.stale(seconds)]

    def sweep(self, unused_seconds: float) -> None:
        """Drop what was not used for so long, and what writers that died left behind."""
        for key in self.unused(unused_seconds):
            self.remove(key)
        self.drop_leftovers()
