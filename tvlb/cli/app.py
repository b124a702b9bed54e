"""The application: the commands, and how errors become exit codes.

Exit codes: 0 success, 1 failure, 2 bad input, 130 interrupted.
"""

import gc
import os
import re
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.metadata import version as version_of
from itertools import pairwise, product
from pathlib import Path
from types import FrameType
from typing import Any, cast

import typer
from typer.core import TyperGroup

from tvlb.errors import Cancelled, InvalidInput, ServerProblem, TvlbError, one_line

EXIT_FAILURE = 1
EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
_LATER_SECONDS = 0.05
_OUTPUT = ("-o", "--output")

# Wrong options and arguments; typer exports only this subclass of their common base.
_UsageProblem: type[Exception] = typer.BadParameter.mro()[2]

# Where each command is: a function, or an application with commands of its own.
_COMMANDS = {
    "table": ("table", "table"),
    "repair": ("repair", "repair"),
    "probe": ("probe", "probe_command"),
    "model": ("model", "model"),
    "simulate": ("simulate", "simulate"),
    "stability": ("stability", "stability"),
    "balance": ("balance", "balance_command"),
    "show": ("tables", "show"),
    "verify": ("tables", "verify_command"),
    "export": ("export", "export"),
    "plot": ("plot", "plot"),
    "sweep": ("sweep", "sweep"),
    "store": ("store", "store"),
    "serve": ("serve", "serve"),
    "worker": ("worker", "worker"),
    "jobs": ("jobs", "jobs"),
    "token": ("token", "token"),
    "health": ("health", "health"),
}


_WORDS = "Words are explained by docs/tutorial.md and the glossary, /glossary of tvlb serve."
_KINDS = Path(__file__).parents[1] / "requests" / "kinds"


@contextmanager
def _no_collection() -> Generator[None]:
    """Collect no garbage meanwhile: modules are none, and to find that out takes its time.

    Nor is it found out at the end, which would take a third of a second.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


@cache
def _command(name: str) -> Any:
    """Return a command, loaded with its libraries."""
    with _no_collection():
        if name in _COMMANDS:
            module, attribute = _COMMANDS[name]
            found = getattr(import_module(f"tvlb.cli.{module}"), attribute)
        else:
            found = import_module("tvlb.cli.request").command_of(name)
    if not isinstance(found, typer.Typer):
        function, found = found, typer.Typer(add_completion=False)
        found.command(name, epilog=_WORDS)(function)
    return typer.main.get_command(found)


class _Commands(TyperGroup):
    """Loads a command when it is called: none should wait for the libraries of the others."""

    def list_commands(self, ctx: Any) -> list[str]:
        # Modules and entry points of kinds of requests are named by their commands.
        kinds = {path.stem for path in _KINDS.glob("[a-z]*.py")}
        kinds |= {one.name for one in entry_points(group="tvlb.requests")}
        return [*_COMMANDS, *sorted(kinds - _COMMANDS.keys())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        known = cmd_name in _COMMANDS or cmd_name in self.list_commands(ctx)
        return _command(cmd_name) if known else None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.obj = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except InvalidInput as error:
            command = self.get_command(ctx, ctx.invoked_subcommand)
            raise InvalidInput(_as_written(str(error), command, ctx.obj)) from error


def _as_written(message: str, command: Any, words: Sequence[str]) -> str:
    """Return the message with the options of a command as its user writes them.

    Errors name what is wrong as requests and Python do: by its field, most of them at the start.
    """
    given = {word.partition("=")[0] for word in words}
    for one in command.params:
        spellings = [*one.opts, *one.secondary_opts]
        written = next((each for each in spellings if each in given), spellings[0])
        name = re.escape(one.name)
        # What is to be given is listed at the end.
        if written.startswith("--"):
            message = re.sub(rf"(: give (?:[^,:]+, )*){name}(?=, |$)", rf"\1{written}", message)
        if written in given and written.startswith("--"):
            message = re.sub(rf"(?:^|(?<= and )){name}(?=[ :])", written, message)
        # Nothing else has such a name, be it given or not.
        if "_" in one.name and written.startswith("--"):
            message = re.sub(rf"(?<![^\s(]){name}(?=[\s,;:)]|$)", written, message)
    return message


app = typer.Typer(
    cls=_Commands,
    name="tvlb",
    help="Topology-custom VLB routing tables for Dragonfly, Slim Fly and other networks.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        # What is known of it elsewhere takes numpy to load.
        typer.echo(f"tvlb {version_of('tvlb')}")
        raise typer.Exit


@app.callback()
def _options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Topology-custom VLB routing tables for Dragonfly, Slim Fly and other networks."""


def _complain(message: str) -> None:
    # Without a stderr, print would take stdout.
    if sys.stderr is not None:  # pyright: ignore[reportUnnecessaryComparison]  # closed by the shell
        print(f"tvlb: error: {one_line(message)}", file=sys.stderr)


def _is_bad_input(error: Exception) -> bool:
    if isinstance(error, ServerProblem):
        return error.is_bad_input
    return isinstance(error, InvalidInput)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End on SIGTERM as on Ctrl-C: workers stop, nothing half-written stays."""
    inside = frame
    while inside is not None:
        if inside.f_code.co_name == "__del__":  # what is raised there is ignored
            again = threading.Timer(_LATER_SECONDS, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        inside = inside.f_back
    raise KeyboardInterrupt


def _keep_what_is_read(arguments: Sequence[str]) -> None:
    """Raise InvalidInput if a command would replace a file that it reads."""
    outputs, others = list[str](), list[str]()
    for before, one in pairwise(["", *arguments]):
        if before in _OUTPUT:
            outputs.append(one)
        elif one.startswith("--"):
            name, _, value = one.partition("=")
            (outputs if name in _OUTPUT else others).append(value)
        elif one.startswith(_OUTPUT):
            outputs.append(one[2:])
        else:
            others.append(one)
    for target, other in product(outputs, others):
        if os.path.isfile(target) and os.path.isfile(other) and os.path.samefile(target, other):
            raise InvalidInput(f"{target} is read, too, and would be lost: name another output")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Parameters
    ----------
    arguments : without the program name; None for those of the process.
    """
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  # closed by the shell
        return EXIT_FAILURE
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupt)
        _keep_what_is_read(sys.argv[1:] if arguments is None else arguments)
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except _UsageProblem as error:
        _complain(cast("typer.BadParameter", error).format_message())
        return EXIT_BAD_INPUT
    except (KeyboardInterrupt, typer.Abort, Cancelled):
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away; there is nobody left to tell.
        sys.stdout = None
        return EXIT_FAILURE
    except (TvlbError, OSError) as error:
        _complain(str(error))
        return EXIT_BAD_INPUT if _is_bad_input(error) else EXIT_FAILURE
    if code == EXIT_INTERRUPTED:
        print("tvlb: interrupted", file=sys.stderr)
    return code if isinstance(code, int) else 0
