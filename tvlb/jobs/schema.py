"""The tables of the job database. Changing them takes a migration in `tvlb.jobs.migrations`.

Times are seconds since 1970 by the clock of the database, so several hosts agree on them.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

REVISION = "0004"
"""Of the newest migration, which makes these tables."""

metadata = MetaData()

jobs = Table(
    "jobs",
    metadata,
    # Given out in order of submission: the queue is first come, first served.
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String(32), nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("key", String(64), nullable=False),
    Column("request", Text, nullable=False),
    Column("owner", String(32)),
    Column("status", String(16), nullable=False),
    Column("stage", String(64)),
    Column("progress", Double, nullable=False, server_default="0"),
    Column("attempt", Integer, nullable=False, server_default="0"),
    # Who works on it: fresh for every claim, so that a worker that lost its job cannot touch it.
    Column("claim", String(32)),
    Column("worker", String(32)),
    Column("cancel_requested", Boolean, nullable=False, server_default=text("false")),
    Column("created_at", Double, nullable=False),
    Column("started_at", Double),
    # Of a queued job: an attempt failed, and the next is not to begin before.
    Column("retry_at", Double),
    Column("heartbeat_at", Double),
    Column("ended_at", Double),
    Column("timings", Text, nullable=False, server_default="{}"),
    Column("error", Text),
    Column("last_event", Integer, nullable=False, server_default="0"),
    Index("jobs_by_status", "status", "number"),
    Index("jobs_by_owner", "owner", "status"),
    # The same request is never computed twice at a time.
    Index(
        "jobs_active_key",
        "key",
        unique=True,
        sqlite_where=text("status IN ('queued', 'running')"),
        postgresql_where=text("status IN ('queued', 'running')"),
    ),
    # Numbers of deleted rows are not given out again.
    sqlite_autoincrement=True,
)

events = Table(
    "events",
    metadata,
    Column("job", String(32), ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("type", String(16), nullable=False),
    Column("data", Text, nullable=False),
)

results = Table(
    "results",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False, unique=True),
    Column("kind", String(16), nullable=False),
    Column("request", Text, nullable=False),
    Column("document", String(64), nullable=False),
    Column("table_file", String(64)),
    Column("table_id", String(64)),
    Column("created_at", Double, nullable=False),
    Index("results_by_kind", "kind", "number"),
    sqlite_autoincrement=True,
)

labels = Table(
    "labels",
    metadata,
    # Of the request, so that its job and its result have one label.
    Column("key", String(64), primary_key=True),
    Column("label", String(100), nullable=False),
)

workers = Table(
    "workers",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("host", String(255), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("heartbeat_at", Double, nullable=False),
    Column("draining", Boolean, nullable=False),
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(100), nullable=False),
    Column("secret_hash", String(64), nullable=False),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double),
    Column("revoked_at", Double),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("owner", String(32), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("created_at", Double, nullable=False),
    # While the first request is in flight: who answers it, and by when at the latest.
    Column("attempt", String(32), nullable=False),
    Column("answer_by", Double, nullable=False),
    # The answer; NULL while the first request is in flight.
    Column("status", Integer),
    Column("headers", Text),
    Column("body", Text),
)

counters = Table(
    "counters",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("label", String(64), primary_key=True),
    Column("value", Double, nullable=False),
)
