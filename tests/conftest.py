"""What tests of several folders share."""

import logging
import signal
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.browser import running_browser
from tests.search.here import compute_here
from tests.service import Server, new_token, running_server
from tests.topology.toy import FAMILIES
from tvlb.topology import families, register

# How long an example takes says nothing on a busy machine.
settings.register_profile("tvlb", deadline=None)
settings.load_profile("tvlb")

# The files that take longest, in that order. They come first: one that began last would leave the
# other processes of `make test` without anything to do.
_LONGEST = (
    "web/test_browser.py",
    "jobs/test_worker.py",
    "test_recipes.py",
    "client/test_client.py",
    "api/test_jobs.py",
    "report/test_in_browser.py",
    "cli/test_server.py",
    "cluster/test_dask.py",
    "api/test_contract.py",
    "test_foreign_family.py",
    "cli/test_sweep.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first."""
    folder = Path(__file__).parent
    rank = {(folder / name).resolve(strict=True): place for place, name in enumerate(_LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


@pytest.fixture(scope="session", autouse=True)
def _processes_can_be_interrupted() -> Generator[None]:
    """Undo what a shell does to tests in its background: what they start would ignore SIGINT."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def _no_certificates(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Spare clients of HTTP the 30 ms of reading those of all authorities: none asks for https."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))
        yield


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    """A server that needs no token, for all tests that leave it as they find it."""
    with running_server(tmp_path_factory.mktemp("service") / "data", "--workers", "1") as running:
        yield running


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Generator[tuple[Server, str]]:
    """A server that needs a token and takes 5 requests per second of it, and such a token."""
    data = tmp_path_factory.mktemp("guarded") / "data"
    token = new_token(data)
    options = ("--workers", "1", "--require-tokens", "--requests-per-second", "5")
    with running_server(data, *options) as running:
        yield running, token


@pytest.fixture(scope="module")
def browser() -> Generator[Any]:
    """A browser. While it runs, its thread has an event loop, and no other test can run one."""
    with running_browser() as running:
        yield running


@pytest.fixture(autouse=True)
def _libraries_log_nowhere() -> Generator[None]:
    """Undo `configure_logs`: what it prints to is closed when the test that called it is over."""
    yield
    for handler in list(logging.root.handlers):
        if type(handler).__module__ == "tvlb.jobs.logs":
            logging.root.removeHandler(handler)


@pytest.fixture
def in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches and commands start no workers."""
    compute_here(monkeypatch)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy families are registered."""
    monkeypatch.setattr("tvlb.topology.family._REGISTERED", families())
    for family in FAMILIES:
        register(family)
