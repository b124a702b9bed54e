"""What sweeps know of the sizes of a family is what its networks are; a new one is tested here."""

import itertools
from collections.abc import Mapping

import numpy as np
import pytest

from tests.designs.sizings import HYPERXES, SLIM_FLIES
from tvlb.designs import PriceList, Rate, hardware_of, quantity_names
from tvlb.designs.quantities import Sizes
from tvlb.errors import InvalidInput
from tvlb.requests import TableBody
from tvlb.sweeps.columns import columns_of
from tvlb.sweeps.rows import failed_row
from tvlb.topology import Family, Sizing, Topology, families, parse_topology, sized_families

PRICES = PriceList(
    "EUR",
    Rate(models=((7, 11.0), (200, 31.0))),
    {"local": 3.0, "global": 7.0, "link": 9.0}
    | dict(zip("xyzwvutsabcdef", range(2, 16), strict=True)),
    Rate(5.0, 2.0),
    {"global": 1.0, "x": 1.0, "w": 3.0},
)
# Values of each parameter from its lowest one on; two where many parameters make many networks.
VALUES = {"dfly": 5, "fattree3": 12, "slimfly": 9}
MANY = 5
every_sizing = pytest.mark.parametrize(
    "family", sized_families().values(), ids=list(sized_families())
)


def sizing_of(family: Family) -> Sizing:
    assert family.sizing is not None
    return family.sizing


def combinations(family: Family) -> list[dict[str, int]]:
    """All small ones, whether or not they are networks."""
    parameters = sizing_of(family).parameters
    number = VALUES.get(family.name, 4 if len(parameters) < MANY else 2)
    values = (range(one.low, one.low + number) for one in parameters)
    names = [one.name for one in parameters]
    return [dict(zip(names, each, strict=True)) for each in itertools.product(*values)]


def built(family: Family, given: Mapping[str, int]) -> Topology | None:
    """Return the network if there is one, with VLB paths."""
    try:
        network = family.signature.make(**given)
        network.check_searchable()
    except InvalidInput:
        return None
    return network


def sizes_of(family: Family, rows: list[dict[str, int]]) -> Sizes:
    sizing = sizing_of(family)
    columns = {name: np.array([float(row[name]) for row in rows]) for name in sizing.names}
    return Sizes(sizing, columns, PRICES)


def kinds_of(network: Topology) -> dict[str, int]:
    links = np.bincount(network.network.link_kind, minlength=len(network.kinds.names))
    return {kind: int(n) // 2 for kind, n in zip(network.kinds.names, links, strict=True)}


@every_sizing
def test_quantities_are_those_of_the_networks(family: Family) -> None:
    rows = combinations(family)
    sizes = sizes_of(family, rows)
    networks = [built(family, row) for row in rows]
    are_networks = sizing_of(family).are_networks(sizes.parameters)
    assert are_networks.tolist() == [network is not None for network in networks]
    kept = sizes.at(are_networks)
    known = [network for network in networks if network is not None]
    assert len(known) > 10
    expected: dict[str, list[float]] = {
        "nodes": [one.num_nodes for one in known],
        "switches": [one.num_switches for one in known],
        "radix": [one.switch_ports.max() for one in known],
        "cables": [one.num_links / 2 for one in known],
        "cost": [PRICES.cost(hardware_of(one))[0] for one in known],
        "cost_per_node": [PRICES.cost(hardware_of(one))[0] / one.num_nodes for one in known],
        "watts": [PRICES.watts(hardware_of(one))[0] for one in known],
        **{
            f"{kind}_cables": [kinds_of(one).get(kind, 0) for one in known]
            for kind in family.topology.kinds.names
        },
    }
    for name, values in expected.items():
        assert kept.value(name).tolist() == values, name
    others = {*quantity_names(sizing_of(family))} - expected.keys() - {*sizing_of(family).names}
    assert others == {*sizing_of(family).others}


def test_links_per_pair_of_dragonflies_and_degrees_of_slim_flies() -> None:
    dragonflies, slim_flies = families()["dfly"], families()["slimfly"]
    for family, name in ((dragonflies, "links_per_pair"), (slim_flies, "degree")):
        rows = [row for row in combinations(family) if built(family, row) is not None]
        for row, value in zip(rows, sizes_of(family, rows).value(name).tolist(), strict=True):
            network = built(family, row)
            assert network is not None
            if family is slim_flies:
                assert (
                    np.bincount(network.network.link_source).tolist()
                    == [value] * network.num_switches
                )
            else:
                metadata = network.metadata
                assert metadata["fewest_links_per_group_pair"] == int(value)


@every_sizing
def test_what_is_left_out_has_its_usual_value(family: Family) -> None:
    sizing = sizing_of(family)
    optional = [one.name for one in sizing.parameters if one.usual is not None]
    for row in combinations(family):
        given = {name: value for name, value in row.items() if name not in optional}
        if (network := built(family, given)) is None:
            continue
        numbers = {name: np.array([float(value)]) for name, value in given.items()}
        (nodes,) = sizing.nodes(sizing.completed(numbers)).tolist()
        assert nodes == network.num_nodes


@every_sizing
def test_rows_have_the_columns_of_the_family(family: Family) -> None:
    sizing = sizing_of(family)
    columns = columns_of([family.name])
    own = {column.name for column in sizing.columns}
    assert own == {column.name for column in columns} - {one.name for one in columns_of([])}
    rows = [row for row in combinations(family) if built(family, row) is not None][:20]
    for given in rows:
        network = family.signature.make(**given)
        made = failed_row(0, "", TableBody(topology=str(network)), "no")
        assert list(made) == [column.name for column in columns]
        assert {name: made[name] for name in sizing.names} == given
        assert made["radix"] == network.switch_ports.max()
        for kind, cables in kinds_of(network).items():
            assert made[f"{kind}_cables"] == cables
        for column in sizing.columns:
            expected = {"integer": int, "number": float, "text": str}[column.type]
            assert type(made[column.name]) is expected


@pytest.mark.parametrize("sides", list(itertools.product((1, 2, 3), repeat=4)))
def test_a_hyperx_has_sides_without_a_gap(sides: tuple[int, ...]) -> None:
    family = families()["hyperx"]
    columns = {
        name: np.array([float(value)])
        for name, value in zip(HYPERXES.names, (2, *sides), strict=True)
    }
    given = {name: int(values[0]) for name, values in columns.items() if values[0] > 1}
    network = built(family, given) if "s1" in given else None
    assert HYPERXES.are_networks(columns).tolist() == [network is not None]
    if network is not None:
        sizes = Sizes(HYPERXES, columns, PRICES)
        assert sizes.value("nodes") == network.num_nodes
        assert sizes.value("radix") == network.switch_ports.max()
        assert sizes.value("cost") == PRICES.cost(hardware_of(network))
        cables = {axis: int(sizes.value(f"{axis}_cables")[0]) for axis in "xyzw"}
        assert {axis: number for axis, number in cables.items() if number} == kinds_of(network)


def test_the_sizes_of_the_paper() -> None:
    # Besta and Hoefler's networks: q, switches, links of a switch; nodes per switch are half of
    # them, rounded up.
    known = {5: (50, 7), 7: (98, 11), 9: (162, 13), 13: (338, 19), 17: (578, 25), 19: (722, 29)}
    sizes = SLIM_FLIES.completed({"q": np.array([*known], dtype=np.float64)})
    found = [SLIM_FLIES.quantities[name](sizes).tolist() for name in ("switches", "degree")]
    assert [*zip(*found, strict=True)] == [*known.values()]
    assert sizes["p"].tolist() == [4, 6, 7, 10, 13, 15]
    network = parse_topology("slimfly(13)")
    assert (network.num_nodes, network.nodes_per_switch) == (3380, 10)
