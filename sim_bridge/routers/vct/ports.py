"""What routers are asked whose switches choose among the ports of MIN paths, hop by hop."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic
from sim_bridge.routers.vct.proof import DeadlockProof, prove
from sim_bridge.routing import call_of, steering, written_out
from sim_bridge.scenario import Compiled, Config, Result, RouterScenario
from tvlb.errors import InvalidInput
from tvlb.native.virtual_channels import vc_policy
from tvlb.statistics import check_seed
from tvlb.topology import Topology
from tvlb.traffic import Pattern


@dataclass(frozen=True)
class CompiledWays(Compiled):
    """A scenario with what its packets go by, and what was proved of that.

    Attributes
    ----------
    ways : MIN ports, or what draws paths.
    warning : what to say of these, if anything.
    """

    ways: _core.MinPorts | list[_core.PathSampler]
    warning: str | None = None
    # By policy, and whether there are intermediate switches.
    proofs: dict[tuple[str, bool], DeadlockProof] = field(
        default_factory=dict[tuple[str, bool], DeadlockProof]
    )

    @property
    def min_ports(self) -> _core.MinPorts:
        """Those of switches that choose among them."""
        assert not isinstance(self.ways, list)
        return self.ways


@dataclass(frozen=True, eq=False)
class PortScenario(RouterScenario[Config, Result]):
    """A combination to simulate at one or more loads.

    Parameters
    ----------
    topology : the network.
    routing : one of `routings`, or with other numbers.
    pattern : the traffic.
    seed : of the random streams, and of patterns without a seed of their own; 0..2^63-1.

    Attributes
    ----------
    router, routings : the name of the model, and what it takes.
    refused : what else there is, and of which router it is.

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
    router: ClassVar[str]
    routings: ClassVar[Sequence[str]]
    refused: ClassVar[str]

    def __post_init__(self) -> None:
        if call_of(self.routing).name not in {call_of(one).name for one in self.routings}:
            raise InvalidInput(
                f"unknown routing {self.routing!r} of router {self.router}: expected "
                f"{', '.join(self.routings)}{self.refused}"
            )
        object.__setattr__(self, "routing", written_out(self.routing, self.routings))
        check_seed(self.seed)

    def proof(self, policy: str) -> DeadlockProof:
        """Prove that a policy of virtual channels cannot deadlock here; see `prove`."""
        compiled = self._compiled
        case = policy, steering(self.routing).detours != _core.Detours.NEVER
        if case not in compiled.proofs:
            compiled.proofs[case] = prove(
                self.topology, compiled.min_ports, vc_policy(policy), has_intermediate=case[1]
            )
        return compiled.proofs[case]

    @cached_property
    def _compiled(self) -> CompiledWays:
        network = core_network(self.topology)
        traffic = core_traffic(network, self._node_traffic)
        try:
            return CompiledWays(network, traffic, _core.MinPorts(network))
        except ValueError as error:
            raise InvalidInput(f"cannot simulate {self.topology}: {error}") from error

    def _in_core(self, settings: Any) -> dict[str, object]:
        proof = self.proof(settings.vc_policy)
        count = settings.vc_count or proof.vcs_needed
        vcs = vc_policy(settings.vc_policy).table(count, proof.split_kind)
        latency = list(settings.latencies(self.topology))
        return {"vcs": vcs, "vc_count": count, "latency": latency}
