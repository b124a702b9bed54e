"""What a report says of its points, with figures by hand."""

from typing import Any

import pytest

from tvlb.report.finding import Finding, finding
from tvlb.report.front import pareto_front
from tvlb.report.points import ROW_COLUMNS, Point

KEPT = {"replaces_all": False, "saturation_gain": 0.0, "latency_change": 0.0}


def point(number: int, topology: str, links: float, **changes: Any) -> Point:
    made: Point = dict.fromkeys(ROW_COLUMNS)
    return (
        made
        | {"point": number, "status": "succeeded", "topology": topology, "links_per_pair": links}
        | {"seed": 0, "simulated_patterns": 5, "confirmed_candidates": 2, "replaces_all": True}
        | {"saturation_gain": 0.1, "saturation_gain_low": 0.05, "saturation_gain_high": 0.15}
        | {"latency_change": -0.05, "best_saturation_gain": 0.1}
        | changes
    )


def said(found: Finding) -> str:
    return " ".join((*found.sentences, *found.cautions))


def test_nothing_is_said_of_nothing() -> None:
    assert finding([]).sentences == ("No point was computed, so nothing can be said.",)
    assert finding([point(0, "a", 4.0, status="failed")]) == finding([])


def test_one_point_has_the_interval_of_its_patterns() -> None:
    found = finding([point(0, "a", 4.0)])
    assert "replaces the conventional set in 1 of 1 computed point." in found.sentences[0]
    assert "+10.0 % (95% interval +5.0 to +15.0 %, over 5 patterns of one point)" in said(found)
    assert "One point says nothing about how the gain depends on the topology." in said(found)
    assert found.classes[0].latency is not None
    assert found.classes[0].latency.low is None
    assert "latency by -5.0 % (no interval)" in said(found)


def test_topologies_are_averaged_before_their_interval_is_formed() -> None:
    found = finding(
        [
            point(0, "a", 4.0, saturation_gain=0.10, seed=1),
            point(1, "a", 4.0, saturation_gain=0.20, seed=2),
            point(2, "b", 4.0, saturation_gain=0.25),
        ]
    )
    (links,) = found.classes
    assert (links.points, links.topologies, links.seeds, links.replaced) == (3, 2, 3, 3)
    assert links.gain is not None
    # Means 0.15 and 0.25: mean 0.2, standard error 0.05, t(1) = 12.7062.
    assert links.gain.mean == pytest.approx(0.2)
    assert links.gain.low == pytest.approx(0.2 - 12.7062 * 0.05, rel=1e-5)
    assert (links.gain.count, links.gain.over) == (2, "topologies")
    assert "same number of links per group pair, so nothing can be said" in said(found)


def test_seeds_of_one_topology_do_not_pass_for_topologies() -> None:
    gains = (0.1, 0.2, 0.3)
    found = finding(
        [point(n, "a", 4.0, saturation_gain=gain, seed=n) for n, gain in enumerate(gains)]
        + [point(3, "b", 1.0)]
    )
    gain = found.classes[1].gain
    assert gain is not None
    assert (gain.count, gain.over) == (3, "points of one topology")
    # t(2) = 4.302653, deviation 0.1.
    assert gain.high == pytest.approx(0.2 + 4.302653 * 0.1 / 3**0.5, rel=1e-5)
    assert "Too few topologies share a number of links" in said(found)


def many(few_gains: tuple[float, ...], many_gains: tuple[float, ...]) -> Finding:
    return finding(
        [point(n, f"few{n}", 1.0, saturation_gain=gain) for n, gain in enumerate(few_gains)]
        + [point(9 + n, f"many{n}", 8.0, saturation_gain=gain) for n, gain in enumerate(many_gains)]
    )


def test_a_trend_is_claimed_only_where_intervals_do_not_overlap() -> None:
    assert "the gain is larger with more links" in said(many((0.01, 0.02), (0.30, 0.31)))
    assert "the gain is smaller with more links" in said(many((0.30, 0.31), (0.01, 0.02)))
    overlapping = said(many((0.01, 0.02), (0.05, 0.30)))
    assert "These overlap: no trend is shown." in overlapping
    assert "with 8 links the mean gain is +17.5 %" in overlapping


def test_what_was_kept_is_no_measured_zero() -> None:
    found = finding(
        [point(n, f"few{n}", 1.0, **KEPT) for n in range(2)]
        + [point(2 + n, f"many{n}", 4.0, saturation_gain=0.1 + n / 1000) for n in range(2)]
    )
    assert "in 2 of 4 computed points" in said(found)
    assert "with 1 link it is 0 (the conventional set was always kept)" in said(found)
    assert "the gain is 0 by definition and not by measurement" in said(found)
    assert [one.replaced for one in found.classes] == [0, 2]


def test_cautions_name_patterns_seeds_and_the_choice() -> None:
    cautions = said(finding([point(0, "a", 4.0), point(1, "b", 4.0, simulated_patterns=2, seed=7)]))
    assert "a mean over 2 to 5 simulated traffic patterns" in cautions
    assert "there are 2 seeds behind the points" in cautions
    assert "searched on a grid of loads" in cautions
    assert "The best of up to 2 candidates is chosen on the same patterns" in cautions
    alone = said(finding([point(0, "a", 4.0, confirmed_candidates=1)]))
    assert "flatters" not in alone
    assert "there is 1 seed" in alone


def costing(number: int, cost: float | None, benefit: float | None) -> Point:
    return {"point": number, "cost": cost, "benefit": benefit}


def test_the_front_is_what_nothing_beats() -> None:
    made = [
        costing(0, 1.0, 0.2),
        costing(1, 1.0, 0.3),
        costing(2, 2.0, 0.3),  # as good as 1, and dearer
        costing(3, 2.0, 0.5),
        costing(4, 2.0, 0.5),  # equal to 3
        costing(5, 3.0, 0.4),
        costing(6, None, 0.9),
        costing(7, 0.5, None),
    ]
    assert pareto_front(made, "cost", "benefit") == [1, 3, 4]
    assert pareto_front([], "cost", "benefit") == []
