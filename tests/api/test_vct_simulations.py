"""Simulations of the virtual cut-through router over HTTP: the same as on the command line."""

import json
from typing import Any

import httpx
import pytest

from tests.service import WAIT, Server, answered
from tvlb.cli import main
from tvlb.requests import resource_of

SHORT: dict[str, Any] = {
    "topology": "hyperx(2,3,3)",
    "router": "vct",
    "routing": "valiant",
    "pattern": "dshift(1)",
    "load": [0.2, 0.4],
    "warmup": 500,
    "cycles": 2000,
}


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document without what differs from run to run."""
    rows = document["rows"]
    for one in (*rows, *(run for row in rows for run in row.get("runs", ()))):
        del one["cpu_seconds"], one["wall_seconds"]
    return document


@pytest.mark.parametrize("seeds", [1, 2])
def test_the_document_is_that_of_the_command_line(
    http: httpx.Client, seeds: int, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = http.post(
        "/v1/simulations", json=SHORT | {"vcs": "2phases", "seeds": seeds}, headers=WAIT
    )
    assert answer.status_code == 200, answer.text
    resource_of("simulation", "vct").model_validate_json(answer.content)
    found = without_times(answer.json())
    assert main([
        "simulate", "hyperx(2,3,3)", "--router", "vct", "--routing", "valiant", "--pattern",
        "dshift(1)", "--load", "0.2,0.4", "--warmup", "500", "--cycles", "2000", "--vcs",
        "2phases", "--seeds", str(seeds), "--json",
    ]) == 0  # fmt: skip
    expected = without_times(json.loads(capsys.readouterr().out))
    assert {name: found[name] for name in expected} == expected
    assert found.keys() - expected.keys() == {"id", "url", "created_at", "request"}


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


def test_a_long_one_is_a_job(http: httpx.Client, server: Server) -> None:
    body = SHORT | {"seeds": 101, "cycles": 100}
    document = answered(server, "/v1/simulations", body)
    assert len(document["rows"][0]["runs"]) == 101
    (job,) = [
        one for one in http.get("/v1/jobs").json()["jobs"] if one["result_url"] == document["url"]
    ]
    assert (job["kind"], job["timings"].keys()) == ("simulation", {"simulate"})


def test_an_estimate_tells_cost_and_command(http: httpx.Client) -> None:
    found = http.post("/v1/simulations?validate_only=true", json=SHORT | {"seed": 7}).json()
    assert not found["known"]
    assert found["cost"]["stages"].keys() == {"simulate"}
    assert found["command"] == (
        "tvlb simulate 'hyperx(2,3,3)' --pattern 'dshift(1)' --load 0.2,0.4 --seed 7 --router vct "
        "--routing 'valiant(minfirst)' --warmup 500 --cycles 2000 --vc-count 4 "
        "--link-latencies x=1,y=1"
    )


def test_both_bodies_and_both_results_are_described(http: httpx.Client) -> None:
    document = http.get("/openapi.json").json()
    route = document["paths"]["/v1/simulations"]["post"]
    sent = route["requestBody"]["content"]["application/json"]["schema"]["anyOf"]
    told = route["responses"]["200"]["content"]["application/json"]["schema"]["anyOf"]
    for found, names in (
        (sent, ["SimulationBody", "VctSimulationBody", "VctFogSimulationBody"]),
        (
            told,
            [
                "SimulationResource",
                "VctSimulationResource",
                "VctFogSimulationResource",
                "Estimate",
            ],
        ),
    ):
        assert [one["$ref"].rsplit("/", 1)[1] for one in found] == names
        assert document["components"]["schemas"].keys() >= {*names}


@pytest.mark.parametrize(
    ("change", "kind", "detail"),
    [
        ({"router": "x"}, "invalid-request", "router 'x': choose one of iq, vct"),
        ({"router": "iq"}, "invalid-request", "routing 'valiant': choose one of"),
        ({"load": []}, "invalid-request", "load: expected a list of 1..1000 values, not 0"),
        ({"vlb": "all"}, "invalid-request", "vlb: unknown key; use one of topology"),
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
