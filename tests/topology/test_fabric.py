"""Fabrics: ports, GUIDs and LIDs beside the network, and files that contradict themselves."""

import random
import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fabric_simulator import read_damaged
from tvlb.errors import InvalidInput
from tvlb.topology import (
    Dragonfly,
    Failures,
    ListedTopology,
    Topology,
    network_formats,
    parse_topology,
    read_fabric,
    without,
    write_network,
)

DISCOVERED = Path(__file__).parent.parent / "data" / "fabric.ibnetdiscover"
TEXT = DISCOVERED.read_text()
# As the file lists it; 0 and 1 are joined by two cables.
NETWORK = ListedTopology([2, 1, 0, 1], [[[0, 1], [0, 1], [1, 2], [2, 3], [0, 3]]])
NETLIST = """# Three nodes.
Hca 2 "a"
[1] "left"[1]
[2] "right"[2]

Hca 1 "b"
[1] "left"[4]

Switch 4 "right"  # the first
[2] "a"[2]
[3] "left"[3]
[4] "left"[2]
Switch 4 "left"
[1] "a"[1]
[2] "right"[4]
[3] "right"[3]
[4] "b"[1]
"""


def netlist(topology: Topology) -> str:
    write = network_formats()["ibsim"].write
    assert write is not None
    return b"".join(write(topology, "").files[""]).decode()


def read(text: str, name: str = "ibsim") -> Topology:
    form = network_formats()[name].read
    assert form is not None
    return form(text.encode(), None).build()


def test_what_ibnetdiscover_prints() -> None:
    fabric = read_fabric(DISCOVERED)
    assert fabric.topology == NETWORK == parse_topology(str(DISCOVERED))
    assert fabric.topology.labels == ("S-00000", "S-00001", "spine 2", "S-00003")
    switch, node = fabric.switches[1], fabric.nodes[3]
    assert (switch.name, switch.ports, switch.guid, switch.lid) == ("S-00001", 4, 0x200001, 5)
    assert (node.name, node.port, node.switch_port) == ("H-00003", 1, 1)
    assert (node.guid, node.lid, node.lmc) == (0x100007, 14, 1)
    # Links by source, target and the order of the ports at switch 0.
    assert fabric.link_port.tolist() == [3, 4, 5, 2, 3, 4, 1, 2, 2, 3]
    assert fabric.ports_of(NETWORK).tolist() == fabric.link_port.tolist()
    fabric.check_guids()


def test_the_order_of_blocks_does_not_matter() -> None:
    head, *blocks = TEXT.split("\nvendid")
    shuffled = [*blocks]
    random.Random(1).shuffle(shuffled)
    assert shuffled != blocks
    turned = "\nvendid".join([head, *shuffled])
    assert read(turned, "ibnetdiscover") == NETWORK


def test_a_netlist_is_numbered_as_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "two.netlist"
    path.write_text(NETLIST)
    fabric = read_fabric(path)
    # right has a node at port 2, left those at ports 1 and 4, whatever their order.
    assert fabric.topology == ListedTopology([1, 2], [[[0, 1], [0, 1]]])
    assert fabric.topology.labels == ("right", "left")
    assert [(one.name, one.port, one.switch_port) for one in fabric.nodes] == [
        ("a", 2, 2),
        ("a", 1, 1),
        ("b", 1, 4),
    ]
    # The cable at port 3 of right, which has the lower id, is the first.
    assert fabric.link_port.tolist() == [3, 4, 3, 2]
    with pytest.raises(InvalidInput, match=r"two\.netlist does not tell GUIDs and LIDs, .*: take"):
        fabric.check_guids()


def test_parallel_cables_are_those_of_other_kinds() -> None:
    # Of the two cables from 0 to 1 the one at port 4 has the second kind, whose ids are last.
    kinds = Dragonfly(1, 2, 1, 3).kinds
    mixed = ListedTopology([2, 1, 0, 1], [[[0, 1], [0, 3]], [[0, 1], [1, 2], [2, 3]]], kinds)
    ports = read_fabric(DISCOVERED).ports_of(mixed)
    # 0-1, 0-3, 1-0, 3-0; 0-1, 1-0, 1-2, 2-1, 2-3, 3-2.
    assert ports.tolist() == [3, 5, 2, 2, 4, 3, 4, 1, 2, 3]


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        (Dragonfly(2, 4, 2, 9), "it has 4 switches, not 36"),
        (
            ListedTopology([2, 1, 1, 0], [[[0, 1], [0, 1], [1, 2], [2, 3], [0, 3]]]),
            r"switch 2 \(spine 2\) has 0 nodes there, not 1",
        ),
        (
            ListedTopology([2, 1, 0, 1], [[[0, 1], [0, 2], [1, 2], [2, 3], [0, 3]]]),
            r"cables between switches 0 \(S-00000\) and 1 \(S-00001\): 2 there, not 1",
        ),
    ],
)
def test_another_fabric_is_refused(other: Topology, complaint: str) -> None:
    fabric = read_fabric(DISCOVERED)
    with pytest.raises(InvalidInput, match=f"{DISCOVERED} is not .*: {complaint}"):
        fabric.check_is(other)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.data())
def test_any_network_has_its_netlist(data: st.DataObject) -> None:
    switches = data.draw(st.integers(2, 7))
    ends = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1))
    more = data.draw(st.lists(ends.filter(lambda pair: pair[0] != pair[1]), max_size=12))
    nodes = data.draw(st.lists(st.integers(0, 5), min_size=switches, max_size=switches).filter(any))
    network = ListedTopology(nodes, [[*((one, one + 1) for one in range(switches - 1)), *more]])
    text = netlist(network)
    read_back = read(text)
    assert read_back == network
    assert read_back.labels == ()
    # Every end of a cable is there once, and its other end says the same.
    ends_of = dict[tuple[str, int], tuple[str, int]]()
    for block in text.split("\n\n"):
        name, lines = (
            re.findall(r'"(.+)"', block)[:1],
            re.findall(r'\[(\d+)\] "(.+)"\[(\d+)\]', block),
        )
        for port, peer, peer_port in lines:
            assert (name[0], int(port)) not in ends_of
            ends_of[name[0], int(port)] = peer, int(peer_port)
    assert len(ends_of) == 2 * network.num_nodes + network.num_links
    assert all(ends_of[there] == here for here, there in ends_of.items())


def test_lower_dimensions_have_lower_ports() -> None:
    # Switch 4 is at (1, 1): 3 and 5 along x, 1 and 7 along y. Port 1 leads to its node.
    block = netlist(parse_topology("torus(1,3,3)")).split('Switch 5 "S-00004"\n')[1]
    ports = re.findall(r'^\[(\d)\] "S-0000(\d)"', block.split("\n\n")[0], re.MULTILINE)
    assert ports == [("2", "3"), ("3", "5"), ("4", "1"), ("5", "7")]


def test_labels_that_are_no_names_are_lost(tmp_path: Path) -> None:
    fit = ListedTopology([1, 1], [[[0, 1]]], labels=["leaf 1", "leaf 2"])
    form, path = network_formats()["ibsim"], tmp_path / "net.net"
    assert write_network(fit, path, form)[1] == ()
    assert parse_topology(str(path)).labels == fit.labels
    for labels in (["a", "a"], ['"', "b"], ["H-00000", "b"], ["a" * 64, "b"], ["\xe9", "b"]):
        network = ListedTopology([1, 1], [[[0, 1]]], labels=labels)
        assert write_network(network, path, form)[1] == ("the labels of the switches",)
        assert parse_topology(str(path)) == network


def test_a_netlist_has_the_limits_of_a_subnet() -> None:
    with pytest.raises(InvalidInput, match="switch 0 has 255 ports; those of a fabric have at mos"):
        netlist(ListedTopology([254, 0], [[[0, 1]]]))
    with pytest.raises(InvalidInput, match="50,002 switches and nodes; a fabric has at most 49,15"):
        netlist(ListedTopology([25_000, 25_000], [[[0, 1]]]))
    # A switch that is down has one port, without a cable.
    down = without(Dragonfly(2, 4, 2, 9), Failures(switches=(7,)))
    assert 'Switch 1 "S-00007"\n\n' in netlist(down)


def changed(old: str, new: str, text: str = NETLIST) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


def port(line: str) -> str:
    """Return the netlist with another line of the cable from port 4 of `right`."""
    return changed('[4] "left"[2]', line)


def node(line: str) -> str:
    """Return what ibnetdiscover prints with another line of the last node's port."""
    return changed('[1](100007) \t"S-0000000000200003"[1]\t\t# lid 14 lmc 1', line, TEXT)


def test_what_is_changed_below() -> None:
    assert read(port('[4] "left"[2]  # 4xQDR')) == read(NETLIST)
    same = '[1][ext 7](100007)\t"S-0000000000200003"[1](ab) # lid 0 lmc 0'
    assert read(node(same), "ibnetdiscover") == NETWORK


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "has no cables"),
        ('Switch 2 "a"\nSwitch 2 "b"\n', "has no cables"),
        (port('[4] "left"[1]'), r"'right'[4] is cabled to 'left'[1], and that to 'a'[1]"),
        (port(""), "'left'[2] is cabled to 'right'[4], which is cabled to nothing"),
        (port('[3] "left"[2]'), "the port 'right'[3] is used twice"),
        (port('[5] "left"[2]'), "line 12: port 5 of 'right', which has ports 1..4"),
        (port('[0] "left"[2]'), "line 12: port 0 of 'right', which has ports 1..4"),
        (port('[4] "left"[999999999]'), "'right'[4] is cabled to 'left'[255], which"),
        (port('[4] "right"[4]'), "'left'[2] is cabled to 'right'[4], and that to 'right'[4]"),
        (port('[4] "up"[2]'), "a cable ends at 'up', which is not listed"),
        (port('[4] "left"'), "line 12: expected a switch, an adapter or a port of it, not"),
        (port('[4] "left"[2] 4x'), "line 12: expected a comment, not '4x'"),
        (port('[4] "left"[2]' + " " * 1000 + "#"), "line 12: more than 1,000 characters"),
        (changed('Hca 1 "b"', 'Hca 1 "a"'), "line 6: 'a' is listed twice"),
        (changed('Hca 1 "b"', 'Rt 1 "b"'), "line 6: a device of kind Rt, which is no switch"),
        (changed('Hca 2 "a"', 'Hca 255 "a"'), "'a' has 255 ports; expected 1..254"),
        (changed('Hca 2 "a"', 'Hca 2 "\x07"'), "the name '\\x07' is too long or has unprintable"),
        (changed('Hca 2 "a"\n', ""), "line 2: a port before the first switch or adapter"),
        (NETLIST + 'Hca 1 "c"\n', "the node 'c' has no switch: it has no cable"),
        (
            NETLIST + 'Hca 1 "c"\n[1] "d"[1]\nHca 1 "d"\n[1] "c"[1]\n',
            "the node 'c' has no switch: it is cabled to 'd'",
        ),
        (
            NETLIST + 'Switch 2 "far"\n[1] "c"[1]\nHca 1 "c"\n[1] "far"[1]\n',
            "no path from switch 0 (right) to switch 2 (far)",
        ),
        (changed("lid 6 lmc 0", "lid 49152 lmc 0", TEXT), "the LID 49152 of 'spine 2' is out of"),
        (
            node('[1](7) "S-0000000000200003"[1] # lid 49151 lmc 1'),
            "line 49: the LID 49151 of 'H-00003' is out of range: 0..49,151",
        ),
        (node('[1](7) "S-0000000000200003"[1] # lid 5 lmc 0'), "the LID 5 is of two ports, 'S-0"),
        (node('[1](7) "S-0000000000200003"[1] # lid 8 lmc 8'), "the LMC 8 of 'H-00003' is out of"),
        (node('[1](7) "S-0000000000200003"[1] #'), "line 49: the line of an adapter's port has no"),
        (node('[1] "S-0000000000200003"[1] # lid 9 lmc 0'), "the line of an adapter's port has no"),
        (node('[1](100005) "S-0000000000200003"[1] # lid 9 lmc 0'), "the GUID 0x0000000000100005"),
        (changed("(200002)", "(200002", TEXT), "line 9: expected a switch, an adapter"),
        (changed("caguid=0x100006", "caguid=0x1", TEXT), "line 48: 'H-0000000000100006' is not"),
        (changed('"spine 2" base', "spine base", TEXT), "line 10: the line of a switch or adapter"),
        (changed('"spine 2" base', '"spine 2" no', TEXT), "line 10: the line of the switch 'spin"),
    ],
)
def test_what_contradicts_itself_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(complaint)) as caught:
        read(text, "ibnetdiscover" if "guid=" in text else "ibsim")
    assert "\n" not in str(caught.value)


def test_other_files_are_no_fabrics(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}")
    with pytest.raises(InvalidInput, match=r"a\.json: its content is not ibnetdiscover or ibsim"):
        read_fabric(path)
    # The content tells what ibnetdiscover printed, whatever its file is called.
    path.write_text(TEXT)
    assert parse_topology(str(path)) == NETWORK
    form = network_formats()["ibnetdiscover"].read
    assert form is not None
    with pytest.raises(InvalidInput, match="the file says how many endpoints"):
        form(TEXT.encode(), 2)


def test_names_with_quotes_are_read_as_they_are() -> None:
    named = changed('"spine 2" base', r'"core "A" \n; x" base', TEXT)
    assert read(named, "ibnetdiscover").labels[2] == r'core "A" \n; x'


def test_damaged_fabrics_are_refused_or_right() -> None:
    # A character is another one: refused in a line, or no other cables.
    accepted: list[Topology] = []
    refused: list[str] = []
    for text, name in ((TEXT, "ibnetdiscover"), (netlist(NETWORK), "ibsim")):
        found, said = read_damaged(text, '0123456789ab"[]() #\n', partial(read, name=name))
        accepted += found
        refused += said
    assert min(len(refused), len(accepted)) > 50
    # By other GUIDs switches may change places.
    assert all(sorted(one.switch_nodes.tolist()) == [0, 1, 1, 2] for one in accepted)
    assert all(one.num_links == NETWORK.num_links for one in accepted)
