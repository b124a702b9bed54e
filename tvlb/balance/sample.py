"""Pairs that stand for all pairs, where all their paths are too many to list."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tvlb.paths import PathRows, PathSet, Switches
from tvlb.topology import Topology
from tvlb.traffic import type2_pattern

_MOST_ROWS = 20_000_000
_MOST_PAIRS = 5_000
_ROWS_PER_CHUNK = 2_000_000


@dataclass(frozen=True, eq=False)
class PairSample:
    """Switch pairs of a topology.

    Attributes
    ----------
    between : sources and targets in different groups, int32 arrays: some of all such pairs.
    inside : sources and targets of all pairs inside the groups.
    pairs_each : number of pairs that each pair of `between` stands for.
    """

    between: tuple[Switches, Switches]
    inside: tuple[Switches, Switches]
    pairs_each: float


def sample_of(path_set: PathSet, most_rows: int = _MOST_ROWS) -> PairSample:
    """Choose as many pairs as have `most_rows` paths, at most 5,000.

    Notes
    -----
    They are the pairs of the random adversarial patterns of seeds 0, 1, ..., so on a Dragonfly
    every switch is as often a source as a destination; less than a whole pattern takes every n-th.
    """
    topology = path_set.topology
    switches = topology.num_switches
    first = _partners(topology, 0)
    pairs = max(len(first[0]), 1)
    paths = path_set.most_paths(*first).sum() / pairs
    wanted = int(min(_MOST_PAIRS, max(1, most_rows // max(1, paths))))
    if wanted < pairs:
        chosen = np.arange(wanted) * pairs // wanted
        between = first[0][chosen], first[1][chosen]
    else:
        patterns = [_partners(topology, seed) for seed in range(wanted // pairs)]
        between = (
            np.concatenate([sources for sources, _ in patterns]),
            np.concatenate([targets for _, targets in patterns]),
        )
    inside = _without_choice(topology)
    all_between = switches * (switches - 1) - len(inside[0])
    return PairSample(between, inside, all_between / len(between[0]))


def _partners(topology: Topology, seed: int) -> tuple[Switches, Switches]:
    nodes = type2_pattern(topology, seed).destinations(topology, seed)
    senders = np.flatnonzero(topology.switch_nodes).astype(np.int32)
    targets = topology.network.node_switch[nodes[topology.first_node[senders]]]
    apart = topology.has_choice(senders, targets)
    return senders[apart], targets[apart]


def _without_choice(topology: Topology) -> tuple[Switches, Switches]:
    switches = np.arange(topology.num_switches)
    sources, targets = np.nonzero(~topology.has_choice(switches[:, np.newaxis], switches))
    different = sources != targets
    return sources[different].astype(np.int32), targets[different].astype(np.int32)


def chunks(path_set: PathSet, sources: Switches, targets: Switches) -> Iterator[PathRows]:
    """List the rows of many pairs, a bounded number of rows at a time."""
    paths = path_set.most_paths(sources, targets)
    chunk = np.cumsum(paths) // _ROWS_PER_CHUNK
    for number in np.unique(chunk):
        inside = chunk == number
        yield path_set.rows(sources[inside], targets[inside])
