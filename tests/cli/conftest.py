"""What tests of several commands share."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from tests.search.here import Inline


@contextmanager
def workers_here(_: int) -> Generator[Inline]:
    """Compute in this process what is kept in a store: workers take a second to start."""
    yield Inline()


@pytest.fixture
def table_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run `tvlb table` in an empty directory, and all of it in this process."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(import_module("tvlb.cli.table"), "local_workers", workers_here)
