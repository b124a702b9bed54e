"""The schemas describe what the command line prints: every key, and nothing else."""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from tvlb.cli import main
from tvlb.documents import Document
from tvlb.model import BoundKind
from tvlb.requests import SimulationDocument, TableDocument, VctDocument, example, resource_of
from tvlb.requests.kinds.model import ModelDocument
from tvlb.requests.kinds.stability import StabilityDocument

_MODELS: dict[str, type[Document]] = {
    "model": ModelDocument,
    "simulate": SimulationDocument,
    "simulation": SimulationDocument,
    "stability": StabilityDocument,
    "search": TableDocument,
    "table": TableDocument,
    "vct": VctDocument,
}
_QUICK = (
    "--method", "paper", "--patterns", "2", "--screening", "300,300,0.05",
    "--confirmation", "400,400,0.05", "--finalists", "1", "--data-points", "2",
    "--simulated-patterns", "2", "--workers", "1",
)  # fmt: skip
_SEARCH = (
    "--patterns", "1", "--screening", "200,200,0.05", "--confirmation", "200,200,0.05",
    "--data-points", "1", "--budget", "0", "--workers", "1",
)  # fmt: skip
_SHORT = ("--warmup", "200", "--cycles", "200", "--workers", "1")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_process: None) -> None:
    """Search in an empty directory and in this process: workers take a second to start."""
    monkeypatch.chdir(tmp_path)


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Run a command; its document must come back from the schema to the last digit."""
    assert main([*arguments, "--json"]) == 0
    text = capsys.readouterr().out
    document = json.loads(text)
    model = _MODELS[arguments[0]].model_validate_json(text, strict=True)
    assert _text(model.model_dump(mode="json", exclude_unset=True)) == _text(document)
    return document


def _text(document: dict[str, Any]) -> str:
    """Tell 1 from 1.0."""
    return json.dumps(document, sort_keys=True)


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--vlb", "<=4", "--pattern", "shift(1,0)", "--no-monotone"),
        ("--vlb", "none", "--pattern", "permutation(seed=1)", "--seed", "7"),
        ("--vlb", "short(2,3)", "--pattern", "type2(seed=3)", "--solver", "rm+:1e-3"),
        ("--vlb", "<=4+60%", "--pattern", "uniform", "--solver", "pulp:HiGHS"),
        ("--pattern", "shift(0,0)"),
    ],
    ids=" ".join,
)
def test_models(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    _printed(capsys, "model", "2,4,2,3", *options)


@pytest.mark.parametrize(
    "options",
    [
        ("2,4,2,3",),
        ("2,4,2,3", "--no-balance", "--routing", "par"),
        ("2,4,2,3", "--patterns", "1", "--seed", "5"),
        ("2,4,2,3", "--compact"),
        ("2,4,2,5", "--routing", "ugal-g", "--simulated-patterns", "3"),
        ("4,1,2,3", "--data-points", "1"),
    ],
    ids=" ".join,
)
def test_tables(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    network, *others = options
    _printed(capsys, "table", network, *_QUICK, *others)


@pytest.mark.parametrize(
    "options",
    [
        ("1,2,2,3", "--objective", "front", "--routing", "par", "--search", "paths"),
        ("1,2,2,3", "--traffic", "uniform", "--no-balance"),
        ("1,2,1,3", "--objective", "worst-pattern", "--traffic", "shift(1,0):2",
         "--traffic", "uniform", "--search", "paths"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_searched_tables(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    network, *others = options
    document = _printed(capsys, "table", network, *_SEARCH, *others)
    search = document["search"]
    assert [one["expression"] for one in search["front"]] == [
        one["expression"] for one in search["held_out"][: len(search["front"])]
    ]
    assert document["timings"].keys() == {"probe", "balance", "search", "compare", "table"}
    assert document["provenance"]["cma"] == version("cma")
    # Named traffic is judged in rounds of eight runs in all, other traffic on ten patterns.
    judged = [one["pattern"] for one in document["baseline"]["per_pattern"]]
    named = [one.partition(":")[0] for one in others if one.startswith(("uniform", "shift"))]
    if named:
        assert judged == named * (8 // len(named))
    else:
        assert len(set(judged)) == len(judged) == 10


def test_table_where_no_candidate_is_better(capsys: pytest.CaptureFixture[str]) -> None:
    document = _printed(capsys, "table", "1,2,2,5", *_QUICK)
    assert not document["decision"]["replaces_all"]


def test_table_of_a_network_that_saturates_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    # 16 nodes per switch on 2 cables: no load of the coarse grid is carried.
    windows = ("--screening", "100,100,0.1", "--confirmation", "100,100,0.1")
    document = _printed(capsys, "table", "16,4,2,3", *_QUICK, *windows)
    assert document["baseline"]["saturation_mean"] == 0.0
    latencies = [point["latency_mean"] for point in document["curves"]["all"]]
    assert None in latencies


@pytest.mark.slow
def test_table_balanced_by_a_sample(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_: object) -> bool:
        return False

    for module in ("search.tables", "search.candidates", "balance.balancing"):
        monkeypatch.setattr(sys.modules[f"tvlb.{module}"], "is_listable", never)
    document = _printed(capsys, "table", "2,4,2,3", *_QUICK)
    assert document["table"]["form"] == "compact"
    assert document["balance"]["sampled_pairs"] > 0


@pytest.mark.slow
def test_a_search_is_for_the_routers_that_are_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    quick = ("table", "2,4,2,3", *_QUICK)
    usual = _printed(capsys, *quick)
    for name, option, value in (
        ("vc_scheme", "--vcs", "per-hop"),
        ("buffer_flits", "--buffer", 8),
        ("local_latency", "--local-latency", 40),
        ("global_latency", "--global-latency", 40),
        ("speedup", "--speedup", 1.0),
        ("ugal_rule", "--ugal-rule", "two"),
        ("queue", "--queue", "vc"),
        ("threshold", "--threshold", 5),
        ("decide", "--decide", "each-attempt"),
    ):
        document = _printed(capsys, *quick, option, str(value))
        told = [one["provenance"]["parameters"]["config"][name] for one in (usual, document)]
        assert told[0] != told[1] == value
        assert usual["baseline"] != document["baseline"], name


def test_small_buffers_are_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["table", "2,4,2,3", *_QUICK, "--buffer", "4", "--json"]) == 0
    warnings = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert len(warnings) == 2
    assert "a buffer of 4 flits is below the credit round trip of local links" in warnings[0]


@pytest.mark.parametrize(
    "options",
    [
        ("--load", "0.1,0.2"),
        ("--load", "0.05:0.15:0.05", "--seeds", "3", "--seed", "7"),
        ("--load", "0.0"),
        ("--load", "0.0", "--seeds", "2"),
        ("--load", "1", "--routing", "min", "--pattern", "shift(1,0)"),
        ("--load", "0.1", "--warmup", "detect:3000", "--cycles", "1000"),
        ("--load", "0.1", "--traces", "5", "--routing", "par", "--vcs", "per-hop"),
        ("--load", "0.9", "--traces", "50", "--cycles", "10", "--pattern", "shift(1,0)"),
        ("--load", "0.1", "--routing", "vlb", "--vc-count", "6", "--decide", "each-attempt"),
        ("--saturation",),
        ("--saturation", "--seeds", "2", "--load", "0.1", "--routing", "ugal-g"),
        ("--load", "0.1", "--buffer", "8"),
    ],
    ids=" ".join,
)
def test_simulations(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    document = _printed(capsys, "simulate", "2,4,2,3", *_SHORT, *options)
    assert ("saturation_load" in document) == ("--saturation" in options)


def test_simulation_without_local_links(capsys: pytest.CaptureFixture[str]) -> None:
    document = _printed(capsys, "simulate", "1,1,2,3", "--load", "0.1", *_SHORT)
    assert document["rows"][0]["link_load"]["local"] == {"mean": None, "max": None}


@pytest.mark.parametrize("name", ["model", "simulation", "search", "table", "vct"])
def test_examples_follow_their_schemas(name: str) -> None:
    document = example(name)
    model = _MODELS[name].model_validate_json(json.dumps(document), strict=True)
    assert _text(model.model_dump(mode="json", exclude_unset=True)) == _text(document)
    assert document in _MODELS[name].model_json_schema()["examples"]


@pytest.mark.parametrize(
    ("model", "name"),
    [(resource_of("stability"), "stability"), (resource_of("simulation", "vct"), "vct")],
)
def test_examples_of_resources_follow_their_schemas(model: type[Document], name: str) -> None:
    (resource,) = model.model_json_schema()["examples"]
    model.model_validate_json(json.dumps(resource), strict=True)
    assert example(name).items() <= resource.items()


@pytest.mark.parametrize("name", ["model", "simulation", "stability", "table"])
def test_every_key_of_a_schema_is_described(name: str) -> None:
    schema = _MODELS[name].model_json_schema()
    parts = [schema, *schema["$defs"].values()]
    for part in parts:
        assert part["description"]
        for key, field in part.get("properties", {}).items():
            assert "description" in field or "$ref" in field, (part["title"], key)


def test_schemas_refuse_other_keys() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        ModelDocument.model_validate(example("model") | {"comment": "none"})


@pytest.mark.parametrize("name", ["model", "simulation", "table"])
def test_schemas_refuse_missing_keys(name: str) -> None:
    document = example(name)
    del document["provenance"]
    with pytest.raises(ValidationError, match="provenance"):
        _MODELS[name].model_validate(document)


def test_keys_of_a_saturation_search_come_together() -> None:
    document = example("simulation")
    del document["saturation_by_seed"]
    with pytest.raises(ValidationError, match="come together"):
        SimulationDocument.model_validate(document)


def test_absent_keys_are_never_null() -> None:
    document = example("simulation") | {"saturation_load": None}
    with pytest.raises(ValidationError, match="instead of null"):
        SimulationDocument.model_validate(document)


def test_models_of_earlier_versions_are_read() -> None:
    earlier = json.dumps(example("model") | {"bound_kind": "global-links"})
    read = ModelDocument.model_validate_json(earlier, strict=True)
    assert read.bound_kind is BoundKind.LINKS
