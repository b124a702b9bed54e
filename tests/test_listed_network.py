"""A network of the user's own goes through everything that a network of a family does."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter

from tests.service import Server, quick_options
from tvlb.errors import InvalidInput
from tvlb.table import read_table
from tvlb.topology import ListedTopology, Listing, Topology, explicit_type, parse_topology

# A ring of six switches, one without nodes, with chords, two of them parallel.
RING = [[one, (one + 1) % 6] for one in range(6)]
CHORDS = [[0, 3], [0, 3], [1, 4]]
NETWORK: dict[str, Any] = {
    "switches": 6,
    "endpoints": [2, 2, 0, 2, 1, 2],
    "links": [*RING, *CHORDS],
    "kinds": [{"name": "ring", "latency": 5}, {"name": "chord", "latency": 20}],
    "link_kinds": ["ring"] * 6 + ["chord"] * 3,
    "labels": [f"sw-{letter}" for letter in "abcdef"],
}
SEARCH = quick_options(200, 400, 0.1)
# `sw-c` has no nodes, and the two of `sw-a` are two hops from it by either side.
KINDS = {"ring", "chord"}


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None) -> None:
    """Work in a folder that has the network as `net.json`."""
    monkeypatch.chdir(tmp_path)
    Path("net.json").write_text(json.dumps(NETWORK))


def test_it_is_modelled_probed_and_balanced(ran: Any) -> None:
    # Every switch of two nodes sends 2 flits/cycle over at least 3 links.
    assert 0.5 < ran("model", "net.json", "--pattern", "uniform")["theta"] <= 1.0
    for vlb in ("<=4", "short(all)", "shape(r.?)", "shape(c.r:2, r.c)"):
        assert 0 < ran("model", "net.json", "--vlb", vlb)["theta"] <= 1.0
    assert ran("probe", "net.json", "--patterns", "1")["probe"][-1]["expression"] == "all"
    assert ran("balance", "net.json", "--vlb", "all").keys() >= KINDS


@pytest.mark.parametrize("routing", ["min", "vlb", "ugal-l", "ugal-g", "par"])
def test_its_routing_is_simulated(ran: Any, routing: str) -> None:
    windows = ("--load", "0.2", "--warmup", "200", "--cycles", "1000")
    document = ran("simulate", "net.json", "--routing", routing, *windows)
    row = document["rows"][0]
    assert row["accepted"] == pytest.approx(0.2, abs=0.03)
    assert row["link_load"].keys() >= KINDS
    assert document["topology"] == "net.json"


def test_its_latencies_are_those_of_its_kinds(ran: Any) -> None:
    def latency(chord: int) -> float:
        kinds = [NETWORK["kinds"][0], {"name": "chord", "latency": chord}]
        Path("other.json").write_text(json.dumps(NETWORK | {"kinds": kinds}))
        windows = ("--load", "0.05", "--warmup", "200", "--cycles", "2000")
        return ran("simulate", "other.json", "--routing", "min", *windows)["rows"][0][
            "latency_mean"
        ]

    # Of the 9 nodes 4 are at the ends of the two parallel chords, so that 8 of 81 packets take one.
    assert latency(120) - latency(20) > 8


def test_its_name_is_told_and_nothing_depends_on_it(ran: Any) -> None:
    few = ("--method", "paper", "--patterns", "1", "--simulated-patterns", "2")
    few += ("--finalists", "1", "--data-points", "1", "--workers", "1")
    few += ("--screening", "200,400,0.1", "--confirmation", "200,400,0.1")
    Path("down.json").write_text(json.dumps({"links": [[0, 3]]}))
    Path("west.json").write_text(json.dumps(NETWORK))
    Path("east.json").write_text(json.dumps(NETWORK | {"name": "Hall 3"}))
    for name, told in (("west", "west (6 switches, "), ("east", "Hall 3 (6 switches, ")):
        ran("table", f"{name}.json", *few, "-o", f"{name}.parquet")
        assert ran("show", f"{name}.parquet")["topology"].startswith(told)
        ran("repair", f"{name}.parquet", "--without", "down.json", "--strike-only", "-o", "s.json")
        assert ran("show", "s.json")["topology"].startswith(told)
        ran("export", f"{name}.parquet", "--to", "graphml", "-o", "back.graphml")
        ran("export", "back.graphml", "-o", "back.json")
        assert json.loads(Path("back.json").read_text())["name"] == told.split(" (")[0]
    west, east = (read_table(f"{name}.parquet") for name in ("west", "east"))
    assert (west.id, west.topology) == (east.id, east.topology)


def test_its_table_holds(ran: Any) -> None:
    windows = ("--screening", "200,400,0.1", "--confirmation", "200,400,0.1")
    few = ("--patterns", "1", "--simulated-patterns", "2", "--finalists", "1", "--data-points", "1")
    made = ran(
        "table", "net.json", "--method", "paper", *few, *windows, "--workers", "1",
        "-o", "table.json",
    )  # fmt: skip
    header = json.loads(Path("table.json").read_text())["header"]["topology"]
    assert header["endpoints"] == NETWORK["endpoints"]
    assert header["labels"] == NETWORK["labels"]
    assert sorted(map(sorted, header["links"])) == sorted(map(sorted, NETWORK["links"]))
    assert header["kinds"] == NETWORK["kinds"]
    network = read_table("table.json").topology
    assert network == parse_topology("net.json")
    assert isinstance(network, ListedTopology)
    assert network.labels == tuple(NETWORK["labels"])
    report = ran("verify", "table.json")
    assert report["ok"]
    assert report["table_id"] == made["table"]["id"]
    assert ran("show", "table.json")["topology"].startswith("net (6 switches, ")
    ran("export", "table.json", "--to", "csv", "-o", "table.csv")
    ran("export", "table.csv", "--to", "parquet", "-o", "table.parquet")
    assert ran("verify", "table.parquet")["table_id"] == report["table_id"]
    windows = ("--load", "0.2", "--warmup", "200", "--cycles", "1000")
    assert ran("simulate", "net.json", "--vlb", "table.parquet", *windows)["rows"]
    assert_names_are_numbers(ran)


def assert_names_are_numbers(ran: Any) -> None:
    by_name, by_number = (ran("show", "table.json", "--pair", one) for one in ("sw-a,sw-e", "0,4"))
    assert by_name == by_number
    for path in by_name["paths"]:
        assert path["labels"] == [f"sw-{'abcdef'[switch]}" for switch in path["switches"]]
    for switch in ("4", "sw-e"):
        ran("export", "table.json", "--to", "json", "--switch", switch, "-o", f"{switch}.json")
    assert Path("4.json").read_bytes() == Path("sw-e.json").read_bytes()
    ran("export", "table.json", "--to", "sequences", "-o", "sequences.csv")
    assert f"# labels: {json.dumps(NETWORK['labels'])}" in Path("sequences.csv").read_text()
    named: Any = {"links": [["sw-d", "sw-a"]], "switches": ["sw-c"]}
    down = [named, {"links": [[0, 3]], "switches": [2]}]
    networks: list[Topology] = []
    for one in down:
        Path("down.json").write_text(json.dumps(one))
        networks.append(parse_topology("net.json", "down.json"))
    assert networks[0] == networks[1]
    assert str(networks[0]) == str(networks[1])
    requests = [
        TypeAdapter[Any](explicit_type()).validate_python({"network": NETWORK, "without": one})
        for one in down
    ]
    assert requests[0].canonical() == requests[1].canonical()
    assert str(requests[0]) == str(requests[1])
    Path("down.json").write_text(json.dumps({"switches": ["sw-x"]}))
    with pytest.raises(InvalidInput, match=r"'sw-x' is no switch of net\.json: expected"):
        parse_topology("net.json", "down.json")
    twins = ListedTopology([1, 1, 1], [[[0, 1], [1, 2]]], labels=["a", "b", "a"])
    with pytest.raises(InvalidInput, match=r"2 switches of .* are called 'a': numbers 0, 2"):
        twins.switch_names.number("a")
    assert twins.switch_names.number("2") == 2


def test_it_is_swept(ran: Any) -> None:
    windows = "{ warmup = 200, measured = 400, grid = 0.1 }"
    few = "patterns = 1, simulated_patterns = 2, finalists = 1, data_points = 1"
    options = f'method = "paper", {few}, screening = {windows}, confirmation = {windows}'
    Path("sweep.toml").write_text(f'topologies = ["net.json"]\noptions = {{ {options} }}')
    document = ran("sweep", "sweep.toml", "-o", "swept", "--data", "store", "--workers", "1")
    (row,) = document["rows"]
    assert row["status"] == "succeeded"
    assert row["topology"] == str(Listing.model_validate(NETWORK | {"name": "net"}))
    assert row["switches"] == 6


def test_it_is_served(server: Server) -> None:
    with httpx.Client(base_url=server.url, headers={"Prefer": "wait=120"}, timeout=200) as http:
        model = http.post("/v1/models", json={"topology": NETWORK, "pattern": "uniform"})
        assert 0 < model.json()["theta"] <= 1, model.text
        found = http.post("/v1/tables", json={"topology": NETWORK, **SEARCH})
        assert found.status_code == 200, found.text
        resource = found.json()
        assert resource["topology"].startswith("network(6 switches, ")
        for ends in ("src=sw-a&dst=sw-e", "src=0&dst=4"):
            pair = http.get(f"{resource['url']}/paths?{ends}").json()
            assert (pair["src"], pair["dst"]) == (0, 4)
        assert http.get(f"{resource['url']}/paths?src=sw-x&dst=0").status_code == 422
        links = http.get(f"{resource['url']}/links").json()
        assert len(links["src"]) == 18
        refused = http.post("/v1/models", json={"topology": NETWORK | {"links": [[0, "a"]]}})
        assert refused.status_code == 422
        assert refused.json()["errors"][0]["location"] == "body.topology.links.0.1"


@pytest.mark.slow
def test_a_search_among_many_shapes_is_written_and_read(ran: Any) -> None:
    # Eight switches in a row with cables of four kinds have more than 400 shapes.
    kinds = ["able", "blue", "cyan", "dark"]
    row = {
        "switches": 8,
        "endpoints": [1] * 8,
        "links": [[one, one + 1] for one in range(7)],
        "kinds": [{"name": name} for name in kinds],
        "link_kinds": [kinds[(one * one + one // 3) % 4] for one in range(7)],
    }
    Path("row.json").write_text(json.dumps(row))
    windows = ("--screening", "200,400,0.1", "--confirmation", "200,400,0.1")
    few = ("--patterns", "1", "--simulated-patterns", "2", "--data-points", "1", "--budget", "1")
    assert ran("table", "row.json", *few, *windows, "-o", "table.json")["search"]["sets"] > 1
    assert ran("verify", "table.json")["ok"]
