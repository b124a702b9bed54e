"""What the router with misrouting policies is asked to carry."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic
from sim_bridge.routers.fog.config import FogConfig
from sim_bridge.routers.fog.result import FogResult, FogSeries
from sim_bridge.routers.vct.proof import DeadlockProof, prove
from sim_bridge.routing import MISROUTING_ROUTINGS, SETS, steering, steering_settings, written_out
from sim_bridge.scenario import Compiled, RouterScenario
from tvlb.errors import InvalidInput
from tvlb.languages import one_of, parse_call
from tvlb.native.virtual_channels import vc_policy
from tvlb.statistics import check_seed
from tvlb.topology import Topology
from tvlb.traffic import Pattern

_POLICY = "fixed"
_LOCAL, _GLOBAL = 0, 1
_MIN_HALF = (_LOCAL, _GLOBAL, _LOCAL)  # whose parts MIN paths are
_SEQUENCES = {
    "2la": ("crg-gr", "rrg-sw"),
    "2lb": ("crg-sw", "rrg-sw"),
    "3l": ("crg-gr", "crg-sw", "rrg-sw"),
}


@dataclass(frozen=True)
class _Compiled(Compiled):
    min_ports: _core.MinPorts
    proof: DeadlockProof


@dataclass(frozen=True, eq=False)
class FogScenario(RouterScenario[FogConfig, FogResult]):
    """A combination to simulate at one or more loads.

    Parameters
    ----------
    topology : a Dragonfly whose MIN paths are at most a local, a global and a local link.
    routing : one of `MISROUTING_ROUTINGS`, or with other numbers.
    pattern : the traffic.
    seed : of the random streams, and of patterns without a seed of their own; 0..2^63-1.

    Raises
    ------
    InvalidInput : unknown routing, seed out of range, a pattern that does not fit, or a network
        of another family.
    """

    topology: Topology
    routing: str
    pattern: Pattern
    seed: int = 0

    takes_steps = True

    def __post_init__(self) -> None:
        name = parse_call(self.routing).name
        if name not in {parse_call(one).name for one in MISROUTING_ROUTINGS}:
            raise InvalidInput(
                f"unknown routing {self.routing!r} of router vct-fog: expected "
                f"{', '.join(MISROUTING_ROUTINGS)}; routings that draw from path sets or follow "
                "forwarding tables are simulated with router iq"
            )
        object.__setattr__(self, "routing", written_out(self.routing))
        if SETS in parse_call(self.routing).arguments:
            raise InvalidInput(
                f"routing {self.routing}: router vct-fog draws from no path sets; give "
                f"{one_of(one for one in MISROUTING_ROUTINGS if one.startswith(f'{name}('))}"
            )
        check_seed(self.seed)

    @property
    def proof(self) -> DeadlockProof:
        """Why its virtual channels cannot deadlock here; see `prove`."""
        return self._compiled.proof

    def run(
        self, load: float, config: FogConfig | None = None, stop: _core.StopFlag | None = None
    ) -> FogResult:
        """Simulate one load.

        Parameters
        ----------
        load : phits/cycle and node (times the node's rate in the pattern), 0..1.
        config : router and window; None for the defaults.
        stop : set from another thread to end the run.

        Raises
        ------
        InvalidInput : an argument is out of range.
        SimulationDeadlock : buffers wait for each other in a circle.
        """
        settings, compiled = self.resolved(config or FogConfig()), self._compiled
        told = self._told(
            load,
            settings,
            lambda flag: _core.simulate_fog(
                compiled.network,
                compiled.traffic,
                compiled.min_ports,
                self._core_config(load, settings),
                flag,
            ),
            stop,
        )
        injected, accepted = (
            self._rates(told[f"{one}_by_switch"], settings) for one in ("generated", "delivered")
        )
        return FogResult.of(
            told,
            switch_injected=injected,
            switch_accepted=accepted,
            unfairness=self._unfairness(injected),
            level_shares=self._shares(told["packets_by_level"]),
            series=_series(told, settings.interval),
        )

    def resolved(self, config: FogConfig) -> FogConfig:
        """Return the settings; raise InvalidInput where they do not fit the network."""
        config.check(self.topology)
        _ = self._compiled
        return config

    @cached_property
    def _compiled(self) -> _Compiled:
        network = core_network(self.topology)
        if self.topology.kinds.names != ("local", "global") or self.topology.node_groups < 2:
            raise InvalidInput(f"router vct-fog is for Dragonflies, which {self.topology} is not")
        traffic = core_traffic(network, self._node_traffic)
        try:
            min_ports = _core.MinPorts(network)
        except ValueError as error:
            raise InvalidInput(f"cannot simulate {self.topology}: {error}") from error
        if not min_ports.halves(network) or not all(map(_is_in_order, min_ports.halves(network))):
            raise InvalidInput(
                f"router vct-fog takes MIN paths of at most a local, a global and a local link; "
                f"{self.topology} has others"
            )
        detours = steering(self.routing).detours != _core.Detours.NEVER
        proof = prove(self.topology, min_ports, vc_policy(_POLICY), has_intermediate=detours)
        return _Compiled(network, traffic, min_ports, proof)

    def _core_config(self, load: float, settings: FogConfig) -> _core.FogConfig:
        count = self.proof.vcs_needed
        return _core.FogConfig(
            **self._offered(load),
            warmup_cycles=settings.warmup_cycles,
            measured_cycles=settings.measured_cycles,
            interval=settings.interval,
            **steering_settings(self.routing),
            vcs=vc_policy(_POLICY).table(count),
            vc_count=count,
            packet_phits=settings.packet_phits,
            speedup=int(settings.speedup),
            rounds=settings.rounds,
            crossbar_latency=settings.crossbar_latency,
            buffer_phits=[settings.local_buffer_phits, settings.global_buffer_phits],
            output_buffer_phits=settings.output_buffer_phits,
            injection_buffer_phits=settings.injection_buffer_phits,
            arbiter=settings.arbiter,
            levels_group=-1 if settings.levels_group is None else settings.levels_group,
            latency=[settings.local_latency, settings.global_latency],
            traced_packets=settings.traced_packets,
        )

    def _rates(self, packets: list[int], settings: FogConfig) -> NDArray[np.float64]:
        """Return what so many packets of each switch are, phits/cycle and node; 0 without nodes."""
        phits = np.array(packets, dtype=np.float64) * settings.packet_phits
        return phits / (settings.measured_cycles * np.maximum(self._nodes, 1))

    def _unfairness(self, injected: NDArray[np.float64]) -> float:
        here = injected[self._nodes > 0]
        return float(here.std() / here.mean()) if here.any() else math.nan

    @property
    def _nodes(self) -> NDArray[np.integer[Any]]:
        return self.topology.switch_nodes

    def _shares(self, packets: list[int]) -> dict[str, float]:
        names = _SEQUENCES.get(next(iter(parse_call(self.routing).arguments), ""), ())
        total = sum(packets)
        if total == 0:
            return {}
        return {name: count / total for name, count in zip(names, packets, strict=False)}


def _is_in_order(half: list[int]) -> bool:
    rest: Iterator[int] = iter(_MIN_HALF)
    return all(any(kind == other for other in rest) for kind in half)


def _series(told: dict[str, Any], interval: int) -> FogSeries:
    accepted = np.array(told["series_accepted"])
    levels = np.array(told["series_levels"])
    return FogSeries(
        np.arange(len(accepted), dtype=np.int64) * interval,
        accepted,
        np.array(told["series_generated"], dtype=np.int64),
        np.array(told["series_latency"]),
        np.array(told["series_level"]),
        levels.reshape(len(accepted), -1) if levels.size else np.zeros((0, 0)),
    )
