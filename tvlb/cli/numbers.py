"""Options that are numbers, of any command: nothing of what is computed is loaded for them."""

from typing import Annotated, Any

import typer

from tvlb.documents import decimal_number, whole_number
from tvlb.processes import check_threads, check_workers


def parsed_integer(text: str) -> int:
    """Return an integer; raises typer.BadParameter, which names the text."""
    try:
        # typer also hands over defaults, which are numbers.
        return whole_number(str(text))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not an integer") from None


def _parsed_number(text: str) -> float:
    try:
        return decimal_number(str(text))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number") from None


def _worker_count(text: str) -> int:
    workers = parsed_integer(text)
    check_workers(workers)
    return workers


def _thread_count(text: str) -> int:
    threads = parsed_integer(text)
    check_threads(threads)
    return threads


def integer(text: str, *, metavar: str = "INTEGER", **more: Any) -> Any:
    """Declare an option that is an integer; the complaint names the value."""
    return typer.Option(parser=parsed_integer, metavar=metavar, help=text, **more)


def number(text: str, *, metavar: str = "NUMBER", **more: Any) -> Any:
    """Declare an option that is a number; the complaint names the value."""
    return typer.Option(parser=_parsed_number, metavar=metavar, help=text, **more)


Workers = Annotated[
    int | None,
    typer.Option(
        parser=_worker_count,
        metavar="INTEGER",
        help="Processes and threads; the results do not depend on it.",
        show_default="one per core",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        parser=_thread_count,
        metavar="INTEGER",
        help="Threads of each simulation with input queues; the results do not depend on it.",
        show_default="what the runs leave of the workers",
    ),
]
