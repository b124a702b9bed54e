"""Table files: one format per suffix, written atomically and read with clear complaints.

The rows of one switch also come in a file of their own, for the fabric manager that programs it.
Its columns are those of a table file. Its header tells which table and switch they belong to; it is
not that of a table, so that a part is never taken for the whole.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from tvlb.documents import bounded, explained, files, parse_json
from tvlb.errors import InvalidInput
from tvlb.forwarding import Forwarding
from tvlb.languages import all_of, one_of
from tvlb.paths import PathSet, check_rows, parse_expression
from tvlb.table.checks import check_content
from tvlb.table.formats import Format, by_suffix, table_formats, written_formats
from tvlb.table.kinds import Content, Finding, StoredTable, TableKind, marks
from tvlb.table.kinds.forwarding import FORWARDING, ForwardingTable
from tvlb.table.kinds.split import SPLIT, SplitPaths, SplitTable, check_rates
from tvlb.table.table import AnyTable
from tvlb.topology import Topology, compiled, network_form

_Ability = TypeVar("_Ability")


def format_of(path: Path | str) -> Format:
    """Return the format in which a file is written; raises InvalidInput for an unknown suffix."""
    return _by_suffix_of(path, by_suffix(lambda each: each if each.write else None))


_LOOKED_AT = 1 << 16
_DUMP, _DUMPED = b"Unicast lids ", ".lfts"


def _beginning(path: Path | str) -> bytes:
    """Return what a file begins with; nothing where there is none."""
    if not Path(path).is_file():
        return b""
    with files.explained("cannot read", path), Path(path).open("rb") as stream:
        return stream.read(_LOOKED_AT)


def _suffix_by_content(path: Path | str) -> str | None:
    """Return the suffix that a file should have by its beginning; None if that tells nothing."""
    beginning = _beginning(path).lstrip()
    if beginning.startswith(_DUMP):
        return _DUMPED
    titles = [f"# tvlb {mark}".encode() for mark in marks()]
    if beginning.partition(b"\n")[0].rstrip() in titles:
        return ".csv"
    begins = {b"PAR1": ".parquet", b"{": ".json"}
    return next((one for begin, one in begins.items() if beginning.startswith(begin)), None)


def _by_suffix_of(
    path: Path | str, able: Mapping[str, _Ability], known: str | None = None
) -> _Ability:
    suffix = known or Path(path).suffix
    if suffix not in able:
        raise InvalidInput(
            f"{path}: table files end in one of {', '.join(able)}, not {suffix or 'nothing'!r}"
        )
    return able[suffix]


def check_writable(path: Path | str, kind: TableKind[Any] | None = None) -> None:
    """Find out before long work starts whether a table file could be written.

    Parameters
    ----------
    kind : of the table; None where that is not known.

    Raises
    ------
    InvalidInput : unknown suffix or one of a format that has no such tables, missing directory,
        directory not writable, or `path` is itself a directory.
    """
    formats = written_formats(kind).values()
    files.check_writable(path, [suffix for each in formats for suffix in each.suffixes])


def write_table(table: StoredTable, path: Path | str) -> None:
    """Write a table file; the old file, if any, stays until the new one is complete.

    Raises
    ------
    InvalidInput : the path cannot be written, or the table is too large for the format.
    OSError : the disk failed or filled up; nothing is left behind.
    """
    check_writable(path, table.kind)
    _check_rows(table, path)
    with files.atomic_file(Path(path)) as stream:
        _writer(path)(table.content, stream)


def write_stream(table: StoredTable, suffix: str, stream: BinaryIO) -> None:
    """Write a table to an open binary stream in the format of `suffix`, such as ``.csv``.

    Raises
    ------
    InvalidInput : unknown suffix or one of a format that has no such tables, or the table is too
        large for the format.
    """
    name, able = f"table{suffix}", written_formats(table.kind)
    if (form := format_of(name)).name not in able:
        raise InvalidInput(f"format {form.name}: a {table.kind.name} is written as {one_of(able)}")
    _check_rows(table, name)
    _writer(name)(table.content, stream)


def _writer(path: Path | str) -> Callable[[Content, BinaryIO], int]:
    return _by_suffix_of(path, by_suffix(lambda each: each.write))


def _check_rows(table: StoredTable, path: Path | str) -> None:
    rows, lists = table.num_rows, table.lists()
    if table.kind.most_in_file is None:
        check_rows(rows, "the table")
    (largest, *_) = table_formats().values()
    form = format_of(path)
    own = table.kind.most_in_file if form.max_rows == largest.max_rows else None
    limit = form.max_rows if own is None else own
    if rows + sum(map(len, lists.values())) > limit:
        texts = {name: each.text for name, each in table.kind.lists.items()}
        counts = [f"{rows:,} rows", *(f"{len(one):,} {texts[name]}" for name, one in lists.items())]
        together = {1: "", 2: " of both"}.get(len(counts), " of all")
        raise InvalidInput(
            f"cannot write {path}: the table has {all_of(counts)}; {Path(path).suffix} files hold "
            f"at most {limit:,}{together}; write a {largest.suffixes[0]} file"
        )


def read_any_table(path: Path | str) -> StoredTable:
    """Read a table file of any kind.

    Raises
    ------
    InvalidInput : the file cannot be read or is no complete table file; names the file and the
        first problem. Rows that are well-formed but wrong are left to `tvlb.table.verify`.
    """
    if (known := _suffix_by_content(path)) == _DUMPED:
        raise InvalidInput(
            f"{path} is a dump of forwarding tables: tvlb export DUMP --fabric FILE -o TABLE makes "
            "a table of it"
        )
    able = by_suffix(lambda each: each.read)
    beginning = b"" if known or Path(path).suffix in able else _beginning(path)
    if beginning and (form := network_form(str(path), beginning)):
        raise InvalidInput(
            f"{path} is a network ({form}), where a table is needed: tvlb route makes a forwarding "
            "table of it, tvlb table one of paths"
        )
    with files.explained("cannot read", path):
        Path(path).stat()
    read = _by_suffix_of(path, able, known)
    with files.explained("cannot read", path), Path(path).open("rb") as stream:
        try:
            return _checked(read(stream))
        except InvalidInput as error:
            raise InvalidInput(f"{path}: {error}") from error


def read_table(path: Path | str) -> AnyTable:
    """Read a file of a T-VLB table; raise InvalidInput as `read_any_table`, or of another kind."""
    return _vlb(read_any_table(path), path)


def read_any_stream(suffix: str, stream: BinaryIO) -> StoredTable:
    """Read a table of any kind from an open binary stream in the format of `suffix`, as ``.csv``.

    Raises
    ------
    InvalidInput : unknown suffix, or the content is no complete table file.
    """
    return _checked(_by_suffix_of(f"table{suffix}", by_suffix(lambda each: each.read))(stream))


def read_stream(suffix: str, stream: BinaryIO) -> AnyTable:
    """Read a T-VLB table from an open binary stream; see `read_any_stream`."""
    return _vlb(read_any_stream(suffix, stream), "the file")


def _checked(table: StoredTable) -> StoredTable:
    """Build what the header describes, so that a bad header is found when it is read."""
    table.check()
    return table


def _vlb(table: StoredTable, name: Path | str) -> AnyTable:
    if not isinstance(table, AnyTable):
        raise InvalidInput(f"{name} is a {table.kind.name}, where a T-VLB table is needed")
    return table


def write_switch(table: StoredTable, switch: int, path: Path | str) -> int:
    """Write the rows of one switch to a file; returns their number.

    Raises
    ------
    InvalidInput : no such switch, its rows are no paths or out of order, the file cannot be
        written, or a text format cannot hold it.
    """
    check_writable(path)
    entries = table.header.entries()
    header = {
        name: entries[name] for name in ("expression", "seed", "version", "ugal") if name in entries
    }
    told = {"table": table.id, "topology": str(table.topology), **header, "switch": switch}
    content = Content("switch", told, {}, table.kind.columns, table.of_switch(switch))
    with files.atomic_file(Path(path)) as stream:
        return _writer(path)(content, stream)


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
        return path_set_of(read_any_table(name), name, topology)
    parts = [part.strip() for part in text.split("&")]
    if tables := [part for part in parts if part.endswith(TABLE_SUFFIXES)]:
        raise InvalidInput(
            f"path set {text!r}: {tables[0]} is a saved table, and only expressions meet with &"
        )
    compiled(topology)  # a network that has too long paths is not the fault of the text
    try:
        return parse_expression(text, topology, seed)
    except InvalidInput as error:
        suffixes = ", ".join(TABLE_SUFFIXES)
        raise InvalidInput(f"{error}, or the path of a saved table ({suffixes})") from error


def is_table_file(path: str) -> bool:
    """Whether a path is that of a table file rather than of another one, by its content.

    Raises
    ------
    InvalidInput : the file is one of JSON and cannot be read.
    """
    if not os.path.isfile(path):
        return False
    kind = _suffix_by_content(path) or Path(path).suffix
    if kind != ".json":
        return kind in TABLE_SUFFIXES
    with explained("cannot read", path), open(path, "rb") as stream:
        document: object = parse_json(bounded(stream))
    return isinstance(document, dict) and "columns" in document


def loaded_path_set(table: StoredTable, name: str) -> PathSet:
    """Return the paths of a table that was read, as a set that prints as `name`.

    Raises
    ------
    InvalidInput : the table is damaged, or of a kind that gives no paths.
    """
    if damage := damage_of(table):
        raise InvalidInput(f"{name} {damage}")
    return table.path_set(name)


def damage_of(table: StoredTable) -> str:
    """Return in words what is wrong with a table that was read; empty if nothing is."""
    findings = list[Finding]()
    if isinstance(table, AnyTable):
        findings = check_content(table)
    elif isinstance(table, SplitTable):
        findings = check_rates(table)
    return f"is damaged: {findings[0].text}; see tvlb verify" if findings else ""


def path_set_of(table: StoredTable, name: str, topology: Topology) -> PathSet:
    """Return the paths of a table as `loaded_path_set`; refuses that of another network, too."""
    check_network(table, name, topology)
    return loaded_path_set(table, name)


def forwarding_of(table: StoredTable, name: str, topology: Topology) -> Forwarding:
    """Return the entries of a forwarding table; `name` is what messages call it.

    Raises
    ------
    InvalidInput : it is a table of another kind, or of another network.
    """
    if not isinstance(table, ForwardingTable):
        raise InvalidInput(f"{name} is a {table.kind.name}, where a {FORWARDING.name} is needed")
    check_network(table, name, topology)
    return table.forwarding


def split_of(table: StoredTable, name: str, topology: Topology) -> SplitPaths:
    """Return the paths of a split table; `name` is what messages call it.

    Raises
    ------
    InvalidInput : as `forwarding_of`; or the table is damaged.
    """
    if not isinstance(table, SplitTable):
        raise InvalidInput(f"{name} is a {table.kind.name}, where a {SPLIT.name} is needed")
    check_network(table, name, topology)
    if damage := damage_of(table):
        raise InvalidInput(f"{name} {damage}")
    return table.weighted_paths(name)


def check_network(table: StoredTable, name: str, topology: Topology) -> None:
    """Raise InvalidInput if a table is of another network."""
    if table.topology != topology:
        wiring = " with another wiring" if str(table.topology) == str(topology) else ""
        raise InvalidInput(f"{name} is a table of {table.topology}{wiring}, not of {topology}")
