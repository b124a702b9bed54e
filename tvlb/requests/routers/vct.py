"""Virtual cut-through routers: packets of several phits, virtual channels chosen hop by hop."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from sim_bridge import (
    VCT_ROUTINGS,
    SimulationRequest,
    VctConfig,
    VctResult,
    VctScenario,
)
from sim_bridge.routers.vct import VCT_ROUTING_NAMES, DeadlockProof
from sim_bridge.routing import VCT_PATH_ROUTINGS
from tvlb.languages import Text, TextOrTexts, in_turn, one_of, setting
from tvlb.paths import expression_examples
from tvlb.requests.common import OptionalKey
from tvlb.requests.common import PathSetText as ToldPathSet
from tvlb.requests.cost import Cost, vct_cost
from tvlb.requests.figures import part_of
from tvlb.requests.routers import Experiment, Router
from tvlb.requests.settings import VctSettings
from tvlb.requests.texts import OneOf, PathSetTexts

_SHORT_NAME = f"valiant is {VCT_ROUTINGS[1]}"
_ROUTING_TEXT = Annotated[
    str, OneOf(VCT_ROUTING_NAMES), Field(description=f"The routing; {_SHORT_NAME}.")
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
        f"Routing: {one_of(VCT_ROUTINGS)}; {_SHORT_NAME}",
        Text("ROUTING", _ROUTING_TEXT),
    )
    vlb: str | tuple[str, ...] = setting(
        "all",
        f"VLB path set of {one_of(VCT_PATH_ROUTINGS)}: {', '.join(expression_examples())}, or a "
        "saved table",
        TextOrTexts("EXPR", PathSetTexts),
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
        )
    }
    reasons: ClassVar[Mapping[str, str]] = {
        "table": "its packets follow no forwarding tables; simulate them with router iq",
    }
    example = "vct"

    def scenario(self, experiment: Experiment) -> VctScenario:
        network, seed, asked = experiment.topology, experiment.seed, experiment.asked
        texts = [asked["vlb"]] if isinstance(asked["vlb"], str) else asked["vlb"]
        path_sets = [experiment.read_paths(one, network, seed) for one in texts]
        scenario = VctScenario(network, asked["routing"], experiment.pattern, seed, path_sets)
        scenario.check_chosen("vlb")
        return scenario

    def resolved(self, request: SimulationRequest) -> dict[str, Any]:
        vlb = in_turn(map(str, request.scenario.path_sets))
        return super().resolved(request) | {"vlb": vlb}

    def described(self, request: SimulationRequest) -> Mapping[str, Any]:
        scenario: VctScenario = request.scenario
        drawn = {"path_set": in_turn(map(str, scenario.path_sets))} if scenario.draws_sets else {}
        return {**super().described(request), **drawn}

    def title(self, document: Mapping[str, Any]) -> str:
        config = document["config"]
        channels = f"{config['vc_policy']} on {config['vc_count']} VCs"
        drawn = f" with {document['path_set']}" if document.get("path_set") else ""
        return (
            f"{document['topology']}, {document['routing']}{drawn}, {channels}, "
            f"{document['pattern']}, "
            f"packets of {config['packet_phits']} phits"
        )


ROUTER = _VirtualCutThrough()
