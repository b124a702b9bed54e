"""What tests of topologies share."""

import pytest

from tests.topology.toy import FAMILIES
from tvlb.topology import families, register


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy families are registered."""
    monkeypatch.setattr("tvlb.topology.family._REGISTERED", families())
    for family in FAMILIES:
        register(family)
