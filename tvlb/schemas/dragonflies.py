"""What sweeps say of Dragonflies alone: ranges of their sizes, and arrangements."""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, WithJsonSchema

from tvlb.designs import (
    MAX_COMBINATIONS,
    MAX_EVALUATIONS,
    NAMES,
    DesignSpace,
    PriceList,
    Range,
    parse_constraint,
    parse_group_range,
    parse_range,
)
from tvlb.designs.constraint import MAX_LENGTH
from tvlb.designs.ranges import MAX_VALUE, MAX_VALUES
from tvlb.errors import InvalidInput
from tvlb.schemas.problems import refusal
from tvlb.schemas.requests import STRICT
from tvlb.schemas.texts import OneOf, checked, distinct
from tvlb.topology import ARRANGEMENTS, Dragonfly, parse_named_topology, parse_topology_call

__all__ = ["Arrangement", "Generator", "arranged", "generated", "is_bare"]

_NAME = Dragonfly.name
_SIZES = 4

Arrangement = Annotated[str, OneOf(ARRANGEMENTS)]


def _range(value: object, parse: Callable[[str], Range], expected: str) -> str:
    """Write a range, given as a number, a list or a text, as a text in its canonical form."""
    if isinstance(value, str):
        words = [value]
    elif isinstance(value, list | tuple):
        words = [_range_item(one, expected) for one in cast("Sequence[object]", value)]
    else:
        words = [_range_item(value, expected)]
    if not words:
        raise refusal(InvalidInput(f"the list is empty; expected {expected}"))
    try:
        return str(parse(", ".join(words)))
    except InvalidInput as error:
        raise refusal(error) from error


def _range_item(value: object, expected: str) -> str:
    if value == "max":
        return "max"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise refusal(InvalidInput(f"expected {expected}"))
    return str(value)


def _range_schema(largest: bool) -> dict[str, Any]:
    integer = {"type": "integer", "minimum": 1, "maximum": MAX_VALUE}
    number = "([0-9]{1,8}|max)" if largest else "[0-9]{1,8}"
    item: dict[str, Any] = {"anyOf": [integer, {"const": "max"}]} if largest else integer
    run = rf"[0-9]{{1,8}} *\.\. *{number}( +step +[0-9]{{1,8}})?"
    return {
        "anyOf": [
            integer,
            {"type": "string", "pattern": rf"^ *({run}|{number} *(, *{number} *)*) *$"},
            {"type": "array", "items": item, "minItems": 1, "maxItems": MAX_VALUES},
        ]
    }


def _ports(value: object) -> str:
    return _range(value, parse_range, 'a whole number, a list of them, or a text such as "2..8"')


def _groups(value: object) -> str:
    expected = 'a whole number or "max", a list of them, or a text such as "3..max"'
    return _range(value, parse_group_range, expected)


PortRange = Annotated[str, BeforeValidator(_ports), WithJsonSchema(_range_schema(largest=False))]
GroupRange = Annotated[str, BeforeValidator(_groups), WithJsonSchema(_range_schema(largest=True))]
ConstraintText = Annotated[
    str,
    Field(max_length=MAX_LENGTH, examples=["a == 2*p == 2*h", "1000 <= nodes <= 20000"]),
    BeforeValidator(lambda value: checked(value, lambda text: str(parse_constraint(text)))),
]


class Generator(BaseModel):
    """All sizes in given ranges that satisfy given constraints.

    Combinations with g < 3 or g > a*h + 1 are left out.
    """

    model_config = STRICT

    p: Annotated[PortRange, Field(description="Nodes per switch.")]
    a: Annotated[PortRange, Field(description="Switches per group.")]
    h: Annotated[PortRange, Field(description="Global ports per switch.")]
    g: Annotated[GroupRange, Field(description='Groups; "max" stands for a*h + 1.')]
    constraints: Annotated[
        tuple[ConstraintText, ...],
        Field(
            max_length=20,
            strict=False,
            description=f"Comparisons of {', '.join(NAMES)}; a size satisfies all of them.",
        ),
        AfterValidator(distinct),
    ] = ()

    def space(self, prices: PriceList | None = None) -> DesignSpace:
        """Return the sizes that are meant; see `DesignSpace` for the prices."""
        return DesignSpace(
            parse_range(self.p),
            parse_range(self.a),
            parse_range(self.h),
            parse_group_range(self.g),
            tuple(parse_constraint(text) for text in self.constraints),
            prices,
        )


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
            found += [f"{_NAME}({p},{a},{h},{g})" for p, a, h, g in space.sizes(most).tolist()]
        except InvalidInput as error:
            raise InvalidInput(f"generators[{index}]: {error}") from error
    return found


def is_bare(topology: object) -> bool:
    """Whether a topology is a Dragonfly given by its sizes without an arrangement."""
    if not isinstance(topology, str):
        return False
    call = parse_topology_call(topology)
    return call.name == _NAME and len(call.arguments) == _SIZES


def arranged(topology: str, arrangements: Iterable[str]) -> list[str]:
    """Return a topology as it prints, a bare one in all of these arrangements."""
    bare = is_bare(topology)
    texts = [f"{topology[:-1]},{one})" for one in arrangements] if bare else [topology]
    return [str(parse_named_topology(one)) for one in texts]
