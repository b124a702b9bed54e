"""Options that say where the work of a sweep is done."""

from collections.abc import Generator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from tvlb.cli.numbers import Workers, integer
from tvlb.errors import InvalidInput
from tvlb.processes import Reporter, available_cores, local_workers
from tvlb.processes.cluster import DaskOptions, SlurmOptions, dask_workers, slurm_workers

_NAMES = ("local", "dask", "slurm")
_MANY_WORKERS = 32
_SLURM = "slurm_"


@dataclass(frozen=True)
class StartedExecutor:
    """Workers that are ready.

    Attributes
    ----------
    executor : takes tasks for them.
    workers : about how many tasks they run at a time.
    """

    executor: Executor
    workers: int


@dataclass(frozen=True)
class ExecutorOptions:
    """What a user says of where to compute; see `tvlb.cli.settings.takes_settings`.

    Raises
    ------
    InvalidInput : an option is out of range, is missing, or is for another executor.
    """

    workers: Workers = None
    executor: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Where to compute: local (processes of this machine), dask or slurm; the results "
            "do not depend on it.",
        ),
    ] = "local"
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="Address of a running Dask scheduler, for --executor dask."
        ),
    ] = None
    slurm_jobs: Annotated[
        int | None, integer("Slurm jobs at a time.", "1 or more", show_default="1")
    ] = None
    slurm_cores: Annotated[
        int | None, integer("Cores, and so workers, of a Slurm job.", "1 or more", show_default="1")
    ] = None
    slurm_memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory of a Slurm job.", show_default="4GB a core"),
    ] = None
    slurm_partition: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Slurm partition.", show_default="the site's"),
    ] = None
    slurm_account: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Slurm account.", show_default="the site's"),
    ] = None
    slurm_wall_time: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Wall time of a Slurm job, such as 4:00:00; a job that ends is replaced.",
            show_default="the site's",
        ),
    ] = None
    slurm_directive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help="A further line for sbatch, such as --slurm-directive=--qos=long; may be "
            "repeated.",
        ),
    ] = None
    slurm_interface: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Network interface of this machine and the nodes, such as ib0."
        ),
    ] = None
    slurm_logs: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Directory for the output of Slurm jobs.", show_default="slurm-logs"
        ),
    ] = None

    def __post_init__(self) -> None:
        name = self.executor
        if name not in _NAMES:
            raise InvalidInput(f"--executor {name!r} is unknown; choose one of {', '.join(_NAMES)}")
        if name != "local" and self.workers is not None:
            raise InvalidInput(f"--workers is for --executor local, not for {name}")
        if name != "dask" and self.scheduler is not None:
            raise InvalidInput(f"--scheduler is for --executor dask, not for {name}")
        if name == "dask" and self.scheduler is None:
            raise InvalidInput("--executor dask needs --scheduler HOST:PORT")
        if name != "slurm" and (given := self._given()):
            option = f"{_SLURM}{min(given)}".replace("_", "-")
            raise InvalidInput(f"--{option} is for --executor slurm, not for {name}")
        self._cluster()

    @property
    def count(self) -> int | None:
        """How many workers there will be; None if only the scheduler knows."""
        match self._cluster():
            case SlurmOptions() as slurm:
                return slurm.jobs * slurm.cores
            case DaskOptions():
                return None
            case None:
                return self.workers or available_cores()

    @contextmanager
    def started(self, report: Reporter) -> Generator[StartedExecutor]:
        """Have the workers while the block runs; `report` is told what they wait for."""
        match self._cluster():
            case SlurmOptions() as slurm:
                with slurm_workers(slurm, report) as workers:
                    yield StartedExecutor(workers.executor, slurm.jobs * slurm.cores)
            case DaskOptions() as dask:
                with dask_workers(dask) as workers:
                    # Workers come and go, so there has to be work for many.
                    count = max(workers.slots(), _MANY_WORKERS)
                    yield StartedExecutor(workers.executor, count)
            case None:
                count = self.workers or available_cores()
                with local_workers(count) as executor:
                    yield StartedExecutor(executor, count)

    def _cluster(self) -> DaskOptions | SlurmOptions | None:
        """Return the options of the cluster; None for this machine."""
        if self.scheduler is not None:
            return DaskOptions(self.scheduler)
        if self.executor != "slurm":
            return None
        cores = 1 if self.slurm_cores is None else self.slurm_cores
        usual: dict[str, Any] = {"jobs": 1, "cores": 1, "memory": f"{4 * cores}GB"}
        asked = usual | self._given()
        directives = tuple(asked.pop("directive", ()))
        return SlurmOptions(**asked, directives=directives)

    def _given(self) -> dict[str, Any]:
        """Return the values of the options for Slurm, by their names without `slurm_`."""
        values = {
            one.name.removeprefix(_SLURM): getattr(self, one.name)
            for one in fields(self)
            if one.name.startswith(_SLURM)
        }
        return {name: value for name, value in values.items() if value not in (None, [])}
