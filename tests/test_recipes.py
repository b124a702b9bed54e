"""Every command of tvlb in some pages of docs, and every Python block, runs.

A page's commands run in its order and in a directory of its own, where the recipes find a small
table t.parquet. A block with the name of a file is that file, and a text block is what the command
before it prints, but for lines of tables, white space and what stands for "...". What imports
pandas, which tvlb does without, runs where that is installed. Tools of a fabric run where they are
installed, on a fat tree that ibsim plays and OpenSM has routed. A comment tells an exit code but 0.
"""

import re
import shlex
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.fabric_simulator import INSTALLED, FabricSimulator, fabric_simulator
from tvlb.cli import main
from tvlb.paths import parse_expression
from tvlb.table import Table, write_table
from tvlb.topology import Dragonfly, network_formats, parse_topology, write_network

_DOCS = Path(__file__).parents[1] / "docs"
_PAGES = [
    # Whole searches.
    *(
        pytest.param(_DOCS / name, marks=pytest.mark.slow)
        for name in ("tutorial.md", "hyperx-dragonfly-plus.md", "classic-networks.md")
    ),
    _DOCS / "forwarding-tables.md",
    *sorted((_DOCS / "recipes").glob("*.md")),
]
_BLOCK = re.compile(
    r"^```(python|text|\w+ [\w.]+)\n((?:.*\n)*?)```$|^ {4}(?: {2})?(tvlb (?:.*\\\n)*.*)$"
    r"|^ {4}((?:ibnetdiscover|dump_fts|opensm) .*)$",
    re.MULTILINE,
)


@pytest.fixture(scope="module")
def table() -> Table:
    topology = Dragonfly(2, 4, 2, 9)
    path_set = parse_expression("short(2,3)", topology)
    return Table.from_rows(path_set, path_set.all_rows(), version="0")


@pytest.fixture
def fabric(page: Path, tmp_path: Path) -> Generator[FabricSimulator | None]:
    if page.name != "forwarding-tables.md" or not INSTALLED:
        yield None
        return
    netlist = tmp_path / "fabric.netlist"
    write_network(parse_topology("kary(4,3)"), netlist, network_formats()["ibsim"])
    with fabric_simulator(netlist) as simulator:
        simulator.manage()
        yield simulator


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_what_it_says_runs(
    page: Path,
    table: Table,
    fabric: FabricSimulator | None,
    in_process: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if page.parent.name == "recipes":
        write_table(table, "t.parquet")
    blocks = list(_BLOCK.finditer(page.read_text()))
    assert blocks
    printed = ""
    for block in blocks:
        kind, text, command, tool = block.groups()
        if tool is not None:
            if fabric is None:
                pytest.skip("OpenSM and ibsim are not installed")
            printed = fabric.run("bash", "-c", tool).decode()
        elif command is not None:
            _, *arguments = shlex.split(command.replace("\\\n", " "), comments=True)
            _, _, code = command.partition("# exit code ")
            assert main(arguments) == int(code or 0), command
            printed = capsys.readouterr().out
        elif kind == "text":
            _check_printed(text, printed)
        elif kind != "python":
            Path(kind.split()[1]).write_text(text)
        elif "import pandas" not in text or find_spec("pandas") is not None:
            exec(compile(text, str(page), "exec"), {})


def _check_printed(shown: str, printed: str) -> None:
    """Check that the lines shown were printed, in this order."""
    rest = " ".join(re.sub("[\u2500-\u257f]", " ", printed).split())
    for line in shown.replace("...", "").splitlines():
        if wanted := " ".join(line.split()):
            _, found, rest = rest.partition(wanted)
            assert found, f"{line!r} is not in {printed}"
