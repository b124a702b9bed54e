"""The commands on small networks: JSON shapes, files, exit codes."""

import json
import signal
import statistics
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.processes import signalled
from tests.search.here import compute_here
from tvlb.cli import main
from tvlb.cli.terminal import progress_display
from tvlb.paths import parse_expression
from tvlb.processes import Progress
from tvlb.requests import request_kinds
from tvlb.table import CompactTable, Table, read_table, write_table
from tvlb.topology import Dragonfly


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None) -> None:
    monkeypatch.chdir(tmp_path)


def _json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_model_document(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(capsys, "model", "2,4,2,9", "--vlb", "<=4", "--pattern", "shift(1,0)")
    # Independent optimum of this LP; the bound is (8 + 1) / 16.
    assert document["theta"] == pytest.approx(0.545587, abs=1e-4)
    assert document["bound"] == pytest.approx(0.5625)
    assert document["primal_residual"] <= 1e-6
    assert document["relative_gap"] <= 1e-6
    assert {"status", "rows", "columns", "nonzeros", "build_seconds", "solve_seconds"} <= set(
        document
    )


def test_model_without_monotonicity_and_by_pulp(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("model", "2,4,2,9", "--vlb", "<=4", "--pattern", "shift(1,0)", "--no-monotone")
    direct = _json(capsys, *options)
    portable = _json(capsys, *options, "--solver", "pulp:HiGHS")
    assert direct["theta"] == pytest.approx(0.548706, abs=1e-4)
    assert portable["theta"] == pytest.approx(direct["theta"], abs=1e-6)


@pytest.mark.parametrize("suffix", [".lp", ".mps"])
def test_model_export(suffix: str) -> None:
    assert main(["model", "2,4,2,3", "--export", f"model{suffix}"]) == 0
    assert Path(f"model{suffix}").stat().st_size > 1000


def test_simulate_document(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(
        capsys, "simulate", "2,4,2,5", "--routing", "ugal-l", "--pattern", "shift(1,0)",
        "--load", "0.1,0.2", "--warmup", "1000", "--cycles", "500",
    )  # fmt: skip
    assert [row["load"] for row in document["rows"]] == [0.1, 0.2]
    assert {
        "load",
        "accepted",
        "latency_mean",
        "latency_p50",
        "latency_p99",
        "hops_mean",
        "vlb_share",
        "saturated",
        "flits",
        "flit_hops",
        "cycles",
        "cpu_seconds",
        "wall_seconds",
    } <= set(document["rows"][0])
    for row in document["rows"]:
        for name in ("switch_injected", "switch_accepted"):
            assert len(row[name]["by_switch"]) == 20
            assert row[name]["min"] < row["accepted"] < row[name]["max"]
        by_link = row["link_load"]["by_link"]
        assert max(by_link) == max(row["link_load"][kind]["max"] for kind in ("local", "global"))
        assert 0 < row["link_load"]["global"]["mean"] <= row["link_load"]["global"]["max"] <= 1
        assert row["series"]["cycle"][:2] == [0, 1000]
    assert "saturation_load" not in document


def test_simulate_saturation(capsys: pytest.CaptureFixture[str]) -> None:
    # MIN on shift(1,0): 8 nodes of a group share the k = 2 links to the next: 2/8 at most.
    document = _json(
        capsys, "simulate", "2,4,2,5", "--routing", "min", "--pattern", "shift(1,0)",
        "--saturation", "--warmup", "1000", "--cycles", "1000",
    )  # fmt: skip
    assert document["rows"] == []
    assert 0.15 <= document["saturation_load"] <= 0.25


def test_simulate_several_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("simulate", "2,4,2,5", "--pattern", "shift(1,0)", "--load", "0.05:0.15:0.05",
               "--warmup", "500", "--cycles", "500")  # fmt: skip
    document = _json(capsys, *options, "--seed", "7", "--seeds", "3", "--workers", "2")
    assert [row["load"] for row in document["rows"]] == [0.05, 0.1, 0.15]
    single = [_json(capsys, *options, "--seed", str(seed))["rows"][1] for seed in (7, 8, 9)]
    row = document["rows"][1]
    assert [run["seed"] for run in row["runs"]] == [7, 8, 9]
    assert [run["latency_mean"] for run in row["runs"]] == [one["latency_mean"] for one in single]
    mean = sum(one["latency_mean"] for one in single) / 3
    assert row["latency_mean"] == pytest.approx(mean)
    # Student's t with two degrees of freedom: 4.303.
    spread = statistics.stdev(one["latency_mean"] for one in single)
    assert row["latency_ci95"] == pytest.approx(4.303 * spread / 3**0.5, rel=1e-3)
    assert row["flits"] == sum(one["flits"] for one in single)
    assert row["saturated_runs"] == sum(one["saturated"] for one in single)
    assert row["saturated"] == (row["saturated_runs"] >= 2)
    assert (row["steady"], row["warmup_cycles"]) == (True, 500)


def test_simulate_saturation_by_seed(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(
        capsys, "simulate", "2,4,2,5", "--routing", "min", "--pattern", "shift(1,0)", "--seeds",
        "2", "--saturation", "--warmup", "1000", "--cycles", "1000",
    )  # fmt: skip
    assert len(document["saturation_by_seed"]) == 2
    assert document["saturation_load"] == pytest.approx(sum(document["saturation_by_seed"]) / 2)
    assert {run["seed"] for run in document["saturation_runs"]} == {0, 1}


def test_simulate_traces_and_detected_warmup(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(
        capsys, "simulate", "2,4,2,5", "--load", "0.1", "--warmup", "detect:9000", "--cycles",
        "2000", "--traces", "4",
    )  # fmt: skip
    (row,) = document["rows"]
    assert row["steady"]
    assert 2000 <= row["warmup_cycles"] < 9000
    assert len(row["traces"]) == 4
    assert row["traces"][0]["hops"][-1]["link"] == -1


def test_simulate_warns_below_the_credit_round_trip(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("simulate", "2,4,2,3", "--load", "0.1", "--warmup", "100", "--cycles", "100")
    assert main([*options, "--buffer", "8", "--json"]) == 0
    captured = capsys.readouterr()
    warnings = json.loads(captured.out)["warnings"]
    assert [text.split(" of ")[2].split()[0] for text in warnings] == ["local", "global"]
    assert all(f"tvlb: warning: {text}" in captured.err for text in warnings)
    assert "8 flits" in warnings[0]
    assert _json(capsys, *options, "--buffer", "35")["warnings"] == []


def test_simulate_draws_a_figure(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("simulate", "2,4,2,3", "--load", "0.1,0.2", "--warmup", "100", "--cycles", "200")
    assert main([*options, "--seeds", "2", "--figure", "loads.svg"]) == 0
    assert "95% confidence" in Path("loads.svg").read_text()
    assert main([*options, "--figure", "loads.bmp"]) == 2


@pytest.mark.parametrize("vlb", ["shape(g.?:2, lg.g)", "shape(g.?) & <=4", "<=4 & short(2,3)"])
def test_sets_by_shape_and_sets_that_meet(vlb: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--vlb", vlb.replace(" ", ""))
    assert _json(capsys, "model", "2,4,2,5", *options)["path_set"] == vlb
    assert _json(capsys, "balance", "2,4,2,5", *options)["path_set"] == vlb
    windows = ("--load", "0.1", "--warmup", "500", "--cycles", "500")
    document = _json(capsys, "simulate", "2,4,2,5", "--routing", "vlb", *options, *windows)
    assert document["path_set"] == vlb
    assert document["rows"][0]["accepted"] == pytest.approx(0.1, abs=0.02)


def test_verify_looks_at_second_decisions_of_the_routing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # Local-global-local twice; PAR has a local link before.
    write_table(
        CompactTable.from_set(parse_expression("all", Dragonfly(2, 4, 2, 5)), version="0"), "c.json"
    )
    assert _json(capsys, "verify", "c.json")["vcs_needed"] == 4
    assert _json(capsys, "verify", "c.json", "--routing", "ugal-l")["vcs_needed"] == 4
    assert _json(capsys, "verify", "c.json", "--routing", "par")["vcs_needed"] == 5
    assert main(["verify", "c.json", "--routing", "ugal"]) == 2
    assert "min, vlb, ugal-l, ugal-g, par" in capsys.readouterr().err


def test_verify_counts_the_pairs_of_the_nearest_shape(capsys: pytest.CaptureFixture[str]) -> None:
    # Switches of one group each: all 6 pairs take the only shape there is, g.g.
    base = parse_expression("shape(g.lgl)", Dragonfly(1, 1, 2, 3))
    write_table(Table.from_rows(base, base.all_rows(), version="0"), "t.json")
    write_table(CompactTable.from_set(base, version="0"), "c.json")
    for name in ("t.json", "c.json"):
        assert _json(capsys, "verify", name)["nearest_pairs"] == 6
        assert main(["verify", name]) == 0
        assert "nearest shape taken by: 6 switch pairs" in capsys.readouterr().out


def test_zero_load_gives_nulls_not_nan(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(capsys, "simulate", "2,4,2,3", "--load", "0", "--cycles", "100")
    assert document["rows"][0]["latency_mean"] is None


def test_balance_document(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(
        capsys, "balance", "2,4,2,3", "--vlb", "<=3", "--local-threshold", "1.4",
        "--floor-paths", "2",
    )  # fmt: skip
    # The hand-derived example of the balance tests: 1.5 before, 1 after.
    assert document["local"]["pair_max_before"] == pytest.approx(1.5)
    assert document["local"]["pair_max_after"] == pytest.approx(1.0)
    assert document["removed"] == 72
    assert document["method"] == "removal"


def test_balance_by_weights(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("balance", "2,4,2,5", "--vlb", "short(2,3)", "--method", "weights")
    document = _json(capsys, *options)
    assert document["method"] == "weights"
    assert document["removed"] == 0
    assert document["local"]["before"] > 1.2
    assert document["local"]["after"] < 1.01
    few = _json(capsys, *options, "--rounds", "2", "--step", "0.1", "--weight-floor", "0.5")
    assert few["local"]["after"] > document["local"]["after"]
    assert main(options) == 0
    assert "weights of 4,800 paths, 3.962 hops on average" in capsys.readouterr().out


def test_probe_of_one_pattern_has_no_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(capsys, "probe", "2,4,2,3", "--patterns", "1", "--workers", "1")
    assert document["half_width"] is None
    assert document["probe"][0]["theta_sem"] is None


def test_a_baseline_that_saturates_at_once_loses_nothing() -> None:
    # 16 nodes per switch on 2 cables: no load of the coarse grid is carried.
    assert (
        main(
            [
                "table", "16,4,2,3", "--method", "paper", "--patterns", "1", "--data-points", "1",
                "--finalists", "1", "--simulated-patterns", "2", "--screening", "100,100,0.1",
                "--confirmation", "100,100,0.1", "--workers", "1", "-o", "z.json",
            ]
        )
        == 0
    )  # fmt: skip
    assert read_table("z.json").topology.num_nodes == 192


def test_probe_document(capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(capsys, "probe", "2,4,2,3", "--patterns", "2", "--workers", "1")
    assert len(document["probe"]) == 31
    assert {
        "expression",
        "theta_mean",
        "theta_sem",
        "theta_low",
        "theta_up",
        "patterns",
        "mean_vlb_hops",
        "distance_to_cut",
    } <= set(document["probe"][0])


@pytest.fixture(scope="module")
def table_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table, JSON document and figure of one small search through the command line."""
    folder = tmp_path_factory.mktemp("table")
    arguments = (
        "table", "1,2,2,3", "--patterns", "2", "--budget", "0", "--data-points", "1",
        "--confirmation", "200,200,0.05", "--workers", "1", "-o", str(folder / "t.parquet"),
        "--plot", str(folder / "t.svg"), "--json",
    )  # fmt: skip
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(StringIO()) as printed,
        redirect_stderr(StringIO()) as said,
    ):
        compute_here(patch)
        assert main(arguments) == 0
    (folder / "t.json").write_text(printed.getvalue())
    first, second, *_ = said.getvalue().splitlines()
    assert first == "tvlb: probe begins"
    assert second.startswith("tvlb: probe 2/2")
    return folder / "t.parquet"


def test_table_writes_what_it_says(table_file: Path) -> None:
    document = json.loads(table_file.with_suffix(".json").read_text())
    table = read_table(table_file)
    assert table.id == document["table"]["id"]
    assert table.header.expression == document["table"]["expression"]
    assert len(table.columns) == document["table"]["paths"]
    assert table_file.with_suffix(".svg").read_text().startswith("<?xml")


def test_compact_tables_from_search_to_switch(capsys: pytest.CaptureFixture[str]) -> None:
    budget = (
        "--method", "paper", "--patterns", "2", "--screening", "200,200,0.05",
        "--confirmation", "300,300,0.05", "--finalists", "1", "--data-points", "2",
        "--simulated-patterns", "2", "--workers", "1",
    )  # fmt: skip
    document = _json(capsys, "table", "2,4,2,3", *budget, "--compact", "-o", "c.json")
    assert document["table"]["form"] == "compact"
    assert document["table"]["removed_by_balance"] == document["balance"]["removed"]
    assert document["provenance"]["parameters"]["screening"]["measured"] == 200
    assert len(document["baseline"]["per_pattern"]) == 2
    assert _json(capsys, "show", "c.json")["id"] == document["table"]["id"]
    assert _json(capsys, "verify", "c.json")["ok"]
    assert main(["table", "2,4,2,3", *budget, "-o", "f.csv"]) == 0
    assert main(["export", "c.json", "--to", "csv", "--full", "-o", "f2.csv"]) == 0
    assert Path("f.csv").read_bytes() == Path("f2.csv").read_bytes()
    capsys.readouterr()
    done = _json(capsys, "export", "c.json", "--to", "csv", "--switch", "5", "-o", "s.csv")
    rows = [line for line in Path("f.csv").read_text().splitlines() if line.startswith("5,")]
    found = [line for line in Path("s.csv").read_text().splitlines() if line.startswith("5,")]
    assert found == rows
    assert len(rows) == done["paths"] > 0
    assert main(["export", "c.json", "--to", "csv", "--switch", "12", "-o", "s.csv"]) == 2


def test_logs_say_where_a_long_stage_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("tvlb.cli.terminal.time.monotonic", lambda: now)
    with progress_display() as report:
        report(Progress("probe", 0, 9))
        now += 29.0
        report(Progress("probe", 1, 9))
        now += 2.0
        report(Progress("probe", 2, 9, "patterns"))
        report(Progress("probe", 3, 9))
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["tvlb: probe begins", "tvlb: probe 2/9 patterns"]


def test_verify_passes_on_its_own_table(
    table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(table_file)]) == 0
    assert "passed" in capsys.readouterr().out


def test_verify_names_a_virtual_channel_cycle(
    table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(table_file), "--vc-count", "1"]) == 1
    assert "routing deadlock" in capsys.readouterr().out


def test_verify_names_a_missing_pair(
    table_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(table_file), "--to", "csv", "-o", "t.csv"]) == 0
    lines = Path("t.csv").read_text().splitlines(keepends=True)
    first_pair = ",".join(lines[-2].split(",")[:2]) + ","
    Path("t.csv").write_text("".join(line for line in lines if not line.startswith(first_pair)))
    capsys.readouterr()
    assert main(["verify", "t.csv"]) == 1
    assert "missing" in capsys.readouterr().out


def test_verify_names_a_corrupted_path(
    table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = read_table(table_file)
    columns = {name: values.copy() for name, values in table.columns.arrays().items()}
    row = int((columns["first_link"] >= 0).argmax())
    columns["second_link"][row] = columns["first_link"][row]
    broken = Table(table.header, table.removed, type(table.columns)(**columns))
    write_table(broken, "broken.parquet")
    assert main(["verify", "broken.parquet"]) == 1
    out = capsys.readouterr().out
    assert "FAILED" in out
    assert str(columns["first_link"][row]) in out


def test_show_summary_and_pair(table_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = _json(capsys, "show", str(table_file))
    assert summary["topology"] == "dfly(1,2,2,3)"
    assert main(["show", str(table_file)]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "what others publish under this name is the arrangement consecutive" in told
    pair = _json(capsys, "show", str(table_file), "--pair", "0,3")
    assert pair["paths"]
    for path in pair["paths"]:
        assert path["switches"][0] == 0
        assert path["switches"][-1] == 3
        assert len(path["links"]) == path["hops"] == len(path["switches"]) - 1


def test_saved_table_is_a_path_set(table_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = _json(
        capsys, "simulate", "1,2,2,3", "--vlb", str(table_file), "--pattern", "shift(1,0)",
        "--load", "0.1", "--warmup", "200", "--cycles", "200",
    )  # fmt: skip
    assert document["path_set"] == str(table_file)


@pytest.mark.parametrize("output", [["-o", "n.json"], ["--output=./n.json"], ["-on.json"]])
def test_what_a_command_reads_is_not_replaced(
    output: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    network = '{"switches": 2, "endpoints": [1, 1], "links": [[0, 1]]}'
    Path("n.json").write_text(network)
    assert main(["static", "n.json", *output]) == 2
    assert "n.json is read, too, and would be lost: name another output" in capsys.readouterr().err
    assert Path("n.json").read_text() == network


def test_table_of_another_topology_is_refused(
    table_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", "2,4,2,3", "--vlb", str(table_file), "--load", "0.1"]) == 2
    assert "dfly(1,2,2,3)" in capsys.readouterr().err


@pytest.mark.slow
def test_plot_of_every_document(table_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    simulated = _json(
        capsys, "simulate", "2,4,2,3", "--load", "0.1,0.2", "--warmup", "200", "--cycles", "200"
    )
    balanced = _json(capsys, "balance", "2,4,2,3")
    Path("simulated.json").write_text(json.dumps(simulated))
    Path("balanced.json").write_text(json.dumps(balanced))
    for source in (table_file.with_suffix(".json"), "simulated.json", "balanced.json"):
        assert main(["plot", str(source), "-o", "figure.svg"]) == 0
        first = Path("figure.svg").read_bytes()
        assert main(["plot", str(source), "-o", "figure.svg"]) == 0
        assert Path("figure.svg").read_bytes() == first
    assert main(["plot", "simulated.json", "./simulated.json", "-o", "figure.svg"]) == 0
    both = Path("figure.svg").read_text()
    assert "./simulated.json: ugal-l, all" in both
    assert "./simulated.json: dfly(2,4,2,3), uniform" in both
    assert main(["plot", "simulated.json", "balanced.json", "-o", "figure.svg"]) == 2
    assert "the results have no figure in common" in capsys.readouterr().err


_LOST = """
import os, signal, sys, time
from tvlb.cli import main
class Ends:
    def __del__(self):
        os.kill(os.getpid(), signal.SIG%s)
        time.sleep(0.01)
main(["--version"])
try:
    Ends()
    time.sleep(20)
except KeyboardInterrupt:
    sys.exit(7)
"""


@pytest.mark.parametrize("name", ["INT", "TERM"])
def test_no_interrupt_is_lost_in_a_finaliser(name: str) -> None:
    command = [sys.executable, "-c", _LOST % name]
    ended = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert ended.returncode == 7, ended.stderr


def test_interrupt_ends_with_130_and_leaves_no_file(tmp_path: Path) -> None:
    output = str(tmp_path / "t.parquet")
    code, errors = signalled("table", "4,8,4,9", "-o", output, after="tvlb: probe begins")
    assert code == 130
    assert errors.splitlines()[-1] == "tvlb: interrupted"
    assert list(tmp_path.iterdir()) == []


_TELLS_WHEN_PATHS_ARE_LISTED = """
import sys
from sim_bridge import sampling
from tvlb.cli import main

listed = sampling._listed

def told(*given):
    print("listing begins", file=sys.stderr, flush=True)
    return listed(*given)

sampling._listed = told
raise SystemExit(main())
"""


# 57 million paths, which are within what is listed and take seconds.
@pytest.mark.slow
def test_an_interrupt_ends_a_long_list_of_paths(tmp_path: Path) -> None:
    ring = tmp_path / "ring.txt"
    cables = [f"{one} {(one + 1) % 11}" for one in range(11) for _ in range(4)]
    ring.write_text("\n".join(["# endpoints 1", *cables]))
    asked = ("simulate", str(ring), "--vlb", "short(all) & <=9", "--load", "0.1")
    program = ("-c", _TELLS_WHEN_PATHS_ARE_LISTED)
    assert signalled(*asked, after="listing begins", program=program) == (
        130,
        "tvlb: interrupted\n",
    )


def test_damaged_table_is_no_path_set(table_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(table_file), "--to", "csv", "-o", "t.csv"]) == 0
    lines = Path("t.csv").read_text().splitlines(keepends=True)
    lines[-2] = ",".join([*lines[-2].split(",")[:-1], "nan\n"])
    Path("t.csv").write_text("".join(lines))
    capsys.readouterr()
    assert main(["simulate", "1,2,2,3", "--vlb", "t.csv", "--load", "0.1"]) == 2
    assert "t.csv is damaged: the weight is not positive" in capsys.readouterr().err
    # It may still be written in another format, to be looked at.
    assert main(["export", "t.csv", "-o", "t.json"]) == 0
    assert "warning: t.csv is damaged: the weight is not positive" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "options"),
    [(signal.SIGINT, ["--load", "0.1,0.2"]), (signal.SIGTERM, ["--saturation"])],
)
def test_signals_end_a_long_simulation_at_once(number: int, options: list[str]) -> None:
    after = "tvlb: simulate begins" if "--load" in options else "saturation begins"
    asked = ("simulate", "2,4,2,9", *options, "--warmup", "90000000")
    code, errors = signalled(*asked, after=after, number=number)
    assert (code, errors) == (130, "tvlb: interrupted\n")


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("tvlb ")
    assert main(["--help"]) == 0
    assert "simulate" in capsys.readouterr().out
    assert main(["table", "--help"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Words are explained by docs/tutorial.md and the glossary" in told


def test_every_kind_of_request_has_a_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for kind in request_kinds().values():
        assert kind.forms[0].compute.__module__ == f"tvlb.requests.kinds.{kind.command}"
    # Without a module of its own in the command line.
    monkeypatch.setattr("tvlb.cli.app._COMMANDS", dict[str, tuple[str, str]]())
    assert main(["model", "2,4,2,5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["topology"] == "dfly(2,4,2,5)"
