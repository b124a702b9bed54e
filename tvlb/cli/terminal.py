"""What people see: progress on stderr, tables on stdout; or one JSON document on stdout."""

import json as json_text
import sys
import time
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from typing import Any, cast

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from tvlb.processes import Progress as Event
from tvlb.processes import Reporter

# Longest time without a line in a log, seconds.
_SILENCE = 30.0


def stdout() -> Console:
    """Return the console for results; wide enough for tables when piped to a file.

    Brackets are printed as they are: names come from files.
    """
    width = None if sys.stdout.isatty() else 110
    return Console(width=width, highlight=False, markup=False)


def grid(columns: Iterable[str], left: Collection[str] = (), title: str | None = None) -> Table:
    """Return an empty table; the columns named by `left` hold texts, the others numbers."""
    made = Table(title=title)
    for name in columns:
        # Names, such as those of patterns, are longer than some terminals: they go on below.
        made.add_column(name, justify="left" if name in left else "right", overflow="fold")
    return made


def in_words(value: Any) -> str:
    """Write a value of a document for people: numbers in six digits, parts behind their names."""
    match value:
        case bool() | None:
            return {True: "yes", False: "no", None: "-"}[value]
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.6g}"
        case dict():
            parts = cast("dict[str, Any]", value).items()
            return ", ".join(f"{name.replace('_', ' ')} {in_words(one)}" for name, one in parts)
        case list():
            return ", ".join(map(in_words, cast("list[Any]", value))) or "-"
        case _:
            return str(value)


def print_json(document: object) -> None:
    """Print one JSON document on stdout, and nothing else."""
    json_text.dump(document, sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def print_result(
    document: Mapping[str, Any], show: Callable[[Mapping[str, Any], Console], None], *, json: bool
) -> None:
    """Print a document on stdout, as JSON or as people read it, and its warnings on stderr."""
    print_warnings(document.get("warnings", ()))
    if json:
        print_json(document)
    else:
        show(document, stdout())


def print_warnings(warnings: Iterable[str]) -> None:
    """Print one line per warning on stderr."""
    for warning in warnings:
        print_notice(f"warning: {warning}")


def print_notice(text: str) -> None:
    """Print one line on stderr that says what is going on."""
    _say(f"tvlb: {text}")


def print_written(path: str, what: str = "table") -> None:
    """Say on stderr that a file of a table, or of something else, is there."""
    _say(f"{what} written to {path}")


def _say(line: str) -> None:
    """Print a line on stderr, if there is one; nobody's work should end for want of a log."""
    if sys.stderr is None:  # pyright: ignore[reportUnnecessaryComparison]  # closed by the shell
        return
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


class _StageLog:
    """Says in a line that a stage begins, now and then where it is, and that it is done."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._spoke = time.monotonic()

    def __call__(self, event: Event) -> None:
        if event.stage not in self._begun:
            self._begun.add(event.stage)
            self._print(f"{event.stage} begins")
        elif event.done == event.total or time.monotonic() - self._spoke >= _SILENCE:
            self._print(f"{event.stage} {event.done}/{event.total} {event.note}".rstrip())

    def _print(self, text: str) -> None:
        self._spoke = time.monotonic()
        print_notice(text)


@contextmanager
def progress_display() -> Generator[Reporter]:
    """Show progress events as bars on stderr while the block runs; lines if it is no terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _StageLog()
        return
    bars = Progress(
        TextColumn("{task.description:18}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=console,
    )
    tasks: dict[str, TaskID] = {}

    def show(event: Event) -> None:
        if event.stage not in tasks:
            tasks[event.stage] = bars.add_task(event.stage, total=event.total, note="")
        bars.update(tasks[event.stage], completed=event.done, total=event.total, note=event.note)

    with bars:
        yield show
