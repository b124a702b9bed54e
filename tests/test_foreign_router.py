"""A router of another package, and one more figure of it, are found by everything there is."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.plugins import installed, tvlb_each
from tests.service import new_token, running_server

# Every command of it is a process, since it is installed there alone.
pytestmark = pytest.mark.slow

SOURCE = (Path(__file__).parent / "data" / "toy_router.py").read_text()
BEFORE = "    cycles: int = figure"
FIGURE = """    busy: float = figure(
        "Share of cycles in which links are busy", Number(0.0, 1.0), "mean", column=("busy", 2)
    )
"""
NETWORK = "dfly(2,4,2,5)"
ASKED: dict[str, Any] = {"topology": NETWORK, "router": "toy", "load": [0.5], "service": 20}
SIMULATE = ("simulate", NETWORK, "--router", "toy", "--load", "0.5", "--service", "20")
PYTHON = f"""
from tvlb.requests import simulation_body, simulation_document
from sim_bridge import simulate_request

body = simulation_body("toy")(**{ASKED!r})
request = body.simulation(body.network())
found = simulate_request(request)
print(found.results[0][0].to_arrow().column_names)
print(simulation_document("toy").of(request, found).plain()["rows"][0]["busy"])
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables under which the router is installed, with one more figure."""
    source = SOURCE.replace(BEFORE, FIGURE + BEFORE).replace("import Names", "import Names, Number")
    return installed(source, "[tvlb.routers] toy = toy:ROUTER", tmp_path_factory.mktemp("packages"))


def test_it_is_small() -> None:
    assert sum(bool(line.strip()) for line in SOURCE.splitlines()) <= 60
    assert len(FIGURE.splitlines()) <= 10


# MIN paths have up to three links of 20 cycles, and half a packet waits at each: 3 * 20 * 1.5.
def test_commands_find_it(environment: dict[str, str], tmp_path: Path) -> None:
    helped, table, alone, several = tvlb_each(
        environment,
        tmp_path,
        [
            ("simulate", "--help"),
            (*SIMULATE, "--figure", "loads.svg"),
            (*SIMULATE, "--json"),
            (*SIMULATE, "--json", "--seeds", "3"),
        ],
    )
    assert "toy (what queueing theory says of a path)" in " ".join(helped.replace("│", "").split())
    for text in (f"{NETWORK} by queueing theory", "busy", "0.50", "Loads in flits/cycle"):
        assert text in " ".join(table.split())
    assert "offered load (flits/cycle)" in (tmp_path / "loads.svg").read_text()
    document = json.loads(alone)
    (row,) = document["rows"]
    assert document["config"] == {"routing": "min", "measured_cycles": 1000, "service": 20}
    assert (row["latency_mean"], row["busy"], row["latency_ci95"]) == (90.0, 0.5, None)
    (row,) = json.loads(several)["rows"]
    assert [run["seed"] for run in row["runs"]] == [0, 1, 2]
    assert (row["busy"], row["cycles"], row["latency_ci95"]) == (0.5, 3000, 0.0)


def test_python_finds_it(environment: dict[str, str]) -> None:
    variables = os.environ | environment
    printed = subprocess.check_output([sys.executable, "-c", PYTHON], env=variables, text=True)
    columns, busy = printed.splitlines()
    assert "'busy'" in columns
    assert busy == "0.5"


def test_it_is_served(environment: dict[str, str], tmp_path: Path) -> None:
    data = tmp_path / "served"
    with running_server(data, "--workers", "1", environment=environment) as server:
        header = {"Authorization": f"Bearer {new_token(data)}", "Prefer": "wait=120"}
        with httpx.Client(base_url=server.url, headers=header, timeout=200) as http:
            schemas = http.get("/openapi.json").json()["components"]["schemas"]
            assert schemas["ToySimulationBody"]["properties"]["service"]["default"] == 10
            told = schemas["ToyRun"]["properties"]["busy"]["description"]
            assert told == "Share of cycles in which links are busy."
            estimate = http.post("/v1/simulations?validate_only=true", json=ASKED).json()
            assert estimate["command"] == (
                f"tvlb simulate '{NETWORK}' --load 0.5 --router toy --service 20"
            )
            # The second has too many runs to be answered at once: a worker computes it.
            for body, runs in ((ASKED, 1), (ASKED | {"seeds": 101}, 101)):
                answer = http.post("/v1/simulations", json=body)
                assert answer.status_code == 200, answer.text
                (row,) = answer.json()["rows"]
                assert (row["busy"], len(row.get("runs", [row]))) == (0.5, runs)
            refused = http.post("/v1/simulations", json=ASKED | {"service": 0}).json()
            assert "service 0 is out of range: 1..100" in refused["detail"]
            page = http.get(answer.json()["url"].removeprefix("/v1")).text
            assert "by queueing theory" in page
            assert '<th scope="col" class="number">busy</th>' in page
