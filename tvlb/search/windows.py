"""How closely simulations of a search look: their windows, and the grid of saturation loads."""

import math
import re
from dataclasses import MISSING, dataclass, replace

from sim_bridge import MAX_CYCLES, SimulationConfig
from tvlb.errors import InvalidInput
from tvlb.languages import Number, SpreadGroup, Whole, check_settings, setting

_WINDOWS = re.compile(r"([0-9]{1,9}),([0-9]{1,9}),([0-9.e-]{1,20})", re.ASCII)


@dataclass(frozen=True)
class Windows:
    """How closely to look.

    Raises
    ------
    InvalidInput : a value is out of range.
    """

    warmup: int = setting(MISSING, "Cycles before the measured window", Whole(0, MAX_CYCLES))
    measured: int = setting(MISSING, "Cycles of the measured window", Whole(1, MAX_CYCLES))
    grid: float = setting(
        MISSING, "Resolution of saturation loads, packets/cycle/node", Number(1e-4, 0.1)
    )

    def __post_init__(self) -> None:
        check_settings(self)

    def on(self, config: SimulationConfig) -> SimulationConfig:
        """Return the settings of a simulation in these windows."""
        return replace(config, warmup_cycles=self.warmup, measured_cycles=self.measured)

    def stretched(self, flight: int) -> "Windows":
        """Return as many times these as links need of which a path takes so many cycles."""
        times = max(1, math.ceil(flight / _FLIGHT))
        return replace(self, warmup=times * self.warmup, measured=times * self.measured)

    def __str__(self) -> str:
        return f"{self.warmup},{self.measured},{self.grid:g}"


def parse_windows(text: str) -> Windows:
    """Parse simulated windows: WARMUP,CYCLES,GRID.

    Raises
    ------
    InvalidInput : it is not that, or a value is out of range.
    """
    match = _WINDOWS.fullmatch("".join(text.split()))
    try:
        warmup, measured, grid = match.groups() if match else ("", "", "")
        return Windows(int(warmup), int(measured), float(grid))
    except ValueError:
        raise InvalidInput(f"windows {text!r} are malformed: expected WARMUP,CYCLES,GRID") from None


ROUTERS = SpreadGroup(SimulationConfig, without=("cycles", "traces", "interval"))
"""Settings of the routers, whose windows are told by `Windows`."""

# Cycles on the links of a VLB path that the shortest windows are made for.
_FLIGHT = 500
SHORT = Windows(1_000, 1_000, 0.02)
SCREENING = Windows(3_000, 3_000, 0.01)
PAPER = Windows(30_000, 10_000, 0.002)
