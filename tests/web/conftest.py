"""What tests of the pages share: two tables on the server."""

from typing import Any

import pytest

from tests.service import TABLE, Server, answered

FRONT: dict[str, Any] = {
    "topology": "2,4,2,5",
    "search": "paths",
    "objective": "front",
    "budget": 0,
    "traffic": ["type2(seed=1)", "shift(1,0)"],
    "patterns": 3,
    "screening": {"warmup": 300, "measured": 300, "grid": 0.05},
    "confirmation": {"warmup": 300, "measured": 300, "grid": 0.05},
    "data_points": 1,
}


@pytest.fixture(scope="session")
def table(server: Server) -> dict[str, Any]:
    """Return a table by the paper's method."""
    return answered(server, "/v1/tables", TABLE)


@pytest.fixture(scope="session")
def front(server: Server) -> dict[str, Any]:
    """Return a table by a search that found several."""
    return answered(server, "/v1/tables", FRONT)
