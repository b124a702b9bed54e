"""Commands of kinds of requests that have none of their own, made of the fields of the body."""

import inspect
import math
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, cast, get_args, get_origin

import typer
from pydantic import AliasChoices
from pydantic.fields import FieldInfo
from rich.console import Console

from tvlb.cli.numbers import Workers, integer, number
from tvlb.cli.options import FabricOption, Json, TopologyArgument, WithoutOption
from tvlb.cli.remote import ServerOption, TokenFileOption, compute_at_server, place_of
from tvlb.cli.settings import option_of, read_by_typer, told
from tvlb.cli.terminal import (
    grid,
    in_words,
    print_result,
    print_warnings,
    print_written,
    progress_display,
)
from tvlb.documents import atomic_file
from tvlb.documents import check_writable as check_file
from tvlb.errors import InvalidInput
from tvlb.languages import Number, Setting, Whole, one_of
from tvlb.processes import Reporter, UnitCache, available_cores, local_workers
from tvlb.requests import (
    Answer,
    Context,
    Question,
    RequestKind,
    StoredResult,
    SweepBody,
    request_kinds,
)
from tvlb.requests.stored_tables import NAMING, examine_with_tables
from tvlb.requests.texts import is_table_id
from tvlb.table import (
    TABLE_SUFFIXES,
    AnyTable,
    check_writable,
    is_dump,
    read_any_table,
    read_dumped_table,
    table_kinds,
    write_table,
)
from tvlb.topology import ExplicitTopology, described, parse_topology, read_fabric

# Tables of this machine are in files.
_FILE_TOO = " On this machine, its file."
_AnyNetwork = Annotated[str | None, *get_args(TopologyArgument)[1:]]

Printer = Callable[[Mapping[str, Any], Console], None]


def printer_of(kind: RequestKind) -> Printer | None:
    """Return what prints the document of a kind; None where only its JSON can be had."""
    own = f"tvlb.cli.{kind.command}"
    if find_spec(own) is None:
        return _print_facts
    return getattr(import_module(own), "print_document", None)


def command_of(name: str) -> Callable[..., None]:
    """Return the command that asks for what a kind with this command answers."""
    kind = next(one for one in request_kinds().values() if one.command == name)
    form = kind.forms[0]

    def run(
        server: str | None, token_file: Path | None, workers: int | None, json: bool, **given: Any
    ) -> None:
        place, output = place_of(server, token_file, workers), given.pop("output", None)
        if output is not None and kind.written is not None:
            check_file(output, (kind.written.suffix,))
        elif output is not None:
            check_writable(output, table_kinds().get(kind.tables))
        context = _Here(workers or available_cores())
        body = _body(form.body, given, context, _naming(kind))
        if place is not None:
            table = None if kind.written is not None else output
            document = compute_at_server(place, body, table)
        else:
            examined: Any = kind.examine(body, None, context).request
            with progress_display() as report:
                answer = form.compute(examined, context, report)
            document: Mapping[str, Any] = answer.document
            if output is not None and answer.table is not None:
                write_table(answer.table, Path(output))
                print_written(output)
        if output is not None and kind.written is not None:
            with atomic_file(Path(output)) as written:
                written.write(document[kind.written.key].encode())
            print_written(output, kind.written.key)
        print_result(document, _print_facts, json=json)

    run.__doc__ = form.body.__doc__
    read_by_typer(run, inspect.Signature(list(_parameters(kind))), {})
    return run


def _naming(kind: RequestKind) -> Collection[str]:
    """Return the options that may name a table."""
    return NAMING.keys() if kind.examine is examine_with_tables else ()


def _body(
    body: type[Question], given: dict[str, Any], here: "_Here", naming: Collection[str]
) -> Question:
    """Make the request; options that are not given are at the default of the body.

    Files of tables become their ids, by which a server knows them and `here` from now on.
    """
    without, fabric = given.pop("without", None), given.pop("fabric", None)
    for name, asked in body.model_fields.items():
        every = {one: given.pop(one, None) for one in _names_of(name, asked)}
        said = {one: value for one, value in every.items() if value is not None}
        if len(said) > 1:
            both = " and ".join(f"--{one} {value}" for one, value in said.items())
            raise InvalidInput(f"{both}: give one")
        given[name] = next(iter(said.values()), None)
    if fabric is not None and given.get("table") is None:
        raise InvalidInput(f"--fabric {fabric}: it is of a forwarding table, and none is given")
    if given.get("topology") is not None:
        given["topology"] = described(parse_topology(given["topology"], without))
    elif without is not None:
        raise InvalidInput(f"--without {without}: of which network is not said")
    for name in given.keys() & set(naming):
        if (text := given[name]) is not None and _is_file(name, text):
            given[name] = here.read(text, fabric if name == "table" else None)
        elif name == "table" and fabric is not None:
            raise InvalidInput(f"--fabric {fabric}: it is of a file, and {text} is none")
    return body(**{name: value for name, value in given.items() if value is not None})


def _names_of(name: str, field: FieldInfo) -> Sequence[str]:
    """Return the names of a field, of which commands have an option each."""
    names = field.validation_alias
    return [*map(str, names.choices)] if isinstance(names, AliasChoices) else [name]


def _is_file(name: str, text: str) -> bool:
    """Whether an option that may name a table names its file; others are ids or path sets."""
    return text.endswith(TABLE_SUFFIXES) or (name == "table" and not is_table_id(text))


def _parameters(kind: RequestKind) -> Generator[inspect.Parameter]:
    """Yield the parameters of the command of a kind."""
    options: dict[str, tuple[Any, Any]] = {}
    body = kind.forms[0].body
    for name, asked in body.model_fields.items():
        if name == "topology":
            network = (TopologyArgument, ...) if asked.is_required() else (_AnyNetwork, None)
            options |= {name: network, "without": (WithoutOption, None)}
        elif name in body.declared:
            options[name] = _setting(body.declared[name])
        else:
            option = _option(asked, _FILE_TOO if name in _naming(kind) else "")
            options |= dict.fromkeys(_names_of(name, asked), option)
    if "table" in body.model_fields:
        options["fabric"] = (FabricOption, None)
    if kind.makes_table:
        help_text = typer.Option("--output", "-o", metavar="FILE", help="Write the table.")
        options["output"] = Annotated[str, help_text], ...
    elif kind.written is not None:
        help_text = f"Write {kind.written.text}: {kind.written.suffix}."
        option = typer.Option("--output", "-o", metavar="FILE", help=help_text)
        options["output"] = Annotated[str | None, option], None
    options |= {
        "workers": (Workers, None),
        "server": (ServerOption, None),
        "token_file": (TokenFileOption, None),
        "json": (Json, False),
    }
    for name, (annotation, usual) in options.items():
        default = inspect.Parameter.empty if usual is ... else usual
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
        )


def _setting(one: Setting) -> tuple[Any, Any]:
    """Return annotation and default of the option for a setting, as `takes_settings` has it."""
    usual = one.unset or (one.default is not False and str(one.default))
    values, option = option_of(one, f"{told(one)}.", show_default=usual)
    return Annotated[values | None, option], None


def _option(field: FieldInfo, more: str) -> tuple[Any, Any]:
    """Return annotation and default of the option for a field, and more help."""
    text, _, absent = (field.description or "").partition("; null for ")
    values, text = _values(field.annotation), f"{text.rstrip('.')}.{more}"
    declare = _declared(values, field)
    if field.is_required():
        return Annotated[values, declare(text)], ...
    usual = absent.rstrip(".") or (field.default is not None and str(field.default))
    return Annotated[values | None, declare(text, show_default=usual)], None


def _declared(values: Any, field: FieldInfo) -> Callable[..., Any]:
    """Return what declares the option of a field, of numbers with their range."""
    if values not in (int, float):
        return _text_option
    names = ("ge", "gt", "le", "lt")
    ends = {
        one: getattr(limit, one) for limit in field.metadata for one in names if hasattr(limit, one)
    }
    low = ends.get("ge", ends.get("gt", -math.inf))
    high = ends.get("le", ends.get("lt", math.inf))
    if values is int:
        return partial(integer, values=Whole(low, high))
    return partial(number, values=Number(low, high, above="gt" in ends, below="lt" in ends))


def _text_option(text: str, **more: Any) -> Any:
    return typer.Option(help=text, **more)


def _values(annotation: Any) -> Any:
    """Return the type of the values of an option; texts for all that is none of the plain ones."""
    if get_origin(annotation) is tuple:
        return list[str]
    inner = [_values(one) for one in get_args(annotation) if one is not NoneType]
    return inner[0] if inner else annotation if annotation in (bool, int, float) else str


def _plain(network: str | ExplicitTopology) -> Any:
    """Return a network of a request as JSON has it."""
    return network if isinstance(network, str) else network.model_dump(mode="json")


@dataclass(frozen=True)
class _Here(Context):
    """Our own machine, without results of others; it has the tables of files."""

    workers: int
    files: dict[str, StoredResult] = field(default_factory=dict[str, StoredResult])

    def read(self, path: str, fabric: str | None = None) -> str:
        """Read a table file, or the dump of a fabric with its remarks; return the id of its table.

        Raises
        ------
        InvalidInput : there is no such file, or it is of another fabric.
        """
        if is_dump(path):
            found, remarks = read_dumped_table(path, fabric)
            print_warnings(remarks)
        else:
            found = read_any_table(path)
        if fabric is not None:
            read_fabric(fabric).check_is(found.topology)
        kind = RequestKind.tables if isinstance(found, AnyTable) else found.kind.name
        request = {"topology": _plain(described(found.topology))}
        self.files[found.id] = StoredResult(path, kind, request, found.id, dict, lambda: found)
        return found.id

    @property
    def cores(self) -> int:
        return self.workers

    @contextmanager
    def unit_cache(self) -> Generator[UnitCache]:
        with local_workers(self.cores) as executor:
            yield UnitCache(executor)

    def result(self, key: str, *kinds: str) -> StoredResult:
        raise InvalidInput(f"{one_of(kinds)} {key}: only servers know results, ask one by --server")

    def table(self, text: str) -> StoredResult:
        return self.files.get(text) or self.result(text, "table")

    def sweep(self, body: SweepBody, report: Reporter) -> Answer:
        raise InvalidInput("a sweep is computed by tvlb sweep")


def _print_facts(document: Mapping[str, Any], console: Console) -> None:
    for name, value in document.items():
        if isinstance(value, str) and "\n" in value:
            continue  # what files hold
        if isinstance(value, int | float | str | dict) and name != "provenance":
            console.print(f"{name.replace('_', ' ')}: {in_words(value)}")
        elif isinstance(value, list):
            items = cast("list[Any]", value)
            rows = [_cells(cast("dict[str, Any]", one)) for one in items if isinstance(one, dict)]
            if rows:
                _print_rows(name.replace("_", " "), rows, console)


def _print_rows(title: str, rows: Sequence[Mapping[str, str]], console: Console) -> None:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    table = grid([name.replace("_", " ") for name in columns], title=title)
    for row in rows:
        table.add_row(*(row.get(name, "") for name in columns))
    console.print(table)


def _cells(one: Mapping[str, Any]) -> dict[str, str]:
    """Return of an item of a list what can be told in a line: numbers, texts and lists of pairs."""
    pairs = {
        name: cast("list[Any]", value) for name, value in one.items() if isinstance(value, list)
    }
    told = {name: in_words(one[name]) for name in one if not isinstance(one[name], list | dict)}
    return told | {
        name: ", ".join(" to ".join(map(str, pair)) for pair in value) or "-"
        for name, value in pairs.items()
        if all(isinstance(pair, list) for pair in value)
    }
