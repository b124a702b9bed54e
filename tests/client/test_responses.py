"""What responses mean that do not come from a tvlb server, or not of this version."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from tvlb.client.responses import is_away, problem_of, read
from tvlb.errors import ServerProblem
from tvlb.requests import Estimate

_REQUEST = httpx.Request("GET", "http://host/v1/tables")


def _answer(status: int, content: str = "<html>", **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, headers=named, content=content, request=_REQUEST)


def test_a_page_is_a_problem_too() -> None:
    problem = problem_of(_answer(404))
    assert (problem.status, problem.type, problem.title) == (404, "about:blank", "Not Found")
    assert str(problem) == ("the server answers 404 Not Found: GET http://host/v1/tables failed")


@pytest.mark.parametrize(("text", "seconds"), [("0", 0.0), ("17", 17.0), ("-1", None), ("", None)])
def test_retry_after_in_seconds(text: str, seconds: float | None) -> None:
    assert problem_of(_answer(503, retry_after=text)).retry_after == seconds


def test_retry_after_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert problem_of(_answer(503, retry_after=date)).retry_after == pytest.approx(3600, abs=60)
    past = "Fri, 31 Dec 1999 23:59:59 GMT"
    assert problem_of(_answer(503, retry_after=past)).retry_after == 0.0


@pytest.mark.parametrize(
    ("status", "content_type", "away"),
    [
        (502, "text/html", True),
        (503, "text/html", True),
        (503, "application/problem+json", False),
        (500, "text/html", False),
        (200, "text/html", False),
    ],
)
def test_a_proxy_speaks_for_a_server_that_is_away(
    status: int, content_type: str, away: bool
) -> None:
    assert is_away(_answer(status, content_type=content_type)) is away


@pytest.mark.parametrize("content", ["<html>", "{}", '{"kind": "table", "more": 1}'])
def test_documents_of_something_else(content: str) -> None:
    with pytest.raises(ServerProblem, match="is not understood") as caught:
        read(Estimate, _answer(200, content))
    assert caught.value.type == "urn:tvlb:problem:unexpected-answer"
    assert not caught.value.is_bad_input
