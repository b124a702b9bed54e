"""Signing in with a browser: the token in a cookie that scripts and other sites cannot use."""

from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response

COOKIE = "tvlb_token"
_SCHEME = "bearer "
# Whatever comes first of this and the end of the token.
_SECONDS = 30 * 86_400

router = APIRouter(include_in_schema=False)


@router.post("/session")
async def sign_in(request: Request) -> Response:
    """Keep the token that the request came with in the browser."""
    given = request.headers.get("authorization", "")
    answer = Response(None, HTTPStatus.NO_CONTENT)
    if given.lower().startswith(_SCHEME):
        answer.set_cookie(
            COOKIE,
            given[len(_SCHEME) :],
            max_age=_SECONDS,
            httponly=True,
            # Links from elsewhere find the reader signed in; what changes something is refused
            # where another site asks for it.
            samesite="lax",
            secure=request.url.scheme == "https",
        )
    return answer


@router.delete("/session")
async def sign_out() -> Response:
    """Drop the token that the browser keeps."""
    answer = Response(None, HTTPStatus.NO_CONTENT)
    answer.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return answer
