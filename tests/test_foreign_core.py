"""Members of the core's registries in other libraries go through all there is, without a change."""

import json
from pathlib import Path

import httpx
import pytest

from sim_bridge import _core
from tests.plugins import plugged_in, tvlb_each
from tests.service import new_token, running_server
from tvlb.native import kernels
from tvlb.paths import parse_expression
from tvlb.table import Table, write_table
from tvlb.topology import parse_topology

# A policy of virtual channels and a steering.
SOURCES = {
    Path(__file__).parent / "data" / name: core
    for name, core in (("evens.cpp", kernels), ("swings.cpp", _core))
}
NETWORK = "dfly(2,4,2,5)"
# They compile, and start a server of their own.
pytestmark = pytest.mark.slow
WINDOWS = ("--load", "0.1", "--warmup", "100", "--cycles", "200", "--json")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return plugged_in(SOURCES, tmp_path_factory.mktemp("plugins"))


def write_all_paths(file: Path) -> None:
    paths = parse_expression("all", parse_topology(NETWORK))
    write_table(Table.from_rows(paths, paths.all_rows(), None, seed=0, version=""), file)


# MIN paths have up to three links: VCs 0, 2 and 4, or 3 where that is the last one. VLB paths have
# six: up to VC 10.
def test_a_policy_in_one_file_is_found_by_every_command(
    environment: dict[str, str], tmp_path: Path
) -> None:
    assert all(len(source.read_text().splitlines()) <= 20 for source in SOURCES)
    write_all_paths(tmp_path / "table.json")
    helped, table, queued, by_hop, verified = tvlb_each(
        environment,
        tmp_path,
        [
            ("simulate", "--help"),
            ("table", "--help"),
            ("simulate", NETWORK, "--routing", "vlb", "--vcs", "evens", *WINDOWS),
            ("simulate", NETWORK, "--router", "vct", "--vcs", "evens-up", *WINDOWS),
            ("verify", "table.json", "--vcs", "evens", "--json"),
        ],
    )
    for text, name in ((helped, "evens"), (helped, "evens-up"), (table, "evens")):
        assert name in text
    assert json.loads(queued)["config"]["vc_scheme"] == "evens"
    assert json.loads(by_hop)["deadlock_proof"] == {
        "vcs_needed": 4,
        "multiple": 1,
        "argument": "the VC rises with every link",
    }
    report = json.loads(verified)
    assert (report["ok"], report["scheme"], report["vcs_needed"]) == (True, "evens", 11)


def test_a_steering_in_one_file_is_found_by_every_command(
    environment: dict[str, str], tmp_path: Path
) -> None:
    write_all_paths(tmp_path / "table.json")
    asked = [
        ("verify", "table.json", "--routing", "swings(turns)", "--json"),
        ("simulate", NETWORK, "--routing", "swings(turns)", *WINDOWS),
        ("simulate", NETWORK, "--routing", "swings(queues)", *WINDOWS),
        ("simulate", NETWORK, "--router", "vct", "--routing", "swings", "--traces", "9", *WINDOWS),
        ("simulate", NETWORK, "--router", "vct", "--routing", "swings(queues)", *WINDOWS),
    ]
    helped, table, study, *documents = tvlb_each(
        environment,
        tmp_path,
        [("simulate", "--help"), ("table", "--help"), ("stability", "--help"), *asked],
    )
    for text in (helped, table, study):
        assert "swings" in text
    verified, turning, queued, by_hop, by_queues = map(json.loads, documents)
    assert verified["ok"]
    # It detours in every second cycle, and by queues almost never at such a load.
    assert 0.3 < turning["rows"][0]["vlb_share"] < 0.7
    assert queued["rows"][0]["vlb_share"] < 0.1
    assert by_hop["routing"] == "swings(turns)"
    assert {one["vlb"] for one in by_hop["rows"][0]["traces"]} == {True, False}
    assert by_hop["rows"][0]["hops_mean"] > 1.2 * by_queues["rows"][0]["hops_mean"]


def test_members_in_one_file_are_served(environment: dict[str, str], tmp_path: Path) -> None:
    data = tmp_path / "served"
    quick = {"topology": NETWORK, "load": [0.1], "warmup": 100, "cycles": 200, "seeds": 1}
    with running_server(data, "--workers", "1", environment=environment) as server:
        header = {"Authorization": f"Bearer {new_token(data)}", "Prefer": "wait=120"}
        with httpx.Client(base_url=server.url, headers=header, timeout=200) as http:
            bodies = http.get("/openapi.json").json()["components"]["schemas"]
            for body, policy in (("SimulationBody", "evens"), ("VctSimulationBody", "evens-up")):
                assert policy in json.dumps(bodies[body]["properties"]["vcs"])
            queued = http.post("/v1/simulations", json=quick | {"vcs": "evens"})
            assert queued.json()["config"]["vc_scheme"] == "evens", queued.text
            by_hop = http.post("/v1/simulations", json=quick | {"router": "vct", "vcs": "evens-up"})
            assert by_hop.json()["config"]["vc_policy"] == "evens-up", by_hop.text
            routing = "swings(turns)"
            for body, more in (("SimulationBody", {}), ("VctSimulationBody", {"router": "vct"})):
                assert routing in json.dumps(bodies[body]["properties"]["routing"])
                swung = http.post("/v1/simulations", json=quick | {"routing": routing} | more)
                assert swung.json()["routing"] == routing, swung.text
            for page in ("/stabilities/new", "/sweeps/new"):
                assert routing in http.get(page).text, page
            assert "evens-up" in http.get("/stabilities/new").text
