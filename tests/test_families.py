"""A network is known by what `tvlb.topology.Topology` says, not by the groups of one family."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = (
    "api",
    "sim_bridge",
    "tvlb/balance",
    "tvlb/cli",
    "tvlb/designs",
    "tvlb/model",
    "tvlb/paths",
    "tvlb/report",
    "tvlb/requests",
    "tvlb/search",
    "tvlb/sweeps",
    "tvlb/table",
)
# The arrangements of a sweep.
KNOWING = {"tvlb/requests/arrangements.py"}
FAMILY = {
    "ARRANGEMENTS",
    "Dragonfly",
    "DragonflyPlus",
    "FROM_FILE",
    "HyperX",
    "LinkKind",
    "SlimFly",
    "arrangement",
    "global_ports",
    "group_link_offset",
    "group_links",
    "is_global",
    "links_per_group_pair",
    "local_link",
    "switch_group",
    "switches_per_group",
    "unconnected_ports",
    "Wiring",
}


def named(path: Path) -> set[str]:
    """What a module imports from the topologies, and the attributes that it reads."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tvlb.topology"):
            found |= {one.name for one in node.names}
        elif isinstance(node, ast.Attribute):
            compiled = isinstance(node.value, ast.Name) and node.value.id == "_native"
            found |= set() if compiled else {node.attr}
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_only_families_know_a_family(folder: str) -> None:
    files = {str(path.relative_to(ROOT)): path for path in (ROOT / folder).rglob("*.py")}
    assert files
    knowing = {name for name, path in files.items() if named(path) & FAMILY}
    assert knowing == {name for name in KNOWING if name.startswith(f"{folder}/")}
