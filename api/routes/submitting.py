"""The requests that compute something: their headers, their query, and what they answer."""

from typing import Annotated, Any, Literal

from fastapi import Depends, Header, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from api.responses import ACCEPTED, problems
from api.services import Owner, Services
from api.submission import SubmitHeaders, parse_wait
from tvlb.schemas import Estimate, Question

__all__ = ["Options", "Sent", "WithHeaders", "WithOptions", "body_of", "submit", "submitted"]


class Options(BaseModel):
    """What the query of a request may say."""

    model_config = ConfigDict(extra="forbid")

    validate_only: Literal["true", "false"] = Field(
        "false",
        description="true: answer with the resolved request and its cost, and compute nothing.",
    )


WithOptions = Annotated[Options, Query()]


def _headers(
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
) -> SubmitHeaders:
    # The header may come in several lines, which mean the same as one.
    preferences = ",".join(request.headers.getlist("prefer")) if prefer is not None else None
    return SubmitHeaders(owner, idempotency_key, parse_wait(preferences))


WithHeaders = Annotated[SubmitHeaders, Depends(_headers)]


async def _sent(request: Request) -> bytes:
    return await request.body()


# A body as it was sent: reading a long one in the event loop would hold up everybody.
Sent = Annotated[bytes, Depends(_sent)]


def body_of(model: type[Question]) -> dict[str, Any]:
    """Describe the body of a route that takes it as it was sent."""
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    return {"requestBody": {"content": {"application/json": {"schema": schema}}, "required": True}}


async def submit(
    services: Services, model: type[Question], sent: bytes, headers: SubmitHeaders, options: Options
) -> Response:
    """Answer a request that computes something."""
    if options.validate_only == "true":
        return await services.submitter.estimate(model, sent)
    return await services.submitter.submit(model, sent, headers)


def submitted(
    model: type[BaseModel], noun: str, links: dict[str, Any]
) -> dict[int | str, dict[str, Any]]:
    """Describe the answers of a route that computes something.

    Parameters
    ----------
    model : of the result.
    noun : what the result is called.
    links : where what was computed is found.
    """
    return {
        200: {
            "description": f"The {noun}; with validate_only what it would cost.",
            "model": model | Estimate,
            "links": links,
            "headers": {
                "ETag": {"description": "Hash of the content.", "schema": {"type": "string"}},
                "Content-Location": {
                    "description": "URL of the result.",
                    "schema": {"type": "string"},
                },
            },
        },
        202: ACCEPTED,
        **problems(400, 409, 413, 415, 422),
    }
