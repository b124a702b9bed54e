"""Options of the commands that use the store: where results and jobs are kept."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import URL

from tvlb.errors import InvalidInput
from tvlb.jobs.database import Database
from tvlb.jobs.workspace import Workspace
from tvlb.processes import available_cores

_DATABASE_NAME = "jobs.sqlite3"


@dataclass(frozen=True)
class StoreOptions:
    """What a user says of the place of the store; see `tvlb.cli.settings.takes_settings`."""

    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            envvar="TVLB_DATA",
            help="Directory of results and, without --database, of the jobs.",
            show_default="tvlb in the user's data directory",
        ),
    ] = None
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="TVLB_DATABASE",
            help="sqlite:///FILE or postgresql://USER:PASSWORD@HOST:PORT/NAME.",
            show_default="a SQLite file in the data directory",
        ),
    ] = None

    @property
    def is_there(self) -> bool:
        """Whether there is a store: a database is named, or one is in the data directory."""
        return self.database is not None or (self._directory / _DATABASE_NAME).is_file()

    def directory(self) -> Path:
        """Return the data directory, made if it does not exist; raises InvalidInput."""
        directory = self._directory
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"cannot use the directory {directory}: {error.strerror}") from error
        return directory.resolve()

    def url(self) -> str:
        """Return the URL of the job database; raises as `directory`."""
        path = str(self.directory() / _DATABASE_NAME)
        return self.database or URL.create("sqlite", database=path).render_as_string()

    def opened(self) -> Database:
        """Open the job database, made where there is none yet; raises as `directory`."""
        opened = Database(self.url())
        opened.upgrade()
        return opened

    def workspace(self, workers: int | None) -> Workspace:
        """Return the workspace of so many workers; None for one per core."""
        return Workspace(self.directory(), workers or available_cores(), self.url())

    @property
    def _directory(self) -> Path:
        if self.data is not None:
            return self.data
        home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
        return Path(home) / "tvlb"
