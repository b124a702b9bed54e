"""The topology language: a text of parameters or the path of a network file."""

import os
import re

from tvlb.errors import InvalidInput
from tvlb.languages import read_as
from tvlb.topology.degraded import without
from tvlb.topology.failures import read_failures
from tvlb.topology.files import describe_network_files, is_network_file, read_network
from tvlb.topology.named import parse_named_topology, topology_forms
from tvlb.topology.topology import Topology

_NAME = re.compile(r"[^\s(),]{1,200}")


def parse_topology(text: str, failures: str | None = None) -> Topology:
    """Parse the topology language.

    Parameters
    ----------
    failures : path of a JSON file that lists what of the network is down; see
        `tvlb.topology.read_failures`.

    Raises
    ------
    InvalidInput : the text is no topology, the topology is out of range, or the failures do not
        fit it.

    Examples
    --------
    >>> str(parse_topology("4,8,4,9"))
    'dfly(4,8,4,9)'
    >>> str(parse_topology("dfly(2, 4, 2, 9, palmtree)"))
    'dfly(2,4,2,9,palmtree)'
    """
    if failures is not None:
        return without(parse_topology(text), read_failures(failures))
    stripped = text.strip()
    if is_network_file(stripped):
        return read_network(stripped)
    try:
        description = parse_named_topology(text)
    except InvalidInput as error:
        if os.path.isfile(stripped):
            return read_network(stripped)
        if _NAME.fullmatch(stripped):
            raise InvalidInput(
                f"topology {stripped!r}: there is no such file, nor a family of networks of this "
                f"name; expected {topology_forms()}, or {describe_network_files()}"
            ) from error
        raise InvalidInput(f"{error}, or {describe_network_files()}") from error
    return description.build()


def as_topology(value: Topology | str) -> Topology:
    """Return a network, given as itself or as the text that commands take; see `parse_topology`."""
    return read_as(value, Topology, parse_topology)
