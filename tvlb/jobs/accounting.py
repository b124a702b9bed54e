"""What is kept of a job that has ended: an audit record, and counts for statistics."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select

from tvlb.jobs.database import insert
from tvlb.jobs.schema import counters, jobs

# Of estimates: what less work took says little of a machine that others use, too.
_LEAST_SECONDS = 600.0
_MOST_TIMES = 10.0


@dataclass(frozen=True)
class EndedJob:
    """A job that has just ended, as the audit log tells it: `request` is the key of its request."""

    job: str
    kind: str
    request: str
    owner: str | None
    status: str
    attempts: int
    seconds: float | None


def count_ended(connection: Connection, job_id: str) -> EndedJob:
    """Count a job in the transaction that ended it, and return what is to be logged."""
    row = connection.execute(select(jobs).where(jobs.c.id == job_id)).one()
    _count(connection, "jobs", f"{row.kind}/{row.status}", 1)
    return EndedJob(
        job=row.id,
        kind=row.kind,
        request=row.key,
        owner=row.owner,
        status=row.status,
        attempts=row.attempt,
        seconds=None if row.started_at is None else round(row.ended_at - row.started_at, 3),
    )


def count_work(
    connection: Connection, kind: str, timings: Mapping[str, float], work: Mapping[str, float]
) -> None:
    """Add up seconds by stage, and amounts of work by name."""
    for stage, seconds in timings.items():
        _count(connection, "stage_seconds", f"{kind}/{stage}", seconds)
        _count(connection, "stages", f"{kind}/{stage}", 1)
    for name, amount in work.items():
        _count(connection, "work", name, amount)


def measured_speed(connection: Connection) -> float:
    """Return how many times as fast as that of the estimates our machines are; 1 until it is known.

    Notes
    -----
    It is what was estimated of tables, models and simulations that workers of this database
    computed anew, over the processor time that they took.
    """
    asked = counters.c.label.in_(("estimated_seconds", "cpu_seconds"))
    chosen = select(counters.c.label, counters.c.value).where(counters.c.name == "work", asked)
    found = {row.label: row.value for row in connection.execute(chosen)}
    estimated, taken = (found.get(name, 0.0) for name in ("estimated_seconds", "cpu_seconds"))
    if estimated < _LEAST_SECONDS:
        return 1.0
    return min(max(estimated / max(taken, 1.0), 1.0 / _MOST_TIMES), _MOST_TIMES)


def _count(connection: Connection, name: str, label: str, amount: float) -> None:
    statement = insert(connection, counters).values(name=name, label=label, value=amount)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["name", "label"], set_={"value": counters.c.value + amount}
        )
    )
