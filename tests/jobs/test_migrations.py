"""The migrations make the tables that the code works with, and tell a newer database."""

import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import select, text

from tvlb.errors import InvalidInput
from tvlb.jobs import migrations
from tvlb.jobs.database import Database
from tvlb.jobs.schema import REVISION, jobs, metadata


def test_migrations_and_schema_agree(database: Database) -> None:
    with database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


def test_upgrading_twice_changes_nothing(database: Database) -> None:
    database.upgrade()
    database.check()


def scripts() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    return config


def test_the_newest_migration_is_the_one_that_databases_are_compared_with() -> None:
    assert ScriptDirectory.from_config(scripts()).get_current_head() == REVISION


def make_first_version(url: str) -> None:
    """Make a database as the first version left it, with a job."""
    opened = Database(url)
    config = scripts()
    with opened.writing() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(
            text(
                "INSERT INTO jobs (id, kind, key, request, status, created_at)"
                " VALUES ('j', 'table', 'k', '{}', 'cancelled', 1.0)"
            )
        )
    opened.close()


def check_schema(url: str) -> None:
    opened = Database(url)
    with opened.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    opened.close()


def test_a_database_of_the_first_version_keeps_its_jobs(database_url: str) -> None:
    make_first_version(database_url)
    opened = Database(database_url)
    opened.upgrade()
    with opened.reading() as connection:
        assert connection.execute(select(jobs.c.id, jobs.c.worker)).all() == [("j", None)]
    opened.close()
    check_schema(database_url)


OPEN = "import sys; from tvlb.jobs.database import Database; Database(sys.argv[1]).upgrade()"


@pytest.mark.slow
@pytest.mark.parametrize("old", [False, True])
def test_processes_that_start_at_once_all_come_up(database_url: str, old: bool) -> None:
    if old:
        make_first_version(database_url)
    processes = [subprocess.Popen([sys.executable, "-c", OPEN, database_url]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]
    check_schema(database_url)
    opened = Database(database_url)
    with opened.reading() as connection:
        found = connection.execute(select(jobs.c.id)).scalars().all()
    assert found == (["j"] if old else [])
    opened.close()


def test_a_database_of_a_newer_version_is_refused(database: Database) -> None:
    with database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InvalidInput, match=r"newer tvlb \(revision 9999\)"):
        database.upgrade()


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("nonsense", "is no URL"),
        ("sqlite:///:memory:", "a file is needed"),
        ("sqlite:///file:jobs?mode=memory&uri=true", "a file is needed"),
        ("sqlite://user:secret@host/x", "a file is needed"),
        ("mysql://localhost/x", "mysql"),
        ("sqlite://", "sqlite:///FILE"),
        ("sqlite:////no/such/directory/jobs", "unable to open"),
        ("postgresql://127.0.0.1:1/x", "127.0.0.1"),
    ],
)
def test_unusable_databases_are_refused(url: str, named: str) -> None:
    with pytest.raises(InvalidInput, match=named):
        Database(url).upgrade()


def test_passwords_are_not_printed(tmp_path: Path) -> None:
    for url in ("user:secret@127.0.0.1:1/x", "user@127.0.0.1:1/x?password=secret"):
        assert "secret" not in Database(f"postgresql://{url}").name


@pytest.mark.parametrize(
    "url", ["postgresql://user:se@cret@host/x", "postgresql:///user:secret@host/x"]
)
def test_an_at_sign_that_is_not_escaped_shows_no_part_of_a_password(url: str) -> None:
    with pytest.raises(InvalidInput, match="%40 for an @ in the password") as raised:
        Database(url)
    assert "cret" not in str(raised.value)


@pytest.mark.parametrize("url", ["user:secret@host", "postgresql://user:secret@host:port/x"])
def test_what_is_no_url_is_not_shown(url: str) -> None:
    with pytest.raises(InvalidInput, match="the database is no URL") as raised:
        Database(url)
    assert "secret" not in str(raised.value)
    assert raised.value.__suppress_context__
