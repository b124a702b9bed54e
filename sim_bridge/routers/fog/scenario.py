"""What the router with misrouting policies is asked to carry."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sim_bridge import _core
from sim_bridge.routers.fog.config import FogConfig
from sim_bridge.routers.fog.result import FogResult, FogSeries
from sim_bridge.routers.vct.ports import CompiledWays, PortScenario
from sim_bridge.routing import MISROUTING_ROUTINGS
from sim_bridge.statistics import ratio
from tvlb.errors import InvalidInput
from tvlb.languages import parse_call

_LOCAL, _GLOBAL = 0, 1
_MIN_HALF = (_LOCAL, _GLOBAL, _LOCAL)  # whose parts MIN paths are
_SEQUENCES = {
    "2la": ("crg-gr", "rrg-sw"),
    "2lb": ("crg-sw", "rrg-sw"),
    "3l": ("crg-gr", "crg-sw", "rrg-sw"),
}


@dataclass(frozen=True, eq=False)
class FogScenario(PortScenario[FogConfig, FogResult]):
    """A combination to simulate at one or more loads; see `PortScenario`.

    The network is a Dragonfly whose MIN paths are at most a local, a global and a local link; the
    routing one of `MISROUTING_ROUTINGS`, or with other numbers.
    """

    settings = FogConfig
    result = FogResult
    not_told = (
        "preset",
        "local_buffer_phits",
        "global_buffer_phits",
        "local_latency",
        "global_latency",
    )
    router = "vct-fog"
    routings = MISROUTING_ROUTINGS
    refused = (
        "; routings that draw from path sets or follow forwarding tables are simulated with router "
        "iq"
    )

    def _simulate(self, settings: dict[str, Any], stop: _core.StopFlag) -> dict[str, Any]:
        compiled, config = self._compiled, _core.FogConfig(**settings)
        return _core.simulate_fog(
            compiled.network, compiled.traffic, compiled.min_ports, config, stop
        )

    def _figures(self, told: Mapping[str, Any], settings: FogConfig) -> dict[str, Any]:
        injected = told["switch_injected"][self.topology.switch_nodes > 0]
        return {
            "unfairness": float(injected.std() / injected.mean()) if injected.any() else math.nan,
            "level_shares": self._shares(told["packets_by_level"]),
            "series": self._series(told, settings),
        }

    def resolved(self, config: FogConfig) -> FogConfig:
        """Return the settings; raise InvalidInput where they do not fit the network."""
        self.proof(config.vc_policy)
        config.check(self.topology)
        return config

    @cached_property
    def _compiled(self) -> CompiledWays:
        if self.topology.switch_groups < 2:
            raise InvalidInput(f"router vct-fog is for Dragonflies, which {self.topology} is not")
        compiled = super()._compiled
        halves = compiled.min_ports.halves(compiled.network)
        if not halves or not all(map(_is_in_order, halves)):
            raise InvalidInput(
                f"router vct-fog takes MIN paths of at most a local, a global and a local link; "
                f"{self.topology} has others"
            )
        return compiled

    def _in_core(self, settings: FogConfig) -> dict[str, object]:
        return super()._in_core(settings) | {
            "speedup": int(settings.speedup),
            "buffer_phits": [settings.local_buffer_phits, settings.global_buffer_phits],
            "levels_group": -1 if settings.levels_group is None else settings.levels_group,
        }

    def _shares(self, packets: list[int]) -> dict[str, float]:
        names = _SEQUENCES.get(next(iter(parse_call(self.routing).arguments), ""), ())
        total = sum(packets)
        if total == 0:
            return {}
        return {name: count / total for name, count in zip(names, packets, strict=False)}

    def _series(self, told: Mapping[str, Any], settings: FogConfig) -> FogSeries:
        delivered = np.array(told["series_delivered"], dtype=np.int64)
        cycle = np.arange(len(delivered), dtype=np.int64) * settings.interval
        length = np.minimum(told["cycles"] - cycle, settings.interval)
        level, levels = np.array(told["series_level"]), np.array(told["series_levels"])
        # Counted from 1: where there are levels, there is a sum.
        of_group = level.any() and levels.size
        return FogSeries(
            cycle,
            delivered * settings.packet_phits / (length * self.topology.num_nodes),
            np.array(told["series_generated"], dtype=np.int64),
            ratio(told["series_latency"], told["series_of_generated"]),
            ratio(level, length * self.topology.num_switches * (level > 0)),
            levels.reshape(len(cycle), -1) / length[:, None] if of_group else np.zeros((0, 0)),
        )


def _is_in_order(half: list[int]) -> bool:
    rest: Iterator[int] = iter(_MIN_HALF)
    return all(any(kind == other for other in rest) for kind in half)
