"""Plug points: packages whose modules each declare a member, found without a list to keep.

Members of other packages are found by entry points.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, TypeVar

_Member = TypeVar("_Member")


def declared(package: str, name: str, kind: type[_Member], group: str = "") -> list[_Member]:
    """Import every module of a package, and return what each declares under a name.

    Parameters
    ----------
    package : its full name; each of its modules declares a member.
    name : of the variable, such as ``"FORMAT"``.
    kind : type of the members.
    group : of entry points that name members of other packages; empty for none.

    Returns
    -------
    list : the members in the order of the names of their modules, then those of other packages.

    Raises
    ------
    TypeError : a module declares no such member, or an entry point names none.
    """
    modules = import_modules(package)
    members = [getattr(module, name, None) for module in modules]
    for module, member in zip(modules, members, strict=True):
        if not isinstance(member, kind):
            raise TypeError(f"{module.__name__} declares no {name} of type {kind.__name__}")
    found = [member for member in members if isinstance(member, kind)]
    return [*found, *from_others(group, kind).values()] if group else found


def from_others(group: str, kind: type[_Member]) -> dict[str, _Member]:
    """Return what entry points of a group name, by their names, in that order.

    Raises
    ------
    TypeError : one of them names no member of this type.
    """
    found: dict[str, _Member] = {}
    for point in sorted(_entry_points().select(group=group), key=lambda one: one.name):
        member = point.load()
        if not isinstance(member, kind):
            raise TypeError(f"{point.value}, of {group}, is not of type {kind.__name__}")
        found[point.name] = member
    return found


# To look through all packages takes milliseconds, and every process asks for several groups.
@cache
def _entry_points() -> Any:
    return entry_points()


def import_modules(package: str) -> list[ModuleType]:
    """Import every module of a package, and return them in the order of their names."""
    found = iter_modules(import_module(package).__path__)
    return [import_module(f"{package}.{one.name}") for one in found]
