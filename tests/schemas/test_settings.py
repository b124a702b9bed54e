"""Every setting is what its declaration says: on the command line, in requests and documents."""

import re
from collections.abc import Iterable
from typing import Any

import pytest
from typer.main import get_group

from tvlb.choices import one_of
from tvlb.cli.app import app
from tvlb.errors import InvalidInput
from tvlb.schemas import SimulationBody, SimulationDocument, SweepBody, TableBody, TableDocument
from tvlb.search import SearchOptions, SimulationConfig, Windows
from tvlb.settings import (
    Names,
    NamesOrWhole,
    Number,
    Setting,
    Texts,
    Whole,
    asked,
    made,
    settings,
)


def offered(declaring: type) -> list[Setting]:
    return [one for one in settings(declaring).values() if one.option is not None]


SEARCH, SIMULATION = offered(SearchOptions), offered(SimulationConfig)
NAMES = [pytest.param(one, id=one.name) for one in SEARCH + SIMULATION]


def of_command(name: str) -> dict[str, Any]:
    group = get_group(app)
    with group.make_context("tvlb", [name]) as context:
        command = group.get_command(context, name)
        assert command is not None
        return {str(one.name): one for one in command.params}


def numbers(schema: dict[str, Any]) -> Iterable[tuple[float, float]]:
    """Return the ranges of the numbers that a schema allows, with their open ends."""
    for one in schema.get("anyOf", [schema]):
        if "minimum" in one:
            yield one["minimum"], one.get("maximum", one.get("exclusiveMaximum"))


def names(schema: dict[str, Any]) -> list[str]:
    return [name for one in schema.get("anyOf", [schema]) for name in one.get("enum", [])]


@pytest.mark.parametrize("setting", NAMES)
def test_every_setting_is_an_option_of_its_command(setting: Setting) -> None:
    option = of_command("table" if setting in SEARCH else "simulate")[str(setting.option)]
    assert option.help.startswith(setting.text)
    if isinstance(setting.kind, Whole | Number):
        assert option.help == f"{setting.text}, {setting.kind}."
    if isinstance(setting.kind, Names):
        assert option.help == f"{setting.text}: {one_of(setting.kind.names)}."
    assert option.show_default == (setting.unset or True)
    # What a command makes of the default is the default.
    usual = setting.kind.asked(setting.default)
    assert option.default == usual or (usual, option.default) == ((), None)
    assert setting.kind.made(usual) == setting.default


@pytest.mark.parametrize("setting", NAMES)
def test_every_setting_is_a_field_of_its_request(setting: Setting) -> None:
    model = TableBody if setting in SEARCH else SimulationBody
    schema = model.model_json_schema()["properties"][setting.option]
    shown = schema["description"]
    assert shown.startswith(setting.text)
    assert setting.unset is None or shown.endswith(f" for {setting.unset}.")
    usual = setting.kind.asked(setting.default)
    assert schema["default"] == (list[Any]() if usual == () else usual)
    kind = setting.kind
    if isinstance(kind, Whole | Number | NamesOrWhole):
        assert list(numbers(schema)) == [(kind.low, kind.high)]
    if isinstance(kind, Names | NamesOrWhole):
        assert names(schema) == list(kind.names)
    if isinstance(kind, Texts):
        assert schema["maxItems"] == kind.most


@pytest.mark.parametrize("setting", [one for one in NAMES if one.values[0] in SEARCH])
def test_every_option_of_a_search_is_a_key_of_sweeps(setting: Setting) -> None:
    sweep = SweepBody.model_json_schema()
    table = TableBody.model_json_schema()["properties"]
    if setting.name == "routing":
        assert names(sweep["properties"]["routings"]["items"]) == names(table["routing"])
    else:
        keys = sweep["$defs"]["TableOptions"]["properties"]
        assert keys[setting.option] == table[setting.option]


def test_every_setting_is_recorded() -> None:
    for model, part, declaring in (
        (TableDocument, "SearchParameters", SearchOptions),
        (TableDocument, "Windows", Windows),
        (SimulationDocument, "SimulationSettings", SimulationConfig),
    ):
        recorded = model.model_json_schema()["$defs"][part]
        for name, setting in settings(declaring).items():
            schema = recorded["properties"][name]
            assert name in recorded["required"]
            assert schema["description"].startswith(setting.text)
            null = {"type": "null"} in schema.get("anyOf", [])
            assert null == (setting.null is not None and not isinstance(setting.kind, Texts))
            if isinstance(setting.kind, Whole | Number):
                assert list(numbers(schema)) == [(setting.kind.low, setting.kind.high)]


@pytest.mark.parametrize("setting", NAMES)
def test_values_out_of_range_are_refused(setting: Setting) -> None:
    declaring: Any = SearchOptions if setting in SEARCH else SimulationConfig
    kind, bad = setting.kind, list[Any]()
    if isinstance(kind, Whole):
        bad = [kind.low - 1, kind.high + 1, 1.5, True]
    elif isinstance(kind, Number):
        bad = [kind.low - 1, kind.high + 1, float("nan"), *([kind.high] if kind.below else [])]
    elif isinstance(kind, Names):
        bad = ["none of these"]
    for value in bad:
        with pytest.raises(InvalidInput, match=f"^{setting.name} {re.escape(repr(value))}"):
            declaring(**{setting.name: value})


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(),
        SearchOptions(budget="7", patterns="3", balancing=None, traffic=("uniform",)),
        SearchOptions(screening=Windows(1, 2, 0.03), data_points=4, routing="par"),
    ],
)
def test_what_is_asked_for_makes_the_same(options: SearchOptions) -> None:
    body = TableBody.model_validate({"topology": "2,4,2,5", **asked(options)})
    assert body.options() == options
    assert made(SearchOptions, dict(body)) == options
