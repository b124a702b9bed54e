"""Temporary TLS certificates, by which the parts of a Dask cluster know each other."""

import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tvlb.errors import InvalidInput
from tvlb.processes.cluster.packages import cluster_package

_ROLES = ("client", "scheduler", "worker")
# Goes on when this process is gone, whatever ended it: then nobody else holds the pipe.
_REMOVE = 'read -r _; rm -rf -- "$1"'


@contextmanager
def temporary_security(folder: Path) -> Generator[Any]:
    """Return a `distributed.Security` whose key only those have who can read our files.

    Parameters
    ----------
    folder : where key and certificate are kept while the block runs; all machines of the cluster
        see it. They are removed after a kill of this process as well.

    Raises
    ------
    InvalidInput : nothing can be written there, or packages of the extra ``cluster`` are missing.
    """
    cluster_package("cryptography")
    made = cluster_package("distributed").Security.temporary()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Nobody else may enter it.
        secret = Path(tempfile.mkdtemp(prefix=".tls-", dir=folder.resolve()))
    except OSError as error:
        raise InvalidInput(f"{folder} cannot hold certificates: {error.strerror}") from error
    with subprocess.Popen(
        ["/bin/sh", "-c", _REMOVE, "sh", str(secret)],
        stdin=subprocess.PIPE,
        start_new_session=True,
    ):
        # The end of the block closes the pipe, and waits.
        key, certificate = secret / "key.pem", secret / "certificate.pem"
        key.write_text(made.tls_client_key)
        certificate.write_text(made.tls_client_cert)
        named = {"key": str(key), "cert": str(certificate)}
        yield cluster_package("distributed").Security(
            require_encryption=True,
            tls_ca_file=str(certificate),
            **{f"tls_{role}_{what}": path for role in _ROLES for what, path in named.items()},
        )
