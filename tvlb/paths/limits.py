"""How many paths may be listed one by one."""

from tvlb.errors import InvalidInput
from tvlb.paths.path_set import PathSet, pairs_from
from tvlb.topology import Topology

MAX_ROWS = 50_000_000
# Some minutes of a processor.
_MOST_COUNTED = 20_000_000_000


def check_rows(rows: int, what: str) -> None:
    """Raise InvalidInput if `what` has more than `MAX_ROWS` rows."""
    if rows > MAX_ROWS:
        raise InvalidInput(
            f"{what} has more than {MAX_ROWS:,} paths over all switch pairs, the most that is "
            "listed; larger sets are used in compact form, rule and seed"
        )


def check_pairs(topology: Topology) -> None:
    """Raise InvalidInput if a topology has more than `MAX_ROWS` switch pairs."""
    pairs = topology.num_switches * (topology.num_switches - 1)
    if pairs > MAX_ROWS:
        raise InvalidInput(
            f"{topology} has {pairs:,} pairs of switches; at most {MAX_ROWS:,} are searched"
        )


def check_searched(topology: Topology) -> None:
    """Refuse, before anything is counted, a topology that is too large to search a table of.

    Raises
    ------
    InvalidInput : it has more than `MAX_ROWS` switch pairs, or is likely to have more than 20
        billion VLB paths and no structure by which they are counted together.
    """
    check_pairs(topology)
    pairs = topology.num_switches * (topology.num_switches - 1)
    paths = pairs * float(topology.expected_paths.vlb_paths_by_halves.sum())
    if paths > _MOST_COUNTED and not topology.has_usage_kernel:
        raise InvalidInput(
            f"{topology} has about {paths:.1e} VLB paths, which a search counts one by one; at "
            f"most {_MOST_COUNTED:.0e} are counted. simulate --vlb 'short(all)', '<=4' and other "
            "sets by length and shape work on networks of any size"
        )


def most_rows(topology: Topology) -> int:
    """Bound the paths of all pairs that a table of a topology can list, quickly."""
    switches = topology.num_switches
    return min(MAX_ROWS, switches * (switches - 1) * topology.most_vlb_paths)


def is_listable(path_set: PathSet) -> bool:
    """Whether the paths of all pairs are at most `MAX_ROWS`."""
    switches = path_set.topology.num_switches
    return switches * (switches - 1) <= MAX_ROWS and count_paths(path_set) <= MAX_ROWS


def count_paths(path_set: PathSet, stop_above: int = MAX_ROWS) -> int:
    """Count the paths of all pairs without listing them; stops once the count is past a limit.

    Of a set that is balanced by rule, the paths before balancing.

    Notes
    -----
    O(pairs) profiles, made source by source so that memory stays proportional to the switches.
    """
    total = 0
    for source in range(path_set.topology.num_switches):
        total += int(path_set.most_paths(*pairs_from(path_set.topology, source)).sum())
        if total > stop_above:
            break
    return total


def check_listable(path_set: PathSet) -> None:
    """Refuse, before it is listed, a path set with too many paths or switch pairs.

    Raises
    ------
    InvalidInput : more than `MAX_ROWS` of either.
    """
    check_pairs(path_set.topology)
    check_rows(count_paths(path_set), f"{path_set} on {path_set.topology}")
