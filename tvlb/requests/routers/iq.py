"""Routers with input queues: packets of one flit, routes chosen at the source."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from sim_bridge import (
    MAX_CYCLES,
    MOST_LEVELS,
    Routing,
    Scenario,
    SimulationConfig,
    SimulationRequest,
    SimulationResult,
    Warmup,
    parse_warmup,
)
from sim_bridge.latencies import LATENCY_SETTINGS
from sim_bridge.routing import ROUTING_NAMES
from tvlb.documents import WHOLE
from tvlb.languages import Flag, Text, TextOrTexts, choose, in_turn, made, one_of, setting
from tvlb.paths import UgalRule, expression_examples
from tvlb.requests.common import OptionalKey
from tvlb.requests.common import PathSetText as ToldPathSet
from tvlb.requests.cost import Cost, simulation_cost
from tvlb.requests.problems import InWords
from tvlb.requests.routers import Experiment, Router
from tvlb.requests.settings import SimulationSettings
from tvlb.requests.texts import FollowedTableText, OneOf, PathSetTexts, WarmupText, is_table_id

_ToldPathSets = Annotated[
    tuple[ToldPathSet, ...],
    Field(min_length=2, description="VLB path sets of a routing by level, short paths first."),
]
TOLD_TABLE = (
    "Table that packets go by, a forwarding table or a split: the path of its file, or how its id "
    "begins."
)
_RoutingText = Annotated[
    Annotated[str, OneOf(ROUTING_NAMES)]
    | Annotated[str, Field(pattern=r"^[a-z-]+ *\([a-z0-9]+( *, *[a-z0-9_]+ *= *[0-9]+)*\) *$")],
    Field(description="Routing; of those by level, numbers may follow: acor-switch(sets,hi=100)."),
    InWords(lambda value: choose(Routing, "routing", str(value))),
]
_WARMUP = Annotated[
    Annotated[int, Field(ge=0, le=MAX_CYCLES), WHOLE] | WarmupText,
    Field(description="Warm-up: cycles, or until the network is steady."),
    InWords(lambda value: parse_warmup(str(value))),
]


@dataclass(frozen=True)
class _Options:
    """What is asked beside the settings of the routers."""

    routing: str = setting(
        "ugal-l",
        f"Routing: {one_of(ROUTING_NAMES)}; of those by level 2la, 2lb and 3l name path sets, and "
        "numbers may follow: acor-switch(sets, hi=500, it1=15, it2=500, dt1=5, dt2=15)",
        Text("ROUTING", _RoutingText),
    )
    vlb: str | tuple[str, ...] = setting(
        "all",
        f"VLB path set: {', '.join(expression_examples())}, or a saved table; of routings by level "
        f"2 to {MOST_LEVELS}, short paths first",
        TextOrTexts("EXPR", PathSetTexts),
    )
    table: str | None = setting(
        None,
        "Forwarding table of routing table, split table of routing static",
        Text("FILE", FollowedTableText),
        unset="none",
    )
    saturation: bool = setting(False, "Search the saturation load on a 0.01 grid", Flag())
    warmup: int | str = setting(
        30_000,
        "Warm-up cycles; detect or detect:CYCLES: until steady, at most 30,000 or CYCLES",
        Text("CYCLES", _WARMUP),
    )


class _InputQueued(Router):
    name = "iq"
    text = "input queues, packets of one flit"
    asks = "Simulate a routing flit by flit, at given loads or to find its saturation load."
    answers = "Simulated loads, a saturation load, or both."
    declaring = (_Options, SimulationConfig)
    settings = SimulationSettings
    result = SimulationResult
    scenario_keys: ClassVar[Mapping[str, Any]] = {
        "path_set": (
            ToldPathSet | _ToldPathSets,
            Field(description="VLB path set, or those of a routing by level, short paths first."),
        ),
        "table": (OptionalKey[str], Field(default=None, description=TOLD_TABLE)),
    }
    example = "simulation"

    def scenario(self, experiment: Experiment) -> Scenario:
        network, seed, asked = experiment.topology, experiment.seed, experiment.asked
        texts = [asked["vlb"]] if isinstance(asked["vlb"], str) else asked["vlb"]
        path_sets = [experiment.read_paths(one, network, seed) for one in texts]
        routing, table = asked["routing"], experiment.table(Routing)
        scenario = Scenario(network, routing, path_sets, experiment.pattern, seed, table)
        scenario.check_chosen("vlb")
        return scenario

    def config(self, experiment: Experiment) -> SimulationConfig:
        kind, cycles = parse_warmup(str(experiment.asked["warmup"]))
        return made(SimulationConfig, experiment.asked, warmup=kind, warmup_cycles=cycles)

    def resolved(self, request: SimulationRequest) -> dict[str, Any]:
        scenario, config = request.scenario, request.config
        # A path set may take long to list.
        scenario.pattern.before_step.resolve(scenario.topology, scenario.seed)
        detected = config.warmup == Warmup.DETECT
        cycles = config.warmup_cycles
        filled = {
            **{name: getattr(config, name) for name in LATENCY_SETTINGS},
            "routing": str(scenario.routing),
            "vlb": _texts_of(scenario),
            "decide": str(config.decide),
            "warmup": f"detect:{cycles}" if detected else cycles,
        }
        if not any(is_table_id(str(one)) for one in scenario.path_sets):
            # What a stored table was made for is known when it is read.
            rule = asdict(scenario.resolved(config).rule)
            filled |= {name: getattr(one, "value", one) for name, one in rule.items()}
        if Routing(scenario.routing).follows_table:  # its routes tell the virtual channels
            return filled
        count = config.resolved_vc_count(scenario.topology, scenario.routing)
        return filled | {"vcs": config.vc_scheme, "vc_count": count}

    def cost(self, experiment: Experiment) -> Cost:
        return simulation_cost(
            experiment.topology,
            experiment.asked["routing"],
            self.config(experiment),
            experiment.highest_loads,
            experiment.seeds,
            experiment.saturation,
        )

    def described(self, request: SimulationRequest) -> Mapping[str, Any]:
        scenario = request.scenario
        table = {} if scenario.table is None else {"table": str(scenario.table)}
        return {"path_set": _texts_of(scenario)} | table

    def title(self, document: Mapping[str, Any]) -> str:
        sets = document["path_set"]
        drawn = sets if isinstance(sets, str) else in_turn(sets)
        rule = UgalRule.of(document["config"]).by
        set_up = f"{document['routing']} with {document.get('table') or drawn}{rule}"
        return f"{document['topology']}, {set_up}, {document['pattern']}"

    def state(self, row: Mapping[str, Any]) -> str:
        runs = len(row.get("runs", [row]))
        counts = {
            "saturated": row.get("saturated_runs", int(row["saturated"] is True)),
            "too short to tell": row.get("saturated_unknown_runs", int(row["saturated"] is None)),
        }
        for state, count in counts.items():
            if count > 0:
                return state if runs == 1 else f"{state} {count} of {runs}"
        return "ok" if row["steady"] else "ok, warm-up not over"


def _texts_of(scenario: Scenario) -> str | tuple[str, ...]:
    texts = tuple(map(str, scenario.path_sets))
    return texts if len(texts) > 1 else in_turn(texts)


ROUTER = _InputQueued()
