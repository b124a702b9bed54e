"""A policy of virtual channels of another library goes through all there is, without a change."""

import json
from pathlib import Path

import httpx
import pytest

from tests.plugins import plugged_in, tvlb_each
from tests.service import new_token, running_server
from tvlb.native import kernels
from tvlb.paths import parse_expression
from tvlb.table import Table, write_table
from tvlb.topology import parse_topology

SOURCE = Path(__file__).parent / "data" / "evens.cpp"
NETWORK = "dfly(2,4,2,5)"
# It compiles, and starts a server of its own.
pytestmark = pytest.mark.slow
WINDOWS = ("--load", "0.1", "--warmup", "100", "--cycles", "200", "--json")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return plugged_in(SOURCE, kernels, tmp_path_factory.mktemp("plugin"))


# MIN paths have up to three links: VCs 0, 2 and 4, or 3 where that is the last one. VLB paths have
# six: up to VC 10.
def test_a_policy_in_one_file_is_found_by_every_command(
    environment: dict[str, str], tmp_path: Path
) -> None:
    assert len(SOURCE.read_text().splitlines()) <= 20
    paths = parse_expression("all", parse_topology(NETWORK))
    write_table(
        Table.from_rows(paths, paths.all_rows(), None, seed=0, version=""), tmp_path / "table.json"
    )
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


def test_a_policy_in_one_file_is_served(environment: dict[str, str], tmp_path: Path) -> None:
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
            study = http.get("/stabilities/new")
            assert "evens-up" in study.text
