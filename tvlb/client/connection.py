"""Requests that are repeated until they are answered.

Every request of this service may be repeated: equal questions share one job and one result.
"""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TypeVar

import httpx

from tvlb.client.backoff import Backoff, Notice
from tvlb.client.responses import is_away, problem_of
from tvlb.errors import InvalidInput, ServerProblem, Unreachable

_Value = TypeVar("_Value")
_TOKEN = re.compile(r"[\x21-\x7e]+")


class Connection:
    """Requests to one server.

    Parameters
    ----------
    url : the server's, http or https; a path in it goes before those of all requests.
    token : for servers that need one.
    timeout, notice : see `Backoff`.

    Raises
    ------
    InvalidInput : the URL or the token cannot be one.
    """

    def __init__(self, url: str, token: str | None, timeout: float | None, notice: Notice) -> None:
        headers: dict[str, str] = {}
        if token is not None:
            headers["Authorization"] = f"Bearer {_checked_token(token)}"
        self._timeout = timeout
        self._client = httpx.Client(base_url=_checked_url(url), headers=headers, timeout=timeout)
        self.backoff = Backoff(url, timeout, notice)

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def url(self, path: str) -> str:
        """Return the whole URL of a path of the server."""
        return f"{str(self._client.base_url).rstrip('/')}/{path.lstrip('/')}"

    def request(
        self,
        method: str,
        path: str,
        *,
        content: str | None = None,
        headers: Mapping[str, str] | None = None,
        silence: float = 0.0,
    ) -> httpx.Response:
        """Return the answer to a request, which is no problem.

        Parameters
        ----------
        content : JSON.
        silence : seconds for which the server was asked to hold its answer.

        Raises
        ------
        ServerProblem : the server refused.
        Unreachable : there is no connection.
        """
        sent = dict(headers or {})
        if content is not None:
            sent["Content-Type"] = "application/json"

        def once() -> httpx.Response:
            with self.stream(method, path, content=content, headers=sent, silence=silence) as got:
                got.read()
            self.backoff.reset()
            return got

        return self.persistently(once)

    def persistently(self, once: Callable[[], _Value]) -> _Value:
        """Call a function again and again while what it asks for may yet be answered."""
        while True:
            try:
                return once()
            except (httpx.TransportError, ServerProblem) as error:
                self.wait(error)

    def wait(self, error: httpx.TransportError | ServerProblem) -> None:
        """Wait until a request that failed may be sent again.

        Raises
        ------
        ServerProblem : there is no use in that.
        Unreachable : the server was given up.
        """
        match error:
            case ServerProblem():
                self.backoff.wait_as_told(error)
            case httpx.TimeoutException():
                raise Unreachable(f"{self.url('')} has been silent for too long") from error
            case _:
                self.backoff.wait_for_server(_reason(error))

    @contextmanager
    def stream(
        self,
        method: str,
        path: str,
        *,
        content: str | None = None,
        headers: Mapping[str, str] | None = None,
        silence: float = 0.0,
    ) -> Generator[httpx.Response]:
        """Send a request once; inside the block the answer, no problem, may be received.

        Raises
        ------
        httpx.TransportError : there is no answer, or only a part of it.
        ServerProblem : the server refused.
        """
        timeout = httpx.Timeout(self._timeout)
        if self._timeout is not None:
            timeout.read = self._timeout + silence
        with self._client.stream(
            method, path, content=content, headers=headers, timeout=timeout
        ) as response:
            if is_away(response):
                raise httpx.RemoteProtocolError(
                    f"{response.status_code} {response.reason_phrase}", request=response.request
                )
            self.backoff.reached()
            if not response.is_success:
                response.read()
                raise problem_of(response)
            yield response


def _checked_token(token: str) -> str:
    if _TOKEN.fullmatch(token) is None:
        raise InvalidInput("a token is one word of printable ASCII characters, and this is none")
    return token


def _checked_url(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise InvalidInput(f"server {url!r} is no URL: {error}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise InvalidInput(f"server {url!r} is no URL such as http://127.0.0.1:8080")
    if parsed.userinfo or parsed.query or parsed.fragment:
        raise InvalidInput("the URL of a server has no user, query or fragment")
    return parsed


def _reason(error: httpx.TransportError) -> str:
    return str(error) or type(error).__name__
