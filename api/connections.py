"""HTTP connections that nobody can hold for ever: deadlines for requests, and a bound on all.

uvicorn has neither; everything else of its protocol is left as it is.
"""

import asyncio
import logging
import re
import resource
from http import HTTPStatus
from typing import Any, cast

import h11
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol

from api.problems import problem_response

# How long a client may take, by what is awaited of it. A connection that is kept without a request
# has uvicorn's 5 seconds.
_SECONDS: dict[Any, tuple[float, str]] = {
    h11.IDLE: (10.0, "header"),
    h11.SEND_BODY: (30.0, "body"),
}
# A client that does not make room for the rest of an answer for so long does not want it.
_STUCK_SECONDS = 300.0
_MOST = 1000
# Reading a header takes the event loop 3 milliseconds for so many bytes in lines of a few each.
_HEADER_BYTES = 16 << 10
_BLANK_LINE = re.compile(rb"\n\r?\n")
# What one connection has read before others have their turn. Each takes 20 microseconds, and a body
# may come in chunks of one byte; a request needs three of them.
_EVENTS_PER_TURN = 8


def most_connections() -> int:
    """Return how many connections there may be; half the descriptors are for other files."""
    descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if descriptors == resource.RLIM_INFINITY else min(_MOST, descriptors // 2)


class _Reader(h11.Connection):
    """Reads so many events, and no large header."""

    left = 0
    has_large_header = False

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """See `h11.Connection`; what is left when the turn is over is for the next one."""
        if self.left == 0:
            return h11.NEED_DATA
        # Here, not where data arrive: a request may follow on one whose body nobody waited for.
        if self.their_state is h11.IDLE and self._is_header_large():
            self.has_large_header = True
            return h11.NEED_DATA
        self.left -= 1
        return super().next_event()

    def _is_header_large(self) -> bool:
        begun, _ = self.trailing_data
        end = _BLANK_LINE.search(begun)
        return (len(begun) if end is None else end.start()) > _HEADER_BYTES


class _Flow(FlowControl):
    """Takes nothing from the client while `hold` lasts, whatever the application asks for."""

    _held = False

    def hold(self) -> None:
        """Take nothing until `release`."""
        self._held = True
        self._transport.pause_reading()

    def release(self) -> None:
        """Go on as the application wants it."""
        if self._held:
            self._held = False
            if not self.read_paused:
                self._transport.resume_reading()

    def resume_reading(self) -> None:
        """See `FlowControl`."""
        if self._held:
            self.read_paused = False
        else:
            super().resume_reading()


class BoundedProtocol(H11Protocol):
    """A connection; see `uvicorn`.

    A request that does not arrive in time is answered with 408. Where there are as many connections
    as there may be, a new one takes the place of the one that has waited for its client longest:
    for a request, for room for the answer, or with more requests than one to answer.
    """

    _awaited: Any = None
    _since = 0.0
    _deadline: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None
    _next_turn: asyncio.Handle | None = None
    conn: _Reader
    _tap: _Flow

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        is_full = len(self.connections) >= most_connections()
        has_room = not is_full or self._make_room()
        super().connection_made(transport)
        self.conn = _Reader(h11.SERVER, _HEADER_BYTES)
        self.flow = self._tap = _Flow(transport)
        # What the kernel does not take is known at once, be it little.
        transport.set_write_buffer_limits(high=0)
        self._await_client()
        if not has_room:
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "busy", "too many connections")

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._await(None)
        self._cancel_stuck()
        if self._next_turn is not None:
            self._next_turn.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        self._await_client()

    def handle_events(self) -> None:
        """See `H11Protocol`."""
        self.conn.left = _EVENTS_PER_TURN
        super().handle_events()
        if self.conn.has_large_header:
            detail = f"the header of a request may have at most {_HEADER_BYTES:,} bytes"
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            self._refuse(status, "header-too-large", detail)
        elif self.conn.left > 0 or self.transport.is_closing():
            self._tap.release()
        else:
            self._tap.hold()
            self._next_turn = self._next_turn or self.loop.call_soon(self._go_on)

    def on_response_complete(self) -> None:
        """See `H11Protocol`."""
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE:
            # Until the next request begins, uvicorn counts the seconds.
            self._await(None)
        else:
            self._await_client()

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().pause_writing()
        self._cancel_stuck()
        self._stuck = self.loop.call_later(_STUCK_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().resume_writing()
        self._cancel_stuck()

    def send_400_response(self, msg: str) -> None:
        """See `H11Protocol`."""
        self._refuse(HTTPStatus.BAD_REQUEST, "malformed-request", "the request is no HTTP")

    def _go_on(self) -> None:
        self._next_turn = None
        if not self.transport.is_closing():
            self.handle_events()
            self._await_client()

    def _make_room(self) -> bool:
        """Close the connection that has waited for its client longest; False if none waits."""
        logging.getLogger("connections").warning("there are %d connections", len(self.connections))
        others = cast("set[BoundedProtocol]", self.connections)
        waiting = [one for one in others if one._is_waiting()]
        if waiting:
            longest = min(waiting, key=lambda one: one._since)
            longest._cancel_stuck()
            longest.transport.abort()
        return bool(waiting)

    def _is_waiting(self) -> bool:
        if self._stuck is not None:
            return True
        # Who sends the next request before the answer has more than a fair share.
        is_ahead = self.conn.their_state is h11.DONE and self.flow.read_paused
        is_slow = self.conn.their_state in _SECONDS
        return (is_slow or is_ahead) and not self.transport.is_closing()

    def _await_client(self) -> None:
        if self.conn.their_state is not self._awaited:
            self._await(self.conn.their_state)

    def _await(self, state: Any) -> None:
        """Begin to wait for what a state of the client stands for."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._awaited, self._since = state, self.loop.time()
        if state in _SECONDS and not self.transport.is_closing():
            seconds, _ = _SECONDS[state]
            self._deadline = self.loop.call_later(seconds, self._give_up)

    def _give_up(self) -> None:
        seconds, part = _SECONDS[self._awaited]
        detail = f"the {part} of the request did not arrive within {seconds:.0f} seconds"
        self._refuse(HTTPStatus.REQUEST_TIMEOUT, "request-timeout", detail)

    def _refuse(self, status: HTTPStatus, kind: str, detail: str) -> None:
        """Answer with a problem, unless there is an answer already, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            if self.conn.our_state is h11.SEND_RESPONSE:
                self.cycle.disconnected = True
            answer = problem_response(status, kind, detail, {"Connection": "close"})
            start = h11.Response(status_code=status, headers=answer.raw_headers)
            for event in (start, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _cancel_stuck(self) -> None:
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None
