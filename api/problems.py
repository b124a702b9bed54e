"""Errors as RFC 9457 problem documents, always."""

import json
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

from tvlb.errors import InvalidInput, StoreUnavailable, TvlbError, one_line
from tvlb.jobs.blobs import DamagedBlob
from tvlb.jobs.logs import logger
from tvlb.jobs.queue import JobCancelling, QueueFull
from tvlb.requests import BeyondLimits
from tvlb.requests.problems import FoundProblem, ProblemKind, found_problems

MEDIA_TYPE = "application/problem+json"
_RETRY_LATER = {"Retry-After": "5"}
_MOST_ERRORS = 2000
_MOST_TOLD = 3
_SHOWN = 80
# Of an error of a body: the problem with its place, in words.
_TOLD = "told"


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


def body_errors(model: type[BaseModel], error: ValidationError) -> list[dict[str, Any]]:
    """Return the errors of a body that is none of its model, in words; too many become one."""
    if error.error_count() > _MOST_ERRORS:
        message = f"{error.error_count():,} errors; at most {_MOST_ERRORS:,} are listed"
        found = [FoundProblem((), message)]
    else:
        found = list(found_problems(model, error))
    return [
        {
            "type": one.kind,
            "loc": ("body", *one.place),
            "msg": one.message,
            _TOLD: str(one),
        }
        for one in found
    ]


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
    found = {_place(one["loc"]): one for one in reversed(error.errors())}
    problems = [
        FieldProblem(location=".".join(map(str, place)), message=_message(one))
        for place, one in reversed(found.items())
    ]
    told = [
        one.get(_TOLD) or f"{problem.location}: {problem.message}"
        for one, problem in zip(reversed(found.values()), problems, strict=True)
    ]
    kinds = {one["type"] for one in found.values()}
    if ProblemKind.MALFORMED in kinds:
        return problem_response(HTTPStatus.BAD_REQUEST, ProblemKind.MALFORMED, told[0])
    kind = ProblemKind.REFUSED if kinds == {ProblemKind.REFUSED} else ProblemKind.INVALID
    detail = "; ".join(told[:_MOST_TOLD])
    return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, kind, detail, errors=problems)


def _place(location: Sequence[str | int]) -> tuple[str | int, ...]:
    """Return where something is; of query, path and headers without the branches tried there."""
    if location[0] == "body":
        return tuple(location)
    return *location[:2], *(part for part in location[2:] if isinstance(part, int))


def _message(found: Mapping[str, Any]) -> str:
    """Say what was expected, where it is not said in words already."""
    expected = found.get("ctx", {})
    match found["type"]:
        case "missing":
            return "it is missing"
        case "extra_forbidden":
            return "nothing is known by this name"
        case "less_than_equal":
            words = f"at most {expected['le']}"
        case "greater_than_equal":
            words = f"at least {expected['ge']}"
        case "literal_error" | "enum":
            words = expected["expected"]
        case "int_parsing" | "int_type":
            words = "a whole number"
        case "value_error":
            return str(expected["error"])
        case _:
            return found["msg"]
    return f"expected {words}, not {str(found['input'])[:_SHOWN]!r}"


def _tvlb(request: Request, error: Exception) -> Response:
    if isinstance(error, BeyondLimits):
        return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, "beyond-limits", str(error))
    if isinstance(error, InvalidInput):
        refused = ProblemKind.REFUSED, one_line(str(error))
        return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, *refused)
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
