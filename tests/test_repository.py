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
_MOST_IMPORTS_BETWEEN_ROOMS = 150

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
