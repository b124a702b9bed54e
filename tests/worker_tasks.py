"""Tasks that worker processes run in tests."""

import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from tvlb.errors import NoWorkers
from tvlb.processes import tell_part


class Refusal(Exception):
    """An exception that pickles but does not come back."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


def error_of(
    executor: Executor, timeout: float, task: Callable[..., Any], *given: Any
) -> BaseException | None:
    """Return how a task fails for which there may be no worker any more when it is submitted."""
    try:
        future = executor.submit(task, *given)
    except NoWorkers as error:
        return error
    return future.exception(timeout)


def is_loaded(module: str) -> bool:
    """Whether the process that computes has loaded a module."""
    return module in sys.modules


def nothing() -> None:
    """Do nothing; what a process loads to find this is little."""


def process_id() -> int:
    """Return who computes."""
    return os.getpid()


def size(data: bytes) -> int:
    """Return the number of bytes."""
    return len(data)


def note(path: Path) -> None:
    """Note a call."""
    with path.open("a") as file:
        file.write("x")


def count_and_die(path: Path) -> None:
    """Note the attempt, then end as if the kernel had taken the memory back."""
    note(path)
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(path: Path) -> str:
    """End with exit code 7 the first time."""
    if not path.exists():
        path.touch()
        os._exit(7)
    return "second attempt"


def note_and_nap(path: Path, seconds: float) -> float:
    """Note a call, then take some time."""
    note(path)
    time.sleep(seconds)
    return seconds


def say_and_nap(path: Path, seconds: float) -> float:
    """Write the number of the process, then take some time."""
    path.write_text(str(os.getpid()))
    time.sleep(seconds)
    return seconds


def refuse(text: str) -> None:
    """Fail as tasks do."""
    raise ValueError(text)


def refuse_oddly() -> None:
    """Fail with what cannot travel."""
    raise Refusal(1, 2)


def stop_once(path: Path) -> str:
    """Stop, without an end, the first time."""
    if not path.exists():
        path.touch()
        os.kill(os.getpid(), signal.SIGSTOP)
    return "second attempt"


def tell_and_wait(path: Path) -> None:
    """Tell of seven parts, then of three, and wait for the file."""
    tell_part(7, "of seven")
    tell_part(3, "of seven")
    while not path.exists():
        time.sleep(0.01)


def unpicklable() -> object:
    """Return what cannot travel."""
    return lambda: None


def slurm_job(seconds: float) -> str:
    """Return the number of the job that computes."""
    time.sleep(seconds)
    return os.environ["SLURM_JOB_ID"]
