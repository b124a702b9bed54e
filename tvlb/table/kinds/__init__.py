"""Kinds of tables: what the file of one holds, how it is checked, and what it is good for.

A module of this folder declares ``KINDS``. Whoever defines a kind in another package names its
module in an entry point of the group ``tvlb.tables``. Files tell their kind by a mark, whatever
they are called.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain
from types import ModuleType
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError

from tvlb.errors import InvalidInput, VerificationFailed
from tvlb.languages import from_others, import_modules
from tvlb.paths import PathSet, SwitchSequences
from tvlb.table.deadlock import VcSettings
from tvlb.table.networks import NetworkRecord
from tvlb.topology import Topology

__all__ = [
    "Content",
    "Entries",
    "Finding",
    "Header",
    "HeaderList",
    "StoredTable",
    "TableKind",
    "TableReport",
    "WeightedPaths",
    "check_switch",
    "findings_of",
    "kind_marked",
    "marks",
    "table_kinds",
    "validated",
]

_WIDE = {"i": np.int64, "u": np.int64, "f": np.float64}
_GROUP = "tvlb.tables"
_SHOWN = 40

_Model = TypeVar("_Model", bound=BaseModel)

Arrays = Mapping[str, NDArray[Any]]
"""Columns by name, in the order of files."""
Entries = NDArray[np.int32]
"""A list of a header, int32 (entries, numbers of each)."""


def validated(model: type[_Model], document: object) -> _Model:
    """Return what a part of a file holds; raise InvalidInput, which names the first problem."""
    try:
        # JSON mode: strict, but arrays are tuples and object keys may be numbers.
        return model.model_validate_json(json.dumps(document))
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"]) or "top level"
        value, is_extra = problem["input"], problem["type"] == "extra_forbidden"
        shown = "" if is_extra or isinstance(value, dict | list) else f" {str(value)[:_SHOWN]!r}"
        raise InvalidInput(f"{where}{shown}: {problem['msg']}") from error


class Header(BaseModel):
    """What the header of a table of any kind tells, without a date, a host or a duration.

    Attributes
    ----------
    format : version of the file format.
    version : version of the tvlb that wrote the table.
    topology : the network that switch and link ids refer to.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    format: Literal[1] = 1
    version: str
    topology: NetworkRecord

    def entries(self) -> dict[str, Any]:
        """Return it as JSON has it; what may be left out is where it is None."""
        optional = {name for name, one in type(self).model_fields.items() if one.default is None}
        every = self.model_dump(mode="json").items()
        return {name: value for name, value in every if value is not None or name not in optional}


@dataclass(frozen=True)
class HeaderList:
    """A list of tuples of integers that the header of a file holds, which may be long.

    Attributes
    ----------
    text : what it lists, in messages.
    numbers : what the numbers of each tuple are called.
    """

    text: str
    numbers: tuple[str, ...]


@dataclass(frozen=True)
class Content:
    """What a file of some format holds.

    Attributes
    ----------
    mark : what it is, in one word.
    header : without its lists, of texts, numbers and what JSON makes of these.
    lists : the lists of the header, by name.
    columns : types of the columns, by name.
    parts : the rows, some at a time.
    """

    mark: str
    header: Mapping[str, object]
    lists: Mapping[str, Entries]
    columns: Mapping[str, np.dtype[Any]]
    parts: Iterable[Arrays]

    @property
    def document(self) -> dict[str, object]:
        """The header with its lists."""
        return {**self.header, **{name: one.tolist() for name, one in self.lists.items()}}


class WeightedPaths(Protocol):
    """The paths of a table that fixes all their weights; `str` names it."""

    @property
    def topology(self) -> Topology:
        """The network."""
        ...

    def sequences_from(self, source: int, *, by_cable: bool) -> SwitchSequences:
        """Return the paths from one switch to every other, whose weights sum to 1 per pair.

        Parameters
        ----------
        by_cable : whether those that take other cables between two switches stay apart.
        """
        ...


@dataclass(frozen=True, eq=False)
class StoredTable(ABC):
    """A table of some kind as its file has it, whether or not it makes sense."""

    header: Header

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the columns of its file."""

    def lists(self) -> Mapping[str, Entries]:
        """Return the lists of its header."""
        return {}

    @property
    def kind(self) -> "TableKind[Any]":
        """Its kind."""
        return next(one for one in table_kinds().values() if one.made is type(self))

    @cached_property
    def topology(self) -> Topology:
        """The network that the ids refer to."""
        return self.header.topology.build()

    @property
    def called(self) -> str:
        """What it holds, as comparisons and files for other tools name it."""
        return self.kind.name

    @property
    def num_rows(self) -> int:
        """Number of the rows of its file."""
        return len(next(iter(self.arrays().values())))

    @property
    def content(self) -> Content:
        """What its file holds."""
        kind = self.kind
        return Content(
            kind.mark, self.header.entries(), self.lists(), kind.columns, [self.arrays()]
        )

    @cached_property
    def id(self) -> str:
        """SHA-256 (hex) of the content, in whichever format and whatever the network is called."""
        nameless = self.header.model_copy(update={"topology": self.header.topology.anonymous})
        content = replace(self.content, header=nameless.entries())
        document = json.dumps(content.document, sort_keys=True, separators=(",", ":"))
        digest = hashlib.sha256(f"tvlb {content.mark}\n{document}\n".encode())
        for name, values in self.arrays().items():
            digest.update(f"{name} {len(values)}\n".encode())
            little_endian = values.astype(values.dtype.newbyteorder("<"), copy=False)
            digest.update(np.ascontiguousarray(little_endian).data)
        return digest.hexdigest()

    def check(self) -> None:
        """Raise InvalidInput if there is nothing that the header describes."""
        assert self.topology is not None

    def verify(self, settings: VcSettings) -> "TableReport":
        """Make all checks; raise InvalidInput if a setting has no place on the network."""
        return self.kind.verify(self, settings)

    def summary(self) -> Mapping[str, Any]:
        """Describe it in a few entries; raise InvalidInput if its rows cannot be told apart."""
        return self.kind.summary(self)

    def path_set(self, name: str) -> PathSet:
        """Return the VLB paths as a set that prints as `name`; raise InvalidInput without any."""
        raise InvalidInput(f"{name} is a {self.kind.name}, which gives no VLB paths")

    def weighted_paths(self, name: str) -> WeightedPaths | None:
        """Return its paths as `name` where it fixes all weights; None where senders choose."""
        return None

    def link_usage(self) -> NDArray[np.float64] | None:
        """Return how many routes take every link, float64 (links,); None to count its paths."""
        return None

    def of_switch(self, switch: int) -> Iterator[Arrays]:
        """Return the rows of one switch, some at a time; raise InvalidInput if there are none."""
        raise InvalidInput(f"a {self.kind.name} has no part for one switch alone")

    def expanded(self) -> "StoredTable":
        """Return it with all rows listed; raise InvalidInput if they are too many."""
        return self


@dataclass(frozen=True)
class Finding:
    """Offences of one sort.

    Attributes
    ----------
    count : how many there are.
    text : one line that names the sort and the first offender.
    """

    count: int
    text: str


def findings_of(wrong: NDArray[np.bool_], text: Callable[[int, int], str]) -> list[Finding]:
    """Return the finding about where `wrong` is true, if it is anywhere.

    Parameters
    ----------
    text : from the number of offenders and the position of the first one.
    """
    if not wrong.any():
        return []
    count = int(np.count_nonzero(wrong))
    return [Finding(count, text(count, int(wrong.argmax())))]


@dataclass(frozen=True)
class TableReport:
    """What checks of a table of any kind found.

    Attributes
    ----------
    table_id : id of the table.
    paths : number of rows.
    problems : one line per sort of problem, with its first offender; empty for a good table.
    problem_count : offenders of all sorts together.
    """

    table_id: str
    paths: int
    problems: tuple[str, ...]
    problem_count: int

    @classmethod
    def of(cls, table: StoredTable, findings: Sequence[Finding]) -> "TableReport":
        """Report findings alone."""
        texts = tuple(one.text for one in findings)
        return TableReport(table.id, table.num_rows, texts, sum(one.count for one in findings))

    @property
    def ok(self) -> bool:
        """Whether the table passed every check."""
        return not self.problems

    def raise_if_failed(self) -> None:
        """Raise VerificationFailed with all problems if there are any."""
        if self.problems:
            listed = "\n".join(f"  {problem}" for problem in self.problems)
            raise VerificationFailed(f"{self.problem_count} problems in the table:\n{listed}")

    @property
    def size(self) -> str:
        """What was looked at, in words."""
        return f"{self.paths:,} rows"

    def remarks(self) -> list[str]:
        """Say what is no problem, a line each."""
        return []


_Table = TypeVar("_Table", bound=StoredTable)


@dataclass(frozen=True)
class TableKind(Generic[_Table]):
    """A kind of table.

    Attributes
    ----------
    name : what messages call a table of it.
    made : class of the tables.
    mark : what its files call themselves; several kinds may share it if their files have the same
        header and columns.
    header : model of the header, without its lists.
    columns : types of the columns by name: integers or float64.
    most_rows : that a network may need; no file of Parquet holds more rows or entries of a list.
    load : makes a table of header, lists and columns; raises InvalidInput if they do not fit.
    verify : all checks, with the settings of that for deadlock.
    summary : what `tvlb show` prints; its first entry is the id.
    lists : lists of the header by name.
    row : what a row holds, for messages.
    most_in_file : rows that a file of the largest format may have; None for as many as paths.
    no_repair : why failures can not be struck out of it; None if they can.
    formats : names of those that its files are written in; None for all.
    """

    name: str
    made: type[_Table]
    mark: str
    header: type[Header]
    columns: Mapping[str, np.dtype[Any]]
    most_rows: Callable[[Topology], int]
    load: Callable[[Any, Mapping[str, Entries], Mapping[str, NDArray[Any]]], StoredTable]
    verify: Callable[[_Table, VcSettings], TableReport]
    summary: Callable[[_Table], Mapping[str, Any]]
    lists: Mapping[str, HeaderList] = field(default_factory=dict[str, HeaderList])
    row: str = "a number for each column"
    most_in_file: int | None = None
    no_repair: str | None = "only T-VLB tables that list their paths can be repaired"
    formats: tuple[str, ...] | None = None

    def split(self, document: object) -> tuple[Any, dict[str, Entries]]:
        """Read a header and its lists.

        Raises
        ------
        InvalidInput : the document is no header of this kind; names the first problem.
        """
        if not isinstance(document, dict):
            raise InvalidInput("the table header is not a JSON object")
        entries = cast("dict[str, object]", document)
        if missing := self.lists.keys() - entries:
            raise InvalidInput(f"the table header has no entry {min(missing)!r}")
        rest = {name: value for name, value in entries.items() if name not in self.lists}
        try:
            header = validated(self.header, rest)
        except InvalidInput as error:
            raise InvalidInput(f"table header, {error}") from error
        return header, {name: self._list(name, entries[name]) for name in self.lists}

    def _list(self, name: str, value: object) -> Entries:
        numbers = self.lists[name].numbers
        # Shape and types are told before numpy has a look, which would take lists of anything.
        rows = cast("list[list[object]]", value if isinstance(value, list) else [[]])
        shaped = all(type(row) is list and len(row) == len(numbers) for row in rows)
        if not shaped or set(map(type, chain.from_iterable(rows))) - {int}:
            expected = f"expected a list of [{', '.join(numbers)}]"
            raise InvalidInput(f"table header, {name}: {expected}")
        try:
            return np.array(rows, dtype=np.int32).reshape(-1, len(numbers))
        except OverflowError as error:
            raise InvalidInput(f"table header, {name}: an id is out of range") from error

    def narrowed(self, columns: Mapping[str, Sequence[Any] | NDArray[Any]]) -> dict[str, Any]:
        """Return integer and float columns in their types.

        Raises
        ------
        InvalidInput : a value does not fit into its column.
        """
        wide = {name: _array(name, columns[name], kind) for name, kind in self.columns.items()}
        return {name: _narrow(name, wide[name], kind) for name, kind in self.columns.items()}


def _array(name: str, column: Sequence[Any] | NDArray[Any], kind: np.dtype[Any]) -> NDArray[Any]:
    try:
        return np.asarray(column, None if isinstance(column, np.ndarray) else _WIDE[kind.kind])
    except OverflowError as error:
        raise InvalidInput(f"column {name} holds a number that is out of range") from error


def _narrow(name: str, values: NDArray[Any], wanted: np.dtype[Any]) -> NDArray[Any]:
    if wanted.kind in "iu" and len(values):
        limits = np.iinfo(wanted)
        outside = (values < limits.min) | (values > limits.max)
        if outside.any():
            row = int(outside.argmax())
            raise InvalidInput(f"row {row}: {name} {values[row]} is out of range")
    return np.ascontiguousarray(values, dtype=wanted)


@cache
def table_kinds() -> dict[str, TableKind[Any]]:
    """Return the kinds by name."""
    modules = [*import_modules(__name__), *from_others(_GROUP, ModuleType).values()]
    return {kind.name: kind for module in modules for kind in getattr(module, "KINDS", ())}


def marks() -> list[str]:
    """Return the marks of files of tables."""
    return list(dict.fromkeys(kind.mark for kind in table_kinds().values()))


def kind_marked(mark: str) -> TableKind[Any]:
    """Return the kind that reads files of a mark, the first of several."""
    return next(kind for kind in table_kinds().values() if kind.mark == mark)


def check_switch(topology: Topology, switch: int) -> None:
    """Raise InvalidInput if a topology has no such switch."""
    if not 0 <= switch < topology.num_switches:
        raise InvalidInput(f"{switch} is not a switch; allowed are 0..{topology.num_switches - 1}")
