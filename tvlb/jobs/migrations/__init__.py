"""Versions of the job database's tables, by Alembic; `upgrade` brings a database to the newest."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from tvlb.errors import InvalidInput

__all__ = ["upgrade"]


def upgrade(connection: Connection) -> None:
    """Bring the tables up to date within the transaction of `connection`.

    Raises
    ------
    InvalidInput : the database was made by a newer tvlb.
    """
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    scripts = ScriptDirectory.from_config(config)
    present = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in scripts.walk_revisions()}
    if present is not None and present not in known:
        raise InvalidInput(f"the database has tables of a newer tvlb (revision {present})")
    if present != scripts.get_current_head():
        command.upgrade(config, "head")
