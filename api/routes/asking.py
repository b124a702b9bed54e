"""Headers and query of the requests that compute something."""

from typing import Annotated, Literal

from fastapi import Depends, Header, Query
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from api.services import Owner
from api.submission import Asking, parse_wait

__all__ = ["How", "ValidateOnly"]

ValidateOnly = Annotated[
    Literal["true", "false"],
    Query(description="true: answer with the resolved request and its cost, compute nothing."),
]


def _asking(
    owner: Owner,
    idempotency_key: Annotated[
        Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,255}$")] | SkipJsonSchema[None],
        Header(
            description="A text of your own: the same key gives the same answer again.",
        ),
    ] = None,
    prefer: Annotated[
        str | SkipJsonSchema[None],
        Header(description="wait=N: hold the answer until the job ends, at most N seconds."),
    ] = None,
) -> Asking:
    return Asking(owner, idempotency_key, parse_wait(prefer))


How = Annotated[Asking, Depends(_asking)]
