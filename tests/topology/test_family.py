"""The registry of families: what one declares is known wherever topologies are named."""

from typing import Annotated

import pytest

from tvlb.calls import Whole
from tvlb.errors import InvalidInput
from tvlb.schemas import BeyondLimits, ModelBody, RequestLimits
from tvlb.table import TableHeader
from tvlb.table.header import NamedRecord, record_of, split
from tvlb.topology import (
    Dragonfly,
    Family,
    NetworkSizes,
    Topology,
    described,
    families,
    family_of,
    parse_named_topology,
    parse_topology,
    register,
    topology_forms,
)


class Pair(Dragonfly):
    """Two groups of some switches, under a name of its own."""

    name = "pair"
    path_names = "positions"

    def __init__(
        self,
        switches: Annotated[int, Whole("N", 1, 1000)],
        nodes: Annotated[int, Whole("P", 1, 9)] = 1,
    ) -> None:
        super().__init__(nodes, switches, 1, 2)

    def __str__(self) -> str:
        return f"pair({self.switches_per_group},{self.nodes_per_switch})"


def pair_sizes(switches: int, nodes: int = 1) -> NetworkSizes:
    return NetworkSizes(2 * switches, 2 * switches * nodes, {"global": switches})


@pytest.fixture(autouse=True)
def _pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tvlb.topology.family._REGISTERED", families())
    register(Family(Pair, pair_sizes, example="pair(3)"))


def test_a_family_is_known_by_its_name() -> None:
    assert [*families()] == ["dfly", "pair"]
    assert family_of(Pair(3)).topology is Pair
    assert topology_forms().endswith("dfly(p,a,h,g[,arrangement]) or pair(N[,P])")


@pytest.mark.parametrize("text", ["pair(3,2)", " pair ( 3 , 2 ) "])
def test_its_networks_are_parsed(text: str) -> None:
    network = parse_topology(text)
    assert isinstance(network, Pair)
    assert (network.num_switches, network.num_nodes) == (6, 12)
    assert str(parse_named_topology(text)) == "pair(3,2)"
    assert str(parse_named_topology("pair(3,1)")) == "pair(3)"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("pair", r"'pair' is not pair\(N\[,P\]\); expected .* pair\(N\[,P\]\), such as"),
        ("pair(0)", r"N '0' is out of range: integers 1\.\.1000"),
        ("ring(3)", "'ring' is not dfly or pair"),
    ],
)
def test_what_is_none_of_its_networks_is_refused(text: str, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        parse_topology(text)


def test_requests_name_it() -> None:
    body = ModelBody.model_validate_json('{"topology": "pair(3)"}')
    assert body.network() == Pair(3)
    assert described(body.network()) == "pair(3,1)"
    assert "|pair *" in str(ModelBody.model_json_schema()["properties"]["topology"])
    with pytest.raises(ValueError, match="should match pattern"):
        ModelBody.model_validate_json('{"topology": "pair(0)"}')


def test_its_sizes_are_limited_before_anything_is_built() -> None:
    with pytest.raises(BeyondLimits, match="2,000 switches"):
        ModelBody(topology="pair(1000)").network(RequestLimits(switches=1999))


def test_headers_of_tables_record_its_text() -> None:
    record = record_of(Pair(3, 2))
    assert record == NamedRecord(name="pair(3,2)", path_names="positions")
    header = TableHeader(
        version="1", topology=record, expression="all", seed=0, paths_by_hops={}, mean_vlb_hops=None
    )
    document: dict[str, object] = {**header.model_dump(mode="json"), "removed": []}
    assert document["topology"] == {"name": "pair(3,2)", "path_names": "positions"}
    assert split(document)[0] == header
    assert header.topology.build() == Pair(3, 2)


@pytest.mark.parametrize(
    ("record", "complaint"),
    [
        ({"name": "ring(3)", "path_names": "positions"}, "'ring' is not"),
        ({"name": "dfly(2,4,2,9)", "path_names": "positions"}, "are named by link ids"),
    ],
)
def test_records_of_no_network_are_refused(record: dict[str, str], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        NamedRecord.model_validate(record).build()


NETWORKS: list[Topology] = [
    Dragonfly(2, 4, 2, 5, "palmtree"),
    Dragonfly.from_cables(1, 2, 1, 2, [[1, 3], [0, 2]]),
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
