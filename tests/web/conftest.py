"""What tests of the pages share: two tables on the server."""

from typing import Any

import httpx
import pytest

from tests.service import Server

TABLE: dict[str, Any] = {
    "topology": "2,4,2,5",
    "method": "paper",
    "patterns": 3,
    "screening": {"warmup": 300, "measured": 300, "grid": 0.05},
    "confirmation": {"warmup": 600, "measured": 400, "grid": 0.02},
    "finalists": 1,
    "data_points": 3,
    "simulated_patterns": 2,
}
FRONT: dict[str, Any] = {
    "topology": "2,4,2,5",
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
    return _computed(server, TABLE)


@pytest.fixture(scope="session")
def front(server: Server) -> dict[str, Any]:
    """Return a table by a search that found several."""
    return _computed(server, FRONT)


def _computed(server: Server, body: dict[str, Any]) -> dict[str, Any]:
    with httpx.Client(base_url=server.url, timeout=120) as http:
        answer = http.post("/v1/tables", json=body, headers={"Prefer": "wait=100"})
    assert answer.status_code == 200, answer.text[:500]
    return answer.json()
