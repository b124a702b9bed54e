"""What a run of the virtual cut-through router found out."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sim_bridge.result import RunResult
from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.trace import TRACES, PacketTrace
from tvlb.languages import Number
from tvlb.languages.figures import (
    COUNT,
    CYCLES,
    REAL,
    SECONDS,
    ByLink,
    Parts,
    Quantity,
    Values,
    figure,
)

_UNIT = "phits/cycle/node"
_RATE = Quantity(0.0, unit=_UNIT)


@dataclass(frozen=True, eq=False)
class _Course:
    """The course of a run in intervals of cycles, warm-up included."""

    cycle: NDArray[np.int64] = figure("First cycle of each interval", Values(COUNT))
    accepted: NDArray[np.float64] = figure("Delivered in it", Values(Quantity(unit=_UNIT)))

    @classmethod
    def of(cls, result: "VctResult") -> Self:
        return cls(np.arange(len(result.series)) * result.config.interval, result.series)


@dataclass(frozen=True, eq=False, kw_only=True)
class VctResult(RunResult):
    """Figures of one run, of packets whose last phit was delivered in the measured window.

    Every figure is declared here, by the name that the core gives it if it tells it; means are NaN
    without packets. `series` is float64, accepted in each interval of the run, from cycle 0.

    Attributes
    ----------
    stopped : "completed"; "cancelled", or "ended" by what watched it: then the figures are partial.
    """

    population = ("delivered", "packets whose last phit was delivered in the measured window")

    topology: str
    routing: str
    pattern: str
    load: float
    seed: int
    config: VctConfig
    accepted: float = figure(
        "Delivered in the measured window",
        _RATE,
        "mean",
        has_interval=True,
        column=("accepted", 4, "+-"),
    )
    latency_mean: float = figure(
        "Mean latency, from generation to the delivery of the last phit, of the packets delivered "
        "in the measured window",
        CYCLES,
        "mean",
        null="without any",
        has_interval=True,
        column=("latency", 2, "+-"),
    )
    hops_mean: float = figure(
        "Network links taken by those packets", REAL, "mean", null="without any", column=("hops", 3)
    )
    injected: float = figure(
        "Sent by the nodes in the measured window", _RATE, "mean", column=("injected", 4)
    )
    refused: float = figure(
        "Packets per node that found its queue full in the measured window",
        Number(0.0),
        "mean",
        column=("refused/node", 1),
    )
    jain: float = figure(
        "Jain's index of the phits delivered to each node in the measured window, 1 if all are "
        "equal",
        Number(0.0),
        "mean",
        null="without any",
        column=("Jain's index", 4),
    )
    phit_hops: int = figure(
        "Phits times the network links that they took, warm-up included", COUNT, "sum"
    )
    cycles: int = figure("Simulated cycles, warm-up included", COUNT, "sum")
    stopped: str
    cpu_seconds: float = figure("Processor time", SECONDS, "sum")
    wall_seconds: float = figure("Elapsed time", SECONDS, "sum")
    link_load: NDArray[np.float64] = figure("", ByLink())
    series: NDArray[np.float64] = figure("", Parts(_Course, "VctSeries", of=_Course.of))
    traces: tuple[PacketTrace, ...] = figure(
        "Traced packets, generated in the measured window, in order of injection",
        TRACES,
        is_later=True,
    )

    def __repr__(self) -> str:
        return (
            f"<VctResult {self.routing}, {self.pattern}, load {self.load:g}: accepted "
            f"{self.accepted:.4f}, latency {self.latency_mean:.1f} cycles>"
        )
