"""The workers that are listed."""

from sqlalchemy import select

from tvlb.jobs.database import Database, now
from tvlb.jobs.job import is_alive
from tvlb.jobs.schema import workers

__all__ = ["is_working"]


def is_working(database: Database, host: str) -> bool:
    """Whether a worker of a host has given a sign of life within a lease."""
    with database.reading() as connection:
        beats = connection.execute(select(workers.c.heartbeat_at).where(workers.c.host == host))
        moment = now(connection)
        return any(is_alive(beat, moment) for beat in beats.scalars())
