"""Where tasks run, what a task is, and what comes of it."""

from dataclasses import dataclass, field
from pathlib import Path

from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.units import UnitFiles
from tvlb.jobs.worker_locks import WorkerLocks
from tvlb.processes import HangLimits

# What no request needed in this time is computed again should one need it.
_UNITS_KEPT_SECONDS = 7 * 86_400.0


FRONT_FILES = "front_files"
"""Key of the stored document of a front that holds the hashes of its table files, in order."""


@dataclass(frozen=True)
class Workspace:
    """Where and with what tasks run.

    Attributes
    ----------
    directory : holds the blob store, the results of units of work, and the locks of workers.
    cores : processes and threads; they change no result.
    database : URL of the job database, for tasks that look other results up; None if there are
        none of these.
    hang : when a process that computes counts as hung.
    """

    directory: Path
    cores: int
    database: str | None = None
    hang: HangLimits = field(default_factory=HangLimits)

    @property
    def blobs(self) -> BlobStore:
        """The store of finished files."""
        return BlobStore(self.directory / "blobs")

    @property
    def units(self) -> UnitFiles:
        """The results of units of work."""
        return UnitFiles(self.directory / "units")

    def worker_locks(self) -> WorkerLocks:
        """Return the locks by which workers of one machine are known to live."""
        return WorkerLocks(self.directory / "workers")

    def sweep(self) -> None:
        """Remove what processes that died left behind, and what no request needed for long."""
        self.blobs.drop_leftovers()
        self.worker_locks().sweep()
        self.units.sweep(_UNITS_KEPT_SECONDS)


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


@dataclass(frozen=True)
class TaskOutput:
    """What a computation left in the blob store.

    Attributes
    ----------
    document : SHA-256 of the JSON document.
    table_file : SHA-256 of the Parquet file, None if the request was not for a table.
    table_id : content id of the table, see `tvlb.table.Table.id`.
    timings : seconds by stage.
    work : amounts of work done, by name, for statistics.
    replaces : whether it takes the place of an earlier result of the request; else that one keeps
        its place.
    """

    document: str
    table_file: str | None = None
    table_id: str | None = None
    timings: dict[str, float] | None = None
    work: dict[str, float] | None = None
    replaces: bool = False
