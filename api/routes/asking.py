"""Headers and query of the requests that compute something."""

from typing import Annotated, Literal

from fastapi import Depends, Header, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from api.services import Owner
from api.submission import Asking, parse_wait

__all__ = ["How", "Options", "WithOptions"]


class Options(BaseModel):
    """What the query of a request may say."""

    model_config = ConfigDict(extra="forbid")

    validate_only: Literal["true", "false"] = Field(
        "false",
        description="true: answer with the resolved request and its cost, and compute nothing.",
    )


WithOptions = Annotated[Options, Query()]


def _asking(
    request: Request,
    owner: Owner,
    idempotency_key: Annotated[
        Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,255}$")] | SkipJsonSchema[None],
        Header(description="A text of your own: the same key gives the same answer again."),
    ] = None,
    prefer: Annotated[
        str | SkipJsonSchema[None],
        Header(description="wait=N: hold the answer until the job ends, at most N seconds."),
    ] = None,
) -> Asking:
    # The header may come in several lines, which mean the same as one.
    preferences = ",".join(request.headers.getlist("prefer")) if prefer is not None else None
    return Asking(owner, idempotency_key, parse_wait(preferences))


How = Annotated[Asking, Depends(_asking)]
