"""Every figure of a run is what its declaration says: in documents and tables."""

from typing import Any

import pytest

from tvlb.languages.figures import OVER_SEEDS
from tvlb.requests import simulation_document
from tvlb.requests.routers import Router, routers

EVERY = pytest.mark.parametrize("router", routers().values(), ids=lambda router: router.name)


def properties(model: Any) -> dict[str, Any]:
    return model.model_json_schema()["properties"]


def intervals(router: Router) -> set[str]:
    return {one.interval for one in router.figures.values() if one.interval}


@EVERY
def test_every_figure_is_a_key_of_a_run(router: Router) -> None:
    keys = properties(simulation_document(router.name).one_run)
    known = router.figures
    assert keys.keys() == known.keys() | intervals(router) | {"load", "seed", "population"}
    for name, one in known.items():
        assert keys[name].get("description") == one.described
        assert ({"type": "null"} in keys[name].get("anyOf", [])) == (one.null is not None)


@EVERY
def test_several_runs_tell_what_is_declared(router: Router) -> None:
    keys = properties(simulation_document(router.name).several_runs)
    told = {name: one.over_seeds for name, one in router.figures.items() if one.over_seeds}
    most = {name for name, one in told.items() if one == "most"}
    counted = {f"{name}_runs" for name in most} | {
        f"{name}_unknown_runs" for name in most if router.figures[name].null is not None
    }
    assert keys.keys() == told.keys() | counted | intervals(router) | {"load", "population", "runs"}


@EVERY
def test_columns_are_of_the_figures_that_have_one(router: Router) -> None:
    shown = [one.key for one in router.columns if one.heading != "+-"]
    declared = {name for name, one in router.figures.items() if one.column}
    assert set(shown) == {"load", *declared}
    # Figures of one unit stand together.
    units = [router.figures[name].unit for name in shown[1:]]
    assert units == [unit for unit in dict.fromkeys(units) for _ in range(units.count(unit))]


@pytest.mark.parametrize(
    ("over_seeds", "values", "told"),
    [
        ("mean", [1, 2, 6], 3.0),
        ("sum", [1, 2, 6], 9),
        ("most", [True, False, True], True),
        ("most", [True, False], False),
        ("all", [True, False], False),
        ("all", [True, True], True),
    ],
)
def test_what_is_told_of_several_runs(over_seeds: str, values: list[Any], told: float) -> None:
    assert OVER_SEEDS[over_seeds](values) == told
