"""`tvlb token`: the tokens that let clients in."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table as Grid

from api.tokens import Token, TokenStore
from tvlb.cli.options import Json, integer
from tvlb.cli.service import Data, DatabaseUrl, data_directory, database_url
from tvlb.cli.terminal import print_json, stdout
from tvlb.jobs.database import Database

__all__ = ["token"]

token = typer.Typer(
    name="token", help="Tokens that let clients in.", no_args_is_help=True, add_completion=False
)


def _store(data: Path | None, database: str | None) -> TokenStore:
    opened = Database(database_url(database, data_directory(data)))
    opened.upgrade()
    return TokenStore(opened)


@token.command("create")
def create_token(
    name: Annotated[str, typer.Argument(help="Whose token it is.", show_default=False)],
    days: Annotated[
        int | None,
        typer.Option(parser=integer, metavar="N", help="Days until it expires; 0 for never."),
    ] = 365,
    data: Data = None,
    database: DatabaseUrl = None,
    json: Json = False,
) -> None:
    """Make a token and print it, this once."""
    text = _store(data, database).create(name, days or None)
    if json:
        print_json({"token": text, "id": text.split("_")[1], "name": name})
    else:
        print(text)


@token.command("list")
def list_tokens(data: Data = None, database: DatabaseUrl = None, json: Json = False) -> None:
    """List the tokens; what they are is not known any more."""
    found = _store(data, database).newest()
    if json:
        print_json([_described(one) for one in found])
        return
    grid = Grid()
    for title in ("id", "name", "created", "expires", "state"):
        grid.add_column(title)
    for one in found:
        state = "active" if one.active else ("expired" if one.revoked_at is None else "revoked")
        grid.add_row(one.id, one.name, _day(one.created_at), _day(one.expires_at), state)
    stdout().print(grid)


@token.command("revoke")
def revoke_token(
    identifier: Annotated[str, typer.Argument(metavar="ID", show_default=False)],
    data: Data = None,
    database: DatabaseUrl = None,
) -> None:
    """End a token at once."""
    _store(data, database).revoke(identifier)


def _day(seconds: float | None) -> str:
    return "never" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def _described(one: Token) -> dict[str, object]:
    return {
        "id": one.id,
        "name": one.name,
        "created_at": one.created_at,
        "expires_at": one.expires_at,
        "revoked_at": one.revoked_at,
        "active": one.active,
    }
