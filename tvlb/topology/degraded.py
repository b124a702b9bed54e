"""What failures leave of a network."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology.failures import Failures
from tvlb.topology.family import family_of
from tvlb.topology.listed import ListedTopology
from tvlb.topology.network import Network, ordinals
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.topology import Origin, Topology

_SHOWN = 5


def without(topology: Topology, failures: Failures) -> Topology:
    """Return what failures leave of a network; switches keep their ids.

    Raises
    ------
    InvalidInput : a cable or switch that is down does not exist, failures were taken out before, no
        compute node is left, or the network is cut in parts; the message names two switches that do
        not reach each other.

    Notes
    -----
    MIN paths are what the family makes of it: on a Dragonfly those that are left, and all shortest
    paths where a pair has none; on other networks all shortest paths.
    """
    if topology.origin is not None:
        raise InvalidInput(f"{topology} has failures already; list all of them at once")
    given = failures.numbered(topology.switch_names).canonical()
    network = _remaining(topology, given)
    text = f"{topology} without {given}"
    _check_connected(network, given, text)
    if network.num_nodes == 0:
        raise InvalidInput(f"{text} has no compute nodes")
    left = (family_of(topology).degraded or _listed)(topology, network, text)
    left.origin = Origin(topology, given)
    return left


def link_ids(topology: Topology) -> NDArray[np.int32]:
    """Return what became of the links of a network that failures were taken out of.

    int32 (links before,): the id that a link has now, -1 if it is down.
    """
    assert topology.origin is not None
    gone = _gone_links(topology.origin.network, topology.origin.failures)
    ids = np.cumsum(~gone) - 1
    return np.where(gone, -1, ids).astype(np.int32)


def links_left(before: Topology, after: Topology) -> NDArray[np.int32]:
    """Return what became of the links of a network, with failures or without, as more went down.

    int32 (links before,): the id that a link has now, -1 if it is down.

    Raises
    ------
    InvalidInput : `after` is not what is left of it, or has something that is down in `before`.
    """
    whole = before if before.origin is None else before.origin.network
    if after.origin is None or after.origin.network != whole:
        raise InvalidInput(f"the table is of {before}, and {after} is not what is left of it")
    now = link_ids(after)
    if before.origin is None:
        return now
    up = link_ids(before) >= 0
    back = np.flatnonzero(~up & (now >= 0))
    switches = set(before.origin.failures.switches) - set(after.origin.failures.switches)
    if len(back) or switches:
        ends = (whole.network.link_source[back], whole.network.link_target[back])
        what = [f"switch {one}" for one in sorted(switches)]
        what += [f"cable [{low},{high}]" for low, high in zip(*ends, strict=True) if low < high]
        raise InvalidInput(
            f"{what[0]} is down in {before} already: what is down has to be listed all at once"
        )
    return now[up]


def _listed(topology: Topology, network: Network, text: str) -> Topology:
    nodes = np.bincount(network.node_switch, minlength=network.num_switches)
    kinds = range(len(topology.kinds.names))
    labels = topology.labels if isinstance(topology, ListedTopology) else ()
    return ListedTopology(
        nodes,
        [network.cables(kind) for kind in kinds],
        topology.kinds,
        labels=labels,
        path=text,
        between_nodes=isinstance(topology, ShortestPathTopology) and topology.between_nodes,
    )


def _remaining(topology: Topology, failures: Failures) -> Network:
    network = topology.network
    if (last := max(failures.down_switches, default=-1)) >= network.num_switches:
        raise InvalidInput(
            f"switch {last} cannot be down: {topology} has switches 0..{network.num_switches - 1}"
        )
    gone = _gone_links(topology, failures)
    source, target = network.link_source[~gone], network.link_target[~gone]
    kind = network.link_kind[~gone]
    return Network(
        num_switches=network.num_switches,
        node_switch=network.node_switch[~np.isin(network.node_switch, failures.down_switches)],
        link_source=source,
        link_target=target,
        link_kind=kind,
        link_ordinal=ordinals(source, target, kind),
    )


def _gone_links(topology: Topology, failures: Failures) -> NDArray[np.bool_]:
    """Which links are down, with their switches or alone, bool (links,); of parallel ones the last.

    Raises InvalidInput if there are not as many cables somewhere.
    """
    source, target = topology.network.link_source, topology.network.link_target
    gone = np.isin(source, failures.down_switches) | np.isin(target, failures.down_switches)
    links = dict[tuple[int, int], list[int]]()
    ends = np.unique(np.array(failures.down_cables, dtype=np.int32))
    for link in np.flatnonzero(np.isin(source, ends) & np.isin(target, ends)).tolist():
        links.setdefault((int(source[link]), int(target[link])), []).append(link)
    for (low, high), count in Counter(failures.down_cables).items():
        if count > (there := len(links.get((low, high), ()))):
            raise InvalidInput(
                f"{count} cable{'s' * (count > 1)} [{low},{high}] cannot be down: {topology} has "
                f"{there or 'none'} there"
            )
        for pair in ((low, high), (high, low)):
            gone[links[pair][-count:]] = True
    return gone


def _check_connected(network: Network, failures: Failures, text: str) -> None:
    """Raise InvalidInput if some switches that are up do not reach each other."""
    up = ~np.isin(np.arange(network.num_switches), failures.down_switches)
    part = network.parts()
    sizes = Counter(map(int, part[up])).most_common()
    if len(sizes) < 2:
        return
    main, cut_off = (np.flatnonzero(up & (part == sizes[which][0])) for which in (0, -1))
    shown = ", ".join(map(str, cut_off[:_SHOWN])) + (", ..." if len(cut_off) > _SHOWN else "")
    raise InvalidInput(
        f"{text} is in {len(sizes)} parts: no path joins switches {cut_off[0]} and {main[0]}; the "
        f"smallest part has {len(cut_off)} of {up.sum()} switches: {shown}"
    )
