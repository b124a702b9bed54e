"""Types of the compiled simulator core; flat numpy arrays in, plain records out."""

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tvlb._native import Dragonfly, Network

_Int32 = NDArray[np.int32]
_Int64 = NDArray[np.int64]
_Float64 = NDArray[np.float64]

CHECKS_EVERY_CYCLE: bool

class Detours(Enum):
    NEVER = 0
    ALWAYS = 1
    ADAPTIVE = 2

class Routing:
    @property
    def name(self) -> str: ...
    @property
    def decides_again(self) -> bool: ...
    @property
    def detours(self) -> Detours: ...
    @property
    def seconds_per_packet(self) -> float: ...

def routings() -> list[Routing]: ...

class Decide(Enum):
    ONCE = 0
    EACH_ATTEMPT = 1

class Stopped(Enum):
    COMPLETED = 0
    SATURATED_EARLY = 1
    CANCELLED = 2
    DEADLOCKED = 3

MAX_PORTS: int

class Traffic:
    def __init__(
        self,
        network: Network,
        *,
        rate: _Float64,
        uniform_fraction: _Float64,
        destination: _Int32,
        matrix_row: _Int32,
        matrix_offset: _Int64,
        matrix_target: _Int32,
        matrix_cumulative: _Float64,
        matrix_target_is_switch: bool,
    ) -> None: ...
    @property
    def max_rate(self) -> float: ...

class ExplicitRows:
    def __init__(self, network: Dragonfly, *, expected: int, weighted: bool) -> None: ...
    def append(
        self,
        network: Dragonfly,
        *,
        sources: _Int32,
        targets: _Int32,
        offset: _Int64,
        intermediate: _Int32,
        first_link: _Int32,
        second_link: _Int32,
        cumulative: _Float64,
    ) -> None: ...

class PathSampler:
    @staticmethod
    def no_paths() -> PathSampler: ...
    @staticmethod
    def all_triples(network: Dragonfly) -> PathSampler: ...
    @staticmethod
    def short_halves(
        network: Dragonfly, *, max_first: int, max_second: int, max_total: int
    ) -> PathSampler: ...
    @staticmethod
    def shape_paths(
        network: Dragonfly,
        *,
        weight: list[float],
        nearest: list[int],
        drawn_hops: int,
        percent: int,
        seed: int,
    ) -> PathSampler: ...
    @staticmethod
    def rows(rows: ExplicitRows) -> PathSampler:
        """Take the rows over; the argument is empty afterwards."""

    def first_pair_without_path(
        self, network: Dragonfly, sources: _Int32, targets: _Int32
    ) -> tuple[int, int] | None: ...
    def draw(
        self, network: Dragonfly, source: int, target: int, seed: int, number: int
    ) -> tuple[int, int, int] | None: ...

class Config:
    routing: str
    vc_scheme: str
    decide: Decide
    vc_count: int
    buffer_flits: int
    local_latency: int
    global_latency: int
    speedup: int
    threshold: int
    warmup_cycles: int
    measured_cycles: int
    drain_limit_cycles: int
    detect_warmup: bool
    traced_packets: int
    stop_when_saturated: bool
    load: float
    seed: int

class StopFlag:
    """Asks runs to stop, from any thread, and shows how many cycles all of them have done."""

    def set(self) -> None: ...
    def is_set(self) -> bool: ...
    @property
    def cycles_done(self) -> int: ...

class TraceHop:
    @property
    def sw(self) -> int: ...
    @property
    def port(self) -> int: ...
    @property
    def vc(self) -> int: ...
    @property
    def departure(self) -> int: ...

class Trace:
    @property
    def source(self) -> int: ...
    @property
    def destination(self) -> int: ...
    @property
    def created(self) -> int: ...
    @property
    def injected(self) -> int: ...
    @property
    def delivered(self) -> int: ...
    @property
    def took_vlb(self) -> bool: ...
    @property
    def hops(self) -> list[TraceHop]: ...

class Buffer:
    @property
    def link(self) -> int: ...
    @property
    def vc(self) -> int: ...

class Result:
    @property
    def latency_mean(self) -> float: ...
    @property
    def latency_p50(self) -> float: ...
    @property
    def latency_p90(self) -> float: ...
    @property
    def latency_p99(self) -> float: ...
    @property
    def latency_p999(self) -> float: ...
    @property
    def hops_mean(self) -> float: ...
    @property
    def accepted(self) -> float: ...
    @property
    def generated(self) -> float: ...
    @property
    def vlb_share(self) -> float: ...
    @property
    def vlb_share_measured(self) -> float: ...
    @property
    def saturated(self) -> bool: ...
    @property
    def stopped(self) -> Stopped: ...
    @property
    def stop_reason(self) -> str: ...
    @property
    def measured_packets(self) -> int: ...
    @property
    def undelivered(self) -> int: ...
    @property
    def flits_injected(self) -> int: ...
    @property
    def flits_delivered(self) -> int: ...
    @property
    def flits_in_network(self) -> int: ...
    @property
    def flit_hops(self) -> int: ...
    @property
    def cycles(self) -> int: ...
    @property
    def warmup_cycles(self) -> int: ...
    @property
    def steady(self) -> bool: ...
    @property
    def cpu_seconds(self) -> float: ...
    @property
    def link_flits(self) -> list[int]: ...
    @property
    def switch_injected(self) -> list[int]: ...
    @property
    def switch_accepted(self) -> list[int]: ...
    @property
    def batch_cycles(self) -> list[int]: ...
    @property
    def batch_packets(self) -> list[int]: ...
    @property
    def batch_latency(self) -> list[int]: ...
    @property
    def batch_accepted(self) -> list[int]: ...
    @property
    def series_packets(self) -> list[int]: ...
    @property
    def series_latency(self) -> list[int]: ...
    @property
    def traces(self) -> list[Trace]: ...
    @property
    def wait_cycle(self) -> list[Buffer]: ...

def mser_truncation(values: _Float64) -> int: ...
def simulate(
    network: Dragonfly, traffic: Traffic, sampler: PathSampler, config: Config, stop: StopFlag
) -> Result: ...
