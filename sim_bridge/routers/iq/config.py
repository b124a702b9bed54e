"""The settings of a simulation run, checked when they are made."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

import numpy as np

from sim_bridge import _core
from sim_bridge.config import MAX_CYCLES, RunConfig
from sim_bridge.latencies import (
    LATENCY_SETTINGS,
    latencies,
    latencies_setting,
    latency_setting,
    latency_settings,
)
from sim_bridge.routing import Routing, takes_table
from sim_bridge.rule import check_rule, rule_of, rule_setting, ruled
from tvlb.errors import InvalidInput
from tvlb.languages import Flag, Names, Number, Whole, members, one_of, setting, with_default
from tvlb.native.virtual_channels import VcScheme
from tvlb.paths import UgalRule
from tvlb.topology import Topology

_OF_NETWORK = "what the family of the network, or its file, says"
MAX_VCS = 16
LAYER = "layer"
# A packet without any wait takes some cycles, and some more than its latency for each link.
ZERO_LOAD_CYCLES, _OF_LINK = 5, 2


class VcChoice(StrEnum):
    """How packets get virtual channels: a scheme, or the layer of a forwarding table's route."""

    vars().update(members((*VcScheme, LAYER)))


class Decide(StrEnum):
    """When the source decides: once, or again every cycle while the packet heads its queue."""

    ONCE = "once"
    EACH_ATTEMPT = "each-attempt"


class Warmup(StrEnum):
    """When the measured window begins: after a fixed time, or when the run has become steady."""

    FIXED = "fixed"
    DETECT = "detect"


@dataclass(frozen=True)
class SimulationConfig(RunConfig):
    """Router, window and stopping settings; the defaults are Table 3 of the T-UGAL paper.

    Names of choices may be given as text.

    Raises
    ------
    InvalidInput : see `RunConfig`.

    Notes
    -----
    With a detected warm-up, from `measured_cycles` on, every 1,000 cycles, the warm-up is over if
    MSER (White, Cobb, Spratt, 2000) drops no more than the first half of the mean latencies per 100
    cycles. A run that may stop when saturated ends as soon as that is certain, or during warm-up
    when the mean over packets delivered in the last 1,000 cycles (latency) and packets waiting
    (age) exceeds 1,000 cycles; its figures are partial.
    """

    warmup_cycles: int = setting(
        30_000,
        "Cycles before the measured window; with a detected warm-up, at most so many",
        Whole(0, MAX_CYCLES),
        option=None,
    )
    measured_cycles: int = with_default(RunConfig, "measured_cycles", 10_000)
    warmup: str = setting(
        Warmup.FIXED,
        "Whether the warm-up is fixed or ends when a run is steady",
        Names(Warmup),
        option=None,
    )
    drain_limit_cycles: int = setting(
        20_000,
        "Most cycles after the measured window to wait for its packets",
        Whole(0, MAX_CYCLES),
        option=None,
    )
    # What is left open is filled in before a document is written.
    vc_scheme: str | None = setting(
        None,
        "VC scheme; layer: of a forwarding table, the layer of the route",
        Names(VcChoice),
        option="vcs",
        unset="that of the network's family; of a forwarding table layer, if it has several, else "
        "per-hop",
    )
    # VC indices of a scheme that needs more are clamped.
    vc_count: int | None = setting(
        None,
        "Virtual channels per port",
        Whole(1, MAX_VCS),
        unset="what the scheme needs",
        null="what the scheme needs",
    )
    buffer_flits: int = setting(32, "Buffer per input VC, flits", Whole(1, 4096), option="buffer")
    local_latency: int | None = latency_setting("links other than global ones", _OF_NETWORK)
    global_latency: int | None = latency_setting("global links", _OF_NETWORK)
    link_latencies: str | None = latencies_setting(_OF_NETWORK)
    # Of 2.5, two and three in turn.
    speedup: float = setting(2.0, "Internal switch steps per cycle", Number(1, 16))
    # How UGAL compares; see `UgalRule` and `ruled`.
    ugal_rule: str | None = rule_setting("ugal_rule")
    queue: str | None = rule_setting("queue")
    threshold: int | None = rule_setting("threshold")
    vlb_factor: float | None = rule_setting("vlb_factor")
    candidates: int | None = rule_setting("candidates")
    # Routings by level decide at each attempt whatever it says.
    decide: str = setting(Decide.ONCE, "When the source decides", Names(Decide))
    stop_when_saturated: bool = setting(
        False, "Whether a run ends as soon as it is certain to be saturated", Flag(), option=None
    )

    @property
    def most_cycles(self) -> int:
        """See `RunConfig.most_cycles`."""
        return super().most_cycles + self.drain_limit_cycles

    def latencies(self, topology: Topology) -> tuple[int, ...]:
        """Latency of the links of each kind, cycles: a setting, or what the network says.

        Raises
        ------
        InvalidInput : a setting is given for a kind of links that the network does not have.
        """
        return latencies(topology, self, topology.kinds.latencies)

    def on(self, topology: Topology) -> "SimulationConfig":
        """Return the settings with what the family of a network says filled in.

        Raises
        ------
        InvalidInput : see `latencies`.
        """
        known = latency_settings(topology, self.latencies(topology))
        return replace(self, vc_scheme=self.vc_scheme or topology.vc_scheme, **known)

    def bare_on(self, topology: Topology) -> "SimulationConfig":
        """Return the settings without what the family of a network says anyway; see `on`."""
        usual, known = SimulationConfig().on(topology), self.on(topology)
        names = ("vc_scheme", *LATENCY_SETTINGS)
        told = {name: getattr(known, name) for name in names}
        same = [name for name in names if told[name] == getattr(usual, name)]
        return replace(self, **told | dict.fromkeys(same))

    def resolved_vc_count(self, topology: Topology, routing: str) -> int:
        """Virtual channels per port that a run with this routing has.

        MIN routing has as many as routings with VLB paths, as far as the simulator has them; what
        a forwarding table needs its routes tell, and this is the most.

        Raises
        ------
        InvalidInput : the routing has no place on the network, routes are too long for the
            simulator, or settings are given that have no meaning for the routing.
        """
        chosen = Routing(routing)
        chosen.check(topology)
        self.check(chosen)
        if chosen.follows_table:
            return MAX_VCS if self.vc_count is None else self.vc_count
        halves = 2 if chosen.draws_vlb else 1
        links = halves * len(topology.longest_min_path) + chosen.decides_again
        if links > _core.MAX_HOPS:
            raise InvalidInput(
                f"routing {chosen} on {topology} takes up to {links} links; the simulator follows "
                f"at most {_core.MAX_HOPS}"
            )
        return self.vcs_needed(topology, chosen) if self.vc_count is None else self.vc_count

    def vcs_needed(self, topology: Topology, routing: Routing, halves: int = 2) -> int:
        """Virtual channels per port that the longest routes need, as far as there can be.

        Parameters
        ----------
        halves : MIN paths that a route is made of.
        """
        scheme = VcScheme(self.vc_scheme or topology.vc_scheme)
        return min(
            scheme.vcs_needed(np.array([_longest_route(topology, routing, halves)], dtype=np.int8)),
            MAX_VCS,
        )

    def flight_cycles(self, topology: Topology) -> int:
        """Latency of the links of the longest VLB path, cycles."""
        of_kind = self.latencies(topology)
        return 2 * sum(of_kind[kind] for kind in topology.longest_min_path)

    def longest_latency(self, topology: Topology, routing: Routing) -> int:
        """Latency of a packet that never waits on the longest path of a routing, cycles."""
        of_link = self.link_cycles(topology)
        route = _longest_route(topology, routing, 2 if routing.draws_vlb else 1)
        return ZERO_LOAD_CYCLES + sum(of_link[kind] for kind in route)

    def link_cycles(self, topology: Topology) -> list[int]:
        """Cycles that a packet that never waits takes for a link of each kind."""
        return [latency + _OF_LINK for latency in self.latencies(topology)]

    def check(self, routing: Routing) -> None:
        """Raise InvalidInput if a setting has no meaning for a routing."""
        if self.vc_scheme == LAYER and not routing.follows_table:
            known = one_of(one for one in Routing if one.follows_table)
            raise InvalidInput(f"vcs {LAYER} is of routing {known}, not of {routing}")
        if self.decide != Decide.ONCE and takes_table(routing):
            raise InvalidInput(f"decide {self.decide}: the routes of routing {routing} are fixed")
        check_rule(self, routing, Routing)

    def ruled(self, rule: UgalRule, routing: Routing) -> Self:
        """See `sim_bridge.rule.ruled`."""
        return ruled(self, rule, routing.takes_of_rule)

    @property
    def rule(self) -> UgalRule:
        """How UGAL compares; what is left open as published."""
        return rule_of(self)


def _longest_route(topology: Topology, routing: Routing, halves: int) -> tuple[int, ...]:
    """Return the kinds of the links of the longest route."""
    minimal = topology.longest_min_path
    return (minimal[:1] if routing.decides_again else ()) + halves * minimal
