"""What is simulated: a topology, a routing, a path set and a traffic pattern together."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property

import numpy as np

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic
from sim_bridge.latencies import LATENCY_SETTINGS
from sim_bridge.routers.iq.config import SimulationConfig, Warmup
from sim_bridge.routers.iq.result import SimulationResult
from sim_bridge.routers.iq.round_trip import round_trip_warnings
from sim_bridge.routers.iq.table import CompiledTable, FollowedTable
from sim_bridge.routing import Routing, steering_settings
from sim_bridge.sampling import make_sampler, with_second_switches
from sim_bridge.scenario import Compiled, RouterScenario
from sim_bridge.statistics import half_width, make_series, ratio
from tvlb.errors import InvalidInput
from tvlb.languages import choose, one_of
from tvlb.native import kernels
from tvlb.native.virtual_channels import vc_policy
from tvlb.paths import PathSet, Switches
from tvlb.statistics import check_seed
from tvlb.topology import Topology
from tvlb.traffic import Pattern, switch_demand


@dataclass(frozen=True)
class _Compiled(Compiled):
    sampler: _core.PathSampler
    warning: str | None
    table: CompiledTable | None


@dataclass(frozen=True, eq=False)
class Scenario(RouterScenario[SimulationConfig, SimulationResult]):
    """A combination to simulate at one or more loads.

    Parameters
    ----------
    topology : the network.
    routing : `Routing` or its text.
    path_set : the VLB paths, on the same topology.
    pattern : the traffic.
    seed : of the random streams, and of patterns without a seed of their own; 0..2^63-1.
    table : the forwarding table of a routing that follows one, of the same topology.

    Raises
    ------
    InvalidInput : unknown routing or one that has no place on the network, path set or table of
        another topology, no table for a routing that follows one or one for another, seed out of
        range, a pattern that does not fit, or a pair without the VLB path that the routing needs.

    Notes
    -----
    Path sets given by their rows are stored on first use, which takes time and memory.
    """

    topology: Topology
    routing: str
    path_set: PathSet
    pattern: Pattern
    seed: int = 0
    table: FollowedTable | None = None

    takes_steps = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "routing", choose(Routing, "routing", self.routing))
        if self.path_set.topology != self.topology:
            raise InvalidInput(
                f"path set {self.path_set} belongs to {self.path_set.topology}, "
                f"not to {self.topology}"
            )
        check_seed(self.seed)
        Routing(self.routing).check(self.topology)
        self._check_table()

    def run(
        self,
        load: float,
        config: SimulationConfig | None = None,
        stop: _core.StopFlag | None = None,
    ) -> SimulationResult:
        """Simulate one load; see `sim_bridge.simulate`."""
        settings, compiled = self.resolved(config or SimulationConfig()), self._compiled
        told = self._told(
            load,
            settings,
            lambda flag: _core.simulate(
                compiled.network,
                compiled.traffic,
                compiled.sampler,
                self._core_config(load, settings),
                flag,
            ),
            stop,
        )
        nodes = self.topology.num_nodes
        # Switches without nodes send and take nothing.
        switch_cycles = settings.measured_cycles * np.maximum(self.topology.switch_nodes, 1)
        accepted = ratio(told["batch_accepted"], told["batch_cycles"]) / nodes
        return SimulationResult.of(
            told,
            path_set=str(self.path_set),
            saturated=None if told["undecided"] else told["saturated"],
            latency_ci95=half_width(ratio(told["batch_latency"], told["batch_packets"])),
            accepted_ci95=half_width(accepted),
            switch_injected=np.array(told["switch_injected"], dtype=np.float64) / switch_cycles,
            switch_accepted=np.array(told["switch_accepted"], dtype=np.float64) / switch_cycles,
            series=make_series(told, settings.interval, nodes),
        )

    def resolved(self, config: SimulationConfig) -> SimulationConfig:
        """Return the settings with what follows from the scenario filled in.

        Raises
        ------
        InvalidInput : see `SimulationConfig.latencies` and `SimulationConfig.resolved_vc_count`.
        """
        scheme = self.table.vc_scheme if self.table else None
        settings = replace(config, vc_scheme=config.vc_scheme or scheme).on(self.topology)
        settings.resolved_vc_count(self.topology, self.routing)
        return settings

    def check_course(self, config: SimulationConfig) -> None:
        """See `RouterScenario.check_course`; what is steady cannot be told of a changing load."""
        super().check_course(config)
        if config.warmup == Warmup.DETECT and self.pattern.load_step is not None:
            raise InvalidInput(
                f"warm-up {config.warmup}: {self.pattern} changes the load in the course of a run, "
                "so that it is never steady; give cycles"
            )

    def warnings(self, config: SimulationConfig) -> tuple[str, ...]:
        """See `RouterScenario.warnings`."""
        own, table = self._compiled.warning, self._compiled.table
        return (
            *round_trip_warnings(self.topology, config),
            *([own] if own else []),
            *(table.warnings(self.resolved(config)) if table else ()),
        )

    @cached_property
    def _compiled(self) -> _Compiled:
        network = core_network(self.topology)
        node_traffic = self._node_traffic
        demand = switch_demand(self.topology, node_traffic)
        sampler, warning = self._sampler(network, demand.source, demand.target)
        table = self.table.compiled(network) if self.table else None
        return _Compiled(network, core_traffic(network, node_traffic), sampler, warning, table)

    def _sampler(
        self, network: kernels.Topology, sources: Switches, targets: Switches
    ) -> tuple[_core.PathSampler, str | None]:
        routing = Routing(self.routing)
        if routing.prefers_vlb and isinstance(self.path_set.draw_rule, kernels.EmptyRule):
            raise InvalidInput(f"routing {routing} needs VLB paths; {self.path_set} has none")
        if not routing.draws_vlb:
            return _core.rule_sampler(network, kernels.EmptyRule()), None
        if routing.decides_again:
            sources, targets = with_second_switches(self.topology, sources, targets)
        sampler = make_sampler(network, self.path_set, sources, targets)
        missing = sampler.pairs_without_path(sources, targets) if routing.prefers_vlb else []
        if not missing:
            return sampler, None
        return sampler, (
            f"path set {self.path_set} has no VLB path for {len(missing):,} of {len(sources):,} "
            f"pairs of switches, such as from switch {sources[missing[0]]} to switch "
            f"{targets[missing[0]]}: they take MIN paths"
        )

    def _core_config(self, load: float, config: SimulationConfig) -> _core.Config:
        settings = asdict(config)
        for name in ("vc_scheme", *LATENCY_SETTINGS):
            del settings[name]
        table = self._compiled.table
        settings |= table.settings(config) if table else self._settings_of_paths(config)
        return _core.Config(
            **steering_settings(self.routing),
            **self._offered(load),
            latency=list(config.latencies(self.topology)),
            **settings,
        )

    def _settings_of_paths(self, config: SimulationConfig) -> dict[str, object]:
        """Return what the core is told of virtual channels without a table; see `CompiledTable`."""
        count = config.resolved_vc_count(self.topology, self.routing)
        return {
            "vc_count": count,
            "vcs": vc_policy(str(config.vc_scheme)).table(count),
            "routes": None,
            "layers": 1,
            "longest_latency": config.longest_latency(self.topology, Routing(self.routing)),
        }

    def _check_table(self) -> None:
        follows = Routing(self.routing).follows_table
        if self.table is None:
            if follows:
                raise InvalidInput(f"routing {self.routing} needs a forwarding table: give table")
            return
        if not follows:
            known = one_of(one for one in Routing if one.follows_table)
            raise InvalidInput(f"table is of routing {known}, not of {self.routing}")
        if self.table.forwarding.topology != self.topology:
            other = self.table.forwarding.topology
            raise InvalidInput(f"{self.table} is of {other}, not of {self.topology}")
