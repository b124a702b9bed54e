"""The worst traffic that a search by simulations finds for a path set."""

from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

from tvlb.languages import WholeArgument
from tvlb.traffic.patterns.worst import Worst

RUNS = 200
_MOST_RUNS = 10_000


@dataclass(frozen=True)
class WorstSimulated(Worst):
    """The traffic that UGAL-L is found to do worst under, by N runs, mostly after swaps."""

    runs: Annotated[int, WholeArgument("N", 1, _MOST_RUNS, keyword=True)] = RUNS

    name = "worst-simulated"
    example = "worst-simulated(none,runs=2)"

    @property
    def searched_runs(self) -> int:
        """See `Pattern.searched_runs`."""
        return self.runs

    def _engine(self) -> Any:
        return import_module("tvlb.search.worst_simulated").Search(self.runs)


PATTERN = WorstSimulated
