"""Members of the core's registries in other libraries go through all there is, without a change."""

import json
from pathlib import Path

import httpx
import pytest

from sim_bridge import _core
from tests.plugins import conforms, plugged_in, tvlb_each
from tests.service import running_server
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


def test_all_surfaces_find_the_same(environment: dict[str, str]) -> None:
    conforms(environment, "evens", "evens-up", "swings(turns)", "swings(queues)")


def test_pages_of_other_kinds_offer_them(environment: dict[str, str], tmp_path: Path) -> None:
    with running_server(tmp_path / "served", "--workers", "1", environment=environment) as server:
        for page, name in (
            ("stabilities", "swings(turns)"),
            ("stabilities", "evens-up"),
            ("sweeps", "swings(turns)"),
        ):
            assert name in httpx.get(f"{server.url}/{page}/new").text, page
