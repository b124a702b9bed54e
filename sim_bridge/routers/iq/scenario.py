"""What is simulated: a topology, a routing, a path set and a traffic pattern together."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sim_bridge import _core
from sim_bridge.conversion import core_network, core_traffic
from sim_bridge.latencies import LATENCY_SETTINGS
from sim_bridge.routers.iq.config import Decide, SimulationConfig, Warmup
from sim_bridge.routers.iq.result import SimulationResult
from sim_bridge.routers.iq.round_trip import round_trip_warnings
from sim_bridge.routers.iq.table import CompiledTable, FollowedTable, split_warnings
from sim_bridge.routing import MOST_LEVELS, SEQUENCES, SETS, Routing
from sim_bridge.sampling import ANY_SET, DrawsPaths, Split
from sim_bridge.scenario import Compiled, RouterScenario
from sim_bridge.statistics import half_width, make_series, ratio
from tvlb.errors import InvalidInput
from tvlb.languages import Call, choose, in_turn, parse_call
from tvlb.native.virtual_channels import vc_policy
from tvlb.paths import PathSet, parse_expression
from tvlb.processes import check_workers
from tvlb.statistics import check_seed
from tvlb.topology import Topology
from tvlb.traffic import Pattern, switch_pairs


@dataclass(frozen=True)
class _Compiled(Compiled):
    samplers: list[_core.PathSampler]
    warning: str | None
    table: CompiledTable | None


@dataclass(frozen=True, eq=False)
class _ByLevel:
    misrouted: float | None
    shares: dict[str, float] | None


@dataclass(frozen=True, eq=False)
class Scenario(DrawsPaths, RouterScenario[SimulationConfig, SimulationResult]):
    """A combination to simulate at one or more loads.

    Parameters
    ----------
    topology : the network.
    routing : `Routing` or its text.
    path_set : the VLB paths, on the same topology; of a routing that draws by level two or three
        sets, short paths first, or any one where it names a sequence of its own (`SEQUENCES`),
        which becomes its sets.
    pattern : the traffic.
    seed : of the random streams, and of patterns without a seed of their own; 0..2^63-1.
    table : of the same topology, what a routing by a table takes: the forwarding table that packets
        follow, or the split that they draw their paths from.

    Raises
    ------
    InvalidInput : unknown routing or one that has no place on the network, path set or table of
        another topology, no table, or one of another kind, for a routing that takes one, or
        one for another, seed out of range, a pattern that does not fit, or a pair without the VLB
        path that the routing needs.

    Notes
    -----
    Path sets given by their rows are stored on first use, which takes time and memory.
    """

    topology: Topology
    routing: str
    path_set: PathSet | Sequence[PathSet]
    pattern: Pattern
    seed: int = 0
    table: FollowedTable | Split | None = None

    takes_steps = True
    takes_threads = True
    settings = SimulationConfig
    result = SimulationResult
    not_told = ("vc_scheme", *LATENCY_SETTINGS)

    def __post_init__(self) -> None:
        object.__setattr__(self, "routing", choose(Routing, "routing", self.routing))
        check_seed(self.seed)
        Routing(self.routing).check(self.topology)
        self._check_path_sets()
        self.check_table(Routing)

    @property
    def draws_sets(self) -> bool:
        """See `DrawsPaths`."""
        return Routing(self.routing).draws_sets

    def run(
        self,
        load: float,
        config: SimulationConfig | None = None,
        stop: _core.StopFlag | None = None,
        *,
        threads: int = 1,
        verdict_only: bool = False,
    ) -> SimulationResult:
        """Simulate one load; see `RouterScenario.run`.

        Parameters
        ----------
        threads : most threads of the run, which changes nothing but times; one does all where the
            queues of any switch decide while others move (PAR but on a Dragonfly, routings by
            level) and of a run with traces.
        verdict_only : whether a run also ends as soon as it is certain that the load is sustained;
            its figures are partial then, and a deadlock of the drain is not seen.

        Raises
        ------
        InvalidInput : see `RouterScenario.run`.
        """
        check_workers(threads, "threads")
        return self._run(load, config, stop, threads=threads, verdict_only=verdict_only)

    def _simulate(
        self, settings: dict[str, Any], stop: _core.StopFlag, **of_run: int
    ) -> dict[str, Any]:
        network, traffic, samplers = (
            self._compiled.network,
            self._compiled.traffic,
            self._compiled.samplers,
        )
        return _core.simulate(network, traffic, samplers, _core.Config(**settings, **of_run), stop)

    def _figures(self, told: Mapping[str, Any], settings: SimulationConfig) -> dict[str, Any]:
        nodes, by_level = self.topology.num_nodes, self._by_level(told)
        accepted = ratio(told["batch_accepted"], told["batch_cycles"]) / nodes
        return {
            "misrouted": by_level and by_level.misrouted,
            "level_shares": by_level and by_level.shares,
            "path_set": in_turn(map(str, self.path_sets)),
            "saturated": None if told["undecided"] else told["saturated"],
            "latency_ci95": half_width(ratio(told["batch_latency"], told["batch_packets"])),
            "accepted_ci95": half_width(accepted),
            "series": make_series(told, settings.interval, nodes, has_levels=by_level is not None),
        }

    def _by_level(self, told: Mapping[str, Any]) -> _ByLevel | None:
        """Return what the core tells of levels; None of a routing without."""
        if not Routing(self.routing).draws_by_level:
            return None
        by_level = np.array(told["delivered_by_level"], dtype=np.float64)
        detours, delivered = float(by_level.sum()), told["measured_delivered"]
        names = map(str, self.path_sets)
        shares = dict(zip(names, (by_level / detours).tolist(), strict=True)) if detours else None
        return _ByLevel(detours / delivered if delivered else None, shares)

    def resolved(self, config: SimulationConfig) -> SimulationConfig:
        """Return the settings with what follows from the scenario filled in.

        Raises
        ------
        InvalidInput : see `SimulationConfig.latencies` and `SimulationConfig.resolved_vc_count`.
        """
        scheme = self._followed.vc_scheme if self._followed else None
        settings = replace(config, vc_scheme=config.vc_scheme or scheme).on(self.topology)
        settings = self.ruled(settings)
        settings.resolved_vc_count(self.topology, self.routing)
        if not Routing(self.routing).decides_each_attempt:
            return settings
        return replace(settings, decide=Decide.EACH_ATTEMPT)

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
            *(self._split_warnings(config) if isinstance(self.table, Split) else ()),
        )

    def _split_warnings(self, config: SimulationConfig) -> tuple[str, ...]:
        assert isinstance(self.table, Split)
        settings = self.resolved(config)
        count = settings.resolved_vc_count(self.topology, self.routing)
        pairs = switch_pairs(self.topology, self._node_traffic)
        return split_warnings(self.table, pairs, str(settings.vc_scheme), count)

    @cached_property
    def _compiled(self) -> _Compiled:
        network = core_network(self.topology)
        node_traffic = self._node_traffic
        samplers, warning = self.samplers(
            network, lambda: switch_pairs(self.topology, node_traffic)
        )
        table = self._followed.compiled(network) if self._followed else None
        return _Compiled(network, core_traffic(network, node_traffic), samplers, warning, table)

    @property
    def _followed(self) -> FollowedTable | None:
        return self.table if isinstance(self.table, FollowedTable) else None

    def _in_core(self, settings: SimulationConfig) -> dict[str, object]:
        table = self._compiled.table
        more = table.settings(settings) if table else self._settings_of_paths(settings)
        return more | {"latency": list(settings.latencies(self.topology))}

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

    def _check_path_sets(self) -> None:
        routing = parse_call(self.routing)
        if not Routing(self.routing).draws_by_level:
            if len(self.path_sets) != 1:
                raise InvalidInput(
                    f"routing {routing} draws from one path set, not from {len(self.path_sets)}"
                )
        elif (word := routing.arguments[0]) != SETS:
            self._take_sequence(routing, word)
        else:
            self._check_levels(routing)
        self.check_networks()

    def _take_sequence(self, routing: Call, word: str) -> None:
        if any(str(one) not in ANY_SET for one in self.path_sets):
            raise InvalidInput(
                f"routing {routing} names path sets of its own: give {routing.name} with "
                f"{in_turn(map(str, self.path_sets))}, or {word} alone"
            )
        try:
            sets = tuple(parse_expression(one, self.topology) for one in SEQUENCES[word])
        except InvalidInput as error:
            raise InvalidInput(
                f"routing {routing}: its path sets are of Dragonflies, not of {self.topology}; "
                f"give {routing.name} and path sets of this network"
            ) from error
        object.__setattr__(self, "path_set", sets)
        object.__setattr__(self, "routing", Routing(str(replace(routing, arguments=(SETS,)))))
        vars(self).pop("path_sets")

    def _check_levels(self, routing: Call) -> None:
        given = len(self.path_sets)
        if not 2 <= given <= MOST_LEVELS:
            raise InvalidInput(
                f"routing {routing} draws from 2 to {MOST_LEVELS} path sets, short paths first; "
                f"given: {given}"
            )
        if repeated := [
            one for one, count in Counter(map(str, self.path_sets)).items() if count > 1
        ]:
            raise InvalidInput(f"path set {repeated[0]} is given twice to routing {routing}")
        of_three = [key for key, _ in routing.keywords if key.endswith("2")]
        if given == 2 and of_three:
            raise InvalidInput(
                f"routing {routing}: {of_three[0]} is of three path sets, not of two"
            )
