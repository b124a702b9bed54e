"""Plug points: packages whose modules each declare a member, found without a list to keep."""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import TypeVar

_Member = TypeVar("_Member")


def declared(package: str, name: str, kind: type[_Member]) -> list[_Member]:
    """Import every module of a package, and return what each declares under a name.

    Parameters
    ----------
    package : its full name; each of its modules declares a member.
    name : of the variable, such as ``"FORMAT"``.
    kind : type of the members.

    Returns
    -------
    list : the members in the order of the names of their modules.

    Raises
    ------
    TypeError : a module declares no such member.
    """
    modules = import_modules(package)
    members = [getattr(module, name, None) for module in modules]
    for module, member in zip(modules, members, strict=True):
        if not isinstance(member, kind):
            raise TypeError(f"{module.__name__} declares no {name} of type {kind.__name__}")
    return [member for member in members if isinstance(member, kind)]


def import_modules(package: str) -> list[ModuleType]:
    """Import every module of a package, and return them in the order of their names."""
    found = iter_modules(import_module(package).__path__)
    return [import_module(f"{package}.{one.name}") for one in found]
