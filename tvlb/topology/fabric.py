"""What a file of an InfiniBand fabric says besides the network: GUIDs, LIDs, names and ports.

None of it enters networks, tables or their ids: it is looked up when something is exchanged with
the tools of the fabric.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import read_file
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.topology.formats import network_formats
from tvlb.topology.listed import ListedTopology, Listing, is_label
from tvlb.topology.topology import Topology

LAST_LID = 0xBFFF
"""The last unicast LID of a subnet, 49,151."""


@dataclass(frozen=True, slots=True)
class FabricSwitch:
    """A switch.

    Attributes
    ----------
    name : its description.
    ports : how many it has; they are numbered from 1, port 0 is the switch itself.
    guid, port_guid : its own, by which it is known, and that of its port 0, mostly the same one;
        None where the file has no GUIDs.
    lid : 0 where it has none yet.
    """

    name: str
    ports: int
    guid: int | None = None
    lid: int = 0
    port_guid: int | None = None

    @property
    def lids(self) -> range:
        """All of its LIDs."""
        return range(self.lid, self.lid + bool(self.lid))


@dataclass(frozen=True, slots=True)
class FabricNode:
    """A compute node: a port of an adapter that is cabled to a switch.

    Attributes
    ----------
    name : the description of the adapter.
    port : number of the port at the adapter.
    switch_port : number of the port of its switch that it is cabled to.
    guid : of the port; None where the file has no GUIDs.
    lid : the first of its 2^lmc LIDs; 0 where it has none yet.
    lmc : see `lid`.
    """

    name: str
    port: int
    switch_port: int
    guid: int | None = None
    lid: int = 0
    lmc: int = 0

    @property
    def port_guid(self) -> int | None:
        """As of `FabricSwitch`."""
        return self.guid

    @property
    def lids(self) -> range:
        """All of its LIDs."""
        return range(self.lid, self.lid + (1 << self.lmc) * bool(self.lid))


@dataclass(frozen=True, eq=False)
class Fabric:
    """A fabric, whose switches and nodes have the ids that they have in its network.

    Attributes
    ----------
    listing : the network, not built yet.
    switches, nodes : by id.
    link_port : port of its source switch that a link leaves by, uint8 (links,), by link id of
        `topology`; the port at the other end is that of the link back.
    path : of the file.
    """

    listing: Listing
    switches: Sequence[FabricSwitch]
    nodes: Sequence[FabricNode]
    link_port: NDArray[np.uint8] = field(repr=False)
    path: str = ""

    def __str__(self) -> str:
        return self.path or "the fabric"

    @cached_property
    def topology(self) -> ListedTopology:
        """The network; raises InvalidInput if there is none, such as one in parts."""
        return self.listing.build(self.path or None)

    def check_guids(self) -> None:
        """Raise InvalidInput unless the file tells GUIDs and LIDs."""
        if any(one.guid is None for one in (*self.switches, *self.nodes)):
            raise InvalidInput(
                f"{self} does not tell GUIDs and LIDs, which ibsim gives out when it runs: take "
                "the output of ibnetdiscover"
            )

    def check_is(self, topology: Topology) -> None:
        """Refuse a fabric that is not a given network, whatever the kinds of its links.

        Raises
        ------
        InvalidInput : names the first difference in switches, nodes of a switch, or cables.
        """
        if difference := self._difference(topology):
            raise InvalidInput(f"the fabric {self} is not {topology}: {difference}")

    def _difference(self, topology: Topology) -> str | None:
        own = self.topology
        if own.num_switches != topology.num_switches:
            return f"it has {own.num_switches:,} switches, not {topology.num_switches:,}"
        if (other := own.switch_nodes != topology.switch_nodes).any():
            switch = int(other.argmax())
            found, wanted = own.switch_nodes[switch], topology.switch_nodes[switch]
            return f"switch {own.called(switch)} has {found} nodes there, not {wanted}"
        pairs = [_pairs(one)[_pairs(one)[:, 0] < _pairs(one)[:, 1]] for one in (own, topology)]
        ends, place = np.unique(np.concatenate(pairs), axis=0, return_inverse=True)
        split = len(pairs[0])
        counts = [
            np.bincount(one, minlength=len(ends))
            for one in (place.ravel()[:split], place.ravel()[split:])
        ]
        if not (other := counts[0] != counts[1]).any():
            return None
        first = int(other.argmax())
        low, high = (own.called(int(end)) for end in ends[first])
        found, wanted = (int(one[first]) for one in counts)
        return f"cables between switches {low} and {high}: {found} there, not {wanted}"

    def ports_of(self, topology: Topology) -> NDArray[np.uint8]:
        """Return the port that each link of a network leaves its source by, uint8 (links,).

        Which of parallel cables is which, the port at the switch with the lower id tells.

        Raises
        ------
        InvalidInput : as `check_is`.
        """
        self.check_is(topology)
        ports = np.zeros(topology.num_links, dtype=np.uint8)
        own, theirs = (_by_ends(one) for one in (self.topology, topology))
        ports[theirs] = self.link_port[own]
        return ports


def _pairs(topology: Topology) -> NDArray[np.int32]:
    network = topology.network
    return np.stack([network.link_source, network.link_target], axis=1)


def _by_ends(topology: Topology) -> NDArray[np.intp]:
    """Return the links in the order of source, target and id."""
    return np.lexsort((topology.network.link_target, topology.network.link_source))


def read_fabric(path: Path | str) -> Fabric:
    """Read a fabric; the content of the file tells its format.

    Raises
    ------
    InvalidInput : it cannot be read, is no such file, or holds no network; names the file and the
        first problem.
    """
    content = read_file(path, "fabric file")
    forms = [one for one in network_formats().values() if one.read_fabric is not None]
    try:
        for form in forms:
            assert form.read_fabric is not None
            assert form.recognise is not None
            if form.recognise(content):
                return _named(form.read_fabric(content), path)
        raise InvalidInput(f"its content is not {one_of(one.name for one in forms)}")
    except InvalidInput as error:
        raise InvalidInput(f"fabric file {path}: {error}") from error


def _named(fabric: Fabric, path: Path | str) -> Fabric:
    stem = Path(path).stem
    listing = fabric.listing.model_copy(update={"name": stem if is_label(stem) else ""})
    found = replace(fabric, listing=listing, path=str(path))
    assert found.topology.num_links == len(found.link_port)
    return found
