"""Networks given by their cables alone: what they are, and what is refused."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tvlb.errors import InvalidInput
from tvlb.requests import Balance, RequestLimits
from tvlb.requests.figures import LinkLoad
from tvlb.requests.kinds.model import ModelBody
from tvlb.topology import (
    Dragonfly,
    Failures,
    LinkKinds,
    ListedTopology,
    Listing,
    Topology,
    compiled,
    explicit_type,
    families,
    family_of,
    kinds_of,
    listed,
    without,
)

PATH = [[0, 1], [1, 2]]
JSON: dict[str, Any] = {"switches": 3, "endpoints": [1, 0, 2], "links": PATH}
TWO = kinds_of({"near": 10, "far": 15})


def test_the_network_is_that_of_the_cables() -> None:
    topology = ListedTopology([1, 0, 2], [[[1, 0], [0, 1]], [[2, 1]]], TWO, labels=["a", "b", "c"])
    assert topology.network.node_switch.tolist() == [0, 2, 2]
    assert topology.network.link_source.tolist() == [0, 0, 1, 1, 1, 2]
    assert topology.network.link_target.tolist() == [1, 1, 0, 0, 2, 1]
    assert topology.network.link_kind.tolist() == [0, 0, 0, 0, 1, 1]
    assert topology.network.link_ordinal.tolist() == [0, 1, 0, 1, 0, 0]
    assert topology.longest_min_path in {(0, 1), (1, 0)}
    assert topology.halves == ("n", "f", "nf", "fn")
    assert not topology.is_named
    assert family_of(topology).topology is ListedTopology
    assert topology.graph.nodes[1] == {"nodes": 0, "label": "b"}


def test_links_are_numbered_as_those_of_the_same_dragonfly() -> None:
    dragonfly = Dragonfly(2, 4, 2, 9)
    network, same = listed(dragonfly).network, dragonfly.network
    assert (network.link_source == same.link_source).all()
    assert (network.link_target == same.link_target).all()
    assert (network.link_kind == same.link_kind).all()


def test_equal_networks_are_those_with_equal_nodes_cables_and_kinds() -> None:
    base = ListedTopology([1, 1, 1], [PATH])
    assert base == ListedTopology([1, 1, 1], [[[2, 1], [1, 0]]], path="net.json", labels="abc")
    assert hash(base) == hash(ListedTopology([1, 1, 1], [[[2, 1], [1, 0]]]))
    others = [
        ListedTopology([1, 1, 2], [PATH]),
        ListedTopology([1, 1, 1], [[[0, 1], [0, 2]]]),
        ListedTopology([1, 1, 1], [PATH], kinds_of({"link": 11})),
        ListedTopology([1, 1, 1], [PATH], kinds_of({"cable": 10})),
        ListedTopology([1, 1, 1], [PATH, []], kinds_of({"link": 10, "far": 10})),
    ]
    assert len({one.identity for one in (base, *others)}) == 6
    assert all(one != base for one in others)
    assert len({str(one) for one in (base, *others)}) == 6


def test_switches_that_are_down_need_not_be_reached() -> None:
    topology = ListedTopology([1, 0, 1, 0], [[[0, 2]]])
    assert topology.num_switches == 4
    ring = ListedTopology([1] * 4, [[[0, 1], [1, 2], [2, 3], [3, 0]]], labels=["a", "b", "c", "d"])
    left = without(ring, Failures(switches=(3,)))
    assert isinstance(left, ListedTopology)
    assert left == ListedTopology([1, 1, 1, 0], [PATH])
    assert left.labels == ring.labels


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: ListedTopology([1, 1], [[]]), r"network\(2 switches, .{8}\) has no cables"),
        (lambda: ListedTopology([0, 0], [[[0, 1]]]), "has no compute nodes"),
        (lambda: ListedTopology([1, -1], [[[0, 1]]]), r"switch 1 has -1 compute nodes; expected 0"),
        (lambda: ListedTopology([1.5, 1], [[[0, 1]]]), "no list of integers"),
        (lambda: ListedTopology([1, 10**8], [[[0, 1]]]), "switch 1 has 100000000 compute nodes"),
        (lambda: ListedTopology([1] * 20_001, [[]]), "20,001 switches; the limit is 20,000"),
        (lambda: ListedTopology([9_999_999, 9], [[[0, 1]]]), "10,000,008 compute nodes; the limit"),
        (lambda: ListedTopology([1, 1], [[[0, 2]]]), r"cable end 2 is no switch; expected 0\.\.1"),
        (lambda: ListedTopology([1, 1], [[[0, -1]]]), r"cable end -1 is no switch"),
        (lambda: ListedTopology([1, 1], [[[0, 1], [1, 1]]]), "a cable leads from switch 1 to its"),
        (lambda: ListedTopology([1, 1], [[0, 1]]), "link cables are no list of"),
        (
            lambda: ListedTopology([1] * 5, [[[0, 1], [2, 3]]], labels="abcde"),
            r"no path from switch 0 \(a\) to switch 2 \(c\); it falls into 3 parts",
        ),
        (lambda: ListedTopology([1, 1], [[[0, 1]]], labels="a"), "1 labels for 2 switches"),
        (lambda: ListedTopology([1, 1], [[[0, 1]]], TWO), "2 kinds of links, and cables of 1"),
        (lambda: ListedTopology([1, 1], [], LinkKinds((), (), ())), "0 kinds of links"),
        (
            lambda: ListedTopology([1, 1], [[[0, 1]], []], kinds_of({"long": 1, "link": 1})),
            "'long' and 'link' begin with the same letter",
        ),
        (lambda: ListedTopology([1, 1], [[[0, 1]]], kinds_of({"Link": 1})), "the name 'Link' of a"),
        (lambda: ListedTopology([1, 1], [[[0, 1]]], kinds_of({"paths": 1})), "neither paths nor r"),
        (lambda: ListedTopology([1, 1], [[[0, 1]]], kinds_of({"far": 0})), r"latency 0 of far .*1"),
    ],
)
def test_what_is_no_network_is_refused(make: Callable[[], Topology], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        make()


def test_documents_tell_the_links_of_any_kind() -> None:
    """No name of a kind is that of another key of a document about kinds."""
    for document in (Balance, LinkLoad):
        kinds = {kind for one in families().values() for kind in one.topology.kinds.names}
        fixed = document.model_fields.keys() - kinds
        for key in fixed:
            with pytest.raises(InvalidInput, match="the name"):
                ListedTopology([1, 1], [[[0, 1]]], kinds_of({key: 1}))
    topology = ListedTopology([1, 1, 1], [[[0, 1]], [[1, 2]]], TWO)
    loads = LinkLoad.of(np.ones(topology.num_links), topology).plain()
    assert loads.keys() == {"near", "far", "by_link"}


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"endpoints": [1, 1]}, "endpoints has 2 entries for 3 switches"),
        ({"switches": 10**9}, "endpoints has 3 entries for 1,000,000,000 switches"),
        ({"link_kinds": ["link"]}, "link_kinds has 1 entries for 2 links"),
        ({"kinds": [{"name": "a"}, {"name": "b"}]}, "link_kinds is missing: there are 2 kinds"),
        ({"kinds": [{"name": "a"}, {"name": "a"}]}, "kinds lists a kind of links twice"),
        ({"kinds": [{"name": "a"}], "link_kinds": ["a", "b"]}, "'b', which kinds does not list: a"),
        ({"links": [[0, 1], [1, 3]]}, "cable end 3 is no switch"),
    ],
)
def test_listings_that_do_not_fit_are_refused(changes: dict[str, Any], complaint: str) -> None:
    listing = Listing.model_validate(JSON | changes)
    assert str(listing).startswith("network(")
    assert listing.canonical() == listing
    with pytest.raises(InvalidInput, match=complaint):
        listing.build()


@pytest.mark.parametrize(
    "changes",
    [
        {"endpoints": [1, -1, 1]},
        {"endpoints": [1, 1e30, 1]},
        {"links": [[0, 1, 2]]},
        {"links": [[0, "1"]]},
        {"links": [[0, float("nan")]]},
        {"kinds": [{"name": "Far"}]},
        {"kinds": [{"name": "far", "latency": 0}]},
        {"color": "red"},
    ],
)
def test_malformed_listings_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Listing.model_validate(JSON | changes)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data())
def test_whatever_is_listed_is_built_again(data: st.DataObject) -> None:
    switches = data.draw(st.integers(2, 12))
    ring = [[one, (one + 1) % switches] for one in range(switches)]
    ends = st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1))
    more = data.draw(st.lists(ends.filter(lambda pair: pair[0] != pair[1]), max_size=20))
    names = data.draw(st.lists(st.sampled_from("abcdefgh"), min_size=1, unique=True))
    cables: list[list[Any]] = [ring, *([] for _ in names[1:])]
    for pair in more:
        cables[data.draw(st.integers(0, len(names) - 1))].append(pair)
    topology = ListedTopology(
        data.draw(st.lists(st.integers(0, 3), min_size=switches, max_size=switches).filter(any)),
        cables,
        kinds_of({name: data.draw(st.integers(1, 4096)) for name in names}),
        labels=data.draw(st.sampled_from([(), [f"switch {one}" for one in range(switches)]])),
    )
    listing = Listing.of(topology)
    again = TypeAdapter(explicit_type()).validate_json(listing.model_dump_json())
    assert again == listing == listing.canonical()
    assert str(again) == str(topology)
    assert again.build() == topology
    assert again.build().labels == topology.labels
    assert compiled(again.build()) is compiled(topology)


def test_kinds_may_be_left_out() -> None:
    plain = Listing.model_validate(JSON).build()
    assert (plain.kinds.names, plain.kinds.latencies) == (("link",), (10,))
    named = Listing.model_validate(JSON | {"link_kinds": ["far", "near"]}).build()
    assert (named.kinds.names, named.kinds.latencies) == (("far", "near"), (10, 10))


def test_the_order_of_cables_makes_no_other_request() -> None:
    turned = JSON | {"links": [[2, 1], [1, 0]], "kinds": [{"name": "link"}]}
    keys = {
        ModelBody.model_validate(
            {"topology": one, "pattern": "uniform", "vlb": "<=2"}
        ).resolved().model_dump_json()
        for one in (JSON, turned)
    }  # fmt: skip
    assert len(keys) == 1


def test_sizes_are_limited_before_anything_is_built() -> None:
    with pytest.raises(InvalidInput, match="1,000,000,000 switches; this server computes"):
        ModelBody.model_validate({"topology": JSON | {"switches": 10**9}}).network(RequestLimits())
    with pytest.raises(InvalidInput, match="the topology has 2 link cables"):
        ModelBody.model_validate({"topology": JSON}).network(RequestLimits(cables=1))


def test_problems_are_told_in_the_terms_of_the_form_that_is_meant() -> None:
    for value, place in (
        (JSON | {"links": [[0, "1"]]}, ("links", 0, 1)),
        ({"p": 1, "a": 2, "h": 1, "g": 2, "links": [[0, "1"]]}, ("links", 0, 1)),
        ({"switches": 3}, ("endpoints",)),
    ):
        with pytest.raises(ValidationError) as caught:
            TypeAdapter(explicit_type()).validate_json(json.dumps(value))
        assert caught.value.errors()[0]["loc"][1:] == place
