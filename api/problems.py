"""Errors as RFC 9457 problem documents, always."""

import json
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field, ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route

from tvlb.errors import InvalidInput, StoreUnavailable, TvlbError
from tvlb.jobs.blobs import DamagedBlob
from tvlb.jobs.logs import logger
from tvlb.jobs.queue import JobCancelling, QueueFull
from tvlb.schemas import BeyondLimits
from tvlb.schemas.problems import REFUSED

__all__ = [
    "MEDIA_TYPE",
    "Problem",
    "ProblemDocument",
    "body_errors",
    "install_handlers",
    "problem_response",
]

MEDIA_TYPE = "application/problem+json"
_BRANCH = re.compile(r"(constrained-|function-|literal\[|none$|text$|wiring$)")
_RETRY_LATER = {"Retry-After": "5"}
_MOST_ERRORS = 2000


class FieldProblem(BaseModel):
    """What is wrong with one part of a request."""

    location: str = Field(description="Where: body, query, path or header, and the name.")
    message: str = Field(description="What was expected.")


class ProblemDocument(BaseModel):
    """A problem, RFC 9457."""

    type: str = Field(description="Kind of the problem, a URN.")
    title: str = Field(description="The kind in words.")
    status: int = Field(description="HTTP status.")
    detail: str = Field(description="What happened this time: the value, and the allowed range.")
    errors: list[FieldProblem] | None = Field(None, description="Every part that is wrong.")


class Problem(HTTPException):
    """An answer that is a problem.

    Parameters
    ----------
    status : HTTP status.
    kind : last part of the problem's type.
    detail : what happened.
    headers : further headers, such as Retry-After.
    """

    def __init__(
        self,
        status: HTTPStatus,
        kind: str,
        detail: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, detail, headers)
        self.kind = kind

    def response(self) -> Response:
        """Return the problem as a response."""
        return problem_response(HTTPStatus(self.status_code), self.kind, self.detail, self.headers)


def problem_response(
    status: HTTPStatus,
    kind: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
    errors: Sequence[FieldProblem] | None = None,
) -> Response:
    """Make a response that is a problem."""
    document: dict[str, Any] = {
        "type": f"urn:tvlb:problem:{kind}",
        "title": status.phrase,
        "status": int(status),
        "detail": detail,
    }
    if errors is not None:
        document["errors"] = [error.model_dump() for error in errors]
    # Plain ASCII: a text from a request may hold what UTF-8 cannot.
    return Response(json.dumps(document).encode(), status, headers, MEDIA_TYPE)


def body_errors(error: ValidationError) -> list[dict[str, Any]]:
    """Return the errors of a body that is none of its model; too many become one."""
    found: list[Any] = []
    if error.error_count() <= _MOST_ERRORS:
        found += error.errors(include_url=False, include_context=False, include_input=False)
    else:
        message = f"{error.error_count():,} errors; at most {_MOST_ERRORS:,} are listed"
        found.append({"type": "too_many_errors", "loc": (), "msg": message})
    return [{**one, "loc": ("body", *one["loc"])} for one in found]


def install_handlers(app: FastAPI) -> None:
    """Answer every exception with a problem."""
    app.add_exception_handler(Problem, _problem)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(TvlbError, _tvlb)
    app.add_exception_handler(QueueFull, _queue_full)
    app.add_exception_handler(JobCancelling, _job_cancelling)
    app.add_exception_handler(DBAPIError, _database)
    app.add_exception_handler(PoolTimeout, _database)


def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return error.response()


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    if status is HTTPStatus.NO_CONTENT:
        return Response(None, status)
    kind = status.phrase.lower().replace(" ", "-")
    headers = dict(error.headers or {})
    detail = str(error.detail)
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = ", ".join(_methods(request))
        detail = f"{request.method} is not for this resource: {headers['Allow']}"
    return problem_response(status, kind, detail, headers)


def _methods(request: Request) -> list[str]:
    """Return the methods of all routes of a path, each of which knows only its own."""
    found: set[str] = set()
    for route in (*request.app.state.routes, *request.app.routes):
        if (
            isinstance(route, Route | APIRoute)
            and route.matches(request.scope)[0] is not Match.NONE
        ):
            found |= route.methods or set()
    # What is left are files.
    return sorted(found or {"GET", "HEAD"})


def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    found = error.errors()
    if any(one["type"] == "json_invalid" for one in found):
        return problem_response(HTTPStatus.BAD_REQUEST, "malformed-json", "the body is no JSON")
    problems = [FieldProblem(location=_location(one["loc"]), message=one["msg"]) for one in found]
    detail = "; ".join(f"{one.location}: {one.message}" for one in problems[:3])
    # What the schema allows is well-formed, and refused by what only the program knows.
    kind = "unsatisfiable" if all(one["type"] == REFUSED for one in found) else "invalid-request"
    return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, kind, detail, errors=problems)


def _location(parts: Sequence[object]) -> str:
    """Say where something is; the branches of the schema that were tried are no place."""
    return ".".join(text for text in map(str, parts) if _BRANCH.match(text) is None)


def _tvlb(request: Request, error: Exception) -> Response:
    if isinstance(error, BeyondLimits):
        return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, "beyond-limits", str(error))
    if isinstance(error, InvalidInput):
        return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, "unsatisfiable", str(error))
    if isinstance(error, DamagedBlob):
        logger("api").error("damaged result", error=str(error))
        return problem_response(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "damaged-result",
            f"{error}; POST the request again to have it computed anew",
        )
    if isinstance(error, StoreUnavailable):
        logger("api").error("the result store does not answer", error=str(error))
        return problem_response(
            HTTPStatus.SERVICE_UNAVAILABLE, "store-down", str(error), _RETRY_LATER
        )
    return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, "computation-failed", str(error))


def _queue_full(request: Request, error: Exception) -> Response:
    return problem_response(
        HTTPStatus.TOO_MANY_REQUESTS,
        "queue-full",
        str(error),
        _RETRY_LATER,
    )


def _job_cancelling(request: Request, error: Exception) -> Response:
    return problem_response(HTTPStatus.CONFLICT, "job-ending", str(error), {"Retry-After": "1"})


def _database(request: Request, error: Exception) -> Response:
    logger("api").error("the database does not answer", error=str(error))
    return problem_response(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "database-down",
        "the database does not answer; nothing was lost, try again",
        _RETRY_LATER,
    )
