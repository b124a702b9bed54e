"""Files of networks, in the formats of `tvlb.topology.formats`."""

import re
from pathlib import Path

from tvlb.documents import atomic_file, check_writable, read_file
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.topology.family import ExplicitTopology
from tvlb.topology.formats import NetworkFormat, WrittenNetwork, network_formats
from tvlb.topology.listed import Listing, is_label
from tvlb.topology.topology import Topology

# What files of a layer above begin with, the first that fits, and who takes them.
_DUMP = re.compile(rb"(?:#.*\n|\s)*+Unicast lids ")
_FORWARDING = re.compile(
    rb'PAR1(?s:.*)\x0ftvlb\.forwarding\x18|\s*\{\s*"forwarding"\s*:\s*\{\s*"format"'
)
_TABLE = re.compile(rb'PAR1|# tvlb table|\s*\{\s*"[a-z ]{1,40}"\s*:\s*\{\s*"format"')
_OTHERS = {
    _DUMP: "a dump of forwarding tables, which tvlb verify, tvlb export and tvlb measure --table "
    "take with the output of ibnetdiscover as --fabric; name a network here",
    _FORWARDING: "a forwarding table, which tvlb show, verify, repair and export take, and tvlb "
    "measure and simulate as --table; name a network here",
    _TABLE: "a table; name its network here, and the table with --vlb",
}


def _suffixes() -> dict[str, NetworkFormat]:
    """Return what is read by suffix, by the suffix."""
    readable = [one for one in network_formats().values() if one.read is not None]
    return {suffix: one for one in readable for suffix in one.suffixes}


def describe_network_files() -> str:
    """Say what files are read."""
    return f"the path of a network file ({one_of(_suffixes())})"


def is_network_file(text: str) -> bool:
    """Whether a text ends as the names of network files do."""
    return Path(text).suffix in _suffixes()


def read_network(path: Path | str, endpoints: int | None = None) -> Topology:
    """Read a network from a file, whose suffix or else its content tells the format.

    Parameters
    ----------
    endpoints : compute nodes of the switches of which the file does not say how many they have.

    Raises
    ------
    InvalidInput : the file cannot be read, is of no known format or holds no network; names the
        file and the first problem.
    """
    content = read_file(path, "topology file")
    network = described_file(str(path), content, endpoints)
    try:
        return network.build(str(path))
    except InvalidInput as error:
        raise InvalidInput(f"topology file {path}: {error}") from error


def network_form(name: str, beginning: bytes) -> str | None:
    """Return the format of networks that a file has by its suffix or what it begins with."""
    try:
        return _format_of(Path(name).suffix, beginning).name
    except InvalidInput:
        return None


def described_file(name: str, content: bytes, endpoints: int | None) -> ExplicitTopology:
    """Return the network that a file of this name holds, not built yet; raises as `read_network`.

    Parameters
    ----------
    name : empty where its content alone tells the format.
    """
    try:
        _check_no_table(content)
        read = _format_of(Path(name).suffix, content).read
        assert read is not None
        found = read(content, endpoints)
    except InvalidInput as error:
        raise InvalidInput(f"topology file {name}: {error}".replace(" :", ":")) from error
    stem = Path(name).stem
    if isinstance(found, Listing) and not found.name and is_label(stem):
        return found.model_copy(update={"name": stem})
    return found


def _check_no_table(content: bytes) -> None:
    """Refuse tables, which are a layer above, by what is in their files."""
    for form, text in _OTHERS.items():
        if form.match(content):
            raise InvalidInput(f"this is {text}")


def _format_of(suffix: str, content: bytes) -> NetworkFormat:
    known = _suffixes()
    readable = [one for one in network_formats().values() if one.read is not None]
    any_name = [one for one in readable if not one.suffixes]
    for one in any_name if suffix in known else [*any_name, *readable]:
        if one.recognise is not None and one.recognise(content):
            return one
    if suffix in known:
        return known[suffix]
    raise InvalidInput(f"its content is not {one_of(one.name for one in readable)}")


def write_network(
    topology: Topology, path: Path | str, form: NetworkFormat
) -> tuple[list[str], tuple[str, ...]]:
    """Write a network; old files stay until the new ones are complete.

    Returns
    -------
    The paths of the files, and what the format does not hold; see `WrittenNetwork`.

    Raises
    ------
    InvalidInput : the format cannot hold the network, or a path cannot be written.
    OSError : the disk failed or filled up.
    """
    written = _made(topology, Path(path).name, form)
    files = {f"{path}{suffix}": parts for suffix, parts in written.files.items()}
    for name in files:
        check_writable(name, [Path(name).suffix])
    for name, parts in files.items():
        with atomic_file(Path(name)) as stream:
            stream.writelines(parts)
    return list(files), written.lost


def _made(topology: Topology, name: str, form: NetworkFormat) -> WrittenNetwork:
    if form.write is None:
        able = one_of(name for name, one in network_formats().items() if one.write is not None)
        raise InvalidInput(f"format {form.name} is only read; networks are written as {able}")
    return form.write(topology, name)
