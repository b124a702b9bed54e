"""Options of the commands that use the store: where results and jobs are kept."""

import os
from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import URL

from tvlb.errors import InvalidInput
from tvlb.jobs.database import Database
from tvlb.jobs.workspace import Workspace
from tvlb.parallel import available_cores

__all__ = ["Data", "DatabaseUrl", "data_directory", "database_url", "has_store", "opened_workspace"]

_DATABASE_NAME = "jobs.sqlite3"

Data = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        envvar="TVLB_DATA",
        help="Directory of results and, without --database, of the jobs.",
        show_default="tvlb in the user's data directory",
    ),
]
DatabaseUrl = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="TVLB_DATABASE",
        help="sqlite:///FILE or postgresql://USER:PASSWORD@HOST:PORT/NAME.",
        show_default="a SQLite file in the data directory",
    ),
]


def _directory(data: Path | None) -> Path:
    if data is not None:
        return data
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "tvlb"


def data_directory(data: Path | None) -> Path:
    """Return the data directory, made if it does not exist."""
    directory = _directory(data)
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"cannot use the directory {directory}: {error.strerror}") from error
    return directory.resolve()


def has_store(data: Path | None) -> bool:
    """Whether there is a store, with a database of its own, in the data directory."""
    return (_directory(data) / _DATABASE_NAME).is_file()


def database_url(database: str | None, directory: Path) -> str:
    """Return the URL of the job database."""
    path = str(directory / _DATABASE_NAME)
    return database or URL.create("sqlite", database=path).render_as_string()


def opened_workspace(
    data: Path | None, database: str | None, workers: int | None
) -> tuple[Workspace, Database]:
    """Open the store, made where there is none yet.

    Raises
    ------
    InvalidInput : it cannot be used.
    """
    directory = data_directory(data)
    url = database_url(database, directory)
    opened = Database(url)
    opened.upgrade()
    return Workspace(directory, workers or available_cores(), url), opened
