"""`--server`: what a server computes is what is computed here."""

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.service import Server
from tvlb.cli import main
from tvlb.table import read_table

_QUICK = (
    "--method", "paper", "--patterns", "2", "--screening", "300,300,0.05",
    "--confirmation", "400,400,0.05", "--finalists", "1", "--data-points", "2",
    "--simulated-patterns", "2", "--seed", "11",
)  # fmt: skip
_WIRED = {"p": 1, "a": 2, "h": 2, "g": 3, "links": [[5, 0], [0, 2], [1, 3], [2, 4], [1, 4], [3, 5]]}
_NOBODY = "http://127.0.0.1:1"


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TVLB_TOKEN", raising=False)
    Path("wired.json").write_text(json.dumps(_WIRED))


def _table(
    capsys: pytest.CaptureFixture[str], topology: str, *arguments: str
) -> tuple[dict[str, Any], str]:
    """Return the document of a search, and what it said."""
    assert main(["table", topology, *_QUICK, *arguments, "--json"]) == 0
    captured = capsys.readouterr()
    return json.loads(captured.out), captured.err


def _without_timings(document: Mapping[str, Any]) -> str:
    """Tell 1 from 1.0."""
    return json.dumps({**document, "timings": None}, sort_keys=True)


@pytest.mark.parametrize("topology", ["2,4,2,5", "wired.json"])
def test_a_server_computes_the_same(
    topology: str, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    here, _ = _table(capsys, topology, "-o", "here.parquet")
    there, said = _table(capsys, topology, "-o", "there.parquet", "--server", server.url)
    assert Path("there.parquet").read_bytes() == Path("here.parquet").read_bytes()
    assert _without_timings(there) == _without_timings(here)
    lines = said.splitlines()
    assert lines[0].startswith(f"tvlb: the server computes it: {server.url}/v1/jobs/")
    assert {"tvlb: probe begins", "tvlb: probe 2/2", "tvlb: curves begins"} <= set(lines)
    assert lines[-1] == "table written to there.parquet"

    again, said = _table(capsys, topology, "-o", "again.csv", "--server", f"{server.url}/")
    assert again == there
    assert "begins" not in said
    assert said.startswith(f"tvlb: the server knows it already: {server.url}/v1/tables/")
    assert main(["export", "here.parquet", "--to", "csv", "-o", "here.csv"]) == 0
    assert Path("again.csv").read_bytes() == Path("here.csv").read_bytes()


@pytest.mark.slow
def test_a_server_repairs_the_same(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    _table(capsys, "2,4,2,5", "-o", "old.parquet", "--server", server.url)
    with httpx.Client(base_url=server.url) as http:
        listed = http.get("/v1/tables", params={"search": '"seed":11'}).json()["tables"]
    table = next(one["id"] for one in listed if one["topology"] == "dfly(2,4,2,5)")
    Path("down.json").write_text('{"links": [[2, 1], [0, 1]]}')
    options = ["--without", "down.json", "--traffic", "shift(1,0)", "--confirmation", "200,200,0.1"]
    there = ["repair", table, *options, "--server", server.url]
    assert main(["repair", "old.parquet", *options, "-o", "here.parquet", "--json"]) == 0
    here = json.loads(capsys.readouterr().out)
    assert main([*there, "-o", "there.parquet", "--json"]) == 0
    captured = capsys.readouterr()
    assert _without_timings(json.loads(captured.out)) == _without_timings(here)
    assert Path("there.parquet").read_bytes() == Path("here.parquet").read_bytes()
    lines = captured.err.splitlines()
    assert lines[0].startswith(f"tvlb: the server computes it: {server.url}/v1/jobs/")
    assert lines[-1] == "table written to there.parquet"
    # Its job is a job like others, and has a table.
    job = lines[0].rpartition("/")[2]
    assert main(["jobs", job, "--server", server.url, "-o", "again.parquet"]) == 0
    assert "the new table" in capsys.readouterr().out
    assert Path("again.parquet").read_bytes() == Path("here.parquet").read_bytes()
    assert main([*there, "-o", "known.csv"]) == 0
    captured = capsys.readouterr()
    assert captured.err.startswith(f"tvlb: the server knows it already: {server.url}/v1/repairs/")
    assert read_table("known.csv").id == here["table_id"]


@pytest.mark.parametrize(
    ("table", "options", "named"),
    [
        ("old.parquet", [], "table: 'old.parquet' is no id: 64 digits 0..9 and a..f"),
        ("0" * 64, [], f"there is no table or forwarding table or repair {'0' * 64}"),
        ("0" * 64, ["--workers", "2"], "--workers with --server"),
        ("0" * 64, ["--routing", "min"], "'min'"),
        ("0" * 64, ["--traffic", "own.csv"], "there is no table or forwarding table or repair 0"),
    ],
)
def test_a_repair_that_no_server_can_do(
    table: str,
    options: list[str],
    named: str,
    server: Server,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("down.json").write_text('{"links": [[0, 1]]}')
    Path("own.csv").write_text("# level=switch\nsrc,dst,rate\n0,2,1\n")
    ask = ["repair", table, "--without", "down.json", "-o", "t.csv", "--server", server.url]
    assert main([*ask, *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tvlb: error: ")
    assert named in line


@pytest.mark.slow
def test_a_server_searches_the_same_front(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = [
        "table", "1,2,2,3", "--objective", "front", "--budget", "0", "--traffic", "type2(seed=1)",
        "--traffic", "shift( 1,0):2", "--patterns", "1", "--data-points", "1", "--screening",
        "200,200,0.05", "--confirmation", "200,200,0.05", "--json", "-o", "t.csv",
    ]  # fmt: skip
    documents: list[dict[str, Any]] = []
    for folder, where in (("here", ["--workers", "1"]), ("there", ["--server", server.url])):
        Path(folder).mkdir()
        with contextlib.chdir(folder):
            assert main([*ask, *where]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert _without_timings(documents[0]) == _without_timings(documents[1])
    files = sorted(path.name for path in Path("here").iterdir())
    assert len(files) == 2 + len(documents[0]["search"]["front"])
    for name in files:
        assert Path("there", name).read_bytes() == Path("here", name).read_bytes(), name


@pytest.mark.slow
def test_the_summary_is_the_same(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["table", "1,2,2,3", *_QUICK, "--server", server.url, "--plot", "t.svg"]
    assert main(options) == 0
    printed = capsys.readouterr().out
    assert "Step 1: modelled throughput on dfly(1,2,2,3)" in printed
    assert "Use the table of " in printed or "Keep conventional UGAL" in printed
    assert Path("t.svg").exists()


_BAD = [
    (["--workers", "2"], "--workers"),
    (["--compact"], "--compact"),
    (["--store", "kept"], "--store"),
    (["--finalists", "2"], "finalists 2 has no meaning"),
    (["--token-file", "missing"], "missing"),
    (["--token-file", "wired.json"], "one word"),
    (["--server", "127.0.0.1:8080"], "127.0.0.1:8080"),
    (["--server", "http://me:secret@host"], "no user"),
    (["--routing", "min"], "'min'"),
    (["--patterns", "0"], "'0'"),
    (["--finalists", "1000"], "1000"),
    (["--screening", "1,2,3"], "grid 3"),
    (["--confirmation", "100,100000000,0.0001"], "422"),
]


@pytest.mark.parametrize(("options", "named"), _BAD, ids=str)
def test_bad_input(
    options: list[str], named: str, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["table", "2,4,2,5", "--server", server.url, *options, "-o", "t.csv"]) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert line.startswith("tvlb: error: ")
    assert named in line
    assert "secret" not in line
    assert captured.out == ""
    assert not Path("t.csv").exists()


def test_a_token_file_is_for_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "2,4,2,5", "--token-file", "wired.json"]) == 2
    assert "--token-file is for --server only" in capsys.readouterr().err


_OWN = "# level=switch\nsrc,dst,rate\n0,4,1\n2, 5,0.5\n"


def _answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    for name in ("build_seconds", "solve_seconds"):
        answer.pop(name, None)
    if "router" in answer:
        # What the server takes, it fills in first.
        assert answer.pop("config")["vc_scheme"] == "won"
        answer["rows"] = [[run["accepted"], run["latency_mean"]] for run in answer["rows"]]
    return answer


@pytest.mark.parametrize("ask", [["simulate", "--load", "0.2", "--cycles", "500"], ["model"]])
def test_a_server_knows_our_matrix_and_our_table(
    ask: list[str], server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    _table(capsys, "wired.json", "-o", "t.parquet", "--server", server.url)
    Path("own.csv").write_text(_OWN)
    command, *options = ask
    asked = [command, "wired.json", "--vlb", "t.parquet", "--pattern", "own.csv", *options]
    here = _answer(capsys, *asked)
    there = _answer(capsys, *asked, "--server", server.url)
    assert here == there
    assert (here["path_set"], here["pattern"]) == ("t.parquet", "own.csv")
    assert main([*asked, "--server", server.url]) == 0
    assert "wired.json" in capsys.readouterr().out


@pytest.mark.slow
def test_a_server_searches_for_our_matrix(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("own.csv").write_text(_OWN)
    ask = [
        "table", "wired.json", "--budget", "0", "--traffic", "own.csv:3", "--traffic", "uniform",
        "--patterns", "1", "--data-points", "1", "--screening", "200,200,0.05", "--confirmation",
        "200,200,0.05",
    ]  # fmt: skip
    assert main([*ask, "-o", "here.parquet"]) == 0
    assert main([*ask, "-o", "there.parquet", "--server", server.url]) == 0
    assert Path("there.parquet").read_bytes() == Path("here.parquet").read_bytes()
    Path("own.csv").write_text("# level=switch\nsrc,dst,rate\n0,4\n")
    assert main([*ask, "-o", "there.parquet", "--server", server.url]) == 2
    assert "own.csv: line 3: expected src,dst,rate, got '0,4'" in capsys.readouterr().err


def test_a_server_does_not_know_every_table(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    table, _ = _table(capsys, "wired.json", "--seed", "99", "-o", "t.parquet")
    ask = ["simulate", "wired.json", "--load", "0.1", "--vlb", "t.parquet", "--server", server.url]
    assert main(ask) == 2
    assert f"there is no table {table['table']['id']}" in capsys.readouterr().err


_STUDY = (
    "stability", "wired.json", "--vcs", "ladder", "--vcs", "reuse:4", "--cycles", "100000",
    "--seed", "3", "--until-collapse", "--json",
)  # fmt: skip


def test_a_server_studies_the_same(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*_STUDY, "--workers", "1"]) == 0
    here = json.loads(capsys.readouterr().out)
    assert main([*_STUDY, "--server", server.url]) == 0
    captured = capsys.readouterr()
    said = captured.err.splitlines()
    assert said[0].startswith(f"tvlb: the server computes it: {server.url}/v1/jobs/")
    assert "tvlb: stability 200/200 thousand cycles, 2 of 2 runs" in said
    there = captured.out
    assert _without_cpu_time(json.loads(there)) == _without_cpu_time(here)

    assert main([*_STUDY, "--server", server.url]) == 0
    captured = capsys.readouterr()
    assert captured.out == there
    assert captured.err.startswith(f"tvlb: the server knows it already: {server.url}/v1/stabil")
    job = said[0].rpartition("/")[2]
    assert main(["jobs", job, "--server", server.url]) == 0
    assert "never low" in capsys.readouterr().out


def _without_cpu_time(study: dict[str, Any]) -> dict[str, Any]:
    for case in study["stability"]:
        for run in case["runs"]:
            del run["cpu_seconds"]
    return study


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--workers", "1"], "--workers"),
        (["--executor", "dask", "--scheduler", "127.0.0.1:1"], "--executor"),
        (["--store", "kept"], "--store"),
        (["--pattern", "wired.csv"], "wired.csv"),
        (["--vcs", "ladder:3"], "vc_count 3 is too few"),
        (["--routing", "table"], "table"),
        (["--seeds", "1001"], "1001"),
    ],
    ids=str,
)
def test_a_study_that_no_server_can_do(
    options: list[str], named: str, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*_STUDY, "--server", server.url, *options]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("tvlb: error: ")
    assert named in line
    assert not Path("kept").exists()


def test_nobody_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "2,4,2,5", "--server", _NOBODY]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"tvlb: error: cannot reach {_NOBODY}: ")


def test_tokens(
    guarded: tuple[Server, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server, token = guarded
    ask = ["table", "1,2,2,3", *_QUICK, "--server", server.url]
    assert main(ask) == 2
    assert "a bearer token is needed" in capsys.readouterr().err
    monkeypatch.setenv("TVLB_TOKEN", token[:-1] + ("A" if token[-1] != "A" else "B"))
    assert main(ask) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "401 Unauthorized: the token is unknown, expired or revoked" in line
    # The file counts more than the environment.
    Path("token").write_text(f"{token}\n")
    assert main([*ask, "--token-file", "token"]) == 0
    monkeypatch.setenv("TVLB_TOKEN", token)
    assert main(ask) == 0
    assert token not in capsys.readouterr().err


def test_an_interrupted_wait_leaves_the_job(
    server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    long = ["--screening", "100000,100000,0.01", "--server", server.url, "-o", "t.parquet"]
    with subprocess.Popen(
        [sys.executable, "-m", "tvlb", "table", "2,4,2,5", *_QUICK, *long],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            begun = next(line for line in process.stderr if "the server computes it: " in line)
            job = begun.rstrip().rpartition(" ")[2]
            # Whatever else is said of a server that is slow to answer.
            assert "tvlb: probe begins\n" in process.stderr
            process.send_signal(signal.SIGINT)
            errors = process.stderr.read()
            process.wait()
        finally:
            process.kill()
    assert process.returncode == 130
    name = job.rpartition("/")[2]
    assert errors.splitlines()[-3:] == [
        f"tvlb: the job goes on: tvlb jobs {name} --server {server.url} -o t.parquet",
        f"tvlb: to cancel it: tvlb jobs {name} --server {server.url} --cancel",
        "tvlb: interrupted",
    ]
    assert not Path("t.parquet").exists()
    with httpx.Client(timeout=60) as http:
        # A worker without a sign of life for seconds gives its job back, so that it may be queued.
        assert http.get(job).json()["status"] in ("queued", "running")
        assert main(["jobs", name, "--server", server.url, "--cancel"]) == 0
        assert "table of dfly(2,4,2,5): " in capsys.readouterr().out
        # The events end with the job.
        assert "pieces of work are kept" in http.get(f"{job}/events").text
        assert http.get(job).json()["status"] == "cancelled"
    assert main(["jobs", name, "--server", server.url]) == 130
    assert f"{job} was cancelled" in capsys.readouterr().err


def test_a_job_is_found_again(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    _, said = _table(capsys, "1,2,2,3", "-o", "t.csv", "--server", server.url, "--seed", "12")
    assert "the server computes it: " in said
    assert main(["jobs", "--server", server.url, "--json"]) == 0
    newest = json.loads(capsys.readouterr().out)[0]
    assert (newest["kind"], newest["status"]) == ("table", "succeeded")
    label = f"{server.url}/v1/jobs/{newest['id']}"
    assert httpx.patch(label, json={"label": "[ada]"}).is_success
    assert main(["jobs", "--server", server.url]) == 0
    listed = capsys.readouterr().out
    assert newest["id"] in listed
    assert "[ada]" in listed
    assert main(["jobs", newest["id"], "--server", server.url]) == 0
    captured = capsys.readouterr()
    assert "table written to dfly-1-2-2-3.parquet" in captured.err
    assert "With 95% confidence, all these intervals hold at once" in captured.out
    assert main(["export", "dfly-1-2-2-3.parquet", "--to", "csv", "-o", "here.csv"]) == 0
    assert Path("here.csv").read_bytes() == Path("t.csv").read_bytes()


def test_the_name_of_a_sweep_stays_text(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    body = {"name": "[red]two[/red] [/b]", "topologies": ["2,4,2,5", "2,4,2,9"]}
    job = httpx.post(f"{server.url}/v1/sweeps", json=body, timeout=60).json()["id"]
    assert main(["jobs", job, "--server", server.url, "--cancel"]) == 0
    assert capsys.readouterr().out.startswith("sweep of [red]two[/red] [/b]: ")
