"""Whether a worker would compute the same bytes as this process."""

from tvlb.documents import versions
from tvlb.errors import InvalidInput


class UnfitWorker(InvalidInput):
    """A worker may not compute: the text says why.

    Attributes
    ----------
    worker : its address.
    """

    def __init__(self, worker: str, reason: str) -> None:
        super().__init__(worker, reason)
        self.worker = worker
        self.reason = reason

    def __str__(self) -> str:
        return f"worker {self.worker} {self.reason}"


def relevant_versions() -> dict[str, str]:
    """Versions that have to agree: Python without its patch release, tvlb, and its solvers."""
    found = versions()
    return found | {"python": ".".join(found["python"].split(".")[:2])}


def check_versions(worker: str, found: dict[str, str], wanted: dict[str, str]) -> None:
    """Raise UnfitWorker, with the first difference, if the versions of a worker differ."""
    for name, version in wanted.items():
        if found.get(name) != version:
            raise UnfitWorker(
                worker,
                f"has {name} {found.get(name)}, but {version} is needed: all workers need the "
                "versions of the coordinator for equal results",
            )


def check_threads(worker: str, threads: int) -> None:
    """Raise UnfitWorker if a worker would run several tasks at a time."""
    if threads > 1:
        raise UnfitWorker(
            worker,
            f"has {threads} threads, but linear programs are solved one at a time in a process: "
            "start it with dask worker --nthreads 1 --nworkers N",
        )
