"""What holds for the repository as a whole."""

import importlib
import pkgutil

import pytest

import api
import sim_bridge
import tvlb

_MODULES = [
    module.name
    for package in (tvlb, sim_bridge, api)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.rsplit(".", maxsplit=1)[-1].startswith("_")
    # Alembic's scripts run; nobody imports them.
    and ".migrations." not in module.name
]


@pytest.mark.parametrize("name", _MODULES)
def test_exports_exist_and_are_sorted(name: str) -> None:
    module = importlib.import_module(name)
    exported: list[str] = module.__all__
    assert sorted(exported, key=_isort_order) == exported
    for attribute in exported:
        assert hasattr(module, attribute)


def _isort_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions."""
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return kind, name
