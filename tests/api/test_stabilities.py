"""Studies of stability over HTTP: jobs whose finished runs are kept, and what is refused."""

from typing import Any

import httpx
import pytest

from sim_bridge.routers.vct import study_stability
from tests.search.here import units_here
from tests.service import Server, answered
from tvlb.processes import silent
from tvlb.requests import resource_of
from tvlb.requests.kinds.stability import StabilityBody, StabilityDocument
from tvlb.topology import parse_topology
from tvlb.traffic import parse_pattern

SHORT: dict[str, Any] = {
    "topology": "hyperx(2,3,3)",
    "pattern": "dshift(1)",
    "vcs": ["ladder", "2phases:4"],
    "cycles": 100_000,
}
WAIT = {"Prefer": "wait=60"}
TIMES = {"cpu_seconds"}


def runs(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [run for case in document["stability"] for run in case["runs"]]


def test_a_study_is_a_job_whose_document_is_that_of_the_library(http: httpx.Client) -> None:
    first = http.post("/v1/stabilities?label=monday", json=SHORT)
    assert first.status_code == 202
    job = http.get(first.headers["location"]).json()
    assert (job["kind"], job["label"]) == ("stability", "monday")
    held = http.post("/v1/stabilities", json=SHORT, headers=WAIT)
    assert held.status_code == 200, held.text
    resource_of("stability").model_validate_json(held.content)
    done = http.get(job["url"]).json()
    assert done["result_url"] == held.headers["content-location"]
    assert done["timings"].keys() == {"stability"}
    events = http.get(job["events_url"]).text.replace(" ", "")
    for finished in (0, 200):
        assert f'"stage":"stability","done":{finished},"total":200' in events
    body = StabilityBody.model_validate(SHORT)
    study = study_stability(
        parse_topology("hyperx(2,3,3)"),
        body.cases(),
        parse_pattern("dshift(1)"),
        units=units_here(),
        report=silent,
    )
    expected, found = StabilityDocument.of(study).plain(), held.json()
    for one in (*runs(expected), *runs(found)):
        del one["cpu_seconds"]
    assert {name: found[name] for name in expected} == expected


def test_equal_questions_are_one_request(http: httpx.Client, server: Server) -> None:
    found = answered(server, "/v1/stabilities", SHORT)
    for same in (
        {"topology": "hyperx( 2,3, 3)", "routing": ["valiant"], "vcs": ["ladder:4", "2phases:4"]},
        {"routing": ["valiant(minfirst)"], "load": 1, "seed": 0, "until_collapse": False},
        found["request"],
    ):
        again = http.post("/v1/stabilities", json=SHORT | same)
        assert (again.status_code, again.json()["id"]) == (200, found["id"])
    assert found["request"]["vcs"] == ["ladder:4", "2phases:4"]


def test_a_number_of_vcs_that_depends_on_the_routing_is_left_open(http: httpx.Client) -> None:
    body = SHORT | {"routing": ["min", "valiant"], "vcs": ["reuse", "ladder:5"]}
    found = http.post("/v1/stabilities?validate_only=true", json=body).json()
    assert found["request"]["vcs"] == ["reuse", "ladder:5"]
    assert found["request"]["routing"] == ["min", "valiant(minfirst)"]


def test_finished_runs_serve_later_studies(server: Server) -> None:
    first = answered(server, "/v1/stabilities", SHORT | {"seed": 3})
    more = answered(server, "/v1/stabilities", SHORT | {"seed": 2, "seeds": 2})
    assert first["id"] != more["id"]
    # Time included: these runs were not made again.
    assert [case["runs"][1] for case in more["stability"]] == runs(first)


def test_runs_end_at_a_collapse_where_that_is_asked_for(http: httpx.Client, server: Server) -> None:
    body = {
        "topology": "hyperx(4,4,4)",
        "pattern": "dshift(1)",
        "routing": ["valiant(minlast)"],
        "vcs": ["2phases:4"],
        "cycles": 100_000,
        "until_collapse": True,
    }
    found = http.post("/v1/stabilities?validate_only=true", json=body).json()
    assert found["command"].endswith("--until-collapse")
    document = answered(server, "/v1/stabilities", body)
    assert document["until_collapse"]
    (run,) = runs(document)
    assert run["category"] == 3
    assert len(run["series"]) < 100


def test_studies_are_listed_labelled_and_deleted(http: httpx.Client, server: Server) -> None:
    body = SHORT | {"seed": 9}
    found = answered(server, "/v1/stabilities", body)
    assert http.patch(found["url"], json={"label": "ninth"}).status_code == 204
    (listed,) = http.get("/v1/stabilities?search=ninth").json()["stabilities"]
    assert listed == {name: found[name] for name in listed.keys() - {"label"}} | {"label": "ninth"}
    assert http.delete(found["url"]).status_code == 204
    assert http.get(found["url"]).json()["detail"] == f"there is no stability {found['id']}"


def test_an_estimate_tells_cost_and_command(http: httpx.Client) -> None:
    topology = {"network": "hyperx(2,3,3)", "without": {"links": [[0, 1]]}}
    body = SHORT | {
        "topology": topology,
        "pattern": "uniform",
        "vcs": ["reuse"],
        "packet": 8,
        "seeds": 3,
    }
    found = http.post("/v1/stabilities?validate_only=true", json=body).json()
    assert (found["kind"], found["known"]) == ("stability", False)
    assert found["cost"]["stages"].keys() == {"stability"}
    assert found["command"] == (
        "tvlb stability TOPOLOGY.json --vcs reuse:4 --cycles 100000 --packet 8 "
        "--link-latencies x=1,y=1 --seeds 3"
    )


def test_a_study_is_cancelled(http: httpx.Client) -> None:
    job = http.post("/v1/stabilities", json=SHORT | {"cycles": 100_000_000}).json()
    assert http.post(f"{job['url']}/cancel").status_code in (200, 202)
    assert '"cancelled"' in http.get(job["events_url"]).text


@pytest.mark.parametrize(
    ("change", "kind", "detail"),
    [
        ({"vcs": ["won"]}, "invalid-request", "vcs[0]: vcs 'won': choose one of ladder"),
        ({"vcs": ["ladder:17"]}, "unsatisfiable", "vcs 'ladder:17': expected POLICY or POLICY:"),
        ({"vcs": ["ladder:3"]}, "unsatisfiable", "vc_count 3 is too few: ladder needs at least 4"),
        ({"vcs": ["2phases:3"]}, "unsatisfiable", "2phases takes multiples of 2 here"),
        ({"vcs": ["any"]}, "unsatisfiable", "vcs any is for routing min"),
        (
            {"vcs": ["ladder", "ladder:4"]},
            "unsatisfiable",
            "two cases are the same: valiant(minfirst), ladder, 4 VCs",
        ),
        ({"vcs": []}, "invalid-request", "vcs"),
        ({"routing": ["table"]}, "invalid-request", 'routing[0]: expected "min", "valiant(minf'),
        ({"cycles": 99_999}, "invalid-request", "cycles 99999 is out of range: 100000.."),
        ({"input_buffer": 40}, "unsatisfiable", "input_buffer 40 is not 1 to 127 packets of 16"),
        ({"load": 1.5}, "invalid-request", "load 1.5 is out of range: 0..1"),
        ({"pattern": "adv(1)"}, "unsatisfiable", "adv(1) is no pattern of hyperx(2,3,3)"),
        ({"pattern": "m.csv"}, "invalid-request", "a request cannot name a file"),
        ({"seed": 2**63 - 1, "seeds": 2}, "unsatisfiable", "seed"),
        ({"seeds": 1000, "cycles": 100_000_000}, "beyond-limits", "CPU seconds"),
        ({"store": "runs"}, "invalid-request", "store: unknown key; use one of"),
    ],
)
def test_bad_input_is_told_before_any_work(
    http: httpx.Client, change: dict[str, Any], kind: str, detail: str
) -> None:
    answer = http.post("/v1/stabilities", json=SHORT | change)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == f"urn:tvlb:problem:{kind}"
    assert detail in problem["detail"]
