"""What the responses of a server mean: documents, or problems."""

import time
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from tvlb.errors import ServerProblem
from tvlb.requests.problems import first_problem

_Model = TypeVar("_Model", bound=BaseModel)

_PROBLEM_TYPE = "application/problem+json"
# What a proxy answers for a server that is not there.
_AWAY = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)


class _Problem(BaseModel):
    """RFC 9457; whatever else is in it is passed over."""

    type: str = "about:blank"
    title: str = ""
    detail: str = ""


def read(model: type[_Model], response: httpx.Response) -> _Model:
    """Return the document of a response that is no problem.

    Raises
    ------
    ServerProblem : it is another document.
    """
    try:
        return model.model_validate_json(response.content)
    except ValidationError as error:
        raise unexpected(response, str(first_problem(model, error))) from error


def problem_of(response: httpx.Response) -> ServerProblem:
    """Return the problem that a response is; its content has been read."""
    try:
        found = _Problem.model_validate_json(response.content)
    except ValidationError:
        found = _Problem()
    return ServerProblem(
        response.status_code,
        found.type,
        found.title or response.reason_phrase,
        found.detail or f"{response.request.method} {response.url} failed",
        _retry_after(response.headers.get("retry-after", "")),
    )


def unexpected(response: httpx.Response, what: str) -> ServerProblem:
    """Return the problem that a response is not what this version of tvlb understands."""
    return ServerProblem(
        response.status_code,
        "urn:tvlb:problem:unexpected-answer",
        response.reason_phrase,
        f"{response.url} is not understood, is it a tvlb server of this version? {what}",
    )


def is_away(response: httpx.Response) -> bool:
    """Whether a proxy says that the server behind it does not answer."""
    own = response.headers.get("content-type", "").startswith(_PROBLEM_TYPE)
    return response.status_code in _AWAY and not own


def _retry_after(text: str) -> float | None:
    """Return the seconds of a Retry-After header, which may be a date; None if it is neither."""
    if text.isascii() and text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except ValueError:
        return None
