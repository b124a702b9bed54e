"""The search for weighted sets from end to end, on a network small enough for tests."""

import json
import random
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from tests.search.here import Inline, Memory
from tvlb.errors import Cancelled, InvalidInput
from tvlb.processes import Progress, UnitCache
from tvlb.requests import TableDocument
from tvlb.search import Found, SearchOptions, TableResult, Windows, compact_table, optimize
from tvlb.table import TABLE_SUFFIXES, Table, verify, write_table
from tvlb.topology import Dragonfly

TOPOLOGY = Dragonfly(2, 4, 2, 5)
SHORT = Windows(150, 150, 0.05)
LONG = Windows(250, 250, 0.05)
# The sets to begin with take 1.5 million flit-hops.
QUICK = SearchOptions(
    patterns="1",
    screening=LONG,
    confirmation=SHORT,
    data_points=1,
    budget="3_200_000",
    search="paths",
    seed=10,
)


@pytest.fixture(scope="module", autouse=True)
def short_runs() -> Generator[None]:
    """Look even more briefly; worker processes are told with every run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tvlb.search.by_search.SHORT", SHORT)
        patch.setattr("tvlb.search.by_search._CURVE_WINDOWS", SHORT)
        yield


@dataclass(frozen=True)
class FinishedSearch:
    """A search, with what it computed, kept and reported."""

    result: TableResult
    computed: list[str]
    kept: dict[str, bytes]
    events: list[Progress]

    @property
    def found(self) -> Found:
        assert self.result.found is not None
        return self.result.found


def search(
    options: SearchOptions = QUICK, kept: Mapping[str, bytes] | None = None
) -> FinishedSearch:
    memory, executor, events = Memory(kept), Inline(), list[Progress]()
    unit_cache = UnitCache(executor, memory)
    result = optimize(TOPOLOGY, options, report=events.append, unit_cache=unit_cache)
    return FinishedSearch(result, [unit.key for unit in executor.computed], memory.kept, events)


@pytest.fixture(scope="module")
def ended() -> FinishedSearch:
    return search()


def assert_same(first: TableResult, second: TableResult, folder: Path) -> None:
    """Assert equal bytes of the tables, and all else equal but the timings."""
    for suffix in TABLE_SUFFIXES:
        paths = [folder / f"{name}{suffix}" for name in ("first", "second")]
        for result, path in zip((first, second), paths, strict=True):
            write_table(result.table, path)
        assert paths[0].read_bytes() == paths[1].read_bytes()
    documents = [TableDocument.of(one).plain() | {"timings": None} for one in (first, second)]
    assert json.dumps(documents[0]) == json.dumps(documents[1])
    assert first.found is not None
    assert second.found is not None
    assert repr(first.found.search.steps) == repr(second.found.search.steps)
    assert [table.id for table in first.found.front] == [table.id for table in second.found.front]


def test_the_search_is_no_trivial_one(ended: FinishedSearch) -> None:
    # The last incumbent came from a generation, after those that the search begins with.
    search_alone = ended.found.search
    assert len(search_alone.steps) > 2
    assert search_alone.steps[-1].flit_hops > 1_800_000
    # 31 are those that it begins with.
    assert search_alone.sets > 31
    assert ended.found.search.work.flit_hops > 3_200_000
    kinds = {one.form for one in ended.result.candidates}
    assert None in kinds
    assert len(kinds) > 1


@pytest.mark.slow
def test_two_other_processes_find_the_same(ended: FinishedSearch, tmp_path: Path) -> None:
    assert_same(ended.result, optimize(TOPOLOGY, replace(QUICK, workers=2)), tmp_path)


class Interrupted(Memory):
    """Sets a flag when it keeps so many answers."""

    def __init__(self, answers: int, stop: Event) -> None:
        super().__init__()
        self._answers = answers
        self._stop = stop

    def save(self, key: str, data: bytes) -> None:
        super().save(key, data)
        if len(self.saved) == self._answers:
            self._stop.set()


@pytest.mark.slow
def test_what_was_interrupted_goes_on(ended: FinishedSearch, tmp_path: Path) -> None:
    stop, done = Event(), round(0.55 * len(ended.computed))
    memory = Interrupted(done, stop)
    with pytest.raises(Cancelled):
        optimize(TOPOLOGY, QUICK, stop=stop, unit_cache=UnitCache(Inline(), memory))
    assert len(memory.kept) == done
    assert memory.kept.items() <= ended.kept.items()
    again = search(kept=memory.kept)
    assert len(again.computed) == len(ended.computed) - done
    assert again.kept == ended.kept
    assert again.events == ended.events
    assert_same(again.result, ended.result, tmp_path)


def test_what_is_kept_is_not_computed(ended: FinishedSearch, tmp_path: Path) -> None:
    # A tenth of the last simulations is lost.
    lost = set(random.Random(1).sample(ended.computed[-200:], 20))
    again = search(kept={key: data for key, data in ended.kept.items() if key not in lost})
    assert {*again.computed} == lost
    assert_same(again.result, ended.result, tmp_path)


@pytest.mark.slow
def test_a_larger_budget_goes_on_and_is_never_worse(ended: FinishedSearch) -> None:
    more = search(replace(QUICK, budget="5_000_000"), ended.kept)
    less = search(replace(QUICK, budget="0"), ended.kept)
    searches = [one.found.search for one in (less, ended, more)]
    for shorter, longer in pairwise(searches):
        assert longer.steps[: len(shorter.steps)] == shorter.steps
        assert longer.sets > shorter.sets
    # Nothing that the search simulated before is simulated again.
    assert less.result.units.computed < 100


def test_the_table_is_what_the_decision_says(ended: FinishedSearch) -> None:
    judgements = ended.result.validation.judgements
    chosen = ended.result.chosen
    assert verify(ended.result.table).ok
    names = [one.name for one in ended.result.candidates]
    assert sorted(names) == sorted(one.expression for one in judgements if one.against == "all")
    assert ended.result.table.header.expression == ("all" if chosen is None else chosen.expression)
    (answer,) = ended.found.search.answers
    assert names[0] == answer.name
    (table,) = ended.found.front
    assert verify(table).ok
    assert isinstance(table, Table)
    assert table.header.expression == answer.expression
    rows, simulated = table.path_set("table").all_rows(), answer.path_set.all_rows()
    assert np.array_equal(rows.first_link, simulated.first_link)
    assert rows.weight == pytest.approx(simulated.weight, abs=1e-6)


def test_what_was_judged_was_never_searched(ended: FinishedSearch) -> None:
    searched = {str(pattern) for pattern in ended.found.search.setting.workload.patterns}
    judged = {str(pattern) for pattern in ended.found.held_out.workload.patterns}
    assert (len(searched), len(judged)) == (5, 10)
    assert not searched & judged
    assert ended.result.validation.patterns == tuple(
        str(pattern) for pattern in ended.found.held_out.workload.patterns
    )
    judged_sets = {one.candidate.name for one in ended.found.held_out.sets}
    against = [one.against for one in ended.found.held_out.judgements]
    assert {*against} == {"all", "short(2,3)"}
    assert against.count("all") == len(judged_sets) - 1
    assert against.count("short(2,3)") == len(judged_sets) - 2
    assert ended.found.search.paper is not None
    assert ended.found.search.paper.name in judged_sets


def test_stages_count_from_nothing_to_their_end(ended: FinishedSearch) -> None:
    stages = list(dict.fromkeys(event.stage for event in ended.events))
    assert stages == ["probe", "search", "compare", "curves"]
    for stage in stages:
        counted = [event for event in ended.events if event.stage == stage]
        done = [event.done for event in counted]
        assert done == sorted(done)
        assert done[0] == 0
        if stage == "search":
            assert done[-1] == counted[-1].total == 3_200_000
        else:
            assert done == list(range(counted[-1].total + 1))


def test_the_document_is_json_and_says_what_was_searched(ended: FinishedSearch) -> None:
    document = json.loads(json.dumps(TableDocument.of(ended.result).plain(), allow_nan=False))
    found = document["search"]
    assert (found["objective"], found["budget"]) == ("saturation", 3_200_000)
    assert [one["share"] for one in found["traffic"]] == [0.21, 0.21, 0.21, 0.21, 0.16]
    assert [one["known_as"] for one in found["held_out"]].count("conventional") == 1
    assert "judgements" not in found
    pairs = [(one["expression"], one["against"]) for one in document["verdict"]["judgements"]]
    sets = [one["expression"] for one in found["held_out"]]
    assert sorted(pairs) == sorted(
        [(one, "all") for one in sets if one != "all"]
        + [(one, "short(2,3)") for one in sets if one not in ("all", "short(2,3)")]
    )
    # Those of the choice come first.
    assert pairs[0] == (document["decision"]["expression"], "all")
    assert document["decision"]["reason"] == document["verdict"]["text"][0]
    assert found["front"][0]["table_id"] == ended.found.front[0].id
    assert found["steps"][-1]["expression"] == found["front"][0]["expression"]
    assert document["work"]["flit_hops"] > found["flit_hops"]
    assert document["provenance"]["parameters"]["budget"] == "3200000"


@pytest.mark.parametrize("stage", ["search", "compare", "curves"])
def test_a_search_can_be_cancelled_at_any_stage(ended: FinishedSearch, stage: str) -> None:
    stop = Event()

    def report(event: Progress) -> None:
        if event.stage == stage and event.done:
            stop.set()

    unit_cache = UnitCache(Inline(), Memory(ended.kept))
    with pytest.raises(Cancelled):
        optimize(TOPOLOGY, QUICK, report=report, stop=stop, unit_cache=unit_cache)


@pytest.mark.slow
def test_a_front_has_a_table_for_every_answer() -> None:
    options = replace(QUICK, objective="front", traffic=("shift(1,0)", "uniform:2"), budget="0")
    found = search(replace(options, balancing=None)).found
    assert len(found.front) == len(found.answers)
    assert all(verify(table).ok for table in found.front)
    assert [table.header.expression for table in found.front] == [
        one.expression for one in found.answers
    ]
    assert len({table.id for table in found.front}) == len(found.front)
    sets = [one.candidate.name for one in found.held_out.sets]
    assert {one.name for one in found.answers} <= {one.name for one in found.search.answers}
    assert {one.name for one in found.search.answers} <= {*sets}
    measured = [found.held_out.measured(one.name) for one in found.answers]
    places = [(-one.saturation_mean, one.latency_mean) for one in measured]
    for mine in places:
        assert not any(one != mine and one[0] <= mine[0] and one[1] <= mine[1] for one in places)
    assert [(one.expression, one.against) for one in found.held_out.judgements] == [
        *((one, "all") for one in sets if one != "all"),
        *((one, "short(2,3)") for one in sets if one not in ("all", "short(2,3)")),
    ]
    assert len(found.search.best) == 3


def test_traffic_of_one_pattern_is_judged_in_eight_rounds() -> None:
    ended = search(replace(QUICK, traffic=("shift(1,0)",), budget="0", objective="worst-pattern"))
    document = json.loads(json.dumps(TableDocument.of(ended.result).plain(), allow_nan=False))
    judgements = document["verdict"]["judgements"]
    assert judgements
    for one in judgements:
        assert one["saturation"]["half_width"] > 0
        # Of a single pattern the worst is the only one, and in the mean of its runs.
        assert one["saturation"]["patterns"] == 1
        assert one["saturation"]["worst"] == pytest.approx(one["saturation"]["mean"])
    assert [one["pattern"] for one in document["search"]["traffic"]] == ["shift(1,0)"]
    assert ended.result.validation.patterns == ("shift(1,0)",) * 8
    held_out = ended.found.held_out
    assert held_out.workload == ended.found.search.setting.workload.in_rounds()
    # Runs with other seeds are other runs.
    for one in held_out.sets:
        assert len({*one.latency[0].tolist()}) == 8
    # Curves are of the pattern once.
    points = [point for curve in document["curves"].values() for point in curve]
    assert {point["latency_sem"] for point in points} == {None}


@pytest.mark.slow
def test_named_traffic_is_searched_weightiest_first_and_judged_as_named() -> None:
    named = ("uniform", "shift(1,0):2", "shift(2,0)")
    ended = search(replace(QUICK, traffic=named, budget="0", balancing=None))
    document = json.loads(json.dumps(TableDocument.of(ended.result).plain(), allow_nan=False))
    assert [(one["pattern"], one["share"]) for one in document["search"]["traffic"]] == [
        ("shift(1,0)", 0.5),
        ("uniform", 0.25),
        ("shift(2,0)", 0.25),
    ]
    assert ended.result.validation.patterns == ("uniform", "shift(1,0)", "shift(2,0)") * 3
    assert ended.found.held_out.workload.share == pytest.approx([1 / 12, 2 / 12, 1 / 12] * 3)
    # What is printed of a set are means by these shares.
    base = document["baseline"]
    assert base["saturation_mean"] == pytest.approx(
        sum(
            (2 if one["pattern"] == "shift(1,0)" else 1) * one["saturation"]
            for one in base["per_pattern"]
        )
        / 12
    )


@pytest.mark.parametrize("form", ["weights", "removal", None])
def test_only_what_follows_from_a_rule_has_a_compact_form(
    ended: FinishedSearch, form: str | None
) -> None:
    chosen = next(one for one in ended.found.search.raced if one.candidate.form == form)
    decision = replace(
        ended.result.validation.decision, expression=chosen.candidate.name, replaces_all=True
    )
    result = replace(
        ended.result,
        candidates=(chosen.candidate,),
        validation=replace(ended.result.validation, decision=decision),
    )
    if form == "weights":
        with pytest.raises(InvalidInput, match="no compact form"):
            compact_table(result)
    else:
        assert compact_table(result).header.expression == chosen.candidate.expression
