"""`tvlb simulate` with every model of routers: results, documents, and what is refused."""

import json
import re
import shlex
import statistics
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from typer.main import get_group

from sim_bridge import VctConfig
from tests.jobs.processes import signalled
from tvlb.cli import main
from tvlb.cli.app import app
from tvlb.cli.settings import option_of, told
from tvlb.languages import settings
from tvlb.requests import SimulationDocument, VctDocument, example
from tvlb.requests.routers import Router, routers

_VCT = ("simulate", "hyperx(2,3,3)", "--router", "vct", "--pattern", "dshift(1)",
        "--warmup", "500", "--cycles", "2000", "--workers", "2")  # fmt: skip

_FOG = ("simulate", "2,4,2,9,palmtree", "--router", "vct-fog", "--preset", "small",
        "--routing", "acor-switch(3l)", "--pattern", "advr(1)", "--levels", "0",
        "--warmup", "300", "--cycles", "700", "--interval", "100")  # fmt: skip


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _document(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main([*_VCT, *options, "--json"]) == 0
    text = capsys.readouterr().out
    document = json.loads(text)
    model = VctDocument.model_validate_json(text, strict=True)
    assert model.model_dump(mode="json", exclude_unset=True) == document
    return document


def test_virtual_cut_through(capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(capsys, "--load", "0.1,0.3", "--routing", "valiant", "--packet", "8",
                         "--vcs", "2phases", "--input-buffer", "32")  # fmt: skip
    assert (document["router"], document["load_unit"]) == ("vct", "phits/cycle/node")
    assert document["routing"] == "valiant(minfirst)"
    assert document["config"]["vc_count"] == 2
    assert document["config"]["packet_phits"] == 8
    assert [row["load"] for row in document["rows"]] == [0.1, 0.3]
    for row in document["rows"]:
        assert row["population"] == "delivered"
        assert row["accepted"] == pytest.approx(row["load"], rel=0.2)
        assert row["injected"] == pytest.approx(row["accepted"], rel=0.1)
        assert (row["refused"], row["accepted_ci95"]) == (0.0, None)
        # An intermediate switch at random: 4/3 links to it, and as many from there.
        assert row["hops_mean"] == pytest.approx(8 / 3, rel=0.05)
        # hops + 2 to the nodes + 8 - 1 phits behind the first, if nothing is in the way.
        assert row["latency_mean"] > row["hops_mean"] + 9
        assert row["series"]["cycle"] == [0, 1000]
        assert row["cycles"] == 2500
        assert len(row["link_load"]["by_link"]) == 36


def test_several_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(capsys, "--load", "0.3", "--seeds", "3", "--seed", "5")
    (row,) = document["rows"]
    runs = row["runs"]
    assert [run["seed"] for run in runs] == [5, 6, 7]
    (alone,) = _document(capsys, "--load", "0.3", "--seed", "6")["rows"]
    assert alone["accepted"] == runs[1]["accepted"]
    for name in ("accepted", "latency_mean", "injected", "refused", "jain"):
        assert row[name] == pytest.approx(sum(run[name] for run in runs) / 3)
    spread = statistics.stdev(run["accepted"] for run in runs)
    assert row["accepted_ci95"] == pytest.approx(4.303 * spread / 3**0.5, rel=1e-3)
    assert row["phit_hops"] == sum(run["phit_hops"] for run in runs)


def test_the_number_of_workers_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for router in (_VCT, _FOG):
        given = [*router, "--load", "0.1,0.4", "--seeds", "2", "--traces", "5", "--json"]
        told: list[str] = []
        for workers in ("1", "2"):
            assert main([*given, "--workers", workers]) == 0
            told.append(re.sub(r'"(cpu|wall)_seconds": *[^,}]*', "", capsys.readouterr().out))
        assert told[0] == told[1]


def test_no_traffic_gives_nulls(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = _document(capsys, "--load", "0")["rows"]
    assert (row["latency_mean"], row["hops_mean"], row["jain"]) == (None, None, None)


def test_the_table_tells_units(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*_VCT, "--load", "0.2", "--figure", "f.svg"]) == 0
    shown = capsys.readouterr().out
    assert "hyperx(2,3,3), min, ladder on 2 VCs, dshift(1), packets of 16 phits" in shown
    assert "Loads in phits/cycle/node, latencies in cycles" in shown
    # A single run has no intervals from seed to seed.
    assert "refused/node" in shown
    assert "Jain's index" in shown
    assert "+-" not in shown
    assert "offered load (phits/cycle/node)" in Path("f.svg").read_text()


@pytest.mark.parametrize("router", ["iq", "vct"])
def test_the_head_tells_a_rule_that_is_not_the_published_one(
    router: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ask = ["simulate", "hyperx(2,3)", "--router", router, "--routing", "ugal-l", "--load", "0.1"]
    ask += ["--warmup", "10", "--cycles", "10", "--workers", "1"]
    for options, rule in ([], ""), (["--queue", "vc"], " by queue vc"):
        assert main([*ask, *options]) == 0
        assert f"ugal-l with all{rule}, " in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--vlb", "<=3"], "--vlb <=3 has no meaning for routing min"),
        (
            ["--routing", "ugal-l", "--vlb", "<=4", "--vlb", "all"],
            "routing ugal-l draws from one path set, not from 2",
        ),
        (["--table", "t.json"], "table is of routing static, not of "),
        (["--saturation"], "--saturation is of router iq"),
        (["--no-saturation"], "saturation False is of router iq"),
        (["--buffer", "32"], "buffer 32 is of router iq"),
        (["--speedup", "2"], "speedup 2.0 is of router iq"),
        (["--ugal-rule", "two"], "--ugal-rule two is of the routings ugal-l or par, not of min"),
        (["--queue", "vc"], "queue vc is of the routings ugal-l, ugal-g or par, not of min"),
        (["--decide", "once"], "decide once is of router iq"),
        (["--traces", "3"], "--traces 3: they are part of the JSON document, add --json"),
        (["--traces", "-1", "--json"], "traces -1 is out of range: 0..100000"),
        (["--warmup", "detect"], "warmup 'detect' is not an integer"),
        (["--warmup", "100000001"], "warmup 100000001 is out of range: 0..100000000"),
        (["--routing", "table"], "unknown routing 'table' of router vct"),
        (["--routing", "ugal-acor"], "routings by level and those that follow forwarding tables"),
        (["--vcs", "won"], "vcs 'won': choose one of ladder, reuse, 2phases, any"),
        (["--vcs", "any", "--routing", "valiant"], "vcs any is for routing min"),
        (["--vc-count", "1"], "--vc-count 1 is too few: ladder needs at least 2 here"),
        (["--input-buffer", "40"], "--input-buffer 40 is not 1 to 127 packets of 16 phits"),
        (["--packet", "0"], "packet 0 is out of range: 1..1024"),
        (["--global-latency", "9"], "--global-latency = 9: hyperx(2,3,3) has x and y links only"),
        (["--pattern", "adv(1)"], "it has no groups"),
        (["--load", "1.1"], "1.1"),
        (["--seeds", "0"], "seeds 0 is out of range: 1..1000"),
        (["--router", "iq", "--packet", "16"], "packet 16 is of router vct"),
        (["--router", "iq", "--input-buffer", "64"], "--input-buffer 64 is of router vct"),
        (["--router", "iq", "--output-buffer", "64"], "--output-buffer 64 is of router vct"),
        (["--router", "iq", "--source-queue", "5"], "--source-queue 5 is of router vct"),
        (["--router", "iq", "--server-latency", "1"], "--server-latency 1 is of router vct"),
        (["--router", "iq", "--vcs", "ladder"], "vcs 'ladder': choose one of won, per-hop"),
        (["--router", "iq", "--routing", "valiant"], "routing 'valiant': choose one of min"),
        (
            ["--router", "iq", "--routing", "min", "--vlb", "<=3"],
            "vlb <=3 has no meaning for routing min",
        ),
    ],
)
def test_refused(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*_VCT, "--load", "0.1", *options]) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert line.startswith("tvlb: error: ")
    assert message in line
    assert captured.out == ""


def test_what_the_documentation_shows(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "simulator.md").read_text()
    section = page.partition("\n## The virtual cut-through router\n")[2].partition("\n## ")[0]
    shown = re.findall(
        r"^    (tvlb simulate .*(?:\\\n.*)?)\n\n```text\n((?:.*\n)*?)```$", section, re.MULTILINE
    )
    assert shown
    for command, told_there in shown:
        assert main(shlex.split(command.replace("\\\n", ""))[1:]) == 0
        printed = [line.strip() for line in capsys.readouterr().out.splitlines()]
        assert printed == [line.strip() for line in told_there.splitlines()]


def test_a_load_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(list(_VCT)) == 2
    assert "give --load: offered loads, phits/cycle/node" in capsys.readouterr().err


def test_a_signal_ends_a_long_simulation_at_once() -> None:
    asked = (*_VCT, "--load", "0.1,0.5", "--cycles", "90000000")
    code, errors = signalled(*asked, after="tvlb: simulate begins")
    assert (code, errors) == (130, "tvlb: interrupted\n")


def _options() -> dict[str, Any]:
    group = get_group(app)
    with group.make_context("tvlb", ["simulate"]) as context:
        command = group.get_command(context, "simulate")
        assert command is not None
        return {str(one.name): one for one in command.params}


@pytest.mark.parametrize("router", routers().values(), ids=lambda router: router.name)
def test_every_option_of_a_router_is_one_of_the_command(router: Router) -> None:
    options = _options()
    for name, setting in router.options.items():
        option = options[name]
        *_, own = told(setting).split(": ", 1)  # what comes first may be that of both
        assert own in option.help
        usual = "no" if setting.default is False else str(setting.kind.asked(setting.default))
        assert (setting.unset or usual) in option.show_default
        # What is not given is None, so that what is given can be refused.
        assert option.default is None
    # One option is read in one way.
    for other in routers().values():
        for name in router.options.keys() & other.options.keys():
            kinds = [one.options[name] for one in (router, other)]
            assert option_of(kinds[0], "")[0] == option_of(kinds[1], "")[0], name


@pytest.mark.parametrize("router", routers().values(), ids=lambda router: router.name)
def test_defaults_are_those_of_the_settings(router: Router) -> None:
    asked = router.asked(dict.fromkeys(_options()))
    assert asked.keys() == router.options.keys()
    for name, setting in router.options.items():
        assert setting.kind.made(asked[name]) == setting.default


def test_every_setting_of_virtual_cut_through_is_recorded() -> None:
    recorded = VctDocument.model_json_schema()["$defs"]["VctSettings"]
    for name, setting in settings(VctConfig).items():
        assert recorded["properties"][name]["description"].startswith(setting.text)
        assert (name in recorded["required"]) is not setting.is_later


def test_every_key_is_described() -> None:
    schema = VctDocument.model_json_schema()
    for part in (schema, *schema["$defs"].values()):
        assert part["description"]
        for key, field in part.get("properties", {}).items():
            assert "description" in field or "$ref" in field, (part["title"], key)


def test_documents_of_other_routers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(capsys, "--load", "0.1")
    with pytest.raises(ValidationError, match="path_set"):
        SimulationDocument.model_validate(document)
    with pytest.raises(ValidationError, match="router"):
        VctDocument.model_validate(example("simulation"))
