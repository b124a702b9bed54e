"""Settings of a search."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from sim_bridge import Routing, SimulationConfig
from tvlb.balance import BalanceOptions
from tvlb.errors import InvalidInput
from tvlb.parallel import available_cores
from tvlb.randomness import check_seed
from tvlb.search.candidates import MAX_DATA_POINTS
from tvlb.search.objective import Method, Objective, parse_objective
from tvlb.search.runner import MAX_PATTERNS, PAPER, SCREENING, Windows
from tvlb.search.workload import Workload, parse_traffic, traffic_texts

__all__ = ["ADAPTIVE", "SearchOptions"]

ADAPTIVE = tuple(routing for routing in Routing if routing.is_adaptive)
_LONG = Windows(2_000, 2_000, 0.01)
_COMPARING = Windows(2_000, 2_000, 0.01)
_FEW_DATA_POINTS = 3
_FEW_PATTERNS = 2

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class SearchOptions:
    """Settings of the search; all but `workers` decide the result and are recorded with it.

    Attributes
    ----------
    routing : one of `ADAPTIVE`.
    method : `search` for weighted sets, or `paper`: Algorithm 1 as published.
    objective : saturation, latency@LOAD, worst-pattern or front; the paper's is saturation.
    budget : small, default, large or a number of flit-hops: how long weighted sets are searched.
    traffic : patterns that tables are searched for, PATTERN or PATTERN:SHARE each; none for
        adversarial and some benign patterns. They are then also what tables are judged on.
    patterns : probed patterns: auto, all or a number.
    tolerance : candidates are within this share of the best modelled mean.
    balancing : settings of balancing by removal, or None to look at sets as they are only.
    config : router settings of the simulations.
    screening : simulated windows, cycles: of all candidates of the paper's method; of sets that
        challenge the incumbent of a search. None for those of the method.
    confirmation : of the paper's finalists; of the comparison that judges what a search found.
    finalists : candidates of the paper's method that are confirmed by their screened saturation.
    data_points : most data points of Table 1 among the candidates, at least 1.
    simulated_patterns : type2(seed=0), type2(seed=1), ... that are simulated, 2..5.
    seed : of random fractions, patterns order and simulations, 0..2^63-1.
    workers : processes; None for one per core.

    Raises
    ------
    InvalidInput : a value is out of range, or is not for the method.
    """

    routing: str = "ugal-l"
    method: str = Method.SEARCH
    objective: str = "saturation"
    budget: str = "default"
    traffic: tuple[str, ...] = ()
    patterns: str = "auto"
    tolerance: float = 0.08
    balancing: BalanceOptions | None = field(default_factory=BalanceOptions)
    config: SimulationConfig = field(default_factory=SimulationConfig)
    screening: Windows | None = None
    confirmation: Windows | None = None
    finalists: int | None = None
    data_points: int | None = None
    simulated_patterns: int | None = None
    seed: int = 0
    workers: int | None = None

    def __post_init__(self) -> None:
        if self.routing not in ADAPTIVE:
            raise InvalidInput(
                f"routing {self.routing!r} cannot use a T-VLB table; choose one of "
                f"{', '.join(ADAPTIVE)}"
            )
        if self.method not in tuple(Method):
            raise InvalidInput(f"method {self.method!r}: choose one of {', '.join(Method)}")
        check_seed(self.seed)
        for name, value, least, most in (
            ("finalists", self.finalists, 1, 100),
            ("data_points", self.data_points, 1, 31),
            ("simulated_patterns", self.simulated_patterns, 2, MAX_PATTERNS),
            ("workers", self.workers, 1, 1024),
        ):
            if value is not None and not least <= value <= most:
                raise InvalidInput(f"{name} {value} is out of range: {least}..{most}")
        self._check_method()

    def _check_method(self) -> None:
        """Refuse settings that the method would ignore; parses the texts."""
        aim, traffic = self.aim, self.workload
        if self.method == Method.PAPER:
            given = {
                "objective": str(aim) != "saturation",
                "budget": self.budget != "default",
                "traffic": traffic is not None,
            }
        else:
            given = {
                "finalists": self.finalists is not None,
                "simulated_patterns": traffic is not None and self.simulated_patterns is not None,
            }
        for name, wrong in given.items():
            if wrong:
                value = getattr(self, name)
                shown = ", ".join(self.traffic) if name == "traffic" else value
                raise InvalidInput(
                    f"{name} {shown} has no meaning for method {self.method}"
                    + (" with traffic" if name == "simulated_patterns" else "")
                )

    def resolved(self) -> "SearchOptions":
        """Return the same settings with the defaults of the method filled in, texts as they print.

        What has no meaning for the method is None.
        """
        return replace(
            self,
            objective=str(self.aim),
            traffic=traffic_texts(self.traffic),
            screening=self.screening_windows,
            confirmation=self.confirmation_windows,
            finalists=self.finalist_count if self.method == Method.PAPER else None,
            data_points=self.most_data_points,
            simulated_patterns=None if self.traffic else self.pattern_count,
        )

    def _of_method(self, given: _Value | None, paper: _Value, search: _Value) -> _Value:
        if given is not None:
            return given
        return paper if self.method == Method.PAPER else search

    @cached_property
    def aim(self) -> Objective:
        """The objective as a value."""
        return parse_objective(self.objective)

    @cached_property
    def workload(self) -> Workload | None:
        """The traffic as a value, None where none is named; files are read once, when checked."""
        return parse_traffic(self.traffic)

    @property
    def screening_windows(self) -> Windows:
        """`screening` with the default of the method."""
        return self._of_method(self.screening, SCREENING, _LONG)

    @property
    def confirmation_windows(self) -> Windows:
        """`confirmation` with the default of the method."""
        return self._of_method(self.confirmation, PAPER, _COMPARING)

    @property
    def finalist_count(self) -> int:
        """`finalists` with its default."""
        return 2 if self.finalists is None else self.finalists

    @property
    def most_data_points(self) -> int:
        """`data_points` with the default of the method."""
        return self._of_method(self.data_points, MAX_DATA_POINTS, _FEW_DATA_POINTS)

    @property
    def pattern_count(self) -> int:
        """`simulated_patterns` with the default of the method."""
        return self._of_method(self.simulated_patterns, MAX_PATTERNS, _FEW_PATTERNS)

    @property
    def worker_count(self) -> int:
        """The number of workers to start."""
        return self.workers if self.workers is not None else available_cores()
