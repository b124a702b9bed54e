"""What tests of several folders share."""

import gc
import json
import logging
import signal
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from xdist.scheduler import LoadFileScheduling  # pyright: ignore[reportMissingTypeStubs]

from tests.browser import running_browser
from tests.search.here import compute_here
from tests.service import Server, new_token, running_server
from tests.topology.toy import FAMILIES
from tvlb.cli import main
from tvlb.topology import families, register

# How long an example takes says nothing on a busy machine.
settings.register_profile("tvlb", deadline=None)
settings.load_profile("tvlb")

# What shares a server, in one process of `make test` each: a server takes 7 seconds to start, and
# who leaves it as they find it may still change it while they run.
_SHARING = {
    "pages": (
        "web/",
        # The other tests of requests need no server with tokens.
        "api/test_security.py",
        "test_wrong_inputs.py",
        "client/test_client.py",
        "cli/test_server.py",
        "cli/test_health.py",
        "test_listed_network.py",
        "test_idle_nodes.py",
        "test_one_verdict.py",
        "test_forwarding_requests.py",
        "guarantee/test_requests.py",
        "guarantee/test_static_requests.py",
        "sim_bridge/test_every_router.py",
    ),
    "requests": ("api/",),
}
# What takes longest, in that order. It comes first: what began last would leave the other processes
# of `make test` without anything to do.
_LONGEST = (
    "requests",
    "pages",
    "jobs/test_worker.py",
    "test_recipes.py",
    "api/test_contract.py",
    "report/test_in_browser.py",
    "cluster/test_dask.py",
    "test_foreign_family.py",
    "cli/test_sweep.py",
    "api/test_examination.py",
    "api/test_quick.py",
)


def _group(file: str) -> str:
    """Return the group of a file of tests by its path in this folder: a process runs all of it.

    What is named among the longest shares nothing.
    """
    found = (group for group, members in _SHARING.items() if file.startswith(members))
    return file if file in _LONGEST else next(found, file)


class _ByGroup(LoadFileScheduling):
    """Gives groups to processes as they ask for more, in their order."""

    def _split_scope(self, nodeid: str) -> str:
        return _group(nodeid.partition("::")[0].removeprefix(f"{Path(__file__).parent.name}/"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _ByGroup:
    """Let `make test` keep those together that share a server."""
    return _ByGroup(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest groups first, and see that none asks for a server outside its group."""
    folder = Path(__file__).parent
    rank = {name: place for place, name in enumerate(_LONGEST)}
    assert all((folder / name).exists() for name in rank if name not in _SHARING)
    by_file = {
        path: _group(path.relative_to(folder).as_posix()) for path in {i.path for i in items}
    }
    groups = {item: by_file[item.path] for item in items}
    items.sort(key=lambda item: rank.get(groups[item], len(rank)))
    for item in items:
        asked = {"server", "guarded"} & set(getattr(item, "fixturenames", ()))
        assert not asked or groups[item] in _SHARING, f"{item.nodeid} is in none of {[*_SHARING]}"


_SLOW = pytest.StashKey[int]()


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count the slow tests that `make test` leaves out."""
    for item in items:
        if item.get_closest_marker("slow") is not None:
            item.config.stash[_SLOW] = item.config.stash.get(_SLOW, 0) + 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell that number to the process that prints it, which sees no test itself."""
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["slow"] = session.config.stash.get(_SLOW, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear that number; a process that crashed does not tell it."""
    node.config.stash[_SLOW] = getattr(node, "workeroutput", {}).get("slow", 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name what was left out."""
    if count := config.stash.get(_SLOW, 0):
        terminalreporter.write_line(f"slow: {count} tests left to make test-slow")


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Collect no garbage: what tests are made of lives until the end."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage again, less often and without looking through all of the tests each time."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_unconfigure() -> None:
    """Let the end of Python find what is of the compiled core: it complains of what is left."""
    gc.unfreeze()


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
        # It counts more than the directory.
        patch.delenv("SSL_CERT_FILE", raising=False)
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
def ran(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a command that succeeds, and return what it prints as JSON."""

    def run(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return run


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
