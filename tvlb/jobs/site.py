"""Where tasks run, and what a task is."""

from dataclasses import dataclass
from pathlib import Path

from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.presence import Presence
from tvlb.jobs.stages import StageFiles, sweep_stages

__all__ = ["Site", "Task"]


@dataclass(frozen=True)
class Site:
    """Where and with what tasks run.

    Attributes
    ----------
    directory : holds the blob store, the checkpoints and the locks of workers.
    cores : processes and threads; they change no result.
    """

    directory: Path
    cores: int

    @property
    def blobs(self) -> BlobStore:
        """The store of finished files."""
        return BlobStore(self.directory / "blobs")

    def stages(self, key: str) -> StageFiles:
        """Return the checkpoints of a request."""
        return StageFiles(self.directory / "stages", key)

    def presence(self) -> Presence:
        """Return the locks by which workers of one machine are known to live."""
        return Presence(self.directory / "workers")

    def sweep(self) -> None:
        """Remove what processes that died, and requests that were given up, left behind."""
        self.blobs.sweep()
        self.presence().sweep()
        sweep_stages(self.directory / "stages")


@dataclass(frozen=True)
class Task:
    """One request to compute.

    Attributes
    ----------
    kind, key : of the request.
    request : the resolved request as JSON text.
    """

    kind: str
    key: str
    request: str
