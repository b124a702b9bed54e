"""Traffic whose load changes in the course of a run."""

from dataclasses import dataclass, replace
from typing import Annotated

from tvlb.languages import NumberArgument, WholeArgument
from tvlb.topology import Topology
from tvlb.traffic.demand import NodeTraffic
from tvlb.traffic.parse import PatternArgument
from tvlb.traffic.pattern import LoadStep, NamedPattern, Pattern

# Only a run says how long it is.
_LATEST = 100_000_000


@dataclass(frozen=True)
class Step(NamedPattern):
    """The offered load becomes LOAD2 at the start of cycle T of a run, its warm-up included."""

    pattern: Annotated[Pattern, PatternArgument("PATTERN", NamedPattern)]
    cycle: Annotated[int, WholeArgument("T", 1, _LATEST)]
    load: Annotated[float, NumberArgument("LOAD2", 0, 1)]

    name = "step"
    example = "step(uniform,5000,0.4)"
    place = 6

    @property
    def load_step(self) -> LoadStep:
        """See `Pattern.load_step`."""
        return LoadStep(self.cycle, self.load)

    @property
    def before_step(self) -> Pattern:
        """See `Pattern.before_step`."""
        return self.pattern

    @property
    def searched_paths(self) -> str | None:
        """See `Pattern.searched_paths`."""
        return self.pattern.searched_paths

    @property
    def searched_runs(self) -> int:
        """See `Pattern.searched_runs`."""
        return self.pattern.searched_runs

    def settled(self, topology: Topology, seed: int) -> "Step":
        """See `Pattern.settled`."""
        return replace(self, pattern=self.pattern.settled(topology, seed))

    def outlined(self, topology: Topology, seed: int) -> "Step":
        """See `Pattern.outlined`."""
        return replace(self, pattern=self.pattern.outlined(topology, seed))

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`: refused, as what takes steps asks for `before_step`."""
        self.check_stationary()
        return self.pattern.resolve(topology, seed)

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`."""
        return self.pattern.count_flows(topology)

    def count_idle(self, topology: Topology, seed: int) -> int:
        """See `Pattern.count_idle`."""
        return self.pattern.count_idle(topology, seed)


PATTERN = Step
