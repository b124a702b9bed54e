"""What is written for SST, by a checker of its own: the rules of docs/recipes/sst.md.

Where SST is installed, it runs what was written.
"""

import json
import math
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import networkx as nx
import pytest

from tvlb.cli import main
from tvlb.errors import InvalidInput
from tvlb.paths import EmptySet, parse_expression
from tvlb.table import Routes, route_formats
from tvlb.topology import Dragonfly

SMALL = Dragonfly(2, 4, 2, 9)
SST = route_formats()["sst"]
_MOST_PATHS = 200_000
_MODULES = ("base", "endpoint", "interface", "targetgen", "topology")

Tables = dict[int, dict[int, list[tuple[float, list[int]]]]]


class Part:
    """Stands for any class of merlin, and keeps what is set and called."""

    made: list["Part"]

    def __init__(self, *arguments: object, **keywords: object) -> None:
        self.__dict__.update(keywords)
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.made.append(self)

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*arguments: object, **keywords: object) -> int:
            self.calls.append((name, arguments, keywords))
            return 72

        return call

    def call(self, name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of the only call of a method."""
        ((arguments, keywords),) = [call[1:] for call in self.calls if call[0] == name]
        return arguments, keywords


def run(script: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Part]:
    """Run a script for SST with stand-ins for merlin; returns what it made by class."""
    parts: list[Part] = []
    for name in ("sst", "sst.merlin", *(f"sst.merlin.{one}" for one in _MODULES)):
        module = ModuleType(name)

        def member(attribute: str) -> type[Part]:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            return type(attribute, (Part,), {"made": parts})

        module.__dict__["__getattr__"] = member
        monkeypatch.setitem(sys.modules, name, module)
    runpy.run_path(str(script))
    return {type(part).__name__: part for part in parts}


def problems(stem: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Say what merlin would not take, or take for something else."""
    made = run(stem.with_name(f"{stem.name}.py"), monkeypatch)
    topology, nic = made["topoAny"], made["EndpointNIC"]
    if vars(topology)["routing_mode"] != "source_routing":
        yield "the routing is not by the table"
    (name,), plugin = nic.call("addPlugin")
    if name != "sourceRoutingPlugin" or vars(nic)["topo"] is not topology:
        yield "the table is not plugged in"
    if plugin["path_selection_algorithm"] != "random_weighted":
        yield "paths are not drawn at random by weight"
    graph = nx.read_graphml(topology.call("import_graph")[0][0])
    yield from graph_problems(graph)
    table: Tables = plugin["routing_table"]
    # Merlin numbers the nodes as they come.
    numbers = {node: number for number, node in enumerate(graph)}
    edges = {(numbers[a], numbers[b]) for a, b, *_ in graph.edges}
    yield from table_problems(table, len(graph), edges | {(b, a) for a, b in edges})
    longest = max(
        (len(hops) for row in table.values() for paths in row.values() for _, hops in paths),
        default=0,
    )
    if vars(topology)["vcs_per_vn"] <= longest:
        yield f"{vars(topology)['vcs_per_vn']} VCs for paths of {longest} hops"


def graph_problems(graph: "nx.Graph[str]") -> Iterator[str]:
    if graph.is_directed():
        yield "the graph is directed"
    if graph.is_multigraph():
        yield "the graph has parallel edges"
    if list(graph) != [str(number) for number in range(len(graph))]:
        yield "the nodes are not in the order of their numbers"
    for node in graph:
        if graph.nodes[node].get("endpoints", -1) < 0:
            yield f"node {node} does not say how many endpoints it has"


def table_problems(table: Tables, switches: int, edges: set[tuple[int, int]]) -> Iterator[str]:
    wanted = {(a, b) for a in range(switches) for b in range(switches) if a != b}
    if {(source, target) for source, row in table.items() for target in row} != wanted:
        yield "the pairs are not those of different switches"
    for source, row in table.items():
        for target, paths in row.items():
            for problem in pair_problems(source, target, paths, edges):
                yield f"{source} -> {target}: {problem}"


def pair_problems(
    source: int, target: int, paths: list[tuple[float, list[int]]], edges: set[tuple[int, int]]
) -> Iterator[str]:
    if not 1 <= len(paths) <= _MOST_PATHS:
        yield f"{len(paths)} paths"
    if len({tuple(hops) for _, hops in paths}) < len(paths):
        yield "a path is listed twice"
    if not math.isclose(math.fsum(weight for weight, _ in paths), 1, abs_tol=1e-9):
        yield "the weights do not sum to 1"
    if any(f"{weight:.5f}" == "0.00000" or weight < 0 for weight, _ in paths):
        yield "a weight vanishes"
    for _, hops in paths:
        if not hops or hops[-1] != target:
            yield "a path ends elsewhere"
        if not {*zip([source, *hops], hops, strict=False)} <= edges:
            yield "a path takes no cable"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a network."""
    folder = tmp_path_factory.mktemp("sst")
    SST.write(Routes(parse_expression("short(2,3)", SMALL), 0.4), folder / "net")
    return folder


@pytest.fixture
def stem(written: Path, tmp_path: Path) -> Path:
    """What the names of a copy of these files begin with."""
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return tmp_path / "net"


def test_what_is_written_passes(stem: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(problems(stem, monkeypatch)) == []
    assert {path.name for path in stem.parent.iterdir()} == {
        "net.graphml",
        "net.routes.json",
        "net.py",
    }
    graph = nx.read_graphml(f"{stem}.graphml", node_type=int)
    assert sorted(map(sorted, graph.edges)) == sorted(
        [low, high]
        for low, high in zip(SMALL.network.link_source, SMALL.network.link_target, strict=True)
        if low < high
    )
    assert set(dict(graph.nodes(data="endpoints")).values()) == {2}


def _edit(path: Path, change: Callable[[str], str]) -> None:
    text = path.read_text()
    changed = change(text)
    assert changed != text
    path.write_text(changed)


def _in_pair(change: Callable[[list[Any]], object]) -> Callable[[Path], None]:
    """Change the paths from switch 0 to switch 4, of which the first is 0 - 4."""

    def spoil(stem: Path) -> None:
        path = Path(f"{stem}.routes.json")
        table = json.loads(path.read_text())
        change(table["0"]["4"])
        path.write_text(json.dumps(table))

    return spoil


def _without_pair(stem: Path) -> None:
    path = Path(f"{stem}.routes.json")
    table = json.loads(path.read_text())
    del table["5"]["7"]
    path.write_text(json.dumps(table))


def _in_graph(pattern: str, text: str) -> Callable[[Path], None]:
    return lambda stem: _edit(
        Path(f"{stem}.graphml"), lambda old: re.sub(pattern, text, old, count=1, flags=re.DOTALL)
    )


def _in_script(pattern: str, text: str) -> Callable[[Path], None]:
    return lambda stem: _edit(Path(f"{stem}.py"), lambda old: re.sub(pattern, text, old, count=1))


FAULTS: dict[str, tuple[Callable[[Path], None], str]] = {
    "pair left out": (_without_pair, "pairs are not those"),
    "no paths": (_in_pair(lambda paths: paths.clear()), "0 -> 4: 0 paths"),
    "no cable": (_in_pair(lambda paths: paths[0][1].insert(0, 35)), "takes no cable"),
    "source named": (_in_pair(lambda paths: paths[1][1].insert(0, 0)), "takes no cable"),
    "wrong end": (_in_pair(lambda paths: paths[1][1].append(5)), "ends elsewhere"),
    "sum above 1": (_in_pair(lambda paths: paths.append([0.1, [8, 9, 12, 13, 5, 4]])), "sum to 1"),
    "weight of 0": (_in_pair(lambda paths: paths.append([1e-9, [1, 0, 4]])), "vanishes"),
    "path twice": (
        _in_pair(lambda paths: paths.__setitem__(slice(1), 2 * [[0.2, [4]]])),
        "listed twice",
    ),
    "parallel edge": (
        _in_graph(r'(<edge id="0"(.*?)</edge>)', r'\1<edge id="x"\2</edge>'),
        "parallel edges",
    ),
    "other order": (
        _in_graph(r'(<node id="0".*?</node>)\s*(<node id="1".*?</node>)', r"\2\1"),
        "order of their numbers",
    ),
    "no endpoints": (_in_graph(r'<data key="endpoints">2</data>', ""), "how many endpoints"),
    "directed": (_in_graph("undirected", "directed"), "graph is directed"),
    "too few VCs": (_in_script(r"VCS_PER_VN = \d+", "VCS_PER_VN = 5"), "5 VCs for paths of 5 hops"),
    "round robin": (_in_script("random_weighted", "weighted_round_robin"), "at random by weight"),
    "other routing": (_in_script("source_routing", "dest_tag_routing"), "not by the table"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_the_checker_rejects(fault: str, stem: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spoil, complaint = FAULTS[fault]
    spoil(stem)
    found = list(problems(stem, monkeypatch))
    assert any(complaint in one for one in found), found


def test_parallel_cables_are_refused(tmp_path: Path) -> None:
    cables = [[0, 3], [0, 3], [1, 6], [4, 7]]
    network = Dragonfly.from_cables(1, 3, 2, 3, cables)
    with pytest.raises(InvalidInput, match="between the switches 0 and 3; sst cannot hold them"):
        SST.write(Routes(EmptySet(network), 1.0), tmp_path / "net")
    assert list(tmp_path.iterdir()) == []
    said = SST.write(Routes(EmptySet(network), 1.0, merge_parallel=True), tmp_path / "net")
    assert "sst does not hold 1 parallel cables and their bandwidth" in said[-1]
    graph = nx.read_graphml(tmp_path / "net.graphml", force_multigraph=True)
    # A cable of the two, the other two between groups, and three inside each.
    assert graph.number_of_edges() == 3 + 3 * 3


def test_what_sst_does_not_hold_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    routes = Routes(parse_expression("all", SMALL), 0.999999, loop_free=True)
    said = "\n".join(SST.write(routes, tmp_path / "net"))
    # 28 detours share a weight of 1e-6.
    assert "never drawn" in said
    assert "this is not UGAL" in said
    assert "one latency" in said
    assert "MiB" not in said
    monkeypatch.setattr("tvlb.table.route_files.sst._LARGE_TEXT", 1 << 10)
    assert "MiB" in "\n".join(SST.write(routes, tmp_path / "net"))
    monkeypatch.setattr("tvlb.table.route_files.sst._MOST_PATHS", 9)
    (tmp_path / "net.py").write_text("as before")
    with pytest.raises(InvalidInput, match="sst takes at most 9"):
        SST.write(routes, tmp_path / "net")
    assert (tmp_path / "net.py").read_text() == "as before"


def test_the_share_is_that_of_the_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["export", "2,4,2,9", "--to", "sst", "-o", "net", "--loop-free", "--json"]
    assert main([*command, "--vlb", "short(2,3)", "--pattern", "shift(2,0)"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["written"] == ["net.graphml", "net.routes.json", "net.py"]
    share = document["min_share"]
    assert 0.2 < share < 0.3
    assert f"MIN_SHARE = {share}\n" in Path("net.py").read_text()
    assert list(problems(Path("net"), monkeypatch)) == []
    for name in ("net.csv", "net.graphml", "net.parquet"):
        assert main(["export", "2,4,2,9", "--to", "sst", "-o", name]) == 2
        assert "format sst have endings of their own; " in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("sst") is None, reason="SST is not installed")
def test_sst_runs_it(stem: Path) -> None:
    done = subprocess.run(
        ["sst", f"{stem}.py"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
