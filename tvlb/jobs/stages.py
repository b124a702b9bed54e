"""Finished stages of unfinished jobs on disk, so that another worker goes on from there."""

import shutil
import time
from pathlib import Path

from tvlb.files import atomic_file, sync_directory

__all__ = ["StageFiles", "sweep_stages"]

# A request that nobody asked for again in this time starts from its beginning.
_KEPT_SECONDS = 7 * 86_400.0


class StageFiles:
    """Checkpoints of the search (`tvlb.search.Checkpoints`) of one request.

    Parameters
    ----------
    root : directory of all requests' checkpoints.
    key : of the request.
    """

    def __init__(self, root: Path, key: str) -> None:
        self._directory = root / key

    def load(self, name: str) -> bytes | None:
        """Return what was saved under a name; None if nothing was, or it cannot be read."""
        try:
            return self._path(name).read_bytes()
        except OSError:
            return None

    def save(self, name: str, data: bytes) -> None:
        """Keep bytes under a name, durably; raises OSError where that is impossible."""
        if not self._directory.is_dir():
            self._directory.mkdir(parents=True, exist_ok=True)
            sync_directory(self._directory.parent)
        with atomic_file(self._path(name)) as stream:
            stream.write(data)

    @property
    def begun(self) -> bool:
        """Whether anything is kept."""
        return self._directory.is_dir()

    def clear(self) -> None:
        """Remove the checkpoints of this request."""
        shutil.rmtree(self._directory, ignore_errors=True)

    def _path(self, name: str) -> Path:
        return self._directory / f"{name}.stage"


def sweep_stages(root: Path) -> None:
    """Remove the checkpoints of requests that were given up long ago."""
    oldest = time.time() - _KEPT_SECONDS
    for directory in root.glob("*"):
        try:
            old = directory.stat().st_mtime < oldest
        except FileNotFoundError:
            continue
        if old:
            shutil.rmtree(directory, ignore_errors=True)
