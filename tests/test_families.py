"""Engines know a network by what `tvlb.topology.Topology` says, not by the groups of one family."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ENGINES = ("tvlb/paths", "tvlb/model", "tvlb/balance", "tvlb/search", "tvlb/table", "sim_bridge")
# Records and estimates that know the sizes of a Dragonfly; each has to move to the family before
# there can be another.
KNOWING = {
    "tvlb/search/cost.py",
    "tvlb/search/sizes.py",
    "tvlb/table/compact.py",
    "tvlb/table/header.py",
    "tvlb/table/parse.py",
    "tvlb/table/rule.py",
    "tvlb/table/table.py",
}
FAMILY = {
    "ARRANGEMENTS",
    "Dragonfly",
    "LinkKind",
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


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_do_not_know_a_family(engine: str) -> None:
    files = {str(path.relative_to(ROOT)): path for path in (ROOT / engine).rglob("*.py")}
    assert files
    knowing = {name for name, path in files.items() if named(path) & FAMILY}
    assert knowing == {name for name in KNOWING if name.startswith(f"{engine}/")}
