"""`tvlb sweep` and `tvlb store`, with worker processes and files."""

import csv
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.processes import until
from tests.search.here import compute_here
from tvlb.cli import main
from tvlb.errors import NoWorkers
from tvlb.requests.kinds import table
from tvlb.search import optimize

SWEEP = """
name = "two small ones"
topologies = ["1,2,1,3", "1,3,1,4"]

[options]
method = "paper"
patterns = 1
finalists = 1
data_points = 1
simulated_patterns = 2
screening = { warmup = 100, measured = 100, grid = 0.1 }
confirmation = { warmup = 100, measured = 100, grid = 0.1 }
"""
RESULTS = ("results.parquet", "results.csv", "report.html")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the sweep, its results and its store."""
    root = tmp_path_factory.mktemp("sweep")
    (root / "sweep.toml").write_text(SWEEP)
    with pytest.MonkeyPatch.context() as patch:
        compute_here(patch)
        assert main(sweep(root, root / "results", root / "data")) == 0
    return root


def sweep(root: Path, results: Path, data: Path, *more: str) -> list[str]:
    files = [str(root / "sweep.toml"), "-o", str(results), "--data", str(data)]
    return ["sweep", *files, "--workers", "1", *more]


def contents(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in RESULTS}


def test_results_lie_in_the_directory(place: Path) -> None:
    names = {path.name for path in (place / "results").iterdir()}
    assert names == {*RESULTS, "timings.parquet"}


@pytest.mark.slow
@pytest.mark.usefixtures("in_process")
def test_slim_flies_by_ranges(tmp_path: Path) -> None:
    generator = '[[generators]]\nfamily = "slimfly"\nq = "3..5"\nconstraints = ["radix <= 11"]\n'
    prices = "[prices]\nswitch = { per_port = 10 }\ncable = { local = 1, global = 2 }\n"
    options = SWEEP.partition("[options]")
    (tmp_path / "sweep.toml").write_text(generator + options[1] + options[2] + prices)
    assert main(sweep(tmp_path, tmp_path / "results", tmp_path / "data")) == 0
    with (tmp_path / "results" / "results.csv").open(newline="") as stream:
        rows = [*csv.DictReader(stream)]
    # Degrees 5, 6 and 7; q^2 (degree - q) local cables, q^3 global ones.
    names = ("topology", "status", "q", "p", "degree", "radix", "local_cables", "global_cables")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("slimfly(3)", "succeeded", "3", "3", "5", "8", "18", "27"),
        ("slimfly(4)", "succeeded", "4", "3", "6", "9", "32", "64"),
        ("slimfly(5)", "succeeded", "5", "4", "7", "11", "50", "125"),
    ]
    assert [float(row["cost"]) for row in rows] == [
        switches * 10 * radix + local + 2 * across
        for switches, radix, local, across in ((18, 8, 18, 27), (32, 9, 32, 64), (50, 11, 50, 125))
    ]
    for row in rows:
        assert 0 < float(row["theta_all"]) <= 1
        assert 0 < float(row["saturation_all"]) <= 1
    assert "arrangement" not in rows[0]


def test_another_run_computes_nothing_and_says_the_same(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("computed")

    monkeypatch.setattr(table, "optimize", never)
    assert main(sweep(place, tmp_path / "results", place / "data")) == 0
    assert contents(tmp_path / "results") == contents(place / "results")


@pytest.mark.slow
def test_more_workers_and_another_store_give_the_same_bytes(place: Path, tmp_path: Path) -> None:
    assert main(sweep(place, tmp_path / "r", tmp_path / "d", "--workers", "2")) == 0
    assert contents(tmp_path / "r") == contents(place / "results")


@pytest.mark.slow
def test_a_killed_sweep_goes_on(place: Path, tmp_path: Path) -> None:
    arguments = sweep(place, tmp_path / "results", tmp_path / "data")
    process = subprocess.Popen(
        [sys.executable, "-m", "tvlb", *arguments],
        stderr=subprocess.DEVNULL,
    )
    units = tmp_path / "data" / "units"

    def begun() -> bool:
        return len(list(units.glob("??/*"))) >= 10

    until(begun)
    process.kill()
    process.wait()
    before = {path: path.stat().st_ino for path in units.glob("??/[0-9a-f]*")}
    assert main(arguments) == 0
    assert contents(tmp_path / "results") == contents(place / "results")
    # A unit that is computed again is a new file.
    assert {path: path.stat().st_ino for path in before} == before


def test_a_dry_run_computes_nothing(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = sweep(place, tmp_path / "results", tmp_path / "data", "--dry-run", "--json")
    assert main(arguments) == 0
    plan = json.loads(capsys.readouterr().out)
    assert [point["request"]["topology"] for point in plan["points"]] == [
        "dfly(1,2,1,3)",
        "dfly(1,3,1,4)",
    ]
    assert plan["missing"] == 2
    total = sum(point["cost"]["cpu_seconds"] for point in plan["points"])
    assert plan["cpu_seconds"] == pytest.approx(total)
    assert not (tmp_path / "results").exists()
    assert main(sweep(place, place / "r", place / "data", "--dry-run", "--json")) == 0
    assert json.loads(capsys.readouterr().out)["missing"] == 0


@pytest.mark.usefixtures("in_process")
def test_a_failing_point_is_told_and_ends_with_1(
    place: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def one_fails(topology: Any, *rest: Any, **more: Any) -> Any:
        if topology.groups == 4:
            raise MemoryError("not enough")
        return optimize(topology, *rest, **more)

    monkeypatch.setattr(table, "optimize", one_fails)
    assert main(sweep(place, tmp_path / "results", tmp_path / "data", "--json")) == 1
    captured = capsys.readouterr()
    rows = json.loads(captured.out)["rows"]
    assert [(row["status"], row["error"]) for row in rows] == [
        ("succeeded", None),
        ("failed", "the memory did not suffice"),
    ]
    assert "1 of 2 points failed" in captured.err
    # The next run begins the point that failed, and finds the other.
    begun: list[int] = []

    def note(topology: Any, *_: Any, **__: Any) -> Any:
        begun.append(topology.groups)
        raise NoWorkers("that is all")

    monkeypatch.setattr(table, "optimize", note)
    assert main(sweep(place, tmp_path / "results", tmp_path / "data")) == 1
    assert begun == [4]


def test_a_sweep_without_workers_ends_with_1(
    place: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise NoWorkers("no worker can be had")

    monkeypatch.setattr(table, "optimize", gone)
    assert main(sweep(place, tmp_path / "results", tmp_path / "data")) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "tvlb: error: no worker can be had"


def test_a_sweep_can_be_interrupted(place: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tvlb", *sweep(place, tmp_path / "results", tmp_path / "data")],
        stderr=subprocess.PIPE,
        text=True,
    )
    units = tmp_path / "data" / "units"
    until(lambda: len(list(units.glob("??/*"))) >= 3)
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert complaint.splitlines()[-1] == "tvlb: interrupted"
    assert list((tmp_path / "results").iterdir()) == []


@pytest.mark.slow
def test_a_sweep_whose_store_is_deleted_ends_and_makes_no_other(
    place: Path, tmp_path: Path
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tvlb", *sweep(place, tmp_path / "results", tmp_path / "data")],
        stderr=subprocess.PIPE,
        text=True,
    )
    units = tmp_path / "data" / "units"
    until(lambda: len(list(units.glob("??/*"))) >= 3)
    # At once, unlike a deletion, which the sweep might write into.
    (tmp_path / "data").rename(tmp_path / "deleted")
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 1
    said = complaint.splitlines()[-1]
    assert said.startswith("tvlb: error: the store ")
    assert f"{tmp_path}/data" in said
    assert "is gone (No such file or directory): put it back, or start tvlb again" in said
    assert not (tmp_path / "data").exists()
    assert list((tmp_path / "results").iterdir()) == []


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--executor", "moon"), "--executor 'moon' is unknown; choose one of local, dask, slurm"),
        (("--executor", "dask"), "--executor dask needs --scheduler HOST:PORT"),
        (("--scheduler", "x:1"), "--scheduler is for --executor dask, not for local"),
        (
            ("--executor", "slurm", "--workers", "2"),
            "--workers is for --executor local, not for slurm",
        ),
        (("--slurm-wall-time", "60"), "--slurm-wall-time is for --executor slurm, not for local"),
        (
            ("--slurm-directive=--qos=x",),
            "--slurm-directive is for --executor slurm, not for local",
        ),
        (("-o", "notes"), "cannot write into notes: it is no directory"),
        (("-o", "taken"), "cannot write taken/report.html: it is a directory"),
    ],
)
def test_wrong_options_are_told_before_any_work(
    options: tuple[str, ...],
    complaint: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sweep.toml").write_text(SWEEP)
    Path("notes").touch()
    Path("taken", "report.html").mkdir(parents=True)
    assert main(["sweep", "sweep.toml", "--data", "data", *options]) == 2
    assert capsys.readouterr().err == f"tvlb: error: {complaint}\n"
    assert not Path("data").exists()


def test_a_wrong_file_is_told_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sweep.toml").write_text(SWEEP.replace("finalists", "finalist"))
    assert main(["sweep", "sweep.toml", "--data", "data"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("tvlb: error: sweep.toml:8: options.finalist")
    assert list(tmp_path.iterdir()) == [tmp_path / "sweep.toml"]


def _store(place: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any]]:
    def run(*arguments: str) -> tuple[int, Any]:
        code = main(["store", *arguments, "--data", str(place / "data"), "--json"])
        return code, json.loads(capsys.readouterr().out)

    return run


def test_the_store_is_listed_checked_and_cleaned(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _store(place, capsys)
    code, listed = run("ls")
    assert (code, len(listed["results"])) == (0, 2)
    assert {item["of"] for item in listed["results"]} == {
        "dfly(1,2,1,3) ugal-l",
        "dfly(1,3,1,4) ugal-l",
    }
    code, checked = run("verify")
    assert (code, checked["damaged"], checked["units"]) == (0, [], listed["units"])
    code, would = run("gc", "--unused-days", "0", "--dry-run")
    # What was written within the hour stays.
    assert (code, would["files"], would["units"]) == (0, 0, 0)
    code, would = run("gc", "--older-than", "2h", "--max-size", "1kB", "--dry-run")
    assert (code, would["results"], would["bytes"]) == (0, 0, 0)
    assert run("ls")[1] == listed


def test_damage_in_the_store_ends_with_1(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _store(place, capsys)
    unit = next((place / "data" / "units").glob("??/*"))
    sound = unit.read_bytes()
    unit.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    code, checked = run("verify")
    unit.write_bytes(sound)
    assert code == 1
    assert checked["damaged"] == [f"unit {unit.name}: its content does not match its digest"]
