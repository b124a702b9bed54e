"""Deadlines and the bound of connections, on a clock that the tests move."""

import asyncio
import json
from collections.abc import Callable, Generator
from typing import Any, cast

import h11
import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from api import connections
from api.connections import BoundedProtocol


class Timer:
    """What `call_later` was asked for."""

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self.seconds = seconds
        self.call = call
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Clock:
    """As much of an event loop as a protocol needs while no request is complete."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []
        self.soon: list[Timer] = []

    def time(self) -> float:
        return self.now

    def call_later(self, seconds: float, call: Callable[[], None]) -> Timer:
        self.timers.append(Timer(seconds, call))
        return self.timers[-1]

    def call_soon(self, call: Callable[[], None]) -> Timer:
        self.soon.append(Timer(0.0, call))
        return self.soon[-1]

    def run_soon(self) -> int:
        """Run what is to be called soon, and what that asks for; return how many calls it took."""
        calls = 0
        while self.soon:
            self.soon.pop(0).call()
            calls += 1
        return calls

    def create_task(self, coroutine: Any) -> asyncio.Future[None]:
        coroutine.close()
        return asyncio.Future()

    @property
    def running(self) -> list[Timer]:
        return [timer for timer in self.timers if not timer.cancelled]


class Wire(asyncio.Transport):
    """Keeps what a protocol sends."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.closed = False
        self.reading = True
        self.high: int | None = None

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.high = high

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def write(self, data: Any) -> None:
        self.sent += bytes(data)

    def close(self) -> None:
        self.closed = True

    abort = close

    def is_closing(self) -> bool:
        return self.closed

    def get_extra_info(self, name: str, default: object = None) -> object:
        return default


@pytest.fixture(autouse=True)
def _loop() -> Generator[None]:
    """Give the parts of asyncio that want a loop one that never runs."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()


class Side:
    """The server's side of its connections."""

    def __init__(self) -> None:
        self.clock = Clock()
        self._config = Config(lambda: None, log_config=None, lifespan="off")
        self._state = ServerState()

    def connect(self) -> tuple[BoundedProtocol, Wire]:
        loop = cast("asyncio.AbstractEventLoop", self.clock)
        protocol, wire = BoundedProtocol(self._config, self._state, {}, loop), Wire()
        protocol.connection_made(wire)
        return protocol, wire


def problem(wire: Wire) -> dict[str, Any]:
    head, _, body = wire.sent.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    return json.loads(body)


@pytest.mark.parametrize(
    ("sent", "seconds", "part"),
    [
        (b"", 10.0, "header"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", 10.0, "header"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n1234", 30.0, "body"),
    ],
)
def test_a_request_that_does_not_arrive_is_given_up(sent: bytes, seconds: float, part: str) -> None:
    side = Side()
    protocol, wire = side.connect()
    for byte in sent:
        protocol.data_received(bytes([byte]))
    # However slowly it comes, nothing starts the clock again.
    (deadline,) = side.clock.running
    assert deadline.seconds == seconds
    deadline.call()
    assert wire.closed
    assert (problem(wire)["status"], part in problem(wire)["detail"]) == (408, True)


def test_a_request_that_is_complete_has_no_deadline() -> None:
    side = Side()
    protocol, wire = side.connect()
    protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    assert side.clock.running == []
    assert not wire.closed


def test_what_is_no_http_is_answered_with_a_problem() -> None:
    protocol, wire = Side().connect()
    protocol.data_received(b"\x16\x03\x01\x00\xa5\r\n\r\n")
    assert wire.closed
    assert problem(wire)["type"] == "urn:tvlb:problem:malformed-request"


LARGE = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 4000


@pytest.mark.parametrize("sent", [LARGE, LARGE + b"\r\n"])
def test_a_large_header_is_refused_unread(sent: bytes) -> None:
    protocol, wire = Side().connect()
    protocol.data_received(sent)
    assert wire.closed
    assert (problem(wire)["status"], "16,384 bytes" in problem(wire)["detail"]) == (431, True)


def test_a_large_header_is_refused_behind_a_body_that_nobody_read() -> None:
    protocol, wire = Side().connect()
    protocol.data_received(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n")
    for event in (h11.Response(status_code=401, headers=[]), h11.EndOfMessage()):
        protocol.conn.send(event)
    protocol.data_received(b"x" + LARGE + b"\r\n")
    assert wire.closed
    assert problem(wire)["status"] == 431


def test_a_body_of_small_chunks_is_read_in_many_turns() -> None:
    side = Side()
    protocol, wire = side.connect()
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    protocol.data_received(head + b"1\r\nx\r\n" * 1000 + b"0\r\n\r\n")
    assert len(protocol.cycle.body) < 10
    # Else more and more would wait for its turn; the application cannot ask for it either.
    protocol.flow.resume_reading()
    assert not wire.reading
    assert side.clock.run_soon() > 100
    assert (protocol.cycle.body, protocol.cycle.more_body) == (b"x" * 1000, False)
    assert wire.reading


def test_a_large_body_is_no_large_header() -> None:
    protocol, wire = Side().connect()
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 40000\r\n\r\n"
    protocol.data_received(head + bytes(40_000))
    assert not wire.closed


def test_a_new_connection_takes_the_place_of_the_one_that_waits_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 3)
    side = Side()
    busy, first = side.connect()
    busy.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    wires = [first]
    for moment in (1.0, 2.0, 3.0):
        side.clock.now = moment
        wires.append(side.connect()[1])
    assert [wire.closed for wire in wires] == [False, True, False, False]


def test_a_connection_is_refused_where_all_are_being_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 1)
    side = Side()
    protocol, _ = side.connect()
    protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    _, refused = side.connect()
    assert refused.closed
    assert problem(refused)["status"] == 503


def test_an_answer_that_nobody_takes_is_given_up() -> None:
    side = Side()
    protocol, wire = side.connect()
    protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    protocol.pause_writing()
    protocol.resume_writing()
    assert side.clock.running == []
    protocol.pause_writing()
    (stuck,) = side.clock.running
    stuck.call()
    assert wire.closed


def test_a_client_that_takes_no_answer_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 2)
    side = Side()
    (one, first), (another, second) = side.connect(), side.connect()
    for protocol in (one, another):
        protocol.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    # Whatever the kernel does not take counts: else nobody closes where a few bytes are left.
    assert second.high == 0
    another.pause_writing()
    _, third = side.connect()
    assert [wire.closed for wire in (first, second, third)] == [False, True, False]


def test_a_client_that_asks_before_it_is_answered_gives_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections, "most_connections", lambda: 2)
    side = Side()
    (one, first), (another, second) = side.connect(), side.connect()
    one.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    another.data_received(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 2)
    _, third = side.connect()
    assert [wire.closed for wire in (first, second, third)] == [False, True, False]
