"""Options that say where the work of a sweep is done."""

from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tvlb.cli.options import integer
from tvlb.cluster import DaskOptions, SlurmOptions, dask_workers, slurm_workers
from tvlb.errors import InvalidInput
from tvlb.parallel import available_cores
from tvlb.workers import local_workers

__all__ = [
    "ExecutorName",
    "Scheduler",
    "SlurmAccount",
    "SlurmCores",
    "SlurmDirectives",
    "SlurmInterface",
    "SlurmJobCount",
    "SlurmLogs",
    "SlurmMemory",
    "SlurmPartition",
    "SlurmWallTime",
    "Started",
    "Workplace",
    "workplace_of",
]

_NAMES = ("local", "dask", "slurm")
_MANY_WORKERS = 32

ExecutorName = Annotated[
    str,
    typer.Option(
        "--executor",
        metavar="NAME",
        help="Where to compute: local (processes of this machine), dask or slurm; the results do "
        "not depend on it.",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="HOST:PORT",
        help="Of a running Dask scheduler, for --executor dask.",
        show_default=False,
    ),
]
SlurmJobCount = Annotated[
    int | None,
    typer.Option(
        "--slurm-jobs",
        parser=integer,
        metavar="INTEGER",
        help="Slurm jobs at a time.",
        show_default="1",
    ),
]
SlurmCores = Annotated[
    int | None,
    typer.Option(
        "--slurm-cores",
        parser=integer,
        metavar="INTEGER",
        help="Cores, and so workers, of a Slurm job.",
        show_default="1",
    ),
]
SlurmMemory = Annotated[
    str | None,
    typer.Option(
        "--slurm-memory", metavar="SIZE", help="Memory of a Slurm job.", show_default="4GB a core"
    ),
]
SlurmPartition = Annotated[
    str | None,
    typer.Option(
        "--slurm-partition", metavar="NAME", help="Slurm partition.", show_default="the site's"
    ),
]
SlurmAccount = Annotated[
    str | None,
    typer.Option(
        "--slurm-account", metavar="NAME", help="Slurm account.", show_default="the site's"
    ),
]
SlurmWallTime = Annotated[
    str | None,
    typer.Option(
        "--slurm-wall-time",
        metavar="TIME",
        help="Wall time of a Slurm job, such as 4:00:00; a job that ends is replaced.",
        show_default="the site's",
    ),
]
SlurmDirectives = Annotated[
    list[str] | None,
    typer.Option(
        "--slurm-directive",
        metavar="TEXT",
        help="A further line for sbatch, such as --slurm-directive=--qos=long; may be repeated.",
        show_default=False,
    ),
]
SlurmLogs = Annotated[
    Path | None,
    typer.Option(
        "--slurm-logs",
        metavar="DIR",
        help="For the output of Slurm jobs.",
        show_default="slurm-logs",
    ),
]
SlurmInterface = Annotated[
    str | None,
    typer.Option(
        "--slurm-interface",
        metavar="NAME",
        help="Network interface of this machine and the nodes, such as ib0.",
        show_default=False,
    ),
]


@dataclass(frozen=True)
class Started:
    """Workers that are ready.

    Attributes
    ----------
    executor : takes tasks for them.
    workers : about how many tasks they run at a time.
    """

    executor: Executor
    workers: int


@dataclass(frozen=True)
class Workplace:
    """Where the work is done.

    Attributes
    ----------
    workers : how many workers there will be; None if only the scheduler knows.
    start : has them while the block runs.
    """

    workers: int | None
    start: Callable[[], AbstractContextManager[Started]]


def workplace_of(
    name: str,
    *,
    workers: int | None,
    scheduler: str | None,
    slurm: dict[str, object],
) -> Workplace:
    """Return where the work is done, from the options of a command.

    Parameters
    ----------
    slurm : values of the options for Slurm by the names of `SlurmOptions`; None where not given.

    Raises
    ------
    InvalidInput : an option is out of range, is missing, or is for another executor.
    """
    given = {option: value for option, value in slurm.items() if value is not None}
    if name not in _NAMES:
        raise InvalidInput(f"--executor {name!r} is unknown; choose one of {', '.join(_NAMES)}")
    if name != "local" and workers is not None:
        raise InvalidInput(f"--workers is for --executor local, not for {name}")
    if name != "dask" and scheduler is not None:
        raise InvalidInput(f"--scheduler is for --executor dask, not for {name}")
    if name != "slurm" and given:
        option = min(given).replace("_", "-").replace("directives", "directive")
        raise InvalidInput(f"--slurm-{option} is for --executor slurm, not for {name}")
    if name == "dask":
        if scheduler is None:
            raise InvalidInput("--executor dask needs --scheduler HOST:PORT")
        return _on_dask(DaskOptions(scheduler))
    if name == "slurm":
        return _on_slurm(_slurm_options(given))
    return _on_this_machine(workers or available_cores())


def _slurm_options(given: dict[str, object]) -> SlurmOptions:
    cores = given.get("cores", 1)
    defaults: dict[str, object] = {"jobs": 1, "cores": 1, "memory": f"{4 * int(str(cores))}GB"}
    return SlurmOptions(**{**defaults, **given})  # pyright: ignore[reportArgumentType]


def _on_this_machine(workers: int) -> Workplace:
    @contextmanager
    def start() -> Generator[Started]:
        with local_workers(workers) as executor:
            yield Started(executor, workers)

    return Workplace(workers, start)


def _on_dask(options: DaskOptions) -> Workplace:
    @contextmanager
    def start() -> Generator[Started]:
        with dask_workers(options) as workers:
            # Workers come and go, so there has to be work for many.
            yield Started(workers.executor, max(workers.slots(), _MANY_WORKERS))

    return Workplace(None, start)


def _on_slurm(options: SlurmOptions) -> Workplace:
    @contextmanager
    def start() -> Generator[Started]:
        with slurm_workers(options) as workers:
            yield Started(workers.executor, options.jobs * options.cores)

    return Workplace(options.jobs * options.cores, start)
