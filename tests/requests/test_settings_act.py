"""Every setting that can be asked for changes the result, warns, or is refused; none is ignored.

What there is to ask is read from the declarations: a new setting fails until it has values here.
"""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from pydantic import BaseModel, ValidationError
from typer.main import get_group

from sim_bridge import SimulationConfig
from sim_bridge.routers.vct import LongRun
from tests.search.here import Memory, unit_cache_here
from tests.service import quick_options
from tvlb.cli.app import app, main
from tvlb.errors import InvalidInput
from tvlb.forwarding import route
from tvlb.guarantee import static
from tvlb.languages import Flag, Names, Setting, Switch, offered
from tvlb.paths import parse_expression
from tvlb.processes import Reporter, UnitCache
from tvlb.requests import Answer, Context, Form, LoadsBody, RepairOptions, SweepBody, request_kinds
from tvlb.requests.kind import RequestKind, StoredResult
from tvlb.requests.prices import Prices
from tvlb.requests.request import Question
from tvlb.search import SearchOptions
from tvlb.table import CompactTable, SplitTable, write_table
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.topology import Failures, Listing, parse_topology, without

_RUN = {"topology": "2,4,2,5", "load": [0.7], "warmup": 100, "cycles": 200}
_PAPER: dict[str, Any] = quick_options(100, 100, 0.1) | {
    "patterns": 2,
    "finalists": 2,
    "data_points": 2,
}
_WINDOWS = _PAPER["screening"]
# Tables that are made where a request names them.
_FOLLOWED, _SPLIT = "1" * 64, "2" * 64
# What is asked with one setting changed at a time, the kind first.
BASES: Mapping[str, dict[str, Any]] = {
    "simulation by min": _RUN | {"routing": "min"},
    "simulation by vlb": _RUN | {"routing": "vlb"},
    "simulation by ugal-l": _RUN,
    "simulation by ugal-g": _RUN | {"routing": "ugal-g"},
    "simulation by par": _RUN | {"routing": "par"},
    "simulation by table": _RUN
    | {"routing": "table", "table": _FOLLOWED, "vcs": "won", "load": [0.3]},
    "simulation by static": _RUN
    | {"topology": "2,4,2,3", "routing": "static", "table": _SPLIT, "load": [0.3]},
    "simulation, search": _RUN | {"topology": "1,3,1,4", "saturation": True, "load": []},
    "simulation, vct by min": _RUN | {"router": "vct"},
    "simulation, vct by valiant": _RUN
    | {"router": "vct", "routing": "valiant(minfirst)"}
    | {"vcs": "2phases"},
    "simulation, vct by ugal-l": _RUN | {"router": "vct", "routing": "ugal-l"},
    "simulation, vct by static": _RUN
    | {"topology": "2,4,2,3", "router": "vct", "routing": "static", "table": _SPLIT},
    "stability": {"topology": "1,2,2,3", "cycles": 100_000, "until_collapse": True},
    "model": {"topology": "2,4,2,5", "pattern": "shift(1,0)", "vlb": "<=4+60%"},
}
SLOW: Mapping[str, dict[str, Any]] = {
    "table by the paper": {"topology": "2,4,2,5"} | _PAPER,
    "table by a search": {
        "topology": "2,4,2,5",
        "search": "paths",
        "budget": 1_000,
        "confirmation": _WINDOWS,
        "traffic": ["shift(1,0)"],
    },
    "repair": {
        "table": "0" * 64,
        "without": {"links": [[0, 1]]},
        "confirmation": _WINDOWS,
        "traffic": ["uniform"],
    },
}
ALL: Mapping[str, dict[str, Any]] = {**BASES, **SLOW}
# Other values of settings that are neither names nor yes and no; of a kind, or of all.
VALUES: Mapping[str, list[Any]] = {
    "budget": [10**7],
    "buffer": [4],
    "candidates": [4],
    "confirmation": [_WINDOWS | {"measured": 200}],
    "cycles": [400],
    "stability cycles": [101_000],
    "data_points": [5],
    "finalists": [1],
    "global_latency": [3],
    "input_buffer": [16],
    "interval": [30],
    "link_latencies": ["local=3"],
    "load": [[0.2], 0.2],
    "local_latency": [3],
    "monotone": [False],
    "objective": ["worst-pattern"],
    "output_buffer": [16],
    "packet": [8],
    "pattern": ["shift(2,0)"],
    "patterns": [1],
    "queue": ["vc", "waiting", "port/vc"],
    "rebalance": [0.5],
    "routing": ["valiant(minlast)", "min", ["min"]],
    "screening": [_WINDOWS | {"measured": 200}],
    "seed": [1],
    "seeds": [2],
    "server_latency": [3],
    "simulated_patterns": [3],
    "solver": ["rm+:0.1"],
    "source_queue": [1],
    "speedup": [1],
    "threshold": [50],
    "tolerance": [0.5],
    "topology": ["2,4,2,9"],
    "traces": [3],
    "traffic": [["shift(1,0)", "uniform"]],
    "vc_count": [8],
    "vcs": [["reuse"]],
    "vlb": ["<=4", "all"],
    "vlb_factor": [4.0],
    "warmup": [150, "detect"],
    "without": [{"links": [[0, 2]]}],
}
# Names of which some are tried here, since tests/sim_bridge/test_routing.py tells them all apart.
_TOLD_APART = ("queue",)
# Names of what is computed, not settings of it; and what is to end a run earlier with equal results
# (tests/sim_bridge/test_stability.py).
_NO_SETTINGS = ("router", "table", "until_collapse")
# Of which all of a kind are the same to a table, however it is found.
_ROUTERS = offered(SimulationConfig)
# Of what is left of the Dragonfly of a repair.
_USUAL: dict[str, Any] = {"vcs": "per-hop", "ugal_rule": "hops"}
_ECHOED = ("config", "parameters", "provenance", "timings", "version", "id")
_DECLARING: Mapping[str, type] = {
    "table": SearchOptions,
    "repair": RepairOptions,
    "stability": LongRun,
}


@cache
def _followed() -> ForwardingTable:
    return ForwardingTable.of(route(parse_topology("2,4,2,5")).forwarding, "psssp")


@cache
def _split() -> SplitTable:
    return static("2,4,2,3").table


_TABLES = {_FOLLOWED: _followed, _SPLIT: _split}


class Here(Context):
    """Computes in this process, keeps the results of units, and has one table."""

    def __init__(self) -> None:
        self._cache = unit_cache_here(Memory())

    @property
    def cores(self) -> int:
        return 1

    @contextmanager
    def unit_cache(self) -> Generator[UnitCache]:
        yield self._cache

    def result(self, key: str, *kinds: str) -> StoredResult:
        request, answer = asked("table by the paper", SLOW["table by the paper"])
        return StoredResult(
            key,
            RequestKind.tables,
            request,
            key,
            lambda: answer.document,
            lambda: cast("Any", answer.table),
        )

    def table(self, text: str) -> StoredResult:
        if text not in _TABLES:
            return self.result(text, "table")
        table = _TABLES[text]()
        asked_for = {"topology": str(table.topology)}
        return StoredResult(text, table.kind.name, asked_for, text, dict, lambda: table)

    def sweep(self, body: SweepBody, report: Reporter) -> Answer:
        raise NotImplementedError


@cache
def here() -> Here:
    return Here()


def form_of(base: str) -> Form[Any]:
    """Return the form of a base request."""
    kind = request_kinds()[base.replace(",", "").split()[0]]
    return kind.form_of(json.dumps(ALL[base]))


def asked(base: str, request: Mapping[str, Any]) -> tuple[Mapping[str, Any], Answer]:
    """Return what is asked for, resolved, and the answer."""
    body = resolved(base, request)
    return body.model_dump(mode="json"), form_of(base).compute(body, here(), lambda _: None)


def resolved(base: str, request: Mapping[str, Any]) -> Question:
    """Return a request with what is left open filled in."""
    kind = request_kinds()[base.replace(",", "").split()[0]]
    body = form_of(base).body.model_validate_json(json.dumps(request))
    return kind.examine(body, None, here()).request


def told(base: str, request: Mapping[str, Any]) -> Any:
    """Return what a document tells, warnings included, without what was asked for and times."""
    # What was found is told by the name of the setting that says what to look for.
    echoed = {*form_of(base).body.model_fields, *_ECHOED} - {"search"}

    def bare(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {
                name: bare(one)
                for name, one in cast("Mapping[str, Any]", value).items()
                if "seconds" not in name and not (name in echoed and not isinstance(one, list))
            }
        return [*map(bare, cast("list[Any]", value))] if isinstance(value, list) else value

    return bare(asked(base, request)[1].document)


@cache
def usual(base: str) -> Any:
    return told(base, ALL[base])


def declared(base: str) -> Mapping[str, Setting]:
    """Return the settings of a base request that are declared once."""
    body = form_of(base).body
    if issubclass(body, LoadsBody):
        return body.model.options
    declaring = _DECLARING.get(base.split(maxsplit=1)[0])
    return offered(declaring) if declaring else {}


def values_of(base: str, name: str) -> list[Any]:
    """Return other values of a setting than that of the base request."""
    one, now = (
        declared(base).get(name),
        ALL[base].get(name, _USUAL.get(name) if base == "repair" else None),
    )
    if one is not None and isinstance(one.kind, Names) and name not in _TOLD_APART:
        return [str(each) for each in one.kind.names if str(each) != (now or one.default)]
    if one is not None and isinstance(one.kind, Flag | Switch):
        return [not (one.kind.asked(one.default) if now is None else now)]
    values = VALUES.get(f"{base.split(maxsplit=1)[0]} {name}", VALUES.get(name))
    assert values, f"{name} has no other value to try"
    return [value for value in values if value != now]


def acts(base: str, name: str, value: Any) -> bool:
    """Return whether a value is refused, is that of the base request, or changes what is told."""
    before = ALL[base]
    try:
        same = resolved(base, before | {name: value}) == resolved(base, before)
        return same or told(base, before | {name: value}) != usual(base)
    except (InvalidInput, ValidationError):  # refused, as another form's value is
        return True


def settings_of(bases: Mapping[str, Any]) -> list[Any]:
    return [
        pytest.param(base, name, id=f"{base}-{name}")
        for base in bases
        for name in form_of(base).body.model_fields
        if name not in _NO_SETTINGS and not (base == "table by a search" and name in _ROUTERS)
    ]


@pytest.mark.parametrize(
    ("base", "name"),
    [
        *settings_of(BASES),
        *(
            pytest.param(*one.values, id=one.id, marks=pytest.mark.slow)
            for one in settings_of(SLOW)
        ),
    ],
)
def test_no_setting_of_a_request_is_ignored(base: str, name: str) -> None:
    ignored = [one for one in values_of(base, name) if not acts(base, name, one)]
    assert not ignored


_SWEEP = {"topologies": ["2,4,2,9"], "options": _PAPER}
_PRICES = {"switch": {"per_port": 1.0}, "cable": {"local": 1.0, "global": 2.0}}
_SWEEP_VALUES: Mapping[str, Any] = {
    "topologies": ["slimfly(3)"],
    "generators": [{"p": 1, "a": 2, "h": 1, "g": "max"}],
    "arrangements": ["palmtree"],
    "routings": ["par"],
    "seeds": [1],
    "options": {"vcs": "per-hop"},
    "compute": {"route": {"engine": ["updn", "minhop"]}},
    "prices": _PRICES,
}


@pytest.mark.parametrize("name", [one for one in SweepBody.model_fields if one != "name"])
def test_no_key_of_a_sweep_file_is_ignored(name: str) -> None:
    # Options of tables have no meaning where something else is computed.
    base = {"topologies": ["2,4,2,9"]} if name == "compute" else _SWEEP
    before, after = (
        SweepBody.model_validate(one).expanded()
        for one in (base, base | {name: _SWEEP_VALUES[name]})
    )
    assert (before.points, before.bills) != (after.points, after.bills)


@pytest.mark.parametrize("name", [*offered(SearchOptions)])
def test_every_option_of_a_sweep_is_one_of_its_tables(name: str) -> None:
    if name == "routing":  # which sweeps vary
        return
    base = (
        "table by a search" if name in ("budget", "objective", "traffic") else "table by the paper"
    )
    shared = {key: one for key, one in SLOW[base].items() if key != "topology"}
    for value in values_of(base, name):
        options = shared | {name: value}
        try:
            (alone,) = SweepBody.model_validate(
                {"topologies": ["2,4,2,5"], "options": options}
            ).points()
        except (InvalidInput, ValidationError):
            continue
        assert alone == resolved(base, SLOW[base] | {name: value})


_LISTED = {
    "switches": 4,
    "endpoints": [1, 1, 1, 1],
    "links": [[0, 1], [1, 2], [2, 3], [3, 0]],
    "kinds": [{"name": "ring", "latency": 5}, {"name": "chord"}],
    "link_kinds": ["ring", "ring", "ring", "chord"],
}
# Of every model of files, a base and other values of its keys.
_FILES: Mapping[type[BaseModel], tuple[dict[str, Any], Mapping[str, Any]]] = {
    Listing: (
        _LISTED,
        {
            "switches": 5,
            "endpoints": [2, 1, 1, 1],
            "links": [[0, 1], [1, 2], [2, 3], [3, 1]],
            "kinds": [{"name": "ring", "latency": 6}, {"name": "chord"}],
            "link_kinds": ["ring", "ring", "chord", "chord"],
            "labels": ["a", "b", "c", "d"],
            "name": "Hall 3",
        },
    ),
    Failures: ({"links": [[0, 1]]}, {"links": [[1, 2]], "switches": [1]}),
    Prices: (
        _PRICES | {"switch_watts": {"fixed": 2.0}},
        {
            "currency": "EUR",
            "switch": {"fixed": 3.0},
            "cable": {"local": 2.0, "global": 2.0},
            "switch_watts": {"fixed": 1.0},
            "cable_watts": {"local": 1.0, "global": 1.0},
        },
    ),
}


def _made(model: type[BaseModel], given: dict[str, Any]) -> object:
    read: Any = model.model_validate_json(json.dumps(given))
    match read:
        case Listing():
            return read.build(), read.build().labels, str(read)
        case Failures():
            return without(parse_topology("hyperx(1,3,3)"), read)
        case _:
            return read.listed().bill(parse_topology("2,4,2,9"))


@pytest.mark.parametrize(
    ("model", "name"), [(model, name) for model in _FILES for name in model.model_fields]
)
def test_no_key_of_a_file_is_ignored(model: type[BaseModel], name: str) -> None:
    base, others = _FILES[model]
    if (model, name) == (Listing, "switches"):
        with pytest.raises(InvalidInput, match="endpoints has 4 entries for 5 switches"):
            _made(model, base | {name: others[name]})
    else:
        assert _made(model, base | {name: others[name]}) != _made(model, base)


# Commands that no request stands for, with what else changes each of their options.
_SRV6 = ["--to", "srv6", "--min-share", "0.5"]
_COMMANDS: Mapping[str, tuple[list[str], Mapping[str, list[str]]]] = {
    "balance": (
        ["2,4,2,5", "--vlb", "<=4+60%"],
        {
            "vlb": ["--vlb", "<=4"],
            "method": ["--method", "weights"],
            "local_threshold": ["--local-threshold", "1.01"],
            "global_threshold": ["--global-threshold", "1.01"],
            "floor_paths": ["--floor-paths", "100"],
            "floor_share": ["--floor-share", "0.01"],
            "rounds": ["--rounds", "3"],
            "step": ["--step", "0.1"],
            "weight_floor": ["--weight-floor", "0.5"],
            "without": ["--without", "down.json"],
            "seed": ["--seed", "1"],
        },
    ),
    "verify": (
        ["t.parquet"],
        {
            "vcs": ["--vcs", "per-hop"],
            "vc_count": ["--vc-count", "9"],
            "routing": ["--routing", "par"],
            "fabric": ["--fabric", "down.json"],
            "against": ["--against", "t.parquet"],
            "without": ["--without", "down.json"],
        },
    ),
    "show": (
        ["t.parquet"],
        {"pair": ["--pair", "0,9"], "without": ["--without", "down.json"]},
    ),
    "export": (
        ["2,4,2,5", "--to", "sequences", "-o", "out.csv", "--vlb", "<=4+60%"],
        {
            "to": ["--to", "graphml"],
            "switch": ["--switch", "1"],
            "full": ["--full"],
            "vlb": ["--vlb", "<=5"],
            "loop_free": ["--loop-free"],
            "merge_parallel": ["--to", "sst", "--merge-parallel"],
            "min_share": ["--min-share", "0.5"],
            "pattern": ["--pattern", "shift(1,0)"],
            "without": ["--without", "down.json"],
            "endpoints": ["--endpoints", "3"],
            "fabric": ["--fabric", "down.json"],
            "allow_deadlock": ["--allow-deadlock"],
            "entries": [*_SRV6, "--entries", "8"],
            "locator_block": [*_SRV6, "--locator-block", "fc00::/48"],
            "identifier_bits": [*_SRV6, "--identifier-bits", "8"],
            "decapsulation": [*_SRV6, "--decapsulation", "dt46"],
            "seed": ["--seed", "1"],
        },
    ),
}
# Of where a command computes and what it writes besides.
_MEANS = ("json", "workers", "output", "help")


def _options(command: str) -> list[str]:
    group = get_group(app)
    with group.make_context("tvlb", [command]) as context:
        found = group.get_command(context, command)
        assert found is not None
        return [str(one.name) for one in found.params if one.opts[0].startswith("-")]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "down.json").write_text(json.dumps({"links": [[0, 1]]}))
    paths = parse_expression("short(2,3)", parse_topology("2,4,2,5"))
    write_table(CompactTable.from_set(paths, version="1"), f"{folder}/t.parquet")
    return folder


@pytest.mark.parametrize(
    ("command", "name"),
    [(one, name) for one in _COMMANDS for name in _options(one) if name not in _MEANS],
)
def test_no_option_of_a_command_is_ignored(
    command: str,
    name: str,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)

    def said(options: list[str]) -> tuple[object, ...]:
        (files / "out.csv").unlink(missing_ok=True)
        code = main([command, *_COMMANDS[command][0], *options, "--json"])
        read = (files / "out.csv").read_bytes() if (files / "out.csv").exists() else b""
        shown = capsys.readouterr()
        return code, _timeless(shown.out), read, [*filter(_is_news, shown.err.splitlines())]

    usual = said([])
    assert usual[0] == 0
    assert said(_COMMANDS[command][1][name]) != usual


def _is_news(line: str) -> bool:
    return "warning" in line or "error" in line


def _timeless(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "seconds" not in line)
