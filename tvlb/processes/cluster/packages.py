"""The packages of the extra ``cluster``, imported when they are used."""

from importlib import import_module
from typing import Any

from tvlb.errors import InvalidInput


def cluster_package(name: str) -> Any:
    """Import a module of Dask.

    Raises
    ------
    InvalidInput : it is not installed.
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise InvalidInput(
            f"the Python package {error.name} is missing: in the directory of tvlb, "
            "pip install '.[cluster]'"
        ) from error
