"""Every setting is what its declaration says: on the command line, in requests and documents."""

import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_group

from sim_bridge import SimulationConfig, VctConfig
from sim_bridge.routers.vct import LongRun
from tvlb.balance import BalanceOptions, WeightOptions
from tvlb.cli.app import app, main
from tvlb.errors import InvalidInput
from tvlb.forwarding import MeasureOptions, RouteOptions
from tvlb.languages import (
    Names,
    NamesOrWhole,
    Number,
    Setting,
    Texts,
    Whole,
    asked,
    made,
    offered,
    one_of,
    settings,
)
from tvlb.requests import (
    RepairOptions,
    SimulationBody,
    SimulationDocument,
    SweepBody,
    TableBody,
    TableDocument,
    VctSimulationBody,
)
from tvlb.requests.kinds.repair import RepairBody
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.search import SearchOptions, Windows

SWEEPS = (Path(__file__).parents[2] / "docs/sweeps.md").read_text()
# Those of models of routers: tests/cli/test_routers.py.
COMMANDS = {
    SearchOptions: "table",
    RepairOptions: "repair",
    BalanceOptions: "balance",
    WeightOptions: "balance",
    LongRun: "stability",
}
REQUESTS = {
    SearchOptions: TableBody,
    RepairOptions: RepairBody,
    SimulationConfig: SimulationBody,
    VctConfig: VctSimulationBody,
    LongRun: StabilityBody,
}


def cases(declaring: Iterable[type]) -> Any:
    """Parametrize a test by the dataclasses and their settings that are offered."""
    listed = [
        pytest.param(one, setting, id=f"{one.__name__}.{setting.name}")
        for one in declaring
        for setting in offered(one).values()
    ]
    return pytest.mark.parametrize(("declaring", "setting"), listed)


def of_command(name: str) -> dict[str, Any]:
    group = get_group(app)
    with group.make_context("tvlb", [name]) as context:
        command = group.get_command(context, name)
        assert command is not None
        return {str(one.name): one for one in command.params}


def numbers(schema: dict[str, Any]) -> Iterable[tuple[float, float]]:
    """Return the ranges of the numbers that a schema allows, with their open ends."""
    for one in schema.get("anyOf", [schema]):
        if one["type"] in ("integer", "number"):
            low, high = (
                [one[key] for key in (least, f"exclusive{least.title()}") if key in one]
                for least in ("minimum", "maximum")
            )
            yield low[0], [*high, math.inf][0]


def names(schema: dict[str, Any]) -> list[str]:
    return [name for one in schema.get("anyOf", [schema]) for name in one.get("enum", [])]


@cases(COMMANDS)
def test_every_setting_is_an_option_of_its_command(declaring: type, setting: Setting) -> None:
    option = of_command(COMMANDS[declaring])[str(setting.option)]
    assert option.help.startswith(setting.text)
    if isinstance(setting.kind, Whole | Number):
        assert option.help == f"{setting.text}, {setting.kind}."
    if isinstance(setting.kind, Names):
        assert option.help == f"{setting.text}: {one_of(setting.kind.names)}."
    assert option.show_default == (setting.unset or True)
    # What a command makes of the default is the default.
    usual = setting.kind.asked(setting.default)
    if isinstance(setting.default, Windows):
        assert setting.kind.checked("windows", option.default) == setting.default
        return
    assert option.default == usual or (usual, option.default) == ((), None)
    assert setting.kind.made(usual) == setting.default


REFUSED = COMMANDS | {
    SimulationConfig: "simulate",
    VctConfig: "simulate",
    RouteOptions: "route",
    MeasureOptions: "measure",
}
GIVEN = {
    "repair": ("t.json", "--without=down.json", "-o=t.json"),
    "route": ("2,4,2,5", "-o=t.json"),
    VctConfig: ("2,4,2,5", "--load=0.1", "--router=vct"),
    SimulationConfig: ("2,4,2,5", "--load=0.1"),
    WeightOptions: ("2,4,2,5", "--method=weights"),
}


@cases(REFUSED)
def test_what_is_wrong_with_an_option_is_told_by_its_name(
    declaring: type,
    setting: Setting,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    match setting.kind:
        case Whole() | Number():
            value = str(int(setting.kind.low) - 1)
        case Names() | NamesOrWhole():
            value = "none-such"
        case _:
            return  # has a parser of its own, or none
    monkeypatch.chdir(tmp_path)
    (tmp_path / "down.json").write_text('{"links": []}')
    command, option = REFUSED[declaring], f"--{str(setting.option).replace('_', '-')}"
    given = GIVEN.get(declaring, GIVEN.get(command, ("2,4,2,5",)))
    assert main([command, *given, f"{option}={value}"]) == 2
    told = capsys.readouterr().err
    assert re.match(rf"tvlb: error: {option} '?{value}(\.0)?'?[: ]", told), told


@cases(REQUESTS)
def test_every_setting_is_a_field_of_its_request(declaring: type, setting: Setting) -> None:
    schema = REQUESTS[declaring].model_json_schema()["properties"][setting.option]
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


@cases([SearchOptions])
def test_every_option_of_a_search_is_a_key_of_sweeps(declaring: type, setting: Setting) -> None:
    assert declaring is SearchOptions
    sweep = SweepBody.model_json_schema()
    table = TableBody.model_json_schema()["properties"]
    if setting.name == "routing":
        assert names(sweep["properties"]["routings"]["items"]) == names(table["routing"])
    else:
        keys = sweep["$defs"]["TableOptions"]["properties"]
        assert keys[setting.option] == table[setting.option]
        (row,) = [line for line in SWEEPS.splitlines() if line.startswith(f"| `{setting.option}` ")]
        if isinstance(setting.kind, Whole | Number):
            assert row.split("|")[4].strip().startswith(str(setting.kind))


def test_every_setting_is_recorded() -> None:
    for model, part, declaring in (
        (TableDocument, "SearchParameters", SearchOptions),
        (TableDocument, "Windows", Windows),
        (TableDocument, "BalanceSettings", BalanceOptions),
        (SimulationDocument, "SimulationSettings", SimulationConfig),
    ):
        recorded = model.model_json_schema()["$defs"][part]
        for name, setting in settings(declaring).items():
            schema = recorded["properties"][name]
            assert (name in recorded["required"]) is not setting.is_later
            assert schema["description"].startswith(setting.text)
            null = {"type": "null"} in schema.get("anyOf", [])
            assert null == (setting.null is not None and not isinstance(setting.kind, Texts))
            if isinstance(setting.kind, Whole | Number):
                assert list(numbers(schema)) == [(setting.kind.low, setting.kind.high)]


@cases([*COMMANDS, SimulationConfig, VctConfig])
def test_values_out_of_range_are_refused(declaring: Any, setting: Setting) -> None:
    kind, bad = setting.kind, list[Any]()
    if isinstance(kind, Whole):
        bad = [kind.low - 1, kind.high + 1, 1.5, True]
    elif isinstance(kind, Number):
        ends = [kind.low] * kind.above + [kind.high] * kind.below
        bad = [kind.low - 1, kind.high + 1, 10**400, math.inf, math.nan, *ends]
    elif isinstance(kind, Names):
        bad = ["none of these"]
    for value in bad:
        told = f"^{setting.option or setting.name} {re.escape(repr(value))}"
        owner: Any = declaring if setting.name in settings(declaring) else SimulationConfig
        with pytest.raises(InvalidInput, match=told):
            owner(**{setting.name: value})


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(),
        SearchOptions(budget="7", patterns="3", balancing=None, traffic=("uniform",)),
        SearchOptions(screening=Windows(1, 2, 0.03), data_points=4, routing="par"),
        SearchOptions(config=SimulationConfig(vc_count=6, speedup=2.5, queue="vc", decide="once")),
    ],
)
def test_what_is_asked_for_makes_the_same(options: SearchOptions) -> None:
    body = TableBody.model_validate({"topology": "2,4,2,5", **asked(options)})
    assert body.options() == options
    assert made(SearchOptions, dict(body)) == options
