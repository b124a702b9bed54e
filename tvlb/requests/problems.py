"""What pydantic finds wrong with a document, in one line of plain words."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, cast

from pydantic import BaseModel, GetCoreSchemaHandler, ValidationError, ValidatorFunctionWrapHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tvlb.errors import InvalidInput, one_line

_Schema = Mapping[str, Any]
_SHOWN = 60


class ProblemKind(StrEnum):
    """Sorts of problems; also the types of our own errors, as pydantic lists them.

    MALFORMED : no JSON. INVALID : the JSON schema refuses it. REFUSED : the schema allows what only
    the program can refuse.
    """

    MALFORMED = "malformed-json"
    INVALID = "invalid-request"
    REFUSED = "unsatisfiable"


@dataclass(frozen=True)
class FoundProblem:
    """What is wrong with one part of a document.

    Attributes
    ----------
    place : the keys and list indices that lead to the part, or to the table that lacks a key.
    message : what was expected, and what was given.
    kind : see `ProblemKind`.
    """

    place: tuple[str | int, ...]
    message: str
    kind: ProblemKind = ProblemKind.INVALID

    def __str__(self) -> str:
        # "seed -1 is out of range" says itself what it is about.
        named = self.place and self.message.startswith(f"{self.place[-1]} ")
        place = self.place[:-1] if named else self.place
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
        path = "".join(parts).removeprefix(".")
        return f"{path}: {self.message}" if path else self.message


def refusal(error: InvalidInput) -> PydanticCustomError:
    """Return what a validator raises in place of an error of the library, with its text.

    Of a value that the JSON schema allows; see `violation`.
    """
    return _custom(ProblemKind.REFUSED, error)


def violation(error: InvalidInput) -> PydanticCustomError:
    """Return the same for a value that the JSON schema refuses."""
    return _custom(ProblemKind.INVALID, error)


def _custom(kind: ProblemKind, error: InvalidInput) -> PydanticCustomError:
    return PydanticCustomError(
        cast("Any", str(kind)), "{problem}", {"problem": one_line(str(error))}
    )


class InWords:
    """Metadata of a value: what the schema refuses is refused in the words of the library.

    The JSON schema stays that of the value. Comes after what constrains it.

    Parameters
    ----------
    check : raises InvalidInput for a value, which may be any; where it does not, the problem is
        told by the schema.
    """

    def __init__(self, check: Callable[[Any], object]) -> None:
        self._check = check

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._validated, handler(source))

    def _validated(self, value: object, validate: ValidatorFunctionWrapHandler) -> object:
        try:
            return validate(value)
        except ValidationError:
            try:
                self._check(value)
            except InvalidInput as error:
                raise violation(error) from error
            raise


def first_problem(model: type[BaseModel], error: ValidationError) -> FoundProblem:
    """Return the first problem of a document that a model refused; see `found_problems`."""
    return next(found_problems(model, error))


def found_problems(model: type[BaseModel], error: ValidationError) -> Iterator[FoundProblem]:
    """Yield the problems of a document that a model refused, one for each place.

    Notes
    -----
    What is allowed is read from the JSON schema of the model, so that ranges have both ends.
    """
    root, places = _json_schema(model), set[tuple[str | int, ...]]()
    for found in error.errors(include_url=False, include_context=False):
        problem = _problem(root, found)
        # Branches that were tried each have a problem, and so has a list without its wrong items.
        if problem.place not in places:
            yield problem
            places.update(problem.place[:depth] for depth in range(len(problem.place) + 1))


@cache
def _json_schema(model: type[BaseModel]) -> _Schema:
    return model.model_json_schema()


def _problem(root: _Schema, found: Mapping[str, Any]) -> FoundProblem:
    kind, given, last = found["type"], found["input"], found["loc"][-1:]
    if kind == "json_invalid":
        return FoundProblem((), "the text is no JSON", ProblemKind.MALFORMED)
    is_missing = kind == "missing"
    place, schema = _followed(root, found["loc"][:-1] if is_missing else found["loc"])
    if is_missing and isinstance(last[0], str):
        return FoundProblem(place, f'the key "{last[0]}" is missing')
    if kind == "extra_forbidden":
        keys = [key for branch in _branches(root, schema) for key in branch.get("properties", {})]
        return FoundProblem((*place, *last), f"unknown key; use one of {', '.join(keys)}")
    if kind in (ProblemKind.REFUSED, ProblemKind.INVALID):
        return FoundProblem(place, found["msg"], ProblemKind(kind))
    # Of a list of the wrong length, only the length matters.
    shown = _count(given) if is_missing or kind.startswith("too_") else _shown(given)
    return FoundProblem(place, f"expected {_expected(root, schema)}, not {shown}")


def _followed(root: _Schema, location: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], Any]:
    """Follow a location of pydantic, which also names the branches of the schema that it tried."""
    place: list[str | int] = []
    schema = root
    for part in location:
        for branch in _branches(root, schema):
            if branch.get("title") == part and "properties" in branch:
                schema = branch
                break
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
    others = schema.get("additionalProperties")
    return schema.get("properties", {}).get(key, others if isinstance(others, dict) else None)


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
    *others, last = dict.fromkeys(words for branch in given for words in _words(branch))
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
        case "number":
            return f"a number{_numbers(schema)}"
        case "array":
            return f"a list{_between(' of ', schema, 'minItems', 'maxItems')} values"
        case "string":
            return _text(schema)
        case kind:
            return {"boolean": "true or false", "object": "keys with values"}[kind]


def _numbers(schema: _Schema) -> str:
    if "exclusiveMaximum" in schema and "minimum" in schema:
        return f" from {schema['minimum']} to below {schema['exclusiveMaximum']}"
    if "exclusiveMinimum" in schema and "maximum" in schema:
        return f" above {schema['exclusiveMinimum']}, at most {schema['maximum']}"
    return _between(" ", schema, "minimum", "maximum")


def _text(schema: _Schema) -> str:
    if "maxLength" in schema:
        return f"a text of at most {schema['maxLength']} characters"
    return f"a text such as {schema['examples'][0]}" if "examples" in schema else "a text"


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
