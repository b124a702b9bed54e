"""What holds for every router, what it offers, and every pattern: all surfaces find the same.

New ones are tested here without a change; those of other packages by `tests/test_foreign_router.py`
and `tests/test_foreign_core.py`.
"""

import html
import json
import re
import shlex
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

import httpx
import pytest

import tvlb
from sim_bridge import FollowedTable, SimulationRequest, Split
from sim_bridge.routing import SPLIT_ROUTINGS
from tests.service import Server, answered
from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.requests import LoadsBody, command_line, simulation_body, simulation_document
from tvlb.requests.request import TABLE_FILE
from tvlb.requests.routers import Router, router_named, routers
from tvlb.requests.stored_tables import gone_by
from tvlb.table import parse_path_set, read_any_table
from tvlb.topology import Topology, parse_topology
from tvlb.traffic import named_patterns, parse_named_pattern

NETWORKS = ("dfly(2,4,2,5)", "hyperx(2,3,3)", "slimfly(5)", "kary(2,2)")
WINDOWS = {"warmup": 100, "cycles": 200}
# What some routings cannot do without; the table is one of the server, of the kind that they take.
TABLE = "table"
NEEDS: tuple[dict[str, Any], ...] = ({}, {"vlb": ["shape(g.?)", "all"]}, {TABLE: TABLE_FILE})
PATTERNS = [kind.example for kind in named_patterns()]


def body_of(asked: dict[str, Any]) -> LoadsBody:
    return simulation_body(asked["router"])(**asked)


def asked_of(router: Router, **more: Any) -> dict[str, Any]:
    """Return a request of short runs."""
    windows = {name: value for name, value in WINDOWS.items() if name in router.options}
    return {"topology": NETWORKS[0], "router": router.name, "load": [0.1], **windows, **more}


@cache
def schema_of(router: Router) -> Any:
    return simulation_body(router.name).model_json_schema()["properties"]


def parts(schema: Any) -> list[Any]:
    return [*chain(*map(parts, schema["anyOf"]))] if "anyOf" in schema else [schema]


def members(router: Router, name: str) -> list[str]:
    """Return the names that an option of a router may have, or those that examples show."""
    found = chain(*(one.get("enum", ()) for one in parts(schema_of(router)[name])))
    shown = schema_of(router)[name].get("examples", ()) if name == "routing" else ()
    return [*dict.fromkeys([*found, *shown])]


def choices() -> Iterator[Any]:
    for router in routers().values():
        for name in router.options:
            for member in members(router, name):
                yield pytest.param(router, name, member, id=f"{router.name}-{name}-{member}")


def read_table(path: str, network: Topology, routing: str) -> FollowedTable | Split:
    return gone_by(read_any_table(path), path, network, routing)


def simulation_of(asked: dict[str, Any]) -> SimulationRequest:
    """Return what is to be simulated; a table is a file, which bodies do not name."""
    body = body_of({name: value for name, value in asked.items() if name != TABLE})
    body = body.model_copy(update={TABLE: asked[TABLE]} if TABLE in asked else {})
    return body.simulation(body.network(), parse_path_set, read_table)


def fits(asked: dict[str, Any]) -> bool:
    """Whether a router can run what is asked."""
    try:
        router_named(asked["router"]).resolved(simulation_of(asked))
    except InvalidInput:
        return False
    return True


@pytest.fixture(scope="module")
def tables(server: Server, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Path]]:
    """Return the ids of a forwarding and of a split table of the server, and files of the same."""
    found: list[tuple[str, Path]] = []
    for route, network in (("/v1/routes", NETWORKS[0]), ("/v1/splits", NETWORKS[1])):
        made = answered(server, route, {"topology": network})
        file = tmp_path_factory.mktemp("tables") / TABLE_FILE
        file.write_bytes(httpx.get(f"{server.url}{made['url']}/download?format=parquet").content)
        found.append((made["table"]["id"], file))
    return found


@pytest.fixture
def table(request: pytest.FixtureRequest, tables: list[tuple[str, Path]]) -> tuple[str, Path]:
    """Return the table that a test of a routing needs."""
    spec = getattr(request.node, "callspec", None)
    return tables[spec is not None and spec.params.get("member") in SPLIT_ROUTINGS]


@pytest.fixture(autouse=True)
def _beside_the_table(
    table: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(TABLE_FILE).symlink_to(table[1])


def without_times(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for one in chain(rows, *(row.get("runs", ()) for row in rows)):
        for name in [name for name in one if name.endswith("_seconds")]:
            del one[name]
    return rows


def in_python(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the runs at the first load, by `tvlb.simulate`."""
    network, request = parse_topology(asked["topology"]), simulation_of(asked)
    options: dict[str, Any] = {"path_set": asked["vlb"]} if "vlb" in asked else {}
    if TABLE in asked:
        options[TABLE] = read_table(TABLE_FILE, network, asked["routing"])
    if "routing" in asked:
        options["routing"] = asked["routing"]
    found: list[Any] = [
        tvlb.simulate(
            asked["topology"],
            load=request.loads[0],
            pattern=asked.get("pattern", "uniform"),
            config=request.config,
            seed=request.scenario.seed + each,
            **options,
        )
        for each in range(request.seeds)
    ]
    one_run = simulation_document(asked["router"]).one_run
    return without_times([one_run.of(one, network).plain() for one in found])


def by_command(asked: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    stored = {TABLE: "0" * 64} if TABLE in asked else {}
    line = command_line(body_of(asked | stored))
    assert line is not None
    assert main([*shlex.split(line)[1:], "--json", "--workers", "1"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    model = simulation_document(asked["router"]).model_validate(document, strict=False)
    assert model.model_dump(mode="json", exclude_unset=True) == document
    without_times(document["rows"])
    return document


def same(asked: dict[str, Any], server: Server, capsys: Any, stored: str) -> dict[str, Any]:
    """Return what the service answers, which Python and the command line find, too."""
    sent = asked | ({TABLE: stored} if TABLE in asked else {})
    answer: dict[str, Any] = answered(server, "/v1/simulations", sent)
    told: dict[str, Any] = {**answer, "rows": without_times(deepcopy(answer["rows"]))}
    expected = by_command(asked, capsys)
    if TABLE in asked:  # by its id
        expected = json.loads(json.dumps(expected).replace(TABLE_FILE, answer[TABLE]))
    # What a command leaves open a request has filled in.
    open_ones = {name for name, value in expected["config"].items() if value is None}
    told["config"] = {**told["config"], **dict.fromkeys(open_ones)}
    assert {name: told[name] for name in expected} == expected
    runs = told["rows"][0].get("runs", told["rows"][:1])
    assert runs == in_python(asked)
    assert runs[0]["cycles"] > 0
    return answer


@pytest.mark.parametrize("router", routers().values(), ids=lambda one: one.name)
@pytest.mark.parametrize("seeds", [1, 2])
def test_a_router_is_the_same_everywhere(
    router: Router,
    seeds: int,
    server: Server,
    table: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = asked_of(router, load=[0.1, 0.3], seeds=seeds, seed=7)
    answer = same(asked, server, capsys, table[0])
    assert answer.keys() >= {"id", "url", "created_at", "request"}
    assert [row["load"] for row in answer["rows"]] == [0.1, 0.3]
    # OpenAPI has all that was asked and is told.
    described = httpx.get(f"{server.url}/openapi.json").json()
    schemas, route = described["components"]["schemas"], described["paths"]["/v1/simulations"]
    stem = simulation_body(router.name).__name__.removesuffix("Body")
    for model in (f"{stem}Body", f"{stem}Resource"):
        assert f'schemas/{model}"' in json.dumps(route["post"])
    assert schemas[f"{stem}Body"]["properties"].keys() >= asked.keys() | router.options.keys()
    assert schemas[f"{stem}Resource"]["properties"].keys() >= answer.keys()
    known = schemas[simulation_document(router.name).one_run.__name__]
    for run in chain(*(row.get("runs", [row]) for row in answer["rows"])):
        assert {*known["required"]} <= run.keys() <= known["properties"].keys()
    # The page tells the figures of its columns, and what was simulated.
    shown = httpx.get(f"{server.url}{answer['url'].removeprefix('/v1')}").text
    assert html.escape(router.title(answer), quote=False) in html.unescape(shown)
    for row in answer["rows"]:
        for column in router.shown_columns(answer["rows"])[1:]:
            if row[column.key] is not None:
                assert f'<td class="number">{row[column.key]:,.{column.digits}f}</td>' in shown
    assert f"--router {router.name}" in shown or router.name == "iq"
    # The form has every option.
    form = httpx.get(f"{server.url}/simulations/new?router={router.name}").text
    fields = set(re.findall(r'name="(\w+)" [^>]*data-input', form))
    assert fields == {*schema_of(router), "without"}
    assert "null for" not in form


@pytest.mark.parametrize(("router", "name", "member"), [*choices()])
def test_what_a_router_offers_is_the_same_everywhere(
    router: Router,
    name: str,
    member: str,
    server: Server,
    table: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    others = [] if name == "routing" else members(router, "routing")
    cases = (
        asked_of(router, topology=network, **routing, **{name: member}, **needed)
        for network in NETWORKS
        for routing in ({}, *({"routing": one} for one in others))
        for needed in NEEDS
        if needed.keys() <= router.options.keys()
    )
    asked = next(filter(fits, cases))
    answer = same(asked, server, capsys, table[0])
    assert answer["request"][name] in (member, answer.get("routing"))


# The surfaces know nothing of a router that is particular to a pattern: each is run by one.
@pytest.mark.parametrize(("place", "pattern"), [*enumerate(PATTERNS)], ids=str)
def test_patterns_are_the_same_everywhere(
    place: int,
    pattern: str,
    server: Server,
    table: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    parsed = parse_named_pattern(pattern)
    longer = {} if parsed.load_step is None else {"cycles": parsed.load_step.cycle + 200}
    suited = [one for one in NETWORKS if parsed.suits(parse_topology(one))]
    cases = {
        router.name: [asked_of(router, topology=one, pattern=pattern, **longer) for one in suited]
        for router in routers().values()
    }
    fitting = [one for every in cases.values() if (one := next(filter(fits, every), None))]
    # A router refuses a pattern only where it does not take its networks.
    for asked in chain(
        *(cases[name] for name in cases.keys() - {one["router"] for one in fitting})
    ):
        assert not fits({name: asked[name] for name in asked if name != "pattern"})
    asked = fitting[place % len(fitting)]
    assert same(asked, server, capsys, table[0])["pattern"] == pattern


# More runs than are answered at once.
@pytest.mark.parametrize("router", routers().values(), ids=lambda one: one.name)
def test_workers_compute_many_runs(router: Router, server: Server) -> None:
    asked = asked_of(router, cycles=100, seeds=101)
    answer = answered(server, "/v1/simulations", asked)
    assert len(answer["rows"][0]["runs"]) == 101
    jobs = httpx.get(f"{server.url}/v1/jobs").json()["jobs"]
    (job,) = [one for one in jobs if one["result_url"] == answer["url"]]
    assert (job["kind"], job["timings"].keys()) == ("simulation", {"simulate"})


def test_settings_of_no_router_are_refused() -> None:
    with pytest.raises(InvalidInput, match="config 5 is of no router"):
        tvlb.simulate(NETWORKS[0], load=0.1, config=5)


def refused(asked: dict[str, Any], sentence: str, server: Server, capsys: Any) -> None:
    """See that a command and a request are refused in these words before anything is computed."""
    answer = httpx.post(f"{server.url}/v1/simulations", json=asked)
    assert answer.status_code == 422, answer.text
    network, *options = asked.values()
    if isinstance(network, dict):
        Path("network.json").write_text(json.dumps(network))
        network = "network.json"
    words = zip([*asked][1:], map(_text, options), strict=True)
    given = [f"--{name.replace('_', '-')}={value}" for name, value in words]
    assert main(["simulate", network, *given]) == 2
    captured = capsys.readouterr()
    (line,) = captured.err.splitlines()
    assert line.startswith("tvlb: error: ")
    assert captured.out == ""
    for told in (line, answer.json()["detail"]):
        assert sentence in told
        assert "\n" not in told


def _text(value: object) -> str:
    return (
        ",".join(map(str, cast("list[object]", value))) if isinstance(value, list) else str(value)
    )


ONE_NODE = {"switches": 2, "endpoints": [1, 0], "links": [[0, 1]]}
BAD = [
    ({"local_buffer": 5}, "buffer 5 is not 1 to 6553 packets of 10 phits"),
    ({"global_buffer": 25}, "buffer 25 is not 1 to 6553 packets of 10 phits"),
    ({"output_buffer": 15}, "buffer 15 is not 1 to 127 packets of 10 phits"),
    ({"injection_buffer": 9}, "buffer 9 is not 1 to 6553 packets of 10 phits"),
    ({"speedup": 3}, "speedup 3 does not divide a packet of 10 phits"),
    ({"routing": "acor-switch(4l)"}, "sequence '4l' is unknown; choose one of 2la, 2lb, 3l"),
    ({"routing": "acor-switch(2la,it2=9)"}, ": it2 is of acor-switch(3l) only"),
    ({"routing": "pb(rval=2)"}, "rval '2' is out of range: integers 0..1"),
    ({"routing": "val-rrg-sw(hi=9)"}, "'val-rrg-sw(hi=9)' is not val-rrg-sw(rval=N,"),
    ({"routing": "acor-switch(sets)"}, "sequence 'sets' is unknown; choose one of 2la, 2lb, 3l"),
    ({"routing": "acor-switch"}, "'acor-switch' is not acor-switch(sequence[,hi=N]"),
    ({"pattern": "step(uniform,300,0.2)"}, "T = 300 is not before the end of the run; with its"),
    ({"pattern": "step(step(uniform,9,1),50,0.2)"}, "PATTERN 'step' is not uniform, shift"),
    ({"router": "iq", "topology": ONE_NODE, "pattern": "hot"}, " has no other nodes"),
    (
        {"router": "iq", "topology": "hyperx(2,3,3)", "pattern": "advc"},
        "advc is no pattern of hyperx(2,3,3): it has no groups",
    ),
    ({"levels": 99}, "levels 99 is out of range: 0..4, the groups of dfly(2,4,2,5)"),
    ({"vcs": "ladder"}, "vcs"),
    ({"topology": "hyperx(2,3,3)", "routing": "acor-switch(3l)"}, "vct-fog is for Dragonflies"),
    ({"cycles": 99_999_999, "interval": 9}, "interval 9: a run of up to 100,000,099 cycles has"),
    ({"interval": 0}, "interval 0 is out of range: 1..100000000"),
    ({"preset": "big"}, "preset 'big': choose one of paper, small"),
    ({"warmup": 100_000_001}, "warmup 100000001 is out of range: 0..100000000"),
    ({"warmup": "detect"}, "detect"),
    ({"router": "vct", "warmup": 100_000_001}, "warmup 100000001 is out of range: 0..100000000"),
    ({"router": "iq", "warmup": 100_000_001}, "warmup 100000001 is out of range: 0..100000000"),
    ({"router": "vc"}, "router 'vc': choose one of iq, vct, vct-fog"),
]


@pytest.mark.parametrize(("wrong", "sentence"), BAD, ids=lambda one: str(one)[:50])
def test_bad_input(
    wrong: dict[str, Any], sentence: str, server: Server, capsys: pytest.CaptureFixture[str]
) -> None:
    refused(asked_of(routers()["vct-fog"]) | wrong, sentence, server, capsys)
