"""Whatever is computed under a pattern says of how many nodes it is not, for lack of a partner."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service import Server
from tvlb.cli import main

# Under affine(1,1) switch 2 sends to switch 0, which has two nodes less.
UNEVEN = {"switches": 3, "endpoints": [1, 2, 3], "links": [[0, 1], [0, 1], [1, 2], [0, 2]]}
TOLD = (
    "2 of 6 nodes do not send under affine(1,1): the switch that they send to has no node in their "
    "place"
)
WINDOWS = ("--screening", "200,200,0.1", "--confirmation", "200,200,0.1")


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None, capsys: Any) -> Any:
    monkeypatch.chdir(tmp_path)
    Path("uneven.json").write_text(json.dumps(UNEVEN))
    Path("down.json").write_text(json.dumps({"links": [[0, 1]]}))

    def run(*arguments: str) -> Any:
        assert main([*arguments, "--json"]) == 0, capsys.readouterr().err
        return json.loads(capsys.readouterr().out)

    return run


def test_in_tables_and_repairs(ran: Any) -> None:
    traffic = ("--traffic", "affine(1,1)", "--workers", "1")
    few = ("--patterns", "1", "--data-points", "1", "--budget", "0")
    table = ran("table", "uneven.json", *traffic, *few, *WINDOWS, "-o", "t.csv")
    assert f"{TOLD}." in table["verdict"]["text"]
    options = ("--without", "down.json", *traffic, *WINDOWS[2:], "-o", "r.csv")
    assert f"{TOLD}." in ran("repair", "t.csv", *options)["verdict"]["text"]


def test_in_tables_by_the_published_method(ran: Any) -> None:
    few = ("--patterns", "1", "--simulated-patterns", "2", "--finalists", "1")
    few += ("--data-points", "1", "--method", "paper", "--workers", "1")
    Path("down.json").write_text(json.dumps({"switches": [5]}))
    options = ("--without", "down.json", *few, *WINDOWS, "-o", "t.csv")
    notes = ran("table", "2,4,2,5", *options)["verdict"]["text"]
    # Those that sent to the two nodes of the switch that is down.
    assert any(one.startswith("2 of 38 nodes do not send under type2(seed=0): ") for one in notes)


def test_in_models_and_simulations(server: Server) -> None:
    def told(kind: str, pattern: str, **options: object) -> list[str] | None:
        body = {"topology": UNEVEN, "pattern": pattern, **options}
        with httpx.Client(base_url=server.url, headers={"Prefer": "wait=60"}, timeout=90) as http:
            answer = http.post(f"/v1/{kind}", json=body).json()
            page = http.get(f"/{kind}/{answer['id']}", headers={"Accept": "text/html"}).text
            assert page.count(TOLD) == len(answer.get("warnings", ()))
            return answer.get("warnings")

    assert told("models", "affine(1,1)") == [TOLD]
    assert told("models", "uniform") is None
    windows: dict[str, Any] = {"load": [0.1], "warmup": 200, "cycles": 200}
    assert told("simulations", "affine(1,1)", **windows) == [TOLD]
