"""The tables of the store, for all who compute some: jobs, and sweeps on the command line."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import BinaryIO

from sqlalchemy.exc import DBAPIError

from tvlb.documents import plain
from tvlb.errors import StoreUnavailable
from tvlb.jobs.blobs import BlobStore, DamagedBlob
from tvlb.jobs.results import Outcome, Results
from tvlb.jobs.store import FRONT_FILES, files_of
from tvlb.schemas import TableBody, request_key
from tvlb.search import Aim, TableResult, table_document
from tvlb.sweeps import Stored
from tvlb.table import AnyTable, write_stream

__all__ = ["TableShelf", "store_document", "store_table"]

# Of either method: the stages that simulate.
_SIMULATING = ("simulate", "search", "compare")


def store_document(blobs: BlobStore, document: object) -> str:
    """Store a document as JSON and return its SHA-256 (hex)."""
    text = json.dumps(plain(document), allow_nan=False, separators=(",", ":"))
    return blobs.put_bytes(text.encode())


def store_table(blobs: BlobStore, result: TableResult) -> Outcome:
    """Store the file and the document of a table, and the tables of a front.

    Raises
    ------
    OSError : a file could not be written.
    """
    table_file = _store_file(blobs, result.table)
    document = table_document(result)
    if result.found is not None and result.options.aim.aim is Aim.FRONT:
        document[FRONT_FILES] = [_store_file(blobs, one) for one in result.found.front]
    return Outcome(
        store_document(blobs, document),
        table_file,
        result.table.id,
        result.timings,
        # What was computed before took time that is not known here.
        {} if result.units.reused else _work(result),
    )


def _store_file(blobs: BlobStore, table: AnyTable) -> str:
    def write(stream: BinaryIO) -> None:
        write_stream(table, ".parquet", stream)

    return blobs.put(write)


def _work(result: TableResult) -> dict[str, float]:
    return {
        "programs": result.work.programs,
        "probe_seconds": result.timings["probe"],
        "flit_hops": result.work.flit_hops,
        "simulate_seconds": sum(result.timings.get(stage, 0.0) for stage in _SIMULATING),
    }


class TableShelf:
    """The finished tables of a store, for sweeps; see `tvlb.sweeps.Shelf`."""

    def __init__(self, results: Results, blobs: BlobStore) -> None:
        self._results = results
        self._blobs = blobs

    def find(self, key: str) -> Stored | None:
        """See `Shelf.find`; a table with a damaged file is forgotten, and computed again."""
        with _answering():
            found = self._results.get(key)
        if found is None:
            return None
        try:
            document = json.loads(self._blobs.read(found.document))
            for name in files_of(found, self._blobs):
                self._blobs.path(name)
        except DamagedBlob:
            with _answering():
                self._results.forget(found)
            return None
        return Stored(document, found.created_at)

    def add(self, body: TableBody, result: TableResult) -> None:
        """See `Shelf.add`."""
        request = json.dumps(body.model_dump(mode="json"), separators=(",", ":"))
        outcome = store_table(self._blobs, result)
        with _answering():
            self._results.publish(body.kind, request_key(body), request, outcome)


@contextmanager
def _answering() -> Generator[None]:
    """Say in our own words that the database does not answer."""
    try:
        yield
    except DBAPIError as error:
        raise StoreUnavailable(f"the database of the store: {error.orig}") from error
