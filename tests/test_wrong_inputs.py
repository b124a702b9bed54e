"""What people get wrong, asked of every surface: one clear line each, in the same words."""

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from playwright.sync_api import Page, expect

import tvlb
from sim_bridge import parse_warmup
from tests.browser import CHROMIUM, new_page
from tests.service import Server
from tvlb.cli import main
from tvlb.client import Client
from tvlb.errors import ServerProblem, TvlbError
from tvlb.requests import Request, SimulationBody, TableBody
from tvlb.requests.kinds.model import ModelBody
from tvlb.search import Windows

_BODIES: dict[str, type[Request]] = {
    "table": TableBody,
    "model": ModelBody,
    "simulate": SimulationBody,
}
# What pydantic, Python and the regular expressions of the schema would say.
_INTERNAL = re.compile(
    r"function-|constrained-|\[type=|pydantic|Input should|String should|\^\(|\[0-9\]|Body|Error"
)


@dataclass(frozen=True)
class Wrong:
    """A question that nobody can answer.

    Attributes
    ----------
    sentence : what every surface says, beside a field or an option in front and what else it takes.
    asked : options and their values.
    told_by_requests : what a service says instead, where files are what is wrong.
    """

    name: str
    sentence: str
    command: str = "table"
    topology: str = "2,4,2,9"
    asked: Mapping[str, Any] = field(default_factory=dict[str, Any])
    told_by_requests: str | None = None


WRONG = [
    Wrong("blanks", "topology '3 6 3 10': '3 6 3 10' is no name", topology="3 6 3 10"),
    Wrong(
        "arrangement",
        "arrangement 'random' is unknown; choose one of absolute, palmtree, relative, circulant",
        topology="4,8,4,9,random",
    ),
    Wrong("three sizes", "'dfly(4,8,4)' is not dfly(p,a,h,g[,arrangement])", topology="4,8,4"),
    Wrong("family", "topology 'sphere(4,8)': 'sphere' is not", topology="sphere(4,8)"),
    Wrong("no switches", "a '0' is out of range: integers 1..", topology="4,0,4,9"),
    Wrong(
        "too many groups",
        "g=90 is out of range: 8 switches with 4 global ports each reach at most a*h+1 = 33 groups",
        topology="4,8,4,90",
    ),
    Wrong(
        "no topology file",
        "cannot read topology file network.json: No such file or directory",
        topology="network.json",
        told_by_requests="topology 'network.json': a request cannot name a file",
    ),
    Wrong("routing", "routing 'ugal': choose one of", asked={"routing": "ugal"}),
    Wrong("method", "method 'papers': choose one of search, paper", asked={"method": "papers"}),
    Wrong(
        "objective",
        "unknown objective 'speed': expected saturation, latency@LOAD, worst-pattern, guaranteed "
        "or front",
        asked={"objective": "speed"},
    ),
    Wrong(
        "budget",
        "budget 'huge': expected small, default, large or a number of flit-hops",
        asked={"budget": "huge"},
    ),
    Wrong("negative seed", "seed -1 is out of range: 0..2^63-1", asked={"seed": -1}),
    Wrong("seed in words", "'one' is not an integer", asked={"seed": "one"}),
    Wrong("tolerance", "tolerance 1.5 is out of range: 0 to below 1", asked={"tolerance": 1.5}),
    Wrong(
        "patterns",
        "patterns 'few': expected auto, all or a number of patterns",
        asked={"patterns": "few"},
    ),
    Wrong(
        "traffic",
        "pattern 'shift(1)': 'shift(1)' is not shift(DG,DS)",
        asked={"traffic": ("shift(1)",)},
    ),
    Wrong(
        "traffic of another network",
        "shift(20,0): group shift 20 is out of range; allowed are 0..8",
        asked={"traffic": ("shift(20,0)",)},
    ),
    Wrong(
        "option of the other method",
        "finalists 2 has no meaning for method search",
        asked={"finalists": 2},
    ),
    Wrong(
        "windows",
        "grid 0.5 is out of range: 0.0001..0.1",
        asked={"screening": {"warmup": 1000, "measured": 100, "grid": 0.5}},
    ),
    Wrong(
        "path set",
        "path set 'short(2;3)': 'short(2;3)' is unknown; expected all, none, ",
        command="model",
        asked={"vlb": "short(2;3)"},
    ),
    Wrong(
        "no table file",
        "cannot read mine.parquet: No such file or directory",
        command="model",
        asked={"vlb": "mine.parquet"},
        told_by_requests="path set 'mine.parquet': a request cannot name a file",
    ),
    Wrong(
        "pattern",
        "pattern 'tornado': 'tornado' is not uniform, shift",
        command="model",
        asked={"pattern": "tornado"},
    ),
    Wrong("solver", "unknown solver 'cplex': expected highs", "model", asked={"solver": "cplex"}),
    Wrong("load", "load 1.5 is out of range: 0..1", "simulate", asked={"load": (1.5,)}),
    Wrong(
        "warm-up",
        "warm-up 'soon' is malformed: expected CYCLES, detect or detect:CYCLES",
        command="simulate",
        asked={"load": (0.1,), "warmup": "soon"},
    ),
    Wrong("VCs", "vcs 'many': choose one of", "simulate", asked={"load": (0.1,), "vcs": "many"}),
]
every_wrong_input = pytest.mark.parametrize("wrong", WRONG, ids=lambda one: one.name)


@pytest.fixture(autouse=True)
def _in_empty_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(told: str, wrong: Wrong, *, by_request: bool) -> None:
    sentence = wrong.told_by_requests if by_request else None
    assert (sentence or wrong.sentence) in told
    assert "\n" not in told.strip()
    assert _INTERNAL.search(told) is None, told


@every_wrong_input
def test_on_the_command_line(wrong: Wrong, capsys: pytest.CaptureFixture[str]) -> None:
    options = [f"--{name}={_text(value)}" for name, value in wrong.asked.items()]
    assert main([wrong.command, wrong.topology, *options]) == 2
    check(capsys.readouterr().err, wrong, by_request=False)


def _text(value: object) -> str:
    if isinstance(value, dict):
        value = tuple(cast("dict[str, object]", value).values())
    if isinstance(value, tuple):
        return ",".join(map(str, cast("tuple[object, ...]", value)))
    return str(value)


@every_wrong_input
def test_over_rest(wrong: Wrong, server: Server) -> None:
    path = {"table": "tables", "model": "models", "simulate": "simulations"}[wrong.command]
    answer = httpx.post(f"{server.url}/v1/{path}", json={"topology": wrong.topology, **wrong.asked})
    assert answer.status_code == 422
    check(answer.json()["detail"], wrong, by_request=True)
    assert _INTERNAL.search(answer.text) is None


@every_wrong_input
def test_with_the_client(wrong: Wrong, server: Server) -> None:
    with pytest.raises(TvlbError) as caught, Client(server.url) as client:
        client.estimate(_BODIES[wrong.command](topology=wrong.topology, **wrong.asked))
    error = caught.value
    told = error.detail if isinstance(error, ServerProblem) else str(error)
    check(told, wrong, by_request=True)


@every_wrong_input
def test_in_python(wrong: Wrong) -> None:
    with pytest.raises(TvlbError) as caught:
        _ASKED[wrong.command](wrong.topology, dict(wrong.asked))
    check(str(caught.value), wrong, by_request=False)


def _search(topology: str, asked: dict[str, Any]) -> None:
    if "screening" in asked:
        asked["screening"] = Windows(**asked["screening"])
    tvlb.optimize(topology, tvlb.SearchOptions(**asked))


def _model(topology: str, asked: dict[str, Any]) -> None:
    usual = {"vlb": "all", "pattern": "uniform", "solver": "highs"} | asked
    tvlb.throughput(topology, usual["vlb"], usual["pattern"], solver=usual["solver"])


def _simulation(topology: str, asked: dict[str, Any]) -> None:
    parse_warmup(asked.get("warmup", "0"))
    config = tvlb.SimulationConfig(vc_scheme=asked.get("vcs"))
    tvlb.simulate(topology, load=asked["load"][0], config=config)


_ASKED = {"table": _search, "model": _model, "simulate": _simulation}


# Of lists the form offers nothing wrong, and it hides what has no meaning.
def is_on_the_form(wrong: Wrong) -> bool:
    hidden = {"method", "routing", "finalists"}
    return wrong.command == "table" and hidden.isdisjoint(wrong.asked)


@pytest.fixture(scope="module")
def form(browser: Any, server: Server) -> Generator[Page]:
    with new_page(browser, server.url) as page:
        page.goto("/")
        page.get_by_text("More options").click()
        yield page


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("wrong", [*filter(is_on_the_form, WRONG)], ids=lambda one: one.name)
def test_on_the_page(wrong: Wrong, form: Page) -> None:
    form.locator("#request").evaluate("(form) => form.reset()")
    for name, value in {"topology": wrong.topology, **wrong.asked}.items():
        form.locator(f"#request [name={name}]").fill(_text(value))
    form.locator("#problem").evaluate("(told) => { told.textContent = ''; }")
    form.get_by_role("button", name="Compute").click()
    expect(form.locator("#problem")).not_to_be_empty()
    check(form.locator("#problem").inner_text(), wrong, by_request=True)
