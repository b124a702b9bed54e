"""What holds for every family: a new one is tested here without a change."""

import json
import re

import numpy as np
import pytest
from pydantic import TypeAdapter

from tvlb.requests.figures import LinkLoad
from tvlb.table import NamedRecord, record_of
from tvlb.topology import (
    Family,
    ListedTopology,
    Topology,
    described,
    families,
    kinds_of,
    metadata_type,
    named_families,
    parse_named_topology,
    parse_topology,
    topology_regex,
)

every_family = pytest.mark.parametrize("family", families().values(), ids=families())
every_named_family = pytest.mark.parametrize(
    "family", named_families().values(), ids=named_families()
)


def network_of(family: Family) -> Topology:
    if family.sizes is None:
        assert family.topology is ListedTopology
        return ListedTopology([1, 0, 2], [[[0, 1], [0, 1], [1, 2]], [[2, 0]]], TWO_KINDS)
    return parse_topology(family.example)


TWO_KINDS = kinds_of({"near": 10, "far": 15})


@every_named_family
def test_str_parses_back(family: Family) -> None:
    network = network_of(family)
    assert type(network) is family.topology
    assert parse_topology(str(network)) == network
    assert hash(parse_topology(str(network))) == hash(network)
    assert parse_named_topology(str(network)).build() == network
    assert str(parse_named_topology(str(network))) == str(network)
    assert described(network) == str(network)
    assert network.misnomer is None


@every_named_family
def test_its_texts_match_the_pattern(family: Family) -> None:
    for text in (family.example, str(network_of(family)), family.example.replace(",", " , ")):
        assert re.fullmatch(topology_regex(), text)
    assert not re.fullmatch(topology_regex(), f"{family.name}(machine.json)")


@every_family
def test_sizes_are_those_of_the_network(family: Family) -> None:
    network = network_of(family)
    text = described(network)
    sizes = (parse_named_topology(text) if isinstance(text, str) else text).sizes
    assert (sizes.switches, sizes.nodes) == (network.num_switches, network.num_nodes)
    assert sizes.cables.keys() == set(network.kinds.names)
    kinds = np.bincount(network.network.link_kind, minlength=len(network.kinds.names))
    for name, links in zip(network.kinds.names, kinds.tolist(), strict=True):
        # Ports may be left over.
        assert 0.5 * sizes.cables[name] <= links / 2 <= sizes.cables[name]


@every_family
def test_kinds_are_told_apart(family: Family) -> None:
    kinds = network_of(family).kinds
    assert len({name[0] for name in kinds.names}) == len(kinds.names)
    assert len(kinds.latencies) == len(kinds.texts) == len(kinds.names)
    assert all(text.endswith(".") for text in kinds.texts)


@every_family
def test_cables_go_both_ways(family: Family) -> None:
    network = network_of(family).network
    columns = (network.link_kind, network.link_ordinal)
    there = [*zip(network.link_source, network.link_target, *columns, strict=True)]
    back = [*zip(network.link_target, network.link_source, *columns, strict=True)]
    assert sorted(there) == sorted(back)
    assert (network.link_source != network.link_target).all()
    ids = np.lexsort(
        (network.link_ordinal, network.link_target, network.link_source, network.link_kind)
    )
    assert (ids == np.arange(network.num_links)).all()


@every_family
def test_headers_and_documents_describe_it(family: Family) -> None:
    network = network_of(family)
    record = record_of(network)
    assert isinstance(record, family.record or NamedRecord)
    assert type(record).model_validate_json(record.model_dump_json()).build() == network
    metadata = dict(network.metadata)
    assert {"switches", "nodes", "links"} <= metadata.keys()
    assert TypeAdapter(metadata_type()).validate_python(metadata).plain() == metadata
    loads = LinkLoad.of(np.ones(network.num_links), network).plain()
    assert loads.keys() == {*network.kinds.names, "by_link"}
    assert LinkLoad.model_validate_json(json.dumps(loads)).plain() == loads


@every_family
def test_pictures_have_every_switch(family: Family) -> None:
    network = network_of(family)
    layout, links = network.layout, network.network
    assert layout.groups * layout.switches_per_group == network.num_switches
    places = layout.places
    assert len(set(places)) == len(places)
    assert len(places) in (0, network.num_switches)
    assert all(0.0 < end < 1.0 for x, y, *_ in (*places, *layout.labels) for end in (x, y))
    inside = (
        links.link_source // layout.switches_per_group
        == links.link_target // layout.switches_per_group
    )
    assert (np.flatnonzero(inside) < layout.first_global_link).all()
    assert inside.sum() == layout.first_global_link
