"""Topologies and traffic in the form that the compiled core reads."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sim_bridge import _core
from sim_bridge.sampling import cumulative_within
from tvlb.errors import BlockedBuffer, InvalidInput, SimulationDeadlock
from tvlb.native import kernels
from tvlb.topology import Topology, compiled
from tvlb.traffic import NodeTraffic


def core_network(topology: Topology) -> kernels.Topology:
    """Return the compiled topology; raise InvalidInput where the simulator cannot hold it."""
    network = compiled(topology)
    if network.max_ports > _core.MAX_PORTS:
        raise InvalidInput(
            f"cannot simulate {topology}: a switch has more than {_core.MAX_PORTS} ports"
        )
    return network


def core_traffic(network: kernels.Network, traffic: NodeTraffic) -> _core.Traffic:
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
        uniform_to_others=traffic.uniform_to_others,
        matrix_to_others=table is not None and table.to_others,
    )


def deadlock(topology: Topology, told: Mapping[str, Any]) -> SimulationDeadlock:
    """Return the error of a run that ended in a deadlock."""
    network = topology.network
    blocked = tuple(
        BlockedBuffer(
            int(network.link_source[one.link]), int(network.link_target[one.link]), one.vc
        )
        for one in told["wait_cycle"]
    )
    return SimulationDeadlock(told["cycles"], blocked)
