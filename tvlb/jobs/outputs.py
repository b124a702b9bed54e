"""What computations leave in the blob store: documents, and the files of tables."""

import json
from typing import BinaryIO

from tvlb.documents import plain
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.workspace import TaskOutput
from tvlb.schemas import TableDocument
from tvlb.search import Aim, TableResult
from tvlb.table import StoredTable, write_stream

FRONT_FILES = "front_files"
"""Key of the stored document of a front that holds the hashes of its table files, in order."""

# Of either method: the stages that simulate.
_SIMULATING = ("simulate", "search", "compare")


def store_document(blobs: BlobStore, document: object) -> str:
    """Store a document as JSON and return its SHA-256 (hex)."""
    text = json.dumps(plain(document), allow_nan=False, separators=(",", ":"))
    return blobs.put_bytes(text.encode())


def store_table(blobs: BlobStore, result: TableResult) -> TaskOutput:
    """Store the file and the document of a table, and the tables of a front.

    Raises
    ------
    OSError : a file could not be written.
    """
    table_file = store_file(blobs, result.table)
    document = TableDocument.of(result).plain()
    if result.found is not None and result.options.aim.aim is Aim.FRONT:
        document[FRONT_FILES] = [store_file(blobs, one) for one in result.found.front]
    return TaskOutput(
        store_document(blobs, document),
        table_file,
        result.table.id,
        result.timings,
        # What was computed before took time that is not known here.
        {} if result.units.reused else _work(result),
    )


def store_file(blobs: BlobStore, table: StoredTable) -> str:
    """Store the file of a table and return its SHA-256 (hex); raises OSError as `store_table`."""

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
