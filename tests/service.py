"""A tvlb server for tests: the real process, on a free port, with a worker of its own."""

import io
import json
import os
import subprocess
import sysconfig
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
from httpx_sse import EventSource, ServerSentEvent

from tvlb.cli import main
from tvlb.requests import request_kinds

# A table by the paper's method in a few seconds, and what makes its repairs as quick.
TABLE: dict[str, Any] = {
    "topology": "2,4,2,5",
    "method": "paper",
    "patterns": 4,
    "screening": {"warmup": 300, "measured": 300, "grid": 0.05},
    "confirmation": {"warmup": 600, "measured": 400, "grid": 0.02},
    "finalists": 1,
    "data_points": 3,
    "simulated_patterns": 2,
}
QUICK_REPAIR: dict[str, Any] = {
    "traffic": ["shift(1,0)"],
    "confirmation": {"warmup": 200, "measured": 200, "grid": 0.1},
}

# A simulation that becomes a job, for its many traces, and takes less time than to wait for it.
SHORT_JOB: dict[str, Any] = {
    "topology": "2,4,2,5",
    "load": [0.2],
    "warmup": 0,
    "cycles": 1000,
    "traces": 1001,
}

# Of requests whose answer a test needs: on a busy machine a small one may become a job.
WAIT = {"Prefer": "wait=100"}

# A server that has not begun to listen by then never will.
_START_SECONDS = 60.0
# A worker may go on with its job for 20 seconds when it is asked to end.
_END_SECONDS = 30.0
_LOOK_SECONDS = 0.05


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes
    ----------
    url : without a slash at its end.
    port : of the loopback.
    process : the server; its worker ends with it.
    data : its data directory.
    log : what it and its worker print, JSON lines.
    """

    url: str
    port: int
    process: subprocess.Popen[bytes]
    data: Path
    log: Path

    def kill(self) -> None:
        """End the server without a warning; its worker hands its job back and ends too."""
        self.process.kill()
        self.process.wait()


@contextmanager
def running_server(
    data: Path,
    *arguments: str,
    port: int = 0,
    environment: Mapping[str, str] | None = None,
) -> Generator[Server]:
    """Run `tvlb serve` while the block runs.

    Parameters
    ----------
    data : directory of its data; the log is beside it.
    arguments : further ones of `tvlb serve`.
    port : 0 for any free one.
    environment : variables besides our own.
    """
    data = data.absolute()
    log = data.with_name(f"{data.name}.log")
    program = Path(sysconfig.get_path("scripts"), "tvlb")
    with log.open("ab") as output:
        process = subprocess.Popen(
            [program, "serve", "--data", str(data), "--port", str(port), *arguments],
            stderr=output,
            env={**os.environ, **(environment or {})},
            cwd=_hostile_directory(data),
        )
        begin = output.tell()
    try:
        found = _port(process, log, begin)
        url = f"http://127.0.0.1:{found}"
        _wait_until_ready(process, log, url)
        yield Server(url, found, process, data, log)
    finally:
        _end(process)


def quick_options(warmup: int, measured: int, grid: float) -> dict[str, Any]:
    """Return options of a table by the paper's method that takes the least, in such windows."""
    windows = {"warmup": warmup, "measured": measured, "grid": grid}
    return {
        "method": "paper",
        "patterns": 1,
        "screening": windows,
        "confirmation": windows,
        "finalists": 1,
        "data_points": 1,
        "simulated_patterns": 2,
    }


def answered(server: Server, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return what the server answers to a request, once it is computed."""
    answer = httpx.post(f"{server.url}{path}", json=body, headers=WAIT, timeout=120)
    assert answer.status_code == HTTPStatus.OK, answer.text[:500]
    return answer.json()


def events_of(stream: EventSource) -> Iterator[ServerSentEvent]:
    """Yield what happened; what keeps a connection alive is taken for an event without data."""
    return (event for event in stream.iter_sse() if event.data)


def form_paths() -> list[str]:
    """Return the paths of the pages where results of a kind are asked for, or only listed.

    That of the form for a table is not among them: it is on the first page.
    """
    kinds = [one for one in request_kinds().values() if not one.form_url.startswith("/#")]
    found = [one.form_url if one.menu else f"/{one.plural}" for one in kinds]
    more = [f"{one.form_url}?router={form.router}" for one in kinds for form in one.forms[1:]]
    return [*found, *more]


def new_token(data: Path, name: str = "tests") -> str:
    """Make a token for the servers of a data directory."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(["token", "create", name, "--data", str(data)]) == 0
    return printed.getvalue().strip()


def _hostile_directory(data: Path) -> Path:
    """Return one whose files no process of the service may import."""
    directory = data.with_name(f"{data.name}.cwd")
    directory.mkdir(exist_ok=True)
    for name in ("html", "pickle", "signal", "struct", "tvlb"):
        (directory / f"{name}.py").write_text("raise SystemExit('from the working directory')")
    return directory


def _port(process: subprocess.Popen[bytes], log: Path, begin: int) -> int:
    """Return the port that the log names after a position."""
    for _ in _looks(process, log):
        for line in log.read_bytes()[begin:].splitlines(keepends=True):
            if line.endswith(b"\n") and b'"listening"' in line:
                return int(json.loads(line)["port"])
    raise AssertionError


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path, url: str) -> None:
    for _ in _looks(process, log):
        try:
            if httpx.get(f"{url}/readyz").is_success:
                return
        except httpx.TransportError:
            continue


def _looks(process: subprocess.Popen[bytes], log: Path) -> Generator[None]:
    """Give the caller the chance to look, until the process ends or takes too long."""
    deadline = time.monotonic() + _START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        yield
        time.sleep(_LOOK_SECONDS)
    raise AssertionError(f"the server does not start:\n{log.read_text()}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
