"""What a run of input-queued routers found out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim_bridge.result import RunResult
from sim_bridge.routers.iq.config import SimulationConfig
from sim_bridge.routing import Routing
from sim_bridge.statistics import Series
from sim_bridge.trace import TRACES, PacketTrace
from tvlb.languages import Flag, Names, Number, Text
from tvlb.languages.figures import (
    COUNT,
    CYCLES,
    REAL,
    SECONDS,
    ByLink,
    BySwitch,
    Named,
    Parts,
    Quantity,
    figure,
)

_RATE = Quantity(0.0, unit="packets/cycle/node")
_SHARE = Number(0.0, 1.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class SimulationResult(RunResult):
    """Figures of one run. "Measured packets" are those generated in the measured window.

    Every figure is declared here, by the name that the core gives it if it tells it.

    Attributes
    ----------
    path_set : what was simulated, as text; see `RunResult` for the rest.
    threads : on which it ran, as many as it had use for and were there; documents leave it out.
    latency_ci95, accepted_ci95 : half the 95% confidence interval of latency_mean and accepted.
    generated : packets/cycle/node generated within the measured window.
    undelivered : measured packets not delivered by the end.
    flits_injected : packets that left their node in the whole run.
    flits_in_network : packets inside the network when the run ended, counted one by one.

    Notes
    -----
    In latencies, measured packets that are undelivered when the run ends count with their age; they
    are NaN without packets. Intervals are from 20 batch means of the measured window
    (`sim_bridge.half_width`). Route decisions are those of packets between different switches that
    were generated before the end of the window, as the reference simulator counts; a PAR revision
    is a second decision.
    """

    about = "One run; intervals come from its batch means."
    population = ("generated", "those generated in the measured window")

    topology: str
    routing: str
    path_set: str
    pattern: str
    load: float
    seed: int
    config: SimulationConfig
    threads: int
    accepted: float = figure(
        "Delivered in the measured window", _RATE, "mean", has_interval=True, column=("accepted", 4)
    )
    latency_mean: float = figure(
        "Mean latency of the packets generated in the measured window",
        CYCLES,
        "mean",
        null="without any",
        has_interval=True,
        column=("latency", 2, "+-"),
    )
    latency_p50: float = figure(
        "Median of that latency", CYCLES, "mean", null="", column=("p50", 0)
    )
    latency_p90: float = figure("Percentile 90 of that latency", CYCLES, "mean", null="")
    latency_p99: float = figure(
        "Percentile 99 of that latency", CYCLES, "mean", null="", column=("p99", 0)
    )
    latency_p999: float = figure("Percentile 99.9 of that latency", CYCLES, "mean", null="")
    latency_ci95: float
    hops_mean: float = figure(
        "Network links taken by those packets",
        REAL,
        "mean",
        null="if none was delivered",
        column=("hops", 3),
    )
    accepted_ci95: float
    generated: float
    vlb_share: float = figure(
        "Share of VLB among the route decisions, warm-up included",
        _SHARE,
        "mean",
        null="without any",
        column=("VLB share", 3),
    )
    vlb_share_measured: float = figure(
        "The same for packets generated in the measured window", _SHARE, "mean", null=""
    )
    misrouted: float | None = figure(
        "Of routings by level: share of the delivered packets of that window that took a VLB path",
        _SHARE,
        "mean",
        null="",
        is_later=True,
    )
    level_shares: dict[str, float] | None = figure(
        "Share of these by the path set of their last decision",
        Named(_SHARE),
        is_later=True,
    )
    saturated: bool | None = figure(
        "Whether mean latency is above 500 cycles and five times that of the longest path without "
        "load, or more packets were generated than delivered, by over 0.005 and three standard "
        "deviations",
        Flag(),
        "most",
        null="where the window is too short to tell",
    )
    stopped: str = figure(
        "How the run ended; the figures of one that stopped early are partial",
        Names(("completed", "saturated-early", "sustained-early")),
    )
    stop_reason: str = figure("Why it stopped early, else empty", Text(""))
    warmup_cycles: int = figure("Cycles before the measured window", COUNT, "mean")
    steady: bool = figure(
        "False if the end of the warm-up was to be detected and was not", Flag(), "all"
    )
    undelivered: int
    flits: int = figure("Packets delivered, warm-up and drain included", COUNT, "sum")
    flits_injected: int
    flits_in_network: int
    flit_hops: int = figure("Network links traversed, warm-up and drain included", COUNT, "sum")
    cycles: int = figure("Simulated cycles, warm-up and drain included", COUNT, "sum")
    cpu_seconds: float = figure("Processor time", SECONDS, "sum")
    wall_seconds: float = figure("Elapsed time", SECONDS, "sum")
    switch_injected: NDArray[np.float64] = figure("Sent by the nodes of each switch", BySwitch())
    switch_accepted: NDArray[np.float64] = figure(
        "Delivered to the nodes of each switch", BySwitch()
    )
    link_load: NDArray[np.float64] = figure("", ByLink())
    series: Series = figure("", Parts(Series, "Series"))
    traces: tuple[PacketTrace, ...] = figure("Traced packets, in order of injection", TRACES)

    def __repr__(self) -> str:
        drawn = f" with {self.path_set}" if Routing(self.routing).draws_sets else ""
        state = {True: ", saturated", False: "", None: ", window too short"}[self.saturated]
        return (
            f"<SimulationResult {self.routing}{drawn}, {self.pattern}, load {self.load:g}: latency "
            f"{self.latency_mean:.1f} cycles, accepted {self.accepted:.4f}{state}>"
        )
