"""The packages of the extra ``cluster``, imported when they are used."""

import signal
from importlib import import_module
from typing import Any

from tvlb.errors import InvalidInput


def cluster_package(name: str) -> Any:
    """Import a module of Dask; what Ctrl-C does stays as it was.

    Raises
    ------
    InvalidInput : it is not installed.
    """
    handler = signal.getsignal(signal.SIGINT)
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"the Python package {error.name} is missing: in the directory of tvlb, "
            "pip install '.[cluster]'"
        ) from error
    # dask_jobqueue lets it end the process without a word, with exit code 0.
    if signal.getsignal(signal.SIGINT) is not handler:
        signal.signal(signal.SIGINT, handler)
    return module
