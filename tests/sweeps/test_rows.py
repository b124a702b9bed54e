"""Rows of a sweep: figures by hand, nulls, files."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

import copy
import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.made_verdict import with_verdict
from tvlb.designs import Bill
from tvlb.documents import VERSION
from tvlb.errors import InvalidInput
from tvlb.requests import TableBody, example, request_key
from tvlb.sweeps.columns import columns_of
from tvlb.sweeps.row_files import row_schema, write_rows
from tvlb.sweeps.rows import Row, failed_row, succeeded_row
from tvlb.topology import Dragonfly, families
from tvlb.topology.dragonfly import Wiring

COLUMNS = columns_of(["dfly"])
NAMES = [column.name for column in COLUMNS]
BODY = TableBody(topology="2,4,2,5", method="paper", patterns=4, finalists=1, seed=7).resolved()
KEY = request_key(BODY)


def document(**changes: Any) -> dict[str, Any]:
    """Return a document with one candidate, which was chosen."""
    made = example("table")
    name = made["decision"]["expression"]
    made["candidates"] = [one for one in made["candidates"] if one["expression"] == name]
    return made | changes


def row(made: dict[str, Any], body: TableBody = BODY) -> Row:
    return succeeded_row(3, KEY, body, made)


def set_figures(simulated: dict[str, Any], *figures: tuple[float, float | None]) -> None:
    simulated["per_pattern"] = [
        {"pattern": f"type2(seed={seed})", "saturation": saturation, "latency": latency}
        for seed, (saturation, latency) in enumerate(figures)
    ]
    simulated["saturation_mean"] = sum(one for one, _ in figures) / len(figures)


def numbers(made: Row, *names: str) -> list[float]:
    values = [made[name] for name in names]
    assert all(isinstance(value, float) for value in values)
    return [float(value) for value in values if value is not None]


def test_every_column_is_there_in_order() -> None:
    assert list(row(document())) == NAMES
    assert list(failed_row(0, KEY, BODY, "no")) == NAMES
    assert len(set(NAMES)) == len(NAMES)


def test_no_column_tells_a_time_a_host_or_a_date() -> None:
    slow = document()
    slow["timings"] = dict.fromkeys(slow["timings"], 99.0)
    slow["provenance"] = slow["provenance"] | {"python": "9.9.9"}
    assert row(slow) == row(document())


def test_the_request() -> None:
    made = row(document())
    assert (made["point"], made["key"], made["status"], made["error"]) == (
        3,
        KEY,
        "succeeded",
        None,
    )
    assert (made["routing"], made["seed"]) == ("ugal-l", 7)
    options = made["options"]
    assert isinstance(options, str)
    read = json.loads(options)
    assert read["finalists"] == 1
    assert read.keys() == TableBody.model_fields.keys() - {"topology", "routing", "seed"}
    assert options == json.dumps(read, sort_keys=True, separators=(",", ":"))


def test_what_is_paid() -> None:
    body = TableBody(topology="2,4,2,5").resolved()
    made = succeeded_row(3, KEY, body, document(), Bill("EUR", 8000.0, 500.0))
    assert (made["currency"], made["cost"], made["watts"]) == ("EUR", 8000.0, 500.0)
    # 40 nodes; a node accepts 0.4 flits a cycle with all VLB paths.
    assert made["cost_per_node"] == 200.0
    assert numbers(made, "cost_per_flit_all") == pytest.approx([200 / 0.4])
    assert numbers(made, "cost_per_flit_chosen") == pytest.approx(
        [200 / number for number in numbers(made, "saturation_chosen")]
    )
    failed = failed_row(3, KEY, body, "no", Bill("EUR", 8000.0, None))
    assert (failed["cost_per_node"], failed["watts"], failed["cost_per_flit_all"]) == (
        200.0, None, None,
    )  # fmt: skip
    assert row(document())["cost"] is None


def test_sizes_and_costs() -> None:
    # dfly(2,4,2,5): 20 switches of 2+3+2 ports; 5 groups of 6 local cables; 20*2/2 global cables,
    # 2 for each of the 10 group pairs.
    assert {name: row(document())[name] for name in NAMES[4:21]} == {
        "topology": "dfly(2,4,2,5)",
        "arrangement": "absolute",
        "p": 2,
        "a": 4,
        "h": 2,
        "g": 5,
        "links_per_pair": 2.0,
        "links_per_pair_min": 2,
        "links_per_pair_max": 2,
        "radix": 7,
        "nodes": 40,
        "switches": 20,
        "global_cables": 20,
        "local_cables": 30,
        "cables": 50,
        "switches_per_node": 0.5,
        "cables_per_node": 1.25,
    }


@pytest.mark.parametrize("arrangement", ["absolute", "palmtree"])
def test_sizes_are_those_of_the_network(arrangement: str) -> None:
    """Also for failed points, and where global ports are left over."""
    body = TableBody(topology=f"dfly(3,4,2,4,{arrangement})").resolved()
    network = Dragonfly(3, 4, 2, 4, arrangement)
    assert network.unconnected_ports > 0
    made = failed_row(0, request_key(body), body, "no")
    assert made["topology"] == str(network)
    assert made["global_cables"] == len(network.cables)
    assert made["cables"] == network.num_links / 2
    assert made["nodes"] == network.num_nodes
    # 8 global ports of a group for 3 others: 2 links each.
    assert made["links_per_pair"] == 2.0
    assert (made["links_per_pair_min"], made["links_per_pair_max"]) == (2, 2)


def test_a_network_given_by_its_cables() -> None:
    links = ((0, 2), (1, 3), (0, 4), (2, 5), (3, 5))
    wiring = Wiring(p=1, a=2, h=2, g=3, links=links)
    made = failed_row(0, KEY, TableBody(topology=wiring).resolved(), "no")
    assert (made["topology"], made["arrangement"]) == ("dfly(1,2,2,3,file)", "file")
    # Five cables for three group pairs.
    assert made["links_per_pair"] == 5 / 3
    assert (made["links_per_pair_min"], made["links_per_pair_max"]) == (1, 2)
    assert made["global_cables"] == 5


@pytest.mark.usefixtures("toys")
def test_networks_of_other_families(tmp_path: Path) -> None:
    made = failed_row(0, KEY, TableBody(topology="ring(5,2)"), "no")
    assert (made["topology"], made["switches"], made["nodes"], made["cables"]) == (
        "ring(5,2)",
        5,
        10,
        5,
    )
    assert (made["switches_per_node"], made["cables_per_node"]) == (0.5, 0.5)
    own = {"p", "a", "h", "g", "arrangement", "radix", "links_per_pair", "global_cables"}
    assert not own & made.keys()
    write_rows(COLUMNS, [dict.fromkeys(NAMES) | made, row(document())], tmp_path)
    read: Any = pq.read_table(tmp_path / "results.parquet")
    assert read["p"].to_pylist() == [None, 2]
    assert [read.schema.field(name).nullable for name in ("p", "nodes")] == [True, False]


def test_a_slim_fly() -> None:
    # 2 * 25 switches of (3 * 5 - 1) / 2 = 7 links; 2 * 5 columns of 5 cables, 5^3 cross cables.
    made = failed_row(0, KEY, TableBody(topology="slimfly(5,3,3)"), "no")
    names = ["p", "q", "degree", "radix", "nodes", "switches", "global_cables", "local_cables"]
    assert [made[name] for name in names] == [3, 5, 7, 10, 150, 50, 125, 50]
    assert not {"a", "h", "g", "arrangement", "links_per_pair"} & made.keys()
    usual = failed_row(0, KEY, TableBody(topology="slimfly(5,min=single)"), "no")
    assert [usual[name] for name in ("p", "q", "radix")] == [4, 5, 11]


def test_what_failures_leave_has_the_columns_of_its_family() -> None:
    failures = {"network": "dfly(2,4,2,5)", "without": {"links": [[0, 1]]}}
    made = failed_row(0, KEY, TableBody.model_validate({"topology": failures}), "no")
    assert list(made) == NAMES
    assert {made[name] for name in ("p", "a", "h", "g", "radix", "arrangement")} == {None}


def test_columns_that_families_share_say_what_each_means_by_them() -> None:
    texts = {column.name: column.description for column in columns_of(["dfly", "slimfly"])}
    assert texts["radix"] == (
        "dfly: Ports of a switch, p+a-1+h. slimfly: Ports of a switch, degree+p."
    )
    assert texts["p"] == "Compute nodes per switch."
    alone = {column.name: column.description for column in columns_of(["slimfly"])}
    assert alone["radix"] == "Ports of a switch, degree+p."


def test_modelled_and_simulated_figures_are_those_of_the_document() -> None:
    read = document()
    chosen = read["probe"][0] | {"expression": "short(<=4)", "theta_sem": None}
    read["strategic"].append(chosen)
    made = row(read)
    conventional = next(one for one in read["probe"] if one["expression"] == "all")
    assert made["theta_chosen"] == chosen["theta_mean"]
    assert made["theta_chosen_sem"] is None
    assert made["theta_all"] == conventional["theta_mean"]
    assert made["verdict"] == "higher saturation throughput"
    assert (made["saturation_chosen"], made["saturation_all"]) == pytest.approx((0.448, 0.4))
    assert made["latency_all_sem"] == read["baseline"]["latency_sem"]
    # Theta of `all` is of four patterns, its latency of five: t(3) = 3.182446, t(4) = 2.776445.
    half = 3.182446 * conventional["theta_sem"]
    assert numbers(made, "theta_all_low", "theta_all_high") == pytest.approx(
        [conventional["theta_mean"] - half, conventional["theta_mean"] + half]
    )
    mean, half = made["latency_all"], 2.776445 * read["baseline"]["latency_sem"]
    assert numbers(made, "latency_all_low", "latency_all_high") == pytest.approx(
        [mean - half, mean + half]
    )
    assert made["theta_chosen_low"] is None
    assert (made["programs"], made["flit_hops"]) == (152, 9557999)
    assert made["local_usage_after"] == read["balance"]["local"]["after"]
    assert (made["table_id"], made["version"]) == (read["table"]["id"], "0.1.0")


def test_gains_are_those_of_the_verdict() -> None:
    read = document()
    made, judgements = row(read), read["verdict"]["judgements"]
    (expected,) = [one for one in judgements if one["expression"] == made["chosen"]]
    for name, change in (
        ("saturation_gain", expected["saturation"]),
        ("latency_change", expected["latency"][0]),
    ):
        mean, half = change["mean"], change["half_width"]
        for prefix in ("", "best_"):
            names = (f"{prefix}{name}{end}" for end in ("", "_low", "_high"))
            assert numbers(made, *names) == [mean, mean - half, mean + half]
    assert made["verdict"] == read["verdict"]["verdict"] == expected["verdict"]
    assert made["vct_saturation_gain"] is None


def test_gains_on_the_second_router_have_columns_of_their_own() -> None:
    read = document()
    second = copy.deepcopy(read["verdict"]["judgements"])
    for judgement in second:
        judgement["saturation"] = {"mean": 0.05, "half_width": 0.02}
        judgement["latency"][0] = {"mean": -0.01, "half_width": None}
    read["verdict"]["on_vct"] = second
    made = row(read)
    names = [
        f"vct_{name}{end}"
        for name in ("saturation_gain", "latency_change")
        for end in ("", "_low", "_high")
    ]
    assert [made[one] for one in names] == pytest.approx([0.05, 0.03, 0.07, -0.01, None, None])
    assert made["saturation_gain"] == row(document())["saturation_gain"]


def test_saturation_has_an_interval_no_narrower_than_the_grid() -> None:
    read = document()
    read["candidates"][0]["windows"]["grid"] = 0.03
    set_figures(read["baseline"], (0.20, 50.0), (0.30, 60.0))
    set_figures(read["candidates"][0], (0.25, 49.0), (0.25, 59.0))
    made = row(with_verdict(read))
    # t(1) = 12.7062; loads 0.2 and 0.3 have deviation 0.0707, equal ones that of a uniform error.
    for name, mean, deviation in (("all", 0.25, 0.1 / math.sqrt(2)), ("chosen", 0.25, 0.00866025)):
        half = 12.7062 * deviation / math.sqrt(2)
        assert numbers(made, f"saturation_{name}_low", f"saturation_{name}_high") == pytest.approx(
            [mean - half, mean + half], rel=1e-4
        )


def test_figures_that_do_not_exist_are_null() -> None:
    read = document()
    set_figures(read["baseline"], (0.0, None), (0.0, 50.0))
    set_figures(read["candidates"][0], (0.1, 45.0), (0.1, None))
    made = row(with_verdict(read))
    # Half a step of 0.02 stands for less than the first load.
    assert numbers(made, "saturation_gain") == pytest.approx([9.0])
    # No pattern has the latency of both.
    assert made["latency_change"] is None
    assert made["best_latency_change_high"] is None


def test_method_path_set_and_balancing() -> None:
    made = row(document())
    assert (made["method"], made["objective"]) == ("paper", "saturation")
    assert (made["chosen"], made["path_set"], made["balancing"]) == (
        "short(<=4)",
        "short(<=4)",
        "removal",
    )
    assert made["found"] is None
    assert made["found_saturation_gain_over_all"] is None


def searched(**changes: Any) -> Row:
    body = TableBody(topology="2,4,2,5", objective="front").resolved()
    return row(copy.deepcopy(example("search")) | changes, body)


def judgement(against: str) -> dict[str, Any]:
    read = example("search")
    chosen = read["decision"]["expression"]
    return next(
        one
        for one in read["verdict"]["judgements"]
        if (one["expression"], one["against"]) == (chosen, against)
    )


@pytest.mark.parametrize(("against", "rival"), [("all", "all"), ("short(2,3)", "published")])
def test_what_a_search_found_is_held_against_what_was_known(against: str, rival: str) -> None:
    made = searched()
    expected = judgement(against)
    assert (made["method"], made["objective"]) == ("search", "front")
    assert made["found"] == made["chosen"] == expected["expression"]
    for name, change in (
        ("saturation_gain", expected["saturation"]),
        # At the lower load, which is the reference load.
        ("latency_change", expected["latency"][0]),
    ):
        names = (f"found_{name}_over_{rival}{end}" for end in ("", "_low", "_high"))
        mean, half = change["mean"], change["half_width"]
        assert numbers(made, *names) == pytest.approx([mean, mean - half, mean + half])


def test_the_best_answer_is_told_where_another_set_was_chosen() -> None:
    kept = {"expression": "all", "replaces_all": False, "reason": "no gain"}
    made = searched(decision=kept)
    best = max(example("search")["search"]["front"], key=lambda one: one["saturation_mean"])
    assert (made["chosen"], made["found"]) == ("all", best["expression"])
    assert made["saturation_gain"] == 0.0
    assert made["found_saturation_gain_over_all"] is not None


def test_what_was_not_compared_is_null() -> None:
    verdict = example("search")["verdict"]
    for one in verdict["judgements"]:
        one["saturation"]["half_width"] = None
        one["latency"][0] = None
    made = searched(verdict=verdict)
    assert made["found_saturation_gain_over_all"] is not None
    assert made["found_saturation_gain_over_all_low"] is None
    assert made["found_latency_change_over_published"] is None
    # The published set itself was found: it is held against no other.
    rivals = [one for one in verdict["judgements"] if one["against"] == "all"]
    made = searched(verdict=verdict | {"judgements": rivals})
    assert made["found"] is not None
    assert made["found_saturation_gain_over_all"] is not None
    assert made["found_saturation_gain_over_published"] is None


def kept() -> dict[str, Any]:
    """Return a document in which the conventional set was kept."""
    read = document(decision={"expression": "all", "replaces_all": False, "reason": "no gain"})
    set_figures(read["baseline"], (0.20, 50.0), (0.30, 60.0))
    set_figures(read["candidates"][0], (0.21, 49.0), (0.31, 59.0))
    better = copy.deepcopy(read["candidates"][0]) | {"expression": "short(2,3)"}
    set_figures(better, (0.22, 51.0), (0.33, 61.0))
    screened = copy.deepcopy(better) | {"expression": "<=5", "confirmed": False}
    set_figures(screened, (0.9, 40.0), (0.9, 40.0))
    read["candidates"] += [better, screened]
    return with_verdict(read)


def test_a_conventional_set_that_was_kept_gains_nothing_over_itself() -> None:
    made = row(kept())
    assert (made["chosen"], made["replaces_all"], made["verdict"]) == ("all", False, "undecided")
    assert made["saturation_chosen"] == made["saturation_all"]
    for name in ("saturation_gain", "latency_change"):
        assert [made[name], made[f"{name}_low"], made[f"{name}_high"]] == [0.0, 0.0, 0.0]


def test_the_best_is_confirmed_even_if_it_was_not_chosen() -> None:
    made = row(kept())
    assert (made["best"], made["confirmed_candidates"]) == ("short(2,3)", 2)
    # Changes of 10% both, and of 2% and 1.67%.
    assert numbers(made, "best_saturation_gain") == pytest.approx([0.1])
    assert numbers(made, "best_latency_change") == pytest.approx([(1 / 50 + 1 / 60) / 2])


def test_without_candidates_there_is_no_best() -> None:
    made = row(with_verdict(kept() | {"candidates": []}))
    assert made["verdict"] == "not measured, for want of candidates"
    assert [made[name] for name in NAMES if name.startswith("best")] == [None] * 7
    assert made["confirmed_candidates"] == 0
    assert made["saturation_gain"] == 0.0


def test_a_failed_point_keeps_what_was_asked_for() -> None:
    made = failed_row(5, KEY, BODY, "the solver \udcff gave up")
    assert (made["status"], made["error"]) == ("failed", "the solver ? gave up")
    asked = {column.name for column in COLUMNS if column.always} | {"error"}
    assert {name for name, value in made.items() if value is not None} == asked
    assert made["version"] == VERSION


def test_a_foreign_document_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"of dfly\(2,4,2,5\), the request of dfly\(2,4,2,9\)"):
        row(document(), TableBody(topology="2,4,2,9").resolved())
    with pytest.raises(InvalidInput, match=r"point 3: no document of a table: .*decision"):
        row({name: value for name, value in document().items() if name != "decision"})


ROWS = [row(kept()), failed_row(1, KEY, BODY, 'a "quoted", long\r\nproblem')]


def test_parquet_holds_the_rows(tmp_path: Path) -> None:
    write_rows(COLUMNS, ROWS, tmp_path)
    read: Any = pq.read_table(tmp_path / "results.parquet")
    assert read.to_pylist() == ROWS
    assert read.schema.equals(row_schema(COLUMNS), check_metadata=True)
    assert not read.schema.field("key").nullable
    assert read.schema.field("latency_all").metadata[b"unit"] == b"cycles"


def test_csv_reads_back_exactly(tmp_path: Path) -> None:
    write_rows(COLUMNS, ROWS, tmp_path)
    text = (tmp_path / "results.csv").read_bytes().decode()
    assert text.startswith("point,key,status,error,topology,")
    assert text.count("\r\n") == len(ROWS) + 2
    first, second = csv.DictReader(io.StringIO(text, newline=""))
    assert second["error"] == ROWS[1]["error"]
    assert first["replaces_all"] == "false"
    for column in COLUMNS:
        value = ROWS[0][column.name]
        if value is None:
            assert first[column.name] == ""
        elif isinstance(value, float):
            assert float(first[column.name]) == value


def test_equal_rows_give_equal_files(tmp_path: Path) -> None:
    contents: list[list[bytes]] = []
    for name in ("first", "second"):
        directory = tmp_path / name
        directory.mkdir()
        write_rows(COLUMNS, copy.deepcopy(ROWS), directory)
        contents.append([path.read_bytes() for path in sorted(directory.iterdir())])
    assert contents[0] == contents[1]
    assert len(contents[0]) == 2


def test_rows_with_other_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="point 0: column 'hosts' is missing or unknown"):
        write_rows(COLUMNS, [failed_row(0, KEY, BODY, "no") | {"hosts": 3}], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_manual_has_every_column() -> None:
    manual = Path(__file__).parents[2] / "docs" / "sweep-results.md"
    lines = [line for line in manual.read_text().splitlines() if line.startswith("| `")]
    assert lines == [
        f"| `{column.name}` | {column.type} | {column.unit} | {column.description} |"
        for column in columns_of(families())
    ]
