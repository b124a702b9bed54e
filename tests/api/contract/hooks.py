"""What schemathesis cannot know by itself."""

from typing import Any

import schemathesis
from schemathesis import Case, CheckContext, Response


@schemathesis.check
def what_the_schema_allows_is_well_formed(
    ctx: CheckContext, response: Response, case: Case[Any]
) -> None:
    """A request that the schema allows may be too large or impossible, but never malformed."""
    generated = case.meta is not None and case.meta.generation.mode.is_positive
    if generated and response.status_code == 422:
        problem = response.json()
        malformed = problem["type"] == "urn:tvlb:problem:invalid-request"
        assert not malformed or _just_beyond_seeds(problem), problem["detail"]


def _just_beyond_seeds(problem: dict[str, Any]) -> bool:
    """Whether the largest seed was missed, which is no double: the generator goes beyond it.

    A sweep has many seeds, and other problems beside them.
    """
    messages = [error["message"] for error in problem["errors"]]
    return any(message.endswith("is out of range: 0..2^63-1") for message in messages)


@schemathesis.check
def errors_are_problems(ctx: CheckContext, response: Response, case: Case[Any]) -> None:
    """Every error is an RFC 9457 document that says what happened."""
    if response.status_code < 400:
        return
    assert response.headers["content-type"] == ["application/problem+json"]
    if response.content:
        problem = response.json()
        assert problem["status"] == response.status_code
        assert problem["detail"]
