"""Simulations of the virtual cut-through router over HTTP."""

from typing import Any

import httpx
import pytest

from tests.service import WAIT

SHORT: dict[str, Any] = {
    "topology": "hyperx(2,3,3)",
    "router": "vct",
    "routing": "valiant",
    "pattern": "dshift(1)",
    "load": [0.2, 0.4],
    "warmup": 500,
    "cycles": 2000,
}


def test_equal_questions_are_one_request(http: httpx.Client) -> None:
    first = http.post("/v1/simulations", json=SHORT, headers=WAIT).json()
    for same in ({"routing": "valiant(minfirst)", "vc_count": 4}, first["request"]):
        again = http.post("/v1/simulations", json=SHORT | same)
        assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert http.get(first["url"]).json() == first


def test_simulations_of_all_routers_are_in_one_list(http: httpx.Client) -> None:
    plain = {"topology": "1,2,1,3", "load": [0.1], "warmup": 200, "cycles": 200, "seed": 41}
    found = [
        http.post("/v1/simulations", json=body, headers=WAIT).json()
        for body in (plain, SHORT | {"seed": 41})
    ]
    assert [one["request"]["router"] for one in found] == ["iq", "vct"]
    newest = http.get("/v1/simulations?limit=2").json()["simulations"]
    assert [one["id"] for one in newest] == [one["id"] for one in reversed(found)]
    assert [one["request"] for one in newest] == [one["request"] for one in reversed(found)]
    (listed,) = http.get('/v1/simulations?search="vct"&limit=1').json()["simulations"]
    assert listed["id"] == found[1]["id"]


def test_an_estimate_tells_cost_and_command(http: httpx.Client) -> None:
    found = http.post("/v1/simulations?validate_only=true", json=SHORT | {"seed": 7}).json()
    assert not found["known"]
    assert found["cost"]["stages"].keys() == {"simulate"}
    assert found["command"] == (
        "tvlb simulate 'hyperx(2,3,3)' --pattern 'dshift(1)' --load 0.2,0.4 --seed 7 --router vct "
        "--routing 'valiant(minfirst)' --warmup 500 --cycles 2000 --vc-count 4 "
        "--link-latencies x=1,y=1"
    )


@pytest.mark.parametrize(
    ("change", "kind", "detail"),
    [
        ({"router": "iq"}, "invalid-request", "routing 'valiant': choose one of"),
        ({"load": []}, "invalid-request", "load: expected a list of 1..1000 values, not 0"),
        ({"table": "0" * 64}, "unsatisfiable", "there is no table 000000"),
        ({"vc_count": 3}, "unsatisfiable", "vc_count 3 is too few: ladder needs at least 4"),
        ({"seeds": 1000, "cycles": 100_000_000}, "beyond-limits", "this server"),
    ],
)
def test_bad_input_is_told_before_any_work(
    http: httpx.Client, change: dict[str, Any], kind: str, detail: str
) -> None:
    answer = http.post("/v1/simulations", json=SHORT | change)
    problem = answer.json()
    assert answer.status_code == 422
    assert problem["type"] == f"urn:tvlb:problem:{kind}"
    assert detail in problem["detail"]
    assert "\n" not in problem["detail"]
