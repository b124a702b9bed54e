"""Many tables in one request: topologies, generators of topologies, and what to vary.

A sweep is in its canonical form once it is validated: texts as they print, lists without repeats.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, create_model

from tvlb.designs import Bill
from tvlb.errors import InvalidInput
from tvlb.processes import Progress, Reporter, silent
from tvlb.requests.arrangements import Arrangement, arranged, is_bare
from tvlb.requests.cost import Cost, swept_cost
from tvlb.requests.generators import AnyGenerator, generated
from tvlb.requests.limits import RequestLimits
from tvlb.requests.prices import Prices
from tvlb.requests.problems import refusal
from tvlb.requests.request import STRICT, Question, Seed, description_of
from tvlb.requests.table_body import TableBody, completed
from tvlb.requests.texts import OneOf, TopologyText, checked, distinct
from tvlb.search import ADAPTIVE, check_request, check_routers
from tvlb.topology import (
    ExplicitTopology,
    described,
    explicit_type,
    parse_named_topology,
    parse_topology_call,
)

MAX_POINTS = 10_000
VARIED = ("topology", "routing", "seed")
"""Fields of the request for a table that a sweep varies; the others are its options."""
_ANY_TOPOLOGY = "dfly(2,4,2,9)"
# Models and balancing know nothing of the routing.
_USUAL_ARRANGEMENTS: tuple[Arrangement, ...] = ("absolute",)
_SHARED_STAGES = ("probe", "balance")
_SHARED_BY = "ugal-l"
_REPORTED_NETWORKS = 100

Routing = Annotated[str, OneOf(ADAPTIVE)]


def _name(text: str) -> str:
    if not text.isprintable():
        raise InvalidInput("the name has control characters, such as line breaks")
    return text


def _topology(text: str) -> str:
    parse_named_topology(text)
    # Without an arrangement, all arrangements of the sweep are meant, so that "absolute" stays.
    return str(parse_topology_call(text))


# The fields of a table are described in one place, `TableBody`.
_SHARED: dict[str, Any] = {
    name: (field.annotation, field)
    for name, field in TableBody.model_fields.items()
    if name not in VARIED
}
_TableFields = create_model("_TableFields", __config__=STRICT, **_SHARED)


class TableOptions(_TableFields):
    """Options of `TableBody` that all points of a sweep share."""


def _complete(options: TableOptions) -> TableOptions:
    """Fill in the defaults of the method."""
    try:
        filled = completed(_body_of(options))
        return TableOptions.model_validate({name: filled[name] for name in dict(options)})
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
    costs : the estimated cost of computing each.
    bills : what the network of each costs; None where the sweep has no prices.
    """

    points: tuple[TableBody, ...]
    costs: tuple[Cost, ...]
    bills: tuple[Bill | None, ...]

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


def _canonical(topology: str | ExplicitTopology) -> str | ExplicitTopology:
    try:
        return topology if isinstance(topology, str) else topology.canonical()
    except InvalidInput as error:
        raise refusal(error) from error


if TYPE_CHECKING:
    SweptTopology = str | ExplicitTopology
else:
    SweptTopology = Annotated[
        explicit_type(
            Annotated[TopologyText, BeforeValidator(lambda value: checked(value, _topology))]
        ),
        AfterValidator(_canonical),
    ]


class SweepBody(Question):
    """Compute the T-VLB tables of many networks.

    The points are all combinations of topology, routing and seed. Their order: the listed
    topologies, then the generators with their sizes ascending by the parameters in their order; for
    each of these the arrangements, then the routings, then the seeds. Repeated points are computed
    once.
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
                    "name": "designs of radix 11 or less",
                    "topologies": ["dfly(4,8,4,9)"],
                    "generators": [
                        {
                            "p": "1..4",
                            "a": "2..8",
                            "h": "1..4",
                            "g": "max",
                            "constraints": ["a == 2*p == 2*h", "radix <= 11"],
                        },
                        {"family": "slimfly", "q": "3..13", "constraints": ["radix <= 11"]},
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
        BeforeValidator(lambda value: checked(value, _name)),
    ] = ""
    topologies: Annotated[
        tuple[SweptTopology, ...],
        Field(max_length=MAX_POINTS, strict=False, description="Topologies, one by one."),
        AfterValidator(distinct),
    ] = ()
    generators: Annotated[
        tuple[AnyGenerator, ...],
        Field(max_length=100, strict=False, description="Topologies by ranges of their sizes."),
        AfterValidator(distinct),
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
        AfterValidator(distinct),
    ] = _USUAL_ARRANGEMENTS
    routings: Annotated[
        tuple[Routing, ...],
        Field(
            min_length=1,
            max_length=100,
            strict=False,
            description="Routings that will use the tables.",
        ),
        AfterValidator(distinct),
    ] = ("ugal-l",)
    seeds: Annotated[
        tuple[Seed, ...],
        Field(min_length=1, max_length=1000, strict=False, description="Seeds."),
        AfterValidator(distinct),
    ] = (0,)
    options: Annotated[
        TableOptions,
        Field(description="Options of every table.", validate_default=True),
        AfterValidator(_complete),
    ] = TableOptions()
    # Sweeps without prices are the same requests as before there were any.
    prices: Annotated[
        Prices | None,
        Field(
            description="What switches and cables cost and draw; then results have the costs.",
            exclude_if=lambda prices: prices is None,
        ),
    ] = None

    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """See `Question.examined`; the limits hold for every point, and for all together."""
        return self, self.expanded(limits).cost

    def short(self) -> dict[str, Any]:
        """See `Question.short`."""
        return self.model_dump(mode="json", exclude_defaults=True)

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
            size or has too many combinations, or a point that cannot be computed, is beyond the
            limits or has no price. The text names the generator or the topology; nothing was
            computed.

        Notes
        -----
        Builds every network once; for most sweeps that is what takes the time.
        """
        topologies = self._topologies(limits)
        if limits is not None:
            limits.check_networks((one, description_of(one).sizes) for one in topologies)
        body = _body_of(self.options)
        points: list[TableBody] = []
        costs: list[Cost] = []
        bills: list[Bill | None] = []
        total = TotalCost()
        seen = set[str | ExplicitTopology]()
        for number, topology in enumerate(topologies):
            if number and number % _REPORTED_NETWORKS == 0:
                report(Progress("expand", number, len(topologies)))
            for point, cost, bill in self._points(body, topology, limits, seen):
                points.append(point)
                costs.append(cost)
                bills.append(bill)
                total.add(point, cost)
            # Before the next network is built: that is what takes time here.
            if limits is not None:
                limits.check_cost(total.cost)
        return Expansion(tuple(points), tuple(costs), tuple(bills))

    def _points(
        self,
        common: TableBody,
        topology: str | ExplicitTopology,
        limits: RequestLimits | None,
        seen: set[str | ExplicitTopology],
    ) -> Iterator[tuple[TableBody, Cost, Bill | None]]:
        body = common.model_copy(update={"topology": topology})
        try:
            network = body.network(limits)
            bill = None if self.prices is None else self.prices.listed().bill(network)
            # What else a search accepts is the same for all routings and seeds.
            check_request(network, body.options())
            # Equal networks are one point, whatever they were called.
            written = described(network)
            if written in seen:
                return
            seen.add(written)
            body = body.complete(network).model_copy(update={"topology": written})
            for routing in self.routings:
                routed = body.model_copy(update={"routing": routing})
                options = routed.options()
                # Raises where the routing has no place.
                check_routers(network, routing, options.config, **options.windows)
                cost = swept_cost(network, options)
                if limits is not None:
                    limits.check_cost(cost)
                for seed in self.seeds:
                    yield routed.model_copy(update={"seed": seed}), cost, bill
        except InvalidInput as error:
            raise type(error)(f"{topology}: {error}") from error

    def _topologies(self, limits: RequestLimits | None) -> list[str | ExplicitTopology]:
        """Return all topologies with their arrangements, in order, without repeats."""
        prices = None if self.prices is None else self.prices.listed()
        everything = (*self.topologies, *generated(self.generators, MAX_POINTS, prices))
        bare = sum(map(is_bare, everything))
        networks = len(everything) - bare + bare * len(self.arrangements)
        points = networks * len(self.routings) * len(self.seeds)
        if points == 0:
            raise InvalidInput("the sweep has no points: give topologies, generators, or both")
        if bare == 0 and self.arrangements != _USUAL_ARRANGEMENTS:
            raise InvalidInput(
                f"arrangements {', '.join(self.arrangements)}: the sweep has no Dragonfly without "
                "an arrangement of its own"
            )
        if points > MAX_POINTS:
            raise InvalidInput(
                f"the sweep has {points:,} points ({networks:,} topologies, {len(self.routings)} "
                f"routings, {len(self.seeds)} seeds); at most {MAX_POINTS:,} are computed"
            )
        if limits is not None:
            limits.check_points(points)
        return list(
            dict.fromkeys(
                network
                for one in everything
                for network in (arranged(one, self.arrangements) if isinstance(one, str) else [one])
            )
        )
