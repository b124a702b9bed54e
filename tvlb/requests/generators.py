"""Generators of sweeps: ranges of the sizes of a family, and constraints on them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Union, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    WithJsonSchema,
    create_model,
)

from tvlb.designs import (
    MAX_COMBINATIONS,
    MAX_EVALUATIONS,
    DesignSpace,
    PriceList,
    parse_constraint,
    parse_range,
    quantity_names,
)
from tvlb.designs.constraint import MAX_LENGTH
from tvlb.designs.ranges import MAX_VALUES
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.requests.problems import refusal, violation
from tvlb.requests.request import STRICT
from tvlb.requests.texts import OneOf, checked, distinct
from tvlb.topology import UNNAMED, Family, NamedTopology, SizeParameter, Sizing, sized_families


class Generator(BaseModel):
    """All sizes of a family in given ranges that satisfy given constraints."""

    model_config = STRICT

    of: ClassVar[Family]
    if TYPE_CHECKING:
        constraints: tuple[str, ...] = ()

    @property
    def sizing(self) -> Sizing:
        """The sizes of the family."""
        assert self.of.sizing is not None
        return self.of.sizing

    def space(self, prices: PriceList | None = None) -> DesignSpace:
        """Return the sizes that are meant; see `DesignSpace` for the prices."""
        sizing = self.sizing
        return DesignSpace(
            sizing,
            {
                one.name: parse_range(text, one)
                for one in sizing.parameters
                if (text := getattr(self, one.name)) is not None
            },
            tuple(parse_constraint(text, sizing) for text in self.constraints),
            prices,
        )


def _range_type(parameter: SizeParameter) -> Any:
    """Return the type of ranges: a number, a list or a text, kept as a text in canonical form."""
    number = 'a whole number or "max"' if parameter.largest else "a whole number"
    expected = f'{number}, a list of them, or a text such as "{parameter.example}"'

    def item(value: object) -> str:
        if value == "max" and parameter.largest:
            return "max"
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise refusal(InvalidInput(f"expected {expected}"))
        return str(value)

    def canonical(value: object) -> str:
        if isinstance(value, str):
            words = [value]
        else:
            is_list = isinstance(value, list | tuple)
            words = [item(one) for one in (cast("Sequence[object]", value) if is_list else [value])]
        if not words:
            raise refusal(InvalidInput(f"the list is empty; expected {expected}"))
        try:
            return str(parse_range(", ".join(words), parameter))
        except InvalidInput as error:
            raise refusal(error) from error

    return Annotated[str, BeforeValidator(canonical), WithJsonSchema(_range_schema(parameter))]


def _range_schema(parameter: SizeParameter) -> dict[str, Any]:
    integer = {"type": "integer", "minimum": parameter.low, "maximum": parameter.high}
    number = "([0-9]{1,8}|max)" if parameter.largest else "[0-9]{1,8}"
    item = {"anyOf": [integer, {"const": "max"}]} if parameter.largest else integer
    run = rf"[0-9]{{1,8}} *\.\. *{number}( +step +[0-9]{{1,8}})?"
    return {
        "anyOf": [
            integer,
            {"type": "string", "pattern": rf"^ *({run}|{number} *(, *{number} *)*) *$"},
            {"type": "array", "items": item, "minItems": 1, "maxItems": MAX_VALUES},
        ]
    }


def _parameter_field(parameter: SizeParameter) -> Any:
    text, typed = parameter.text, _range_type(parameter)
    if parameter.largest is not None:
        text = f'{text[:-1]}; "max" stands for {parameter.largest.text}.'
    if parameter.usual is None:
        return Annotated[typed, Field(description=text)], ...
    # Left out means the usual value, and stays left out.
    left_out = Field(description=text, exclude_if=lambda value: value is None)
    return Annotated[typed | None, left_out], None


def _family_field(family: Family) -> Any:
    typed: Any = Annotated[str, OneOf([family.name])]
    if family.name != UNNAMED:
        return Annotated[typed, Field(description="Family of the networks.")], ...
    # Generators without a family are the same requests as before there were others.
    unnamed = Field(description="Family of the networks.", exclude_if=lambda name: name == UNNAMED)
    return Annotated[typed, unnamed], UNNAMED


def _constraints_field(sizing: Sizing) -> Any:
    text = Annotated[
        str,
        Field(max_length=MAX_LENGTH, examples=["radix <= 36", "1000 <= nodes <= 20000"]),
        BeforeValidator(
            lambda value: checked(value, lambda text: str(parse_constraint(text, sizing)))
        ),
    ]
    names = ", ".join(quantity_names(sizing))
    described = Field(
        max_length=20,
        strict=False,
        description=f"Comparisons of {names}; a size satisfies all of them.",
    )
    return Annotated[tuple[text, ...], described, AfterValidator(distinct)], ()


def _model_of(family: Family) -> type[Generator]:
    sizing = family.sizing
    assert sizing is not None
    fields: dict[str, Any] = {
        "family": _family_field(family),
        **{one.name: _parameter_field(one) for one in sizing.parameters},
        "constraints": _constraints_field(sizing),
    }
    made = create_model(
        f"{family.topology.__name__}Generator",
        __base__=Generator,
        __doc__=f"All sizes of {family.signature.form} in given ranges that satisfy given "
        f"constraints.\n\nOf the combinations, those that have {sizing.rule} are meant.",
        __module__=__name__,
        **fields,
    )
    made.of = family
    return made


_MODELS = {name: _model_of(family) for name, family in sized_families().items()}


def _known(value: object) -> object:
    """Refuse a family of which there are no ranges, in words."""
    if (name := _named(value)) not in list(_MODELS):
        raise violation(InvalidInput(f"family {name!r}: expected {one_of(_MODELS)}"))
    return value


def _tag(value: object) -> str:
    model = type(value) if isinstance(value, Generator) else _MODELS[_named(value)]
    return model.__name__


def _named(value: object) -> Any:
    """Return the family that a generator names; what is no generator is for its model to refuse."""
    is_given = isinstance(value, Mapping)
    return cast("Mapping[str, Any]", value).get("family", UNNAMED) if is_given else UNNAMED


if TYPE_CHECKING:
    AnyGenerator = Generator
else:
    AnyGenerator = Annotated[
        Annotated[
            Union[*(Annotated[one, Tag(one.__name__)] for one in _MODELS.values())],
            Discriminator(_tag),
        ],
        BeforeValidator(_known),
    ]


def generated(
    generators: Sequence[Generator], most: int, prices: PriceList | None = None
) -> list[str]:
    """Return the bare topologies that generators make, in their order.

    Parameters
    ----------
    most : a generator may make so many.
    prices : for constraints on cost and power.

    Raises
    ------
    InvalidInput : a generator makes none or too many, or has too many combinations; the text names
        the generator.
    """
    found: list[str] = []
    examined = evaluated = 0
    for index, generator in enumerate(generators):
        try:
            space = generator.space(prices)
            combinations = space.combinations()
            examined += combinations
            if examined > MAX_COMBINATIONS:
                raise InvalidInput(
                    f"with those before it there are {examined:,} combinations; at most "
                    f"{MAX_COMBINATIONS:,} are examined"
                )
            evaluated += combinations * space.terms
            if evaluated > MAX_EVALUATIONS:
                raise InvalidInput(
                    f"{combinations:,} combinations with {space.terms} numbers and names in "
                    f"their constraints make {evaluated:,} evaluations with the generators "
                    f"before; at most {MAX_EVALUATIONS:,} are made"
                )
            found += [str(NamedTopology(generator.of, one)) for one in space.parameters(most)]
        except InvalidInput as error:
            raise InvalidInput(f"generators[{index}]: {error}") from error
    return found
