"""What a run found out, whatever the model of its routers."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import Frame
from tvlb.languages.figures import COUNT, CYCLES, REAL, SECONDS, ByLink, Quantity, figure

PHIT_RATE = Quantity(0.0, unit="phits/cycle/node")
"""Of loads of routers whose packets have several phits."""


class RunResult(Frame):
    """What a run found out; the dataclass of every router declares its own figures.

    Attributes
    ----------
    about : what their documents are, in a sentence.
    population : whose latency and hops are told, in a word and in words.
    topology : the network, as it prints.
    load : offered, in the unit of the router, times the node's rate in the pattern.
    seed : of the run.
    """

    about: ClassVar[str] = "One run; it tells no intervals."
    population: ClassVar[tuple[str, str]]
    topology: str
    load: float
    seed: int

    @classmethod
    def of(cls, told: Mapping[str, Any], **computed: Any) -> Self:
        """Return the result of what the core told, and of what is computed from that."""
        declared: Any = cls
        names = {one.name for one in fields(declared)} - computed.keys()
        return cls(**computed, **{name: told[name] for name in names})

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one, of the figures that are single numbers or texts."""
        plain = int | float | str | bool
        return [{name: one for name, one in vars(self).items() if isinstance(one, plain)}]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PhitResult(RunResult):
    """What routers whose packets have several phits tell alike.

    Figures are of packets whose last phit was delivered in the measured window, by the names that
    the cores give them; means are NaN without packets.

    Attributes
    ----------
    stopped : "completed"; else how the run ended before its window: then the figures are partial.
    """

    population = ("delivered", "packets whose last phit was delivered in the measured window")

    topology: str
    routing: str
    pattern: str
    load: float
    seed: int
    accepted: float = figure(
        "Delivered in the measured window",
        PHIT_RATE,
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
    phit_hops: int = figure(
        "Phits times the network links that they took, warm-up included", COUNT, "sum"
    )
    cycles: int = figure("Simulated cycles, warm-up included", COUNT, "sum")
    stopped: str
    cpu_seconds: float = figure("Processor time", SECONDS, "sum")
    wall_seconds: float = figure("Elapsed time", SECONDS, "sum")
    link_load: NDArray[np.float64] = figure("", ByLink())

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.routing}, {self.pattern}, load {self.load:g}: accepted "
            f"{self.accepted:.4f}, latency {self.latency_mean:.1f} cycles>"
        )
