"""Events of jobs as they arrive."""

from collections.abc import Generator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import httpx

from tvlb.client.events import follow

# A server that has nothing to say sends a comment now and then.
_STREAM = b"""event: state
data: {"status":"queued"}
id: 1

: ping

: ping

event: state
data: {"status":"succeeded"}
id: 2

"""


def test_what_keeps_a_connection_alive_is_no_event() -> None:
    @contextmanager
    def stream(method: str, path: str, *, headers: dict[str, str]) -> Generator[httpx.Response]:
        told = {"Content-Type": "text/event-stream"}
        yield httpx.Response(200, headers=told, content=_STREAM)

    connection: Any = SimpleNamespace(
        stream=stream, backoff=SimpleNamespace(reset=lambda: None), wait=None
    )
    found = [(one.number, one.data["status"]) for one in follow(connection, "/events")]
    assert found == [(1, "queued"), (2, "succeeded")]
