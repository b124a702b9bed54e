"""How large a question is, from the parameters of the network alone: nothing is listed.

Numbers are expected values over pairs of switches; see `tvlb.topology.ExpectedPaths`.
"""

from dataclasses import dataclass

import numpy as np

from tvlb.errors import InvalidInput
from tvlb.paths import PathSet, parse_expression
from tvlb.topology import Topology, touched
from tvlb.traffic import Pattern


@dataclass(frozen=True)
class ProgramSize:
    """One linear program.

    Attributes
    ----------
    rows, columns, nonzeros : of its matrix.
    examined, paths : VLB paths looked at to build it, and those of the path set.
    """

    rows: float
    columns: float
    nonzeros: float
    examined: float
    paths: float


def program_size(topology: Topology, path_set: PathSet | str, pattern: Pattern) -> ProgramSize:
    """Return the size of one linear program.

    Parameters
    ----------
    path_set : a set or an expression; anything else, such as a table, counts as `all`.
    """
    flows = pattern.count_flows(topology)
    expected = topology.expected_paths
    minimal = expected.min_paths_by_hops
    counts = _parsed(path_set, topology).expected_paths_by_halves()
    hops = np.indices(counts.shape).sum(axis=0) + 2
    by_hops = np.array([counts[total == hops].sum() for total in range(2, 2 * len(minimal) + 1)])
    classes = float(touched(by_hops, 1.0).sum() + touched(minimal, 1.0).sum())
    links = topology.links_in_use(by_hops) + float(minimal @ np.arange(1, len(minimal) + 1))
    return ProgramSize(
        rows=topology.num_links + flows,
        columns=1 + flows * classes,
        nonzeros=flows * links,
        examined=flows * expected.intermediates * expected.min_paths**2,
        paths=flows * float(by_hops.sum()),
    )


def _parsed(path_set: PathSet | str, topology: Topology) -> PathSet:
    if isinstance(path_set, PathSet):
        return path_set
    try:
        return parse_expression(path_set, topology)
    except InvalidInput:
        return parse_expression("all", topology)
