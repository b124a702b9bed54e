"""Sends hostile requests to a server and tells what it did not stand.

::

    python -m bench.hostile_http --requests 10000
    python -m bench.hostile_http --floods 500        # so many of each request that is cheap to send

A server of its own, with tokens, is sent seeded requests of many kinds in turn: bytes that are no
HTTP, huge headers and bodies, requests that stop halfway, wrong types and numbers in every body,
paths that climb, odd encodings, absurd sizes, conditional headers, examinations of large networks
all at once, streams that are left, and what was stored: the document of a simulation of 27 MB,
whole or left in the middle, its page, and page, links, paths and files of a table. Another process
looks at health all the time.

Floods are of requests of some bytes that take a server long to examine, each network another one,
and of trivial ones; each is told of by itself. None may be lost, each has an answer within five
seconds, and health one within 100 ms in 99 of 100 looks.

Ends with exit 1 if an error was no problem document, an answer was a 5xx other than 503 or took
over 5 seconds, the log has a traceback or an unexpected error, more than one look at health in a
thousand took over 100 ms, or the memory of the server grew or was over 1 GiB.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import httpx

from tests.service import Server, new_token, running_server

_AT_ONCE = 40
_SLOW_SECONDS = 5.0
_HEALTH_SECONDS = 0.1
_HEALTH_SHARE, _FLOOD_HEALTH_SHARE = 1e-3, 1e-2
# What a server that answers more and more may keep: results in memory, code that is used at last.
_GROWTH_BYTES = 100 << 20
_MOST_BYTES = 1 << 30
_ROUTES = ("/v1/tables", "/v1/models", "/v1/simulations", "/v1/sweeps")
_SEVERAL = ("oneOf", "anyOf")
_ODD: list[Any] = [
    None, True, -1, 0, 2**63, 10**400, 1e308, float("nan"), "", "\x00", "x" * 5000, "\u202e4,8",
    "1_0,8,4,9", "٤,8,4,9", "../../etc/passwd", [], [[]] * 50, {}, {"a": {"b": {}}},
    [1] * 5000, "999999999,999999999,999999999,999999999", "1,1,361,362", "'; DROP TABLE jobs; --",
]  # fmt: skip
_LARGE: dict[str, Any] = {
    "topology": "4,8,4,9", "load": [1.0], "warmup": 0, "cycles": 1000, "traces": 100_000,
}  # fmt: skip
_TABLE: dict[str, Any] = {
    "topology": "2,4,2,9", "method": "paper", "patterns": 3, "finalists": 1, "data_points": 3,
    "simulated_patterns": 2, "screening": {"warmup": 300, "measured": 300, "grid": 0.05},
    "confirmation": {"warmup": 300, "measured": 300, "grid": 0.05},
}  # fmt: skip
_PATHS = (
    "/../../etc/passwd", "/static/..%2f..%2fserve.py", "/static/%2e%2e/%2e%2e/pyproject.toml",
    "/v1/jobs/%00", "/v1/jobs/" + "a" * 8000, "//v1//jobs", "/v1/tables/%ff%fe",
    "/v1/jobs?limit=-1",
    "/v1/jobs?before=99999999999999999999", "/v1/tables?table_id=%F0%9F%98%80", "/openapi.json?x=%",
    "/v1/models/" + "0" * 64, "/v1/jobs/" + "0" * 32 + "/events", "/static/documentation.js/",
)  # fmt: skip
_HEADERS = (
    {"If-None-Match": "*" * 7000}, {"If-None-Match": 'W/"x", ' * 500}, {"Range": "bytes=9-1,-,0-"},
    {"Range": "bytes=" + "0-0," * 1500}, {"Last-Event-ID": "9" * 400}, {"Prefer": "wait=-1"},
    {"Prefer": "wait=99999999999999999999"}, {"Idempotency-Key": "\x7f"}, {"Accept": "text/html"},
    {"Cookie": "tvlb_token=" + "=;" * 2000}, {"Origin": "null"}, {"Expect": "100-continue"},
    {"Content-Type": "application/json; charset=utf-7"}, {"Content-Encoding": "gzip"},
)  # fmt: skip
_RAW = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"GET / HTTP/9.9\r\n\r\n",
    b"GET /healthz\r\n\r\n", b"G\x00T / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\r\n" * 2000,
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * 9000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
    b"POST /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -5\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    b"POST /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
)  # fmt: skip


def _degraded(number: int) -> dict[str, Any]:
    """Return a Dragonfly of 1,024 switches without a cable."""
    return {"network": "dfly(16,32,16,32)", "without": {"links": [[0, 1 + number % 31]]}}


def _without_switch(number: int) -> dict[str, Any]:
    return {"network": "hyperx(1,5,5,5,8)", "without": {"switches": [number % 1000]}}


_CUT_THROUGH = {"router": "vct", "routing": "valiant", "load": [0.1], "warmup": 0, "cycles": 1000}
_CHEAP_SWEEP = {"method": "paper", "patterns": 3, "simulated_patterns": 2}
# By name: where it is sent, and what, by number.
_FLOODS: Mapping[str, tuple[str, Callable[[int], dict[str, Any]]]] = {
    "simulations of a degraded Dragonfly": (
        "simulations", lambda n: {"topology": _degraded(n), **_CUT_THROUGH, "vcs": "2phases"}
    ),
    "simulations of a degraded HyperX": (
        "simulations", lambda n: {"topology": _without_switch(n), **_CUT_THROUGH, "vcs": "ladder"}
    ),
    "studies of stability": (
        "stabilities", lambda n: {"topology": _degraded(n), "routing": ["valiant"]}
    ),
    "sweeps of 1,000 large networks": (
        "sweeps",
        lambda n: {
            "topologies": [_without_switch(n + i) for i in range(1000)], "options": _CHEAP_SWEEP
        },
    ),
    "sweeps of as many large networks as are examined": (
        "sweeps", lambda n: {"topologies": [_degraded(n + i) for i in range(10)]}
    ),
    "sweeps of 10^12 combinations": (
        "sweeps",
        lambda n: {
            "name": str(n),
            "generators": [{"p": "1..1000", "a": "1..1000", "h": "1..1000", "g": "2..1000"}],
        },
    ),
    "networks without VLB paths": (
        "simulations", lambda n: {"topology": "hyperx(1,2)", "load": [0.5], "seed": n}
    ),
    "unknown keys": ("repairs", lambda n: {f"key {n}": 1}),
}  # fmt: skip


@dataclass
class Found:
    """What the answers were.

    Attributes
    ----------
    answers : by kind of request and class of status, or how the connection ended.
    defects : what should not have been, by kind and reason.
    health : seconds that each look took.
    """

    answers: Counter[str] = field(default_factory=Counter[str])
    defects: Counter[str] = field(default_factory=Counter[str])
    health: list[float] = field(default_factory=list[float])
    slowest: dict[str, float] = field(default_factory=dict[str, float])

    def judge(self, kind: str, answer: httpx.Response, seconds: float) -> None:
        """Count an answer."""
        status = answer.status_code
        self.answers[f"{kind} {status // 100}xx"] += 1
        media = answer.headers.get("content-type", "")
        shown = "text/html" in media and answer.request.headers.get("accept") == "text/html"
        if status >= 400 and media != "application/problem+json" and not shown:
            self.defects[f"{kind}: {status} as {media!r}"] += 1
        if status >= 500 and status != 503:
            self.defects[f"{kind}: {status}"] += 1
        if seconds > _SLOW_SECONDS:
            self.defects[f"{kind}: over {_SLOW_SECONDS:.0f} s"] += 1


class Attack:
    """One client of many connections, whose requests follow from a seed."""

    def __init__(
        self, server: Server, token: str, stored: Sequence[str], seed: int, found: Found
    ) -> None:
        self._server = server
        self._stored = stored
        self._chance = random.Random(seed)
        self._found = found
        self._schemas = _bodies(server, token)
        self._client = httpx.AsyncClient(
            base_url=server.url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=60.0,
            limits=httpx.Limits(max_connections=_AT_ONCE),
        )
        self._kinds: Sequence[Callable[[], Any]] = (
            self._raw, self._half_open, self._body, self._body, self._path, self._header,
            self._huge, self._examination, self._stream, self._bytes, self._large,
        )  # fmt: skip

    async def run(self, requests: int) -> None:
        """Send the requests, many at a time."""
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(number: int) -> None:
            async with slots:
                await self._kinds[number % len(self._kinds)]()

        await asyncio.gather(*(one(number) for number in range(requests)))
        await self._client.aclose()

    async def flood(self, kind: str, requests: int) -> None:
        """Send so many of a kind."""
        route, body = _FLOODS[kind]
        slots = asyncio.Semaphore(_AT_ONCE)

        async def one(number: int) -> None:
            async with slots:
                content = json.dumps(body(number)).encode()
                await self._post(kind, f"/v1/{route}?validate_only=true", content)

        await asyncio.gather(*map(one, range(requests)))
        await self._client.aclose()

    async def _send(self, kind: str, method: str, url: str, **parts: Any) -> None:
        begin = time.perf_counter()
        try:
            async with self._client.stream(method, url, **parts) as answer:
                async for _ in answer.aiter_raw():
                    pass
        except httpx.TransportError as error:
            self._found.answers[f"{kind} {type(error).__name__}"] += 1
            return
        seconds = time.perf_counter() - begin
        self._found.judge(kind, answer, seconds)
        self._found.slowest[kind] = max(self._found.slowest.get(kind, 0.0), round(seconds, 1))

    async def _post(self, kind: str, url: str, content: bytes) -> None:
        headers = {"Content-Type": "application/json"}
        await self._send(kind, "POST", url, content=content, headers=headers)

    async def _path(self) -> None:
        method = self._chance.choice(("GET", "POST", "DELETE", "HEAD", "PATCH", "TRACE", "BREW"))
        await self._send("path", method, self._chance.choice(_PATHS))

    async def _header(self) -> None:
        headers = self._chance.choice(_HEADERS)
        paths = ("/", "/v1/jobs", "/static/documentation.js", f"/v1/models/{'0' * 64}")
        await self._send("header", "GET", self._chance.choice(paths), headers=headers)

    async def _body(self) -> None:
        route = self._chance.choice(_ROUTES)
        example, names = self._schemas[route]
        body = example | {self._chance.choice(names): self._chance.choice(_ODD)}
        await self._post("body", f"{route}?validate_only=true", json.dumps(body).encode())

    async def _bytes(self) -> None:
        route = self._chance.choice(_ROUTES)
        text = bytearray(json.dumps(self._schemas[route][0]).encode())
        for _ in range(self._chance.randrange(1, 6)):
            text[self._chance.randrange(len(text))] = self._chance.randrange(256)
        await self._post("bytes", f"{route}?validate_only=true", bytes(text))

    async def _huge(self) -> None:
        size = self._chance.choice((900_000, 1 << 20, 3 << 20))
        inner = self._chance.choice((b"[1,2],", b'{"a":0},', b"[[[[[", b'"x",', b"1,"))
        links = inner * (size // len(inner))
        start = b'{"topology":{"p":1,"a":2,"h":2,"g":3,"links":['
        route = self._chance.choice(_ROUTES[:3])
        await self._post("huge", f"{route}?validate_only=true", start + links + b"[1,2]]}}")

    async def _examination(self) -> None:
        sizes = self._chance.choice(("{},1,361,362", "{},32,64,32", "{},16,8,64", "{},4,255,256"))
        body = {"topology": sizes.format(self._chance.randrange(1, 64))}
        route = self._chance.choice(_ROUTES[:2])
        await self._post("examination", f"{route}?validate_only=true", json.dumps(body).encode())

    async def _large(self) -> None:
        path = self._chance.choice(self._stored)
        await self._send("large page" if "/v1/" not in path else "large result", "GET", path)

    async def _stream(self) -> None:
        """Ask for a large answer, and go away in the middle of it."""
        path = self._chance.choice(("/openapi.json", self._stored[0]))
        try:
            async with self._client.stream("GET", path) as answer:
                await anext(answer.aiter_raw(), b"")
                self._found.answers[f"stream {answer.status_code // 100}xx"] += 1
        except httpx.TransportError as error:
            self._found.answers[f"stream {type(error).__name__}"] += 1

    async def _raw(self) -> None:
        await self._talk("raw", self._chance.choice(_RAW))

    async def _half_open(self) -> None:
        whole = b"POST /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{"
        await self._talk("half-open", whole[: self._chance.randrange(1, len(whole))], wait=0.5)

    async def _talk(self, kind: str, data: bytes, wait: float = _SLOW_SECONDS) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._server.port)
        told = b""
        try:
            writer.write(data)
            await writer.drain()
            told = await asyncio.wait_for(reader.read(1 << 16), wait)
        except TimeoutError:
            self._found.answers[f"{kind} left"] += 1
        except ConnectionError:
            self._found.answers[f"{kind} closed"] += 1
        finally:
            writer.close()
        if told:
            self._judge_raw(kind, told)

    def _judge_raw(self, kind: str, told: bytes) -> None:
        head = told.partition(b"\r\n\r\n")[0].lower()
        status = int(head.split()[1])
        self._found.answers[f"{kind} {status // 100}xx"] += 1
        if status >= 400 and b"application/problem+json" not in head:
            self._found.defects[f"{kind}: {status} is no problem"] += 1


def _bodies(server: Server, token: str) -> dict[str, tuple[dict[str, Any], list[str]]]:
    """Return an example of the body of every route, and the names of its keys."""
    headers = {"Authorization": f"Bearer {token}"}
    document = httpx.get(f"{server.url}/openapi.json", headers=headers, timeout=60).json()
    found: dict[str, tuple[dict[str, Any], list[str]]] = {}
    for route in _ROUTES:
        described = document["paths"][route]["post"]["requestBody"]["content"]["application/json"]
        # Of several bodies the first.
        named, *_ = next((described["schema"][of] for of in _SEVERAL if of in described["schema"]),
                         [described["schema"]])  # fmt: skip
        schema = document["components"]["schemas"][named["$ref"].rsplit("/", 1)[1]]
        example: dict[str, Any] = schema.get("examples", [{"topology": "2,4,2,5"}])[0]
        found[route] = (example, [*schema["properties"], "unknown"])
    return found


def _stored(server: Server, token: str) -> list[str]:
    """Have results computed, and return where they are read: first the largest document."""
    headers = {"Authorization": f"Bearer {token}", "Prefer": "wait=300"}
    with httpx.Client(base_url=server.url, headers=headers, timeout=400) as client:
        large = client.post("/v1/simulations", json=_LARGE).raise_for_status()
        table = client.post("/v1/tables", json=_TABLE).raise_for_status()
    paths = [large.headers["content-location"], table.headers["content-location"]]
    pages = [path.removeprefix("/v1") for path in paths]
    of_table = ("links", "paths?src=0&dst=17", "download?format=parquet", "download?format=csv")
    return [*paths, *pages, *(f"{paths[1]}/{part}" for part in of_table)]


def _watch(url: str, end: Path) -> tuple[list[float], Counter[str]]:
    """Look at health until a file is there; in a process that does nothing else."""
    seconds, refused = list[float](), Counter[str]()
    with httpx.Client(base_url=url, timeout=60.0) as client:
        while not end.exists():
            for path in ("/healthz", "/readyz"):
                begin = time.perf_counter()
                answer = client.get(path)
                seconds.append(time.perf_counter() - begin)
                if not answer.is_success:
                    refused[f"{path}: {answer.status_code}"] += 1
            time.sleep(0.02)
    return seconds, refused


def _memory(pid: int) -> int:
    """Resident bytes of a process and all that it started."""
    # Every thread has children of its own.
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    children = [int(child) for one in lists for child in one.read_text().split()]
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * 4096 + sum(map(_memory, children))


def _run(server: Server, token: str, given: argparse.Namespace, found: Found) -> list[int]:
    """Send all requests in tenths, and return the memory after each."""
    memory: list[int] = []
    stored = _stored(server, token)
    end = server.data / "end"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        watching = pool.submit(_watch, server.url, end)
        for part in range(10):
            attack = Attack(server, token, stored, given.seed * 10 + part, found)
            asyncio.run(attack.run(given.requests // 10))
            memory.append(_memory(server.process.pid))
            print(f"{(part + 1) * 10}%, {memory[-1] >> 20} MiB", file=sys.stderr)
        end.touch()
        found.health, refused = watching.result()
    found.defects += refused
    return memory


def _flood(server: Server, token: str, requests: int) -> int:
    """Send all floods one after the other, and print what became of each; return the defects."""
    defects = 0
    end = server.data / "end"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        for kind in _FLOODS:
            end.unlink(missing_ok=True)
            found = Found()
            watching = pool.submit(_watch, server.url, end)
            try:
                asyncio.run(Attack(server, token, (), 0, found).flood(kind, requests))
            finally:
                end.touch()
            found.health, refused = watching.result()
            found.defects += refused
            slow = sum(seconds > _HEALTH_SECONDS for seconds in found.health)
            answered = sum(n for name, n in found.answers.items() if name.endswith("xx"))
            if answered < requests:
                found.defects["lost"] += requests - answered
            if slow > _FLOOD_HEALTH_SHARE * len(found.health):
                found.defects["health"] += slow
            summary = {
                "flood": kind,
                "answers": {name.removeprefix(f"{kind} "): n for name, n in found.answers.items()},
                "slowest_seconds": found.slowest.get(kind),
                "lost": requests - answered,
                "health_within_100_ms": round(1 - slow / len(found.health), 4),
                "health_looks": len(found.health),
                "health_most_seconds": round(max(found.health), 3),
                "memory_mib": _memory(server.process.pid) >> 20,
                "defects": dict(found.defects),
            }
            print(json.dumps(summary), flush=True)
            defects += found.defects.total()
    return defects


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--floods", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found, begin = Found(), time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tvlb-hostile-") as root:
        data = Path(root) / "data"
        options = ("--require-tokens", "--requests-per-second", "100000", "--workers", "1")
        with running_server(data, *options) as server:
            if given.floods:
                defects = _flood(server, new_token(data), given.floods)
                print(f"{given.floods} requests of each flood: {defects or 'no'} defects")
                return 1 if defects else 0
            memory = _run(server, new_token(data), given, found)
            log = server.log.read_text()
    slow = sum(seconds > _HEALTH_SECONDS for seconds in found.health)
    _add_defects(found, memory, log, slow)
    summary = {
        "requests": given.requests,
        "answers": dict(sorted(found.answers.items())),
        "slowest_seconds": dict(sorted(found.slowest.items())),
        "defects": dict(found.defects),
        "health": {"looks": len(found.health), "slow": slow, "most": round(max(found.health), 3)},
        "memory_mib": [size >> 20 for size in memory],
        "log_bytes": len(log),
        "seconds": round(time.monotonic() - begin),
    }
    print(json.dumps(summary, indent=2))
    print(f"{given.requests} hostile requests: {sum(found.defects.values()) or 'no'} defects")
    return 1 if found.defects else 0


def _add_defects(found: Found, memory: list[int], log: str, slow: int) -> None:
    for text in ("Traceback", "unexpected error", "Exception in ASGI"):
        if text in log:
            found.defects[f"log: {text}"] += log.count(text)
    if slow > _HEALTH_SHARE * len(found.health):
        found.defects[f"health: over {_HEALTH_SECONDS * 1e3:.0f} ms"] += slow
    if memory[-1] - memory[2] > _GROWTH_BYTES:
        found.defects["memory grows"] += 1
    if max(memory) > _MOST_BYTES:
        found.defects["memory over 1 GiB"] += 1


if __name__ == "__main__":
    sys.exit(main())
