"""`tvlb table --method search`: what it writes, prints, keeps and finds again."""

import json
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.search.here import Inline, compute_here
from tvlb.cli import main
from tvlb.cli.table_summary import print_document
from tvlb.errors import InvalidInput
from tvlb.paths import UgalRule
from tvlb.requests import example
from tvlb.table import CompactTable, Table, read_table

QUICK = (
    "--patterns", "1", "--data-points", "1", "--budget", "0", "--screening", "200,200,0.05",
    "--confirmation", "200,200,0.05", "--workers", "1",
)  # fmt: skip
FRONT = (
    "table", "2,4,2,5", *QUICK, "--objective", "front", "--traffic", "type2(seed=1)",
    "--traffic", "shift(1,0)", "--seed", "2", "--search", "paths", "-o", "t.csv",
)  # fmt: skip


pytestmark = pytest.mark.usefixtures("table_here")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    assert main(list(arguments)) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what `FRONT` wrote, its document, and the store that it kept."""
    folder = tmp_path_factory.mktemp("front")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        compute_here(patch)
        with (folder / "t.json").open("w") as stream:
            patch.setattr("sys.stdout", stream)
            assert main([*FRONT, "--store", "kept", "--json"]) == 0
    return folder


def points(folder: Path) -> Sequence[dict[str, Any]]:
    return json.loads((folder / "t.front.json").read_text())["front"]


@pytest.mark.slow
def test_a_front_is_a_file_for_each_point(front: Path) -> None:
    document = json.loads((front / "t.json").read_text())
    listed = json.loads((front / "t.front.json").read_text())
    assert listed["topology"] == "dfly(2,4,2,5)"
    assert listed["loads"] == document["search"]["loads"]
    assert listed["provenance"] == document["provenance"]
    # Four rounds, in the order of the figures.
    assert listed["patterns"] == ["type2(seed=1)", "shift(1,0)"] * 4
    assert all(len(one["saturation"]) == 8 for one in listed["front"])
    assert len(listed["front"]) >= 2
    for number, (point, found) in enumerate(
        zip(listed["front"], document["search"]["front"], strict=True), 1
    ):
        assert point == {"file": f"t.front-{number}.csv", **found}
        table = read_table(front / point["file"])
        assert table.id == point["table_id"]
        assert table.header.expression == point["path_set"]
    assert read_table(front / "t.csv").id == document["table"]["id"]
    written = {path.name for path in front.glob("t.*")}
    numbers = range(1, len(listed["front"]) + 1)
    assert written == {"t.csv", "t.json", "t.front.json"} | {f"t.front-{i}.csv" for i in numbers}


def test_a_search_goes_on_from_what_is_kept(
    front: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = Inline()

    def workers(_: int) -> AbstractContextManager[Inline]:
        return nullcontext(executor)

    monkeypatch.setattr(import_module("tvlb.cli.table"), "local_workers", workers)
    kept = sorted(path for path in (front / "kept").rglob("*") if path.is_file())
    # As if the first search had been interrupted. The link keeps the number of the file in use.
    (front / "lost").hardlink_to(kept[0])
    kept[0].unlink()
    out, err = run(capsys, *FRONT, "--store", str(front / "kept"), "--json")
    assert [unit.key for unit in executor.computed] == [kept[0].name]
    assert kept[0].is_file()
    here, there = json.loads(out), json.loads((front / "t.json").read_text())
    assert here | {"timings": None} == there | {"timings": None}
    for path in front.glob("t.*csv"):
        assert Path(path.name).read_bytes() == path.read_bytes()
    assert Path("t.front.json").read_bytes() == (front / "t.front.json").read_bytes()
    lines = [line for line in err.splitlines() if line.startswith("table written to ")]
    assert [line.rpartition(" ")[2] for line in lines] == [
        "t.csv",
        *(point["file"] for point in points(front)),
        "t.front.json",
    ]


def test_the_summary_tells_what_was_found(front: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = run(capsys, *FRONT, "--store", str(front / "kept"))
    document = json.loads((front / "t.json").read_text())
    within = sum(one["within_tolerance"] for one in (*document["probe"], *document["strategic"]))
    assert f"{within} of 38 path sets, those within 8% of the best" in out
    assert "Judged on 8 runs of 2 given patterns, other seeds" in out
    assert "Changes, paired run by run; with 95% confidence, all intervals hold at once" in out
    assert "conventional UGAL" in out
    for line in ("short(2,3)", "published", "algorithm 1", "Front", "searched for front"):
        assert line in out, line
    for point in points(front):
        assert point["table_id"][:16] in out
    for sentence in document["verdict"]["text"]:
        assert sentence in out
    assert document["decision"]["expression"] in document["verdict"]["text"][0]
    # A budget of nothing is less than what a search begins with.
    assert "(budget 0; the sets to begin with are always simulated, and what has begun is" in (
        " ".join(out.split())
    )
    # Tables of a front that differ in their rule alone are told apart.
    document["search"]["front"][0]["ugal"] = asdict(UgalRule(queue="vc", threshold=8))
    assert ", queue vc, threshold 8" in summary(document).partition("Front")[2]
    document["search"]["budget"] = document["search"]["flit_hops"]
    assert f"(budget {document['search']['budget']:,})" in summary(document)
    assert "wall time: probe " in out
    # Nothing is cut off, and no line is longer than what it has to name.
    assert "…" not in out
    said = document["verdict"]["text"]
    assert max(len(line) for line in out.splitlines() if line.strip() not in said) <= 200


def summary(document: dict[str, Any]) -> str:
    console = Console(file=StringIO(), width=110)
    print_document(document, console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


SEARCHED = ("type2(seed=1)", "shift(1,0)", "uniform")


@pytest.mark.parametrize(
    ("judged", "told", "case"),
    [
        (SEARCHED, "3 given patterns, other seeds", "pattern"),
        # Searched weightiest first, judged in the order that was asked for.
        (SEARCHED[::-1] * 3, "9 runs of 3 given patterns, other seeds", "run"),
        (("uniform", "shift(1,0)", "shift(2,0)"), "3 held-out patterns", "pattern"),
    ],
)
def test_the_summary_says_what_sets_were_judged_on(
    judged: Sequence[str], told: str, case: str
) -> None:
    document = example("search")
    assert [one["pattern"] for one in document["search"]["traffic"]] == [*SEARCHED]
    document["baseline"]["per_pattern"] = [{"pattern": name} for name in judged]
    document["search"]["held_out"][0]["latency"][1][0] = None
    printed = summary(document)
    assert f" Judged on {told} " in printed
    assert f"(n): only n of the {case}s are not saturated at that load" in printed


def test_long_names_have_a_letter_in_the_tables_and_are_written_out_once() -> None:
    document = example("search")
    printed = summary(document)
    held_out = document["search"]["held_out"]
    name = next(one["path_set"] for one in held_out if len(one["path_set"]) > 24)
    chosen = document["decision"]["expression"]
    assert f"A = {name}\n" in printed
    # And in the sentence that says which to use.
    assert printed.count(name) == 1 + (name in chosen)
    weights = next(one["weights"] for one in held_out if one["expression"] == chosen)
    heaviest = max(weights, key=lambda shape: float(weights[shape]))
    assert f"weight of a path by its shape: {heaviest} {weights[heaviest]:g}, " in printed


def test_the_summary_tells_where_a_latency_is_missing() -> None:
    document = example("search")
    document["search"]["held_out"][0]["latency"][1][0] = None
    printed = summary(document)
    # Of nine runs.
    assert f"{document['search']['held_out'][0]['latency_mean'][1]:.1f} (8) " in printed
    assert "(n): only n of the runs are not saturated at that load" in printed


def test_named_traffic_is_what_tables_are_judged_on(capsys: pytest.CaptureFixture[str]) -> None:
    Path("own.csv").write_text("# level=switch\nsrc,dst,rate\n0,2,1\n2,4,1\n4,0,1\n")
    quick = (*QUICK, "--search", "paths")
    ask = ("table", "1,2,1,3", *quick, "--no-balance", "--traffic", "own.csv", "--traffic")
    out, _ = run(capsys, *ask, "uniform:3", "--store", "kept", "--json")
    document = json.loads(out)
    judged = [one["pattern"] for one in document["baseline"]["per_pattern"]]
    assert judged == ["own.csv", "uniform"] * 4
    searched = [(one["pattern"], one["share"]) for one in document["search"]["traffic"]]
    assert searched == [("uniform", 0.75), ("own.csv", 0.25)]
    assert document["provenance"]["parameters"]["traffic"] == ["own.csv:1", "uniform:3"]
    assert document["search"]["budget"] == 0
    assert all(one["balancing"] is None for one in document["search"]["held_out"])


@pytest.mark.slow
def test_compact_tables_of_a_search(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ("table", "1,2,1,3", *QUICK, "--traffic", "uniform", "--traffic", "shift(1,0)",
           "--no-balance", "--objective", "front", "--store", "kept")  # fmt: skip
    out, _ = run(capsys, *ask, "--compact", "-o", "c.json", "--json")
    document = json.loads(out)
    full, _ = run(capsys, *ask, "-o", "f.json", "--json")
    assert document["table"]["form"] == "compact"
    assert isinstance(read_table("c.json"), CompactTable)
    front, listed = document["search"]["front"], json.loads(full)["search"]["front"]
    for number, (point, other) in enumerate(zip(front, listed, strict=True), 1):
        compact = read_table(f"c.front-{number}.json")
        assert isinstance(compact, CompactTable)
        assert compact.id == point["table_id"] != other["table_id"]
        assert isinstance(read_table(f"f.front-{number}.json"), Table)
        assert (
            main(["export", f"c.front-{number}.json", "--to", "csv", "--full", "-o", "a.csv"]) == 0
        )
        assert main(["export", f"f.front-{number}.json", "--to", "csv", "-o", "b.csv"]) == 0
        assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


@pytest.mark.slow
def test_another_objective_writes_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    ask = ("--traffic", "uniform", "--traffic", "shift(1,0)", "--no-balance")
    quick = (*QUICK, "--search", "paths")
    given = ("table", "1,2,1,3", *quick, *ask, "--objective", "latency@0.2")
    run(capsys, *given, "-o", "t.csv")
    assert [path.name for path in Path().iterdir()] == ["t.csv"]
    # Nor does a store make a difference.
    run(capsys, *given, "-o", "u.csv", "--store", "kept")
    assert Path("u.csv").read_bytes() == Path("t.csv").read_bytes()


def test_a_network_that_saturates_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    # 16 nodes per switch on 2 cables: no load of the coarse grid is carried.
    windows = ("--screening", "100,100,0.1", "--confirmation", "100,100,0.1")
    out, _ = run(capsys, "table", "16,2,2,3", *QUICK, *windows, "--traffic", "shift(1,0)",
                 "--traffic", "type2(seed=1)", "--store", "kept", "--json")  # fmt: skip
    document = json.loads(out)
    assert document["baseline"]["saturation_mean"] == 0.0
    # So it is the latency of the runs that sustain the lower load by which sets are told apart.
    verdicts = {one["expression"]: one["comparison"] for one in document["candidates"]}
    assert {one["saturation"]["mean"] for name, one in verdicts.items() if name != "all"} == {0.0}
    decision = document["decision"]
    assert decision["replaces_all"]
    chosen = verdicts[decision["expression"]]
    # Saturation loads below the first of the grid may differ by any factor.
    assert chosen["verdict"] == "lower latency, saturation throughput undecided"
    latency = chosen["latency"][0]
    assert latency["mean"] + latency["half_width"] < 0


def test_a_long_search_says_first_what_it_takes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compute(*given: Any, **more: Any) -> None:
        raise InvalidInput("not now")

    monkeypatch.setattr("tvlb.cli.table._compute", compute)
    assert main(["table", "4,8,4,9", "-o", "t.parquet"]) == 2
    said, error = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"tvlb: about [0-9.]+ (s|min|h) of CPU time and [0-9,]+ MiB", said)
    assert error.endswith("not now")
    assert main(["table", "1,2,1,3", "--budget", "0", "-o", "t.parquet"]) == 2
    assert "CPU time" not in capsys.readouterr().err
