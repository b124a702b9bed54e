"""What a simulation run found out."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim_bridge.routers.iq.config import SimulationConfig
from sim_bridge.statistics import Series
from sim_bridge.trace import PacketTrace
from tvlb.documents import Frame


@dataclass(frozen=True, eq=False)
class SimulationResult(Frame):
    """Figures of one run. "Measured packets" are those generated in the measured window.

    Attributes
    ----------
    routing, path_set, pattern : what was simulated, as text.
    load : packets/cycle and node, times the node's rate in the pattern.
    seed, config : the rest of what determines the result.
    latency_mean, latency_p50, latency_p90, latency_p99, latency_p999 : cycles from generation to
        delivery of the measured packets; those undelivered when the run ended count with their
        age. NaN without packets.
    latency_ci95, accepted_ci95 : half the 95% confidence interval of latency_mean and accepted,
        from 20 batch means of the measured window (`sim_bridge.statistics.half_width`).
    hops_mean : network links taken by the measured packets delivered; NaN without any.
    accepted : packets/cycle/node delivered within the measured window.
    generated : packets/cycle/node generated within the measured window.
    vlb_share : share of VLB among the route decisions of packets between different switches
        that were generated before the end of the window, warm-up included, as the reference
        simulator counts; a PAR revision is a second decision. NaN without decisions.
    vlb_share_measured : the same of measured packets only.
    saturated : mean latency above 500 cycles, or accepted below 0.995 of generated.
    warmup_cycles : cycles before the measured window.
    steady : False if the warm-up was to be detected and its end was not, up to the limit.
    stopped : "completed", "saturated-early" or "cancelled"; the figures of the last two are
        partial.
    stop_reason : why a run stopped early, else "".
    undelivered : measured packets not delivered by the end.
    flits : packets delivered in the whole run, warm-up and drain included.
    flits_injected : packets that left their node in the whole run.
    flits_in_network : packets inside the network when the run ended, counted one by one.
    flit_hops : network links traversed in the whole run.
    cycles : length of the whole run.
    link_load : float64 (links,), flits/cycle over each link in the measured window, by link id.
    switch_injected, switch_accepted : float64 (switches,), packets/cycle/node sent by the nodes of
        each switch in the measured window, and delivered to them.
    series : accepted load and latency per 1,000 cycles of the run.
    traces : the packets asked for by `config.traced_packets`, in order of injection.
    cpu_seconds : processor time of the run's thread; wall_seconds : elapsed time.
    """

    routing: str
    path_set: str
    pattern: str
    load: float
    seed: int
    config: SimulationConfig
    latency_mean: float
    latency_p50: float
    latency_p90: float
    latency_p99: float
    latency_p999: float
    latency_ci95: float
    hops_mean: float
    accepted: float
    accepted_ci95: float
    generated: float
    vlb_share: float
    vlb_share_measured: float
    saturated: bool
    warmup_cycles: int
    steady: bool
    stopped: str
    stop_reason: str
    undelivered: int
    flits: int
    flits_injected: int
    flits_in_network: int
    flit_hops: int
    cycles: int
    link_load: NDArray[np.float64]
    switch_injected: NDArray[np.float64]
    switch_accepted: NDArray[np.float64]
    series: Series
    traces: tuple[PacketTrace, ...]
    cpu_seconds: float
    wall_seconds: float

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one, of the figures that are single numbers or texts."""
        plain = int | float | str | bool
        return [{name: one for name, one in vars(self).items() if isinstance(one, plain)}]

    def __repr__(self) -> str:
        drawn = "" if self.routing == "min" else f" with {self.path_set}"
        state = ", saturated" if self.saturated else ""
        return (
            f"<SimulationResult {self.routing}{drawn}, {self.pattern}, load {self.load:g}: latency "
            f"{self.latency_mean:.1f} cycles, accepted {self.accepted:.4f}{state}>"
        )
