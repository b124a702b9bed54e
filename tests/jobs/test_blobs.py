"""The result store: whole files or none, checked when read."""

import hashlib
import os
import shutil
import time
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvlb.errors import StoreUnavailable
from tvlb.jobs.blobs import BlobStore, DamagedBlob


@pytest.fixture
def blobs(tmp_path: Path) -> BlobStore:
    return BlobStore(tmp_path)


def files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


@given(data=st.binary(max_size=10_000))
def test_what_is_put_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    blobs = BlobStore(tmp_path_factory.getbasetemp() / "blobs")
    name = blobs.put_bytes(data)
    assert name == hashlib.sha256(data).hexdigest()
    assert blobs.read(name) == data


def test_equal_content_is_stored_once(blobs: BlobStore, tmp_path: Path) -> None:
    assert blobs.put_bytes(b"x") == blobs.put_bytes(b"x")
    assert len(files(tmp_path)) == 1


def test_a_failing_writer_leaves_nothing(blobs: BlobStore, tmp_path: Path) -> None:
    def write(stream: BinaryIO) -> None:
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        blobs.put(write)
    assert files(tmp_path) == []


@pytest.mark.parametrize("damage", [b"", b"hellO", b"hello!"])
def test_damage_is_noticed_even_after_a_good_read(
    blobs: BlobStore, tmp_path: Path, damage: bytes
) -> None:
    name = blobs.put_bytes(b"hello")
    assert blobs.read(name) == b"hello"
    path = tmp_path / name[:2] / name
    path.write_bytes(damage)
    os.utime(path, ns=(1, 1))
    with pytest.raises(DamagedBlob, match="damaged"):
        blobs.read(name)
    assert blobs.put_bytes(b"hello") == name
    assert blobs.read(name) == b"hello"


def test_a_damaged_file_is_hashed_once(
    blobs: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = blobs.put_bytes(b"hello")
    (tmp_path / name[:2] / name).write_bytes(b"hellO")
    with pytest.raises(DamagedBlob) as first:
        blobs.read(name)
    monkeypatch.setattr(hashlib, "file_digest", None)
    with pytest.raises(DamagedBlob, match=str(first.value)):
        blobs.read(name)


def test_a_clock_that_is_ahead_sweeps_nothing_that_is_being_written(
    blobs: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = time.time() + 7200.0

    def write(stream: BinaryIO) -> None:
        stream.write(b"hello")
        blobs.drop_leftovers()

    monkeypatch.setattr(time, "time", lambda: ahead)
    name = blobs.put(write)
    assert blobs.read(name) == b"hello"
    assert blobs.unused([]) == []


def test_missing_files_are_damage(blobs: BlobStore) -> None:
    with pytest.raises(DamagedBlob, match="missing"):
        blobs.read("0" * 64)


def test_a_store_that_is_not_there_says_nothing_about_its_files(
    blobs: BlobStore, tmp_path: Path
) -> None:
    name = blobs.put_bytes(b"hello")
    hidden = tmp_path.with_name("hidden")
    tmp_path.rename(hidden)
    for wanted in (name, "0" * 64):
        with pytest.raises(StoreUnavailable):
            blobs.read(wanted)
    BlobStore(tmp_path)
    for use in (blobs.check, lambda: blobs.read(name), lambda: blobs.put_bytes(b"more")):
        with pytest.raises(StoreUnavailable, match="replaced by another"):
            use()
    assert files(tmp_path) == []
    shutil.rmtree(tmp_path)
    hidden.rename(tmp_path)
    assert blobs.read(name) == b"hello"


def test_temporary_files_are_on_the_disk_of_the_store(blobs: BlobStore, tmp_path: Path) -> None:
    with blobs.temporary_file() as stream:
        assert os.fstat(stream.fileno()).st_nlink == 0
        assert Path(f"/proc/self/fd/{stream.fileno()}").readlink().parent == tmp_path / "incoming"


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "0" * 63, "G" * 64, "0" * 64 + "\n"])
def test_only_hashes_are_names(blobs: BlobStore, name: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        blobs.path(name)


def test_the_sweep_takes_only_what_is_old(blobs: BlobStore, tmp_path: Path) -> None:
    kept = blobs.put_bytes(b"kept")
    old, new = tmp_path / "incoming" / "old.tmp", tmp_path / "incoming" / "new.tmp"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    blobs.drop_leftovers()
    assert [path.exists() for path in (old, new)] == [False, True]
    assert blobs.read(kept) == b"kept"
