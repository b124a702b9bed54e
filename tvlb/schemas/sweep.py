"""Many tables in one request: topologies, generators of topologies, and what to vary.

A sweep is in its canonical form once it is validated: texts as they print, lists without repeats.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    create_model,
)

from tvlb.designs import (
    MAX_COMBINATIONS,
    MAX_EVALUATIONS,
    NAMES,
    DesignSpace,
    Range,
    parse_constraint,
    parse_group_range,
    parse_range,
)
from tvlb.designs.constraint import MAX_LENGTH
from tvlb.designs.ranges import MAX_VALUE, MAX_VALUES
from tvlb.errors import InvalidInput
from tvlb.progress import Progress, Reporter, silent
from tvlb.schemas.limits import RequestLimits
from tvlb.schemas.problems import refusal
from tvlb.schemas.requests import STRICT, Question, Seed, Wiring
from tvlb.schemas.table_body import TableBody, completed
from tvlb.schemas.texts import OneOf, TopologyText
from tvlb.search import ADAPTIVE, Cost, check_request, table_cost
from tvlb.topology import ARRANGEMENTS, parse_sizes

__all__ = ["MAX_POINTS", "Expansion", "Generator", "SweepBody", "TableOptions", "TotalCost"]

MAX_POINTS = 10_000
_TOPOLOGY = TypeAdapter[str](TopologyText)
_VARIED = ("topology", "routing", "seed")
_ANY_TOPOLOGY = "dfly(2,4,2,9)"
# Models and balancing know nothing of the routing.
_SHARED_STAGES = ("probe", "balance")
_SHARED_BY = "ugal-l"
_REPORTED_NETWORKS = 100
_Item = TypeVar("_Item", bound=Hashable)

Arrangement = Annotated[str, OneOf(ARRANGEMENTS)]
Routing = Annotated[str, OneOf(ADAPTIVE)]


def _distinct(values: tuple[_Item, ...]) -> tuple[_Item, ...]:
    return tuple(dict.fromkeys(values))


def _checked(value: object, canonical: Callable[[str], str]) -> object:
    """Write a text in its canonical form; what is no text is for the schema to refuse."""
    if not isinstance(value, str):
        return value
    try:
        return canonical(value)
    except InvalidInput as error:
        raise refusal(error) from error


def _name(text: str) -> str:
    if not text.isprintable():
        raise InvalidInput("the name has control characters, such as line breaks")
    return text


def _topology(text: str) -> str:
    try:
        _TOPOLOGY.validate_python(text)
    except ValidationError as error:
        raise InvalidInput(
            f'"{text[:60]}" is no topology; expected p,a,h,g or dfly(p,a,h,g), with '
            f"{', '.join(ARRANGEMENTS)} or nothing as the arrangement: dfly(4,8,4,9,palmtree)"
        ) from error
    # Without an arrangement, all arrangements of the sweep are meant, so that "absolute" stays.
    sizes = ",".join(map(str, parse_sizes(text)))
    last = text.rsplit(",", maxsplit=1)[-1].strip(" )")
    return f"dfly({sizes},{last})" if last.isalpha() else f"dfly({sizes})"


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
    BeforeValidator(lambda value: _checked(value, lambda text: str(parse_constraint(text)))),
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
        AfterValidator(_distinct),
    ] = ()

    def space(self) -> DesignSpace:
        """Return the sizes that are meant."""
        return DesignSpace(
            parse_range(self.p),
            parse_range(self.a),
            parse_range(self.h),
            parse_group_range(self.g),
            tuple(parse_constraint(text) for text in self.constraints),
        )


# The fields of a table are described in one place, `TableBody`.
_SHARED: dict[str, Any] = {
    name: (field.annotation, field)
    for name, field in TableBody.model_fields.items()
    if name not in _VARIED
}
_TableFields = create_model("_TableFields", __config__=STRICT, **_SHARED)


class TableOptions(_TableFields):
    """Options of `TableBody` that all points of a sweep share."""


def _complete(options: TableOptions) -> TableOptions:
    """Fill in the defaults of the method."""
    try:
        return options.model_copy(update=completed(_body_of(options)))
    except InvalidInput as error:
        raise refusal(error) from error


def _body_of(options: TableOptions) -> TableBody:
    """Return the request that points are made of; its topology is that of none."""
    return TableBody.model_validate({"topology": _ANY_TOPOLOGY, **dict(options)})


@dataclass(frozen=True, eq=False)
class Expansion:
    """The points of a sweep.

    Attributes
    ----------
    points : resolved requests, all different.
    costs : the estimated cost of each.
    """

    points: tuple[TableBody, ...]
    costs: tuple[Cost, ...]

    @property
    def cost(self) -> Cost:
        """The cost of all points; see `TotalCost`."""
        total = TotalCost()
        for point, cost in zip(self.points, self.costs, strict=True):
            total.add(point, cost)
        return total.cost


class TotalCost:
    """Adds up what points take together.

    CPU seconds add up, but those of units that points share which differ in nothing but the routing
    are counted once. Memory is that of the largest point.
    """

    def __init__(self) -> None:
        self._stages: defaultdict[str, float] = defaultdict(float)
        self._memory = 0
        self._counted = set[tuple[TableBody, str]]()

    def add(self, point: TableBody, cost: Cost) -> None:
        """Count a point."""
        alike = point.model_copy(update={"routing": _SHARED_BY})
        for stage, seconds in cost.stages.items():
            if (alike, stage) not in self._counted:
                self._stages[stage] += seconds
            if stage in _SHARED_STAGES:
                self._counted.add((alike, stage))
        self._memory = max(self._memory, cost.memory_bytes)

    @property
    def cost(self) -> Cost:
        """Of all points so far."""
        return Cost(math.fsum(self._stages.values()), self._memory, dict(self._stages))


def _sorted_cables(wiring: Wiring) -> Wiring:
    """Write a wiring as a resolved request has it."""
    cables = sorted((min(pair), max(pair)) for pair in wiring.links)
    return wiring.model_copy(update={"links": tuple(cables)})


SweptTopology = Annotated[
    Annotated[
        TopologyText,
        BeforeValidator(lambda value: _checked(value, _topology)),
        Tag("text"),
    ]
    | Annotated[Wiring, AfterValidator(_sorted_cables), Tag("wiring")],
    Discriminator(lambda value: "text" if isinstance(value, str) else "wiring"),
]


class SweepBody(Question):
    """Compute the T-VLB tables of many Dragonflies.

    The points are all combinations of topology, routing and seed. Their order: the listed
    topologies, then the generators with their sizes ascending by p, a, h and g; for each of these
    the arrangements, then the routings, then the seeds. Repeated points are computed once.
    """

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        json_schema_extra={
            "anyOf": [
                {"required": [key], "properties": {key: {"minItems": 1}}}
                for key in ("topologies", "generators")
            ],
            "examples": [
                {
                    "name": "balanced designs of radix 11 or less",
                    "topologies": ["dfly(4,8,4,9)"],
                    "generators": [
                        {
                            "p": "1..4",
                            "a": "2..8",
                            "h": "1..4",
                            "g": "max",
                            "constraints": ["a == 2*p == 2*h", "radix <= 11"],
                        }
                    ],
                    "arrangements": ["absolute", "palmtree"],
                    "routings": ["ugal-l", "par"],
                    "seeds": [0],
                    "options": {"simulated_patterns": 3},
                }
            ],
        },
    )

    kind: ClassVar[str] = "sweep"

    name: Annotated[
        str,
        Field(
            max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$", description="Shown with the results."
        ),
        BeforeValidator(lambda value: _checked(value, _name)),
    ] = ""
    topologies: Annotated[
        tuple[SweptTopology, ...],
        Field(max_length=MAX_POINTS, strict=False, description="Topologies, one by one."),
        AfterValidator(_distinct),
    ] = ()
    generators: Annotated[
        tuple[Generator, ...],
        Field(max_length=100, strict=False, description="Topologies by ranges of their sizes."),
        AfterValidator(_distinct),
    ] = ()
    arrangements: Annotated[
        tuple[Arrangement, ...],
        Field(
            min_length=1,
            max_length=100,
            strict=False,
            description="Wirings of the generators' sizes, and of listed topologies that are "
            "given by their sizes without an arrangement.",
        ),
        AfterValidator(_distinct),
    ] = ("absolute",)
    routings: Annotated[
        tuple[Routing, ...],
        Field(
            min_length=1,
            max_length=100,
            strict=False,
            description="Routings that will use the tables.",
        ),
        AfterValidator(_distinct),
    ] = ("ugal-l",)
    seeds: Annotated[
        tuple[Seed, ...],
        Field(min_length=1, max_length=1000, strict=False, description="Seeds."),
        AfterValidator(_distinct),
    ] = (0,)
    options: Annotated[
        TableOptions,
        Field(description="Options of every table.", validate_default=True),
        AfterValidator(_complete),
    ] = TableOptions()

    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """See `Question.examined`; the limits hold for every point, and for all together."""
        return self, self.expanded(limits).cost

    @property
    def is_light(self) -> bool:
        """See `Question.is_light`."""
        return False

    def points(self, limits: RequestLimits | None = None) -> tuple[TableBody, ...]:
        """Return the points; see `expanded`."""
        return self.expanded(limits).points

    def expanded(self, limits: RequestLimits | None = None, report: Reporter = silent) -> Expansion:
        """Return the points, each as `TableBody.examined` has it, with their costs.

        Parameters
        ----------
        limits : what every point has to be within, and number and cost of all together.
        report : told now and then how many networks of the stage `expand` are built.

        Raises
        ------
        InvalidInput : there is no topology, more than 10,000 points, a generator that makes no
            size or has too many combinations, or a point that cannot be computed or is beyond the
            limits. The text names the generator or the topology; nothing was computed.

        Notes
        -----
        Builds every network once; for most sweeps that is what takes the time.
        """
        topologies = self._topologies(limits)
        body = _body_of(self.options)
        points: list[TableBody] = []
        costs: list[Cost] = []
        total = TotalCost()
        for number, topology in enumerate(topologies):
            if number and number % _REPORTED_NETWORKS == 0:
                report(Progress("expand", number, len(topologies)))
            for point, cost in self._points(body, topology, limits):
                points.append(point)
                costs.append(cost)
                total.add(point, cost)
            # Before the next network is built: that is what takes time here.
            if limits is not None:
                limits.check_cost(total.cost)
        return Expansion(tuple(points), tuple(costs))

    def _points(
        self, common: TableBody, topology: str | Wiring, limits: RequestLimits | None
    ) -> Iterator[tuple[TableBody, Cost]]:
        body = common.model_copy(update={"topology": topology})
        try:
            network = body.network(limits)
            # What a search accepts is the same for all routings and seeds.
            check_request(network, body.options())
            body = body.complete(network)
            for routing in self.routings:
                routed = body.model_copy(update={"routing": routing})
                cost = table_cost(network, routed.options())
                if limits is not None:
                    limits.check_cost(cost)
                for seed in self.seeds:
                    yield routed.model_copy(update={"seed": seed}), cost
        except InvalidInput as error:
            raise type(error)(f"{_label(topology)}: {error}") from error

    def _topologies(self, limits: RequestLimits | None) -> list[str | Wiring]:
        """Return all topologies with their arrangements, in order, without repeats."""
        sizes = self._generated()
        bare = sum(_is_bare(one) for one in self.topologies) + sum(map(len, sizes))
        wired = len(self.topologies) - sum(_is_bare(one) for one in self.topologies)
        networks = wired + bare * len(self.arrangements)
        points = networks * len(self.routings) * len(self.seeds)
        if points == 0:
            raise InvalidInput("the sweep has no points: give topologies, generators, or both")
        if points > MAX_POINTS:
            raise InvalidInput(
                f"the sweep has {points:,} points ({networks:,} topologies, {len(self.routings)} "
                f"routings, {len(self.seeds)} seeds); at most {MAX_POINTS:,} are computed"
            )
        if limits is not None:
            limits.check_points(points)
        generated = [f"dfly({p},{a},{h},{g})" for rows in sizes for p, a, h, g in rows.tolist()]
        everything = (*self.topologies, *generated)
        return list(dict.fromkeys(wiring for one in everything for wiring in self._wirings(one)))

    def _wirings(self, topology: str | Wiring) -> Iterator[str | Wiring]:
        if isinstance(topology, Wiring):
            yield topology
        elif not _is_bare(topology):
            yield topology.replace(",absolute", "")
        else:
            for arrangement in self.arrangements:
                suffix = "" if arrangement == "absolute" else f",{arrangement}"
                yield f"{topology[:-1]}{suffix})"

    def _generated(self) -> list[NDArray[np.int64]]:
        found: list[NDArray[np.int64]] = []
        examined = evaluated = 0
        for index, generator in enumerate(self.generators):
            try:
                space = generator.space()
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
                found.append(space.sizes(MAX_POINTS))
            except InvalidInput as error:
                raise InvalidInput(f"generators[{index}]: {error}") from error
        return found


def _is_bare(topology: str | Wiring) -> bool:
    """Whether a topology is given by its sizes without an arrangement."""
    return isinstance(topology, str) and topology.count(",") == 3


def _label(topology: str | Wiring) -> str:
    if isinstance(topology, str):
        return topology
    return f"dfly({topology.p},{topology.a},{topology.h},{topology.g}) with its own links"
