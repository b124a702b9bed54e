"""Packets that draw their whole path by the rates of a split, at the source."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy

from sim_bridge import (
    Scenario,
    SimulationConfig,
    VctConfig,
    VctScenario,
    simulate,
)
from sim_bridge.conversion import core_network
from tvlb.cli import main
from tvlb.documents import plain
from tvlb.errors import InvalidInput
from tvlb.forwarding import route
from tvlb.guarantee import static
from tvlb.paths import parse_expression, sender_pairs
from tvlb.table import ForwardingTable, SplitTable, write_table
from tvlb.topology import Failures, Listing, Topology, as_topology, parse_topology, without
from tvlb.traffic import parse_pattern

QUICK = SimulationConfig(warmup_cycles=500, measured_cycles=4000)
CONFIGS = (QUICK, VctConfig(500, 4000))
DRAWS = 3000


@cache
def split_of(text: str, **more: Any) -> SplitTable:
    return static(text, **more).table


def scenario(table: SplitTable, pattern: str = "uniform", seed: int = 0) -> Scenario:
    paths = parse_expression("all", table.topology)
    split = table.weighted_paths("s")
    return Scenario(table.topology, "static", paths, parse_pattern(pattern), seed, split)


def any_rates(topology: Topology) -> SplitTable:
    """Return a split of some rates for every class that a pair has; pairs differ."""
    table = SplitTable.of(
        parse_expression("all", topology), 0, ("1", "2", "3"), _ones(topology, 3), floor=0, hops=0
    )
    minimal, detours = table.routes(*sender_pairs(topology))
    assert not len(detours)
    there = np.zeros((len(minimal.source), 3))
    there[minimal.pair_of_row, minimal.hops - 1] = 1.0
    shares = there * (1.0 + np.arange(len(there))[:, np.newaxis] % (2.0, 3.0, 5.0))
    shares /= shares.sum(axis=1, keepdims=True)
    return SplitTable.of(
        parse_expression("all", topology), 0, ("1", "2", "3"), shares, floor=0, hops=0
    )


def _ones(topology: Topology, classes: int) -> Any:
    return np.ones((len(sender_pairs(topology)[0]), classes))


def degraded() -> Topology:
    whole = parse_topology("dfly(2,4,2,3)")
    return without(whole, Failures(links=((0, 1), tuple(whole.network.cables(1)[0].tolist()))))


def listed() -> Topology:
    links = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [0, 1], [1, 3]]
    listing = {"switches": 4, "endpoints": [2, 1, 0, 1], "links": links}
    return Listing.model_validate(listing).build()


@pytest.mark.parametrize(
    "table",
    [
        split_of("dfly(2,4,2,3)", hops=1.9),
        split_of("hyperx(2,3,3)"),
        static(listed()).table,
        any_rates(parse_topology("dfly(2,4,2,3)")),
        any_rates(degraded()),
    ],
    ids=lambda one: str(one.topology)[:30],
)
def test_paths_are_drawn_as_often_as_the_split_says(table: SplitTable) -> None:
    source, target = sender_pairs(table.topology)
    rows = table.weighted_paths("s").rows(source, target)
    found, _ = scenario(table).samplers(core_network(table.topology), lambda: (source, target))
    names = np.stack([rows.intermediate, rows.first_link, rows.second_link], axis=1).tolist()
    chance = 1.0
    for pair in range(0, len(source), max(1, len(source) // 4)):
        mine = slice(*rows.offset[pair : pair + 2])
        place = {tuple(name): at for at, name in enumerate(names[mine])}
        count = np.zeros(len(place))
        for number in range(DRAWS):
            drawn = found[0].draw(int(source[pair]), int(target[pair]), 1, number)
            assert drawn is not None
            count[place[drawn]] += 1
        if len(count) > 1:
            chance = min(chance, scipy.stats.chisquare(count, DRAWS * rows.weight[mine]).pvalue)
    assert chance > 1e-3


def loads_expected(table: SplitTable, load: float) -> Any:
    """Load of every link under uniform traffic, which has a node send to itself, too."""
    nodes = table.topology.switch_nodes
    source, target = sender_pairs(table.topology)
    return (load * nodes[source] * nodes[target] / nodes.sum()) @ table.crossing


@pytest.mark.parametrize("config", CONFIGS, ids=["iq", "vct"])
def test_links_carry_what_the_split_gives_them(config: Any) -> None:
    table, load = split_of("dfly(2,4,2,3)", hops=1.9), 0.2
    run_of: Any = simulate
    run = run_of(table.topology, routing="static", table=table, load=load, config=config)
    expected = loads_expected(table, load)
    size = getattr(config, "packet_phits", 1)
    deviation = np.sqrt(np.maximum(expected, 1e-3) * size / config.measured_cycles)
    assert np.all(np.abs(run.link_load - expected) < 4.5 * deviation)
    detours = table.rates[:, [not name.isdigit() for name in table.header.classes]].sum(axis=1)
    assert run.vlb_share == pytest.approx(detours.mean(), abs=0.02)
    assert "with" not in repr(run)


def test_traced_packets_take_paths_with_a_rate() -> None:
    table = split_of("dfly(2,4,2,3)", hops=1.9)
    network, topology = table.topology.network, table.topology
    run = simulate(
        topology,
        routing="static",
        table=table,
        load=0.1,
        config=replace(QUICK, traced_packets=200),
    )
    rows = table.weighted_paths("s").rows(*sender_pairs(topology))
    ends = np.append(network.link_target, -1)
    visited = np.column_stack([rows.source[rows.pair_of_row], ends[rows.links()]])
    known = {tuple(one for one in path if one >= 0) for path in visited.tolist()}
    taken = {tuple(hop.switch for hop in trace.hops) for trace in run.traces}
    assert len(taken) > 50
    assert {path for path in taken if len(path) > 1} <= known


def test_a_split_sustains_nearly_its_floor_under_any_traffic() -> None:
    table = split_of("dfly(2,4,2,3)")
    assert table.header.floor == pytest.approx(0.75, abs=1e-4)
    for pattern in ("uniform", "shift(1,0)", "permutation(derangement,seed=3)"):
        run = scenario(table, pattern).run(0.6, replace(QUICK, measured_cycles=2500))
        assert run.saturated is False


def test_equal_seeds_give_equal_bytes_on_any_number_of_threads() -> None:
    table = split_of("hyperx(2,3,3)")

    def told(seed: int, threads: int) -> Any:
        run = scenario(table, seed=seed).run(0.3, QUICK, threads=threads)
        return [plain(one) for one in run.records()], run.link_load.tobytes()

    def figures(seed: int, threads: int = 1) -> Any:
        (row,), loads = told(seed, threads)
        times = ("cpu_seconds", "wall_seconds", "threads")
        return {name: one for name, one in row.items() if name not in times}, loads

    assert figures(1) == figures(1, threads=2)
    assert figures(1)[1] != figures(2)[1]


def test_too_few_virtual_channels_are_told_or_refused() -> None:
    table = split_of("dfly(2,4,2,3)")
    asked = scenario(table)
    assert not any("deadlock" in one for one in asked.warnings(QUICK))
    (told,) = (one for one in asked.warnings(replace(QUICK, vc_count=1)) if "deadlock" in one)
    assert told.startswith("the routes of s can deadlock by won on 1 VC: ")
    uniform = parse_pattern("uniform")
    case = VctScenario(table.topology, "static", uniform, table=table.weighted_paths("s"))
    assert case.resolved(VctConfig()).vc_count == 6
    with pytest.raises(InvalidInput, match="vc_count 5 is too few: ladder needs at least 6 here"):
        case.resolved(VctConfig(vc_count=5))


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table, network = split_of("hyperx(2,3,3)"), as_topology("hyperx(2,3,3)")
    write_table(table, "s.parquet")
    write_table(ForwardingTable.of(route(network).forwarding, "psssp"), "f.parquet")
    write_table(replace(table, rate=table.rate * 0.9), "damaged.parquet")
    half = table.header.model_copy(update={"expression": "<=3"})
    write_table(replace(table, header=half), "half.parquet")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--routing", "static"], "routing static needs a split table: give --table"),
        (["--router", "vct", "--routing", "static"], "routing static needs a split table: give"),
        (["--routing", "static", "--table", "f.parquet"], "f.parquet is a forwarding table, where"),
        (["--routing", "table", "--table", "s.parquet"], "s.parquet is a split table, where a for"),
        (["--table", "s.parquet"], "table is of routing table or static, not of ugal-l"),
        (["--router", "vct", "--table", "s.parquet"], "table is of routing static, not of min"),
        (["--vlb", "s.parquet"], "s.parquet is a split table, which gives no VLB paths"),
        (["--routing", "static", "--table", "damaged.parquet"], "is damaged: rates do not sum to"),
        (["--routing", "static", "--table", "half.parquet"], " of the packets from switch "),
        (["--routing", "static", "--table", "s.parquet", "--vlb", "<=3"], "vlb <=3 has no meaning"),
        (["--routing", "static", "--table", "s.parquet", "--queue", "vc"], "queue vc is of the ro"),
        (
            ["--routing", "static", "--table", "s.parquet", "--router", "vct", "--threshold", "3"],
            "threshold 3 is of the routings ugal-l, ugal-g or par, not of static",
        ),
        (
            ["--routing", "static", "--table", "s.parquet", "--decide", "each-attempt"],
            "decide each-attempt: the routes of routing static are fixed",
        ),
        (["--routing", "static", "--table", "s.parquet", "--vcs", "layer"], "vcs layer is of rou"),
        (["--router", "vct-fog", "--table", "s.parquet"], "is of router iq, vct; router vct-fog"),
    ],
)
def test_bad_input_is_told_in_a_line(
    arguments: list[str], said: str, files: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", "hyperx(2,3,3)", *arguments, "--load", "0.1", "--workers", "1"]) == 2
    (line,) = [one for one in capsys.readouterr().err.splitlines() if "error" in one]
    assert said in line


def test_a_split_of_another_network_is_refused(
    files: None, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--routing", "static", "--table", "s.parquet", "--load", "0.1"]
    assert main(["simulate", "hyperx(2,3,4)", *given]) == 2
    assert "is a table of hyperx(2,3,3), not of hyperx(2,3,4)" in capsys.readouterr().err
    table = split_of("hyperx(2,3,3)")
    cases = ((table, "the table is of hyperx(2,3,3), not of"), (table.base_set, "which all is not"))
    for split, problem in cases:
        with pytest.raises(InvalidInput) as refused:
            simulate("hyperx(2,3,4)", routing="static", table=split, load=0.1)
        assert problem in str(refused.value)
