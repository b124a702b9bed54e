"""Running the application: uvicorn, and a worker that is started again when it dies."""

import asyncio
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

import uvicorn

from api.app import create_app
from api.connections import BoundedProtocol
from api.services import Services
from api.settings import Settings
from tvlb.errors import InvalidInput
from tvlb.jobs.logs import logger

_RESTART_SECONDS = 1.0
_SHUTDOWN_SECONDS = 10
# Connections that the kernel keeps until they are taken.
_QUEUE = 1024
# A thread that reads the database takes less than Python's usual 5 milliseconds, for which the
# event loop would wait.
_SWITCH_SECONDS = 0.0005
# A worker gives its job 20 seconds when it is asked to end.
_DRAIN_SECONDS = 30.0


class _Server(uvicorn.Server):
    """Takes connections one by one, and lets those who follow a job go when it is to end."""

    def __init__(self, config: uvicorn.Config, services: Services) -> None:
        super().__init__(config)
        self._services = services

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server`."""
        await super().startup(sockets)
        for one in sockets or []:
            one.listen(_QUEUE)
        # What is there now stays, and takes a tenth of a second to look through for garbage.
        gc.freeze()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """See `uvicorn.Server`."""
        super().handle_exit(sig, frame)
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe(lambda: loop.create_task(self._services.go()))


class _WorkerProcess:
    """Keeps one worker alive until it is told to end."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = environment
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._process = self._start()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, env={**os.environ, **self._environment})

    def _watch(self) -> None:
        while True:
            code = self._process.wait()
            if self._ending.is_set():
                return
            logger("serve").error("the worker died, another one is started", exit=code)
            if self._ending.wait(_RESTART_SECONDS):
                return
            with self._lock:
                if self._ending.is_set():
                    return
                self._process = self._start()

    def end(self) -> None:
        """Ask the worker to drain and wait for it."""
        with self._lock:
            self._ending.set()
            self._process.terminate()
        self._thread.join(_DRAIN_SECONDS)
        if self._thread.is_alive():
            logger("serve").error("the worker does not end, it is killed")
            self._process.kill()
            self._thread.join()


def serve(settings: Settings, host: str, port: int, worker: Sequence[str] | None) -> None:
    """Serve until a signal ends it.

    Parameters
    ----------
    host, port : where to listen.
    worker : arguments of `tvlb` that start a worker beside the server; None to start none. The
        database goes by the environment: others can read arguments, and there may be a password.

    Raises
    ------
    InvalidInput : the database, the result store or the address cannot be used.
    """
    with _listen(host, port) as listening:
        services = Services(settings)
        if settings.needs_token and not any(token.active for token in services.tokens.newest()):
            logger("serve").warning("nobody has a token yet; see tvlb token create")
        with _worker_beside(worker, {"TVLB_DATABASE": settings.database}):
            found = listening.getsockname()[1]
            logger("serve").info("listening", host=host, port=found)
            print(f"tvlb: the page is at {_url(host, found)}", flush=True)
            _run(services, listening)


def _url(host: str, port: int) -> str:
    """Return a URL that a browser on this machine opens; no address means every address."""
    known = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{known}]' if ':' in known else known}:{port}/"


@contextmanager
def _worker_beside(
    arguments: Sequence[str] | None, environment: Mapping[str, str]
) -> Generator[None]:
    """Keep a worker alive while the block runs."""
    if arguments is None:
        yield
        return
    parent = ["--parent", str(os.getpid())]
    command = [sys.executable, "-P", "-m", "tvlb", *arguments, *parent]
    process = _WorkerProcess(command, environment)
    try:
        yield
    finally:
        process.end()


def _run(services: Services, listening: socket.socket) -> None:
    sys.setswitchinterval(_SWITCH_SECONDS)
    # uvicorn raises the signal again when it has shut down; by then it has had its effect.
    signal.signal(signal.SIGTERM, _done)
    signal.signal(signal.SIGINT, _done)
    config = uvicorn.Config(
        create_app(services),
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
        http=BoundedProtocol,
        # A connection that is upgraded would have no deadlines.
        ws="none",
        # So many connections are taken before the first of them is counted.
        backlog=1,
    )
    _Server(config, services).run([listening])


def _done(signal_number: int, frame: FrameType | None) -> None:
    pass


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # Without the protocol, asyncio does not know it for TCP, and the end of short answers waits
        # for an acknowledgement, 40 milliseconds.
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        raise InvalidInput(f"cannot listen on {host} port {port}: {error.strerror}") from error
    return listening
