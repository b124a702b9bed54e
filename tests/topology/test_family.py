"""The registry of families: what one declares is known wherever topologies are named."""

import numpy as np
import pytest

from tests.topology.toy import Ring
from tvlb.errors import InvalidInput
from tvlb.requests import (
    BeyondLimits,
    RequestLimits,
    SimulationBody,
    SweepBody,
    TableBody,
    command_line,
)
from tvlb.requests.figures import LinkLoad
from tvlb.requests.kinds.model import ModelBody
from tvlb.table import NamedRecord, TableHeader, record_of, table_kinds
from tvlb.topology import (
    Dragonfly,
    ListedTopology,
    Topology,
    described,
    families,
    family_of,
    kinds_of,
    named_families,
    parse_named_topology,
    parse_topology,
    topology_forms,
    topology_regex,
)


@pytest.fixture(autouse=True)
def _toys(toys: None) -> None:
    """Let the families of `toy` be there."""


def test_a_family_is_known_by_its_name() -> None:
    assert [*families()] == [
        *("dfly", "dflyplus", "fattree3", "ft2", "grid", "hypercube", "hyperx", "kary", "leaves"),
        *("network", "random", "ring", "slimfly", "torus"),
    ]
    assert [*named_families()] == [one for one in families() if one != "network"]
    assert family_of(Ring(3)).topology is Ring
    assert ", ring(N[,P]), slimfly(Q[,P][,XI][,min=MIN]) or torus(" in topology_forms()


@pytest.mark.parametrize("text", ["ring(3,2)", " ring ( 3 , 2 ) "])
def test_its_networks_are_parsed(text: str) -> None:
    network = parse_topology(text)
    assert isinstance(network, Ring)
    assert (network.num_switches, network.num_nodes) == (3, 6)
    assert str(parse_named_topology(text)) == "ring(3,2)"
    assert str(parse_named_topology("ring(3,1)")) == "ring(3)"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "ring",
            r"'ring': there is no such file, nor a family .* ring\(N\[,P\]\), slimfly\(",
        ),
        ("ring(0)", r"N '0' is out of range: integers 3\.\.100000"),
        (
            "grid(3,1)",
            r"K1,K2,\.\.\. '1' is out of range: integers 2\.\.99; .* grid\(K1,K2,\.\.\.\)",
        ),
        ("grid(2,2,2,2,2,2)", r"K1,K2,\.\.\. has 6 values; allowed are 1\.\.5"),
        ("cube(3)", "'cube' is not dfly, .*, grid, .*, leaves, .*, ring, slimfly or torus;"),
    ],
)
def test_what_is_none_of_its_networks_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        parse_topology(text)


def test_its_parameters_may_end_in_a_list() -> None:
    network = parse_topology("grid( 4, 3 ,2)")
    assert (str(network), network.num_switches) == ("grid(4,3,2)", 24)
    assert record_of(network) == NamedRecord(name="grid(4,3,2)", path_names="positions")
    assert record_of(network).build() == network
    assert ModelBody(topology="grid(4,3,2)").network() == network
    pattern = r"|grid *\( *[1-9][0-9]{0,1}( *, *[1-9][0-9]{0,1}){0,4} *\)"
    assert pattern in topology_regex()


def test_requests_name_it() -> None:
    body = ModelBody.model_validate_json('{"topology": "ring(3)"}')
    assert body.network() == Ring(3)
    assert described(body.network()) == "ring(3)"
    assert "|ring *" in str(ModelBody.model_json_schema()["properties"]["topology"])
    with pytest.raises(ValueError, match=r"N '0' is out of range: integers 3\.\.100000"):
        ModelBody.model_validate_json('{"topology": "ring(0)"}')


@pytest.mark.parametrize("text", ["ring(6,2)", "leaves(6,4)", "grid(3,3)"])
def test_requests_are_examined(text: str) -> None:
    for body in (
        ModelBody(topology=text, pattern="uniform"),
        SimulationBody(topology=text, load=(0.1,)),
        TableBody(topology=text),
        TableBody(topology=text, method="paper"),
    ):
        resolved, cost = body.examined(RequestLimits())
        assert resolved.topology == text
        assert resolved.resolved() == resolved
        assert cost.cpu_seconds > 0
        assert text in command_line(resolved)


def test_sweeps_list_it_in_no_arrangement() -> None:
    asked = {"topologies": ["ring(6, 2)", "2,4,2,5"], "arrangements": ["absolute", "palmtree"]}
    points = SweepBody.model_validate(asked).points(RequestLimits())
    assert [point.topology for point in points] == [
        "ring(6,2)",
        "dfly(2,4,2,5)",
        "dfly(2,4,2,5,palmtree)",
    ]


def test_its_sizes_are_limited_before_anything_is_built() -> None:
    with pytest.raises(BeyondLimits, match="1,000 switches"):
        ModelBody(topology="ring(1000)").network(RequestLimits(switches=999))


def test_headers_of_tables_record_its_text() -> None:
    record = record_of(Ring(3, 2))
    assert record == NamedRecord(name="ring(3,2)", path_names="positions")
    header = TableHeader(
        version="1", topology=record, expression="all", seed=0, paths_by_hops={}, mean_vlb_hops=None
    )
    document: dict[str, object] = {**header.model_dump(mode="json"), "removed": []}
    assert document["topology"] == {"name": "ring(3,2)", "path_names": "positions"}
    assert table_kinds()["T-VLB table"].split(document)[0] == header
    assert header.topology.build() == Ring(3, 2)


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ({"name": "cube(3)", "path_names": "positions"}, "'cube' is not"),
        ({"name": "dfly(2,4,2,9)", "path_names": "positions"}, "are named by link ids"),
    ],
)
def test_records_of_no_network_are_refused(record: dict[str, str], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        NamedRecord.model_validate(record).build()


NETWORKS: list[Topology] = [
    Dragonfly(2, 4, 2, 5, "palmtree"),
    Dragonfly.from_cables(1, 2, 1, 2, [[1, 3], [0, 2]]),
    ListedTopology([1, 0, 2], [[[0, 1], [2, 1]]], labels=["a", "b", "c"]),
    ListedTopology([1, 0, 2], [[], [[0, 1], [2, 1]]], kinds_of({"near": 1, "far": 4096})),
]


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_whatever_describes_a_network_gives_it_back(network: Topology) -> None:
    assert record_of(network).build() == network
    text = described(network)
    found = parse_named_topology(text) if isinstance(text, str) else text
    assert found.build() == network
    if not isinstance(text, str):
        assert text.canonical() == text
        assert str(text) == str(network)


def test_documents_have_its_kinds_of_links() -> None:
    loads = LinkLoad.of(np.arange(6.0), Ring(3)).plain()
    assert loads == {"ring": {"mean": 2.5, "max": 5.0}, "by_link": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]}
    assert LinkLoad.model_validate(loads).plain() == loads
    with pytest.raises(ValueError, match="valid dictionary"):
        LinkLoad.model_validate(loads | {"ring": 2.5})
