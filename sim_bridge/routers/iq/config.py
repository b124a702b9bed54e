"""The settings of a simulation run, checked when they are made."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import permutations

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
from sim_bridge.routing import Routing
from tvlb.errors import InvalidInput
from tvlb.languages import Flag, Names, Number, Whole, members, one_of, setting, with_default
from tvlb.native.virtual_channels import VcScheme
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


class UgalRule(StrEnum):
    """What UGAL-L and PAR compare: queues times hops, or the MIN queue with twice the VLB queue."""

    HOPS = "hops"
    TWO = "two"


_COUNTED = ("port", "vc", "waiting")


class Queue(StrEnum):
    """What UGAL counts of a link as its queue, for MIN and VLB alike or for each.

    Credits in use of its port; those of the VC that the packet would take; those of that VC without
    the flits that left by it within the last round trip. A hybrid counts the VC's where both paths
    leave by one port, else the port's.
    """

    vars().update(
        members((*_COUNTED, "hybrid", *(f"{one}/{two}" for one, two in permutations(_COUNTED, 2))))
    )


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
    ugal_rule: str = setting(
        UgalRule.HOPS, "What UGAL-L and PAR multiply queues by", Names(UgalRule)
    )
    queue: str = setting(
        "port",
        "Credits in use that UGAL compares: of the port, of the VC that the packet would take, of "
        "that VC without flits in transit, of the VC where both paths leave by one port only; or "
        "MIN's/VLB's",
        Names(Queue),
    )
    threshold: int = setting(0, "UGAL bias T towards MIN, flits", Whole(-1_000_000, 1_000_000))
    vlb_factor: float = setting(1.0, "What UGAL multiplies the VLB side by", Number(0.01, 100))
    candidates: int = setting(
        1, "VLB paths that UGAL draws per decision, of which it takes the best", Whole(1, 16)
    )
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
        if self.decide != Decide.ONCE and routing.follows_table:
            raise InvalidInput(f"decide {self.decide}: the routes of routing {routing} are fixed")
        given: dict[str, tuple[object, object, Callable[[Routing], bool]]] = {
            "ugal_rule": (self.ugal_rule, UgalRule.HOPS, lambda one: one.compares_first_queues),
            "queue": (self.queue, "port", lambda one: one.is_adaptive),
            "threshold": (self.threshold, 0, lambda one: one.is_adaptive),
            "vlb_factor": (self.vlb_factor, 1.0, lambda one: one.is_adaptive),
            "candidates": (self.candidates, 1, lambda one: one.is_adaptive),
        }
        for name, (value, usual, takes) in given.items():
            if value != usual and not takes(routing):
                known = one_of(_as_given(one for one in Routing if takes(one)))
                raise InvalidInput(f"{name} {value} is of the routings {known}, not of {routing}")


def _as_given(routings: Iterable[Routing]) -> Iterable[str]:
    """Return them by the name alone where they take arguments."""
    return dict.fromkeys(one.partition("(")[0] for one in routings)


def _longest_route(topology: Topology, routing: Routing, halves: int) -> tuple[int, ...]:
    """Return the kinds of the links of the longest route."""
    minimal = topology.longest_min_path
    return (minimal[:1] if routing.decides_again else ()) + halves * minimal
