"""Topologies and traffic in the form that the compiled core reads."""

from functools import lru_cache

import numpy as np

from sim_bridge import _core
from sim_bridge.sampling import cumulative_within
from tvlb.errors import InvalidInput
from tvlb.topology import Dragonfly
from tvlb.traffic import NodeTraffic

__all__ = ["core_network", "core_traffic"]


@lru_cache(maxsize=8)
def core_network(topology: Dragonfly) -> _core.Network:
    """Return the wiring; raise InvalidInput where the simulator cannot hold it."""
    network = topology.network
    try:
        return _core.Network(
            num_switches=network.num_switches,
            node_switch=network.node_switch,
            link_source=network.link_source,
            link_target=network.link_target,
            link_kind=network.link_kind,
            switch_group=topology.switch_group,
            group_link_offset=topology.group_link_offset,
            group_links=topology.group_links,
        )
    except ValueError as error:
        raise InvalidInput(f"cannot simulate {topology}: {error}") from error


def core_traffic(network: _core.Network, traffic: NodeTraffic) -> _core.Traffic:
    """Return what every node sends."""
    table = traffic.table
    none = np.zeros(0)
    return _core.Traffic(
        network,
        rate=traffic.rate.astype(np.float64),
        uniform_fraction=traffic.uniform_fraction.astype(np.float64),
        destination=traffic.destination.astype(np.int32),
        matrix_row=np.full(network.num_nodes, -1, dtype=np.int32)
        if table is None
        else table.row_of_node.astype(np.int32),
        matrix_offset=np.zeros(1, dtype=np.int64) if table is None else table.offset,
        matrix_target=none.astype(np.int32) if table is None else table.target,
        matrix_cumulative=none
        if table is None
        else cumulative_within(table.offset, table.probability),
        matrix_target_is_switch=False if table is None else table.target_is_switch,
    )
