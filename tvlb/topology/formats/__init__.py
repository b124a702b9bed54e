"""File formats of networks: a module each, found by looking into this folder.

A module declares ``FORMAT``: what the format is called, and how it is read and written.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tvlb.errors import InvalidInput
from tvlb.languages import declared
from tvlb.topology.family import ExplicitTopology
from tvlb.topology.listed import ListedTopology
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.topology import Topology

if TYPE_CHECKING:
    from tvlb.topology.fabric import Fabric

__all__ = [
    "NetworkFormat",
    "WrittenNetwork",
    "lost_family",
    "lost_kinds",
    "lost_labels",
    "network_formats",
    "network_reader",
]


@dataclass(frozen=True)
class WrittenNetwork:
    """A network in some format.

    Attributes
    ----------
    files : what they hold in parts, by what follows the given path in their names; "" is the path.
    lost : what the format does not hold and the network has, in words.
    """

    files: Mapping[str, Iterable[bytes]]
    lost: tuple[str, ...] = ()


@dataclass(frozen=True)
class NetworkFormat:
    """A file format, and functions for what it is good for; None where it is not.

    Attributes
    ----------
    name : what `tvlb export --to` calls it.
    suffixes : of its files, with their dots; without any it is looked for in files of any name.
    read : makes a network of the bytes of a file and of the compute nodes of every switch of which
        it does not say that; None if there is none. Raises InvalidInput naming the first problem.
    recognise : whether bytes look like a file of this format, whatever it is called.
    write : writes a network, nothing before it is asked for the parts; equal networks give equal
        bytes. Its files may name each other by the name of the given path. Raises InvalidInput
        where the format cannot hold the network.
    read_fabric : reads the names, GUIDs, LIDs and ports of a fabric besides; raises as `read`.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[bytes, int | None], ExplicitTopology] | None = None
    recognise: Callable[[bytes], bool] | None = None
    write: Callable[[Topology, str], WrittenNetwork] | None = None
    read_fabric: "Callable[[bytes], Fabric] | None" = None


def network_reader(
    read_fabric: "Callable[[bytes], Fabric]",
) -> Callable[[bytes, int | None], ExplicitTopology]:
    """Return `NetworkFormat.read` of files that are read as fabrics."""

    def read(content: bytes, endpoints: int | None) -> ExplicitTopology:
        if endpoints is not None:
            raise InvalidInput("the file says how many endpoints every switch has (--endpoints)")
        return read_fabric(content).listing

    return read


@cache
def network_formats() -> dict[str, NetworkFormat]:
    """Return the formats by name."""
    return {each.name: each for each in declared(__name__, "FORMAT", NetworkFormat)}


def lost_family(topology: Topology) -> tuple[str, ...]:
    """Say what of a network its cables do not tell: which paths are MIN paths, in some families."""
    if isinstance(topology, ShortestPathTopology) and topology.is_told_by_cables:
        return ()
    return (f"the MIN paths of {topology}: of what is read, all shortest paths are MIN paths",)


def lost_kinds(network: ListedTopology) -> tuple[str, ...]:
    """Say that kinds of links and latencies are lost, if they are not those of a plain network."""
    kinds = network.kinds
    if (kinds.names, kinds.latencies) == (type(network).kinds.names, type(network).kinds.latencies):
        return ()
    told = (
        f"{name}, {cycles} cycles"
        for name, cycles in zip(kinds.names, kinds.latencies, strict=True)
    )
    return (f"kinds of links and latencies ({'; '.join(told)})",)


def lost_labels(network: ListedTopology) -> tuple[str, ...]:
    """Say that labels are lost, if there are any."""
    return ("the labels of the switches",) if network.labels else ()
