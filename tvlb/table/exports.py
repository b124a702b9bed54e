"""What tables are exported to besides their own formats: paths and networks for other tools."""

import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tvlb.errors import InvalidInput
from tvlb.paths import PathSet
from tvlb.table.files import loaded_path_set
from tvlb.table.formats import MAX_TEXT_ROWS, table_formats
from tvlb.table.forwarding_table import ForwardingTable
from tvlb.table.kinds import StoredTable
from tvlb.table.route_files import RouteFormat, Routes, TablePaths, route_formats
from tvlb.topology import NetworkFormat, network_formats, write_network

# The earliest that archives know: equal tables have equal archives.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


@cache
def foreign_formats() -> Mapping[str, RouteFormat | NetworkFormat]:
    """Return the formats by name; those of networks hold the network of a table alone.

    Those that need more files than that of a table are for whoever has these files.
    """
    networks = {name: one for name, one in network_formats().items() if one.write is not None}
    routes = {name: one for name, one in route_formats().items() if not one.options}
    found = {**routes, **networks}
    return {name: one for name, one in found.items() if name not in table_formats()}


def exported_paths(table: StoredTable) -> PathSet | TablePaths:
    """Return the paths of a table under the name that files of other tools have for them."""
    name = f"table {table.id[:16]} ({table.called})"
    if isinstance(table, ForwardingTable):
        return TablePaths(table.forwarding, name)
    return loaded_path_set(table, name)


def is_archive(name: str) -> bool:
    """Whether `export_foreign` writes an archive of several files."""
    form = foreign_formats()[name]
    return not form.suffixes


def foreign_suffix(name: str) -> str:
    """Return the suffix of what `export_foreign` writes."""
    return ".zip" if is_archive(name) else foreign_formats()[name].suffixes[0]


def check_foreign(name: str, min_share: float | None, *, loop_free: bool) -> None:
    """Raise InvalidInput where the options of an export do not fit its format; see `Routes`."""
    form = foreign_formats().get(name)
    takes_routes = isinstance(form, RouteFormat) and form.takes is Routes
    for option, given in (("min_share", min_share is not None), ("loop_free", loop_free)):
        if given and not takes_routes:
            raise InvalidInput(f"{option} has no meaning for format {name}")


def export_foreign(
    table: StoredTable, name: str, stem: str, min_share: float | None, *, loop_free: bool
) -> bytes:
    """Return a table in a format of other tools, several files in an archive.

    Parameters
    ----------
    stem : what the names of its files begin with.

    Raises
    ------
    InvalidInput : as `check_foreign`; or the format cannot hold the table, or it is too large.
    """
    check_foreign(name, min_share, loop_free=loop_free)
    form = foreign_formats()[name]
    is_drawn = isinstance(form, RouteFormat) and form.fixed_weights
    if is_drawn and min_share is None and not isinstance(table, ForwardingTable):
        raise InvalidInput(
            f"paths of format {name} are drawn by fixed weights: give min_share, the share of MIN "
            "paths, 0..1"
        )
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{stem}{form.suffixes[0] if form.suffixes else ''}"
        if isinstance(form, NetworkFormat):
            write_network(table.topology, path, form)
        elif form.takes is Routes:
            if table.num_rows > MAX_TEXT_ROWS:
                raise InvalidInput(
                    f"the table has {table.num_rows:,} paths, more than the {MAX_TEXT_ROWS:,} of "
                    "a download; see tvlb export"
                )
            form.write(Routes(exported_paths(table), min_share, loop_free=loop_free), path)
        elif isinstance(table, form.takes):
            form.write(table, path)
        else:
            raise InvalidInput(f"format {name} holds no {table.kind.name}s")
        return _archived(Path(folder)) if is_archive(name) else _content(path)


def _archived(folder: Path) -> bytes:
    target = folder / "archive.zip"
    written = sorted(folder.iterdir())
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in written:
            entry = zipfile.ZipInfo(path.name, _NO_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, _content(path))
    return _content(target)


def _content(path: Path) -> bytes:
    with path.open("rb") as stream:
        return stream.read()
