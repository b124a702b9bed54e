"""What tests of searches share."""

import sys

import pytest

from tests.search.here import own_units_here


@pytest.fixture
def probe_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Probe in this process: workers take a second to start."""
    monkeypatch.setattr(sys.modules["tvlb.search.probe"], "own_units", own_units_here)
