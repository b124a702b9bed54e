"""`tvlb token`: the tokens that let clients in."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

import typer

from api.tokens import DAYS, TokenStore
from tvlb.cli.numbers import integer
from tvlb.cli.options import Json
from tvlb.cli.service import StoreOptions
from tvlb.cli.settings import takes_settings
from tvlb.cli.terminal import grid, print_json, stdout

token = typer.Typer(
    name="token", help="Tokens that let clients in.", no_args_is_help=True, add_completion=False
)


@token.command("create")
@takes_settings
def create_token(
    name: Annotated[str, typer.Argument(help="Whose token it is.", show_default=False)],
    days: Annotated[int, integer("Days until it expires; 0 for never.", DAYS, metavar="N")] = 365,
    *,
    store: StoreOptions,
    json: Json = False,
) -> None:
    """Make a token and print it, only this once."""
    text = TokenStore(store.opened()).create(name, days)
    if json:
        print_json({"token": text, "id": text.split("_")[1], "name": name})
    else:
        print(text)


@token.command("list")
@takes_settings
def list_tokens(store: StoreOptions, json: Json = False) -> None:
    """List the tokens; the tokens themselves are stored only as hashes."""
    found = TokenStore(store.opened()).newest()
    if json:
        print_json([asdict(one) for one in found])
        return
    titles = ("id", "name", "created", "expires", "state")
    listed = grid(titles, titles)
    for one in found:
        state = "active" if one.active else ("expired" if one.revoked_at is None else "revoked")
        listed.add_row(one.id, one.name, _day(one.created_at), _day(one.expires_at), state)
    stdout().print(listed)


@token.command("revoke")
@takes_settings
def revoke_token(
    identifier: Annotated[str, typer.Argument(metavar="ID", show_default=False)],
    store: StoreOptions,
) -> None:
    """End a token at once."""
    TokenStore(store.opened()).revoke(identifier)


def _day(seconds: float | None) -> str:
    return "never" if seconds is None else f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
