"""Forwarding tables for other tools: ports of BookSim, switch sequences and the paths of SST."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.forwarding import NO_PORT, Forwarding, RouteOptions, route
from tvlb.table import Routes, exported_paths, route_formats, write_table
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.topology import ListedTopology, Topology, parse_topology

BOOKSIM = route_formats()["booksim-routes"]
# Leaves 0 and 1 with two nodes each below spines 2 and 3.
TREE = ListedTopology([2, 2, 0, 0], [[[0, 2], [0, 3], [1, 2], [1, 3]]])


def table_of(topology: Topology, order: str = "id") -> ForwardingTable:
    return ForwardingTable.of(route(topology, RouteOptions(order=order)).forwarding, "psssp")


def walked(table: ForwardingTable, source: int, node: int) -> list[int]:
    """Follow the links of a table, one by one."""
    links, network = table.forwarding.links(), table.topology.network
    switches = [source]
    while switches[-1] != network.node_switch[node]:
        switches.append(int(network.link_target[links[node, switches[-1]]]))
    return switches


def test_booksim_reads_the_same_ports(tmp_path: Path) -> None:
    topology = parse_topology("dfly(2,4,2,9)")
    table, path = table_of(topology), tmp_path / "a.routes"
    assert BOOKSIM.write(table, path) == []
    content = path.read_text()
    assert not content.endswith("\n")
    ports = dict[tuple[int, int], int]()
    for line in content.split("\n"):
        switch, node, port = map(int, line.split(" "))
        assert (switch, node) not in ports
        ports[switch, node] = port
    assert len(ports) == 36 * 72
    # Behind a port are a node of the switch, or its neighbours in the order of their ids.
    network = topology.network
    for (switch, node), port in ports.items():
        if network.node_switch[node] == switch:
            assert port == node - 2 * switch
        else:
            neighbours = np.sort(network.link_target[network.link_source == switch])
            assert neighbours[port - 2] == walked(table, switch, node)[1]


def test_what_booksim_cannot_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.routes"
    uneven = ListedTopology([2, 1], [[[0, 1]]])
    with pytest.raises(InvalidInput, match=r"as many nodes on every switch; .* 1 has 1, and 0 2"):
        BOOKSIM.write(table_of(uneven), path)
    double = ListedTopology([1, 1], [[[0, 1], [0, 1]]])
    with pytest.raises(InvalidInput, match=r"has parallel cables.* since BookSim merges them$"):
        BOOKSIM.write(table_of(double), path)
    pair = ListedTopology([1, 1], [[[0, 1]]])
    holes = Forwarding.of(pair, np.full((2, 2), NO_PORT, dtype=np.uint8))
    with pytest.raises(InvalidInput, match="switch 0 has no entry for 1 nodes"):
        BOOKSIM.write(ForwardingTable.of(holes, "none"), path)
    with pytest.raises(InvalidInput, match="packets from switch 0 for node 1 do not arrive"):
        next(Routes(exported_paths(ForwardingTable.of(holes, "none"))).of_sources())
    assert not path.exists()
    # Two switches that send packets for node 2 to each other.
    line = ListedTopology([1, 1, 1], [[[0, 1], [1, 2]]])
    turned = route(line).forwarding.ports.copy()
    turned[2, 1] = 0
    table = ForwardingTable.of(Forwarding.of(line, turned), "none")
    with pytest.raises(InvalidInput, match="packets from switch 0 for node 2 do not arrive"):
        next(Routes(exported_paths(table)).of_sources())


def test_layers_are_lost_for_booksim(tmp_path: Path) -> None:
    pair = ListedTopology([1, 1], [[[0, 1]]])
    made = route(pair).forwarding
    layers = np.array([[0, 1], [0, 0]], dtype=np.uint8)
    table = ForwardingTable.of(Forwarding(pair, made.ports, layers), "psssp")
    (remark,) = BOOKSIM.write(table, tmp_path / "a.routes")
    assert remark == "booksim-routes does not hold the 2 layers of the table"


@pytest.mark.parametrize("topology", [TREE, parse_topology("dfly(2,4,2,9)")], ids=str)
def test_sequences_are_the_paths_to_nodes(topology: Topology, tmp_path: Path) -> None:
    table, path = table_of(topology), tmp_path / "a.csv"
    assert route_formats()["sequences"].write(Routes(exported_paths(table)), path) == []
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    rows = [*csv.DictReader(lines)]
    assert {row["kind"] for row in rows} == {"table"}
    found = {row["switches"]: float(row["weight"]) for row in rows}
    assert len(found) == len(rows)
    expected = dict[str, float]()
    for node, switch in enumerate(topology.network.node_switch.tolist()):
        share = 1 / int(topology.switch_nodes[switch])
        for source in set(range(topology.num_switches)) - {switch}:
            text = " ".join(map(str, walked(table, source, node)))
            # Every node of a switch has the same share.
            expected[text] = expected.get(text, 0.0) + share
    assert found == pytest.approx(expected)


def test_sst_draws_between_the_nodes_of_a_switch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_table(table_of(TREE), "t.json")
    assert main(["export", "t.json", "--to", "sst", "-o", "net"]) == 0
    stored = json.loads(Path("net.routes.json").read_text())
    # The two nodes of a leaf are balanced over the two spines; a spine has no node.
    assert stored["0"] == {"1": [[0.5, [2, 1]], [0.5, [3, 1]]]}
    assert stored["2"] == {"0": [[1.0, [0]]], "1": [[1.0, [1]]]}
    capsys.readouterr()
    for options, complaint in (
        (["--min-share", "0.5"], "--min-share and --loop-free have no meaning for a "),
        (["--pattern", "uniform"], "--pattern has no meaning for format sst of a table that fixes"),
    ):
        assert main(["export", "t.json", "--to", "sst", *options, "-o", "net"]) == 2
        assert complaint in capsys.readouterr().err
