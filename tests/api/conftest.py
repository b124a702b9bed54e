"""A connection to the server that tests share."""

from collections.abc import Generator

import httpx
import pytest

from tests.service import Server


@pytest.fixture
def http(server: Server) -> Generator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=120) as client:
        yield client
