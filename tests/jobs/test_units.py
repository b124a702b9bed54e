"""Results of units of work on disk: whole or absent, and gone when nobody used them for long."""

import hashlib
import os
import shutil
import time
from pathlib import Path

import pytest

from tvlb.errors import StoreUnavailable
from tvlb.jobs.units import UnitFiles

KEYS = sorted(hashlib.sha256(text).hexdigest() for text in (b"a", b"b", b"c"))
WEEK = 7 * 86_400.0


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "data" / "units"


@pytest.fixture
def units(root: Path) -> UnitFiles:
    return UnitFiles(root)


def file_of(root: Path, key: str) -> Path:
    [path] = root.rglob(key)
    return path


def age(path: Path, seconds: float) -> None:
    """Let a file have been used so long ago."""
    moment = time.time() - seconds
    os.utime(path, (moment, moment))


def test_what_is_saved_is_loaded_by_any_process_of_the_directory(
    units: UnitFiles, root: Path
) -> None:
    assert units.load(KEYS[0]) is None
    for key in reversed(KEYS):
        units.save(key, key.encode())
    units.save(KEYS[1], b"")
    other = UnitFiles(root)
    assert [other.load(key) for key in KEYS] == [KEYS[0].encode(), b"", KEYS[2].encode()]
    assert list(other.names()) == KEYS
    assert [other.size(key) for key in KEYS] == [64, 0, 64]


def test_what_is_removed_is_gone(units: UnitFiles) -> None:
    units.save(KEYS[0], b"result")
    units.remove(KEYS[0])
    units.remove(KEYS[0])
    assert units.load(KEYS[0]) is None
    assert units.size(KEYS[0]) == 0
    assert list(units.names()) == []


def test_what_cannot_be_kept_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "units").write_text("a file is in the way")
    with pytest.raises(OSError, match="units"):
        UnitFiles(tmp_path / "units")


def test_a_directory_that_is_deleted_is_noticed_and_not_made_again(
    units: UnitFiles, root: Path
) -> None:
    units.save(KEYS[0], b"result")
    shutil.rmtree(root)
    for use in (lambda: units.save(KEYS[1], b"more"), lambda: units.load(KEYS[0])):
        with pytest.raises(StoreUnavailable, match="units is gone"):
            use()
    assert not root.exists()
    UnitFiles(root)
    with pytest.raises(StoreUnavailable, match="units was replaced by another"):
        units.save(KEYS[1], b"more")


@pytest.mark.parametrize("key", ["", "../../etc/passwd", KEYS[0][:-1], KEYS[0].upper()])
def test_nothing_but_keys_names_a_file(units: UnitFiles, key: str) -> None:
    for use in (units.load, units.size, units.remove):
        with pytest.raises(ValueError, match="SHA-256"):
            use(key)


def test_what_was_not_used_for_long_is_swept(units: UnitFiles, root: Path) -> None:
    for key in KEYS:
        units.save(key, b"result")
        age(file_of(root, key), WEEK + 60.0)
    units.save(KEYS[1], b"newer")
    assert units.load(KEYS[2]) == b"result"
    units.sweep(WEEK)
    assert list(units.names()) == KEYS[1:]


def test_what_writers_left_that_died_is_swept_but_no_file_that_is_being_written(
    units: UnitFiles, root: Path
) -> None:
    units.save(KEYS[0], b"result")
    written, left = (root / "incoming" / f"{name}.tmp" for name in "ab")
    for path in (written, left):
        path.write_bytes(b"half")
    age(left, WEEK + 60.0)
    units.sweep(WEEK)
    assert list((root / "incoming").iterdir()) == [written]
    assert list(units.names()) == [KEYS[0]]
