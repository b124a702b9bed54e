"""Repairs over HTTP: a stored table made anew for what failures left of its network."""

import hashlib
from io import BytesIO
from typing import Any

import httpx
import pytest

from tests.service import QUICK_REPAIR, TABLE, Server, answered
from tvlb.requests import resource_of
from tvlb.requests.kinds.repair import RepairBody, RepairDocument
from tvlb.requests.repair import repair
from tvlb.table import read_stream, verify, write_stream
from tvlb.topology import Failures

DOWN = {"links": [[0, 1]], "switches": [9]}
WAIT = {"Prefer": "wait=60"}


@pytest.fixture(scope="module")
def table(server: Server) -> dict[str, Any]:
    return answered(server, "/v1/tables", TABLE)


@pytest.fixture
def body(table: dict[str, Any]) -> dict[str, Any]:
    return QUICK_REPAIR | {"table": table["id"], "without": DOWN}


@pytest.fixture
def repaired(server: Server, body: dict[str, Any]) -> dict[str, Any]:
    return answered(server, "/v1/repairs", body)


def test_a_repair_is_computed_and_then_answered_from_the_store(
    http: httpx.Client, body: dict[str, Any]
) -> None:
    body |= {"traffic": ["shift(2,0)"]}
    first = http.post("/v1/repairs?label=monday", json=body)
    assert first.status_code == 202
    job = http.get(first.headers["location"]).json()
    assert (job["kind"], job["label"]) == ("repair", "monday")
    # The network, which the table tells, can be seen and searched.
    assert job["request"]["topology"] == "dfly(2,4,2,5)"
    assert http.post("/v1/repairs", json=body).json()["id"] == job["id"]
    held = http.post("/v1/repairs", json=body, headers=WAIT)
    assert held.status_code == 200
    resource_of("repair").model_validate_json(held.content)
    done = http.get(job["url"]).json()
    assert done["result_url"] == held.headers["content-location"]
    assert done["timings"].keys() == {"build", "compare"}
    assert '"stage":"compare"' in http.get(job["events_url"]).text.replace(" ", "")
    # Other words for the same.
    links = [[1, 0]]
    again = body | {"without": {"links": links, "switches": [9, 9]}, "topology": "2,4,2,5"}
    assert http.post("/v1/repairs", json=again).content == held.content
    resolved = held.json()["request"]
    assert http.post("/v1/repairs", json=resolved).content == held.content


@pytest.mark.usefixtures("in_process")
def test_the_new_table_is_to_the_byte_what_the_library_makes(
    http: httpx.Client, table: dict[str, Any], repaired: dict[str, Any]
) -> None:
    old = read_stream(".parquet", BytesIO(http.get(table["download_url"]).content))
    options = RepairBody.model_validate(repaired["request"]).options(workers=1)
    found = repair(old, Failures(links=((0, 1),), switches=(9,)), options)
    stream = BytesIO()
    write_stream(found.table, ".parquet", stream)
    answer = http.get(repaired["download_url"])
    assert answer.content == stream.getvalue()
    assert hashlib.sha256(answer.content).hexdigest() in answer.headers["etag"]
    assert answer.headers["content-disposition"].endswith('.parquet"')
    document = RepairDocument.of(found).plain()
    assert {name: repaired[name] for name in document.keys() - {"timings"}} == {
        name: document[name] for name in document.keys() - {"timings"}
    }
    csv = http.get(f"{repaired['url']}/download", params={"format": "csv"})
    assert read_stream(".csv", BytesIO(csv.content)).id == repaired["table_id"] == found.table.id


def test_repairs_are_listed_labelled_and_deleted(
    http: httpx.Client, body: dict[str, Any], repaired: dict[str, Any]
) -> None:
    url = repaired["url"]
    assert http.patch(url, json={"label": "one switch"}).status_code == 204

    def listed(search: str) -> list[dict[str, Any]]:
        return http.get("/v1/repairs", params={"search": search}).json()["repairs"]

    # Those of a table are found by its id.
    found = next(one for one in listed(body["table"]) if one["id"] == repaired["id"])
    assert found == {name: repaired[name] for name in found.keys() - {"label"}} | {
        "label": "one switch"
    }
    assert [one["id"] for one in listed("one switch")] == [repaired["id"]]
    assert http.delete(url).status_code == 204
    assert http.get(url).json()["detail"] == f"there is no repair {repaired['id']}"
    assert http.post("/v1/repairs", json=body, headers=WAIT).json()["id"] == repaired["id"]


def test_an_estimate_tells_cost_and_command(http: httpx.Client, body: dict[str, Any]) -> None:
    body |= {"traffic": ["shift(3,0)", "uniform:2"]}
    found = http.post("/v1/repairs?validate_only=true", json=body).json()
    assert (found["kind"], found["known"]) == ("repair", False)
    assert found["cost"]["stages"].keys() == {"build", "compare"}
    assert found["command"] == (
        "tvlb repair TABLE.parquet --without FAILURES.json --traffic 'shift(3,0):1' "
        "--traffic uniform:2 --confirmation 200,200,0.1"
    )


def test_an_idempotency_key_gives_the_same_answer(http: httpx.Client, body: dict[str, Any]) -> None:
    key = {"Idempotency-Key": "repair-1"}
    asked = body | {"traffic": ["shift(1,1)"]}
    first, again = (http.post("/v1/repairs", json=asked, headers=key) for _ in range(2))
    assert (again.status_code, again.content) == (first.status_code, first.content)
    other = http.post("/v1/repairs", json=body, headers=key)
    assert other.status_code == 422


def test_a_repair_is_cancelled(http: httpx.Client, body: dict[str, Any]) -> None:
    endless = {"warmup": 1000, "measured": 10_000_000, "grid": 0.1}
    job = http.post("/v1/repairs", json=body | {"confirmation": endless}).json()
    assert http.post(f"{job['url']}/cancel").status_code in (200, 202)


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"table": "0" * 64}, f"there is no table or forwarding table or repair {'0' * 64}"),
        ({"table": "x"}, "table: 'x' is no id: 64 digits 0..9 and a..f"),
        (
            {"without": {"links": [[0, 19]]}},
            "1 cable [0,19] cannot be down: dfly(2,4,2,5) has none there",
        ),
        (
            {"without": {"switches": [20]}},
            "switch 20 cannot be down: dfly(2,4,2,5) has switches 0..19",
        ),
        ({"topology": "4,8,4,9"}, "topology dfly(4,8,4,9): the table is of dfly(2,4,2,5)"),
        ({"routing": "min"}, "routing 'min': choose one of ugal-l, ugal-g, par"),
        ({"traffic": ["shift(9,0)"]}, "shift(9,0)"),
        ({"down": {}}, "down: unknown key; use one of"),
    ],
)
def test_bad_input_is_told_before_any_work(
    http: httpx.Client, body: dict[str, Any], change: dict[str, Any], detail: str
) -> None:
    answer = http.post("/v1/repairs", json=body | change)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert detail in answer.json()["detail"]


def test_failures_have_to_be_named(http: httpx.Client, body: dict[str, Any]) -> None:
    del body["without"]
    answer = http.post("/v1/repairs", json=body)
    assert answer.json()["detail"] == 'the key "without" is missing'


@pytest.mark.slow
def test_a_long_list_is_examined_beside_the_server(
    http: httpx.Client, body: dict[str, Any]
) -> None:
    """A body over 16 KiB; a cable that is listed too often is refused as in a short one."""
    answer = http.post("/v1/repairs", json=body | {"without": {"links": [[0, 1]] * 3000}})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("3000 cables [0,1] cannot be down: dfly(2,4,2,5)")


def test_dead_paths_are_struck_out_of_tables_with_failures_and_without(
    http: httpx.Client, table: dict[str, Any]
) -> None:
    first = {"links": [[0, 1]]}
    asked = {"table": table["id"], "without": first, "strike_only": True}
    told = http.post("/v1/repairs?validate_only=true", json=asked).json()
    assert told["cost"]["stages"].keys() == {"build"}
    assert told["command"] == ("tvlb repair TABLE.parquet --without FAILURES.json --strike-only")
    made = http.post("/v1/repairs", json=asked, headers=WAIT).json()
    assert (made["ok"], made["load"], made["patterns"], made["loads"]) == (True, "struck", [], [])
    struck = read_stream(".parquet", BytesIO(http.get(made["download_url"]).content))
    assert struck.id == made["table_id"]
    assert verify(struck).ok
    # It is struck again, and made anew, when the next cable fails.
    both = {"links": [[0, 1], [0, 2]]}
    again = asked | {"table": made["id"], "without": both}
    twice = http.post("/v1/repairs", json=again, headers=WAIT).json()
    assert (twice["ok"], twice["topology"][:16]) == (True, "dfly(2,4,2,5) wi")
    second = read_stream(".parquet", BytesIO(http.get(twice["download_url"]).content))
    at_once = asked | {"without": both}
    once = http.post("/v1/repairs", json=at_once, headers=WAIT).json()
    fresh = read_stream(".parquet", BytesIO(http.get(once["download_url"]).content))
    assert second.num_rows == fresh.num_rows
    refused = http.post("/v1/repairs", json=asked | {"traffic": ["uniform"]})
    assert (refused.status_code, refused.json()["detail"]) == (
        422,
        "traffic is given, but with strike_only nothing is simulated",
    )
    # The table of a network with failures; all that is down is listed.
    degraded = {"network": "2,4,2,5", "without": first}
    other = http.post("/v1/tables", json=TABLE | {"topology": degraded}, headers=WAIT).json()
    further = asked | {"table": other["id"], "without": {"links": [[0, 2]]}}
    answer = http.post("/v1/repairs", json=further)
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(
        "cable [0,1] is down in dfly(2,4,2,5) without 1 cable"
    )
    further["without"] = {"links": [[0, 2], [0, 1]]}
    assert http.post("/v1/repairs", json=further, headers=WAIT).json()["ok"]


@pytest.mark.slow
def test_a_table_that_is_gone_or_damaged_fails_in_words(
    http: httpx.Client, server: Server, body: dict[str, Any]
) -> None:
    made = http.post("/v1/tables", json=TABLE | {"seed": 5}, headers=WAIT).json()
    name = http.get(made["download_url"]).headers["etag"].strip('"').removesuffix("-parquet")
    path = server.data / "blobs" / name[:2] / name
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    job = http.post("/v1/repairs", json=body | {"table": made["id"]}).json()
    events = http.get(job["events_url"], timeout=60).text
    assert "failed" in events
    error = http.get(job["url"]).json()["error"]
    assert error["type"] == "damaged-result"
    assert "is damaged" in error["detail"]
