"""The largest load that a routing sustains."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from sim_bridge._core import StopFlag
from sim_bridge.routers.iq.config import SimulationConfig
from sim_bridge.routers.iq.result import SimulationResult
from sim_bridge.routers.iq.scenario import Scenario
from tvlb.documents import Frame
from tvlb.errors import Cancelled, InvalidInput

_STEP = 0.01
_START, _STRIDE = 0.5, 0.1
# Shorter windows tell too little, and there is less to save.
_PILOT_LEAST_CYCLES = 3000
# Saturated loads in a row after which strides double.
_PATIENCE = 3


@dataclass(frozen=True, eq=False)
class SaturationSearch(Frame):
    """Outcome of a saturation search.

    Attributes
    ----------
    load : the largest load of the grid that is not saturated, 0 if none is; packets/cycle/node.
        A load that a run is too short to tell of counts as sustained.
    step : the grid.
    evaluated : every run with the windows asked for, by rising load. Runs of saturated loads were
        stopped early; of searches for the verdict alone those of sustained ones, too.
    """

    load: float
    step: float
    evaluated: tuple[SimulationResult, ...]

    @property
    def undecided(self) -> tuple[float, ...]:
        """Loads whose runs were too short to tell, and counted as sustained."""
        return tuple(run.load for run in self.evaluated if run.saturated is None)

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one for each run."""
        return [record for run in self.evaluated for record in run.records()]

    def __repr__(self) -> str:
        return (
            f"<SaturationSearch {self.load:g} packets/cycle/node, {len(self.evaluated)} runs on a "
            f"grid of {self.step:g}>"
        )


def search_saturation(
    scenario: Scenario,
    config: SimulationConfig | None = None,
    *,
    step: float = _STEP,
    guess: float | None = None,
    guess_error: float = 0.0,
    stop: StopFlag | None = None,
    on_run: Callable[[SimulationResult], None] | None = None,
    threads: int | Callable[[], int] = 1,
    verdict_only: bool = False,
) -> SaturationSearch:
    """Find the largest load of a grid that is not saturated.

    Parameters
    ----------
    step : the grid, packets/cycle/node, 0.0001..0.5.
    guess : where to start; a good guess saves runs and, saturation being monotone in the load,
        does not change the answer. None: the answer of a search with a fifth of the cycles, or 0.5
        if fewer than 3,000 are measured.
    guess_error : how far off the guess may well be: the first stride away from it.
    stop : set from another thread to end the search.
    on_run : called after every run.
    threads : see `Scenario.run`; a function is asked before each run.
    verdict_only : whether no figures of the runs but the verdict are asked for; a run of a
        sustained load then ends when nothing that still waits can change that, and a deadlock of
        its drain is not seen.

    Raises
    ------
    Cancelled : `stop` was set.
    InvalidInput, SimulationDeadlock : as `simulate`; also of a pattern that is not stationary.
    """
    if not 1e-4 <= step <= 0.5:
        raise InvalidInput(f"step = {step}: expected a number in 0.0001..0.5")
    if guess is not None and not 0.0 <= guess <= 1.0:
        raise InvalidInput(f"guess = {guess}: expected a number in 0..1")
    if not 0.0 <= guess_error <= 1.0:
        raise InvalidInput(f"guess_error = {guess_error}: expected a number in 0..1")
    scenario.pattern.check_stationary()
    asked = scenario.resolved(config or SimulationConfig())
    settings = replace(asked, stop_when_saturated=True)

    def run(load: float, config: SimulationConfig) -> SimulationResult:
        number = threads() if callable(threads) else threads
        return scenario.run(load, config, stop, threads=number, verdict_only=verdict_only)

    start, stride = (_START, _STRIDE) if guess is None else (guess, guess_error)
    if guess is None and settings.measured_cycles >= _PILOT_LEAST_CYCLES:
        pilot = _Grid(partial(run, config=_shortened(settings)), step, on_run)
        start, stride = pilot.load(_search(pilot, start, stride)), 0.0
    grid = _Grid(partial(run, config=settings), step, on_run)
    sustained = _search(grid, start, stride)
    runs = tuple(grid.runs[position] for position in sorted(grid.runs))
    return SaturationSearch(grid.load(sustained), step, runs)


def _shortened(config: SimulationConfig) -> SimulationConfig:
    """About a fifth of the cycles; most of what is saved is warm-up."""
    return replace(
        config,
        warmup_cycles=config.warmup_cycles // 6,
        measured_cycles=config.measured_cycles // 3,
    )


@dataclass(eq=False)
class _Grid:
    """The loads step, 2*step, ... up to 1 and the runs made so far, by position."""

    run: Callable[[float], SimulationResult]
    step: float
    on_run: Callable[[SimulationResult], None] | None
    runs: dict[int, SimulationResult] = field(default_factory=dict[int, SimulationResult])

    @property
    def last(self) -> int:
        return int(1.0 / self.step + 1e-9)

    def load(self, position: int) -> float:
        return round(position * self.step, 10)

    def saturated(self, position: int) -> bool:
        if position not in self.runs:
            result = self.run(self.load(position))
            if result.stopped == "cancelled":
                raise Cancelled("the saturation search was cancelled")
            self.runs[position] = result
            if self.on_run is not None:
                self.on_run(result)
        return self.runs[position].saturated is True

    def accepted(self, position: int) -> int | None:
        """Return the load that would be all that was accepted; None of a run without its window."""
        run = self.runs[position]
        return int(position * run.accepted / run.generated) if run.generated > 0 else None


def _search(grid: _Grid, load: float, stride: float) -> int:
    """Return the last position that is not saturated, 0 for none; the search begins at `load`.

    Upwards the strides double, beginning with `stride`, until a load is saturated. What is accepted
    of that is seldom less than what is sustained, and not much more: that is where to look next.
    """
    width = max(1, round(stride / grid.step))
    sustained, saturated = 0, grid.last + 1
    position, rises, falls = round(load / grid.step), 0, 0
    accepted: int | None = None
    while saturated - sustained > 1:
        position = min(max(position, sustained + 1), saturated - 1)
        if grid.saturated(position):
            saturated, rises, falls = position, 0, falls + 1
            accepted = grid.accepted(position)
            if accepted is not None:
                position = min(accepted, position - 2 ** max(0, falls - _PATIENCE))
            elif sustained == 0:
                position -= width * 2 ** (falls - 1)
            else:
                position = (sustained + position) // 2
        else:
            sustained, rises, falls = position, rises + 1, 0
            further = 2 ** (rises - 1)
            if saturated > grid.last:
                position += further * width
            elif accepted is not None and accepted > sustained:
                position = accepted
            else:
                middle = (sustained + saturated) // 2
                position = middle if accepted is None else min(position + further, middle)
    return sustained
