"""What those get who still wait for an answer when the server ends."""

import asyncio
import socket
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from api.app import create_app
from api.connections import BoundedProtocol
from api.services import Services
from api.settings import Settings

_BEGUN = (
    b"POST /v1/models HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 9\r\n\r\n{"
)


async def answer_at_the_end(application: FastAPI, request: bytes) -> bytes:
    """Return the answer to a request that has not ended when its server is told to."""
    config = uvicorn.Config(
        application,
        http=BoundedProtocol,
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=0,
    )
    server = uvicorn.Server(config)
    async with asyncio.timeout(30.0):
        return await _answer(server, request)


async def _answer(server: uvicorn.Server, request: bytes) -> bytes:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = asyncio.create_task(server.serve([listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        writer.write(request)
        while not server.server_state.tasks:
            await asyncio.sleep(0.01)
        server.should_exit = True
        answer = await reader.read()
        writer.close()
        await serving
    return answer


def test_who_waits_when_the_server_ends_gets_a_problem(tmp_path: Path) -> None:
    settings = Settings(f"sqlite:///{tmp_path / 'jobs.sqlite3'}", tmp_path, False, None)
    application = create_app(Services(settings))
    answer = asyncio.run(answer_at_the_end(application, _BEGUN))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"content-type: application/problem+json" in head
    assert b"retry-after: 5" in head
    assert b"urn:tvlb:problem:ending" in body
