"""Path sets in the form that the simulator draws from."""

import numpy as np
from numpy.typing import NDArray

from sim_bridge._core import Network, PathSampler
from tvlb.paths import EmptySet, LengthSet, PathSet, ShortSet, Switches
from tvlb.topology import Dragonfly

__all__ = ["cumulative_within", "make_sampler", "with_second_switches"]


def make_sampler(
    network: Network, path_set: PathSet, sources: Switches, targets: Switches
) -> PathSampler:
    """Return a sampler for the given switch pairs.

    Parameters
    ----------
    sources, targets : int32 (pairs,), different switches, sorted by (source, target). Sets that
        have no compact rule are listed for these pairs only.

    Notes
    -----
    Memory of a listed set is 12 bytes per path (20 with unequal weights).
    """
    match path_set:
        case EmptySet():
            return PathSampler.no_paths()
        case LengthSet() if path_set.is_all:
            return PathSampler.all_triples(network)
        case ShortSet():
            return PathSampler.short_halves(
                network,
                max_first=path_set.max_first,
                max_second=path_set.max_second,
                max_total=path_set.max_total,
            )
        case _:
            return _listed(network, path_set, sources, targets)


def _listed(
    network: Network, path_set: PathSet, sources: Switches, targets: Switches
) -> PathSampler:
    rows = path_set.rows(sources, targets)
    switches = path_set.topology.num_switches
    counts = np.zeros(switches * switches, dtype=np.int64)
    counts[sources.astype(np.int64) * switches + targets] = np.diff(rows.offset)
    return PathSampler.rows(
        network,
        offset=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        intermediate=rows.intermediate,
        first_link=rows.first_link,
        second_link=rows.second_link,
        cumulative=_cumulative_unless_equal(rows.offset, rows.weight),
    )


def cumulative_within(
    offset: NDArray[np.int64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Cumulative sums of `weight` that start anew with each row ``offset[i]:offset[i+1]``."""
    running = np.concatenate([[0.0], np.cumsum(weight)])
    return running[1:] - np.repeat(running[offset[:-1]], np.diff(offset))


def _cumulative_unless_equal(
    offset: NDArray[np.int64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Cumulative weights of each pair, or an empty array where all its weights are equal."""
    sizes = np.diff(offset)
    equal = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
    if np.allclose(weight, equal, rtol=1e-9, atol=0.0):
        return np.zeros(0)
    return cumulative_within(offset, weight)


def with_second_switches(
    topology: Dragonfly, sources: Switches, targets: Switches
) -> tuple[Switches, Switches]:
    """Add the pairs for which PAR may decide again: every switch of the source's group."""
    group = topology.switch_group
    inside = np.arange(topology.switches_per_group, dtype=np.int32)
    between = group[sources] != group[targets]
    members = group[sources[between], None] * np.int32(topology.switches_per_group) + inside
    seconds = np.repeat(targets[between], topology.switches_per_group)
    switches = np.int64(topology.num_switches)
    keys = np.unique(
        np.concatenate(
            [
                sources.astype(np.int64) * switches + targets,
                members.ravel().astype(np.int64) * switches + seconds,
            ]
        )
    )
    return (keys // switches).astype(np.int32), (keys % switches).astype(np.int32)
