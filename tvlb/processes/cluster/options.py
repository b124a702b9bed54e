"""What a user says about the workers of a cluster, checked."""

import re
from dataclasses import dataclass
from pathlib import Path

from tvlb.errors import InvalidInput

_ADDRESS = re.compile(r"((tcp|tls)://)?(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):(?P<port>[0-9]{1,5})")
_MEMORY = re.compile(r"[1-9][0-9]*(\.[0-9]+)? ?[KMGT]i?B")
_WALL_TIME = re.compile(r"[0-9]+-[0-9]{1,2}(:[0-9]{2}(:[0-9]{2})?)?|[0-9]+(:[0-9]{2}){0,2}")
# What these options or tvlb itself say; a second directive would silently win.
_TAKEN = re.compile(
    r"-[JneopAtc]|--(job-name|ntasks|cpus-per-task|output|error|partition|account|mem|time|array"
    r"|mem-per-cpu|nodes)(?![\w-])|-N"
)
_WORD = re.compile(r"[^\s#]+")


@dataclass(frozen=True)
class DaskOptions:
    """The workers of a running Dask scheduler.

    Attributes
    ----------
    scheduler : its address, such as ``tcp://10.0.0.7:8786`` or ``head:8786``.
    worker_timeout : seconds to wait for its first worker, and for another when all left; above 0.

    Raises
    ------
    InvalidInput : a value is malformed or out of range.
    """

    scheduler: str
    worker_timeout: float = 60.0

    def __post_init__(self) -> None:
        match = _ADDRESS.fullmatch(self.scheduler)
        if match is None or not 0 < int(match["port"]) < 2**16:
            raise InvalidInput(
                f"{self.scheduler!r} is not the address of a Dask scheduler: "
                "host:port, tcp://host:port or tls://host:port"
            )
        if not self.worker_timeout > 0:
            raise InvalidInput(f"worker timeout {self.worker_timeout} s: it has to be positive")


@dataclass(frozen=True)
class SlurmOptions:
    """Jobs of Slurm that compute; what is None is left to the site's defaults.

    Attributes
    ----------
    jobs : how many run at a time, at least 1; one that ends is replaced.
    cores : of a job, at least 1; it runs as many workers, of one thread each.
    memory : of a job, such as ``8GB``.
    partition, account : to submit to, and to charge.
    wall_time : after which Slurm ends a job, as sbatch takes it: ``90``, ``4:00:00``, ``1-12``.
    directives : further lines for sbatch, such as ``--qos=long``.
    logs : the folder for the output of the jobs; it is made if need be.
    interface : the network interface of the coordinator and the nodes, such as ``ib0``.

    Raises
    ------
    InvalidInput : a value is malformed or out of range.
    """

    jobs: int
    cores: int
    memory: str
    partition: str | None = None
    account: str | None = None
    wall_time: str | None = None
    directives: tuple[str, ...] = ()
    logs: Path = Path("slurm-logs")
    interface: str | None = None

    def __post_init__(self) -> None:
        _check_count("Slurm jobs", self.jobs)
        _check_count("cores of a Slurm job", self.cores)
        _check_form("memory of a Slurm job", self.memory, _MEMORY, "8GB or 500MiB")
        _check_form("Slurm partition", self.partition, _WORD, "a word")
        _check_form("Slurm account", self.account, _WORD, "a word")
        _check_form("wall time", self.wall_time, _WALL_TIME, "minutes, hh:mm:ss or d-hh:mm:ss")
        _check_form("network interface", self.interface, _WORD, "a word")
        for directive in self.directives:
            _check_directive(directive)
        if any(character.isspace() or character == "%" for character in str(self.logs)):
            raise InvalidInput(f"the log folder {str(self.logs)!r} holds a space or %")


def _check_count(what: str, value: int) -> None:
    if value < 1:
        raise InvalidInput(f"{what}: {value}, but at least 1 is needed")


def _check_form(what: str, value: str | None, form: re.Pattern[str], example: str) -> None:
    if value is not None and form.fullmatch(value) is None:
        raise InvalidInput(f"{what}: {value!r} is not of the form {example}")


def _check_directive(directive: str) -> None:
    if not directive.startswith("-") or "\n" in directive:
        raise InvalidInput(f"{directive!r} is not a directive of sbatch, such as --qos=long")
    if _TAKEN.match(directive):
        raise InvalidInput(f"{directive!r} is set by tvlb: see its own option")
