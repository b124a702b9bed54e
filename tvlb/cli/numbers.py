"""Options that are numbers, of any command: nothing of what is computed is loaded for them."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

from tvlb.documents import decimal_number, whole_number
from tvlb.processes import MOST_WORKERS, check_workers

_Value = TypeVar("_Value", int, float)


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


def ranged(parse: Callable[[str], _Value], values: object) -> Callable[[str], _Value]:
    """Return what parses a value and complains with the range, which is checked elsewhere."""

    def parsed(text: str) -> _Value:
        try:
            return parse(text)
        except typer.BadParameter as error:
            raise typer.BadParameter(f"{error.message}: {values}") from None

    return parsed


def _counted(name: str, text: str, usual: str) -> Any:
    """Declare an option that is a number of processes or threads; `usual` is without it."""

    def parsed(given: str) -> int:
        count = ranged(parsed_integer, f"1..{MOST_WORKERS}")(given)
        check_workers(count, name)
        return count

    help_text = f"{text}; the results do not depend on it."
    return typer.Option(parser=parsed, metavar="INTEGER", help=help_text, show_default=usual)


def integer(text: str, values: object, *, metavar: str = "INTEGER", **more: Any) -> Any:
    """Declare an option that is an integer; the complaint names the value, and what values are."""
    parser = ranged(parsed_integer, values)
    return typer.Option(parser=parser, metavar=metavar, help=text, **more)


def number(text: str, values: object, *, metavar: str = "NUMBER", **more: Any) -> Any:
    """Declare an option that is a number; the complaint names the value, and what values are."""
    parser = ranged(_parsed_number, values)
    return typer.Option(parser=parser, metavar=metavar, help=text, **more)


Workers = Annotated[int | None, _counted("workers", "Processes and threads", "one per core")]
Threads = Annotated[
    int | None,
    _counted(
        "threads",
        "Threads of each simulation with input queues",
        "what the runs leave of the workers",
    ),
]
