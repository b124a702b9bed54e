"""Tables, models and simulations over HTTP."""

import hashlib
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.search.here import unit_cache_here
from tests.service import TABLE, WAIT, Server, answered
from tvlb.requests import TableBody, resource_of
from tvlb.search import optimize
from tvlb.table import read_stream, write_stream

FRONT: dict[str, Any] = {
    "topology": "1,2,2,5",
    "objective": "front",
    "search": "paths",
    "budget": 0,
    "traffic": ["type2(seed=1)", "shift(1,0)"],
    "patterns": 1,
    "screening": {"warmup": 200, "measured": 200, "grid": 0.05},
    "confirmation": {"warmup": 200, "measured": 200, "grid": 0.05},
    "data_points": 1,
}


@pytest.fixture
def table(server: Server) -> dict[str, Any]:
    return answered(server, "/v1/tables", TABLE)


def test_a_table_is_computed_and_then_answered_from_the_store(http: httpx.Client) -> None:
    body = TABLE | {"seed": 17}
    first = http.post("/v1/tables", json=body)
    assert first.status_code == 202
    assert first.headers["retry-after"].isdecimal()
    job = http.get(first.headers["location"]).json()
    assert job["request"] == json.loads(TableBody.model_validate(body).resolved().model_dump_json())
    joined = http.post("/v1/tables", json=body)
    assert joined.json()["id"] == job["id"]
    held = http.post("/v1/tables", json=body, headers={"Prefer": "respond-async, wait=60"})
    assert held.status_code == 200
    assert held.headers["preference-applied"] == "wait=60"
    resource_of("table").model_validate_json(held.content)
    again = http.post("/v1/tables", json=body)
    assert (again.status_code, again.content) == (200, held.content)
    done = http.get(job["url"]).json()
    assert done["result_url"] == again.headers["content-location"]
    assert http.get(done["result_url"]).content == again.content


def test_the_parquet_file_is_to_the_byte_what_the_library_writes(
    http: httpx.Client, table: dict[str, Any]
) -> None:
    answer = http.get(table["download_url"])
    assert answer.headers["content-type"] == "application/vnd.apache.parquet"
    body = TableBody.model_validate(TABLE)
    stream = BytesIO()
    expected = optimize(body.network(), body.options(), unit_cache=unit_cache_here())
    write_stream(expected.table, ".parquet", stream)
    assert answer.content == stream.getvalue()
    assert answer.headers["etag"].strip('"') == (
        hashlib.sha256(answer.content).hexdigest() + "-parquet"
    )
    assert table["table"]["id"] == expected.table.id


@pytest.mark.parametrize("suffix", ["json", "csv"])
def test_the_other_formats_hold_the_same_table(
    http: httpx.Client, table: dict[str, Any], suffix: str
) -> None:
    url = f"{table['url']}/download"
    answer = http.get(url, params={"format": suffix})
    assert read_stream(f".{suffix}", BytesIO(answer.content)).id == table["table"]["id"]
    known = {"If-None-Match": answer.headers["etag"]}
    assert http.get(url, params={"format": suffix}, headers=known).status_code == 304


def test_etags_spare_the_body(http: httpx.Client, table: dict[str, Any]) -> None:
    first = http.get(table["url"])
    etag = first.headers["etag"]
    for known in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = http.get(table["url"], headers={"If-None-Match": known})
        assert (again.status_code, again.content) == (304, b"")
    assert http.get(table["url"], headers={"If-None-Match": '"other"'}).status_code == 200


def test_head_tells_what_get_would_without_the_body(
    http: httpx.Client, table: dict[str, Any]
) -> None:
    for path in (table["url"], f"{table['url']}/download?format=parquet"):
        asked, got = http.head(path), http.get(path)
        assert (asked.status_code, asked.content) == (200, b"")
        for name in ("content-length", "content-type", "etag"):
            assert asked.headers.get(name) == got.headers.get(name)
    assert http.head(f"/v1/tables/{'0' * 64}").status_code == 404


def test_the_paths_of_a_pair(http: httpx.Client, table: dict[str, Any]) -> None:
    pair = http.get(table["paths_url"], params={"src": 0, "dst": 17}).json()
    assert (pair["src"], pair["dst"]) == (0, 17)
    assert sum(path["weight"] for path in pair["paths"]) == pytest.approx(1.0, abs=1e-12)
    assert all(path["switches"][0] == 0 and path["switches"][-1] == 17 for path in pair["paths"])
    outside = http.get(table["paths_url"], params={"src": 0, "dst": 20})
    assert outside.status_code == 422
    assert "20" in outside.json()["detail"]


def test_a_deleted_table_is_gone_and_can_be_asked_for_again(http: httpx.Client) -> None:
    body = TABLE | {"seed": 18}
    asked = http.post("/v1/tables", json=body)
    job = asked.headers["location"]
    table = http.post("/v1/tables", json=body, headers={"Prefer": "wait=60"}).json()
    file = http.get(table["download_url"]).content
    gone = http.delete(table["url"])
    assert (gone.status_code, gone.content) == (204, b"")
    for again in (http.delete(table["url"]), http.get(table["url"])):
        assert again.status_code == 404
        assert again.json()["detail"] == f"there is no table {table['id']}"
    assert table["id"] not in [one["id"] for one in http.get("/v1/tables").json()["tables"]]
    assert http.get(job).json()["status"] == "succeeded"
    assert http.delete(table["url"].replace("tables", "models")).status_code == 404
    computed = http.post("/v1/tables", json=body, headers={"Prefer": "wait=60"}).json()
    assert computed["id"] == table["id"]
    assert http.get(computed["download_url"]).content == file


@pytest.fixture
def front(http: httpx.Client) -> dict[str, Any]:
    answer = http.post("/v1/tables", json=FRONT, headers={"Prefer": "wait=60"})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.slow
def test_every_table_of_a_front_can_be_had(http: httpx.Client, front: dict[str, Any]) -> None:
    resource_of("table").model_validate(front)
    points = front["search"]["front"]
    assert len(points) == len(front["front_urls"]) >= 2
    for point, url in zip(points, front["front_urls"], strict=True):
        answer = http.get(url)
        assert answer.headers["content-type"] == "application/vnd.apache.parquet"
        table = read_stream(".parquet", BytesIO(answer.content))
        assert (table.id, table.header.expression) == (point["table_id"], point["path_set"])
        known = {"If-None-Match": answer.headers["etag"]}
        assert http.get(url, headers=known).status_code == 304
        text = http.get(url.replace("parquet", "csv"))
        assert read_stream(".csv", BytesIO(text.content)).id == point["table_id"]
    # The hashes of the files are the store's own.
    assert "front_files" not in front
    beyond = http.get(f"{front['url']}/front/{len(points) + 1}/download")
    assert beyond.status_code == 404
    assert f"has {len(points)}" in beyond.json()["detail"]
    assert http.get(f"{front['url']}/front/0/download").status_code == 422


def test_a_damaged_table_of_a_front_is_computed_anew(
    http: httpx.Client, front: dict[str, Any], server: Server
) -> None:
    file = http.get(front["front_urls"][0])
    name = file.headers["etag"].strip('"').removesuffix("-parquet")
    (server.data / "blobs" / name[:2] / name).write_bytes(b"rows of another table")
    assert http.get(front["front_urls"][0]).status_code == 503
    anew = http.post("/v1/tables", json=FRONT, headers={"Prefer": "wait=60"})
    assert anew.status_code == 200
    assert http.get(anew.json()["front_urls"][0]).content == file.content


def test_other_tables_have_no_front(http: httpx.Client, table: dict[str, Any]) -> None:
    assert (table["search"], table["front_urls"]) == (None, [])
    assert http.get(f"{table['url']}/front/1/download").status_code == 404


def test_labels_are_shown_in_lists_and_found(http: httpx.Client, table: dict[str, Any]) -> None:
    body = TABLE | {"seed": 91}
    job = http.post("/v1/tables?label=the%20one%20of%202027", json=body).json()
    assert job["label"] == "the one of 2027"
    found = http.post("/v1/tables", json=body, headers={"Prefer": "wait=60"}).json()

    def listed(kind: str, search: str) -> list[dict[str, Any]]:
        return http.get(f"/v1/{kind}", params={"search": search}).json()[kind]

    assert [one["id"] for one in listed("tables", "ONE of")] == [found["id"]]
    assert [one["id"] for one in listed("jobs", "of 2027")] == [job["id"]]
    # What was asked for is searched, too, and no text is a pattern.
    assert found["id"] in [one["id"] for one in listed("tables", '"seed":91')]
    assert listed("tables", "o%e") == listed("tables", "o_e of") == []
    url = found["url"]
    assert http.patch(url, json={"label": "other"}).status_code == 204
    assert http.get(job["url"]).json()["label"] == "other"
    renamed = http.patch(job["url"], json={"label": None})
    assert renamed.json()["label"] is None
    assert [one["label"] for one in listed("tables", '"seed":91')] == [None]
    # A label changes no result.
    assert "label" not in http.get(url).json()
    assert http.patch(f"/v1/models/{found['id']}", json={"label": "x"}).status_code == 404
    for wrong in ({}, {"label": ""}, {"label": "x" * 101}, {"label": "two\nlines"}, {"name": "x"}):
        assert http.patch(url, json=wrong).status_code == 422
    assert http.patch(url, content=b"{}").status_code == 415
    assert http.post("/v1/tables?label=", json=body).status_code == 422


def test_tables_are_listed_with_their_verdict(http: httpx.Client, table: dict[str, Any]) -> None:
    listed = http.get("/v1/tables", params={"limit": 100}).json()["tables"]
    (one,) = [one for one in listed if one["id"] == table["id"]]
    assert one["verdict"] == table["verdict"]
    assert one["verdict"]["text"][0] == table["decision"]["reason"]
    assert "gain" not in one


def test_models_and_simulations_are_listed_page_by_page(http: httpx.Client) -> None:
    quick = {"topology": "1,2,1,3", "warmup": 10, "cycles": 20}
    ids = [
        http.post("/v1/simulations", json=quick | {"load": [load]}, headers=WAIT).json()["id"]
        for load in (0.11, 0.12)
    ]
    page = http.get("/v1/simulations?limit=1&search=1,2,1,3").json()
    assert [one["id"] for one in page["simulations"]] == ids[1:]
    (older,) = http.get(page["next"]).json()["simulations"]
    assert (older["id"], older["request"]["load"], older["label"]) == (ids[0], [0.11], None)
    model = http.post("/v1/models", json={"topology": "1,2,1,3"}, headers=WAIT).json()
    assert http.patch(model["url"], json={"label": "a model"}).status_code == 204
    (listed,) = http.get("/v1/models?search=a model").json()["models"]
    assert listed == {
        "id": model["id"],
        "url": model["url"],
        "created_at": model["created_at"],
        "label": "a model",
        "request": model["request"],
    }


def test_tables_are_listed_page_by_page(http: httpx.Client, table: dict[str, Any]) -> None:
    http.post("/v1/tables", json=TABLE | {"seed": 18}, headers={"Prefer": "wait=60"})
    seen: list[str] = []
    url = "/v1/tables?limit=1"
    while url is not None:
        page = http.get(url).json()
        seen += [one["id"] for one in page["tables"]]
        url = page["next"]
    assert table["id"] in seen
    assert len(seen) == len(set(seen)) >= 2
    same = http.get("/v1/tables", params={"table_id": table["table"]["id"]}).json()["tables"]
    assert table["id"] in [one["id"] for one in same]


def test_a_store_that_is_away_loses_nothing(
    http: httpx.Client, table: dict[str, Any], server: Server
) -> None:
    blobs = server.data / "blobs"
    away = blobs.rename(blobs.with_name("away"))
    answer = http.get(table["download_url"])
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:tvlb:problem:store-down")
    assert http.get("/readyz").status_code == 503
    away.rename(blobs)
    assert http.get(table["download_url"]).status_code == 200
    assert http.get("/readyz").status_code == 200


@pytest.mark.parametrize("wanted", ["bytes=abc", "bytes=99999999-"])
def test_bad_ranges_are_problems(http: httpx.Client, table: dict[str, Any], wanted: str) -> None:
    answer = http.get(table["download_url"], headers={"Range": wanted})
    assert answer.status_code in (400, 416)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == answer.status_code
    part = http.get(table["download_url"], headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"PAR1")


def test_a_damaged_file_is_noticed_and_computed_anew(http: httpx.Client, server: Server) -> None:
    body = TABLE | {"seed": 21}
    table = http.post("/v1/tables", json=body, headers={"Prefer": "wait=60"}).json()
    file = http.get(table["download_url"])
    name = file.headers["etag"].strip('"').removesuffix("-parquet")
    path: Path = server.data / "blobs" / name[:2] / name
    path.write_bytes(file.content[:-1] + b"x")
    damaged = http.get(table["download_url"])
    assert damaged.status_code == 503
    assert damaged.json()["type"] == "urn:tvlb:problem:damaged-result"
    anew = http.post("/v1/tables", json=body, headers={"Prefer": "wait=60"})
    assert anew.status_code == 200
    assert http.get(table["download_url"]).content == file.content


def test_a_store_that_cannot_be_written_is_not_ready(http: httpx.Client, server: Server) -> None:
    """Of a model that is answered at once."""
    incoming = server.data / "blobs" / "incoming"
    aside = incoming.with_name("aside")
    incoming.rename(aside)
    incoming.touch()
    try:
        answer = http.post("/v1/models", json={"topology": "2,4,2,9", "seed": 1807})
    finally:
        incoming.unlink()
        aside.rename(incoming)
    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:tvlb:problem:store-down"
    assert answer.headers["retry-after"] == "5"
