"""What every method of finding a table is given, and what it returns."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from tvlb.processes import Reporter
from tvlb.processes.units import Units
from tvlb.search.held_out import HeldOut
from tvlb.search.options import SearchOptions
from tvlb.search.preparation import Candidate, conventional
from tvlb.search.tables import table_of
from tvlb.search.validation import Validation
from tvlb.search.weighted import WeightedSearch
from tvlb.search.work import Work
from tvlb.search.workload import Workload
from tvlb.statistics import Judgement
from tvlb.table import AnyTable
from tvlb.topology import Topology

NoteBest = Callable[[Candidate], None]


def unheard(best: Candidate) -> None:
    """Do nothing."""


class Stopwatch:
    """Wall time by stage, seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Count what the block takes to a stage."""
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


@dataclass(frozen=True, eq=False)
class SearchTask:
    """A question, and the means to answer it.

    Attributes
    ----------
    topology, options : the question.
    expressions : candidates of Algorithm 1, by the probe.
    units : compute the pieces of work.
    report : called with `Progress` events.
    watch : takes the time of the stages.
    note_best : called with the best set so far whenever there is another.
    """

    topology: Topology
    options: SearchOptions
    expressions: tuple[str, ...]
    units: Units
    report: Reporter
    watch: Stopwatch
    note_best: NoteBest

    @cached_property
    def workload(self) -> Workload | None:
        """The traffic that was named, found once for all that runs; None where none was."""
        named = self.options.workload
        return None if named is None else named.settled(self.topology, self.options.seed)

    def chosen_table(self, candidates: tuple[Candidate, ...], validation: Validation) -> AnyTable:
        """Return the table of what was decided on."""
        name = validation.decision.expression
        usual = conventional(self.topology, self.options.seed)
        chosen = next((one for one in candidates if one.name == name), usual)
        return table_of(self.topology, chosen, self.options.seed, self.options.config.rule)


@dataclass(frozen=True, eq=False)
class Found:
    """What the search for weighted sets found, and how it was judged.

    Attributes
    ----------
    search : the search.
    held_out : the comparison on patterns that it never saw.
    answers : those of the search, but of a front none that another beats in saturation and latency
        where it is judged.
    front : the tables of the answers; of other objectives than `front` just the one.
    on_vct : the same comparison on a second router, see `judge_cut_through`; empty without.
    """

    search: WeightedSearch
    held_out: HeldOut
    answers: tuple[Candidate, ...]
    front: tuple[AnyTable, ...]
    on_vct: tuple[Judgement, ...] = ()


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What a method found; see `TableResult`."""

    candidates: tuple[Candidate, ...]
    validation: Validation
    table: AnyTable
    work: Work
    found: Found | None = None
