"""The store as a whole: listed, checked against its hashes, cleaned of what nobody needs."""

import hashlib
import json
import os
import time
from pathlib import Path

import pytest
from sqlalchemy import update

from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.database import Database
from tvlb.jobs.results import Results
from tvlb.jobs.schema import results
from tvlb.jobs.store import Expired, Store, Unused, files_of
from tvlb.jobs.units import UnitFiles
from tvlb.jobs.workspace import FRONT_FILES, TaskOutput
from tvlb.processes import sealed

DAY = 86_400.0
KEY, OTHER, THIRD = "a" * 64, "b" * 64, "d" * 64


class Place:
    """A store with a table, a sweep, two units, and a file that belongs to nothing."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.database = database = Database(f"sqlite:///{root / 'jobs.sqlite3'}")
        database.upgrade()
        self.results, self.blobs = Results(database), BlobStore(root / "blobs")
        self.units = UnitFiles(root / "units")
        self.store = Store(self.results, self.blobs, self.units)
        self.table_file = self.blobs.put_bytes(b"rows of a table")
        table = TaskOutput(self.blobs.put_bytes(b"{}"), self.table_file, "c" * 64)
        request = json.dumps({"topology": "dfly(2,4,2,9)", "routing": "par"})
        self.results.publish("table", KEY, request, table)
        self.report = self.blobs.put_bytes(b"<html>")
        document = json.dumps({"files": {"report.html": self.report}}).encode()
        self.sweep = self.blobs.put_bytes(document)
        self.results.publish("sweep", OTHER, '{"name": "all of them"}', TaskOutput(self.sweep))
        self.orphan = self.blobs.put_bytes(b"nobody's")
        for key in (KEY, OTHER):
            self.units.save(key, sealed(key, b"an answer"))

    def finished_ago(self, key: str, seconds: float) -> None:
        """Date a result and its files back."""
        with self.database.writing() as connection:
            mine = update(results).where(results.c.key == key)
            connection.execute(mine.values(created_at=results.c.created_at - seconds))
        (found,) = (one.result for one in self.store.holdings() if one.result.key == key)
        for name in files_of(found, self.blobs):
            age(self.blob(name), seconds)

    def blob(self, name: str) -> Path:
        return self.root / "blobs" / name[:2] / name

    def unit(self, key: str) -> Path:
        return self.root / "units" / key[:2] / key

    def files(self) -> set[str]:
        found = self.root.glob("*/??/*")
        return {path.name for path in found if path.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def age(path: Path, seconds: float) -> None:
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def test_results_are_listed_with_their_bytes(place: Place) -> None:
    found = [(one.result.kind, one.result.key, one.size) for one in place.store.holdings()]
    sweep = place.blob(place.sweep).stat().st_size + len(b"<html>")
    assert found == [("table", KEY, len(b"{}") + len(b"rows of a table")), ("sweep", OTHER, sweep)]
    # A digest of 32 bytes stands in front of every answer.
    assert place.store.unit_sizes() == [32 + len(b"an answer")] * 2


def test_a_sound_store_has_no_findings(place: Place) -> None:
    findings = place.store.verify()
    # A table and its document, a sweep and its report, and the file of no result.
    assert (findings.results, findings.files, findings.units) == (2, 5, 2)
    assert findings.damaged == ()


def test_every_kind_of_damage_is_found(place: Place) -> None:
    place.blob(place.table_file).write_bytes(b"rows of b table")
    place.blob(place.report).unlink()
    place.blob(place.orphan).write_bytes(b"somebody's")
    place.unit(KEY).write_bytes(place.unit(KEY).read_bytes()[:-1] + b"R")
    # Whole, but the answer to something else.
    place.unit(OTHER).write_bytes(sealed(KEY, b"an answer"))
    damaged = place.store.verify().damaged
    assert [line.split(":")[0] for line in damaged] == [
        f"table {KEY}",
        f"sweep {OTHER}",
        "no result",
        f"unit {KEY}",
        f"unit {OTHER}",
    ]
    assert f"{place.table_file} is damaged" in damaged[0]
    assert f"{place.report} is missing" in damaged[1]


def test_only_what_nothing_refers_to_is_removed(place: Place) -> None:
    for name in (place.orphan, place.table_file, place.sweep, place.report):
        age(place.blob(name), DAY)
    age(place.unit(OTHER), 8 * DAY)
    before = place.files()
    unused = place.store.find_unused(7 * DAY)
    size = len(b"nobody's") + 32 + len(b"an answer")
    assert unused == Unused((place.orphan,), (OTHER,), size)
    assert place.files() == before
    place.store.remove(unused)
    assert before - place.files() == {place.orphan, OTHER}
    assert place.store.verify().damaged == ()


def test_the_tables_of_a_front_belong_to_it(place: Place) -> None:
    points = [place.blobs.put_bytes(rows) for rows in (b"rows of a table", b"rows of another")]
    document = json.dumps({FRONT_FILES: points}).encode()
    front = TaskOutput(place.blobs.put_bytes(document), place.table_file, "c" * 64)
    place.results.publish("table", THIRD, json.dumps({"objective": "front"}), front)
    # The first point is the main table.
    assert points[0] == place.table_file
    for name in points:
        age(place.blob(name), DAY)
    assert place.store.find_unused(7 * DAY) == Unused((), (), 0)
    place.blob(points[1]).write_bytes(b"rows of a third")
    assert place.store.verify().damaged == (
        f"table {THIRD}: the stored file {points[1]} is damaged: its hash is "
        f"{hashlib.sha256(b'rows of a third').hexdigest()}",
    )


@pytest.mark.parametrize("days", [0, 7])
def test_what_was_just_written_stays(place: Place, days: int) -> None:
    assert place.store.find_unused(days * DAY) == Unused((), (), 0)


def test_results_go_by_their_age(place: Place) -> None:
    place.finished_ago(KEY, 40 * DAY)
    place.finished_ago(OTHER, 20 * DAY)
    assert place.store.find_expired(None, None) == Expired()
    expired = place.store.find_expired(30 * DAY, None)
    assert [one.key for one in expired.results] == [KEY]
    before = place.files()
    place.store.remove(place.store.find_unused(7 * DAY, expired), expired)
    assert place.results.get(KEY) is None
    assert place.results.get(OTHER) is not None
    # The document of the table is that of nobody else, nor is its file.
    assert before - place.files() == {place.table_file, hashlib.sha256(b"{}").hexdigest()}
    assert place.store.verify().damaged == ()


# Units of 41 bytes each, a table of 17, a sweep of more.
def test_what_makes_room_goes_units_first(place: Place) -> None:
    for key, days in ((KEY, 3), (OTHER, 2)):
        place.finished_ago(key, days * DAY)
        age(place.unit(key), days * DAY)
    use = place.store.disk_use()
    size = use["units"] + sum(one.size for one in place.store.holdings())
    assert (use["units"], use["free"] > 0) == (82, True)

    def gone(most: int) -> tuple[list[str], tuple[str, ...]]:
        expired = place.store.find_expired(None, most)
        return [one.key for one in expired.results], expired.units

    assert gone(size) == ([], ())
    assert gone(size - 1) == ([], (KEY,))
    assert gone(size - 42) == ([], (KEY, OTHER))
    assert gone(size - 83) == ([KEY], (KEY, OTHER))
    assert gone(0) == ([KEY, OTHER], (KEY, OTHER))


def test_what_is_young_makes_no_room(place: Place) -> None:
    assert place.store.find_expired(0, 0) == Expired()


def test_files_that_results_share_make_room_with_the_last(place: Place) -> None:
    second = TaskOutput(place.blobs.put_bytes(b"[]"), place.table_file, "c" * 64)
    place.results.publish("table", THIRD, "{}", second)
    for key in (KEY, OTHER, THIRD):
        place.finished_ago(key, DAY)
    size = sum(one.size for one in place.store.holdings()) - len(b"rows of a table")
    most = size + place.store.disk_use()["units"] - len(b"{}")
    # The document of the first is enough; its table file would stay for the third.
    expired = place.store.find_expired(None, most)
    assert [one.key for one in expired.results] == [KEY]
    unused = place.store.find_unused(7 * DAY, expired)
    assert place.table_file not in unused.files


def test_leftovers_of_dead_writers_go(place: Place) -> None:
    left = [
        place.root / "blobs" / "incoming" / "x.tmp",
        place.root / "units" / "incoming" / "x.tmp",
    ]
    for path in left:
        path.write_bytes(b"half")
        age(path, DAY)
    place.store.remove(Unused((), (), 0))
    assert not any(path.exists() for path in left)


def test_a_use_keeps_a_unit(place: Place) -> None:
    age(place.unit(KEY), 8 * DAY)
    assert place.units.load(KEY) is not None
    assert place.units.unused(7 * DAY) == []


def test_a_look_is_no_use(place: Place) -> None:
    age(place.unit(KEY), 8 * DAY)
    place.store.verify()
    assert place.units.unused(7 * DAY) == [KEY]
