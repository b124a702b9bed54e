"""What operators need: health, metrics, the description of the routes."""

import asyncio
from functools import partial
from http import HTTPStatus
from typing import Literal

from anyio import to_thread
from fastapi import APIRouter, Request
from prometheus_client import generate_latest
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import PlainTextResponse, Response

from api.problems import Problem
from api.responses import problems
from api.services import Services, WithServices

router = APIRouter(tags=["operations"])

_TIMEOUT_SECONDS = 5.0
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Health(BaseModel):
    """That the process answers."""

    status: Literal["ok"]


@router.get(
    "/healthz",
    operation_id="get_health",
    responses={200: {"model": Health}, **problems()},
)
async def get_health() -> Health:
    """Tell that the process answers; nothing else is looked at."""
    return Health(status="ok")


@router.get(
    "/readyz",
    operation_id="get_readiness",
    responses={200: {"model": Health}, **problems()},
)
async def get_readiness(services: WithServices) -> Health:
    """Tell whether requests can be served: the database answers, the result store is writable."""
    try:
        async with asyncio.timeout(_TIMEOUT_SECONDS):
            await services.readiness.run(partial(_check, services))
    except TimeoutError:
        raise _not_ready("database-down", "the database does not answer in time") from None
    return Health(status="ok")


def _check(services: Services) -> None:
    try:
        services.database.check()
    except SQLAlchemyError as error:
        raise _not_ready("database-down", "the database does not answer") from error
    try:
        services.blobs.check()
    except OSError as error:
        raise _not_ready("store-down", f"the result store: {error.strerror}") from error


def _not_ready(kind: str, detail: str) -> Problem:
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, kind, detail, {"Retry-After": "5"})


@router.get(
    "/metrics",
    operation_id="get_metrics",
    response_class=PlainTextResponse,
    responses=problems(),
)
async def get_metrics(services: WithServices) -> Response:
    """Return the metrics in Prometheus' text format."""
    text = await to_thread.run_sync(generate_latest, services.registry)
    return Response(text, media_type=_METRICS_TYPE)


@router.get("/openapi.json", include_in_schema=False)
async def get_document(request: Request) -> Response:
    """Return the description of all routes, which is made once."""
    return Response(await described_routes(request), media_type="application/json")


async def described_routes(request: Request) -> bytes:
    """Return the OpenAPI document of the application."""
    state = request.app.state
    if state.document is None:
        # Not before somebody asks: it takes half a second of a processor.
        state.document = asyncio.create_task(to_thread.run_sync(state.describe))
    document: asyncio.Task[bytes] = state.document
    return await asyncio.shield(document)
