"""The columns and values of points that are no tables: what was asked, and what came of it.

They are those of the bodies and documents of the requests, which declare them: every option, every
figure, and the figures of a part of a document. Lists are in no column, but for the parts of a list
of one. No column has a time.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Annotated, Any, Literal, cast, get_args, get_origin

from pydantic import BaseModel

from tvlb.documents import Document
from tvlb.requests import Question, request_kinds
from tvlb.requests.common import Versions
from tvlb.sweeps.columns import VERSION_COLUMN, ResultColumn

Value = str | int | float | bool | None
_TOPOLOGY = "topology"
# Of documents: what requests say, and what depends on the machine.
_ELSEWHERE = (_TOPOLOGY, "parameters", "timings", "config")
_TIME = "seconds"


@dataclass(frozen=True)
class _Source:
    """Where the value of a column is from.

    Attributes
    ----------
    column : which one.
    request : its place among those of the point.
    keys : in the document, or the name of the option alone.
    is_asked : whether it is an option.
    """

    column: ResultColumn
    request: int
    keys: tuple[str, ...]
    is_asked: bool

    def value(
        self, bodies: Sequence[Mapping[str, Any]], documents: Sequence[Mapping[str, Any]]
    ) -> Value:
        """Return the value of a point; None where there is none."""
        places = bodies if self.is_asked else documents
        found: Any = places[self.request] if self.request < len(places) else None
        for key in self.keys:
            if isinstance(found, list | tuple):
                parts = cast("Sequence[Any]", found)
                found = parts[0] if len(parts) == 1 else None
            known = isinstance(found, Mapping)
            found = cast("Mapping[str, Any]", found).get(key) if known else None
        if found is None or isinstance(found, str):
            return found
        if self.column.type != "text":
            return cast("Value", found)
        return json.dumps(found, sort_keys=True, separators=(",", ":"))


def requested_columns(bodies: Sequence[type[Question]]) -> tuple[ResultColumn, ...]:
    """Return the columns of points with requests of these classes, in order."""
    sources = _sources(tuple(bodies)).values()
    return (*(first.column for first, *_ in sources), VERSION_COLUMN)


def requested_options(bodies: Sequence[Question]) -> list[str]:
    """Return the names of the columns that tell what was asked, in order."""
    found = _sources(tuple(map(type, bodies)))
    return [name for name, (first, *_) in found.items() if first.is_asked]


def requested_figures(bodies: Sequence[Question]) -> list[ResultColumn]:
    """Return the columns of numbers that documents tell, and not their parts, in order."""
    found = (first for first, *_ in _sources(tuple(map(type, bodies))).values())
    return [
        one.column
        for one in found
        if not one.is_asked
        and one.column.type in ("integer", "number")
        and one.column.name == one.keys[-1]
    ]


def requested_values(
    bodies: Sequence[Question], documents: Sequence[Mapping[str, Any]]
) -> dict[str, Value]:
    """Return the values of a point by column; none of documents that there are not."""
    asked = [one.model_dump(mode="json") for one in bodies]
    sources = _sources(tuple(map(type, bodies)))
    return {name: _first(one.value(asked, documents) for one in sources[name]) for name in sources}


def _first(values: Iterator[Value]) -> Value:
    """Return the first value that there is."""
    return next((one for one in values if one is not None), None)


@cache
def _sources(bodies: tuple[type[Question], ...]) -> Mapping[str, Sequence[_Source]]:
    """Return where the values of columns may be from, by name; the first that there is counts."""
    found: dict[str, list[_Source]] = {}
    for place, body in enumerate(bodies):
        for one in _asked(body, place):
            found.setdefault(one.column.name, []).append(one)
    options = set(found)
    for place, body in enumerate(bodies):
        form = next(one for one in request_kinds()[body.kind].forms if one.body is body)
        for one in _told(form.document, place):
            if one.column.name not in options:
                found.setdefault(one.column.name, []).append(one)
    return found


def _asked(body: type[Question], place: int) -> Iterator[_Source]:
    # The table that is handed on is told with what makes it.
    left_out = (_TOPOLOGY,) if place == 0 else (_TOPOLOGY, "table")
    for name, field in body.model_fields.items():
        if name not in left_out:
            text = (field.description or "").replace("null for", "null stands for")
            column = ResultColumn(name, _type(field.annotation) or "text", "", text)
            yield _Source(column, place, (name,), True)


def _told(
    document: type[BaseModel], place: int, keys: tuple[str, ...] = (), before: str = ""
) -> Iterator[_Source]:
    for name, field in document.model_fields.items():
        if name in _ELSEWHERE or name.endswith(_TIME):
            continue
        kind, parts = _type(field.annotation), _parts(field.annotation)
        if kind is not None:
            column = ResultColumn(before + name, kind, "", field.description or "")
            yield _Source(column, place, (*keys, name), False)
        elif not keys:
            is_list = tuple in _leaves(field.annotation)
            for part in parts:
                yield from _told(part, place, (name,), "" if is_list else f"{name}_")


def _type(annotation: Any) -> Any:
    """Return the type of a column of such values; None where it has none."""
    kinds = _leaves(annotation) - {NoneType}
    for name, known in (
        ("boolean", {bool}),
        ("integer", {int}),
        ("number", {int, float}),
        ("text", {str, int, float}),
    ):
        if kinds and kinds <= known:
            return name
    return None


def _parts(annotation: Any) -> list[type[Document]]:
    """Return the classes that a part has, or the parts of a list; versions are told once."""
    leaves = sorted(_leaves(annotation), key=lambda one: one.__name__)
    return [one for one in leaves if issubclass(one, Document) and one is not Versions]


def _leaves(annotation: Any) -> set[type]:
    """Return the classes that values have, with tuple for lists of them."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _leaves(inner[0])
    if origin is Literal:
        return {type(one) for one in inner}
    if origin is tuple:
        return {tuple}.union(*(_leaves(one) for one in inner if one is not ...))
    if origin is not None and origin not in (dict, list):
        return set[type]().union(*map(_leaves, inner))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {str}
    return {annotation if isinstance(annotation, type) else NoneType}
