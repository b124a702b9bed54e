"""Every test that takes `database_url` runs on SQLite and on PostgreSQL."""

import secrets
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.postgresql import find_binaries, new_database, postgresql_server
from tvlb.jobs.database import Database
from tvlb.jobs.lease import Leases
from tvlb.jobs.queue import JobQueue

_POSTGRESQL = pytest.param(
    "postgresql",
    marks=pytest.mark.skipif(find_binaries() is None, reason="PostgreSQL is not installed"),
)


@pytest.fixture(scope="session")
def postgresql() -> Generator[str]:
    with postgresql_server() as url:
        yield url


@pytest.fixture(params=["sqlite", _POSTGRESQL])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'jobs.sqlite3'}"
    return new_database(request.getfixturevalue("postgresql"), f"t{secrets.token_hex(8)}")


@pytest.fixture
def database(database_url: str) -> Generator[Database]:
    opened = Database(database_url)
    opened.upgrade()
    yield opened
    opened.close()


@pytest.fixture
def queue(database: Database) -> JobQueue:
    return JobQueue(database)


@pytest.fixture
def leases(database: Database) -> Leases:
    return Leases(database)
