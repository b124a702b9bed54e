"""What a run of the virtual cut-through router found out."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sim_bridge.result import PHIT_RATE, PhitResult
from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.trace import TRACES, PacketTrace
from tvlb.languages import Number
from tvlb.languages.figures import (
    COUNT,
    Parts,
    Quantity,
    Values,
    figure,
)


@dataclass(frozen=True, eq=False)
class _Course:
    """The course of a run in intervals of cycles, warm-up included."""

    cycle: NDArray[np.int64] = figure("First cycle of each interval", Values(COUNT))
    accepted: NDArray[np.float64] = figure("Delivered in it", Values(Quantity(unit=PHIT_RATE.unit)))

    @classmethod
    def of(cls, result: "VctResult") -> Self:
        return cls(np.arange(len(result.series)) * result.config.interval, result.series)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class VctResult(PhitResult):
    """Figures of one run, of packets whose last phit was delivered in the measured window.

    Every figure is declared here, by the name that the core gives it if it tells it; means are NaN
    without packets. `series` is float64, accepted in each interval of the run, from cycle 0.

    Attributes
    ----------
    stopped : "completed"; "cancelled", or "ended" by what watched it: then the figures are partial.
    """

    config: VctConfig
    injected: float = figure(
        "Sent by the nodes in the measured window", PHIT_RATE, "mean", column=("injected", 4)
    )
    refused: float = figure(
        "Packets per node that found its queue full in the measured window",
        Number(0.0),
        "mean",
        column=("refused/node", 1),
    )
    vlb_share: float | None = figure(
        "Share of VLB among the route decisions between different switches, warm-up included",
        Number(0.0, 1.0),
        "mean",
        null="without any",
        is_later=True,
    )
    jain: float = figure(
        "Jain's index of the phits delivered to each node in the measured window, 1 if all are "
        "equal",
        Number(0.0),
        "mean",
        null="without any",
        column=("Jain's index", 4),
    )
    series: NDArray[np.float64] = figure("", Parts(_Course, "VctSeries", of=_Course.of))
    traces: tuple[PacketTrace, ...] = figure(
        "Traced packets, generated in the measured window, in order of injection",
        TRACES,
        is_later=True,
    )
