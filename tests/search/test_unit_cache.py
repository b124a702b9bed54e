"""Units are computed once for all who need them, and not if kept; most are settled by hand here."""

from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any

import pytest

from tests.search.here import ByHand, Memory, flipped, units_here
from tvlb.errors import Cancelled, InvalidInput, SolverFailed
from tvlb.processes import Unit, UnitCache, UnitCount, Units


@dataclass(frozen=True)
class Word(Unit[str]):
    """Gives its text."""

    text: str
    decoded: Callable[[bytes], str] = bytes.decode

    def key_fields(self) -> Mapping[str, object]:
        return {"unit": "word", "text": self.text}

    def compute(self) -> bytes:
        if self.text == "bad":
            raise SolverFailed("no result")
        return self.text.encode()

    def decode(self, data: bytes) -> str:
        return self.decoded(data)


WORD = Word("word")


def nothing() -> None:
    pass


def garbled(_: bytes) -> str:
    raise KeyError("cut")


def refused(_: bytes) -> str:
    raise InvalidInput("no such expression")


def empty(_: bytes) -> bytes:
    return b""


def garbage(_: bytes) -> bytes:
    return b"garbage"


def truncated(data: bytes) -> bytes:
    return data[:-1]


def longer(data: bytes) -> bytes:
    return data + b"!"


@pytest.fixture
def memory() -> Memory:
    memory = Memory()
    assert units_here(memory).map([WORD], nothing) == ["word"]
    return memory


def test_what_is_kept_is_not_computed(memory: Memory) -> None:
    units = Units(UnitCache(ByHand(), memory), Event())
    counted: list[int] = []
    assert units.map([WORD, WORD], lambda: counted.append(1)) == ["word"] * 2
    assert units.count == UnitCount(computed=0, reused=2)
    assert counted == [1, 1]


def test_an_empty_answer_is_an_answer() -> None:
    memory = Memory()
    for count in (UnitCount(1, 0), UnitCount(0, 1)):
        units = units_here(memory)
        assert units.map([Word("")], nothing) == [""]
        assert units.count == count


@pytest.mark.parametrize("damage", [empty, garbage, truncated, longer, flipped])
def test_damage_is_noticed(memory: Memory, damage: Callable[[bytes], bytes]) -> None:
    whole = memory.kept[WORD.key]
    memory.kept[WORD.key] = damage(whole)
    assert units_here(memory).map([WORD], nothing) == ["word"]
    assert memory.saved == [WORD.key] * 2
    assert memory.kept[WORD.key] == whole


def test_the_result_of_another_unit_is_none(memory: Memory) -> None:
    units_here(memory).map([Word("other")], nothing)
    memory.kept[WORD.key] = memory.kept[Word("other").key]
    assert units_here(memory).map([WORD], nothing) == ["word"]


@pytest.mark.parametrize("decoded", [garbled, refused])
def test_what_cannot_be_decoded_is_computed_and_kept_anew(
    memory: Memory, decoded: Callable[[bytes], str]
) -> None:
    with pytest.raises((KeyError, InvalidInput)):
        # The result that this program gives has to be one.
        units_here(memory).map([Word("word", decoded)], nothing)
    assert memory.saved == [WORD.key] * 2


class Full(Memory):
    def save(self, key: str, data: bytes) -> None:
        raise OSError("no space left on device")


class Unreadable(Memory):
    def load(self, key: str) -> bytes | None:
        raise PermissionError("not yours")


@pytest.mark.parametrize("store", [Full(), Unreadable()], ids=["full", "unreadable"])
def test_errors_of_the_store_reach_the_caller(store: Memory) -> None:
    with pytest.raises(OSError, match=r"no space|not yours"):
        units_here(store).map([WORD], nothing)


def test_a_failure_reaches_the_caller_and_is_not_kept() -> None:
    memory = Memory()
    with pytest.raises(SolverFailed, match="no result"):
        units_here(memory).map([WORD, Word("bad")], nothing)
    assert memory.kept.keys() == {WORD.key}


class Waiting:
    """A search on another thread that waits for units; it is over when the block is left."""

    def __init__(self, unit_cache: UnitCache, *units: Unit[str]) -> None:
        self.stop = Event()
        self.counted = 0
        self.units = Units(unit_cache, self.stop)
        self._threads = ThreadPoolExecutor(1)
        self.results = self._threads.submit(self.units.map, units, self._count)

    def _count(self) -> None:
        self.counted += 1

    def __enter__(self) -> "Waiting":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        self._threads.shutdown()


def asked(executor: ByHand) -> Future[Any]:
    """Wait until a unit is begun."""
    return executor.asked.get(timeout=20)


def test_a_unit_that_two_searches_need_at_once_is_computed_once() -> None:
    executor, memory = ByHand(), Memory()
    unit_cache = UnitCache(executor, memory)
    mine, new = unit_cache.begin(WORD)
    assert new
    with Waiting(unit_cache, WORD, Word("other")) as other:
        # The second unit is begun after the first.
        first, second = asked(executor), asked(executor)
        first.set_result(b"word")
        second.set_result(b"other")
        assert other.results.result() == ["word", "other"]
        assert other.units.count == UnitCount(computed=1, reused=1)
    assert mine.result() == b"word"
    assert executor.asked.empty()
    assert memory.saved == [WORD.key, Word("other").key]


def test_answers_are_in_order_whichever_comes_first() -> None:
    executor = ByHand()
    words = [Word(text) for text in "abc"]
    with Waiting(UnitCache(executor), *words) as waiting:
        begun = [asked(executor) for _ in words]
        for word, future in reversed(list(zip(words, begun, strict=True))):
            future.set_result(word.text.encode())
        assert waiting.results.result() == ["a", "b", "c"]


def test_a_unit_that_is_needed_twice_counts_twice() -> None:
    executor = ByHand()
    with Waiting(UnitCache(executor), WORD, WORD) as waiting:
        asked(executor).set_result(b"word")
        assert waiting.results.result() == ["word", "word"]
        assert waiting.counted == 2
        assert waiting.units.count == UnitCount(computed=1, reused=1)
    assert executor.asked.empty()


def test_a_search_that_is_cancelled_takes_nothing_from_others() -> None:
    executor, memory = ByHand(), Memory()
    unit_cache = UnitCache(executor, memory)
    mine, _ = unit_cache.begin(WORD)
    with Waiting(unit_cache, WORD, Word("other")) as other:
        shared, alone = asked(executor), asked(executor)
        other.stop.set()
        with pytest.raises(Cancelled):
            other.results.result()
    assert (shared.cancelled(), alone.cancelled()) == (False, True)
    shared.set_result(b"word")
    assert mine.result() == b"word"
    assert memory.saved == [WORD.key]


def test_a_search_that_fails_takes_nothing_from_others() -> None:
    executor = ByHand()
    unit_cache = UnitCache(executor)
    mine, _ = unit_cache.begin(WORD)
    with Waiting(unit_cache, WORD, Word("bad"), Word("alone")) as other:
        shared, bad, alone = asked(executor), asked(executor), asked(executor)
        bad.set_exception(SolverFailed("no result"))
        with pytest.raises(SolverFailed):
            other.results.result()
    assert (shared.cancelled(), alone.cancelled()) == (False, True)
    shared.set_result(b"word")
    assert mine.result() == b"word"


def test_what_nobody_waits_for_is_not_begun() -> None:
    executor, memory = ByHand(), Memory()
    unit_cache = UnitCache(executor, memory)
    landings = [unit_cache.begin(WORD)[0] for _ in range(2)]
    computing = asked(executor)
    unit_cache.leave(WORD, landings[0])
    assert not computing.cancelled()
    unit_cache.leave(WORD, landings[1])
    assert computing.cancelled()
    with pytest.raises(CancelledError):
        landings[0].result()
    # Whoever needs it later begins it anew.
    landing, new = unit_cache.begin(WORD)
    assert new
    asked(executor).set_result(b"word")
    assert landing.result() == b"word"
    assert memory.saved == [WORD.key]


def test_what_has_begun_goes_on_and_may_be_joined_again() -> None:
    executor, memory = ByHand(), Memory()
    unit_cache = UnitCache(executor, memory)
    landing, _ = unit_cache.begin(WORD)
    computing = asked(executor)
    computing.set_running_or_notify_cancel()
    unit_cache.leave(WORD, landing)
    again, new = unit_cache.begin(WORD)
    assert not new
    computing.set_result(b"word")
    assert again.result() == b"word"
    assert memory.saved == [WORD.key]


def test_leaving_what_has_landed_takes_nothing_from_who_began_it_again() -> None:
    executor = ByHand()
    unit_cache = UnitCache(executor)
    landed, _ = unit_cache.begin(WORD)
    asked(executor).set_result(b"word")
    landing, new = unit_cache.begin(WORD)
    # Nothing is kept here.
    assert new
    unit_cache.leave(WORD, landed)
    computing = asked(executor)
    assert not computing.cancelled()
    computing.set_result(b"word")
    assert landing.result() == b"word"
