"""Results that are not held in memory, nor parsed where the event loop runs."""

import asyncio
import errno
import json
from pathlib import Path
from typing import Any, BinaryIO

import httpx
import pytest

from api.library import Library
from api.problems import Problem
from api.resources import ServedResource, identity
from api.side_process import SideQueue
from tests.api.counting import CountingProcess
from tests.service import Server
from tvlb.errors import InvalidInput, StoreUnavailable
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.database import Database
from tvlb.jobs.results import Results
from tvlb.jobs.workspace import FRONT_FILES, TaskOutput
from tvlb.requests import item_of

KEY = "a" * 64
MIB = 1 << 20
# Its document has 1.6 MB.
SIMULATION: dict[str, Any] = {
    "topology": "4,8,4,9",
    "load": [0.5],
    "warmup": 0,
    "cycles": 200,
    "traces": 5000,
}


def store(place: Path) -> tuple[Results, BlobStore]:
    database = Database(f"sqlite:///{place / 'jobs.sqlite3'}")
    database.upgrade()
    return Results(database), BlobStore(place / "blobs")


def stored(place: Path, kind: str, document: dict[str, Any], **request: str) -> ServedResource:
    """Return the resource of a result with such a document."""
    results, blobs = store(place)
    text = json.dumps(document, separators=(",", ":"))
    output = TaskOutput(blobs.put_bytes(text.encode()))
    results.publish(kind, KEY, json.dumps(request), output)
    found = Library(results, blobs).get(kind, KEY)
    assert found is not None
    return found


def test_a_large_document_is_handed_out_unparsed_and_little_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = {"rows": ["é" * 1000] * 4000}
    resource = stored(tmp_path, "simulation", document, topology="dfly(2,4,2,9)")
    assert resource.body is None
    parse = json.loads
    monkeypatch.setattr(json, "loads", None)
    pieces = list(resource.pieces())
    assert max(map(len, pieces)) == 256 << 10
    sent = b"".join(pieces)
    assert len(sent) > 20 * MIB
    assert resource.response({}).headers["content-length"] == str(len(sent))
    assert parse(sent) == identity(resource.result) | document


def test_what_cannot_be_opened_is_known_before_the_answer_begins(tmp_path: Path) -> None:
    resource = stored(tmp_path, "simulation", {"text": "x" * MIB})
    resource.path.unlink()
    with pytest.raises(StoreUnavailable, match="result store: No such file"):
        resource.response({})
    with pytest.raises(StoreUnavailable):
        resource.parsed()


def test_a_file_that_cannot_be_read_after_all_is_no_fault_of_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise OSError(errno.EMFILE, "Too many open files", path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(StoreUnavailable, match="result store: Too many open files"):
        stored(tmp_path, "sweep", {"failed": 0})


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (InvalidInput("too large"), InvalidInput),
        (OSError(errno.ENOSPC, "No space left on device"), StoreUnavailable),
    ],
)
def test_another_format_that_is_not_written_leaves_no_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, raised: type[Exception]
) -> None:
    streams: list[BinaryIO] = []

    def refuse(table: object, suffix: str, stream: BinaryIO) -> None:
        streams.append(stream)
        raise error

    monkeypatch.setattr("api.library.write_stream", refuse)
    table: Any = None
    with pytest.raises(raised):
        Library(*store(tmp_path)).converted(table, ".json")
    assert streams[0].closed


@pytest.mark.parametrize("filling", [0, MIB])
def test_what_only_the_store_needs_is_not_handed_out(tmp_path: Path, filling: int) -> None:
    document = {"text": f',"{FRONT_FILES}":' + "x" * filling}
    hidden = {FRONT_FILES: ["b" * 64, "c" * 64]}
    resource = stored(tmp_path, "table", document | hidden, objective="front")
    assert resource.facts.front == tuple(hidden[FRONT_FILES])
    assert (resource.body is None) == (filling == MIB)
    assert resource.parsed() == identity(resource.result, 2) | document


@pytest.mark.parametrize("filling", [0, MIB])
def test_a_sweep_with_failed_points_may_change(tmp_path: Path, filling: int) -> None:
    document = {"failed": 1, "rows": ["x" * filling], "files": {"report.html": "d" * 64}}
    resource = stored(tmp_path, "sweep", document)
    assert not resource.facts.final
    assert resource.facts.files == document["files"]
    assert resource.parsed() == identity(resource.result) | document


def test_sweeps_are_parsed_once_for_lists(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = {"name": "all", "points": 2, "failed": 1, "rows": ["x" * MIB]}
    results, blobs = store(tmp_path)
    output = TaskOutput(blobs.put_bytes(json.dumps(document).encode()))
    results.publish("sweep", KEY, "{}", output)
    library = Library(results, blobs)
    (result,) = results.newest("sweep")
    first = library.listed(result)
    assert first.keys() == item_of("sweep").model_fields.keys()
    assert (first["id"], first["points"], first["failed"]) == (KEY, 2, 1)
    monkeypatch.setattr(ServedResource, "parsed", None)
    assert library.listed(result) == first


@pytest.mark.slow
def test_a_large_simulation_over_http(http: httpx.Client, server: Server) -> None:
    headers = {"Prefer": "wait=60", "Idempotency-Key": "large"}
    first = http.post("/v1/simulations", json=SIMULATION, headers=headers)
    assert first.status_code == 200, first.text[:500]
    assert len(first.content) > MIB
    # The answer is not stored twice; the result is there.
    again = http.post("/v1/simulations", json=SIMULATION, headers=headers)
    read = http.get(first.headers["content-location"])
    assert first.content == again.content == read.content
    known = {"If-None-Match": read.headers["etag"]}
    assert http.get(read.json()["url"], headers=known).status_code == 304
    assert http.head(read.json()["url"]).headers["content-length"] == str(len(read.content))
    page = http.get(f"/simulations/{read.json()['id']}")
    assert page.status_code == 200
    assert ", uniform</p>" in page.text
    assert len(page.content) < 20_000


def test_large_pages_are_made_one_at_a_time_and_few_wait() -> None:
    process = CountingProcess()

    async def run() -> list[object]:
        queue = SideQueue(process, 1.0, 3, "pages wait")
        return await asyncio.gather(
            *(queue.call(abs, -number) for number in range(6)), return_exceptions=True
        )

    *made, refused, other = asyncio.run(run())
    assert (made, process.most) == ([0, 1, 2, 3], 1)
    assert isinstance(refused, Problem)
    assert (refused.status_code, refused.detail) == (503, "3 pages wait already")
    assert isinstance(other, Problem)
