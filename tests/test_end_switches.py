"""The whole product on a HyperX and a Dragonfly+, some of whose switches are only passed."""

import json
from pathlib import Path

import numpy as np
import pytest

from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.model import throughput
from tvlb.paths import PathSet, parse_expression
from tvlb.requests import SweepBody, TableBody
from tvlb.table import Routes, Table, strike_out, summarise, verify, write_table
from tvlb.topology import Failures, Topology, parse_topology, without
from tvlb.traffic import parse_pattern

NETWORKS = ("hyperx(2,3,3)", "dflyplus(2,2,2,5)")


def every_path(topology: Topology) -> PathSet:
    return parse_expression("all", topology)


def table_of(topology: Topology) -> Table:
    path_set = every_path(topology)
    return Table.from_rows(path_set, path_set.all_rows(), None, seed=0, version="")


@pytest.mark.parametrize(
    ("text", "pattern"),
    [(NETWORKS[0], "dshift(1)"), (NETWORKS[1], "adv(1)"), (NETWORKS[1], "advr(2)")],
)
def test_solvers_agree(text: str, pattern: str) -> None:
    topology, traffic = parse_topology(text), parse_pattern(pattern)
    exact, modelled, approximate = (
        throughput(topology, every_path(topology), traffic, solver=solver)
        for solver in ("highs", "pulp:PULP_CBC_CMD", "rm+:0.005")
    )
    assert modelled.theta == pytest.approx(exact.theta, abs=1e-6)
    assert approximate.theta == pytest.approx(exact.theta, rel=0.005)
    assert approximate.theta_up >= exact.theta - 1e-9


# Between two groups there is a single cable, which carries what 4 nodes send: theta is 1/4 by MIN
# alone. Detours of 5 links take that cable as well, those of 6 links others.
def test_long_detours_relieve_the_cable_of_two_groups() -> None:
    topology = parse_topology(NETWORKS[1])
    traffic = parse_pattern("adv(1)")

    def theta(expression: str) -> float:
        return throughput(topology, parse_expression(expression, topology), traffic).theta

    assert theta("none") == pytest.approx(1 / 4)
    assert theta("<=5") == pytest.approx(1 / 4)
    assert theta("all") > 0.3


@pytest.mark.parametrize("text", NETWORKS)
@pytest.mark.parametrize("failures", [Failures(links=((0, 1),)), Failures(switches=(4,))])
def test_what_failures_leave_is_verified(text: str, failures: Failures) -> None:
    topology = parse_topology(text)
    if text == NETWORKS[1] and failures.links:
        failures = Failures(links=((0, 10),))
    left = without(topology, failures)
    struck = strike_out(table_of(topology), left)
    assert struck.pairs_without_min_paths < np.count_nonzero(left.is_end) ** 2
    report = verify(table_of(left))
    assert report.ok
    ends = int(np.count_nonzero(left.is_end))
    assert ends == topology.num_senders - len(failures.switches)
    assert summarise(table_of(left))["switch_pairs"] == ends * (ends - 1)


def test_routes_lead_from_leaves_to_leaves() -> None:
    topology = parse_topology(NETWORKS[1])
    for source, routes in enumerate(Routes(every_path(topology)).of_sources()):
        for target, minimal, detours in routes.by_target():
            assert bool(minimal) == (max(source, target) < 10)
            assert minimal or not detours
        assert routes.lost_pairs == 0


def test_sweeps_have_both() -> None:
    body = SweepBody.model_validate(
        {
            "generators": [
                {"family": "hyperx", "p": 2, "s1": "2..3", "s2": 3},
                {"family": "dflyplus", "p": 1, "a": 2, "h": 1, "g": "2..max"},
            ]
        }
    )
    assert [point.topology for point in body.points()] == [
        *("hyperx(2,2,3)", "hyperx(2,3,3)", "dflyplus(1,2,1,2)", "dflyplus(1,2,1,3)")
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("simulate dflyplus(2,2,2,5) --routing par --load 0.1", "routing par decides again"),
        ("table dflyplus(2,2,2,5) --routing par", "routing par decides again"),
        ("verify leaves.json --routing par", "routing par decides again"),
        ("table dflyplus(1,1,2,3)", "no VLB paths: they need a second spine in a group"),
        ("table hyperx(4,2)", "no VLB paths: they need a third switch"),
        ("model hyperx(2,3,1)", "S2 '1' is out of range: integers 2..128"),
        ("model dflyplus(2,2,2,6)", "g = 6 is out of range: dflyplus(2,2,2,6) has 2..5 groups"),
        ("model hyperx(2,3,3) --pattern adv(1)", "it has no groups"),
        ("model hyperx(2,3,3) --pattern dshift(3)", "shift 3 is out of range; allowed are 0..2"),
        ("model dflyplus(2,2,2,5) --pattern dshift(1)", "is no pattern of dflyplus(2,2,2,5)"),
        ("export hyperx(1,2,2,3) --to codes -o machine", "no link to each other"),
    ],
)
def test_bad_input_is_one_line(
    command: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(table_of(parse_topology("dflyplus(1,2,1,3)")), "leaves.json")
    assert main(command.split()) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_requests_are_refused_for_a_routing_that_has_no_place() -> None:
    body = TableBody(topology=NETWORKS[1], routing="par")
    with pytest.raises(InvalidInput, match="routing par decides again"):
        body.examined()


def test_exports_say_that_min_paths_are_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "machine.json"
    for text in (*NETWORKS, "slimfly(3,min=single)"):
        assert main(["export", text, "-o", str(path)]) == 0
        assert f"does not hold the MIN paths of {text}" in capsys.readouterr().err
        assert "links" in json.loads(path.read_text())
    assert main(["export", "slimfly(3)", "-o", str(path)]) == 0
    assert "MIN paths" not in capsys.readouterr().err
