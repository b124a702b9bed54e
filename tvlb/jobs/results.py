"""Results by the key of their request: documents and table files in a blob store."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, select

from tvlb.jobs.accounting import count_work, measured_speed
from tvlb.jobs.database import Database, insert, now
from tvlb.jobs.labels import mentions
from tvlb.jobs.schema import labels, results
from tvlb.jobs.workspace import TaskOutput

_LABELLED = select(results, labels.c.label).outerjoin(labels, labels.c.key == results.c.key)
# Databases bound the values of one query.
_KEYS_AT_ONCE = 500


@dataclass(frozen=True)
class Result:
    """A finished request; never changes, but for a sweep with failed points, which is replaced.

    Attributes
    ----------
    number : order in which they were finished.
    key : of the request; also the id of the resource.
    kind : of the request, see `tvlb.requests.request_kinds`.
    request : the resolved request.
    document, table_file, table_id : see `TaskOutput`.
    created_at : seconds since 1970.
    label : what people call it, None if nothing.
    """

    number: int
    key: str
    kind: str
    request: dict[str, Any]
    document: str
    table_file: str | None
    table_id: str | None
    created_at: float
    label: str | None = None


class Results:
    """Looks results up."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def check_files(self) -> None:
        """See `Database.check_files`."""
        self._database.check_files()

    def get(self, key: str) -> Result | None:
        """Return the result of a request, None if there is none."""
        with self._database.reading() as connection:
            return find_result(connection, key)

    def newest(
        self,
        kind: str,
        *,
        before: int | None = None,
        table_id: str | None = None,
        search: str | None = None,
        limit: int = 20,
    ) -> Sequence[Result]:
        """Return results of a kind, newest first.

        Parameters
        ----------
        before, table_id : only those with a smaller number, or with this table.
        search : only those whose label or request has this text, whatever its case.
        """
        query = _LABELLED.where(results.c.kind == kind)
        if before is not None:
            query = query.where(results.c.number < before)
        if table_id is not None:
            query = query.where(results.c.table_id == table_id)
        if search is not None:
            query = query.where(mentions(results.c.request, search))
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(results.c.number.desc()).limit(limit))
            return [_result(row) for row in rows.mappings()]

    def with_table(self, digits: str) -> Sequence[Result]:
        """Return results with a table, newest first, of whose id or the table's these are first."""
        begins = results.c.table_id.startswith(digits) | results.c.key.startswith(digits)
        query = _LABELLED.where(results.c.table_id.is_not(None), begins)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(results.c.number.desc()))
            return [_result(row) for row in rows.mappings()]

    def known(self, keys: Sequence[str]) -> set[str]:
        """Return the keys of those requests that have a result."""
        found: set[str] = set()
        with self._database.reading() as connection:
            for begin in range(0, len(keys), _KEYS_AT_ONCE):
                asked = results.c.key.in_(keys[begin : begin + _KEYS_AT_ONCE])
                rows = connection.execute(select(results.c.key).where(asked))
                found.update(row.key for row in rows)
        return found

    def measured_speed(self) -> float:
        """See `tvlb.jobs.accounting.measured_speed`."""
        with self._database.reading() as connection:
            return measured_speed(connection)

    def every(self) -> Sequence[Result]:
        """Return all results, in the order in which they were finished."""
        with self._database.reading() as connection:
            rows = connection.execute(_LABELLED.order_by(results.c.number))
            return [_result(row) for row in rows.mappings()]

    def publish(self, kind: str, key: str, request: str, output: TaskOutput) -> Result:
        """Store a result that no job computed; an equal request that was first keeps its place."""
        with self._database.writing() as connection:
            publish(connection, kind, key, request, output)
            count_work(connection, kind, output.timings or {}, output.work or {})
            found = find_result(connection, key)
        assert found is not None
        return found

    def older_than(self, seconds: float) -> Sequence[Result]:
        """Return the results that were finished so long ago, oldest first."""
        with self._database.reading() as connection:
            old = results.c.created_at < now(connection) - seconds
            rows = connection.execute(select(results).where(old).order_by(results.c.number))
            return [_result(row) for row in rows.mappings()]

    def delete(self, kind: str, key: str) -> bool:
        """Drop a result, whose files are unused then; return whether there was one."""
        own = results.c.key == key, results.c.kind == kind
        with self._database.writing() as connection:
            return connection.execute(delete(results).where(*own)).rowcount > 0

    def forget(self, result: Result) -> None:
        """Drop a result, such as a damaged one; one that has taken its place meanwhile stays."""
        with self._database.writing() as connection:
            connection.execute(delete(results).where(results.c.number == result.number))


def find_result(connection: Connection, key: str) -> Result | None:
    """Return the result of a request within a transaction, None if there is none."""
    row = connection.execute(_LABELLED.where(results.c.key == key)).mappings().first()
    return None if row is None else _result(row)


def publish(connection: Connection, kind: str, key: str, request: str, output: TaskOutput) -> None:
    """Record a result; see `TaskOutput.replaces` for what happens to an earlier one."""
    if output.replaces:
        connection.execute(delete(results).where(results.c.key == key))
    connection.execute(
        insert(connection, results)
        .values(
            key=key,
            kind=kind,
            request=request,
            document=output.document,
            table_file=output.table_file,
            table_id=output.table_id,
            created_at=now(connection),
        )
        .on_conflict_do_nothing(index_elements=["key"])
    )


def _result(row: RowMapping) -> Result:
    return Result(**{**row, "request": json.loads(row["request"])})
