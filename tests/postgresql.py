"""A PostgreSQL server for tests, from the binaries of the machine; nothing to configure."""

import glob
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg


def find_binaries() -> Path | None:
    """Return the directory of initdb and pg_ctl, None where PostgreSQL is not installed."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += [Path(name) for name in sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)]
    return next((place for place in places if (place / "initdb").exists()), None)


@contextmanager
def postgresql_server() -> Generator[str]:
    """Run a fresh server on a free port of the loopback; yields its URL without a database."""
    binaries = find_binaries()
    assert binaries is not None
    # The server refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    root = Path(tempfile.mkdtemp(prefix="tvlb-pg-"))
    if user is not None:
        shutil.chown(root, user)
    data, port = root / "data", free_port()

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [binaries / program, "-D", str(data), *arguments],
            check=True,
            user=user,
            cwd=root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={root}"
    try:
        call("initdb", "-A", "trust", "-U", "postgres", "--no-sync")
        call("pg_ctl", "-o", options, "-l", str(root / "log"), "-w", "start")
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}"
        finally:
            call("pg_ctl", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(root, ignore_errors=True)


def new_database(server: str, name: str) -> str:
    """Create what is an empty database to whoever has the URL, and return that.

    It is a schema: databases have hundreds of files each, and to delete them takes seconds.
    """
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"'.encode())
    return f"{server}/postgres?options=-csearch_path%3D{name}"


def free_port() -> int:
    """Return a port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
