"""The job database: a SQLite file, or PostgreSQL for several API and worker processes."""

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from tvlb.documents import PathIdentity
from tvlb.errors import InvalidInput
from tvlb.jobs.schema import REVISION

_DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg"}
# Beside the file of the database, for as long as somebody has it open.
_JOURNALS = ("-wal", "-shm")
_BUSY_MILLISECONDS = 30_000
_WRITES = "tvlb_writes"
# A database whose host is gone must be noticed before the operating system would, seconds.
_CONNECT_ARGUMENTS: dict[str, dict[str, int | str]] = {
    "sqlite": {},
    "postgresql": {
        # A database in SQL_ASCII would answer in bytes.
        "client_encoding": "utf8",
        "connect_timeout": 5,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,
    },
}


class Database:
    """Connections to the job database, in transactions that read or write.

    A transaction raises `StoreUnavailable` where the SQLite file, or the log that SQLite keeps
    beside it, is not the one that was opened first; what was written then is lost.

    Parameters
    ----------
    url : ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST:PORT/NAME``.

    Raises
    ------
    InvalidInput : another kind of database, or its driver is not installed.
    """

    def __init__(self, url: str) -> None:
        self._url = _parse(url)
        self._file: PathIdentity | None = None
        self._journals: list[PathIdentity] = []
        self._open = 0
        self._lock = threading.Lock()
        try:
            self.engine = _engine(self._url)
        except ModuleNotFoundError as error:
            raise InvalidInput(
                f"database {self.name}: the driver {error.name} is missing; "
                "install tvlb[postgresql]"
            ) from error
        if self.engine.dialect.name == "sqlite":
            event.listen(self.engine, "connect", self._remember_file)
            event.listen(self.engine, "close", self._forget_journals)

    @property
    def name(self) -> str:
        """The URL without its password; its parameters may hold another one."""
        return self._url.set(query={}).render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """Open a transaction that only reads."""
        with self._transaction(self.engine) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """Open a transaction that may write: it happens as a whole or not at all.

        Notes
        -----
        SQLite has one writer at a time; the lock is taken here, not at the first write, where a
        reader that became a writer could only fail.
        """
        engine = self.engine.execution_options(**{_WRITES: True})
        with self._transaction(engine) as connection:
            yield connection

    @contextmanager
    def _transaction(self, engine: Engine) -> Generator[Connection]:
        # Before, or a new connection would make another file; after, for what was just committed.
        self.check_files()
        with engine.connect() as connection:
            with connection.begin():
                yield connection
            self._remember_journals()
        self.check_files()

    def check_files(self) -> None:
        """Raise StoreUnavailable if a SQLite file is gone, or another one."""
        if self._file is not None:
            self._file.check()
        for journal in self._journals:
            journal.check()

    def _remember_file(self, connection: object, record: object) -> None:
        path = Path(self._url.database or "")
        with self._lock:
            self._open += 1
            # Databases in memory have none.
            if self._file is None and path.is_file():
                self._file = PathIdentity(path)

    def _remember_journals(self) -> None:
        """See what a transaction went to; while its connection is open, nobody may remove it."""
        if self._file is None or self._journals:
            return
        # SQLite puts it beside what a link leads to.
        path = Path(self._url.database or "").resolve()
        paths = [path.with_name(path.name + end) for end in _JOURNALS]
        with self._lock:
            if not self._journals and all(one.is_file() for one in paths):
                self._journals = [PathIdentity(one) for one in paths]

    def _forget_journals(self, connection: object, record: object) -> None:
        with self._lock:
            self._open -= 1
            if self._open == 0:
                # The last process that closes a database removes them.
                self._journals = []

    def upgrade(self) -> None:
        """Create the tables, or bring those of an older tvlb up to date.

        Raises
        ------
        InvalidInput : the database cannot be opened, or belongs to a newer tvlb.
        """
        try:
            with self.writing() as connection:
                if connection.dialect.name == "postgresql":
                    # One process at a time; any number will do, released with the transaction.
                    connection.execute(text("SELECT pg_advisory_xact_lock(7081)"))
                if _revision(connection) != REVISION:
                    # Loaded here: most databases are up to date.
                    from tvlb.jobs.migrations import upgrade

                    upgrade(connection)
        except DBAPIError as error:
            raise InvalidInput(f"cannot use the database {self.name}: {error.orig}") from error

    def check(self) -> None:
        """Raise StoreUnavailable or an error of SQLAlchemy unless the database answers."""
        with self.reading() as connection:
            connection.execute(text("SELECT 1 FROM jobs WHERE number = 0"))

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def now(connection: Connection) -> float:
    """Seconds since 1970 by the clock that all processes of this database share."""
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(
        connection.execute(text("SELECT extract(epoch FROM clock_timestamp())")).scalar_one()
    )


def insert(connection: Connection, table: Table) -> Any:
    """Return the statement that inserts rows, which knows what to do on a conflict."""
    kind = postgresql if connection.dialect.name == "postgresql" else sqlite
    return kind.insert(table)


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _parse(text_: str) -> URL:
    try:
        url = make_url(text_)
    except (ArgumentError, ValueError):
        # Not even the cause tells more: the text may hold a password anywhere.
        raise InvalidInput(
            "the database is no URL: expected sqlite:///FILE or "
            "postgresql://USER:PASSWORD@HOST:PORT/NAME"
        ) from None
    kind = url.get_backend_name()
    if kind not in _DRIVERS:
        raise InvalidInput(f"database kind {kind!r} is unknown: use sqlite or postgresql")
    if kind == "sqlite" and not _is_file(url):
        raise InvalidInput("database sqlite: a file is needed, and nothing else: sqlite:///FILE")
    # What stands there may be the end of a password, or all of it, and is not shown.
    if kind == "postgresql" and "@" in (url.host or url.database or ""):
        raise InvalidInput(
            "database postgresql: an @ stands where the host or the name should be; expected "
            "postgresql://USER:PASSWORD@HOST:PORT/NAME, with %40 for an @ in the password"
        )
    return url.set(drivername=_DRIVERS[kind])


def _is_file(url: URL) -> bool:
    """Whether SQLite would take it for the name of a file."""
    name = url.database or ""
    server = (url.username, url.password, url.host, url.port)
    return name not in ("", ":memory:") and not name.startswith("file:") and not any(server)


def _engine(url: URL) -> Engine:
    try:
        engine = create_engine(
            url,
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=40,
            connect_args=_CONNECT_ARGUMENTS[url.get_backend_name()],
        )
    except NoSuchModuleError as error:
        raise InvalidInput(f"database {url.get_backend_name()}: {error}") from error
    if url.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, record: object) -> None:
    # Transactions are begun below and not by the driver, which would begin them too late.
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout={_BUSY_MILLISECONDS}",
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
