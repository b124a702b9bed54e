"""What can be asked for: tables, models and simulations, as JSON bodies.

The fields are the options of the command line. A resolved request has every default filled in and
every text in the form in which it prints, so that equal questions are equal requests.
"""

import hashlib
import json
from abc import ABC, abstractmethod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from tvlb.balance import BalanceOptions
from tvlb.errors import InvalidInput
from tvlb.model import PatternModel, parse_solver
from tvlb.paths import PathSet, parse_expression
from tvlb.provenance import VERSION
from tvlb.randomness import MAX_SEED
from tvlb.schemas.limits import RequestLimits
from tvlb.schemas.texts import (
    ObjectiveText,
    PathSetText,
    PatternText,
    SolverText,
    TopologyText,
    TrafficText,
    WarmupText,
)
from tvlb.search import (
    MAX_PATTERNS,
    MAX_TRAFFIC,
    Cost,
    Scenario,
    SearchOptions,
    SimulationConfig,
    SimulationRequest,
    Warmup,
    Windows,
    budget_text,
    check_request,
    model_cost,
    parse_warmup,
    simulation_cost,
    table_cost,
)
from tvlb.topology import Dragonfly, parse_named_topology, parse_sizes
from tvlb.traffic import Pattern, parse_named_pattern

__all__ = [
    "ModelBody",
    "Question",
    "Request",
    "SimulationBody",
    "TableBody",
    "WindowsBody",
    "Wiring",
    "request_key",
]

_SEARCH, _PAPER = SearchOptions(), SearchOptions(method="paper")
_MAX_CYCLES = 100_000_000
_MAX_LINKS = 2_000_000
_FEW_RUNS = 100
_FEW_TRACES = 1000


def _whole(value: object) -> object:
    """Take 2.0 for 2: to JSON they are the same number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_WHOLE = BeforeValidator(_whole)
Seed = Annotated[
    int, Field(ge=0, le=MAX_SEED, description="Seed of everything random, 0..2^63-1."), _WHOLE
]
_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)
# JSON has lists only, which a strict tuple refuses.
Cable = Annotated[tuple[Annotated[int, _WHOLE], Annotated[int, _WHOLE]], Field(strict=False)]


class Wiring(BaseModel):
    """A Dragonfly with an explicit list of global cables (undirected, repeats allowed)."""

    model_config = _STRICT

    p: Annotated[int, Field(ge=1, le=10**9, description="Nodes per switch."), _WHOLE]
    a: Annotated[int, Field(ge=1, le=10**9, description="Switches per group."), _WHOLE]
    h: Annotated[int, Field(ge=1, le=10**9, description="Global ports per switch."), _WHOLE]
    g: Annotated[int, Field(ge=2, le=10**9, description="Groups."), _WHOLE]
    links: Annotated[
        tuple[Cable, ...],
        Field(max_length=_MAX_LINKS, strict=False, description="Switch pairs."),
    ]


class WindowsBody(BaseModel):
    """How closely to simulate."""

    model_config = _STRICT

    warmup: Annotated[int, Field(ge=0, le=_MAX_CYCLES, description="Warm-up, cycles."), _WHOLE]
    measured: Annotated[
        int, Field(ge=1, le=_MAX_CYCLES, description="Measured window, cycles."), _WHOLE
    ]
    grid: Annotated[
        float,
        Field(ge=1e-4, le=0.1, description="Grid of saturation loads, packets/cycle/node."),
    ]

    @classmethod
    def of(cls, windows: Windows) -> Self:
        """Return the body of a value."""
        return cls(warmup=windows.warmup, measured=windows.measured, grid=windows.grid)

    def value(self) -> Windows:
        """Return the value."""
        return Windows(self.warmup, self.measured, self.grid)


class Question(BaseModel, ABC):
    """What can be asked for, of any kind."""

    model_config = _STRICT
    kind: ClassVar[str]

    @abstractmethod
    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """Return the question with defaults filled in and texts as they print, and its cost.

        Raises
        ------
        InvalidInput : it cannot be answered, or is beyond the limits; nothing was computed.
        """

    @property
    def is_light(self) -> bool:
        """Whether the answer is small, and mostly computation is what it costs."""
        return True


class Request(Question):
    """What requests about one network have in common."""

    topology: Annotated[
        Annotated[TopologyText, Tag("text")] | Annotated[Wiring, Tag("wiring")],
        Discriminator(lambda value: "text" if isinstance(value, str) else "wiring"),
        Field(description="The network, by its sizes or its cables."),
    ]

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """p, a, h and g of the network."""
        if isinstance(self.topology, str):
            return parse_sizes(self.topology)
        return self.topology.p, self.topology.a, self.topology.h, self.topology.g

    def network(self, limits: RequestLimits | None = None) -> Dragonfly:
        """Build the topology.

        Raises
        ------
        InvalidInput : it is out of range, or larger than `limits` allow; found from the sizes,
            before anything is built.
        """
        if limits is not None:
            limits.check_sizes(*self.sizes)
        if isinstance(self.topology, Wiring):
            return Dragonfly.from_cables(*self.sizes, [list(pair) for pair in self.topology.links])
        return parse_named_topology(self.topology)

    def examined(self, limits: RequestLimits | None = None) -> tuple[Self, Cost]:
        """See `Question.examined`."""
        network = self.network(limits)
        resolved = self._resolved(network)
        cost = resolved._cost(network)
        if limits is not None:
            limits.check_cost(cost)
        return resolved, cost

    def resolved(self) -> Self:
        """Return the request with defaults filled in and texts as they print; see `examined`."""
        return self._resolved(self.network())

    def cost(self) -> Cost:
        """Estimate what it takes to compute it."""
        return self._cost(self.network())

    def usual(self) -> dict[str, Any]:
        """Return the value of every field, by name, where nothing is asked for."""
        return {name: field.default for name, field in type(self).model_fields.items()}

    @abstractmethod
    def _resolved(self, network: Dragonfly) -> Self: ...

    @abstractmethod
    def _cost(self, network: Dragonfly) -> Cost: ...

    def _named(self, network: Dragonfly) -> str | Wiring:
        if not isinstance(self.topology, Wiring):
            return str(network)
        pairs = tuple((int(x), int(y)) for x, y in network.cables)
        return self.topology.model_copy(update={"links": pairs})


class TableBody(Request):
    """Compute the T-VLB table of a Dragonfly."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": "4,8,4,9", "routing": "ugal-l", "seed": 0}]}
    )
    kind: ClassVar[str] = "table"

    routing: Annotated[
        Literal["ugal-l", "ugal-g", "par"], Field(description="Routing that will use the table.")
    ] = "ugal-l"
    method: Annotated[
        Literal["search", "paper"],
        Field(
            description="search: path sets weighted by shape, judged on patterns that the search "
            "never saw; paper: Algorithm 1 as published."
        ),
    ] = "search"
    objective: ObjectiveText = "saturation"
    budget: Annotated[
        Literal["small", "default", "large"] | Annotated[int, Field(ge=0, le=10**15), _WHOLE],
        Field(
            description="How long a search goes on: small, default, large, or a number of "
            "simulated flit-hops."
        ),
    ] = "default"
    traffic: Annotated[
        tuple[TrafficText, ...],
        Field(
            max_length=MAX_TRAFFIC,
            strict=False,
            description="What to search for, and with other seeds to judge on; empty for "
            "adversarial and some benign patterns, judged on others.",
        ),
    ] = ()
    patterns: Annotated[
        Literal["auto", "all"] | Annotated[int, Field(ge=1, le=10**9), _WHOLE],
        Field(description="Probed adversarial patterns: auto, all or a number."),
    ] = "auto"
    tolerance: Annotated[
        float,
        Field(ge=0, lt=1, description="Candidates are within this share of the best theta."),
    ] = 0.08
    balance: Annotated[bool, Field(description="Balance the candidates.")] = True
    screening: Annotated[
        WindowsBody | None,
        Field(
            description="Windows of sets that challenge the best one of a search; of all "
            "candidates of the paper's method. Null for those of the method."
        ),
    ] = None
    confirmation: Annotated[
        WindowsBody | None,
        Field(
            description="Windows in which a search is judged; of the finalists and the "
            "conventional set by the paper's method. Null for those of the method."
        ),
    ] = None
    finalists: Annotated[
        Annotated[int, Field(ge=1, le=100), _WHOLE] | None,
        Field(
            description="Confirmed candidates of the paper's method; null for a search, or "
            f"{_PAPER.finalist_count}."
        ),
    ] = None
    data_points: Annotated[
        Annotated[int, Field(ge=1, le=31), _WHOLE] | None,
        Field(
            description="Most data points of Table 1 among the candidates; null for "
            f"{_SEARCH.most_data_points}, or {_PAPER.most_data_points} by the paper's method."
        ),
    ] = None
    simulated_patterns: Annotated[
        Annotated[int, Field(ge=2, le=MAX_PATTERNS), _WHOLE] | None,
        Field(
            description=f"Simulated type2 patterns; null for {_SEARCH.pattern_count}, or "
            f"{_PAPER.pattern_count} by the paper's method, and where the traffic is named."
        ),
    ] = None
    seed: Seed = 0

    def options(self, workers: int | None = None) -> SearchOptions:
        """Return the settings of the search."""
        return SearchOptions(
            routing=self.routing,
            method=self.method,
            objective=self.objective,
            budget=str(self.budget),
            traffic=self.traffic,
            patterns=str(self.patterns),
            tolerance=self.tolerance,
            balancing=BalanceOptions() if self.balance else None,
            screening=_value(self.screening),
            confirmation=_value(self.confirmation),
            finalists=self.finalists,
            data_points=self.data_points,
            simulated_patterns=self.simulated_patterns,
            seed=self.seed,
            workers=workers,
        )

    def usual(self) -> dict[str, Any]:
        """See `Request.usual`; what depends on method and traffic is that for those asked for."""
        bare = TableBody(topology=self.topology, method=self.method, traffic=self.traffic)
        return super().usual() | completed(bare) | {"traffic": ()}

    def complete(self, network: Dragonfly) -> Self:
        """Return the request with the defaults of the method filled in, texts as they print.

        Raises
        ------
        InvalidInput : an option is out of range, or has no meaning for the method.
        """
        budget = budget_text(str(self.budget), network)
        number = int(budget) if budget.isdecimal() else budget
        return self.model_copy(update={**completed(self), "budget": number})

    def _resolved(self, network: Dragonfly) -> Self:
        check_request(network, self.options())
        return self.complete(network).model_copy(update={"topology": self._named(network)})

    def _cost(self, network: Dragonfly) -> Cost:
        return table_cost(network, self.options())


def _value(windows: WindowsBody | None) -> Windows | None:
    return None if windows is None else windows.value()


def completed(body: TableBody) -> dict[str, Any]:
    """Return what `TableBody.complete` fills in that is the same for every network."""
    options = body.options().resolved()
    assert options.screening is not None
    assert options.confirmation is not None
    return {
        "objective": options.objective,
        "traffic": options.traffic,
        "screening": WindowsBody.of(options.screening),
        "confirmation": WindowsBody.of(options.confirmation),
        "finalists": options.finalists,
        "data_points": options.data_points,
        "simulated_patterns": options.simulated_patterns,
    }


class ModelBody(Request):
    """Solve the throughput model of one path set under one pattern."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"topology": "2,4,2,9", "vlb": "<=4+60%", "pattern": "shift(2,0)"}]
        }
    )
    kind: ClassVar[str] = "model"

    vlb: PathSetText = "all"
    pattern: PatternText = "shift(1,0)"
    solver: SolverText = "highs"
    monotone: Annotated[
        bool, Field(description="Keep longer VLB paths no busier than shorter ones.")
    ] = True
    seed: Seed = 0

    def path_set(self, network: Dragonfly) -> PathSet:
        """Return the path set."""
        return parse_expression(self.vlb, network, self.seed)

    def traffic(self) -> Pattern:
        """Return the traffic pattern."""
        return parse_named_pattern(self.pattern)

    def model(self, network: Dragonfly) -> PatternModel:
        """Return the model, ready to be solved."""
        return PatternModel(
            network,
            self.traffic(),
            monotone=self.monotone,
            solver=parse_solver(self.solver),
            seed=self.seed,
        )

    def _resolved(self, network: Dragonfly) -> Self:
        traffic = self.traffic()
        traffic.resolve(network, self.seed)
        return self.model_copy(
            update={
                "topology": self._named(network),
                "vlb": str(self.path_set(network)),
                "pattern": str(traffic),
                "solver": str(parse_solver(self.solver)),
            }
        )

    def _cost(self, network: Dragonfly) -> Cost:
        return model_cost(network, self.path_set(network), self.traffic())


Load = Annotated[float, Field(ge=0, le=1)]


class SimulationBody(Request):
    """Simulate a routing flit by flit, at given loads or to find its saturation load."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["load"], "properties": {"load": {"minItems": 1}}},
                {"required": ["saturation"], "properties": {"saturation": {"const": True}}},
            ],
            "examples": [
                {"topology": "2,4,2,9", "vlb": "short(2,3)", "load": [0.1, 0.2], "cycles": 2000}
            ],
        }
    )
    kind: ClassVar[str] = "simulation"

    routing: Annotated[
        Literal["min", "vlb", "ugal-l", "ugal-g", "par"], Field(description="The routing.")
    ] = "ugal-l"
    vlb: PathSetText = "all"
    pattern: PatternText = "uniform"
    load: Annotated[
        tuple[Load, ...],
        Field(
            max_length=1000, strict=False, description="Offered loads, packets/cycle/node, 0..1."
        ),
    ] = ()
    saturation: Annotated[
        bool, Field(description="Search the saturation load on a grid of 0.01.")
    ] = False
    warmup: Annotated[
        Annotated[int, Field(ge=0, le=_MAX_CYCLES), _WHOLE] | WarmupText,
        Field(description="Warm-up: cycles, or until the network is steady."),
    ] = 30_000
    cycles: Annotated[int, Field(ge=1, le=_MAX_CYCLES, description="Measured cycles."), _WHOLE] = (
        10_000
    )
    vcs: Annotated[Literal["won", "per-hop"], Field(description="VC scheme.")] = "won"
    vc_count: Annotated[
        Annotated[int, Field(ge=1, le=8), _WHOLE] | None,
        Field(description="Virtual channels; null for what the scheme needs."),
    ] = None
    buffer: Annotated[
        int, Field(ge=1, le=4096, description="Buffer per input VC, flits."), _WHOLE
    ] = 32
    local_latency: Annotated[int, Field(ge=1, le=4096, description="Cycles."), _WHOLE] = 10
    global_latency: Annotated[int, Field(ge=1, le=4096, description="Cycles."), _WHOLE] = 15
    speedup: Annotated[int, Field(ge=1, le=16, description="Switch steps per cycle."), _WHOLE] = 2
    threshold: Annotated[
        int, Field(ge=-(10**6), le=10**6, description="UGAL bias towards MIN, flits."), _WHOLE
    ] = 0
    decide: Annotated[
        Literal["once", "each-attempt"], Field(description="When the source decides.")
    ] = "once"
    traces: Annotated[
        int, Field(ge=0, le=100_000, description="Measured packets to trace per run."), _WHOLE
    ] = 0
    seed: Seed = 0
    seeds: Annotated[int, Field(ge=1, le=1000, description="Runs per load."), _WHOLE] = 1

    def config(self) -> SimulationConfig:
        """Return the settings of the simulator."""
        warmup, warmup_cycles = parse_warmup(str(self.warmup))
        return SimulationConfig(
            warmup=warmup,
            warmup_cycles=warmup_cycles,
            measured_cycles=self.cycles,
            traced_packets=self.traces,
            vc_scheme=self.vcs,
            vc_count=self.vc_count,
            buffer_flits=self.buffer,
            local_latency=self.local_latency,
            global_latency=self.global_latency,
            speedup=self.speedup,
            threshold=self.threshold,
            decide=self.decide,
        )

    def simulation(self, network: Dragonfly) -> SimulationRequest:
        """Return what is to be simulated."""
        path_set = parse_expression(self.vlb, network, self.seed)
        traffic = parse_named_pattern(self.pattern)
        scenario = Scenario(network, self.routing, path_set, traffic, self.seed)
        return SimulationRequest(scenario, self.config(), self.seeds)

    @property
    def is_light(self) -> bool:
        """See `Question.is_light`; traces and many runs take their time outside the simulator."""
        runs = (len(self.load) + self.saturation) * self.seeds
        return runs <= _FEW_RUNS and self.traces * runs <= _FEW_TRACES

    def _resolved(self, network: Dragonfly) -> Self:
        if not self.load and not self.saturation:
            raise InvalidInput(
                "load is empty and saturation is false: give loads, ask for the saturation load, "
                "or both"
            )
        simulation = self.simulation(network)
        scenario = simulation.scenario
        scenario.pattern.resolve(network, self.seed)
        return self.model_copy(
            update={
                "topology": self._named(network),
                "vlb": str(scenario.path_set),
                "pattern": str(scenario.pattern),
                "load": tuple(dict.fromkeys(self.load)),
                "warmup": _warmup_text(simulation.config),
                "vc_count": simulation.config.resolved_vc_count(self.routing),
            }
        )

    def _cost(self, network: Dragonfly) -> Cost:
        return simulation_cost(
            network, self.routing, self.config(), self.load, self.seeds, self.saturation
        )


def _warmup_text(config: SimulationConfig) -> int | str:
    cycles = config.warmup_cycles
    return f"detect:{cycles}" if config.warmup == Warmup.DETECT else cycles


def request_key(request: Question) -> str:
    """SHA-256 (hex) of a resolved request and of the version that answers it.

    Equal keys mean equal answers; a new version of tvlb may answer differently.
    """
    document: dict[str, Any] = {
        "kind": request.kind,
        "version": VERSION,
        "request": request.model_dump(mode="json"),
    }
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
