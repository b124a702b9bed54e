"""What the virtual cut-through router is asked to carry."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic
from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.routers.vct.proof import DeadlockProof, prove
from sim_bridge.routers.vct.result import VctResult
from sim_bridge.routing import (
    VCT_ROUTING_NAMES,
    VCT_ROUTINGS,
    steering,
    steering_settings,
    written_out,
)
from sim_bridge.scenario import Compiled, RouterScenario
from tvlb.errors import InvalidInput
from tvlb.languages import parse_call
from tvlb.native.virtual_channels import vc_policy
from tvlb.statistics import check_seed
from tvlb.topology import Topology
from tvlb.traffic import Pattern


@dataclass(frozen=True)
class _Compiled(Compiled):
    min_ports: _core.MinPorts
    # By policy, and whether there are intermediate switches.
    proofs: dict[tuple[str, bool], DeadlockProof] = field(
        default_factory=dict[tuple[str, bool], DeadlockProof]
    )


@dataclass(frozen=True, eq=False)
class VctScenario(RouterScenario[VctConfig, VctResult]):
    """A combination to simulate at one or more loads.

    Parameters
    ----------
    topology : the network.
    routing : one of `VCT_ROUTINGS`; plain "valiant" is "valiant(minfirst)".
    pattern : the traffic.
    seed : of the random streams, and of patterns without a seed of their own; 0..2^63-1.

    Raises
    ------
    InvalidInput : unknown routing, seed out of range, a pattern that does not fit, or a network
        with too many ports or MIN paths.
    """

    topology: Topology
    routing: str
    pattern: Pattern
    seed: int = 0

    takes_steps = True

    def __post_init__(self) -> None:
        name = parse_call(self.routing).name
        if name not in {parse_call(one).name for one in VCT_ROUTINGS}:
            short = VCT_ROUTING_NAMES[len(VCT_ROUTINGS) :]
            raise InvalidInput(
                f"unknown routing {self.routing!r} of router vct: expected "
                f"{', '.join(VCT_ROUTINGS)}, or {', '.join(short)}; routings that choose between "
                "MIN and VLB paths or follow forwarding tables, and the tables that they draw "
                "from, are simulated with router iq"
            )
        object.__setattr__(self, "routing", written_out(self.routing))
        check_seed(self.seed)

    def proof(self, policy: str) -> DeadlockProof:
        """Prove that a policy of virtual channels cannot deadlock here; see `prove`."""
        known, compiled = self._compiled.proofs, self._compiled
        case = policy, steering(self.routing).detours != _core.Detours.NEVER
        if case not in known:
            known[case] = prove(
                self.topology, compiled.min_ports, vc_policy(policy), has_intermediate=case[1]
            )
        return known[case]

    def run(
        self,
        load: float,
        config: VctConfig | None = None,
        stop: _core.StopFlag | None = None,
        watch: Callable[[float], bool] | None = None,
    ) -> VctResult:
        """Simulate one load.

        Parameters
        ----------
        load : phits/cycle and node (times the node's rate in the pattern), 0..1.
        config : router and window; None for the defaults.
        stop : set from another thread to end the run.
        watch : called with what was accepted in every interval of the series, phits/cycle/node;
            ends the run by returning False.

        Raises
        ------
        InvalidInput : an argument is out of range, or there are too few virtual channels.
        SimulationDeadlock : buffers wait for each other in a circle.
        """
        settings, compiled = self.resolved(config or VctConfig()), self._compiled
        told = self._told(
            load,
            settings,
            lambda flag: _core.simulate_vct(
                compiled.network,
                compiled.traffic,
                compiled.min_ports,
                self._core_config(load, settings),
                flag,
                watch,
            ),
            stop,
        )
        return VctResult.of(told, series=np.array(told["series"]))

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

    @cached_property
    def _compiled(self) -> _Compiled:
        network = core_network(self.topology)
        traffic = core_traffic(network, self._node_traffic)
        try:
            return _Compiled(network, traffic, _core.MinPorts(network))
        except ValueError as error:
            raise InvalidInput(f"cannot simulate {self.topology}: {error}") from error

    def _core_config(self, load: float, settings: VctConfig) -> _core.VctConfig:
        return _core.VctConfig(
            **self._offered(load),
            warmup_cycles=settings.warmup_cycles,
            measured_cycles=settings.measured_cycles,
            interval=settings.interval,
            **steering_settings(self.routing),
            vcs=vc_policy(settings.vc_policy).table(
                int(settings.vc_count or 0), self.proof(settings.vc_policy).split_kind
            ),
            vc_count=settings.vc_count,
            packet_phits=settings.packet_phits,
            input_buffer_phits=settings.input_buffer_phits,
            output_buffer_phits=settings.output_buffer_phits,
            source_queue_packets=settings.source_queue_packets,
            latency=list(settings.latencies(self.topology)),
            server_latency=settings.server_latency,
            traced_packets=settings.traced_packets,
        )
