"""What is kept of searches serves any other, and changes nothing but the work left to do."""

import json
import pickle
import random
import sys
from collections.abc import Generator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from threading import Event
from typing import Any

import pytest

from sim_bridge import SimulationConfig
from tests.search.here import ByHand, Inline, Memory, flipped, sealed_garbage
from tvlb.balance import BalancedSet, BalanceOptions
from tvlb.errors import Cancelled
from tvlb.paths import PathSet
from tvlb.processes import Progress, Unit, UnitCache, UnitCount
from tvlb.requests import TableDocument
from tvlb.search import Candidate, SearchOptions, TableResult, Windows, optimize
from tvlb.search.simulation_units import Recipe, RunUnit, SaturationUnit
from tvlb.topology import Dragonfly

TOPOLOGY = Dragonfly(2, 4, 2, 3)
QUICK = SearchOptions(
    method="paper",
    patterns="2",
    screening=Windows(200, 200, 0.05),
    confirmation=Windows(300, 200, 0.02),
    finalists=1,
    data_points=3,
    simulated_patterns=2,
)


@dataclass(frozen=True, eq=False)
class Search:
    """A search that may take results from a store; `listable` is whether paths may be listed.

    What it had to compute are `units`, by their keys.
    """

    options: SearchOptions
    listable: bool
    result: TableResult
    memory: Memory
    units: dict[str, Unit[Any]]
    events: list[Progress]

    @property
    def one_of_each_kind(self) -> dict[str, str]:
        """A key by the kind of the unit."""
        return {str(unit.key_fields()["unit"]): key for key, unit in self.units.items()}


def search(options: SearchOptions, listable: bool, kept: Mapping[str, bytes]) -> Search:
    memory, executor, events = Memory(kept), Inline(), list[Progress]()
    with listing(listable):
        unit_cache = UnitCache(executor, memory)
        result = optimize(TOPOLOGY, options, report=events.append, unit_cache=unit_cache)
    units = {unit.key: unit for unit in executor.computed}
    assert memory.saved == [unit.key for unit in executor.computed]
    return Search(options, listable, result, memory, units, events)


@contextmanager
def listing(allowed: bool) -> Generator[None]:
    """Put the limit of 50 million listed paths to 0, unless listing is allowed."""

    def never(_: PathSet) -> bool:
        return False

    with pytest.MonkeyPatch.context() as patch:
        if not allowed:
            for module in ("search.tables", "search.candidates", "balance.balancing"):
                patch.setattr(sys.modules[f"tvlb.{module}"], "is_listable", never)
            # Processes keep some scenarios; those of this one are of listed paths.
            patch.setattr("tvlb.search.simulation_units._built", cache(Recipe.scenario))
        yield


@pytest.fixture(
    scope="module",
    params=[(BalanceOptions(), True), (BalanceOptions(), False), (None, True)],
    ids=["listed", "by rule", "as they are"],
)
def case(request: pytest.FixtureRequest) -> Search:
    """Return a search with nothing kept before."""
    balancing, listable = request.param
    return search(replace(QUICK, balancing=balancing), listable, {})


def figures(result: TableResult) -> str:
    """Everything that a search says but its timings; texts compare nan as well."""
    document = TableDocument.of(result).plain() | {"timings": None}
    validation = result.validation
    values = (result.probe, result.merged, validation.decision, validation.curves, result.work)
    return f"{json.dumps(document)} {values!r}"


def kept_rows(candidate: Candidate) -> list[bool] | None:
    keep = None if candidate.balanced is None else candidate.balanced.keep
    return None if keep is None else keep.tolist()


def assert_same_candidates(first: TableResult, second: TableResult) -> None:
    for ours, theirs in zip(first.candidates, second.candidates, strict=True):
        assert (ours.expression, str(ours.path_set)) == (theirs.expression, str(theirs.path_set))
        assert type(ours.path_set) is type(theirs.path_set)
        mine, other = ours.path_set.all_rows(), theirs.path_set.all_rows()
        for name in ("offset", "intermediate", "first_link", "second_link", "weight"):
            assert getattr(mine, name).tobytes() == getattr(other, name).tobytes(), name
        assert repr(ours.balance_report) == repr(theirs.balance_report)
        assert kept_rows(ours) == kept_rows(theirs)


def assert_goes_on(case: Search, kept: Mapping[str, bytes], missing: Set[str]) -> None:
    """Assert that a search computes what is missing, and finds what that of the case found."""
    found = search(case.options, case.listable, kept)
    assert found.units.keys() == missing
    assert len(found.memory.saved) == len(missing)
    assert found.memory.kept == case.memory.kept
    total = case.result.units.computed + case.result.units.reused
    assert found.result.units == UnitCount(len(missing), total - len(missing))
    assert found.result.table.id == case.result.table.id
    assert figures(found.result) == figures(case.result)
    assert_same_candidates(found.result, case.result)
    assert found.events == case.events


@pytest.mark.parametrize(
    "percent", [*(pytest.param(one, marks=pytest.mark.slow) for one in (0, 20, 70)), 90, 100]
)
def test_any_units_that_are_kept_lead_to_the_same_result(case: Search, percent: int) -> None:
    keys = sorted(case.memory.kept)
    known = random.Random(percent).sample(keys, len(keys) * percent // 100)
    kept = {key: case.memory.kept[key] for key in known}
    assert_goes_on(case, kept, case.memory.kept.keys() - kept.keys())


def config_of(unit: Unit[Any]) -> SimulationConfig:
    assert isinstance(unit, (RunUnit, SaturationUnit))
    return unit.config


def test_other_options_compute_only_what_is_new_in_it(case: Search) -> None:
    options = replace(case.options, confirmation=Windows(400, 200, 0.02))
    found = search(options, case.listable, case.memory.kept)
    confirmed = [one for one in found.result.validation.candidates if one.confirmed]
    # Curves, which reach as far as what was confirmed, and nothing but simulations.
    configs = [config_of(unit) for unit in found.units.values()]
    others = [config for config in configs if not config.stop_when_saturated]
    assert {config.warmup_cycles for config in others} == {400}
    # Saturation and latency of the finalists and of `all` under two patterns.
    assert len(others) == 4 * (len(confirmed) + 1)


@pytest.mark.parametrize("spoil", ["flipped", "undecodable", "foreign"])
def test_one_bad_answer_of_each_kind_is_as_good_as_none(case: Search, spoil: str) -> None:
    kept, keys = case.memory.kept, set(case.one_of_each_kind.values())
    bad = {
        "flipped": {key: flipped(kept[key]) for key in keys},
        "undecodable": {key: sealed_garbage(case.units[key]) for key in keys},
        # Whole, but the result of another unit.
        "foreign": {key: next(kept[one] for one in kept if one != key) for key in keys},
    }
    assert_goes_on(case, kept | bad[spoil], keys)


def test_the_cases_are_what_they_are_named(case: Search) -> None:
    # What is kept must not all be trivial: some paths are removed where there is balancing.
    kinds = {"content", "pattern", "run", "saturation"}
    reports = [one.balance_report for one in case.result.candidates]
    if case.options.balancing is None:
        assert reports == [None] * len(reports)
        assert case.one_of_each_kind.keys() == kinds
        return
    assert case.one_of_each_kind.keys() == kinds | {"balance"}
    assert any(report is not None and report.removed > 0 for report in reports)
    by_rule = [isinstance(one.path_set, BalancedSet) for one in case.result.candidates]
    assert by_rule == [not case.listable] * len(by_rule)


def test_stages_count_from_nothing_to_their_end(case: Search) -> None:
    stages = list(dict.fromkeys(event.stage for event in case.events))
    assert stages == [
        "probe",
        "balance",
        "screen all",
        "screen pilot",
        "screen candidates",
        "screen latency",
        "confirm",
        "confirm latency",
        "curves",
    ]
    for stage in stages:
        counted = [event for event in case.events if event.stage == stage]
        assert [event.done for event in counted] == list(range(counted[-1].total + 1))


def test_units_travel_and_their_answers_need_no_pickle(case: Search) -> None:
    for key, unit in case.units.items():
        copy = pickle.loads(pickle.dumps(unit))
        assert type(copy) is type(unit)
        assert copy.key_fields() == unit.key_fields()
        # A pickle begins with its protocol.
        assert case.memory.kept[key][32] != pickle.PROTO[0]
    with listing(case.listable):
        for key in case.one_of_each_kind.values():
            copy = pickle.loads(pickle.dumps(case.units[key]))
            assert case.memory.kept[key].endswith(copy.compute())


def test_the_work_is_that_of_the_whole_search(case: Search) -> None:
    # 38 path sets under 2 patterns; the document says the same.
    work = case.result.work
    assert work.programs == 76
    assert TableDocument.of(case.result).plain()["work"] == vars(work)
    # Latencies alone: 2 patterns for every named set, at least as long as their windows.
    named_sets = len(case.result.candidates) + 1
    assert work.cycles > named_sets * 2 * 400
    assert work.flit_hops > 0


def test_a_search_that_has_all_answers_can_be_cancelled(case: Search) -> None:
    stop = Event()
    unit_cache = UnitCache(ByHand(), Memory(case.memory.kept))

    def report(event: Progress) -> None:
        if event.stage == "confirm":
            stop.set()

    with listing(case.listable), pytest.raises(Cancelled):
        optimize(TOPOLOGY, case.options, report=report, stop=stop, unit_cache=unit_cache)
