"""Forwarding tables of OpenSM: what it dumps is read, and what is written it loads."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fabric_simulator import INSTALLED, fabric_simulator, read_damaged
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.forwarding import (
    NO_PORT,
    Forwarding,
    RouteOptions,
    bandwidth_of,
    dependencies,
    dependency_circle,
    graph_of,
    route,
    to_switches,
)
from tvlb.table import Dump, read_any_table, read_dump, route_formats
from tvlb.table.audit import audit
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.topology import (
    ListedTopology,
    Topology,
    network_formats,
    parse_topology,
    read_fabric,
    write_network,
)

DATA = Path(__file__).parent.parent / "data"
FABRIC = read_fabric(DATA / "fabric.ibnetdiscover")
DUMPED = (DATA / "fabric.lfts").read_text()
NETWORK = FABRIC.topology
OPENSM = route_formats()["opensm"]


def discovered(topology: Topology, lids: bool = True) -> str:
    """Return what ibnetdiscover prints of the netlist of a network."""
    write = network_formats()["ibsim"].write
    assert write is not None
    text = b"".join(write(topology, "").files[""]).decode()
    blocks: list[str] = []
    for number, block in enumerate(text.strip().split("\n\n"), 1):
        head, *ports = block.split("\n")
        ((kind, count, name),) = re.findall(r'^(\w+) (\d+) "(.*)"$', head)
        lid = number if lids else 0
        guid = _guid(name)
        named = f'"{name}"' + f" base port 0 lid {lid} lmc 0" * (kind == "Switch")
        lines = [f"{'switch' if kind == 'Switch' else 'ca'}guid=0x{guid:x}"]
        lines += [f'{kind.replace("Hca", "Ca")} {count} "{name[0]}-{guid:016x}" # {named}']
        for port in ports:
            ((own, peer, other),) = re.findall(r'^\[(\d+)\] "(.*)"\[(\d+)\]$', port)
            said = f"({guid + 1:x})" if kind == "Hca" else ""
            tail = f" # lid {lid} lmc 0" if kind == "Hca" else ""
            lines.append(f'[{own}]{said} "{peer[0]}-{_guid(peer):016x}"[{other}]{tail}')
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _guid(name: str) -> int:
    return (0x200000 if name.startswith("S") else 0x100000) + 2 * int(name[2:])


def read(text: str, tmp_path: Path) -> Dump:
    path = tmp_path / "a.dump"
    path.write_text(text)
    return read_dump(path, FABRIC)


def line(switch: str, name: str) -> str:
    """Return the first line about a node in the block of a switch."""
    block = DUMPED[DUMPED.index(f"('{switch}')") :]
    found = re.search(rf"^0x.*'{name}'\n", block, re.MULTILINE)
    assert found is not None
    return found[0]


def changed(switch: str, name: str, new: str) -> str:
    """Return the dump with another first line about a node in the block of a switch."""
    before, block = DUMPED.split(f"('{switch}')", 1)
    return before + f"('{switch}')" + block.replace(line(switch, name), new, 1)


def test_a_switch_is_known_by_its_own_guid_and_its_port_by_another(tmp_path: Path) -> None:
    text = (DATA / "fabric.ibnetdiscover").read_text()
    found = tmp_path / "found"
    found.write_text(text.replace("switchguid=0x200002(200002)", "switchguid=0x200002(900002)"))
    fabric = read_fabric(found)
    (switch,) = (one for one in fabric.switches if one.guid == 0x200002)
    assert switch.port_guid == 0x900002
    # OpenSM finds the block by the GUID of the switch, and LIDs by those of ports.
    own = "guid 0x0000000000200002 ("
    port = "portguid 0x0000000000900002: "
    dump = tmp_path / "dump"
    dump.write_text(DUMPED.replace("portguid 0x0000000000200002: ", port))
    assert own in dump.read_text()
    assert port in dump.read_text()
    read, before = read_dump(dump, fabric), read_dump(DATA / "fabric.lfts", FABRIC)
    assert np.array_equal(read.forwarding.ports, before.forwarding.ports)
    assert read.findings == before.findings
    OPENSM.write(
        ForwardingTable.of(read.forwarding, "psssp"),
        tmp_path / "written",
        fabric=str(found),
        allow_deadlock=True,
    )
    assert own in (tmp_path / "written").read_text()
    assert port in (tmp_path / "written").read_text()


def test_what_opensm_dumps(tmp_path: Path) -> None:
    dump = read(DUMPED, tmp_path)
    assert dump.findings == ()
    # At S-00000 the first LIDs of H-00002 and H-00003 go by ports 3 and 5, which are the first and
    # the third of its links: 3 and 4 lead to S-00001, 5 to S-00003. Its own nodes have none.
    assert dump.forwarding.ports[:, 0].tolist() == [NO_PORT, NO_PORT, 0, 2]
    # At spine 2 ports 1 and 2 lead to S-00001 and S-00003.
    assert dump.forwarding.ports[:, 2].tolist() == [0, 1, 0, 1]
    # Second LIDs have other routes: of H-00002 at S-00000, of both its nodes at S-00001, ...
    (remark,) = dump.remarks
    assert re.fullmatch(
        r"other routes to further LIDs .*: \d+ entries, first LID 13 at S-00000", remark
    )
    assert dump.forwarding.loads.lost_pairs == 0


@pytest.mark.parametrize(
    ("switch", "name", "new", "finding"),
    [
        ("S-00001", "H-00003", "", "without an entry: 1 entries, first at S-00001 for H-00003"),
        (
            "S-00001",
            "H-00003",
            "0x000e 255\n",
            "without a route: 1 entries, first at S-00001 for H",
        ),
        (
            "S-00001",
            "H-00003",
            "0x000e UNREACHABLE # x\n",
            "without a route: 1 entries, first at S",
        ),
        # Port 1 of S-00001 leads to H-00002, and port 0 to itself.
        ("S-00001", "H-00003", "0x000e 001\n", "to no switch or to another node: 1 entries, first"),
        ("S-00001", "H-00003", "0x000e 001\n", "at S-00001 for H-00003 by port 1"),
        ("S-00001", "H-00003", "0x000e 000\n", "at S-00001 for H-00003 by port 0"),
        ("S-00001", "H-00002", "0x000c 002\n", "at S-00001 for H-00002 by port 2"),
        ("S-00001", "spine 2", "0x0006 001\n", "at S-00001 for spine 2 by port 1"),
        ("S-00001", "S-00001", "0x0005 002\n", "at S-00001 for S-00001 by port 2"),
        ("spine 2", "S-00001", "0x0005 000\n", "at spine 2 for S-00001 by port 0"),
    ],
)
def test_planted_faults_are_named(
    switch: str, name: str, new: str, finding: str, tmp_path: Path
) -> None:
    dump = read(changed(switch, name, new), tmp_path)
    (found,) = dump.findings
    assert finding in found.text
    assert found.count == 1
    # An audit tells it once.
    table = ForwardingTable.of(dump.forwarding, "psssp")
    told = "\n".join(audit(table, FABRIC, findings=dump.findings).problems)
    assert told.count(f"at {switch} for {name}") == 1
    assert "name no link" not in told


@pytest.mark.parametrize(
    ("port", "finding"),
    [
        ("UNREACHABLE", "without a route: 1 entries, first LID 15 at S-00001 for H-00003"),
        ("001", "to another node: 1 entries, first LID 15 at S-00001 for H-00003 by port 1"),
        ("000", "to another node: 1 entries, first LID 15 at S-00001 for H-00003 by port 0"),
    ],
)
def test_packets_to_further_lids_are_lost_too(port: str, finding: str, tmp_path: Path) -> None:
    before, block = DUMPED.split("('S-00001')", 1)
    text = f"{before}('S-00001')" + block.replace("0x000f 002", f"0x000f {port}", 1)
    (found,) = read(text, tmp_path).findings
    assert finding in found.text


def test_a_block_that_is_missing(tmp_path: Path) -> None:
    blocks = DUMPED.split("Unicast")
    dump = read("Unicast".join(blocks[:2] + blocks[3:]), tmp_path)
    assert [one.text for one in dump.findings] == ["switches without a block: 1, first S-00001"]
    assert (dump.forwarding.ports[:, 1] == NO_PORT).all()


def test_other_forms_of_dumps(tmp_path: Path) -> None:
    # As dump_fts prints them; without the GUID the LIDs are those of the fabric's file.
    heading = "  Lid  Out   Destination\n       Port     Info\n"
    other = re.sub(r"(0x\w+ \d+) # (.*)", r"\1 : (\2)", DUMPED).replace("\n0x", f"\n{heading}0x", 1)
    other = other.replace(" lids dumped", " valid lids dumped").replace("[0-15]", "[0x0-0xf]")
    bare = re.sub(r" # .*", "", DUMPED)
    expected = read(DUMPED, tmp_path).forwarding.ports
    for text in (other, bare, f"# made by hand\n\n{DUMPED}"):
        dump = read(text, tmp_path)
        assert dump.findings == ()
        assert np.array_equal(dump.forwarding.ports, expected)
    # A port that is gone is left out; one with another LID is found by its GUID.
    gone = read(DUMPED.replace("15 lids", "0x0011 002 # portguid 0x9\n15 lids", 1), tmp_path)
    assert gone.remarks[0].endswith("has: 1 entries, first LID 17 at S-00000")
    moved = read(DUMPED.replace("0x000e", "0x0021").replace("0x000f", "0x0022"), tmp_path)
    assert np.array_equal(moved.forwarding.ports, expected)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 0: there is no block of a switch in it"),
        ("Unicast\n", "line 1: expected a LID and a port, not 'Unicast'"),
        ("0x1 1\n", "line 1: an entry before the first switch"),
        (DUMPED.replace("0x000c", "0xc000", 1), "line 10: LID 49,152 is out of range: 1..49,151"),
        (DUMPED.replace("0x000c", "0x0000", 1), "line 10: LID 0 is out of range: 1..49,151"),
        (DUMPED.replace("0x000c", "0x000a", 1), "line 10: a second entry for LID 10 of the switch"),
        (DUMPED.replace("0x000c 003", "0x000c 006", 1), "port 6 of 'S-00000', which has ports 0"),
        (DUMPED.replace("0x000c 003", "0x000c x", 1), "line 10: expected a LID and a port"),
        (DUMPED.replace("200001 (", "200000 (", 1), "line 15: a second block of the switch"),
        (DUMPED.replace("200001 (", "200009 (", 1), "no switch with the GUID 0x000000000020000"),
        (DUMPED.replace("200001 (", "100005 (", 1), "no switch with the GUID 0x000000000010000"),
        (
            DUMPED.replace("0100005", "0100_05", 1),
            "line 10: the GUID of the port with LID 12 is none",
        ),
        (DUMPED.replace("0x000c 003", "0x000c 003\xb2", 1), "line 10: expected a LID and a port"),
        ("# " + "x" * 2000, "line 1: more than 1,000 characters"),
    ],
)
def test_what_is_no_dump_is_refused(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=re.escape(complaint)) as caught:
        read(text, tmp_path)
    assert "\n" not in str(caught.value)


def test_damaged_dumps_are_refused_or_read(tmp_path: Path) -> None:
    expected = read(DUMPED, tmp_path).forwarding.ports
    accepted, refused = read_damaged(DUMPED, "0123456789abx# \n", lambda one: read(one, tmp_path))
    assert min(len(refused), len(accepted)) > 30
    # At most one block is lost, or a LID has another route.
    other = [int((one.forwarding.ports != expected).sum()) for one in accepted]
    assert all(count <= 1 or one.findings for count, one in zip(other, accepted, strict=True))


def table_of(topology: Topology, engine: str = "psssp") -> ForwardingTable:
    return ForwardingTable.of(route(topology, RouteOptions(engine=engine)).forwarding, engine)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(data=st.data())
def test_what_is_written_is_read(data: st.DataObject) -> None:
    switches = data.draw(st.integers(2, 7))
    ends = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1))
    more = data.draw(st.lists(ends.filter(lambda pair: pair[0] != pair[1]), max_size=12))
    nodes = data.draw(st.lists(st.integers(0, 3), min_size=switches, max_size=switches).filter(any))
    network = ListedTopology(nodes, [[*((one, one + 1) for one in range(switches - 1)), *more]])
    table = table_of(network)
    with TemporaryDirectory() as folder:
        fabric, path = Path(folder) / "fabric", Path(folder) / "a.lfts"
        fabric.write_text(discovered(network, data.draw(st.booleans())))
        OPENSM.write(table, path, fabric=str(fabric), allow_deadlock=True)
        dump = read_dump(path, read_fabric(fabric))
    assert (dump.findings, dump.remarks) == ((), ())
    assert np.array_equal(dump.forwarding.ports, table.forwarding.ports)


def test_switches_without_nodes_are_reached_without_a_circle() -> None:
    # A fat tree of two levels: leaves 0 to 3 below spines 4 and 5. A leaf has a link to each spine,
    # and no packet from a node goes on from there; spines reach each other by a leaf.
    network = ListedTopology(
        [2, 2, 2, 2, 0, 0], [[[one, two] for one in range(4) for two in (4, 5)]]
    )
    forwarding = table_of(network).forwarding
    graph = dependencies(forwarding, one_lane=True)
    ports = to_switches(forwarding, graph)
    assert ports[4, :5].tolist() == [0, 0, 0, 0, NO_PORT]
    assert ports[5, :4].tolist() == [1, 1, 1, 1]
    assert ports[4, 5] != NO_PORT
    # Links 8 to 15 lead down: after none of them a packet from a node goes up.
    assert not any(graph.routes(down, up) for down in range(8, 16) for up in range(8))
    # Those for leaves go as packets for their first node.
    assert np.array_equal(ports[:4, :4], forwarding.ports[::2][:4, :4])


@pytest.mark.parametrize("network", ["tests/data/networks/kary4_3.json", "dflyplus(2,4,2,5)"])
def test_switches_without_nodes_are_reached_from_everywhere(network: str) -> None:
    topology = parse_topology(network.replace("tests/data", str(DATA)))
    forwarding = table_of(topology).forwarding
    graph = dependencies(forwarding, one_lane=True)
    assert graph.find_cycle() == []
    ports = to_switches(forwarding, graph)
    # Spines of a Dragonfly+ in other groups are behind a link down and one up again.
    assert bool(graph.find_cycle()) == network.startswith("dflyplus")
    links, target = graph_of(topology).links(), topology.network.link_target
    for switch in range(topology.num_switches):
        # All switches walk towards it at once; none needs more steps than there are switches.
        at = np.arange(topology.num_switches)
        for _ in range(topology.num_switches):
            taken = links[at, ports[switch, at] % NO_PORT]
            at = np.where(at == switch, at, target[taken])
        assert (at == switch).all()


def test_a_circle_is_found_and_named(tmp_path: Path) -> None:
    # Around a ring of five switches every packet takes one or two cables, always the same way.
    ring = ListedTopology([1] * 5, [[[one, (one + 1) % 5] for one in range(5)]])
    table = table_of(ring, "minhop")
    assert len(dependency_circle(table.forwarding)) == 5
    fabric, path = tmp_path / "fabric", tmp_path / "ring.lfts"
    fabric.write_text(discovered(ring))
    with pytest.raises(
        InvalidInput, match=r"one lane.*: 5 links wait .*S-00001\[\d\] -> S"
    ) as caught:
        OPENSM.write(table, path, fabric=str(fabric))
    assert str(caught.value).endswith("--allow-deadlock writes it all the same")
    assert not path.exists()
    (warning,) = OPENSM.write(table, path, fabric=str(fabric), allow_deadlock=True)
    assert "can deadlock" in warning
    # A line has none.
    line_of_five = ListedTopology([1] * 5, [[[one, one + 1] for one in range(4)]])
    assert dependency_circle(table_of(line_of_five).forwarding) == ()


def test_what_cannot_be_loaded_is_refused(tmp_path: Path) -> None:
    path, netlist = tmp_path / "a.lfts", tmp_path / "a.netlist"
    table = table_of(NETWORK)
    write_network(NETWORK, netlist, network_formats()["ibsim"])
    with pytest.raises(InvalidInput, match="does not tell GUIDs and LIDs"):
        OPENSM.write(table, path, fabric=str(netlist))
    other = table_of(parse_topology("dfly(1,2,1,3)"))
    with pytest.raises(InvalidInput, match=r"is not dfly\(1,2,1,3\): it has 4 switches, not 6"):
        OPENSM.write(other, path, fabric=FABRIC.path)
    ports = table.forwarding.ports.copy()
    ports[3, 1] = NO_PORT
    holed = ForwardingTable.of(Forwarding.of(NETWORK, ports), "psssp")
    with pytest.raises(InvalidInput, match="switch S-00001 has no entry for H-00003"):
        OPENSM.write(holed, path, fabric=FABRIC.path)
    assert not path.exists()


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    dump = str(DATA / "fabric.lfts")
    assert main(["export", dump, "-o", "t.json"]) == 2
    assert (
        "is a dump of forwarding tables: give the output of ibnetdiscover with --fabric"
        in capsys.readouterr().err
    )
    assert main(["show", dump]) == 2
    assert "fabric.lfts is a dump of forwarding tables: tvlb verify" in capsys.readouterr().err
    measured = ["measure", FABRIC.path, "--table", dump, "--fabric", FABRIC.path]
    assert main([*measured, "--bisections", "1"]) == 0
    assert "other routes to further LIDs of a port" in capsys.readouterr().err
    assert main(["export", dump, "--fabric", FABRIC.path, "-o", "t.json"]) == 0
    assert "other routes to further LIDs of a port" in capsys.readouterr().err
    table = read_any_table("t.json")
    assert isinstance(table, ForwardingTable)
    assert (table.header.engine, table.topology) == ("opensm", NETWORK)
    assert main(["export", "t.json", "--to", "opensm", "-o", "t.lfts"]) == 2
    assert "opensm is for a fabric: give what ibnetdiscover prints" in capsys.readouterr().err
    assert (
        main(["export", "t.json", "--fabric", FABRIC.path, "--to", "opensm", "-o", "t.lfts"]) == 0
    )
    assert np.array_equal(read_dump("t.lfts", FABRIC).forwarding.ports, table.forwarding.ports)
    for options in (["--fabric", FABRIC.path], ["--allow-deadlock"]):
        assert main(["export", "t.json", *options, "-o", "t.parquet"]) == 2
        assert f"{options[0]} has no meaning for format parquet" in capsys.readouterr().err
    # Of a network the netlist is meant.
    assert main(["export", FABRIC.path, "--to", "opensm", "-o", "n.netlist"]) == 0
    assert parse_topology("n.netlist") == NETWORK


@pytest.mark.skipif(not INSTALLED, reason="OpenSM and ibsim are not installed")
@pytest.mark.parametrize(
    ("network", "lmc"),
    [
        ("dfly(2,4,2,9)", 0),
        ("kary(2,3)", 0),
        ("random(8,2,4,seed=1)", 0),
        ("torus(1,3,3)", 0),
        (str(DATA / "fabric.ibnetdiscover"), 1),
    ],
)
def test_opensm_loads_what_is_written(network: str, lmc: int, tmp_path: Path) -> None:
    topology = parse_topology(network)
    write_network(topology, tmp_path / "n.netlist", network_formats()["ibsim"])
    # Of one lane, so that nothing has to be allowed.
    options = RouteOptions(max_layers=1)
    table = ForwardingTable.of(route(topology, options).forwarding, options.engine)
    with fabric_simulator(tmp_path / "n.netlist") as simulator:
        if lmc:  # LIDs are needed where a port has several.
            simulator.manage("-l", str(lmc))
        fabric = simulator.discover()
        path = tmp_path / "ours.lfts"
        OPENSM.write(table, path, fabric=str(fabric))
        dumped, log = simulator.manage("-l", str(lmc), "-R", "file", "-U", str(path))
    assert "file tables configured on all switches" in log
    dump = read_dump(dumped, read_fabric(fabric))
    assert (dump.findings, dump.remarks) == ((), ())
    assert np.array_equal(dump.forwarding.ports, table.forwarding.ports)
    assert dump.forwarding.loads.efi == table.forwarding.loads.efi
    assert bandwidth_of(dump.forwarding, 20).mean == bandwidth_of(table.forwarding, 20).mean
