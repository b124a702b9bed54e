"""Files of networks: what is written is read, and what is no network is refused in a line."""

import io
import json
import re
import time
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tvlb.errors import InvalidInput
from tvlb.topology import (
    Dragonfly,
    Failures,
    ListedTopology,
    Listing,
    ShortestPathTopology,
    Topology,
    kinds_of,
    listed,
    network_formats,
    parse_topology,
    read_network,
    without,
    write_network,
)

KINDS = kinds_of({"ring": 5, "chord": 20})
# One switch is down: it has neither cables nor nodes.
NETWORK = ListedTopology(
    [2, 2, 0, 2, 0],
    [[[0, 1], [1, 2], [2, 3], [3, 0]], [[0, 2], [0, 2]]],
    KINDS,
    labels=["a", "b & <c>", 'd "e"', "f", "0"],
)
# Its groups 0 and 1 have lost their only link, and switch 7 is down.
DEGRADED = without(Dragonfly(2, 4, 2, 9), Failures(links=((0, 4),), switches=(7,)))
PLAIN = ListedTopology([1, 0, 2], [[[0, 1], [0, 1], [1, 2]]])
HEAD = "<graphml><key id='e' for='node' attr.name='endpoints'/><graph edgedefault='undirected'>"
TAIL = "</graph></graphml>"
NODES = "".join(f"<node id='{one}'><data key='e'>1</data></node>" for one in "ab")
EDGE = "<edge source='a' target='b'/>"


def text_of(topology: Topology, name: str) -> bytes:
    write = network_formats()[name].write
    assert write is not None
    return b"".join(write(topology, "network").files[""])


def read_as(content: str | bytes, name: str, endpoints: int | None = None) -> Topology:
    read = network_formats()[name].read
    assert read is not None
    return read(content.encode() if isinstance(content, str) else content, endpoints).build()


def graphml(inside: str) -> str:
    return f"{HEAD}{inside}{TAIL}"


def test_formats_have_names_and_suffixes_of_their_own() -> None:
    for name, form in network_formats().items():
        assert form.name == name
        assert form.read is not None or form.write is not None
        others = [other.suffixes for other in network_formats().values() if other is not form]
        assert not any(set(form.suffixes) & set(other) for other in others)


READ_AND_WRITTEN = [one.name for one in network_formats().values() if one.read and one.write]
# Those that hold neither parallel cables nor switches without cables.
SIMPLE = {"booksim-anynet"}


@pytest.mark.parametrize("name", READ_AND_WRITTEN)
@pytest.mark.parametrize(
    "network", [PLAIN, NETWORK, Dragonfly(4, 8, 4, 9), DEGRADED], ids=lambda one: type(one).__name__
)
def test_what_is_written_is_read(name: str, network: Topology, tmp_path: Path) -> None:
    form = network_formats()[name]
    path = tmp_path / f"network{form.suffixes[0]}"
    if name in SIMPLE and type(network) is not Dragonfly:
        with pytest.raises(InvalidInput, match=f"(parallel cables|has no cable).* {name} cannot"):
            write_network(network, path, form)
        return
    (written,), lost = write_network(network, path, form)
    assert written == str(path)
    read, expected = parse_topology(str(path)), listed(network)
    assert isinstance(read, ListedTopology)
    assert str(read) == str(path)
    assert read.nodes_of_switches().tolist() == expected.nodes_of_switches().tolist()
    if not any("kinds" in one for one in lost):
        assert read == expected
    together = [np.concatenate(one.cables()).tolist() for one in (read, expected)]
    assert sorted(together[0]) == sorted(together[1])
    if not any("labels" in one for one in lost):
        assert read.labels == expected.labels
    assert any("MIN paths" in one for one in lost) != isinstance(network, ShortestPathTopology)
    # The content tells the format where the name does not.
    other = tmp_path / "network.data"
    other.write_bytes(path.read_bytes())
    assert parse_topology(str(other)) == read


def test_an_edge_list_tells_what_it_loses() -> None:
    write = network_formats()["edgelist"].write
    assert write is not None
    assert write(PLAIN, "").lost == ()
    kinds, labels = write(NETWORK, "").lost
    assert kinds == "kinds of links and latencies (ring, 5 cycles; chord, 20 cycles)"
    assert labels == "the labels of the switches"


def test_the_same_json_is_that_of_the_literature() -> None:
    document = {"switches": 3, "endpoints": [1, 0, 2], "links": [[0, 1], [0, 1], [1, 2]]}
    assert json.loads(text_of(PLAIN, "json")) == document


def test_networkx_reads_the_same_network(tmp_path: Path) -> None:
    network = Dragonfly(4, 8, 4, 9)
    path = tmp_path / "network.graphml"
    write_network(network, path, network_formats()["graphml"])
    graph = nx.read_graphml(path, node_type=int, force_multigraph=True)
    assert not graph.is_directed()
    assert [*graph.nodes] == [*range(72)]
    assert {data["endpoints"] for _, data in graph.nodes(data=True)} == {4}
    ours = [
        (source, target, data["kind"], data["latency"])
        for source, target, data in network.graph.edges(data=True)
        if source < target
    ]
    theirs = [
        (min(ends), max(ends), data["kind"], data["latency"])
        for *ends, data in graph.edges(data=True)
    ]
    assert sorted(theirs) == sorted(ours)


def test_what_networkx_writes_is_read() -> None:
    networkx: Any = nx
    graph = networkx.MultiGraph()
    graph.add_node("leaf 1", endpoints=2)
    graph.add_node("leaf 2", endpoints=2.0)
    graph.add_node("spine", endpoints=0)
    for leaf, times in (("leaf 1", 2), ("leaf 2", 1)):
        for _ in range(times):
            graph.add_edge(leaf, "spine", kind="up", latency=30)
    stream = io.BytesIO()
    networkx.write_graphml(graph, stream)
    read = read_as(stream.getvalue(), "graphml")
    assert isinstance(read, ListedTopology)
    assert read == ListedTopology([2, 2, 0], [[[0, 2], [0, 2], [1, 2]]], kinds_of({"up": 30}))
    assert read.labels == ("leaf 1", "leaf 2", "spine")
    stream = io.BytesIO()
    networkx.write_edgelist(networkx.path_graph(3), stream)
    assert read_as(stream.getvalue(), "edgelist", 1) == ListedTopology([1] * 3, [[[0, 1], [1, 2]]])


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.data())
def test_any_network_comes_back(data: st.DataObject) -> None:
    switches = data.draw(st.integers(2, 9))
    chain = [(one, one + 1) for one in range(switches - 1)]
    ends = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1))
    more = data.draw(st.lists(ends.filter(lambda pair: pair[0] != pair[1]), max_size=12))
    names = data.draw(st.lists(st.sampled_from(["a", "b-1", "cable"]), min_size=1, unique=True))
    printable = st.text(st.characters(exclude_categories=("C", "Z")), max_size=9)
    network = ListedTopology(
        data.draw(st.lists(st.integers(0, 9), min_size=switches, max_size=switches).filter(any)),
        [chain if one == 0 else [*more, (0, 1)] for one in range(len(names))],
        kinds_of({name: data.draw(st.integers(1, 4096)) for name in names}),
        labels=data.draw(
            st.one_of(
                st.just([]), st.lists(printable, min_size=switches, max_size=switches, unique=True)
            )
        ),
    )
    for name in ("json", "graphml"):
        read = read_as(text_of(network, name), name)
        assert isinstance(read, ListedTopology)
        assert read == network
        assert read.labels == network.labels
    read = read_as(text_of(network, "edgelist"), "edgelist")
    assert isinstance(read, ListedTopology)
    assert sorted(read.cables()[0].tolist()) == sorted(np.concatenate(network.cables()).tolist())


def test_switches_are_numbered_in_their_order() -> None:
    turned = graphml("<edge source='x' target='a'/>" + NODES + NODES[:0] + EDGE)
    network = read_as(
        turned.replace("id='b'", "id='x'").replace("target='b'", "target='x'"), "graphml"
    )
    assert isinstance(network, ListedTopology)
    assert network.labels == ("a", "x")
    named = read_as("spine leaf-1 # first\nleaf-2 spine\n# endpoints: 0 4 4\n", "edgelist")
    assert isinstance(named, ListedTopology)
    assert named.labels == ("spine", "leaf-1", "leaf-2")
    assert named == ListedTopology([0, 4, 4], [[[0, 1], [0, 2]]])


def test_endpoints_may_be_the_same_everywhere() -> None:
    ring = "0 1\n1 2\n2 0\n"
    expected = ListedTopology([3, 3, 3], [[[0, 1], [1, 2], [2, 0]]])
    assert read_as(ring, "edgelist", 3) == expected
    assert read_as(f"# endpoints 3\n{ring}", "edgelist") == expected
    bare = "<node id='a'/><node id='b'/><edge source='a' target='b'/>"
    pair = ListedTopology([2, 2], [[[0, 1]]])
    assert read_as(graphml(bare), "graphml", 2) == pair
    key = "<key id='e' for='node' attr.name='endpoints'><default>2</default></key>"
    assert read_as(f"<graphml>{key}<graph>{bare}{TAIL}", "graphml") == pair
    half = graphml(NODES.replace("<data key='e'>1</data>", "", 1) + EDGE)
    assert read_as(half, "graphml", 5) == ListedTopology([5, 1], [[[0, 1]]])


KIND = "<key id='k' for='edge' attr.name='kind'/><key id='l' for='edge' attr.name='latency'/>"


def edges(*values: tuple[str | None, str | None]) -> str:
    """Return a GraphML of two nodes with an edge for each kind and latency."""
    listed = [
        "<edge source='a' target='b'>"
        + (f"<data key='k'>{kind}</data>" if kind else "")
        + (f"<data key='l'>{latency}</data>" if latency else "")
        + "</edge>"
        for kind, latency in values
    ]
    return HEAD.replace("<graph ", f"{KIND}<graph ") + NODES + "".join(listed) + TAIL


def test_what_is_not_printable_is_no_label() -> None:
    nodes = NODES.replace("'b'", "'&#10;'")
    with pytest.raises(InvalidInput, match=r"the label '\\n' is longer than 200 .* not printable"):
        read_as(graphml(f"{nodes}<edge source='a' target='&#10;'/>"), "graphml")
    with pytest.raises(InvalidInput, match="is longer than 200"):
        ListedTopology([1, 1], [[[0, 1]]], labels=["a", "b" * 201])


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "us-ascii"])
def test_graphml_may_be_in_several_encodings(encoding: str) -> None:
    text = f"<?xml version='1.0' encoding='{encoding}'?>" + graphml(
        NODES.replace("id='a'", "id='caf\xe9'") + EDGE.replace("'a'", "'caf\xe9'")
    )
    network = listed(read_as(text.encode(encoding, "xmlcharrefreplace"), "graphml"))
    assert network.labels == ("caf\xe9", "b")


def test_a_list_from_both_ends_has_every_cable_once() -> None:
    once = read_as("# endpoints 4\n0 1\n1 2\n1 2", "edgelist")
    twice = "# endpoints 4\n0 1\n2 1\n1 0\n1 2\n2 1\n1 2"
    assert read_as(twice, "edgelist") == once
    # One end of one cable is missing, so that all are cables.
    assert read_as(twice.rpartition("\n")[0], "edgelist").num_links == 10
    kinds = {"kinds": [{"name": "up"}, {"name": "down"}]}
    listing = {"switches": 2, "endpoints": [1, 1], "links": [[0, 1], [1, 0]]}
    named = listing | kinds | {"link_kinds": ["up", "down"]}
    assert [Listing.model_validate(one).build().num_links for one in (listing, named)] == [2, 4]
    assert Listing.model_validate(listing).sizes.cables == {"link": 1}
    back = "<edge source='b' target='a' directed='true'/>"
    directed = graphml(NODES + EDGE + back).replace("='un", "='")
    assert read_as(directed, "graphml") == read_as(graphml(NODES + EDGE), "graphml")
    parallel = directed.replace(back, EDGE)
    assert read_as(parallel, "graphml").num_links == 4


@pytest.mark.parametrize(
    ("text", "labels", "nodes"),
    [
        # What is glued to a name belongs to it; `# 100G` is a comment.
        ("# endpoints 1\na s#1 # 100G\nb s#1\na s#2\nb s#2", ("a", "s#1", "b", "s#2"), [1] * 4),
        ("# endpoints 1\n1 2\n2 3", ("1", "2", "3"), [1] * 3),
        ("# endpoints 4 0 5\n1 2\n2 3", ("1", "2", "3"), [4, 0, 5]),
        ("# endpoints 2\n7 30000\n30000 12", ("7", "12", "30000"), [2] * 3),
        ("# endpoints 2\n010 002\n001 002", ("001", "002", "010"), [2] * 3),
        # Switches without cables, the first, one between and the last.
        ("# endpoints 0 1 2 3\n1 2\n2 3", (), [0, 1, 2, 3]),
        ("# endpoints 3 0 2\n1 3", ("1", "2", "3"), [3, 0, 2]),
        ("# endpoints 3 2 0\n0 1", (), [3, 2, 0]),
    ],
)
def test_numbers_and_names_of_edge_lists(text: str, labels: tuple[str, ...], nodes: Any) -> None:
    network = listed(read_as(text, "edgelist"))
    assert (network.labels, network.nodes_of_switches().tolist()) == (labels, nodes)


def test_messages_tell_the_labels() -> None:
    with pytest.raises(InvalidInput, match=r"switch 1 \(left\) has -1 compute nodes"):
        ListedTopology([1, -1], [[[0, 1]]], labels=["right", "left"])
    with pytest.raises(InvalidInput, match=r"no path from switch 0 \(a\) to switch 2 \(c\)"):
        read_as("# endpoints 1\na b\nc d", "edgelist")


def test_kinds_and_latencies_are_read() -> None:
    network = read_as(edges(("up", "30.0"), ("down", None), ("up", None)), "graphml")
    assert (network.kinds.names, network.kinds.latencies) == (("up", "down"), (30, 10))
    assert network.network.link_kind.tolist() == [0, 0, 0, 0, 1, 1]


BOMB = "".join(
    f"<!ENTITY b{one} '{f'&b{one - 1};' * 10 if one else 'ha' * 10}'>" for one in range(10)
)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("graphml", "", "no XML: no element found"),
        ("graphml", "<graphml>", "no XML: no element found"),
        ("graphml", "<html/>", "line 1: no GraphML: the first element is 'html'"),
        ("graphml", "<!DOCTYPE graphml><graphml/>", "declares a document type, which is not read"),
        ("graphml", f"<!DOCTYPE x [{BOMB}]><graphml>&b9;</graphml>", "declares a document type"),
        (
            "graphml",
            "<!DOCTYPE x [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><graphml>&f;</graphml>",
            "declares a document type",
        ),
        ("graphml", "<graphml>" + "<a>" * 100_000, "nested more than 100 deep"),
        ("graphml", graphml("<node id='a'>&ent;</node>"), "undefined entity"),
        ("graphml", "\xff<graphml/>".encode("latin-1"), "not well-formed"),
        ("graphml", b"<?xml version='1.0' encoding='cp037'?>\x4c", "encoding cp037, which it decl"),
        ("graphml", graphml("<node/>"), "<node> has no attribute 'id'"),
        ("graphml", graphml(NODES + NODES + EDGE), "the switch 'a' is listed twice"),
        ("graphml", graphml(NODES + "<edge source='a' target='c'/>"), "a cable ends at 'c', which"),
        ("graphml", graphml(NODES + "<edge source='a'/>"), "<edge> has no attribute 'target'"),
        ("graphml", graphml(NODES + "<edge source='a' target='a'/>"), "switch 0 .a. to itself"),
        ("graphml", graphml(NODES), "has no cables"),
        ("graphml", graphml("<node id='a'/>"), "how many endpoints switch 'a' has is not said"),
        ("graphml", graphml(NODES.replace(">1<", ">-1<") + EDGE), "'a' has -1 endpoints; expected"),
        ("graphml", graphml(NODES.replace(">1<", ">nan<") + EDGE), "endpoints of this node: 'n"),
        ("graphml", graphml(NODES.replace(">1<", ">1.5<") + EDGE), "'1.5' is not an integer"),
        ("graphml", graphml(NODES.replace(">1<", f">{'9' * 99}<") + EDGE), "expected 0"),
        ("graphml", graphml(NODES.replace(">1<", f">{'9' * 5000}<") + EDGE), "is not a"),
        ("graphml", graphml(NODES.replace(">1<", ">1e999<") + EDGE), "endpoints of this node"),
        ("graphml", graphml(NODES + 2 * "<edge id='1' source='a' target='b'/>"), "a second edge"),
        ("graphml", graphml("<graph/>"), "a second graph"),
        ("graphml", graphml("<hyperedge/>"), "a hyperedge"),
        ("graphml", graphml("<node id='a'><data key='x'/></node>"), "key 'x', which is not"),
        ("graphml", graphml(NODES.replace("'b'", "'&#7;'") + EDGE), "invalid character"),
        ("graphml", edges(("up", "5"), (None, None)), "the kind of the cable from 'a' to 'b'"),
        (
            "graphml",
            edges(("up", "5"), ("up", "6")),
            "cables of kind 'up' have latencies of 5 and of 6 cycles; all of one kind",
        ),
        ("graphml", edges(("up", "5"), ("under", "6")), "begin with the same letter"),
        ("graphml", edges(("Up", "5")), "the name 'Up' of a kind of links"),
        ("graphml", edges(("up", "0")), "the latency 0 of up links is out of range: 1..4096"),
        ("graphml", edges(("up", "nan")), "the latency of this edge: 'nan'"),
        ("edgelist", "", "has no cables"),
        ("edgelist", "0 1\n1 2 3\n", "line 2: expected two switches, not '1 2 3'"),
        ("edgelist", "# endpoints 1 1 1\n0 1\n", "no path from switch 0 to switch 2"),
        ("edgelist", "# endpoints 1 1\n", "endpoints of 2 switches; the cables have 0"),
        ("edgelist", "# endpoints 1 1\n0 1\n1 2\n", "endpoints of 2 switches; the cables have 3"),
        ("edgelist", "# endpoints 1\n# endpoints 1\n0 1\n", "line 2: a second line of endpoints"),
        ("edgelist", "# endpoints 1 x\n0 1\n", "line 1: 'x' is not an integer"),
        ("edgelist", "# endpoints 1 -1\n0 1\n", "switch '1' has -1 endpoints; expected 0.."),
        ("edgelist", "0 1\n", "how many endpoints switch '0' has is not said: .*--endpoints"),
        ("edgelist", "# endpoints 1 1 1\n0 9\n", "endpoints of 3 switches; .* switch 9"),
        ("edgelist", "0 99999999999999\n", "how many endpoints"),
        ("edgelist", "1 2\n02 3\n", "switches '2' and '02' have the same number"),
        ("edgelist", "0 1#left\n", "switch '1#left': a comment begins behind a blank"),
        ("edgelist", "0 0\n# endpoints 1\n", "from switch 0 to itself"),
        ("edgelist", b"0 \xff\n", "no text file"),
        ("gml", "graph [ node [ id 1 ]", "no GML: "),
        ("gml", "graph " + "[ a " * 5000, "no GML: "),
        ("gml", "graph [ node [ id 1 endpoints 1.5 ] ]", "the endpoints of node '1': '1.5' is not"),
        ("gml", "graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", "no GML: .* undefined"),
        ("node-link", '{"nodes": [1], "links": []}', "no node-link graph: "),
        ("node-link", '{"nodes": [], "links": 3}', "no node-link graph: "),
        (
            "node-link",
            '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}',
            "a link to a node that is not listed",
        ),
        ("json", '{"switches": 10000000, "endpoints": [1], "links": []}', "for 10,000,000"),
        ("json", '{"switches": 2, "endpoints": [1, -1], "links": [[0, 1]]}', "endpoints.1: "),
        ("json", '{"switches": 2, "endpoints": [1, NaN], "links": [[0, 1]]}', "endpoints.1: "),
        ("json", '{"switches": 2, "endpoints": [1, 1], "links": [[0, 1]], "x": 1}', "x: Extra"),
        ("json", '{"nodes": []}', "is missing; expected .* or switches, endpoints, links"),
        ("json", "[" * 100_000, "Invalid JSON"),
        ("json", b"{\xff}", "Invalid JSON"),
    ],
)  # fmt: skip
def test_what_is_no_network_is_refused(name: str, content: str | bytes, complaint: str) -> None:
    begin = time.monotonic()
    with pytest.raises(InvalidInput, match=complaint) as caught:
        read_as(content, name)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - begin < 5


def test_sizes_are_limited_while_a_file_is_read() -> None:
    many = "".join(f"<node id='{one}'/>" for one in range(20_001))
    with pytest.raises(InvalidInput, match="more than 20,000 switches, the limit"):
        read_as(graphml(many), "graphml")
    with pytest.raises(InvalidInput, match=r"the XML has 2,000,0\d\d < and =; at most"):
        read_as(graphml("<a/>" * 2_000_000), "graphml")
    with pytest.raises(InvalidInput, match="a tag or comment has more than 1,048,576 bytes"):
        read_as(graphml("<a " + " ".join(f"a{one}=''" for one in range(200_000)) + "/>"), "graphml")
    with pytest.raises(InvalidInput, match="more than 20,000 switches, the limit"):
        read_as("".join(f"a{one} b\n" for one in range(20_001)), "edgelist", 1)
    with pytest.raises(InvalidInput, match="more than 1,000,000 cables, the limit"):
        read_as("0 1\n" * 1_000_001, "edgelist", 1)
    with pytest.raises(InvalidInput, match="line 1: endpoints of more than 20,000 switches"):
        read_as(f"# endpoints {'1 ' * 1_000_000}\n0 1\n", "edgelist")
    with pytest.raises(InvalidInput, match="line 1: expected two switches"):
        read_as(f"0 {' ' * 1_000_000} 1\n", "edgelist")
    with pytest.raises(InvalidInput, match="line 1: more than 1,048,576 characters"):
        read_as(f"router 0 {'node 1 ' * 200_000}\n", "booksim-anynet")


def test_endpoints_are_not_said_twice(tmp_path: Path) -> None:
    for name in READ_AND_WRITTEN:
        with pytest.raises(InvalidInput, match="says how many"):
            read_as(text_of(Dragonfly(1, 2, 1, 3), name), name, 1)
    path = tmp_path / "ring.edges"
    path.write_text("0 1\n1 2\n2 0\n")
    assert read_network(path, 2).num_nodes == 6


def test_unknown_content_names_the_formats(tmp_path: Path) -> None:
    path = tmp_path / "network.data"
    path.write_text("a picture of a network\n")
    with pytest.raises(InvalidInput, match=r"network\.data: its content is not .*edgelist.* json"):
        parse_topology(str(path))
    with pytest.raises(InvalidInput, match=re.escape(".graphml")):
        parse_topology("no-such-network")


# Two switches and a node of two, one cable named from both ends, and two parallel ones.
_GML = """Creator "x"
graph [
  directed 1
  node [ id 7 label "a" endpoints 1 ]
  node [ id 3 label "b" endpoints 1 ]
  node [ id 5 label "b" endpoints 2 ]
  edge [ source 7 target 3 kind "up" latency 5.0 ]
  edge [ source 3 target 5 kind "down" ]
  edge [ source 3 target 5 kind "down" ]
]
"""
_NODE_LINK = {
    "directed": True,
    "nodes": [
        {"id": 7, "label": "a", "endpoints": 1},
        {"id": 3, "label": "b", "endpoints": 1},
        {"id": 5, "label": "b", "endpoints": 2},
    ],
    "links": [
        {"source": 7, "target": 3, "kind": "up", "latency": 5},
        {"source": 3, "target": 5, "kind": "down"},
        {"source": 3, "target": 5, "kind": "down"},
    ],
}


def test_graphs_are_read_as_networkx_does(tmp_path: Path) -> None:
    up, down = [[0, 1]], [[1, 2], [1, 2]]
    expected = ListedTopology([1, 1, 2], [up, down], kinds_of({"up": 5, "down": 10}))
    edges = {**_NODE_LINK, "edges": _NODE_LINK["links"]}
    del edges["links"]
    found: list[ListedTopology] = []
    for name, text in (
        ("x.gml", _GML),
        ("x.data", _GML),
        ("x.json", json.dumps(_NODE_LINK)),
        ("y.data", json.dumps(edges)),
    ):
        (tmp_path / name).write_text(text)
        found.append(listed(read_network(tmp_path / name)))
    assert found == [expected] * 4
    assert {one.labels for one in found} == {("a", "b", "b")}
    # What networkx itself writes.
    ends = [(0, 3), (0, 5), (1, 2), (1, 4), (2, 3), (2, 5), (3, 4)]
    graph: nx.Graph[int] = nx.Graph(ends)
    nx.write_gml(graph, tmp_path / "z.gml")
    (tmp_path / "z.json").write_text(json.dumps(nx.node_link_data(graph, edges="links")))
    networks = [read_network(tmp_path / name, 2) for name in ("z.gml", "z.json")]
    assert networks[0] == networks[1]
    names = [int(label) for label in listed(networks[0]).labels]
    assert sorted(names) == [*range(6)]
    (cables,) = listed(networks[0]).cables()
    read = np.sort(np.array(names)[cables], axis=1)
    assert np.array_equal(read[np.lexsort(read.T[::-1])], ends)


def test_a_graph_of_yed_is_read() -> None:
    labels = "".join(
        f"<node id='n{one}'><data key='d'><y:ShapeNode xmlns:y='http://www.yworks.com/xml/graphml'>"
        f"<y:NodeLabel>{name}</y:NodeLabel></y:ShapeNode></data></node>"
        for one, name in enumerate(("left", "right"))
    )
    key = "<key id='d' for='node' yfiles.type='nodegraphics'/>"
    edge = "<edge id='e0' source='n0' target='n1'/>"
    text = f"<graphml>{key}<graph edgedefault='directed' id='G'>{labels}{edge}</graph></graphml>"
    network = listed(read_as(text, "graphml", 3))
    assert (network.labels, network.num_links, network.num_nodes) == (("left", "right"), 2, 6)
