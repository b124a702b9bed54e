"""Virtual cut-through routers: packets of several phits, virtual channels chosen hop by hop."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field

from sim_bridge import (
    VCT_ROUTINGS,
    SimulationRequest,
    Split,
    VctConfig,
    VctResult,
    VctScenario,
)
from sim_bridge.routers.vct import VCT_ROUTING_NAMES, DeadlockProof
from sim_bridge.routing import SPLIT_ROUTINGS, VCT_PATH_ROUTINGS
from tvlb.languages import Text, TextOrTexts, asked, in_turn, one_of, setting
from tvlb.paths import RULE_SETTINGS, UgalRule, expression_examples
from tvlb.requests.common import OptionalKey
from tvlb.requests.common import PathSetText as ToldPathSet
from tvlb.requests.cost import Cost, vct_cost
from tvlb.requests.figures import part_of
from tvlb.requests.routers import Experiment, Router
from tvlb.requests.routers.iq import TOLD_TABLE
from tvlb.requests.settings import VctSettings
from tvlb.requests.texts import FollowedTableText, OneOf, PathSetTexts, is_table_id

_SHORT_NAME = f"valiant is {VCT_ROUTINGS[1]}"
_ROUTING_TEXT = Annotated[
    str,
    OneOf((*VCT_ROUTING_NAMES, *SPLIT_ROUTINGS)),
    Field(description=f"The routing; {_SHORT_NAME}."),
]


class DeadlockProofPart(part_of(DeadlockProof, "DeadlockProofPart")):
    """Why no buffers can wait for each other in a circle."""


def no_deadlock(case: Mapping[str, Any]) -> str:
    """Return in words why a case of a document does not deadlock, empty where it does not say."""
    proof = case.get("deadlock_proof")
    if proof is None:
        return ""
    fewest, multiple = proof["vcs_needed"], proof["multiple"]
    more = "more" if multiple == 1 else f"another multiple of {multiple}"
    vcs = f"{fewest} VC{'' if fewest == 1 else 's'} or {more}"
    # Routers without a choice of policies have the one that is fixed.
    policy = f"{case['routing']}, {case['config'].get('vc_policy', 'fixed')} with {vcs}"
    return f"No deadlock, {policy}: {proof['argument']}"


@dataclass(frozen=True)
class _Options:
    """What is asked beside the settings of the routers."""

    routing: str = setting(
        "min",
        f"Routing: {one_of(VctScenario.routings)}; {_SHORT_NAME}",
        Text("ROUTING", _ROUTING_TEXT),
    )
    vlb: str | tuple[str, ...] = setting(
        "all",
        f"VLB path set of {one_of(VCT_PATH_ROUTINGS)}: {', '.join(expression_examples())}, or a "
        "saved table",
        TextOrTexts("EXPR", PathSetTexts),
    )
    table: str | None = setting(
        None,
        f"Split table of routing {one_of(SPLIT_ROUTINGS)}",
        Text("FILE", FollowedTableText),
        unset="none",
    )


class PortRouter(Router):
    """Routers whose packets have several phits and choose among ports of MIN paths."""

    def similar(self, config: Any) -> VctConfig:
        """Return settings of router vct of which a run takes as long."""
        return config

    def cost(self, experiment: Experiment) -> Cost:
        """See `Router.cost`."""
        config, routing = self.config(experiment), experiment.asked["routing"]
        # Costs are mostly asked for of what is resolved, and to resolve it takes seconds.
        if not self.similar(config).vc_count:
            config = self.request(experiment).config
        loads = experiment.highest_loads
        similar = self.similar(config)
        return vct_cost(experiment.topology, routing, similar, loads, experiment.seeds)

    def described(self, request: SimulationRequest) -> Mapping[str, Any]:
        """See `Router.described`."""
        return {"deadlock_proof": request.scenario.proof(request.config.vc_policy)}

    def summary(self, document: Mapping[str, Any]) -> str:
        """See `Router.summary`."""
        return no_deadlock(document)


class _VirtualCutThrough(PortRouter):
    name = "vct"
    text = "virtual cut-through, packets of several phits"
    asks = "Simulate a routing with virtual cut-through at given loads."
    answers = "Loads simulated with the virtual cut-through router."
    declaring = (_Options, VctConfig)
    settings = VctSettings
    simulated = VctScenario
    result = VctResult
    proof_keys: ClassVar[Mapping[str, Any]] = {
        "deadlock_proof": (OptionalKey[DeadlockProofPart], None)
    }
    scenario_keys: ClassVar[Mapping[str, Any]] = {
        "path_set": (
            OptionalKey[ToldPathSet],
            Field(default=None, description="VLB path set of a routing that draws from one."),
        ),
        "table": (OptionalKey[str], Field(default=None, description=TOLD_TABLE)),
    }
    example = "vct"

    def scenario(self, experiment: Experiment) -> VctScenario:
        network, seed, given = experiment.topology, experiment.seed, experiment.asked
        texts = [given["vlb"]] if isinstance(given["vlb"], str) else given["vlb"]
        path_sets = [experiment.read_paths(one, network, seed) for one in texts]
        # Forwarding tables are of no routing that it takes.
        table = cast("Split | None", experiment.table(VctScenario.routings))
        routing = given["routing"]
        scenario = VctScenario(network, routing, experiment.pattern, seed, path_sets, table)
        scenario.check_chosen("vlb")
        return scenario

    def resolved(self, request: SimulationRequest) -> dict[str, Any]:
        scenario: VctScenario = request.scenario
        vlb = in_turn(map(str, scenario.path_sets))
        if scenario.table is None and not is_table_id(vlb):
            return super().resolved(request) | {"vlb": vlb}
        # Stored tables are read, and what they were made for is known, when it is computed.
        routing = VCT_PATH_ROUTINGS[0]
        replace(scenario, routing=routing, path_set=None, table=None).check(request.loads)
        known = {"routing": scenario.routing, "vlb": vlb, **asked(request.config)}
        return {name: one for name, one in known.items() if name not in RULE_SETTINGS}

    def described(self, request: SimulationRequest) -> Mapping[str, Any]:
        scenario: VctScenario = request.scenario
        drawn = {"path_set": in_turn(map(str, scenario.path_sets))} if scenario.draws_sets else {}
        table = {} if scenario.table is None else {"table": str(scenario.table)}
        return {**super().described(request), **drawn, **table}

    def title(self, document: Mapping[str, Any]) -> str:
        config = document["config"]
        channels = f"{config['vc_policy']} on {config['vc_count']} VCs"
        paths = document.get("path_set") or document.get("table")
        drawn = f" with {paths}" if paths else ""
        drawn += UgalRule.of(config).by
        return (
            f"{document['topology']}, {document['routing']}{drawn}, {channels}, "
            f"{document['pattern']}, "
            f"packets of {config['packet_phits']} phits"
        )


ROUTER = _VirtualCutThrough()
