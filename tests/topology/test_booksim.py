"""BookSim's anynet: what is written is what BookSim reads, and files of others are read."""

from pathlib import Path

import pytest

from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.topology import (
    ListedTopology,
    Topology,
    kinds_of,
    network_formats,
    parse_topology,
)

FORM = network_formats()["booksim-anynet"]
RING = """router 0 node 0 router 1 7 router 2 7
router 1 node 1 router 2 7 router 0 7
router 2 node 2 node 3 router 0 7 router 1 7
"""


def text_of(topology: Topology) -> str:
    assert FORM.write is not None
    return b"".join(FORM.write(topology, "").files[""]).decode()


def read(text: str) -> Topology:
    assert FORM.read is not None
    return FORM.read(text.encode(), None).build()


def as_booksim(text: str) -> tuple[dict[int, int], dict[tuple[int, int], int]]:
    """Read nodes and links as BookSim does: of a direction that is not named the latency is 1."""
    router_of: dict[int, int] = {}
    latency: dict[tuple[int, int], int] = {}
    named = set[tuple[int, int]]()
    for line in text.splitlines():
        head, number, *words = line.split()
        assert head == "router"
        router = int(number)
        while words:
            kind, other = words.pop(0), int(words.pop(0))
            if kind == "node":
                # It takes a number here for a router.
                assert not words or words[0] in ("node", "router")
                router_of[other] = router
            else:
                assert kind == "router"
                latency[router, other] = int(words.pop(0))
                assert (router, other) not in named
                named.add((router, other))
                latency.setdefault((other, router), 1)
    return router_of, latency


@pytest.mark.parametrize("network", ["4,8,4,9", "2,4,2,9", "2,4,2,3"])
def test_booksim_reads_the_network(network: str, tmp_path: Path) -> None:
    topology = parse_topology(network)
    path = tmp_path / "net.anynet"
    assert main(["export", network, "--to", "booksim-anynet", "-o", str(path)]) == 0
    router_of, latency = as_booksim(path.read_text())
    assert list(router_of) == list(range(topology.num_nodes))
    assert list(router_of.values()) == topology.network.node_switch.tolist()
    links = topology.network
    ends = zip(links.link_source.tolist(), links.link_target.tolist(), strict=True)
    assert latency == {
        pair: topology.kinds.latencies[kind]
        for pair, kind in zip(ends, links.link_kind.tolist(), strict=True)
    }
    again = parse_topology(str(path))
    assert again.kinds.names == ("a10", "b15")
    assert text_of(again) == path.read_text()


def test_files_of_others_are_read() -> None:
    expected = ListedTopology([1, 1, 2], [[[0, 1], [1, 2], [0, 2]]], kinds_of({"link": 7}))
    assert read(RING) == expected
    # Nodes and lines in any order, nodes with lines of their own, blanks.
    turned = list(reversed(RING.replace(" node 1", "").splitlines()))
    assert read("\n".join(["node 1 router 1", "", *turned, "  "])) == expected
    # Latency 1 need not be said.
    assert read("router 0 node 0 router 1\nrouter 1 node 1") == ListedTopology(
        [1, 1], [[[0, 1]]], kinds_of({"link": 1})
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("switch 0 node 0", "line 1: expected router or node, not 'switch'"),
        ("router", "line 1: router has no number"),
        ("router x", "line 1: 'x' is not an integer"),
        ("router -1", "line 1: -1 is out of range: 0"),
        ("router 0 5 node 0", "line 1: a number behind router 0, where the line begins"),
        ("router 0 node 0 5 router 1", "line 1: a number behind node 0, which booksim misreads"),
        ("router 0 router 1 2 3", "line 1: expected router or node, not '3'"),
        ("router 0 router 1 router 1", "line 1: a second link from router 0 to 1"),
        ("node 0 node 1", "line 1: node 0 is linked to node 1"),
        ("router 0 node 0\nrouter 1 node 0", "line 2: node 0 has two routers, 0 and 1"),
        ("router 0 node 0 router 1 5", "router 0 to 1 has latency 5, and back 1; cables"),
        ("router 0 node 0 router 2", "router 1 is missing"),
        ("router 0 node 1 router 1", "node 0 is missing"),
        ("router 0 router 1", "has no compute nodes"),
        ("router 0 router 0 node 0", "from switch 0 to itself"),
        ("router 0 node 0 router 19999999", "line 1: 19999999 is out of range: 0..10,000,000"),
        ("", "has no cables"),
    ],
)
def test_what_is_no_network_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_held() -> None:
    alone = ListedTopology([1, 1, 0], [[[0, 1]]])
    with pytest.raises(InvalidInput, match=r"switch 2 of .* has no cable; booksim-anynet cannot"):
        text_of(alone)
    with pytest.raises(InvalidInput, match="parallel cables, first between the switches 0 and 1"):
        text_of(ListedTopology([1, 1], [[[0, 1], [0, 1]]]))
