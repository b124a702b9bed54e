"""Points are computed once, several at a time, and one that fails does not stop the others."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import pytest

from tests.search.here import Memory
from tests.sweeps.here import MemoryTables, Serial, small_sweep
from tests.worker_tasks import count_and_die
from tvlb.errors import (
    Cancelled,
    NoWorkers,
    SolverFailed,
    StoreLost,
    StoreUnavailable,
    WorkerLost,
)
from tvlb.processes import MAX_ATTEMPTS, Progress, TaskFuture, Unit, UnitCache, WorkerPool, retry
from tvlb.requests import SweepBody
from tvlb.search.common_traffic import common_patterns
from tvlb.sweeps import PointResult, Stored, engine, points_of, rows_of, run_points
from tvlb.topology import as_topology

_P = ParamSpec("_P")
_Result = TypeVar("_Result")
NETWORKS = ("1,2,1,3", "1,3,1,3", "1,3,1,4")


def run(
    sweep: SweepBody,
    tables: MemoryTables,
    executor: Serial,
    memory: Memory,
    *,
    workers: int = 2,
    **more: Any,
) -> list[PointResult]:
    points = points_of(sweep.expanded())
    return run_points(points, tables, UnitCache(executor, memory), workers=workers, **more)


def of_network(unit: Unit[Any], groups: int, switches: int) -> bool:
    fields: Any = unit.key_fields()
    network = fields.get("network") or fields["scenario"]["network"]
    return network[3] == groups and network[1] == switches


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_BACKOFF_SECONDS", 0.0)


class Whole:
    """A sweep that ran without interruption."""

    def __init__(self) -> None:
        self.tables, self.executor, self.memory = MemoryTables(), Serial(), Memory()
        self.events: list[Progress] = []
        self.results = run(
            small_sweep(*NETWORKS),
            self.tables,
            self.executor,
            self.memory,
            report=self.events.append,
        )


@pytest.fixture(scope="module")
def whole() -> Whole:
    return Whole()


def names(results: Sequence[PointResult]) -> list[str]:
    return [str(result.point.topology) for result in results]


def test_every_point_is_computed_once_and_stands_in_order(whole: Whole) -> None:
    assert names(whole.results) == [f"dfly({name})" for name in NETWORKS]
    assert [result.attempts for result in whole.results] == [1, 1, 1]
    assert sorted(whole.tables.added) == sorted(one.point.key for one in whole.results)
    assert max(Counter(unit.key for unit in whole.executor.computed).values()) == 1
    assert len(whole.memory.saved) == len(whole.executor.computed)


def test_progress_counts_up_to_its_total(whole: Whole) -> None:
    done = [event.done for event in whole.events]
    assert done == sorted(done)
    [total] = {event.total for event in whole.events}
    assert (done[0], done[-1]) == (0, total)
    assert whole.events[-1].note == "3 of 3 points"
    assert {event.stage for event in whole.events} == {"sweep"}


@pytest.mark.parametrize("workers", [1, 5])
def test_the_number_of_workers_changes_no_row(whole: Whole, workers: int) -> None:
    found = run(small_sweep(*NETWORKS), MemoryTables(), Serial(), Memory(), workers=workers)
    assert rows_of(found) == rows_of(whole.results)


def test_what_is_in_the_store_is_not_computed_again(whole: Whole) -> None:
    executor = Serial()
    found = run(small_sweep(*NETWORKS), whole.tables, executor, Memory(whole.memory.kept))
    assert executor.computed == []
    assert [result.attempts for result in found] == [0, 0, 0]
    assert rows_of(found) == rows_of(whole.results)


def test_what_networks_carry_of_common_traffic_is_told_by_set(whole: Whole) -> None:
    for row in rows_of(whole.results):
        for name in ("chosen", "all"):
            kinds = [row[f"{kind}_{name}"] for kind in ("uniform", "permutation", "all_to_all")]
            loads = [one for one in kinds if isinstance(one, float)]
            assert row[f"common_{name}"] == pytest.approx(sum(loads) / 3)
            worst, own = row[f"worst_{name}"], row[f"saturation_{name}"]
            assert isinstance(worst, float)
            assert isinstance(own, float)
            assert worst <= min(*loads, own)
        if not row["replaces_all"]:
            assert row["common_chosen"] == row["common_all"]
        assert row["cost_per_common_all"] is None


def test_a_table_whose_units_are_gone_has_its_common_traffic_simulated_again(whole: Whole) -> None:
    executor = Serial()
    found = run(small_sweep(*NETWORKS), whole.tables, executor, Memory())
    kinds = Counter(unit.key_fields()["unit"] for unit in executor.computed)
    assert kinds.keys() <= {"saturation", "balance"}
    # All patterns, of which small networks draw some twice, of two sets at most.
    patterns = sum(len(common_patterns(as_topology(one))) for one in NETWORKS)
    assert patterns <= kinds["saturation"] <= 2 * patterns
    assert [result.attempts for result in found] == [0, 0, 0]
    assert rows_of(found) == rows_of(whole.results)


def test_a_longer_sweep_computes_what_is_missing(whole: Whole) -> None:
    executor, memory = Serial(), Memory(whole.memory.kept)
    found = run(small_sweep(*NETWORKS, "1,2,1,3", routings=["ugal-l", "par"]), whole.tables,
                executor, memory)  # fmt: skip
    assert [result.attempts for result in found] == [0, 1] * 3
    # Models and balancing are the same for both routings.
    assert {unit.key_fields()["unit"] for unit in executor.computed} == {"run", "saturation"}


@pytest.mark.slow
def test_searches_share_what_their_routings_have_in_common() -> None:
    windows = {"warmup": 100, "measured": 100, "grid": 0.1}
    options = {
        "patterns": 1,
        "budget": 0,
        "search": "paths",
        "traffic": ["shift(1,0)", "uniform"],
        "screening": windows,
        "confirmation": windows,
        "data_points": 1,
    }
    searches = SweepBody.model_validate(
        {"topologies": ["1,2,1,3"], "routings": ["ugal-l", "par"], "options": options}
    )
    executor, memory = Serial(), Memory()
    found = run(searches, MemoryTables(), executor, memory, workers=1)
    rows = rows_of(found)
    assert [row["status"] for row in rows] == ["succeeded"] * 2
    assert {row["method"] for row in rows} == {"search"}
    assert all(row["found"] is not None for row in rows)
    balanced = [
        unit.key_fields() for unit in executor.computed if "balance" in str(unit.key_fields())
    ]
    assert max(Counter(json.dumps(one, sort_keys=True) for one in balanced).values()) == 1
    # As if all had been interrupted at their end.
    executor = Serial()
    again = run(searches, MemoryTables(), executor, Memory(memory.kept))
    assert executor.computed == []
    assert rows_of(again) == rows


def test_units_that_are_kept_are_used_where_the_table_is_not(whole: Whole) -> None:
    executor = Serial()
    found = run(small_sweep(*NETWORKS), MemoryTables(), executor, Memory(whole.memory.kept))
    assert executor.computed == []
    assert all(result.units is not None and result.units.computed == 0 for result in found)
    assert rows_of(found) == rows_of(whole.results)


@pytest.mark.parametrize(
    ("error", "attempts", "cause"),
    [
        (RuntimeError("no luck"), 3, "RuntimeError: no luck"),
        (MemoryError(), 3, "the memory did not suffice"),
        (SolverFailed("no proof"), 1, "no proof"),
    ],
)
def test_a_point_that_fails_is_begun_again_if_that_may_pass_and_the_others_go_on(
    whole: Whole, error: Exception, attempts: int, cause: str
) -> None:
    def spoil(unit: Unit[Any]) -> Exception | None:
        wanted = of_network(unit, groups=3, switches=3) and unit.key_fields()["unit"] == "balance"
        return error if wanted else None

    found = run(small_sweep(*NETWORKS), MemoryTables(), Serial(spoil), Memory())
    assert [result.attempts for result in found] == [1, attempts, 1]
    rows = rows_of(found)
    assert [row["status"] for row in rows] == ["succeeded", "failed", "succeeded"]
    assert rows[1]["error"] == cause
    expected = rows_of(whole.results)
    assert (rows[0], rows[2]) == (expected[0], expected[2])


def test_an_attempt_goes_on_from_what_the_last_one_finished(whole: Whole) -> None:
    failures: list[str] = []

    def spoil(unit: Unit[Any]) -> Exception | None:
        wanted = of_network(unit, groups=4, switches=3) and unit.key_fields()["unit"] == "run"
        if not wanted or len(failures) == 2 or unit.key not in (failures or [unit.key]):
            return None
        failures.append(unit.key)
        return RuntimeError("not this time")

    executor = Serial(spoil)
    found = run(small_sweep(*NETWORKS), MemoryTables(), executor, Memory())
    assert [result.attempts for result in found] == [1, 1, 3]
    assert max(Counter(unit.key for unit in executor.computed).values()) == 1
    assert rows_of(found) == rows_of(whole.results)


@pytest.mark.parametrize("error", [OSError(28, "No space left"), StoreUnavailable("gone")])
def test_a_store_that_fails_ends_the_sweep_and_blames_no_point(error: Exception) -> None:
    class Full(MemoryTables):
        asked = 0

        def find(self, key: str) -> Stored | None:
            self.asked += 1
            raise error

    tables = Full()
    with pytest.raises(StoreLost, match=f"3 times in a row: .*{str(error)[-4:]}"):
        run(small_sweep("1,2,1,3"), tables, Serial(), Memory())
    assert tables.asked == 3


def test_a_store_that_is_gone_ends_the_sweep_before_the_end_of_a_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Gone(MemoryTables):
        def check(self) -> None:
            raise StoreUnavailable("data is gone")

    class Never(Serial):
        """Begins units, and ends none."""

        def submit(
            self, fn: Callable[_P, _Result], /, *args: _P.args, **kwargs: _P.kwargs
        ) -> Future[_Result]:
            return Future()

    monkeypatch.setattr(engine, "_STORE_SECONDS", 0.0)
    with pytest.raises(StoreLost, match="the store is gone: data is gone"):
        run(small_sweep("1,2,1,3"), Gone(), Never(), Memory())


def test_a_store_that_comes_back_harms_nothing(whole: Whole) -> None:
    back = threading.Event()

    class Away(MemoryTables):
        looks = 0

        def check(self) -> None:
            self.looks += 1
            if self.looks == 1:
                raise StoreUnavailable("data is gone")
            back.set()

    class Late(Serial):
        """Begins no unit before the store is back."""

        def submit(
            self, fn: Callable[_P, _Result], /, *args: _P.args, **kwargs: _P.kwargs
        ) -> Future[_Result]:
            back.wait()
            return super().submit(fn, *args, **kwargs)

    found = run(small_sweep(*NETWORKS), Away(), Late(), Memory())
    assert rows_of(found) == rows_of(whole.results)


def test_a_store_that_fails_once_harms_nothing(whole: Whole) -> None:
    failures = iter([StoreUnavailable("for a moment")])

    class Shaky(MemoryTables):
        def find(self, key: str) -> Stored | None:
            for failure in failures:
                raise failure
            return super().find(key)

    tables = Shaky()
    tables.tables = whole.tables.tables
    assert rows_of(run(small_sweep(*NETWORKS), tables, Serial(), Memory())) == rows_of(
        whole.results
    )


def test_rows_of_failed_points_hold_no_hosts(whole: Whole) -> None:
    def spoil(unit: Unit[Any]) -> Exception | None:
        return WorkerLost("4 workers of tcp://10.0.0.7:8786 died") if fails(unit) else None

    def fails(unit: Unit[Any]) -> bool:
        return of_network(unit, groups=3, switches=2)

    [found, *_] = run(small_sweep(*NETWORKS), MemoryTables(), Serial(spoil), Memory())
    assert found.detail == "4 workers of tcp://10.0.0.7:8786 died"
    assert found.error == "the processes that computed a part of it died again and again"


class Deadly(WorkerPool):
    """Computes units on real processes, and has those of linear programs kill theirs."""

    def __init__(self, count: int, starts: Path) -> None:
        super().__init__(count)
        self._starts = starts

    def submit(
        self, fn: Callable[_P, _Result], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> TaskFuture[_Result]:
        unit = cast("Unit[Any]", args[0])
        if unit.key_fields()["unit"] != "pattern":
            return super().submit(fn, *args, **kwargs)
        dying = super().submit(count_and_die, self._starts / unit.key)
        return cast("TaskFuture[_Result]", dying)


def test_a_unit_that_kills_its_process_is_started_three_times_whoever_needs_it(
    tmp_path: Path,
) -> None:
    """Not three times for each point, nor for each attempt at a point."""
    points = points_of(small_sweep("1,2,1,3", routings=["ugal-l", "par"]).expanded())
    with Deadly(1, tmp_path) as pool:
        found = run_points(points, MemoryTables(), UnitCache(pool), workers=1)
    started = [path.read_text() for path in tmp_path.iterdir()]
    assert started
    assert set(started) == {"x" * MAX_ATTEMPTS}
    assert [result.attempts for result in found] == [1, 1]
    for result in found:
        assert result.error == "the processes that computed a part of it died again and again"
        assert "3 worker processes were lost to the same task" in (result.detail or "")


def test_a_sweep_without_workers_ends(whole: Whole) -> None:
    def spoil(_: Unit[Any]) -> Exception | None:
        return NoWorkers("the scheduler is gone")

    with pytest.raises(NoWorkers, match="the scheduler is gone"):
        run(small_sweep(*NETWORKS), MemoryTables(), Serial(spoil), Memory())


def test_a_cancelled_sweep_keeps_what_is_finished(whole: Whole) -> None:
    stop, memory = threading.Event(), Memory()

    def spoil(_: Unit[Any]) -> Exception | None:
        if len(memory.saved) >= 10:
            stop.set()
        return None

    with pytest.raises(Cancelled):
        run(small_sweep(*NETWORKS), MemoryTables(), Serial(spoil), memory, stop=stop)
    executor = Serial()
    found = run(small_sweep(*NETWORKS), MemoryTables(), executor, Memory(memory.kept))
    assert len(executor.computed) == len(whole.memory.saved) - len(memory.saved)
    assert rows_of(found) == rows_of(whole.results)
