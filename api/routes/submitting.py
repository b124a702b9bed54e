"""The requests that compute something: their headers, their query, and what they answer."""

from dataclasses import replace
from types import UnionType
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Query, Request
from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from api.responses import ACCEPTED, problems
from api.routes.reading import StrictQuery
from api.services import Owner, WithServices
from api.submission import SubmitHeaders, parse_wait
from tvlb.schemas import REQUESTS, Estimate, plural
from tvlb.schemas.resources import Label


class _Options(StrictQuery):
    """What the query of a request may say."""

    validate_only: Literal["true", "false"] = Field(
        "false",
        description="true: answer with the resolved request and its cost, and compute nothing.",
    )
    label: Label | SkipJsonSchema[None] = Field(
        None, description="What to call the job and its result; it changes no result."
    )


WithOptions = Annotated[_Options, Query()]


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


def add_submitting(
    router: APIRouter,
    kind: str,
    result: UnionType | type[BaseModel],
    links: dict[str, Any],
    about: str,
) -> None:
    """Add the route that asks for results of a kind.

    Parameters
    ----------
    result : of what is computed.
    links : where what was computed is found.
    about : what the route does.
    """

    async def create(
        sent: Sent, services: WithServices, headers: WithHeaders, options: WithOptions
    ) -> Response:
        if options.validate_only == "true":
            return await services.submitter.estimate(kind, sent)
        labelled = replace(headers, label=options.label)
        return await services.submitter.submit(kind, sent, labelled)

    bodies = [{"$ref": f"#/components/schemas/{body.__name__}"} for body in REQUESTS[kind]]
    schema = bodies[0] if len(bodies) == 1 else {"anyOf": bodies}
    content = {"content": {"application/json": {"schema": schema}}, "required": True}
    router.add_api_route(
        f"/{plural(kind)}",
        create,
        methods=["POST"],
        name=f"create_{kind}",
        operation_id=f"create_{kind}",
        tags=[plural(kind)],
        description=about,
        response_class=Response,
        responses=_submitted(result, kind, links),
        openapi_extra={"requestBody": content},
    )


def _submitted(
    model: UnionType | type[BaseModel], noun: str, links: dict[str, Any]
) -> dict[int | str, dict[str, Any]]:
    """Describe the answers of a route that computes something."""
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
