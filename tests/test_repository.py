"""What holds for the repository as a whole."""

import ast
import importlib
import pkgutil
from pathlib import Path

import pytest

import api
import sim_bridge
import tvlb

_PACKAGES = ("tvlb", "sim_bridge", "api")
_ROOT = Path(__file__).parents[1]
# Rooms are api, sim_bridge and what stands in tvlb. Each import of one by another is something to
# know about both.
_MOST_IMPORTS_BETWEEN_ROOMS = 181
# Shorter functions may look alike and mean different things.
_LEAST_LINES_OF_TWINS = 10

_FACES = [
    module.name
    for package in (tvlb, sim_bridge, api)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    # Alembic's scripts run; nobody imports them.
    if module.ispkg and ".migrations" not in module.name
]


def test_rooms_know_few_others() -> None:
    known = {
        (_room(module.split(".")), _room(list(path.relative_to(_ROOT).with_suffix("").parts)))
        for package in _PACKAGES
        for path in (_ROOT / package).rglob("*.py")
        for module in _imported(path)
        if module.partition(".")[0] in _PACKAGES
    }
    between = {(other, room) for other, room in known if other != room}
    assert 50 < len(between) <= _MOST_IMPORTS_BETWEEN_ROOMS


def _room(module: list[str]) -> str:
    """Return the room of a module, of its name in parts."""
    return "/".join(module[:2]) if module[0] == "tvlb" else module[0]


def _imported(path: Path) -> set[str]:
    """Return the modules that a file imports, wherever it does."""
    found = set[str]()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import(names=names):
                found |= {one.name for one in names}
            case ast.ImportFrom(module="tvlb", names=names):
                found |= {f"tvlb.{one.name}" for one in names}
            case ast.ImportFrom(module=str(module)):
                found.add(module)
            case _:
                pass
    return found


class _Unnamed(ast.NodeTransformer):
    """Calls names, arguments and attributes by the order in which they first appear."""

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        for field in ("id", "arg", "attr", "name"):
            if isinstance(name := getattr(node, field, None), str):
                setattr(node, field, self._places.setdefault(name, str(len(self._places))))
        return node


def _shape(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Return what a function does, whatever things are called in it; empty for a short one."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    # With the line of its name.
    lines = 2 + body[-1].end_lineno - body[0].lineno if body and body[-1].end_lineno else 0
    if lines < _LEAST_LINES_OF_TWINS:
        return ""
    function.body, function.decorator_list = body, []
    return ast.dump(_Unnamed().visit(function))


def test_no_two_functions_differ_in_names_only() -> None:
    found: dict[str, list[str]] = {}
    for package in _PACKAGES:
        for path in (_ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    found.setdefault(_shape(node), []).append(f"{path}:{node.name}")
    del found[""]
    assert len(found) > 500
    assert [twins for twins in found.values() if len(twins) > 1] == []


@pytest.mark.parametrize("name", [*_FACES, "api", "sim_bridge", "tvlb"])
def test_exports_exist_and_are_sorted(name: str) -> None:
    module = importlib.import_module(name)
    exported: list[str] = getattr(module, "__all__", [])
    assert sorted(exported, key=_isort_order) == exported
    for attribute in exported:
        assert hasattr(module, attribute)


def _isort_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return kind, name
