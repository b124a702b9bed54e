"""A TCP proxy that breaks connections."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Proxy:
    """Where the proxy listens, how many connections it broke, and the limit, which may change."""

    url: str
    broken: int = 0
    limit: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self) -> None:
        """Count a broken connection."""
        with self._lock:
            self.broken += 1


@contextmanager
def breaking_proxy(port: int) -> Generator[Proxy]:
    """Pass bytes to and from a port of the loopback; ends each connection after `limit` of them.

    The bytes towards the client are counted; a limit of None lets all pass.
    """
    listening = socket.create_server(("127.0.0.1", 0))
    proxy = Proxy(f"http://127.0.0.1:{listening.getsockname()[1]}")

    def accept() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=_serve, args=(client, port, proxy), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield proxy
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()


def _serve(client: socket.socket, port: int, proxy: Proxy) -> None:
    with client, socket.create_connection(("127.0.0.1", port)) as server:
        threading.Thread(target=_copy, args=(client, server), daemon=True).start()
        passed = 0
        while content := _receive(server):
            limit = proxy.limit
            if limit is not None and passed + len(content) >= limit:
                client.sendall(content[: max(0, limit - passed)])
                proxy.count()
                break
            client.sendall(content)
            passed += len(content)
        for end in (client, server):
            _shut(end)


def _copy(source: socket.socket, target: socket.socket) -> None:
    while content := _receive(source):
        target.sendall(content)
    _shut(target)


def _receive(source: socket.socket) -> bytes:
    try:
        return source.recv(65_536)
    except OSError:
        return b""


def _shut(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        return
