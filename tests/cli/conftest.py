"""What tests of several commands share."""

from pathlib import Path

import pytest


@pytest.fixture
def table_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None) -> None:
    """Run `tvlb table` in an empty directory, and all of it in this process."""
    monkeypatch.chdir(tmp_path)
