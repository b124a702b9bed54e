"""A search taken up again from any of its stages is the search that was never interrupted."""

import json
import re
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest

from sim_bridge import Scenario, SimulationResult
from tvlb.balance import BalancedSet, BalanceOptions
from tvlb.errors import Cancelled, InvalidInput
from tvlb.paths import PathSet
from tvlb.search import (
    Candidate,
    Progress,
    SearchOptions,
    TableResult,
    Windows,
    optimize,
    table_document,
)
from tvlb.search import checkpoint as checkpoint_module
from tvlb.search.checkpoint import Codec, Stages
from tvlb.topology import Dragonfly

TOPOLOGY = Dragonfly(2, 4, 2, 3)
QUICK = SearchOptions(
    patterns="2",
    screening=Windows(200, 200, 0.05),
    confirmation=Windows(300, 200, 0.02),
    finalists=1,
    data_points=3,
    simulated_patterns=2,
    workers=2,
)
NAMES = [
    "probe",
    "balance",
    "screen-all",
    "screen-pilot",
    "screen-candidates",
    "screen-latency",
    "confirm",
    "confirm-latency",
    "curves",
]


class Memory:
    """Keeps checkpoints, and notes which were saved."""

    def __init__(self, kept: Mapping[str, bytes] | None = None) -> None:
        self.kept = dict(kept or {})
        self.saved: list[str] = []

    def load(self, name: str) -> bytes | None:
        return self.kept.get(name)

    def save(self, name: str, data: bytes) -> None:
        self.kept[name] = data
        self.saved.append(name)


@dataclass(frozen=True, eq=False)
class Case:
    """An uninterrupted search, with what it kept; `listable` is whether paths may be listed."""

    options: SearchOptions
    listable: bool
    result: TableResult
    kept: dict[str, bytes]
    events: list[Progress]

    def resume(self, kept: Mapping[str, bytes]) -> tuple[TableResult, Memory, list[Progress]]:
        events: list[Progress] = []
        memory = Memory(kept)
        with listing(self.listable):
            result = optimize(TOPOLOGY, self.options, report=events.append, checkpoints=memory)
        return result, memory, events


@contextmanager
def listing(allowed: bool) -> Generator[None]:
    """Put the limit of 50 million listed paths to 0, unless listing is allowed."""

    def never(_: PathSet) -> bool:
        return False

    with pytest.MonkeyPatch.context() as patch:
        if not allowed:
            for module in ("search.optimize", "search.candidates", "balance.balancing"):
                patch.setattr(sys.modules[f"tvlb.{module}"], "is_listable", never)
        yield


@pytest.fixture(
    scope="module",
    params=[(BalanceOptions(), True), (BalanceOptions(), False), (None, True)],
    ids=["listed", "by rule", "as they are"],
)
def case(request: pytest.FixtureRequest) -> Case:
    balancing, listable = request.param
    options = replace(QUICK, balancing=balancing)
    memory = Memory()
    events: list[Progress] = []
    with listing(listable):
        result = optimize(TOPOLOGY, options, report=events.append, checkpoints=memory)
    assert memory.saved == NAMES
    return Case(options, listable, result, memory.kept, events)


def figures(result: TableResult) -> str:
    """Everything that a search says but its timings; texts compare nan as well."""
    document = table_document(result) | {"timings": None}
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


@pytest.mark.parametrize("stages", range(1, len(NAMES) + 1))
def test_any_prefix_of_the_stages_leads_to_the_same_result(case: Case, stages: int) -> None:
    known = NAMES[:stages]
    found, memory, events = case.resume({name: case.kept[name] for name in known})
    assert memory.saved == NAMES[stages:]
    assert memory.kept == case.kept
    assert found.table.id == case.result.table.id
    assert figures(found) == figures(case.result)
    assert_same_candidates(found, case.result)
    for name in known:
        [event] = [one for one in events if one.stage == name.replace("-", " ")]
        assert event.done == event.total


def test_stages_report_the_same_total_whether_computed_or_kept(case: Case) -> None:
    _, _, kept = case.resume(case.kept)
    computed = [event for event in case.events if not event.stage.endswith(" paths")]
    totals = {event.stage: event.total for event in computed}
    assert {event.stage: event.total for event in kept} == totals
    assert [event.stage for event in kept] == [name.replace("-", " ") for name in NAMES]


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_checkpoint_is_as_good_as_none(case: Case, name: str) -> None:
    found, memory, _ = case.resume(case.kept | {name: flipped(case.kept[name])})
    assert memory.saved == [name]
    assert figures(found) == figures(case.result)


def test_nothing_but_garbage_is_as_good_as_nothing(case: Case) -> None:
    found, memory, _ = case.resume(dict.fromkeys(NAMES, b"garbage"))
    assert memory.saved == NAMES
    assert figures(found) == figures(case.result)


def test_the_cases_are_what_they_are_named(case: Case) -> None:
    # What is restored must not all be trivial: some paths are removed where there is balancing.
    reports = [one.balance_report for one in case.result.candidates]
    if case.options.balancing is None:
        assert reports == [None] * len(reports)
        return
    assert any(report is not None and report.removed > 0 for report in reports)
    by_rule = [isinstance(one.path_set, BalancedSet) for one in case.result.candidates]
    assert by_rule == [not case.listable] * len(by_rule)


def test_names_are_short_slugs_and_data_need_no_pickle(case: Case) -> None:
    for name, data in case.kept.items():
        assert re.fullmatch("[a-z0-9-]{1,20}", name)
        # A pickle begins with its protocol; ours are a digest and JSON or a zip archive.
        assert data[32:33] == (b"P" if name == "balance" else b"{")


def test_the_work_is_that_of_the_whole_search(case: Case) -> None:
    # 38 path sets under 2 patterns; the document says the same.
    work = case.result.work
    assert work.programs == 76
    assert table_document(case.result)["work"] == vars(work)
    # Latencies alone: 2 patterns for every entrant, at least as long as their windows.
    entrants = len(case.result.candidates) + 1
    assert work.cycles > entrants * 2 * 400
    assert work.flit_hops > 0


def test_work_is_counted_without_checkpoints_too(case: Case) -> None:
    with listing(case.listable):
        assert optimize(TOPOLOGY, case.options).work == case.result.work


def test_a_stage_that_was_cut_short_is_not_kept(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The flag may be set while the last run of a stage is under way, too late for the map to see.
    whole: Callable[..., SimulationResult] = Scenario.run

    def cut_short(*arguments: object) -> SimulationResult:
        return replace(whole(*arguments), stopped="cancelled")

    monkeypatch.setattr(Scenario, "run", cut_short)
    known = NAMES[: NAMES.index("screen-latency")]
    memory = Memory({name: case.kept[name] for name in known})
    with listing(case.listable), pytest.raises(Cancelled):
        optimize(TOPOLOGY, case.options, checkpoints=memory)
    assert memory.saved == []


def same(data: bytes) -> bytes:
    return data


def decode_otherwise(_: bytes) -> bytes:
    raise KeyError("cut")


def refuse(_: bytes) -> bytes:
    raise InvalidInput("no such expression")


TEXT = Codec[bytes](same, same, len)


def empty(_: bytes) -> bytes:
    return b""


def garbage(_: bytes) -> bytes:
    return b"garbage"


def truncated(data: bytes) -> bytes:
    return data[:-1]


def longer(data: bytes) -> bytes:
    return data + b"!"


def flipped(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.fixture
def memory() -> Memory:
    memory = Memory()
    assert Stages(memory).run("screen all", TEXT, lambda: b"computed") == b"computed"
    return memory


def rerun(memory: Memory, codec: Codec[bytes] = TEXT) -> bytes:
    """Run the stage again; `again` says that it was computed."""
    return Stages(memory).run("screen all", codec, lambda: b"again")


def test_a_kept_stage_is_not_computed_and_reports_itself_finished(memory: Memory) -> None:
    events: list[Progress] = []
    stages = Stages(memory, events.append)
    assert stages.run("screen all", TEXT, lambda: b"again") == b"computed"
    assert memory.saved == ["screen-all"]
    assert events == [Progress("screen all", 8, 8)]


def test_an_empty_result_is_a_result() -> None:
    memory = Memory()
    Stages(memory).run("screen all", TEXT, lambda: b"")
    assert rerun(memory) == b""


@pytest.mark.parametrize("damage", [empty, garbage, truncated, longer, flipped])
def test_damage_is_noticed(memory: Memory, damage: Callable[[bytes], bytes]) -> None:
    memory.kept["screen-all"] = damage(memory.kept["screen-all"])
    assert rerun(memory) == b"again"


def test_the_checkpoint_of_another_stage_is_none(memory: Memory) -> None:
    Stages(memory).run("confirm", TEXT, lambda: b"confirmed")
    memory.kept["screen-all"] = memory.kept["confirm"]
    assert rerun(memory) == b"again"


def test_the_checkpoint_of_another_version_is_none(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint_module, "VERSION", "0.0.0")
    assert rerun(memory) == b"again"


@pytest.mark.parametrize("decode", [decode_otherwise, refuse])
def test_what_cannot_be_decoded_is_computed_and_kept_anew(
    memory: Memory, decode: Callable[[bytes], bytes]
) -> None:
    assert rerun(memory, Codec(same, decode, len)) == b"again"
    assert rerun(memory) == b"again"
    assert memory.saved == ["screen-all"] * 2
