"""Path sets as commands take them: expressions (`tvlb.paths.parse`), and saved tables."""

import os

from tvlb.documents import bounded, explained, parse_json
from tvlb.errors import InvalidInput
from tvlb.paths import PathSet, parse_expression
from tvlb.table.compact import AnyTable
from tvlb.table.files import read_table
from tvlb.table.formats import by_suffix
from tvlb.table.verify import check_content
from tvlb.topology import Topology

TABLE_SUFFIXES = tuple(by_suffix(lambda each: each.read))


def parse_path_set(text: str, topology: Topology, seed: int = 0) -> PathSet:
    """Parse a path-set expression or load the saved table that the text names.

    Parameters
    ----------
    seed : keys the random fractions of an expression; a table has its own.

    Raises
    ------
    InvalidInput : neither an expression nor a readable table, a table of another topology, or one
        that is to meet another set.

    Examples
    --------
    >>> from tvlb.topology import parse_topology
    >>> str(parse_path_set("<=4 + 60%", parse_topology("2,4,2,9")))
    '<=4+60%'
    """
    name = text.strip()
    if name.endswith(TABLE_SUFFIXES) and ("&" not in name or os.path.exists(name)):
        return _load(name, topology)
    parts = [part.strip() for part in text.split("&")]
    if tables := [part for part in parts if part.endswith(TABLE_SUFFIXES)]:
        raise InvalidInput(
            f"path set {text!r}: {tables[0]} is a saved table, and only expressions meet with &"
        )
    try:
        return parse_expression(text, topology, seed)
    except InvalidInput as error:
        suffixes = ", ".join(TABLE_SUFFIXES)
        raise InvalidInput(f"{error}, or the path of a saved table ({suffixes})") from error


def is_table_file(path: str) -> bool:
    """Whether a path is that of a table file rather than of another one, by suffix and content.

    Raises
    ------
    InvalidInput : the file is one of JSON and cannot be read.
    """
    if not path.endswith(TABLE_SUFFIXES) or not os.path.isfile(path):
        return False
    if not path.endswith(".json"):
        return True
    with explained("cannot read", path), open(path, "rb") as stream:
        document: object = parse_json(bounded(stream))
    return isinstance(document, dict) and "columns" in document


def loaded_path_set(table: AnyTable, name: str) -> PathSet:
    """Return the paths of a table that was read, as a set that prints as `name`.

    Raises
    ------
    InvalidInput : the table is damaged.
    """
    if findings := check_content(table):
        raise InvalidInput(f"{name} is damaged: {findings[0].text}; see tvlb verify")
    return table.path_set(name)


def _load(name: str, topology: Topology) -> PathSet:
    table = read_table(name)
    if table.topology != topology:
        wiring = " with another wiring" if str(table.topology) == str(topology) else ""
        raise InvalidInput(f"{name} is a table of {table.topology}{wiring}, not of {topology}")
    return loaded_path_set(table, name)
