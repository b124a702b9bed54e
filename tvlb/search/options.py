"""Settings of a search."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

from sim_bridge import PATH_ROUTINGS, Routing, SimulationConfig
from tvlb.balance import BalanceOptions
from tvlb.errors import InvalidInput
from tvlb.languages import (
    Flag,
    Group,
    Names,
    Switch,
    Text,
    Texts,
    Whole,
    check_settings,
    setting,
)
from tvlb.paths import PUBLISHED_RULE
from tvlb.processes import available_cores, check_workers
from tvlb.search.candidates import MAX_DATA_POINTS
from tvlb.search.objective import BUDGET, Method, Objective, Searched, parse_objective
from tvlb.search.probe import TOLERANCE
from tvlb.search.rule_space import RuleSpace
from tvlb.search.sampling import PATTERNS
from tvlb.search.second_router import Judges
from tvlb.search.windows import PAPER, ROUTERS, SCREENING, Windows, parse_windows
from tvlb.search.workload import MAX_TRAFFIC, Workload, parse_traffic, traffic_texts
from tvlb.statistics import check_seed

MAX_PATTERNS = 5
ADAPTIVE = tuple(one for one in PATH_ROUTINGS if one.is_adaptive)

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class _ByMethod(Generic[_Value]):
    """The default of a setting by method."""

    search: _Value
    paper: _Value

    def __str__(self) -> str:
        return f"{self.search}, or {self.paper} by the paper's method"


_SCREENING = _ByMethod(Windows(2_000, 2_000, 0.01), SCREENING)
_CONFIRMATION = _ByMethod(Windows(2_000, 2_000, 0.01), PAPER)
_DATA_POINTS = _ByMethod(3, MAX_DATA_POINTS)
_SIMULATED_PATTERNS = _ByMethod(2, MAX_PATTERNS)
_FINALISTS = 2
_OWN_TRAFFIC = "adversarial and some benign patterns, judged on others"
_WINDOWS = Group(Windows, parse_windows, "WARMUP,CYCLES,GRID")


@dataclass(frozen=True)
class SearchOptions:
    """Settings of the search; all but `workers` decide the result and are recorded with it.

    Every option of a search is declared here.

    Attributes
    ----------
    balancing : settings of balancing by removal, or None to look at sets as they are only.
    simulated_patterns : how many of type2(seed=0), type2(seed=1), ... are simulated.
    seed : of random fractions, patterns order and simulations, 0..2^63-1.
    workers : processes; None for one per core.

    Raises
    ------
    InvalidInput : a value is out of range, or is not for the method.
    """

    routing: str = setting("ugal-l", "Routing that will use the table", Names(ADAPTIVE))
    method: str = setting(
        Method.SEARCH,
        "How the table is found: path sets weighted by shape, judged on patterns that the search "
        "never saw, or Algorithm 1 as published",
        Names(Method),
    )
    search: str | None = setting(
        None,
        "What a search chooses: path sets, the rule by which UGAL compares (queue, threshold, "
        "vlb-factor, candidates, ugal-rule, as far as they are not given), or both together",
        Names(Searched),
        unset="both, or paths by the paper's method",
        is_later=True,
    )
    judge: str = setting(
        Judges.IQ,
        "Routers on which what a search found is judged: those that are simulated, or virtual "
        "cut-through with packets of 16 phits, too",
        Names(Judges),
        is_later=True,
    )
    objective: str = setting(
        "saturation",
        "What a search is for: saturation, latency@LOAD with a load of 0.001..1 "
        "packets/cycle/node, worst-pattern, guaranteed: also what a fixed split over the paths "
        "sustains on any traffic, or front: the tables that no other beats in both "
        "saturation and latency",
        Text("NAME"),
    )
    budget: str = setting(
        "default",
        "How long a search goes on: small, default, large, or a number of simulated flit-hops; "
        "never a time, so that the result does not depend on the machine",
        BUDGET,
    )
    traffic: tuple[str, ...] = setting(
        (),
        "What to search for, and with other seeds to judge on",
        Texts("PATTERN[:SHARE]", MAX_TRAFFIC),
        unset=_OWN_TRAFFIC,
        null=_OWN_TRAFFIC,
    )
    patterns: str = setting(
        "auto",
        "Probed adversarial patterns: auto, all or a number",
        PATTERNS,
    )
    tolerance: float = setting(
        0.08, "Candidates are within this share of the best modelled mean", TOLERANCE
    )
    balancing: BalanceOptions | None = setting(
        BalanceOptions(),
        "Balance the candidates",
        Switch(BalanceOptions),
        option="balance",
        null="no balancing",
    )
    loop_free: bool = setting(
        False,
        "Try sets also without the paths that visit a switch twice",
        Flag(),
    )
    config: SimulationConfig = setting(
        SimulationConfig(),
        "Settings of the routers that are simulated",
        ROUTERS,
        option=None,
    )
    screening: Windows | None = setting(
        None,
        "Windows (cycles) and grid of saturation loads for sets that challenge the best one of a "
        "search; for all candidates of the paper's method",
        _WINDOWS,
        unset=str(_SCREENING),
    )
    confirmation: Windows | None = setting(
        None,
        "Windows (cycles) and grid of saturation loads where a search is judged; for the finalists "
        "and the conventional set of the paper's method",
        _WINDOWS,
        unset=str(_CONFIRMATION),
    )
    finalists: int | None = setting(
        None,
        "Candidates of the paper's method that are confirmed",
        Whole(1, 100),
        unset=str(_FINALISTS),
        null="a search",
    )
    data_points: int | None = setting(
        None,
        "Most data points of Table 1 among the candidates",
        Whole(1, 31),
        unset=str(_DATA_POINTS),
    )
    simulated_patterns: int | None = setting(
        None,
        "Simulated type2 patterns, in a search beside others, not with named traffic",
        Whole(2, MAX_PATTERNS),
        unset=str(_SIMULATED_PATTERNS),
        null="named traffic",
    )
    seed: int = 0
    workers: int | None = None

    def __post_init__(self) -> None:
        check_settings(self)
        check_seed(self.seed)
        if self.workers is not None:
            check_workers(self.workers)
        self._check_method()

    def _check_method(self) -> None:
        """Refuse settings that the method would ignore; parses the texts."""
        aim, traffic = self.aim, self.workload
        if self.method == Method.PAPER:
            given = {
                "search": self.search not in (None, Searched.PATHS),
                "judge": self.judge != Judges.IQ,
                "objective": str(aim) != "saturation",
                "budget": self.budget != "default",
                "traffic": traffic is not None,
            }
        else:
            given = {
                "finalists": self.finalists is not None,
                "simulated_patterns": traffic is not None and self.simulated_patterns is not None,
            }
        if self.searched is Searched.RULE:
            self._check_rule()
        for name, wrong in given.items():
            if wrong:
                value = getattr(self, name)
                shown = ", ".join(self.traffic) if name == "traffic" else value
                raise InvalidInput(
                    f"{name} {shown} has no meaning for method {self.method}"
                    + (" with traffic" if name == "simulated_patterns" else "")
                )

    def _check_rule(self) -> None:
        """Refuse settings of path sets, and a rule of which nothing is open."""
        given = {
            "balance": self.balancing != SearchOptions.balancing,
            "data_points": self.most_data_points != _DATA_POINTS.search,
            "loop_free": self.loop_free,
            "tolerance": self.tolerance != SearchOptions.tolerance,
        }
        for name, wrong in given.items():
            if wrong:
                raise InvalidInput(f"{name} has no meaning for search rule, which keeps paths")
        if not RuleSpace(self.config, self.routing).is_open:
            raise InvalidInput(
                f"search {self.search}: {self.config.rule} is given, nothing is open"
            )

    def resolved(self) -> "SearchOptions":
        """Return the same settings with the defaults of the method filled in, texts as they print.

        What has no meaning for the method is None.
        """
        routing = Routing(self.routing)
        searches_rule = self.searched is not Searched.PATHS
        return replace(
            self,
            search=self.searched,
            config=self.config if searches_rule else self.config.ruled(PUBLISHED_RULE, routing),
            objective=str(self.aim),
            traffic=traffic_texts(self.traffic),
            screening=self.screening_windows,
            confirmation=self.confirmation_windows,
            finalists=self.finalist_count if self.method == Method.PAPER else None,
            data_points=self.most_data_points,
            simulated_patterns=None if self.traffic else self.pattern_count,
        )

    @property
    def searched(self) -> Searched:
        """`search` with its default; paths alone where the whole rule is given."""
        if self.method == Method.PAPER:
            return Searched.PATHS
        chosen = Searched(self.search or Searched.BOTH)
        is_open = RuleSpace(self.config, self.routing).is_open
        return chosen if is_open or chosen is Searched.RULE else Searched.PATHS

    @property
    def has_other_rules(self) -> bool:
        """Whether UGAL compares otherwise than by the published rule, as is given or searched."""
        return self.searched is not Searched.PATHS or self.config.rule != PUBLISHED_RULE

    def _or_usual(self, given: _Value | None, usual: _ByMethod[_Value]) -> _Value:
        if given is not None:
            return given
        return usual.paper if self.method == Method.PAPER else usual.search

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
        return self._or_usual(self.screening, _SCREENING)

    @property
    def windows(self) -> Mapping[str, Windows]:
        """Both windows, by the names of their options."""
        return {"screening": self.screening_windows, "confirmation": self.confirmation_windows}

    @property
    def confirmation_windows(self) -> Windows:
        """`confirmation` with the default of the method."""
        return self._or_usual(self.confirmation, _CONFIRMATION)

    @property
    def finalist_count(self) -> int:
        """`finalists` with its default."""
        return _FINALISTS if self.finalists is None else self.finalists

    @property
    def most_data_points(self) -> int:
        """`data_points` with the default of the method."""
        return self._or_usual(self.data_points, _DATA_POINTS)

    @property
    def pattern_count(self) -> int:
        """`simulated_patterns` with the default of the method."""
        return self._or_usual(self.simulated_patterns, _SIMULATED_PATTERNS)

    @property
    def worker_count(self) -> int:
        """The number of workers to start."""
        return self.workers if self.workers is not None else available_cores()
