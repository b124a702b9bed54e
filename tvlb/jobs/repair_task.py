"""Repairs of stored tables: finding the table that a request names, and computing what it asks."""

import json
from contextlib import closing

from tvlb.errors import InvalidInput
from tvlb.jobs.blobs import store_errors
from tvlb.jobs.database import Database
from tvlb.jobs.outputs import store_document, store_file
from tvlb.jobs.results import Result, Results
from tvlb.jobs.workspace import TaskOutput, Workspace
from tvlb.processes import local_workers
from tvlb.schemas import Question, RepairBody, RepairDocument, TableBody
from tvlb.search import Reporter, UnitCache, repair
from tvlb.table import StoredTable, read_any_stream


def with_its_network(body: RepairBody, workspace: Workspace) -> RepairBody:
    """Return the request with the network of its table.

    Raises
    ------
    InvalidInput : there is no such table, or it cannot be repaired.
    DamagedBlob : its document is damaged.
    """
    found = _find(body, workspace)
    document = json.loads(workspace.blobs.read(found.document))
    asked = TableBody.model_validate(found.request)
    return body.about(asked, compact=document["table"]["form"] == "compact")


def compute_repair(body: Question, workspace: Workspace, report: Reporter) -> TaskOutput:
    """See `tvlb.jobs.tasks.run_task`."""
    assert isinstance(body, RepairBody)
    table = _read(_find(body, workspace), workspace)
    with local_workers(workspace.cores, workspace.hang) as executor:
        unit_cache = UnitCache(executor, workspace.units)
        found = repair(table, body.without, body.options(), report=report, unit_cache=unit_cache)
    return TaskOutput(
        store_document(workspace.blobs, RepairDocument.of(found).plain()),
        store_file(workspace.blobs, found.table),
        found.table.id,
        found.seconds,
    )


def _find(body: RepairBody, workspace: Workspace) -> Result:
    assert workspace.database is not None
    with closing(Database(workspace.database)) as database:
        found = Results(database).get(body.table)
    if found is None or found.kind != TableBody.kind:
        raise InvalidInput(f"there is no table {body.table}")
    return found


def _read(found: Result, workspace: Workspace) -> StoredTable:
    assert found.table_file is not None
    path = workspace.blobs.path(found.table_file)
    with store_errors(), path.open("rb") as stream:
        return read_any_stream(".parquet", stream)
