"""What tables can be asked for, as a JSON body."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from tvlb.balance import BalanceOptions
from tvlb.documents import WHOLE
from tvlb.schemas.requests import MAX_CYCLES, STRICT, Request, Seed
from tvlb.schemas.texts import ObjectiveText, OneOf, TrafficText
from tvlb.search import (
    ADAPTIVE,
    MAX_PATTERNS,
    MAX_TRAFFIC,
    Cost,
    SearchOptions,
    Windows,
    budget_text,
    check_request,
    table_cost,
)
from tvlb.topology import Topology, described

__all__ = ["TableBody", "WindowsBody", "completed"]

_SEARCH, _PAPER = SearchOptions(), SearchOptions(method="paper")


class WindowsBody(BaseModel):
    """How closely to simulate."""

    model_config = STRICT

    warmup: Annotated[int, Field(ge=0, le=MAX_CYCLES, description="Warm-up, cycles."), WHOLE]
    measured: Annotated[
        int, Field(ge=1, le=MAX_CYCLES, description="Measured window, cycles."), WHOLE
    ]
    grid: Annotated[
        float,
        Field(ge=1e-4, le=0.1, description="Grid of saturation loads, packets/cycle/node."),
    ]

    @classmethod
    def of(cls, windows: Windows) -> Self:
        """Return the body of a value."""
        return cls(warmup=windows.warmup, measured=windows.measured, grid=windows.grid)

    def value(self) -> Windows:
        """Return the value."""
        return Windows(self.warmup, self.measured, self.grid)


class TableBody(Request):
    """Compute the T-VLB table of a Dragonfly."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"topology": "4,8,4,9", "routing": "ugal-l", "seed": 0}]}
    )
    kind: ClassVar[str] = "table"

    routing: Annotated[
        str, OneOf(ADAPTIVE), Field(description="Routing that will use the table.")
    ] = "ugal-l"
    method: Annotated[
        Literal["search", "paper"],
        Field(
            description="search: path sets weighted by shape, judged on patterns that the search "
            "never saw; paper: Algorithm 1 as published."
        ),
    ] = "search"
    objective: ObjectiveText = "saturation"
    budget: Annotated[
        Literal["small", "default", "large"] | Annotated[int, Field(ge=0, le=10**15), WHOLE],
        Field(
            description="How long a search goes on: small, default, large, or a number of "
            "simulated flit-hops."
        ),
    ] = "default"
    traffic: Annotated[
        tuple[TrafficText, ...],
        Field(
            max_length=MAX_TRAFFIC,
            strict=False,
            description="What to search for, and with other seeds to judge on; empty for "
            "adversarial and some benign patterns, judged on others.",
        ),
    ] = ()
    patterns: Annotated[
        Literal["auto", "all"] | Annotated[int, Field(ge=1, le=10**9), WHOLE],
        Field(description="Probed adversarial patterns: auto, all or a number."),
    ] = "auto"
    tolerance: Annotated[
        float,
        Field(ge=0, lt=1, description="Candidates are within this share of the best theta."),
    ] = 0.08
    balance: Annotated[bool, Field(description="Balance the candidates.")] = True
    screening: Annotated[
        WindowsBody | None,
        Field(
            description="Windows of sets that challenge the best one of a search; of all "
            "candidates of the paper's method. Null for those of the method."
        ),
    ] = None
    confirmation: Annotated[
        WindowsBody | None,
        Field(
            description="Windows in which a search is judged; of the finalists and the "
            "conventional set by the paper's method. Null for those of the method."
        ),
    ] = None
    finalists: Annotated[
        Annotated[int, Field(ge=1, le=100), WHOLE] | None,
        Field(
            description="Confirmed candidates of the paper's method; null for a search, or "
            f"{_PAPER.finalist_count}."
        ),
    ] = None
    data_points: Annotated[
        Annotated[int, Field(ge=1, le=31), WHOLE] | None,
        Field(
            description="Most data points of Table 1 among the candidates; null for "
            f"{_SEARCH.most_data_points}, or {_PAPER.most_data_points} by the paper's method."
        ),
    ] = None
    simulated_patterns: Annotated[
        Annotated[int, Field(ge=2, le=MAX_PATTERNS), WHOLE] | None,
        Field(
            description=f"Simulated type2 patterns; null for {_SEARCH.pattern_count}, or "
            f"{_PAPER.pattern_count} by the paper's method, and where the traffic is named."
        ),
    ] = None
    seed: Seed = 0

    def options(self, workers: int | None = None) -> SearchOptions:
        """Return the settings of the search."""
        return SearchOptions(
            routing=self.routing,
            method=self.method,
            objective=self.objective,
            budget=str(self.budget),
            traffic=self.traffic,
            patterns=str(self.patterns),
            tolerance=self.tolerance,
            balancing=BalanceOptions() if self.balance else None,
            screening=_value(self.screening),
            confirmation=_value(self.confirmation),
            finalists=self.finalists,
            data_points=self.data_points,
            simulated_patterns=self.simulated_patterns,
            seed=self.seed,
            workers=workers,
        )

    def usual(self) -> dict[str, Any]:
        """See `Request.usual`; what depends on method and traffic is that for those asked for."""
        bare = TableBody(topology=self.topology, method=self.method, traffic=self.traffic)
        return super().usual() | completed(bare) | {"traffic": ()}

    def complete(self, network: Topology) -> Self:
        """Return the request with the defaults of the method filled in, texts as they print.

        Raises
        ------
        InvalidInput : an option is out of range, or has no meaning for the method.
        """
        budget = budget_text(str(self.budget), network)
        number = int(budget) if budget.isdecimal() else budget
        return self.model_copy(update={**completed(self), "budget": number})

    def _resolved(self, network: Topology) -> Self:
        check_request(network, self.options())
        return self.complete(network).model_copy(update={"topology": described(network)})

    def _cost(self, network: Topology) -> Cost:
        return table_cost(network, self.options())


def _value(windows: WindowsBody | None) -> Windows | None:
    return None if windows is None else windows.value()


def completed(body: TableBody) -> dict[str, Any]:
    """Return what `TableBody.complete` fills in that is the same for every network."""
    options = body.options().resolved()
    assert options.screening is not None
    assert options.confirmation is not None
    return {
        "objective": options.objective,
        "traffic": options.traffic,
        "screening": WindowsBody.of(options.screening),
        "confirmation": WindowsBody.of(options.confirmation),
        "finalists": options.finalists,
        "data_points": options.data_points,
        "simulated_patterns": options.simulated_patterns,
    }
