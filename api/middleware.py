"""What every request passes before it is looked at: host, token, rate, size, and after it headers.

Written as plain ASGI middleware, so that streams pass through untouched.
"""

import asyncio
import json
import re
import time
from collections.abc import Collection
from http import HTTPStatus
from typing import Any, cast

from anyio import BrokenResourceError, to_thread
from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from sqlalchemy.exc import SQLAlchemyError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics import HttpMetrics
from api.pages.problem_page import POLICY, render_problem, wants_page
from api.pages.session import COOKIE
from api.problems import MEDIA_TYPE, Problem, problem_response
from api.tokens import TokenStore
from tvlb.errors import StoreUnavailable
from tvlb.jobs.logs import logger

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
_BEARER = re.compile(r"Bearer ([A-Za-z0-9_~+/.=-]+)", re.IGNORECASE)
# Methods with a body, and the header that says of what type.
_ACCEPTING = {"POST": "Accept-Post", "PATCH": "Accept-Patch"}
# A name or an address, and a port.
_HOST = re.compile(r"(\[[^]]*\]|[^:]*)(?::([0-9]{0,5}))?")
_JSON = re.compile(r"application/(json|[\w.+-]+\+json)\s*(;.*)?", re.IGNORECASE)
_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class _Response:
    """Adds the headers that every response has, and makes a problem of every error that is none.

    Files answer bad ranges, and what is no file, in plain text.
    """

    def __init__(self, send: Send, path: str) -> None:
        self._send = send
        # Files that come with the program are asked for again by their ETag.
        self._keeping = "no-cache" if path.startswith("/static/") else "no-store"
        self._replaced = False

    async def __call__(self, message: Message) -> None:
        """Send a message, changed where it has to be."""
        if message["type"] == "http.response.start":
            await self._start(message)
        elif not self._replaced:
            await self._send(message)

    async def _start(self, message: Message) -> None:
        headers = MutableHeaders(scope=message)
        body = b""
        if message["status"] >= 400 and headers.get("content-type") != MEDIA_TYPE:
            self._replaced = True
            status = HTTPStatus(message["status"])
            kind = status.phrase.lower().replace(" ", "-")
            body = bytes(problem_response(status, kind, status.description).body)
            headers["content-type"] = MEDIA_TYPE
            headers["content-length"] = str(len(body))
        for name, value in _SECURITY_HEADERS.items():
            headers.setdefault(name, value)
        headers.setdefault("Cache-Control", self._keeping)
        await self._send(message)
        if self._replaced:
            await self._send({"type": "http.response.body", "body": body})


class _ProblemPage:
    """Makes a page of every problem; for browsers that ask for one."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        """Send a message, unless it belongs to a problem that is not complete yet."""
        if message["type"] == "http.response.start":
            if Headers(scope=message).get("content-type") == MEDIA_TYPE:
                self._start = message
                return
        elif self._start is not None:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._show(self._start)
            return
        await self._send(message)

    async def _show(self, start: Message) -> None:
        body = render_problem(json.loads(self._body))
        headers = MutableHeaders(scope=start)
        headers["content-type"] = "text/html; charset=utf-8"
        headers["content-length"] = str(len(body))
        headers["content-security-policy"] = POLICY
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


class _WithoutBody:
    """Ends a response, a stream too, where its body would begin: what HEAD asks for."""

    def __init__(self, send: Send) -> None:
        self._send = send

    async def __call__(self, message: Message) -> None:
        if message["type"] != "http.response.body":
            await self._send(message)
            return
        await self._send({"type": "http.response.body"})
        if message.get("more_body", False):
            raise BrokenResourceError


class _Turns:
    """Lets one request begin per round of the event loop, so that others find it free soon."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def wait(self) -> None:
        """Wait until all that came before have begun."""
        async with self._lock:
            await asyncio.sleep(0)


class Middleware:
    """The middleware.

    Parameters
    ----------
    app : what is behind it.
    tokens : recognises tokens; None where none are needed.
    requests_per_second : of one token.
    max_body_bytes : of one request.
    hosts : the allowed values of the Host header, without port; None for any. On the loopback this
        keeps web pages from reaching the service through a name of their own.
    metrics : counts requests.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        tokens: TokenStore | None,
        requests_per_second: int,
        max_body_bytes: int,
        hosts: Collection[str] | None,
        metrics: HttpMetrics,
    ) -> None:
        self._app = app
        self._tokens = tokens
        self._rate = RateLimitItemPerSecond(requests_per_second)
        self._limiter = FixedWindowRateLimiter(MemoryStorage())
        self._max_body_bytes = max_body_bytes
        self._hosts = None if hosts is None else frozenset(hosts)
        self._metrics = metrics
        self._turns = _Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, or answer it with a problem."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["path"] not in OPEN_PATHS:
            await self._turns.wait()
        if wants_page(scope):
            send = _ProblemPage(send)
        if scope["method"] == "HEAD":
            scope, send = {**scope, "method": "GET"}, _WithoutBody(send)
        with self._metrics.measure(scope) as seen:
            response = _Response(send, scope["path"])

            async def finish(message: Message) -> None:
                if message["type"] == "http.response.start":
                    seen.status = message["status"]
                await response(message)

            await self._pass(scope, receive, finish)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application with a body that cannot be larger than allowed.

        Whatever goes wrong anywhere behind is answered here, with a problem.
        """
        left, started = self._max_body_bytes, False

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise self._too_large()
            return message

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._check(scope)
            await self._app(scope, counted, watched)
        except Exception as error:  # also what no handler is for
            if _is_disconnection(error):
                return
            if not isinstance(error, Problem):
                logger("api").error("unexpected error", path=scope["path"], exc_info=error)
            if started:
                raise
            problem = error if isinstance(error, Problem) else _unexpected()
            await problem.response()(scope, receive, send)
        except asyncio.CancelledError:
            # The server ends, and waits no longer; it would answer in plain text.
            if started:
                raise
            await _ending().response()(scope, receive, send)

    async def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        self._check_host(headers)
        _check_site(scope, headers)
        scope.setdefault("state", {})["owner"] = await self._owner(scope, headers)
        self._check_rate(scope["state"]["owner"])
        self._check_body(scope, headers)

    def _check_host(self, headers: Headers) -> None:
        host = headers.get("host", "")
        found = _HOST.fullmatch(host)
        name = found[1] if found and int(found[2] or 0) < 1 << 16 else host
        if self._hosts is not None and name.lower() not in self._hosts:
            raise Problem(
                HTTPStatus.FORBIDDEN,
                "unknown-host",
                f"host {host!r} is not a name of this service: {', '.join(sorted(self._hosts))}",
            )

    async def _owner(self, scope: Scope, headers: Headers) -> str | None:
        """Return the id of the token; None where tokens are not needed."""
        if self._tokens is None or scope["path"] in OPEN_PATHS:
            return None
        given = _given_token(headers)
        if given is None:
            raise _unauthorized("a bearer token is needed: Authorization: Bearer TOKEN", "")
        try:
            token = await to_thread.run_sync(self._tokens.recognise, given)
        except (SQLAlchemyError, StoreUnavailable) as error:
            raise Problem(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "database-down",
                "the database does not answer, so no token can be checked",
                {"Retry-After": "5"},
            ) from error
        if token is None:
            raise _unauthorized(
                "the token is unknown, expired or revoked", ', error="invalid_token"'
            )
        return token

    def _check_rate(self, owner: str | None) -> None:
        if owner is None or self._limiter.hit(self._rate, owner):
            return
        window: Any = self._limiter.get_window_stats(self._rate, owner)
        wait = max(1, round(window.reset_time - time.time() + 0.5))
        raise Problem(
            HTTPStatus.TOO_MANY_REQUESTS,
            "rate-limit",
            f"more than {self._rate.amount} requests per second with one token",
            {"Retry-After": str(wait)},
        )

    def _check_body(self, scope: Scope, headers: Headers) -> None:
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > self._max_body_bytes:
            raise self._too_large()
        has_body = length != "0" or "transfer-encoding" in headers
        content_type = headers.get("content-type", "")
        accept = _ACCEPTING.get(scope["method"])
        if accept is not None and has_body and _JSON.fullmatch(content_type) is None:
            raise Problem(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
                "unsupported-media-type",
                f"content type {content_type!r}: bodies are application/json",
                {accept: "application/json"},
            )

    def _too_large(self) -> Problem:
        return Problem(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "too-large",
            f"a body may have at most {self._max_body_bytes:,} bytes",
        )


def _check_site(scope: Scope, headers: Headers) -> None:
    """Let pages of other sites change nothing here, whatever their browser sends along."""
    if scope["method"] == "GET":
        return
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is None and origin is not None:
        # Old browsers send nothing better. Of the scheme nothing is known behind a proxy.
        ours = origin.partition("://")[2].lower() == headers.get("host", "").lower()
        site = "same-origin" if ours else "cross-site"
    if site not in (None, "same-origin", "none"):
        raise Problem(
            HTTPStatus.FORBIDDEN, "cross-site", "the request comes from a page of another site"
        )


def _given_token(headers: Headers) -> str | None:
    """Return the token of the Authorization header, or without one that of the browser's cookie."""
    if "authorization" in headers:
        match = _BEARER.fullmatch(headers["authorization"])
        return None if match is None else match.group(1)
    return cookie_parser(headers.get("cookie", "")).get(COOKIE)


def _unauthorized(detail: str, error: str) -> Problem:
    return Problem(
        HTTPStatus.UNAUTHORIZED,
        "unauthorized",
        detail,
        {"WWW-Authenticate": f'Bearer realm="tvlb"{error}'},
    )


def _is_disconnection(error: Exception) -> bool:
    """Whether all that went wrong is that the client is gone."""
    if isinstance(error, ExceptionGroup):
        group = cast("ExceptionGroup[Exception]", error)
        return all(map(_is_disconnection, group.exceptions))
    return isinstance(error, BrokenResourceError | ClientDisconnect)


def _unexpected() -> Problem:
    return Problem(
        HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "an unexpected error; it was logged"
    )


def _ending() -> Problem:
    return Problem(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "ending",
        "the server ends; nothing was lost, try again",
        {"Retry-After": "5"},
    )
