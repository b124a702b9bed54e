"""Many networks in one request: topologies, generators of topologies, and what to vary.

A sweep is in its canonical form once it is validated: texts as they print, lists without repeats.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    create_model,
    model_validator,
)

from tvlb.designs import Bill
from tvlb.errors import InvalidInput
from tvlb.processes import Progress, Reporter, silent
from tvlb.requests.arrangements import Arrangement, arranged, is_bare
from tvlb.requests.cost import Cost, swept_cost
from tvlb.requests.generators import AnyGenerator, generated
from tvlb.requests.limits import RequestLimits
from tvlb.requests.prices import Prices
from tvlb.requests.problems import refusal
from tvlb.requests.request import STRICT, Question, Seed, description_of, network_of
from tvlb.requests.swept import Computed, Sections
from tvlb.requests.table_body import TableBody, completed
from tvlb.requests.texts import OneOf, TopologyText, checked, distinct
from tvlb.search import ADAPTIVE, check_request, check_routers
from tvlb.topology import (
    ExplicitTopology,
    Topology,
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
    followers : of each what is asked of the table that it makes, see `Computed.requests`.
    """

    # Their fields depend on the kind.
    points: tuple[Any, ...]
    costs: tuple[Cost, ...]
    bills: tuple[Bill | None, ...]
    followers: tuple[tuple[Question, ...], ...]

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
        self._counted = set[tuple[Question, str]]()

    def add(self, point: Question, cost: Cost) -> None:
        """Count a point."""
        shared = _SHARED_STAGES if isinstance(point, TableBody) else ()
        alike = point.model_copy(update={"routing": _SHARED_BY}) if shared else point
        for stage, seconds in cost.stages.items():
            if stage not in shared or (alike, stage) not in self._counted:
                self._stages[stage] += seconds
            if stage in shared:
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
    """Compute the T-VLB tables of many networks, or what else is to be computed of each.

    The points are all combinations of topology, routing and seed, or of topology and the options of
    what is computed, where these are lists. Their order: the listed
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
    compute: Annotated[
        Computed | None,
        Sections(),
        Field(
            description="What is computed of every network in place of T-VLB tables: options by "
            "kind of request, of which most may be lists of values; all combinations are taken. "
            "The forwarding tables of `route` are handed to the others.",
            exclude_if=lambda computed: computed is None,
        ),
    ] = None
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

    def points(self, limits: RequestLimits | None = None) -> tuple[Any, ...]:
        """Return the points; see `expanded`."""
        return self.expanded(limits).points

    def expanded(self, limits: RequestLimits | None = None, report: Reporter = silent) -> Expansion:
        """Return the points, each as `Question.examined` has it, with their costs.

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
        asked = self._asked()
        points: list[Question] = []
        costs: list[Cost] = []
        bills: list[Bill | None] = []
        followers: list[tuple[Question, ...]] = []
        total = TotalCost()
        seen = set[str | ExplicitTopology]()
        for number, topology in enumerate(topologies):
            if number and number % _REPORTED_NETWORKS == 0:
                report(Progress("expand", number, len(topologies)))
            for (point, *others), cost, bill in self._points(asked, topology, limits, seen):
                points.append(point)
                costs.append(cost)
                bills.append(bill)
                followers.append(tuple(others))
                total.add(point, cost)
            # Before the next network is built: that is what takes time here.
            if limits is not None:
                limits.check_cost(total.cost)
        return Expansion(tuple(points), tuple(costs), tuple(bills), tuple(followers))

    def _asked(self) -> "_Asked":
        if self.compute is None:
            return _Tables(_body_of(self.options), self.routings, self.seeds)
        return _Requests(tuple(self.compute.requests()))

    def _points(
        self,
        asked: "_Asked",
        topology: str | ExplicitTopology,
        limits: RequestLimits | None,
        seen: set[str | ExplicitTopology],
    ) -> Iterator[tuple[tuple[Question, ...], Cost, Bill | None]]:
        try:
            network = network_of(topology, limits)
            bill = None if self.prices is None else self.prices.listed().bill(network)
            # Equal networks are one point, whatever they were called.
            written = described(network)
            if written in seen:
                return
            seen.add(written)
            for bodies, cost in asked.of(network, written):
                if limits is not None:
                    limits.check_cost(cost)
                yield bodies, cost, bill
        except InvalidInput as error:
            raise type(error)(f"{topology}: {error}") from error

    def _topologies(self, limits: RequestLimits | None) -> list[str | ExplicitTopology]:
        """Return all topologies with their arrangements, in order, without repeats."""
        prices = None if self.prices is None else self.prices.listed()
        everything = (*self.topologies, *generated(self.generators, MAX_POINTS, prices))
        bare = sum(map(is_bare, everything))
        networks = len(everything) - bare + bare * len(self.arrangements)
        points = networks * self._per_network()
        if points == 0:
            raise InvalidInput("the sweep has no points: give topologies, generators, or both")
        if bare == 0 and self.arrangements != _USUAL_ARRANGEMENTS:
            raise InvalidInput(
                f"arrangements {', '.join(self.arrangements)}: the sweep has no Dragonfly without "
                "an arrangement of its own"
            )
        if points > MAX_POINTS:
            raise InvalidInput(
                f"the sweep has {points:,} points ({networks:,} topologies, "
                f"{self._combinations()}); at most {MAX_POINTS:,} are computed"
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

    def _per_network(self) -> int:
        if self.compute is None:
            return len(self.routings) * len(self.seeds)
        return self.compute.combinations

    def _combinations(self) -> str:
        if self.compute is None:
            return f"{len(self.routings)} routings, {len(self.seeds)} seeds"
        return f"{self.compute.combinations:,} combinations of options"

    @model_validator(mode="after")
    def _apart(self) -> Self:
        """Refuse options of tables where something else is computed."""
        if self.compute is None:
            return self
        usual = self.usual() | {"options": _complete(TableOptions())}
        for name in ("routings", "seeds", "options"):
            if getattr(self, name) != usual[name]:
                computed = ", ".join(self.compute.sections)
                raise refusal(
                    InvalidInput(f"{name}: they are of tables, and the sweep computes {computed}")
                )
        return self


class _Asked(Protocol):
    """What is asked of every network."""

    def of(
        self, network: Topology, written: str | ExplicitTopology
    ) -> Iterator[tuple[tuple[Question, ...], Cost]]:
        """Yield the requests of the points of a network, and their cost; see `Expansion`.

        Parameters
        ----------
        written : how requests describe it.

        Raises
        ------
        InvalidInput : a point cannot be computed.
        """
        ...


@dataclass(frozen=True)
class _Tables:
    common: TableBody
    routings: tuple[str, ...]
    seeds: tuple[int, ...]

    def of(
        self, network: Topology, written: str | ExplicitTopology
    ) -> Iterator[tuple[tuple[Question, ...], Cost]]:
        """See `_Asked.of`."""
        # What else a search accepts is the same for all routings and seeds.
        check_request(network, self.common.options())
        body = self.common.complete(network).model_copy(update={"topology": written})
        for routing in self.routings:
            routed = body.model_copy(update={"routing": routing})
            options = routed.options()
            # Raises where the routing has no place.
            check_routers(network, routing, options.config, **options.windows)
            cost = swept_cost(network, options)
            for seed in self.seeds:
                yield (routed.model_copy(update={"seed": seed}),), cost


@dataclass(frozen=True)
class _Requests:
    asked: tuple[tuple[Question, ...], ...]

    def of(
        self, network: Topology, written: str | ExplicitTopology
    ) -> Iterator[tuple[tuple[Question, ...], Cost]]:
        """See `_Asked.of`."""
        for bodies in self.asked:
            here = (one.model_copy(update={"topology": written}) for one in bodies)
            resolved, costs = zip(*(one.resolved_on(network) for one in here), strict=True)
            yield resolved, _added(costs)


def _added(costs: Sequence[Cost]) -> Cost:
    """Return the cost of requests that are computed one after another."""
    stages = {stage: seconds for one in costs for stage, seconds in one.stages.items()}
    return Cost(
        math.fsum(one.cpu_seconds for one in costs), max(one.memory_bytes for one in costs), stages
    )
