"""The application: routes behind the middleware, errors as problems, OpenAPI."""

import json
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Literal

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from api.middleware import OPEN_PATHS, Middleware
from api.pages import mount_assets
from api.pages import router as pages
from api.problems import ProblemDocument, install_handlers
from api.responses import ModelSchema
from api.routes import jobs, operations, results, tables
from api.services import Services
from tvlb.documents import VERSION
from tvlb.requests import request_kinds

_ABOUT = """Topology-custom VLB routing tables for Dragonfly, Slim Fly and other networks.

Ask for the table of a network with `POST /v1/tables`: the answer is the table if it was computed
before, else a job to follow. Equal requests share one job and one result, for ever. All errors are
`application/problem+json` (RFC 9457). Where the service is not bound to the loopback, every route
but `/healthz` and `/readyz` needs `Authorization: Bearer TOKEN`.
"""


def create_app(services: Services) -> FastAPI:
    """Make the application around its services; they are closed when it shuts down."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with services.feed.running():
            yield
        services.close()

    app = FastAPI(
        title="tvlb",
        version=VERSION,
        description=_ABOUT,
        openapi_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
    )
    app.state.services = services
    app.state.describe, app.state.document = partial(_document, app), None
    routers = [results.router, jobs.router, operations.router, pages]
    for router in routers:
        app.include_router(router)
    app.state.routes = [route for router in routers for route in router.routes]
    mount_assets(app)
    install_handlers(app)
    limits = services.settings.limits
    app.add_middleware(
        Middleware,
        tokens=services.tokens if services.settings.needs_token else None,
        requests_per_second=limits.requests_per_second,
        max_body_bytes=limits.body_bytes,
        hosts=services.settings.hosts,
        metrics=services.http_metrics,
    )
    return app


def _schemas(
    models: Iterable[type[BaseModel]], mode: Literal["validation", "serialization"]
) -> dict[str, Any]:
    """Return the schemas of models that FastAPI does not see, with those that they refer to."""
    _, found = models_json_schema(
        [(model, mode) for model in models], ref_template="#/components/schemas/{model}"
    )
    return found["$defs"]


def _answered(app: FastAPI) -> Iterator[type[BaseModel]]:
    """Yield the models of all answers."""
    for route in (*app.state.routes, *tables.router.routes):
        for response in getattr(route, "responses", {}).values():
            for content in response.get("content", {}).values():
                if isinstance(schema := content.get("schema"), ModelSchema):
                    yield from schema.models


def _document(app: FastAPI) -> bytes:
    """Describe all routes in OpenAPI."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
    )
    components = document["components"]
    # Every error is a problem; FastAPI's own description of validation errors is not ours.
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    bodies = [form.body for kind in request_kinds().values() for form in kind.forms]
    components["schemas"] |= _schemas(dict.fromkeys(_answered(app)), "serialization")
    components["schemas"] |= _schemas((ProblemDocument, *bodies), "validation")
    if app.state.services.settings.needs_token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
        for path in OPEN_PATHS:
            document["paths"][path]["get"]["security"] = []
    return json.dumps(document, separators=(",", ":")).encode()
