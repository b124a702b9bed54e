"""What pydantic finds wrong with a document, in one line of plain words."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticCustomError

from tvlb.errors import InvalidInput

__all__ = ["REFUSED", "FoundProblem", "first_problem", "refusal"]

_Schema = Mapping[str, Any]
_SHOWN = 60
REFUSED = "tvlb"
"""Type of the errors that `refusal` makes, as pydantic lists them."""


@dataclass(frozen=True)
class FoundProblem:
    """What is wrong with one part of a document.

    Attributes
    ----------
    place : the keys and list indices that lead to the part, or to the table that lacks a key.
    message : what was expected, and what was given.
    """

    place: tuple[str | int, ...]
    message: str

    def __str__(self) -> str:
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.place)
        path = "".join(parts).removeprefix(".")
        return f"{path}: {self.message}" if path else self.message


def refusal(error: InvalidInput) -> PydanticCustomError:
    """Return what a validator raises in place of an error of the library, with its text."""
    return PydanticCustomError(REFUSED, "{problem}", {"problem": str(error)})


def first_problem(model: type[BaseModel], error: ValidationError) -> FoundProblem:
    """Return the first problem of a document that a model refused.

    Notes
    -----
    What is allowed is read from the JSON schema of the model, so that ranges have both ends.
    """
    found = error.errors(include_url=False)[0]
    kind, given, last = found["type"], found["input"], found["loc"][-1:]
    root = model.model_json_schema()
    is_missing = kind == "missing"
    place, schema = _followed(root, found["loc"][:-1] if is_missing else found["loc"])
    if is_missing and isinstance(last[0], str):
        return FoundProblem(place, f'the key "{last[0]}" is missing')
    if kind == "extra_forbidden":
        keys = [key for branch in _branches(root, schema) for key in branch.get("properties", {})]
        return FoundProblem((*place, *last), f"unknown key; use one of {', '.join(keys)}")
    if kind == REFUSED:
        return FoundProblem(place, found["msg"])
    # Of a list of the wrong length, only the length matters.
    shown = _count(given) if is_missing or kind.startswith("too_") else _shown(given)
    return FoundProblem(place, f"expected {_expected(root, schema)}, not {shown}")


def _followed(root: _Schema, location: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], Any]:
    """Follow a location of pydantic, which also names the branches of the schema that it tried."""
    place: list[str | int] = []
    schema = root
    for part in location:
        for branch in _branches(root, schema):
            below = _item(branch, part) if isinstance(part, int) else _property(branch, part)
            if below is not None:
                place.append(part)
                schema = below
                break
    return tuple(place), schema


def _item(schema: _Schema, index: int) -> _Schema | None:
    first: list[_Schema] = schema.get("prefixItems", [])
    return first[index] if index < len(first) else schema.get("items")


def _property(schema: _Schema, key: str) -> _Schema | None:
    return schema.get("properties", {}).get(key)


def _branches(root: _Schema, schema: _Schema) -> list[_Schema]:
    """Return the alternatives of a schema, references resolved."""
    if "$ref" in schema:
        return _branches(root, root["$defs"][schema["$ref"].rsplit("/", maxsplit=1)[-1]])
    for key in ("anyOf", "oneOf"):
        # The model's own anyOf says which keys it needs; its parts are no alternatives.
        if key in schema and "properties" not in schema:
            return [found for one in schema[key] for found in _branches(root, one)]
    return [schema]


def _expected(root: _Schema, schema: _Schema) -> str:
    # What may be null may be left out, and TOML has no null.
    given = [one for one in _branches(root, schema) if one.get("type") != "null"]
    *others, last = [words for branch in given for words in _words(branch)]
    return f"{', '.join(others)} or {last}" if others else last


def _words(schema: _Schema) -> list[str]:
    """Describe a schema without alternatives; the values of an enumeration are many."""
    if "enum" in schema or "const" in schema:
        return [_shown(value) for value in schema.get("enum", [schema.get("const")])]
    return [_kind(schema)]


def _kind(schema: _Schema) -> str:
    match schema["type"]:
        case "integer":
            return f"a whole number{_between(' ', schema, 'minimum', 'maximum')}"
        case "number" if "exclusiveMaximum" in schema:
            return f"a number from {schema['minimum']} to below {schema['exclusiveMaximum']}"
        case "number":
            return f"a number{_between(' ', schema, 'minimum', 'maximum')}"
        case "array":
            return f"a list{_between(' of ', schema, 'minItems', 'maxItems')} values"
        case "string" if "maxLength" in schema:
            return f"a text of at most {schema['maxLength']} characters"
        case kind:
            return {"string": "a text", "boolean": "true or false", "object": "a table"}[kind]


def _between(joint: str, schema: _Schema, least_key: str, most_key: str) -> str:
    """Write a closed range; nothing where there is no upper end."""
    if most_key not in schema:
        return ""
    least, most = schema.get(least_key, 0), schema[most_key]
    return f"{joint}{least}" if least == most else f"{joint}{least}..{most}"


def _count(value: object) -> str:
    return f"{len(cast('list[object]', value))}" if isinstance(value, list | tuple) else "more"


def _shown(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
