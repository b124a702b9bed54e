"""What the virtual cut-through router is asked to carry."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic
from sim_bridge.latencies import LATENCY_SETTINGS
from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.routers.vct.ports import CompiledWays, PortScenario
from sim_bridge.routers.vct.proof import DeadlockProof, prove
from sim_bridge.routers.vct.result import VctResult
from sim_bridge.routing import (
    SPLIT_ROUTINGS,
    VCT_PATH_ROUTINGS,
    VCT_ROUTING_NAMES,
    VCT_ROUTINGS,
    check_decides_again,
    draws_in_vct,
    draws_split,
    steering,
)
from sim_bridge.rule import check_rule, rule_of
from sim_bridge.sampling import DrawsPaths, Split
from tvlb.errors import InvalidInput
from tvlb.native.virtual_channels import vc_policy
from tvlb.paths import PathSet
from tvlb.topology import Topology
from tvlb.traffic import switch_pairs


@dataclass(frozen=True, eq=False)
class VctScenario(DrawsPaths, PortScenario[VctConfig, VctResult]):
    """A combination to simulate at one or more loads; see `PortScenario`.

    Parameters
    ----------
    routing : one of `VCT_ROUTINGS`; plain "valiant" is "valiant(minfirst)".
    path_set : the VLB paths that a routing of `VCT_PATH_ROUTINGS` draws from; None for all.
    table : the split that a routing of `SPLIT_ROUTINGS` draws paths from.

    Raises
    ------
    InvalidInput : see `PortScenario`; or the routing has no place on the network, the path set or
        table is of another one or has no meaning, or a pair lacks the path that the routing needs.
    """

    path_set: PathSet | Sequence[PathSet] | None = None
    table: Split | None = None

    settings = VctConfig
    result = VctResult
    not_told = ("vc_policy", *LATENCY_SETTINGS)
    router = "vct"
    routings = (*VCT_ROUTINGS, *SPLIT_ROUTINGS)
    refused = (
        f", or {', '.join(VCT_ROUTING_NAMES[len(VCT_ROUTINGS) :])}; routings by level and those "
        "that follow forwarding tables are simulated with router iq"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_decides_again(self.routing, self.topology)
        if len(self.path_sets) != 1:
            raise InvalidInput(
                f"routing {self.routing} draws from one path set, not from {len(self.path_sets)}"
            )
        self.check_networks()
        self.check_table(self.routings)

    @property
    def draws_sets(self) -> bool:
        """See `DrawsPaths`."""
        return draws_in_vct(self.routing) and not draws_split(self.routing)

    def run(
        self,
        load: float,
        config: VctConfig | None = None,
        stop: _core.StopFlag | None = None,
        watch: Callable[[float], bool] | None = None,
    ) -> VctResult:
        """Simulate one load; see `RouterScenario.run`.

        Parameters
        ----------
        watch : called with what was accepted in every interval of the series, phits/cycle/node;
            ends the run by returning False.
        """
        return self._run(load, config, stop, watch=watch)

    def _simulate(
        self,
        settings: dict[str, Any],
        stop: _core.StopFlag,
        watch: Callable[[float], bool] | None = None,
    ) -> dict[str, Any]:
        compiled, config = self._compiled, _core.VctConfig(**settings)
        return _core.simulate_vct(
            compiled.network, compiled.traffic, compiled.ways, config, stop, watch
        )

    def _figures(self, told: Mapping[str, Any], settings: VctConfig) -> dict[str, Any]:
        share = told["vlb_share"]
        return {
            "series": np.array(told["series"]),
            "vlb_share": None if math.isnan(share) else share,
        }

    def resolved(self, config: VctConfig) -> VctConfig:
        """Return the settings with what follows from the scenario filled in.

        Raises
        ------
        InvalidInput : there are too few virtual channels, a latency is of links that the network
            does not have, routes are too long, or a setting has no meaning for the routing.
        """
        check_rule(config, self.routing, VCT_PATH_ROUTINGS)
        known = config.on(self.topology)
        if self.draws_sets:
            known = self.ruled(known)
        proof = self.proof(config.vc_policy)
        count = config.vc_count or proof.vcs_needed
        proof.check(count, config.vc_policy)
        return replace(known, vc_count=count)

    def _in_core(self, settings: VctConfig) -> dict[str, object]:
        return super()._in_core(settings) | asdict(rule_of(settings))

    def proof(self, policy: str) -> DeadlockProof:
        """See `PortScenario.proof`; where paths are drawn, of all that there are."""
        if not draws_in_vct(self.routing):
            return super().proof(policy)
        return _proof_of_paths(self.topology, policy, steering(self.routing).decides_again)

    def warnings(self, config: VctConfig) -> tuple[str, ...]:
        """See `RouterScenario.warnings`."""
        own = self._compiled.warning
        return (*config.warnings(self.topology), *([own] if own else []))

    def with_routing(self, routing: str) -> "VctScenario":
        """Return the same scenario with another routing; what was prepared is shared."""
        other = replace(self, routing=routing)
        if not (draws_in_vct(self.routing) or draws_in_vct(other.routing)):
            vars(other)["_compiled"] = self._compiled
        return other

    @cached_property
    def _compiled(self) -> CompiledWays:
        if not draws_in_vct(self.routing):
            return super()._compiled
        network = core_network(self.topology)
        node_traffic = self._node_traffic
        samplers, warning = self.samplers(
            network, lambda: switch_pairs(self.topology, node_traffic)
        )
        return CompiledWays(network, core_traffic(network, node_traffic), samplers, warning)


@lru_cache(maxsize=16)
def _proof_of_paths(topology: Topology, policy: str, decides_again: bool) -> DeadlockProof:
    halves = _core.MinHalves(core_network(topology), decides_again)
    if (links := 2 * halves.longest + decides_again) > _core.MAX_HOPS:
        raise InvalidInput(
            f"VLB paths of {topology} take up to {links} links; the simulator follows at most "
            f"{_core.MAX_HOPS}"
        )
    return prove(
        topology, halves, vc_policy(policy), has_intermediate=True, decides_again=decides_again
    )
