"""Requests that a sweep computes for every network, in place of T-VLB tables.

A section for each kind of request has the options of its body, the one with its router where there
are several; an option that is no list itself may be a list of values. All combinations are asked
for. The tables of a kind that makes some are handed to the others, which have to take such.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from typing import Annotated, Any, Union, cast, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    Discriminator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    Tag,
    create_model,
)
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tvlb.errors import InvalidInput
from tvlb.requests.kind import Form, RequestKind, request_kinds
from tvlb.requests.problems import refusal
from tvlb.requests.request import STRICT, Question
from tvlb.requests.stored_tables import needed
from tvlb.requests.texts import distinct, is_table_id

_MOST_VALUES = 1000
# Of a table that another request of the point makes.
_HANDED_ON = "table"
_ELSEWHERE = ("topology", _HANDED_ON)
_ROUTER = "router"  # it says which body is meant, and so does not vary
_ANY_TABLE = "0" * 64
_ANY_NETWORK = "dfly(2,4,2,9)"


@dataclass(frozen=True)
class Computed:
    """What is computed for every network.

    Attributes
    ----------
    sections : options by kind, as they were given; those of the kind that makes a table first.
    """

    sections: Mapping[str, BaseModel]

    @property
    def combinations(self) -> int:
        """Number of points of a network."""
        return prod(
            len(values) for one in self.sections.values() for values in _values(one).values()
        )

    def requests(self) -> Iterator[tuple[Question, ...]]:
        """Yield what the points ask for, of some network and table; see `about`.

        Raises
        ------
        InvalidInput : a combination of options is none.
        """
        asked = [[*_bodies(kind, one)] for kind, one in self.sections.items()]
        for bodies in product(*asked):
            yield bodies[0], *(with_table(one, _ANY_TABLE) for one in bodies[1:])

    def plain(self) -> dict[str, Any]:
        """Return the options as JSON values, without those at their default."""
        return {
            name: one.model_dump(mode="json", exclude_defaults=True)
            for name, one in self.sections.items()
        }


def with_table(body: Question, table: str) -> Question:
    """Return a request that waits for a table with the id of that."""
    return body.model_copy(update={_HANDED_ON: table})


def _values(section: BaseModel) -> dict[str, tuple[Any, ...]]:
    """Return the values of the options that were given."""
    found: dict[str, tuple[Any, ...]] = {}
    for name, field in type(section).model_fields.items():
        if name in section.model_fields_set:
            value = getattr(section, name)
            several = _is_varied(field) and isinstance(value, tuple)
            found[name] = cast("tuple[Any, ...]", value) if several else (value,)
    return found


def form_of(kind: RequestKind, section: BaseModel) -> Form[Any]:
    """Return the form whose options a section has."""
    return kind.form_by(getattr(section, _ROUTER, ""))


def _is_varied(field: FieldInfo) -> bool:
    return get_origin(field.annotation) is not tuple


def _bodies(name: str, section: BaseModel) -> Iterator[Question]:
    values = _values(section)
    body = form_of(request_kinds()[name], section).body
    for combination in product(*values.values()):
        given = dict(zip(values, combination, strict=True))
        if is_table_id(str(given.get("vlb", ""))):
            raise InvalidInput(f"vlb {given['vlb']}: a sweep has path sets, and no stored tables")
        yield body(topology=_ANY_NETWORK, **given)


class Sections:
    """Metadata of the field of a sweep: what is in it is known once all kinds are."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            _computed,
            serialization=core_schema.plain_serializer_function_ser_schema(Computed.plain),
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return handler(_sections().__pydantic_core_schema__)


def _computed(value: object) -> Computed:
    if isinstance(value, Computed):
        return value
    given = _sections().model_validate(value)
    kinds = [kind for name, kind in swept_kinds().items() if getattr(given, name) is not None]
    kinds.sort(key=lambda kind: (not kind.makes_table, kind.rank))
    sections = {kind.name: getattr(given, kind.name) for kind in kinds}
    try:
        _check_together(kinds, sections)
    except InvalidInput as error:
        raise refusal(error) from error
    return Computed(sections)


def _check_together(kinds: list[RequestKind], sections: Mapping[str, BaseModel]) -> None:
    """Raise InvalidInput where the requests of a point do not belong together."""
    if not kinds:
        raise InvalidInput(f"nothing is to be computed: give one of {', '.join(swept_kinds())}")
    first, *others = kinds
    for other in others:
        form = form_of(other, section := sections[other.name])
        routings = _values(section).get("routing", (None,))
        taken = {needed(_HANDED_ON, one) for one in routings} if first.makes_table else set[str]()
        if taken != {first.tables} or _HANDED_ON not in form.body.model_fields:
            by = f" by router {form.router}" if form is not other.forms[0] else ""
            raise InvalidInput(
                f"{first.name} and {other.name}{by} have nothing to do with each other: sweep them "
                "one by one"
            )


def swept_kinds() -> dict[str, RequestKind]:
    """Return the kinds that a sweep has sections for, by name."""
    return {name: kind for name, kind in request_kinds().items() if kind.swept}


@cache
def _sections() -> type[BaseModel]:
    fields: dict[str, Any] = {
        name: (_section(kind) | None, Field(None, description=f"A {kind.noun} of every network."))
        for name, kind in swept_kinds().items()
    }
    model = create_model("SweptRequests", __config__=STRICT, **fields)
    model.__doc__ = "Options of what is computed for every network, by kind of request."
    model.model_rebuild()
    return model


def _section(kind: RequestKind) -> Any:
    """Return what a section of a kind may be: one that names no router is of the first form."""
    sections = {one.router: section_of(kind, one) for one in kind.forms}
    if len(sections) == 1:
        return sections.popitem()[1]

    def name_of(value: Any) -> str:
        """Problems are found in the schema by the titles of its branches."""
        asked = cast(
            "Mapping[str, Any]",
            value if isinstance(value, Mapping) else getattr(value, "__dict__", {}),
        )
        return sections[kind.form_by(asked.get(_ROUTER, "")).router].__name__

    tagged = [Annotated[one, Tag(one.__name__)] for one in sections.values()]
    return Annotated[Union[*tagged], Discriminator(name_of)]


def section_of(kind: RequestKind, form: Form[Any]) -> type[BaseModel]:
    """Return the model of a section of a kind, with the options of one of its forms."""
    fields: dict[str, Any] = {
        name: (field.annotation, field) if name == _ROUTER else _option(field)
        for name, field in form.body.model_fields.items()
        if name not in _ELSEWHERE
    }
    model = create_model(f"Swept{form.stem}", __config__=STRICT, **fields)
    model.__doc__ = f"Options of {kind.nouns}; lists of values are varied."
    return model


def _option(field: FieldInfo) -> tuple[Any, Any]:
    """Return annotation and default of an option: a value, or several."""
    if not _is_varied(field):
        return field.annotation, field
    one = field.rebuild_annotation()
    several = Annotated[
        tuple[one, ...],
        Field(min_length=1, max_length=_MOST_VALUES, strict=False),
        AfterValidator(distinct),
        # A list of a single list would read as one of several values.
        AfterValidator(
            lambda values: values if len(values) > 1 or isinstance(values[0], tuple) else values[0]
        ),
    ]
    values = Annotated[
        Annotated[one, Tag("value")] | Annotated[several, Tag("values")],
        Discriminator(lambda value: "values" if isinstance(value, list | tuple) else "value"),
    ]
    usual = ... if field.is_required() else field.default
    return values, Field(usual, description=field.description)
