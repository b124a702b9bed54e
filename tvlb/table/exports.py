"""What tables are exported to besides their own formats: paths and networks for other tools."""

import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, make_dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tvlb.errors import InvalidInput
from tvlb.languages import setting, settings
from tvlb.paths import PathSet
from tvlb.table.files import loaded_path_set
from tvlb.table.formats import MAX_TEXT_ROWS, table_formats
from tvlb.table.kinds import StoredTable, WeightedPaths
from tvlb.table.route_files import RouteFormat, Routes, route_formats
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


def _of_every_format() -> type[object]:
    """Return the settings of all formats, none of which is given."""
    every = {
        name: setting(None, one.text, one.kind, unset=str(one.default))
        for each in route_formats().values()
        if each.settings is not None
        for name, one in settings(each.settings).items()
    }
    return make_dataclass(
        "_Settings", [(name, Any, one) for name, one in every.items()], frozen=True
    )


@dataclass(frozen=True)
class ForeignSettings(_of_every_format()):
    """Settings of formats of paths and tables for other tools; None where one is not given."""

    def given(self) -> dict[str, Any]:
        """Return them by name."""
        return asdict(self)


@dataclass(frozen=True)
class ForeignOptions:
    """What is asked for besides a format.

    Attributes
    ----------
    min_share, loop_free : see `Routes`.
    settings : of formats.
    """

    min_share: float | None = None
    loop_free: bool = False
    settings: ForeignSettings = ForeignSettings()

    def check(self, name: str) -> None:
        """Raise InvalidInput where they do not fit a format of any kind."""
        form = foreign_formats().get(name)
        of_paths = {"min_share": self.min_share, "loop_free": self.loop_free or None}
        own: set[str] = set()
        if isinstance(form, RouteFormat):
            own = {*form.own_settings, *(of_paths if form.takes is Routes else ())}
        for option, value in {**of_paths, **self.settings.given()}.items():
            if value is not None and option not in own:
                raise InvalidInput(f"{option} has no meaning for format {name}")


def exported_paths(table: StoredTable) -> PathSet | WeightedPaths:
    """Return the paths of a table under the name that files of other tools have for them."""
    name = f"table {table.id[:16]} ({table.called})"
    return table.weighted_paths(name) or loaded_path_set(table, name)


def is_archive(name: str) -> bool:
    """Whether `export_foreign` writes an archive of several files."""
    form = foreign_formats()[name]
    return not form.suffixes


def foreign_suffix(name: str) -> str:
    """Return the suffix of what `export_foreign` writes."""
    return ".zip" if is_archive(name) else foreign_formats()[name].suffixes[0]


def export_foreign(table: StoredTable, name: str, stem: str, options: ForeignOptions) -> bytes:
    """Return a table in a format of other tools, several files in an archive.

    Parameters
    ----------
    stem : what the names of its files begin with.

    Raises
    ------
    InvalidInput : as `ForeignOptions.check`; or settings do not fit the network, the format cannot
        hold the table, or it is too large.
    """
    options.check(name)
    form = foreign_formats()[name]
    is_drawn = isinstance(form, RouteFormat) and form.fixed_weights
    if is_drawn and options.min_share is None and table.weighted_paths(name) is None:
        raise InvalidInput(
            f"paths of format {name} are drawn by fixed weights: give min_share, the share of MIN "
            "paths, 0..1"
        )
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{stem}{form.suffixes[0] if form.suffixes else ''}"
        if isinstance(form, NetworkFormat):
            write_network(table.topology, path, form)
        else:
            _write_foreign(table, form, path, options)
        return _archived(Path(folder)) if is_archive(name) else _content(path)


def _write_foreign(
    table: StoredTable, form: RouteFormat, path: Path, options: ForeignOptions
) -> None:
    settled = form.settled(options.settings.given(), table.topology)
    if form.takes is Routes:
        if table.num_rows > MAX_TEXT_ROWS:
            raise InvalidInput(
                f"the table has {table.num_rows:,} paths, more than the {MAX_TEXT_ROWS:,} of a "
                "download; see tvlb export"
            )
        paths = exported_paths(table)
        form.write(Routes(paths, options.min_share, loop_free=options.loop_free), path, **settled)
    elif isinstance(table, form.takes):
        form.write(table, path, **settled)
    else:
        raise InvalidInput(f"format {form.name} holds no {table.kind.name}s")


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
