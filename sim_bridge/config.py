"""Settings that routers of several models have; see `tvlb.languages.setting`."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

from tvlb.errors import InvalidInput
from tvlb.languages import Number, Whole, WholeOrText, check_settings, setting, settings

MAX_CYCLES = 100_000_000
INTERVAL = 1000
"""Cycles of the intervals of a series, where nothing else is asked for."""
_MOST_INTERVALS = 1_000_000
MOST_PHITS = 65_536
"""Of a buffer."""
_COUNTED_PACKETS = 127


@dataclass(frozen=True)
class RunConfig:
    """Window of a run and what is told of it; routers have dataclasses of their own.

    Every setting of these is declared there, and named once more in `config.hpp` of the router.

    Raises
    ------
    InvalidInput : a value is out of range, or a series would fill the memory.
    """

    warmup_cycles: int = setting(
        20_000,
        "Cycles before the measured window",
        WholeOrText(0, MAX_CYCLES, "CYCLES"),
        option="warmup",
    )
    measured_cycles: int = setting(20_000, "Measured cycles", Whole(1, MAX_CYCLES), option="cycles")
    _: KW_ONLY
    traced_packets: int = setting(
        0, "Measured packets to trace per run", Whole(0, 100_000), option="traces"
    )
    interval: int = setting(
        INTERVAL, "Cycles of each interval of the series", Whole(1, MAX_CYCLES), is_later=True
    )

    def __post_init__(self) -> None:
        check_settings(self)
        for name, one in settings(type(self)).items():
            # Equal settings are written alike.
            if isinstance(one.kind, Number) and getattr(self, name) is not None:
                object.__setattr__(self, name, float(getattr(self, name)))
        if self.most_cycles > self.interval * _MOST_INTERVALS:
            raise InvalidInput(
                f"interval {self.interval}: a run of up to {self.most_cycles:,} cycles has more "
                f"than {_MOST_INTERVALS:,} of them, which would fill the memory; take "
                f"{math.ceil(self.most_cycles / _MOST_INTERVALS):,} or more"
            )

    @property
    def most_cycles(self) -> int:
        """Cycles of the longest run."""
        return self.warmup_cycles + self.measured_cycles


def packet_setting(phits: int) -> Any:
    """Declare the length of packets as a setting."""
    return setting(phits, "Phits of a packet", Whole(1, 1024), option="packet")


def buffer_setting(phits: int | None, text: str, option: str, unset: str | None = None) -> Any:
    """Declare a buffer of so many phits as a setting; see `check_packets`."""
    return setting(phits, f"{text}, phits", Whole(1, MOST_PHITS), option=option, unset=unset)


def check_packets(packet: int, most: int | None = None, **buffers: int) -> None:
    """Raise InvalidInput unless buffers, by their options, hold whole packets.

    Parameters
    ----------
    packet, buffers : phits.
    most : largest buffer; by default one of which the packets are counted in the core.
    """
    packets = _COUNTED_PACKETS if most is None else most // packet
    for name, phits in buffers.items():
        if phits % packet or not 1 <= phits // packet <= packets:
            raise InvalidInput(f"{name} {phits} is not 1 to {packets} packets of {packet} phits")
