"""Whether a design's table is worth it, by hand."""

from typing import Any

import pytest

from tests.report.made_points import point
from tvlb.report.worth import worth

KEPT: dict[str, Any] = {"replaces_all": False, "saturation_gain": 0.0, "latency_change": 0.0}
GAIN = "saturation throughput +10.0% +- 5.0"
LATENCY = "latency -5.0% +- 1.0"


def test_what_gains_says_what_it_takes() -> None:
    assert worth(point(0, paths=12345)) == (
        f"Worth it: higher saturation throughput ({GAIN}; {LATENCY}), for a table of 12,345 paths "
        "and no virtual channels beyond those of conventional UGAL."
    )
    priced = point(0, paths=99, cost_per_flit_chosen=1100.0, cost_per_flit_all=1234.5)
    assert worth(priced | {"currency": "EUR"}).endswith(
        " A packet/cycle that the network accepts costs 1,100 EUR instead of 1,234 EUR."
    )
    assert worth(priced | {"currency": ""}).endswith("costs 1,100 instead of 1,234.")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"gain": 0.002, "half": 0.005, "change": 0.0}, "Not worth it: level saturation"),
        ({"gain": -0.1}, "Not worth it: lower saturation throughput (satur"),
        ({"gain": -0.029, "half": 0.05, "change": 0.0}, "Not shown to be worth it: undecided"),
        (
            KEPT | {"best_saturation_gain": 0.03, "best_saturation_gain_low": -0.02},
            "Not shown to be worth it: lower latency, satur",
        ),
        ({"change": None}, f"Worth it: higher saturation throughput ({GAIN}), for a table"),
        ({"half": None}, "Not shown to be worth it: no interval, so no v"),
        (KEPT, f"Not worth it: higher saturation throughput ({GAIN}; {LATENCY}), which is"),
        (
            KEPT | {"gain": None, "change": None, "best": None},
            "Not worth it: the model puts every shorter set below the cut.",
        ),
    ],
)
def test_what_does_not_gain_is_not_worth_it(more: dict[str, Any], said: str) -> None:
    assert worth(point(0, paths=99, **more)).startswith(said)


def test_what_is_chosen_for_its_latency_is_worth_it() -> None:
    """As the verdict on the table says to use it."""
    assert worth(point(0, paths=99, gain=0.03)).startswith(
        "Worth it: lower latency, saturation throughput undecided (saturation throughput +3.0% +- "
        "5.0; latency -5.0% +- 1.0), for a table of 99 paths and"
    )


def test_what_is_undecided_says_how_to_decide() -> None:
    made = point(0, gain=0.06, half=0.77, change=0.0, simulated_patterns=2)
    assert worth(made) == (
        "Not shown to be worth it: undecided (saturation throughput +6.0% +- 77.0; latency +0.0% "
        "+- 1.0). Simulate more patterns: of 5 instead of 2 alike an interval is at "
        "least 7.2 times shorter (simulated_patterns)."
    )
    assert worth(made | {"status": "failed"}) == ""
