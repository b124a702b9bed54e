"""What a run of the virtual cut-through router found out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim_bridge.routers.vct.config import VctConfig
from sim_bridge.trace import PacketTrace
from tvlb.documents import Frame


@dataclass(frozen=True, eq=False)
class VctResult(Frame):
    """Figures of one run, of packets whose last phit was delivered in the measured window.

    Attributes
    ----------
    routing, pattern : what was simulated, as text.
    load : phits/cycle and node, times the node's rate in the pattern.
    seed, config : the rest of what determines the result.
    latency_mean : cycles from generation to the delivery of the last phit; nan without packets.
    hops_mean : network links taken; nan without packets.
    accepted : phits/cycle/node delivered within the window.
    injected : phits/cycle/node sent by nodes within the window.
    refused : packets per node that found the queue of their node full within the window.
    jain : Jain's index of the phits delivered to each node within the window.
    series : float64, accepted in each 1,000 cycles of the run, from cycle 0.
    link_load : float64 (links,), phits/cycle over each link in the window, by link id.
    traces : the packets asked for by `config.traced_packets`, generated in the window, in order of
        injection; `delivered` is that of the last phit.
    phit_hops : phits times the network links they took, in the whole run.
    cycles : length of the run.
    stopped : "completed"; "cancelled", or "ended" by what watched it: then the figures are partial.
    cpu_seconds : processor time of the run's thread; wall_seconds : elapsed time.
    """

    routing: str
    pattern: str
    load: float
    seed: int
    config: VctConfig
    latency_mean: float
    hops_mean: float
    accepted: float
    injected: float
    refused: float
    jain: float
    series: NDArray[np.float64]
    link_load: NDArray[np.float64]
    traces: tuple[PacketTrace, ...]
    phit_hops: int
    cycles: int
    stopped: str
    cpu_seconds: float
    wall_seconds: float

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one, of the figures that are single numbers or texts."""
        plain = int | float | str | bool
        return [{name: one for name, one in vars(self).items() if isinstance(one, plain)}]

    def __repr__(self) -> str:
        return (
            f"<VctResult {self.routing}, {self.pattern}, load {self.load:g}: accepted "
            f"{self.accepted:.4f}, latency {self.latency_mean:.1f} cycles>"
        )
