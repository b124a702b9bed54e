"""The client against a real server: what it asks, what it understands, and what it outlasts."""

import hashlib
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from threading import Event

import pytest

from tests.client.proxy import Proxy, breaking_proxy
from tests.service import Server, quick_options, running_server
from tvlb.client import Client, JobEvent
from tvlb.errors import Cancelled, InvalidInput, JobFailed, ServerProblem, Unreachable
from tvlb.processes import JobStatus, Progress
from tvlb.requests import (
    JobResource,
    Resource,
    SimulationBody,
    TableBody,
    VctSimulationBody,
    WindowsBody,
    resource_of,
)
from tvlb.requests.kinds.model import ModelBody
from tvlb.requests.kinds.repair import RepairBody
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.table import read_table
from tvlb.topology import Failures

_NOBODY = "http://127.0.0.1:1"


def tiny_table(seed: int, cycles: int = 300) -> TableBody:
    """Ask for a table that takes seconds; longer windows take longer."""
    return TableBody(topology="1,2,2,3", seed=seed, **quick_options(cycles, cycles, 0.05))


@pytest.fixture(scope="module")
def client(server: Server) -> Generator[Client]:
    with Client(server.url) as opened:
        yield opened


@pytest.fixture(scope="module")
def table(client: Client) -> Resource:
    """A table that the server knows, with its job."""
    return client.computed(tiny_table(seed=1))


@pytest.fixture(scope="module")
def job(client: Client, table: Resource) -> JobResource:
    """The job that computed it."""
    return next(one for one in client.jobs() if one.result_url == table.url)


def _refused(status: int) -> AbstractContextManager[object]:
    return pytest.raises(ServerProblem, check=lambda problem: problem.status == status)


def test_progress_is_that_of_the_search(client: Client) -> None:
    seen: list[Progress] = []
    found = client.computed(tiny_table(seed=2), seen.append)
    assert found.request.seed == 2
    assert seen[0] == Progress("probe", 0, 1)
    assert {"balance", "screen all", "confirm", "curves"} <= {event.stage for event in seen}
    assert seen[-1].done == seen[-1].total
    # The second answer is the first, without a job.
    assert client.create(tiny_table(seed=2)) == found
    assert client.computed(tiny_table(seed=2)) == found


def test_tables_are_listed_and_read(client: Client, table: Resource) -> None:
    assert client.result("table", table.id) == table
    item = next(one for one in client.results("table") if one.id == table.id)
    assert (item.topology, item.table) == ("dfly(1,2,2,3)", table.table)
    paths = client.paths(table.id, 0, 5)
    assert (paths.src, paths.dst) == (0, 5)
    assert sum(path.weight for path in paths.paths) == pytest.approx(1)
    assert all(path.switches[0] == 0 and path.switches[-1] == 5 for path in paths.paths)


def test_tables_of_a_front_are_downloaded(client: Client, tmp_path: Path) -> None:
    windows = WindowsBody(warmup=200, measured=200, grid=0.05)
    body = TableBody(
        topology="1,2,2,3",
        objective="front",
        budget=0,
        traffic=("type2(seed=1)", "shift(1,0)"),
        patterns=1,
        screening=windows,
        confirmation=windows,
        data_points=1,
    )
    found = client.computed(body)
    assert found.search is not None
    for number, point in enumerate(found.search.front, 1):
        client.download_front(found, number, "parquet", tmp_path / "t.parquet")
        assert read_table(tmp_path / "t.parquet").id == point.table_id
    with _refused(404):
        client.download_front(found, 99, "csv", tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()


def test_tables_are_downloaded(client: Client, table: Resource, tmp_path: Path) -> None:
    for name in ("parquet", "json", "csv"):
        client.download(table, name, tmp_path / f"t.{name}")
        assert read_table(tmp_path / f"t.{name}").id == table.table.id


def test_tables_are_repaired(client: Client, table: Resource, tmp_path: Path) -> None:
    windows = WindowsBody(warmup=100, measured=100, grid=0.1)
    body = RepairBody(
        table=table.id,
        without=Failures(links=((0, 1),)),
        traffic=("shift(1,0)",),
        confirmation=windows,
    )
    seen: list[Progress] = []
    found = client.computed(body, seen.append)
    assert seen[-1].stage == "compare"
    assert client.create(body) == client.result("repair", found.id) == found
    assert client.result("repair", found.id).request.topology == "dfly(1,2,2,3)"
    (listed,) = client.results("repair", table.id)
    assert (listed.id, listed.verdict) == (found.id, found.verdict)
    client.download(found, "csv", tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv").id == found.table_id


def test_estimates_compute_nothing(client: Client, table: Resource) -> None:
    known = client.estimate(tiny_table(seed=1))
    assert (known.kind, known.result_id, known.known) == ("table", table.id, True)
    unknown = client.estimate(tiny_table(seed=99))
    assert not unknown.known
    assert unknown.request["topology"] == "dfly(1,2,2,3)"
    assert unknown.cost.cpu_seconds > 0


def test_models_and_simulations(client: Client) -> None:
    model = client.create(ModelBody(topology="1,2,2,3", pattern="shift(1,0)"))
    assert isinstance(model, resource_of("model"))
    assert 0 < model.theta <= 1
    body = SimulationBody(topology="1,2,2,3", load=(0.1,), warmup=100, cycles=100)
    simulation = client.create(body)
    assert isinstance(simulation, resource_of("simulation"))
    assert simulation.rows[0].load == 0.1
    virtual = VctSimulationBody(topology="hyperx(2,3,3)", router="vct", load=(0.1,), cycles=2000)
    routed = client.create(virtual)
    assert isinstance(routed, resource_of("simulation", "vct"))
    assert routed.request == virtual.resolved()
    listed = {one.id: one.request for one in client.results("simulation")}
    assert (listed[simulation.id], listed[routed.id]) == (body.resolved(), routed.request)


def test_a_study_of_stability_is_followed(client: Client) -> None:
    body = StabilityBody(topology="hyperx(2,2,2)", cycles=100_000)
    told: list[Progress] = []
    study = client.computed(body, told.append)
    assert told[-1] == Progress("stability", 100, 100, "thousand cycles, 1 of 1 runs")
    assert [case.category for case in study.stability] == [1]
    assert client.create(body) == study
    assert study.id in [one.id for one in client.results("stability", "hyperx(2,2,2)")]


def test_idempotency_keys(client: Client, table: Resource) -> None:
    body = tiny_table(seed=1)
    assert client.create(body, idempotency_key="a-key") == table
    assert client.create(body, idempotency_key="a-key") == table
    with _refused(422):
        client.create(tiny_table(seed=3), idempotency_key="a-key")


def test_jobs_are_listed_and_deleted(client: Client, table: Resource) -> None:
    found = client.create(tiny_table(seed=4), wait=60)
    assert isinstance(found, resource_of("table"))
    (listed,) = [one for one in client.jobs(JobStatus.SUCCEEDED) if one.result_url == found.url]
    assert client.job(listed.id) == listed
    assert listed not in list(client.jobs(JobStatus.FAILED))
    with _refused(409):
        client.cancel(listed.id)
    client.delete(listed.id)
    with _refused(404):
        client.job(listed.id)
    assert client.result("table", found.id) == found


def test_long_lists_come_in_pages(client: Client) -> None:
    # A page has 20.
    made = [client.create(tiny_table(seed=seed, cycles=100_000)) for seed in range(100, 123)]
    ids = [client.cancel(job.id).id for job in made if isinstance(job, JobResource)]
    listed = [job.id for job in client.jobs()]
    assert listed[: len(made)] == ids[::-1]
    assert len(set(listed)) == len(listed)


def test_a_cancelled_job_ends_the_wait(client: Client) -> None:
    long = tiny_table(seed=5, cycles=100_000)
    found = client.create(long)
    assert isinstance(found, JobResource)

    def cancel(progress: Progress) -> None:
        client.cancel(found.id)

    with pytest.raises(Cancelled, match=found.id):
        client.computed(long, cancel)
    assert client.job(found.id).status is JobStatus.CANCELLED


@pytest.mark.slow
def test_a_failed_job_says_why(client: Client, server: Server) -> None:
    incoming = server.data / "blobs" / "incoming"
    kept = incoming.rename(incoming.with_name("kept"))
    incoming.touch()
    try:
        with pytest.raises(
            JobFailed, match=r"Writing or reading a file failed.*incoming"
        ) as caught:
            client.computed(tiny_table(seed=6))
    finally:
        incoming.unlink()
        kept.rename(incoming)
    assert caught.value.type == "storage"
    assert any("FileExistsError" in line for line in caught.value.log)
    newest, *_ = client.jobs(JobStatus.FAILED)
    assert newest.request["seed"] == 6
    client.delete(newest.id)


def test_problems_say_what_is_wrong(client: Client) -> None:
    with pytest.raises(ServerProblem, match="g=34") as caught:
        client.create(tiny_table(seed=1).model_copy(update={"topology": "4,8,4,34"}))
    problem = caught.value
    assert (problem.status, problem.type) == (422, "urn:tvlb:problem:unsatisfiable")
    assert problem.is_bad_input
    assert problem.retry_after is None
    with _refused(404):
        client.result("table", "0" * 64)
    # An id is one part of the path, whatever is in it.
    with _refused(404):
        client.result("table", "../jobs")


def test_a_server_that_never_answered_is_unreachable() -> None:
    with Client(_NOBODY) as nobody, pytest.raises(Unreachable, match="refused"):
        nobody.computed(tiny_table(seed=1))


@pytest.mark.parametrize("url", ["", "127.0.0.1:80", "ftp://host", "http://", "http://me:x@host"])
def test_urls_that_are_none(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"server|URL"):
        Client(url)


@pytest.mark.parametrize("token", ["", "two words", "line\r\nX-More: 1", "\u00e9"])
def test_tokens_that_are_none(token: str) -> None:
    with pytest.raises(InvalidInput, match="token"):
        Client(_NOBODY, token)


@pytest.fixture
def proxy(server: Server) -> Generator[Proxy]:
    with breaking_proxy(server.port) as running:
        yield running


def _check_contiguous(events: list[JobEvent]) -> None:
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert [event.ends for event in events].index(True) == len(events) - 1


def test_broken_streams_lose_and_double_no_event(
    client: Client, job: JobResource, proxy: Proxy
) -> None:
    whole = list(client.follow(job))
    _check_contiguous(whole)
    notices: list[str] = []
    with Client(proxy.url, notice=notices.append) as other:
        assert other.job(job.id) == job
        # Headers take about 800 bytes, an event 150.
        proxy.limit = 1400
        assert list(other.follow(job)) == whole
    assert proxy.broken >= 3
    assert "the server is away" in notices[0]
    assert notices[1] == "the server answers again"


def test_an_interrupted_download_leaves_no_file(
    table: Resource, proxy: Proxy, tmp_path: Path
) -> None:
    proxy.limit = 1500
    with Client(proxy.url, timeout=3) as other, pytest.raises(Unreachable, match="any more"):
        other.download(table, "parquet", tmp_path / "t.parquet")
    assert proxy.broken >= 2
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_download_begins_again(
    client: Client, table: Resource, proxy: Proxy, tmp_path: Path
) -> None:
    def repair(notice: str) -> None:
        proxy.limit = None

    client.download(table, "csv", tmp_path / "whole.csv")
    proxy.limit = 1500
    with Client(proxy.url, notice=repair) as other:
        other.download(table, "csv", tmp_path / "t.csv")
    assert proxy.broken == 1
    assert _hash(tmp_path / "t.csv") == _hash(tmp_path / "whole.csv")


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.slow
def test_a_restart_in_the_middle_of_a_job_loses_nothing(tmp_path: Path) -> None:
    body, begun, notices = tiny_table(seed=7, cycles=1000), Event(), list[str]()

    def report(progress: Progress) -> None:
        begun.set()

    def follow(client: Client, job: JobResource) -> list[JobEvent]:
        return list(client.follow(job))

    with ThreadPoolExecutor() as pool:
        with running_server(tmp_path / "data", "--workers", "1") as first:
            client = Client(first.url, timeout=60, notice=notices.append)
            other = Client(first.url, timeout=60)
            job = client.create(body)
            assert isinstance(job, JobResource)
            table = pool.submit(client.computed, body, report)
            other.job(job.id)
            events = pool.submit(follow, other, job)
            assert begun.wait(60)
            first.kill()
        with running_server(first.data, "--workers", "1", port=first.port), client, other:
            found, seen = table.result(), events.result()
            assert client.create(body) == found
    _check_contiguous(seen)
    assert [one.data["move"] for one in seen if "move" in one.data].count("claim") == 2
    assert seen[-1].data["status"] == JobStatus.SUCCEEDED
    assert found.request.seed == 7
    assert "the server answers again" in notices


def test_tokens_are_asked_for(guarded: tuple[Server, str]) -> None:
    server, _ = guarded
    for token in (None, f"tvlb_{'0' * 12}_{'A' * 43}"):
        with Client(server.url, token) as stranger, _refused(401):
            list(stranger.results("table"))


def test_who_asks_too_often_waits(guarded: tuple[Server, str]) -> None:
    server, token = guarded
    notices: list[str] = []
    with Client(server.url, token, notice=notices.append) as client:
        answers = [list(client.results("table")) for _ in range(11)]
    assert len(answers) == 11
    assert "more than 5 requests per second" in notices[0]
