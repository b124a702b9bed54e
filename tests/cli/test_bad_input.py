"""Bad input: exit code 2, one line on stderr that names the value, nothing on stdout, no work."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from tvlb.cli import main
from tvlb.cli.app import app


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "malformed.json").write_text('{"p": 2, "a": 4')
    (tmp_path / "wrong.json").write_text('{"p": 2, "a": 4, "h": 2, "g": "9", "links": []}')
    (tmp_path / "bad.csv").write_text("# level=node\nsrc,dst,rate\n0,1,nan\n")
    (tmp_path / "garbage.parquet").write_bytes(b"PAR1 this is no table")
    (tmp_path / "folder.parquet").mkdir()
    (tmp_path / "front.front-2.csv").mkdir()


CASES = [
    (["table", "4,8,4,34"], "g=34"),
    (["table", "4,0,4,9"], "a '0' is out of range"),
    (["table", "4,8,4,2"], "g=2"),
    (["table", "4,8,4"], "4,8,4"),
    (["table", "4,8,4,9,spiral"], "spiral"),
    (["table", "999999999,8,4,9999999999"], "out of range"),
    (["table", "missing.json"], "missing.json"),
    (["table", "malformed.json"], "malformed.json"),
    (["table", "wrong.json"], "g"),
    (["table", "2,4,2,5", "-o", "nowhere/t.parquet"], "nowhere"),
    (["table", "2,4,2,5", "-o", "t.txt"], ".txt"),
    (["table", "2,4,2,5", "-o", "folder.parquet"], "folder.parquet"),
    (["table", "2,4,2,5", "-o", "/proc/t.parquet"], "/proc"),
    (["table", "2,4,2,5", "--plot", "fig.doc"], ".doc"),
    (["table", "2,4,2,5", "--tolerance", "nan"], "tolerance"),
    (["table", "2,4,2,5", "--tolerance", "1.5"], "1.5"),
    (["table", "2,4,2,5", "--routing", "min"], "min"),
    (["table", "2,4,2,5", "--patterns", "0"], "'0'"),
    (["table", "2,4,2,5", "--workers", "0"], "workers 0"),
    (["table", "2,4,2,5", "--seed", "-1"], "-1"),
    (["table", "2,4,2,5", "--seed", "x"], "x"),
    (["table", "2,4,2,5", "--no-such-option"], "no-such-option"),
    (["table", "1,90,1,91,palmtree"], "pairs of switches"),
    (["table", "2,4,2,5", "--screening", "1000"], "1000"),
    (["table", "2,4,2,5", "--screening", "1000,0,0.01"], "--screening 1000,0,0.01: measured 0"),
    (["table", "2,4,2,5", "--confirmation", "1000,100,0.5"], "grid 0.5"),
    (["table", "2,4,2,5", "--confirmation", "1000,100,0.00005"], "grid 5e-05"),
    (["table", "2,4,2,5", "--confirmation", "200000000,100,0.01"], "warmup 200000000"),
    (["balance", "2,4,2,5", "--floor-paths", str(10**25)], "--floor-paths 1"),
    (["export", "t.json", "--to", "csv", "-o", "s.csv", "--full", "--switch", "1"], "--full"),
    (["table", "2,4,2,5", "--finalists", "0"], "finalists 0"),
    (["table", "2,4,2,5", "--finalists", "2"], "no meaning for method search"),
    (["table", "2,4,2,5", "--method", "random"], "'random': choose one of search, paper"),
    (["table", "2,4,2,5", "--method", "paper", "--objective", "front"], "objective front"),
    (["table", "2,4,2,5", "--method", "paper", "--budget", "small"], "budget small"),
    (["table", "2,4,2,5", "--method", "paper", "--traffic", "uniform"], "traffic uniform"),
    (["table", "2,4,2,5", "--traffic", "step(uniform,50,0.2)"], "step(uniform,50,0.2) changes"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--interval", "0"], "interval 0"),
    (
        ["simulate", "2,4,2,5", "--load", "0.1", "--cycles", "99999999", "--interval", "9"],
        "interval 9: a run of up to 100,049,999 cycles has more than 1,000,000",
    ),
    (["model", "2,4,2,5", "--pattern", "step(uniform,50,0.2)"], "step(uniform,50,0.2) changes"),
    (["model", "2,4,2,5", "--pattern", "step(step(uniform,9,1),50,0.2)"], "'step' is not"),
    (["model", "hyperx(2,3,3)", "--pattern", "advc"], "advc is no pattern of hyperx(2,3,3)"),
    (["table", "2,4,2,5", "--objective", "speed"], "unknown objective 'speed'"),
    (["table", "2,4,2,5", "--objective", "latency@0"], "0.001..1"),
    (["table", "2,4,2,5", "--budget", "huge"], "budget 'huge'"),
    (["table", "2,4,2,5", "--budget", "-1"], "budget '-1'"),
    (["table", "2,4,2,5", "--budget", "nan"], "budget 'nan'"),
    (["table", "2,4,2,5", "--traffic", "tornado"], "tornado"),
    (["table", "2,4,2,5", "--traffic", "uniform:0"], "shares are above 0"),
    (["table", "2,4,2,5", "--traffic", "shift(5,0)"], "5"),
    (["table", "2,4,2,5", "--traffic", "bad.csv:2"], "line 3"),
    (["table", "2,4,2,5", "--traffic", "uniform", "--traffic", "uniform:2"], "named twice"),
    (["table", "2,4,2,5", "--traffic", "uniform", "--simulated-patterns", "3"], "with traffic"),
    (["table", "2,4,2,5", "--compact", "-o", "t.json"], "--no-balance or --method paper"),
    (["table", "2,4,2,5", "--objective", "front", "-o", "front.csv"], "front.front-2.csv"),
    (["table", "2,4,2,5", "--store", "bad.csv"], "bad.csv"),
    (["table", "2,4,2,5", "--data-points", "40"], "--data-points 40"),
    (["table", "2,4,2,5", "--simulated-patterns", "1"], "--simulated-patterns 1"),
    (["model", "2,4,2,5", "--vlb", "<=9"], "<=9"),
    (["model", "2,4,2,5", "--vlb", "<=4+0%"], "0%"),
    (["model", "2,4,2,5", "--vlb", "<=4+(1,2)"], "add up to 5"),
    (["model", "2,4,2,5", "--vlb", "longest"], "longest"),
    (["model", "2,4,2,5", "--vlb", "shape(g.g:0)"], "'g.g:0': weights are 1e-9 to 1e9"),
    (["model", "2,4,2,5", "--vlb", "shape(g.g) & shape(gl.g)"], "no shape in common"),
    (["balance", "2,4,2,5", "--vlb", "none & <=4"], "none cannot meet other sets"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--vlb", "<=4 & t.json"], "t.json is a saved table"),
    (["model", "2,4,2,5", "--vlb", "garbage.parquet"], "garbage.parquet"),
    (["model", "2,4,2,5", "--pattern", "tornado"], "tornado"),
    (["model", "2,4,2,5", "--pattern", "shift(5,0)"], "5"),
    (["model", "2,4,2,5", "--pattern", "shift(1,0"], "shift(1,0"),
    (["model", "2,4,2,5", "--pattern", "mixed(75,75,shift(1,0))"], "75"),
    (["model", "2,4,2,5", "--pattern", "bad.csv"], "line 3"),
    (["model", "2,4,2,5", "--solver", "simplex"], "simplex"),
    (["model", "2,4,2,5", "--solver", "pulp:NONE"], "NONE"),
    (["model", "2,4,2,5", "--export", "model.xyz"], ".xyz"),
    (["simulate", "2,4,2,5"], "--load"),
    (["simulate", "2,4,2,5", "--load=-0.1"], "-0.1"),
    (["simulate", "2,4,2,5", "--load", "nan"], "nan"),
    (["simulate", "2,4,2,5", "--load", "0.1,1.2"], "1.2"),
    (["simulate", "2,4,2,5", "--load", "0.1:0.2"], "START:STOP:STEP"),
    (["simulate", "2,4,2,5", "--load", "0.3:0.1:0.1"], "has no loads"),
    (["simulate", "2,4,2,5", "--load", "0:1:5e-324"], "has over 1000 loads"),
    (["simulate", "2,4,2,5", "--load", "0:1:0"], "has no loads"),
    (["simulate", "2,4,2,5", "--load", "0:1:0.0001"], "has over 1000 loads"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--seeds", "0"], "1..1000"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--traces", "-1"], "traces -1"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--traces", "3"], "add --json"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--seeds", "2", "--seed", str(2**63 - 1)], "2^63-1"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--warmup", "soon"], "soon"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--warmup", "detect:"], "detect:"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--warmup", "-5"], "-5"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--figure", "f.bmp"], ".bmp"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--buffer", "0"], "buffer"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--cycles", "0"], "cycles"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--vcs", "free"], "free"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--routing", "valiant"], "valiant"),
    (["simulate", "2,4,2,5", "--load", "0.1", "--routing", "vlb", "--vlb", "none"], "vlb"),
    (["probe", "2,4,2,5", "--workers", "-3"], "-3"),
    (["balance", "2,4,2,5", "--local-threshold", "0.5"], "0.5"),
    (["balance", "1,90,1,91,palmtree"], "50,000,000"),
    (["balance", "1,90,1,91,palmtree", "--method", "weights"], "50,000,000"),
    (["balance", "2,4,2,5", "--method", "both"], "both"),
    (["balance", "2,4,2,5", "--method", "weights", "--rounds", "0"], "rounds 0"),
    (["balance", "2,4,2,5", "--method", "weights", "--floor-paths", "3"], "--method removal"),
    (["balance", "2,4,2,5", "--step", "0.1"], "--method weights"),
    (["show", "absent.parquet"], "absent.parquet"),
    (["show", "garbage.parquet"], "garbage.parquet"),
    (["show", "table.xls"], ".xls"),
    (["verify", "garbage.parquet"], "garbage.parquet"),
    (["export", "garbage.parquet", "--to", "xls", "-o", "t.xls"], "xls"),
    (["export", "garbage.parquet", "--to", "csv", "-o", "t.json"], "t.json"),
    (["plot", "absent.json", "-o", "f.svg"], "absent.json"),
    (["plot", "malformed.json", "-o", "f.svg"], "malformed.json"),
    (["plot", "wrong.json", "-o", "f.svg"], "nothing to draw"),
    (["store", "gc", "--older-than", "30", "--data", "."], "one of h, d, w"),
    (["store", "gc", "--max-size", "10 gigs", "--data", "."], "one of kB, MB, GB, TB, KiB"),
    (["jobs", "--cancel"], "name it"),
    (["jobs", "0" * 32, "-o", "t.txt"], ".txt"),
    (["frobnicate"], "frobnicate"),
]


@pytest.mark.parametrize(("arguments", "named"), CASES, ids=lambda value: str(value)[:60])
def test_bad_input(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len(lines) == 1, captured.err
    assert lines[0].startswith("tvlb: error: ")
    assert named in lines[0]
    assert sorted(tmp_path.iterdir()) == before


def test_process_exit_code_and_clean_stdout() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from tvlb.cli import main; raise SystemExit(main())", "table", "x"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1


def _numbers() -> list[tuple[str, str]]:
    """Every option of every command that is a number, and the words of its command."""
    group = get_group(app)
    context = group.make_context("tvlb", [], resilient_parsing=True)
    waiting: list[tuple[str, Any]] = [
        (name, group.get_command(context, name)) for name in group.list_commands(context)
    ]
    found: list[tuple[str, str]] = []
    while waiting:
        words, command = waiting.pop()
        below = getattr(command, "commands", {})
        waiting += [(f"{words} {name}", one) for name, one in below.items()]
        options = (one for one in command.params if one.param_type_name == "option")
        found += [
            (words, one.opts[0])
            for one in options
            if one.type_descriptor.annotation in (int, float)
        ]
    return found


@pytest.mark.parametrize(("words", "option"), _numbers())
def test_words_in_place_of_a_number_are_told_its_range(
    words: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words.split(), option, "many"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    told = re.search(r"'many' is not an? (integer|number): (.+)", shown.err)
    assert told is not None, shown.err
    # A range has an end, from the least value to the largest or to none.
    assert re.search(r"\d(\.\.| or more| to below )|above \d", told[2]), told[2]
