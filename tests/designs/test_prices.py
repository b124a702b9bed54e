"""What networks cost, counted by hand."""

from collections.abc import Mapping

import pytest

from tests.designs.sizings import DRAGONFLIES
from tests.topology.toy import Leaves
from tvlb.designs import DesignSpace, PriceList, Rate, parse_constraint, parse_range
from tvlb.errors import InvalidInput
from tvlb.topology import Failures, parse_topology, without

LINEAR = Rate(fixed=100, per_port=10)
CABLES = {"local": 3.0, "global": 7.0}


def listed(
    switch: Rate = LINEAR,
    cable: Mapping[str, float] = CABLES,
    switch_watts: Rate | None = None,
    cable_watts: Mapping[str, float] | None = None,
) -> PriceList:
    return PriceList("EUR", switch, cable, switch_watts, cable_watts or {})


def test_a_dragonfly() -> None:
    # 36 switches of 2 + 3 + 2 = 7 ports, 9 * 6 local cables and 36 pairs with one global cable.
    bill = listed(switch_watts=Rate(models=((8, 50.0),)), cable_watts={"local": 0, "global": 2})
    found = bill.bill(parse_topology("dfly(2,4,2,9)"))
    assert (found.currency, found.cost, found.watts) == (
        "EUR",
        36 * 170 + 54 * 3 + 36 * 7,
        36 * 50 + 36 * 2,
    )


def test_switches_of_a_dragonfly_are_alike_where_ports_stay_free() -> None:
    # 4 * 2 global ports for 4 other groups are 2 each; for 6 they are 1 each, and 2 stay free.
    network = parse_topology("dfly(2,4,2,7)")
    assert listed().bill(network).cost == 28 * 170 + 7 * 6 * 3 + 21 * 7
    assert listed().bill(network).watts is None


@pytest.mark.usefixtures("toys")
def test_a_network_of_another_family_is_counted_by_its_links() -> None:
    # Four leaves of 3 links and a node, three spines of 4 + 2 links; 12 cables up, 3 of the ring.
    prices = listed(Rate(models=((4, 30.0), (8, 90.0))), cable={"up": 1.0, "ring": 2.0, "local": 9})
    assert prices.bill(Leaves(4, 3)).cost == 4 * 30 + 3 * 90 + 12 * 1 + 3 * 2


def test_what_is_down_was_paid_for() -> None:
    healthy = parse_topology("dfly(2,4,2,9)")
    left = without(healthy, Failures(links=((0, 1), (0, 4)), switches=(7,)))
    assert listed().bill(left) == listed().bill(healthy)


def test_what_has_no_price_is_refused() -> None:
    network = parse_topology("dfly(2,4,2,9)")
    with pytest.raises(InvalidInput, match=r"prices\.switch has switches of up to 6 ports; 7 are"):
        listed(Rate(models=((6, 1.0),))).bill(network)
    with pytest.raises(InvalidInput, match=r'prices\.cable lacks "global", a kind of its cables'):
        listed(cable={"local": 1.0}).bill(network)
    with pytest.raises(InvalidInput, match=r'prices\.cable_watts lacks "local"'):
        listed(switch_watts=LINEAR, cable_watts={"global": 1.0}).bill(network)


def space(constraint: str, prices: PriceList | None, p: str = "2") -> DesignSpace:
    texts = zip(DRAGONFLIES.parameters, (p, "4", "2", "3..9"), strict=True)
    ranges = {one.name: parse_range(text, one) for one, text in texts}
    return DesignSpace(DRAGONFLIES, ranges, (parse_constraint(constraint, DRAGONFLIES),), prices)


def test_constraints_speak_of_costs() -> None:
    # 4 * 170 + 6 * 3 for each group and 7 for each global cable: 6 * 698 + 15 * 7 = 4293, and one
    # group more is 7 * 698 + 21 * 7 = 5033.
    assert space("cost < 5000", listed()).sizes()[:, 3].tolist() == [3, 4, 5, 6]
    with pytest.raises(InvalidInput, match="cost and watts are not known: the sweep has no prices"):
        space("cost < 5000", None).sizes()
    with pytest.raises(InvalidInput, match='watts are not known: prices lack "switch_watts"'):
        space("watts > 1", listed()).sizes()


def test_what_is_too_large_for_every_switch_satisfies_no_bound() -> None:
    prices = listed(Rate(models=((7, 170.0),)))
    assert set(space("cost < 1e9", prices, "2..3").sizes()[:, 0].tolist()) == {2}
