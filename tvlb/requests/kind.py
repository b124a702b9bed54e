"""What a kind of request is: one record from which routes, jobs, commands and pages are made."""

import shlex
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from pydantic import BaseModel, ValidationError

from tvlb.documents import Document
from tvlb.errors import Cancelled
from tvlb.languages import declared
from tvlb.processes import Progress, Reporter, Stages, Stop, UnitCache, UnitCount
from tvlb.requests.cost import Cost
from tvlb.requests.limits import RequestLimits
from tvlb.requests.request import (
    MATRIX_FILE,
    TABLE_FILE,
    Question,
    Request,
    plural,
    result_url,
)
from tvlb.requests.texts import is_table_id
from tvlb.table import StoredTable
from tvlb.traffic import is_matrix

if TYPE_CHECKING:
    from tvlb.requests.sweep import SweepBody

_Body = TypeVar("_Body", bound=Question)
_ENTRY_POINTS = "tvlb.requests"
_LAST = 100
# By the arguments of a command; a table only where it is one of these.
_NAMED = ("topology", "without")


@dataclass(frozen=True)
class Answer:
    """What computing a request gives.

    Attributes
    ----------
    document : of the result.
    timings : seconds by stage.
    work : amounts of work done, by name, for statistics; empty where a part of it was computed
        before, and of kinds that tell none.
    units : pieces of work that it took; None of what is computed in one.
    table : the table that was made, None without one.
    front : tables of a front besides, in its order.
    write : writes more files into a folder, and returns their paths; the document names them.
    replaces : whether it takes the place of an earlier result of the request; else that one keeps
        its place.
    """

    document: Mapping[str, Any]
    timings: Mapping[str, float] = field(default_factory=dict[str, float])
    work: Mapping[str, float] = field(default_factory=dict[str, float])
    units: UnitCount | None = None
    table: StoredTable | None = None
    front: Sequence[StoredTable] = ()
    write: Callable[[Path], Sequence[Path]] | None = None
    replaces: bool = False


@dataclass(frozen=True)
class StoredResult:
    """A finished result that a request names.

    Attributes
    ----------
    name : what messages call it.
    tables : what they call tables like its own; see `TableKind.name`.
    request : as JSON values.
    table_id : of its table; None without one.
    read_document : reads its document, as JSON values; raises as `read_table`.
    read_table : reads its table; raises DamagedBlob or StoreUnavailable.
    """

    name: str
    tables: str
    request: Mapping[str, Any]
    table_id: str | None
    read_document: Callable[[], Mapping[str, Any]]
    read_table: Callable[[], StoredTable]


class Context(ABC):
    """With what requests are computed; nothing of it changes a result."""

    @property
    @abstractmethod
    def cores(self) -> int:
        """Processes and threads."""

    @property
    def stop(self) -> Stop | None:
        """Set from another thread to cancel; None where that cannot be."""
        return None

    def stopping(self, report: Reporter, what: str) -> Reporter:
        """Return a reporter that raises Cancelled once `stop` is set: "`what` was cancelled"."""

        def told(progress: Progress) -> None:
            if self.stop is not None and self.stop.is_set():
                raise Cancelled(f"{what} was cancelled")
            report(progress)

        return told

    @abstractmethod
    def unit_cache(self) -> AbstractContextManager[UnitCache]:
        """Have workers, and the results of units of work, while the block runs."""

    @abstractmethod
    def result(self, key: str, *kinds: str) -> StoredResult:
        """Return a result of one of these kinds; raises InvalidInput where there is none."""

    @abstractmethod
    def table(self, text: str) -> StoredResult:
        """Return a result with a table, of whose id or that of the table the text has digits.

        Raises
        ------
        InvalidInput : there is no such table, or several begin with these digits.
        """

    @abstractmethod
    def sweep(self, body: "SweepBody", report: Reporter) -> Answer:
        """Compute the tables of a sweep that are not in the store."""


@dataclass(frozen=True)
class Examination:
    """A request that can be computed.

    Attributes
    ----------
    request : with defaults filled in and texts as they print.
    cost : of all that it asks for.
    points : the requests that it consists of, where these are many.
    """

    request: Question
    cost: Cost
    points: tuple[Question, ...] = ()


def _examined(body: Question, limits: RequestLimits | None, _: Context) -> Examination:
    return Examination(*body.examined(limits))


@dataclass(frozen=True, eq=False)
class Form(Generic[_Body]):
    """A body that requests of a kind may have, and its answer.

    Attributes
    ----------
    body, document : what is asked, and what is answered.
    compute : answers; raises `TvlbError` as the command line does.
    text : what the resource is, in a sentence; by default that of the document.
    router : of the bodies that name one; tells the forms of a kind apart.
    example : name of a document (`tvlb.requests.examples`), and there in ``requests`` of the
        request that it answers, the last one; empty without them.
    others : what is answered about tables that the request names, where they are of another kind
        than `RequestKind.tables`, by the name of that.
    """

    body: type[_Body]
    document: type[Document]
    compute: Callable[[_Body, Context, Reporter], Answer]
    text: str = ""
    router: str = ""
    example: str = ""
    others: Mapping[str, type[Document]] = field(default_factory=dict[str, type[Document]])

    @property
    def stem(self) -> str:
        """What the names of its models begin with."""
        return self.body.__name__.removesuffix("Body")


@dataclass(frozen=True)
class Link:
    """A URL that resources have besides their own.

    Attributes
    ----------
    suffix : what is added to that of the resource; "{}" is the number of a point of a front, from
        1, and the link a list of the URLs of all.
    text : what is there.
    in_lists : whether the items of lists have it, too.
    """

    suffix: str
    text: str
    in_lists: bool = False

    def of(self, url: str, front: int) -> str | list[str]:
        """Return the URL, or those of the points of a front."""
        if "{}" not in self.suffix:
            return url + self.suffix
        return [url + self.suffix.format(1 + i) for i in range(front)]


@dataclass(frozen=True)
class FileRoute:
    """A route that sends a file which the document of a result names.

    Attributes
    ----------
    suffix, operation, text : of the route.
    names : of the files by format; a single file has the format "".
    media_types : by format.
    link : name of the link of the POST route.
    sandboxed : whether it is a page with scripts of its own.
    """

    suffix: str
    operation: str
    text: str
    names: Mapping[str, str]
    media_types: Mapping[str, str]
    link: str
    sandboxed: bool = False


@dataclass(frozen=True)
class TextFile:
    """A text in the document of a result that commands write into a file of its own.

    Attributes
    ----------
    key : of the document.
    suffix : of such files.
    text : what it is.
    """

    key: str
    suffix: str
    text: str


class _Routed(BaseModel):
    router: str = ""


@dataclass(frozen=True, eq=False)
class RequestKind:
    """A kind of request.

    Attributes
    ----------
    name : of the kind, in routes and documents.
    forms : its bodies; one that names no router is of the first.
    asking, reading : what the routes do that ask for a result and return it.
    noun, nouns : what a result and many are called in words.
    command : of the command line that answers such requests.
    makes_table : whether results have a table, to be downloaded.
    tables : what messages call such tables, see `TableKind.name`.
    written : a text of results that their command writes into a file; None without one.
    links, files : of resources, by name; and the routes of their files.
    usage_route : operation of the route that tells how a table uses links; empty without one.
    route_links : parameters of further routes about a result, by operation, by the names of links.
    listed : what lists show of a document; None for nothing.
    lists_request : whether lists show the request.
    lists_by_table : whether lists can be narrowed to the results with a table.
    complete : adds to a document what lists show and it does not say.
    stages : those that its progress tells.
    at_once : whether a request that costs little is answered at once.
    swept : whether sweeps can ask for it, of every network.
    in_units : whether it is computed in units of work, which any worker takes; else in the process
        that asks.
    expands : whether it consists of many requests, so that to examine it takes seconds.
    examine : resolves a request and estimates its cost; the context finds results.
    names_files : whether the document of a resolved request, as JSON, may name files.
    earlier : keys that requests of earlier versions lack.
    menu : of the form on the page; None for kinds that have none there.
    form_url : of the form, by default a page of its own.
    rank : where it stands among the others.
    """

    name: str
    forms: tuple[Form[Any], ...]
    asking: str = ""
    reading: str = ""
    noun: str = ""
    nouns: str = ""
    command: str = ""
    makes_table: bool = False
    tables: str = "T-VLB table"
    written: TextFile | None = None
    links: Mapping[str, Link] = field(default_factory=dict[str, Link])
    files: tuple[FileRoute, ...] = ()
    usage_route: str = ""
    route_links: Mapping[str, tuple[str, Mapping[str, Any]]] = field(
        default_factory=dict[str, tuple[str, Mapping[str, Any]]]
    )
    listed: type[Document] | None = None
    lists_request: bool = True
    lists_by_table: bool = False
    complete: Callable[[dict[str, Any]], dict[str, Any]] = lambda document: document
    stages: Stages = field(default_factory=Stages)
    at_once: bool = False
    swept: bool = False
    in_units: bool = False
    expands: bool = False
    examine: Callable[[Any, RequestLimits | None, Context], Examination] = _examined
    names_files: Callable[[Mapping[str, Any]], bool] = lambda _: False
    earlier: Mapping[str, Any] = field(default_factory=dict[str, Any])
    menu: str | None = ""
    form_url: str = ""
    rank: int = _LAST

    def __post_init__(self) -> None:
        noun = self.noun or self.name
        usual = {
            "asking": self.forms[0].body.__doc__,
            "reading": f"Return a {noun}.",
            "noun": noun,
            "nouns": plural(noun),
            "command": self.name,
            "menu": noun.capitalize(),
            "form_url": f"/{self.plural}/new",
        }
        for name, text in usual.items():
            if getattr(self, name) == "":
                object.__setattr__(self, name, text)

    @property
    def plural(self) -> str:
        """What it is called in routes and lists."""
        return plural(self.name)

    def form_of(self, text: str | bytes) -> Form[Any]:
        """Return the form of a request in JSON, which says what is wrong with it."""
        usual = self.forms[0]
        if len(self.forms) == 1:
            return usual
        try:
            router = _Routed.model_validate_json(text).router
        except ValidationError:
            return usual
        return self.form_by(router)

    def form_by(self, router: str) -> Form[Any]:
        """Return the form with a router; the first where there is no such router."""
        return next((form for form in self.forms if form.router == router), self.forms[0])

    def read(self, text: str | bytes) -> Question:
        """Return a request of its JSON; raises ValidationError."""
        return self.form_of(text).body.model_validate_json(text)

    def tables_of(self, read_document: Callable[[], Mapping[str, Any]]) -> str:
        """Return what messages call the table of a result; its document tells if that varies."""
        others = {name: one for form in self.forms for name, one in form.others.items()}
        there = read_document().keys() if others else ()
        for name, document in others.items():
            if all(key in there for key, one in document.model_fields.items() if one.is_required()):
                return name
        return self.tables

    def urls(self, key: str, front: int = 0) -> dict[str, Any]:
        """Return where a result is found, and its files.

        Parameters
        ----------
        front : number of the points of a table's front.
        """
        url = result_url(self.name, key)
        return {"url": url} | {name: link.of(url, front) for name, link in self.links.items()}


@overload
def command_line(request: Request) -> str: ...
@overload
def command_line(request: Question) -> str | None: ...
def command_line(request: Question) -> str | None:
    """Return the `tvlb` command for a request, with the options that are not at their default.

    Notes
    -----
    An explicit wiring is named by `TOPOLOGY_FILE`, what is down by `FAILURES_FILE`, whose JSON is
    that of the request, a matrix by `MATRIX_FILE`, and a stored table by `TABLE_FILE`. None for a
    sweep, which is all file.
    """
    arguments = request.arguments()
    if arguments is None:
        return None
    words = ["tvlb", request_kinds()[request.kind].command, *arguments]
    for name, usual in request.usual().items():
        value = getattr(request, name)
        is_named = name in _NAMED or (name == "table" and TABLE_FILE in arguments)
        if not is_named and value is not None and value != usual:
            words += _option(name, value)
    return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return [option]
    if value is False:
        return [f"--no-{name.replace('_', '-')}"]
    if isinstance(value, tuple):
        items = cast("tuple[object, ...]", value)
        # Patterns have commas of their own.
        if any(isinstance(item, str) for item in items):
            return [word for item in items for word in (option, _written(name, item))]
        return [option, ",".join(map(str, items))]
    return [option, _written(name, value)]


def _written(name: str, value: object) -> str:
    """Return the value of an option; a matrix, with its share, and a table are those of a file."""
    text = str(value)
    if is_matrix(text):
        return MATRIX_FILE + text.rpartition("\n")[2]
    return TABLE_FILE if name in ("vlb", "table") and is_table_id(text) else text


@cache
def request_kinds() -> Mapping[str, RequestKind]:
    """Return all kinds by name, in order; those of other packages are found by entry points."""
    found = declared("tvlb.requests.kinds", "KIND", RequestKind, _ENTRY_POINTS)
    return {kind.name: kind for kind in sorted(found, key=lambda kind: kind.rank)}
