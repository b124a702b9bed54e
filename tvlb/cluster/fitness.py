"""Whether a worker would compute the same bytes as this process."""

from tvlb.errors import InvalidInput
from tvlb.provenance import versions

__all__ = ["check_versions", "relevant_versions"]


def relevant_versions() -> dict[str, str]:
    """Versions that have to agree: Python without its patch release, tvlb, and its solvers."""
    found = versions()
    return found | {"python": ".".join(found["python"].split(".")[:2])}


def check_versions(worker: str, found: dict[str, str], wanted: dict[str, str]) -> None:
    """Refuse a worker whose versions differ.

    Raises
    ------
    InvalidInput : with the name of the worker and the first difference.
    """
    for name, version in wanted.items():
        if found.get(name) != version:
            raise InvalidInput(
                f"worker {worker} has {name} {found.get(name)}, but {version} is needed: "
                "all workers need the versions of this process for equal results"
            )
