"""Plug points: packages whose modules each declare a member, found without a list to keep."""

from importlib import import_module
from pkgutil import iter_modules
from typing import TypeVar

__all__ = ["declared"]

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
    modules = [f"{package}.{found.name}" for found in iter_modules(import_module(package).__path__)]
    members = [getattr(import_module(module), name, None) for module in modules]
    for module, member in zip(modules, members, strict=True):
        if not isinstance(member, kind):
            raise TypeError(f"{module} declares no {name} of type {kind.__name__}")
    return [member for member in members if isinstance(member, kind)]
