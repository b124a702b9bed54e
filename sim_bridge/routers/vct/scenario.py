"""What the virtual cut-through router is asked to carry."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim_bridge import _core
from sim_bridge.latencies import LATENCY_SETTINGS
from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.routers.vct.ports import PortScenario
from sim_bridge.routers.vct.result import VctResult
from sim_bridge.routing import VCT_ROUTING_NAMES, VCT_ROUTINGS


@dataclass(frozen=True, eq=False)
class VctScenario(PortScenario[VctConfig, VctResult]):
    """A combination to simulate at one or more loads; see `PortScenario`.

    The routing is one of `VCT_ROUTINGS`; plain "valiant" is "valiant(minfirst)".
    """

    settings = VctConfig
    result = VctResult
    not_told = ("vc_policy", *LATENCY_SETTINGS)
    router = "vct"
    routings = VCT_ROUTINGS
    refused = (
        f", or {', '.join(VCT_ROUTING_NAMES[len(VCT_ROUTINGS) :])}; routings that choose between "
        "MIN and VLB paths or follow forwarding tables, and the tables that they draw from, are "
        "simulated with router iq"
    )

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
            compiled.network, compiled.traffic, compiled.min_ports, config, stop, watch
        )

    def _figures(self, told: Mapping[str, Any], settings: VctConfig) -> dict[str, Any]:
        return {"series": np.array(told["series"])}

    def resolved(self, config: VctConfig) -> VctConfig:
        """Return the settings with what follows from the scenario filled in.

        Raises
        ------
        InvalidInput : there are too few virtual channels, or a latency is of links that the network
            does not have.
        """
        known = config.on(self.topology)
        proof = self.proof(config.vc_policy)
        count = config.vc_count or proof.vcs_needed
        proof.check(count, config.vc_policy)
        return replace(known, vc_count=count)

    def warnings(self, config: VctConfig) -> tuple[str, ...]:
        """See `RouterScenario.warnings`."""
        return config.warnings(self.topology)

    def with_routing(self, routing: str) -> "VctScenario":
        """Return the same scenario with another routing; what was prepared is shared."""
        other = replace(self, routing=routing)
        vars(other)["_compiled"] = self._compiled
        return other
