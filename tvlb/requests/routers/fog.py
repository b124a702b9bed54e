"""Virtual cut-through routers with misrouting policies on Dragonflies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from sim_bridge import VctConfig
from sim_bridge.routers.fog import FogConfig, FogResult, FogScenario
from sim_bridge.routing import MISROUTING_NAMES, MISROUTING_ROUTINGS, written_out
from tvlb.languages import Text, one_of, setting
from tvlb.requests.problems import InWords
from tvlb.requests.routers.vct import DeadlockProofPart, PortRouter

_NAMES = tuple(dict.fromkeys(one.partition("(")[0] for one in MISROUTING_NAMES))
_ROUTING_TEXT = Annotated[
    str,
    Field(
        pattern=rf"^\s*({'|'.join(_NAMES)})\s*(\(.*\))?\s*$",
        max_length=200,
        examples=[*MISROUTING_NAMES, "acor-switch(3l,hi=250)"],
        description=f"The routing: {one_of(MISROUTING_NAMES)}; numbers by their keys.",
    ),
    InWords(lambda given: written_out(str(given), MISROUTING_ROUTINGS)),
]


@dataclass(frozen=True)
class _Options:
    """What is asked beside the settings of the routers."""

    routing: str = setting(
        "min",
        f"Routing: {one_of(MISROUTING_NAMES)}; numbers by keys, such as "
        "acor-switch(3l,hi=250) or pb(rval=0)",
        Text("ROUTING", _ROUTING_TEXT),
    )


class _Misrouting(PortRouter):
    name = "vct-fog"
    text = "virtual cut-through with misrouting policies, on Dragonflies"
    asks = "Simulate misrouting policies on a Dragonfly at given loads."
    answers = "Loads simulated with the router with misrouting policies."
    declaring = (_Options, FogConfig)
    simulated = FogScenario
    result = FogResult
    proof_keys: ClassVar[Mapping[str, Any]] = {"deadlock_proof": (DeadlockProofPart, ...)}
    reasons: ClassVar[Mapping[str, str]] = {
        "vlb": "its misrouting policies draw intermediate switches; draw from path sets with "
        "router iq",
        "table": "its switches choose among MIN ports; simulate forwarding tables with router iq",
        "vcs": "its virtual channels follow from the order local, global, local, local, global, "
        "local",
        "vc_count": "four of local and two of global ports follow from their order",
    }

    def similar(self, config: FogConfig) -> VctConfig:
        return VctConfig(
            config.warmup_cycles,
            config.measured_cycles,
            vc_count=4,
            packet_phits=config.packet_phits,
            input_buffer_phits=config.packet_phits,
            output_buffer_phits=config.packet_phits,
            traced_packets=config.traced_packets,
            interval=config.interval,
        )

    def title(self, document: Mapping[str, Any]) -> str:
        config = document["config"]
        return (
            f"{document['topology']}, {document['routing']}, {document['pattern']}, packets of "
            f"{config['packet_phits']} phits, preset {config['preset']}"
        )


ROUTER = _Misrouting()
