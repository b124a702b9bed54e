"""A family of another package goes through everything that there is, without any other change."""

import csv
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.plugins import installed, tvlb_each
from tests.service import new_token, quick_options, running_server

# Every command of it is a process, since it is installed there alone.
pytestmark = pytest.mark.slow

MODULE = Path(__file__).parent / "data" / "toy_family.py"
NETWORK = "toy(6,2)"
WINDOWS = "200,400,0.1"
SEARCH = quick_options(200, 400, 0.1) | {"topology": NETWORK, "patterns": 2, "data_points": 4}
MODEL = {"topology": NETWORK, "vlb": "all", "pattern": "uniform"}
SWEEP = f"""
name = "rings"
topologies = ["{NETWORK}", "toy(5)"]

[[generators]]
family = "toy"
n = "5..6"
p = [1, 2]
constraints = ["nodes <= 10", "n == 5 or p == 1", "ring_cables > 4"]

[options]
method = "paper"
patterns = 1
finalists = 1
data_points = 1
simulated_patterns = 2
screening = {{ warmup = 100, measured = 100, grid = 0.1 }}
confirmation = {{ warmup = 100, measured = 100, grid = 0.1 }}
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables under which the package of the family is installed."""
    packages = tmp_path_factory.mktemp("packages")
    return installed(MODULE.read_text(), "[tvlb.families] toy = toy", packages)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("toy")


def tvlb(environment: dict[str, str], place: Path, *arguments: str) -> str:
    (printed,) = tvlb_each(environment, place, [arguments])
    return printed


@pytest.fixture(scope="module")
def table(environment: dict[str, str], place: Path) -> Path:
    """A table that the search found."""
    tvlb(
        environment, place, "table", NETWORK, "--method", "paper", "--patterns", "2",
        "--simulated-patterns", "2", "--finalists", "1", "--data-points", "4",
        "--screening", WINDOWS, "--confirmation", WINDOWS, "--workers", "1", "-o", "table.json",
    )  # fmt: skip
    return place / "table.json"


def test_it_is_listed(environment: dict[str, str], place: Path) -> None:
    assert "toy(N[,P])" in tvlb(environment, place, "model", "--help")


# Between opposite switches of a ring of six there are two shortest ways.
# Uniform traffic: 6 pairs of nodes' switches a hop away in either direction, 6 two, 3 three, and no
# detour is of use; (2 * 6 * (1 + 2) + 3 * 2 * 3) * 2 / 6 = 18 flits over 12 links at theta = 1.
def test_its_throughput_is_modelled(environment: dict[str, str], place: Path) -> None:
    sets = ("<=4", "all", "short(all)", "shape(r.?)", "shape(r.?) & <=3+50%")
    options = ("--pattern", "uniform", "--json", "--vlb")
    commands = [("model", NETWORK, *options, vlb) for vlb in sets]
    printed = tvlb_each(environment, place, commands)
    theta = {vlb: json.loads(one)["theta"] for vlb, one in zip(sets, printed, strict=True)}
    assert theta == pytest.approx(dict.fromkeys(sets, 12 / 18))


def test_its_patterns_are_probed(environment: dict[str, str], place: Path) -> None:
    found = tvlb(environment, place, "probe", NETWORK, "--patterns", "2", "--json")
    assert json.loads(found)["probe"][-1]["expression"] == "all"


def test_its_sets_are_balanced(environment: dict[str, str], place: Path) -> None:
    found = tvlb(environment, place, "balance", NETWORK, "--vlb", "all", "--json")
    assert json.loads(found)["ring"]["before"] == pytest.approx(1.0)


def test_its_routing_is_simulated(environment: dict[str, str], place: Path, table: Path) -> None:
    sets = {"min": "all", "vlb": "short(all)", "ugal-l": str(table), "ugal-g": "all", "par": "all"}
    windows = ("--load", "0.2", "--warmup", "200", "--cycles", "1000", "--json")
    commands = [
        ("simulate", NETWORK, "--routing", routing, "--vlb", vlb, *windows)
        for routing, vlb in sets.items()
    ]
    for routing, printed in zip(sets, tvlb_each(environment, place, commands), strict=True):
        document = json.loads(printed)
        assert document["config"]["vc_scheme"] == "per-hop", routing
        assert document["rows"][0]["accepted"] == pytest.approx(0.2, abs=0.03), routing


def test_its_table_holds(environment: dict[str, str], place: Path, table: Path) -> None:
    header = json.loads(table.read_text())["header"]
    assert header["topology"] == {"name": NETWORK, "path_names": "positions"}
    first, _, _, last = tvlb_each(
        environment,
        place,
        [
            ("verify", table.name, "--json"),
            ("export", table.name, "--to", "csv", "-o", "table.csv"),
            ("export", "table.csv", "--to", "parquet", "-o", "table.parquet"),
            ("verify", "table.parquet", "--json"),
        ],
    )
    report = json.loads(first)
    assert report["ok"]
    assert report["scheme"] == "per-hop"
    assert json.loads(last)["table_id"] == report["table_id"]


def test_its_sizes_are_swept(environment: dict[str, str], place: Path) -> None:
    (place / "sweep.toml").write_text(SWEEP)
    tvlb(
        environment,
        place,
        "sweep",
        "sweep.toml",
        "-o",
        "swept",
        "--data",
        "store",
        "--workers",
        "1",
    )
    with (place / "swept" / "results.csv").open(newline="") as stream:
        rows = [*csv.DictReader(stream)]
    # toy(5) was there before.
    names = ("topology", "status", "n", "p", "radix", "nodes", "ring_cables")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("toy(6,2)", "succeeded", "6", "2", "4", "12", "6"),
        ("toy(5)", "succeeded", "5", "1", "3", "5", "5"),
        ("toy(5,2)", "succeeded", "5", "2", "4", "10", "5"),
        ("toy(6)", "succeeded", "6", "1", "3", "6", "6"),
    ]


def test_it_is_served(environment: dict[str, str], place: Path) -> None:
    data = place / "served"
    with running_server(data, "--workers", "1", environment=environment) as server:
        header = {"Authorization": f"Bearer {new_token(data)}", "Prefer": "wait=120"}
        with httpx.Client(base_url=server.url, headers=header, timeout=200) as http:
            model = http.post("/v1/models", json=MODEL)
            assert 0 < model.json()["theta"] <= 1, model.text
            found = http.post("/v1/tables", json=SEARCH)
            assert found.status_code == 200, found.text
            resource: dict[str, Any] = found.json()
            assert resource["topology"] == NETWORK
            links = http.get(f"{resource['url']}/links").json()
            assert len(links["src"]) == 12
