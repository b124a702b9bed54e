"""Which paths of one list are in another."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.paths.rows import PathRows


@dataclass(frozen=True, eq=False)
class PathKeys:
    """Paths as two integers each, int64 (paths,); equal exactly for equal paths."""

    switches: NDArray[np.int64]
    links: NDArray[np.int64]


def keys_of_rows(rows: PathRows) -> PathKeys:
    """Return the keys of rows, int64 (rows,) each."""
    switches = rows.topology.num_switches
    source, target = rows.source.astype(np.int64), rows.target.astype(np.int64)
    pair = (source * switches + target)[rows.pair_of_row]
    return _keys(pair, rows.intermediate, rows.first_link, rows.second_link)


def keys_of_paths(paths: NDArray[np.int32], switches: int) -> PathKeys:
    """Return the keys of paths given as int32 (paths, 5): the switch pair and the triple.

    Parameters
    ----------
    switches : number of switches; pairs outside 0..switches-1 get keys that no row has.
    """
    source, target = paths[:, 0].astype(np.int64), paths[:, 1].astype(np.int64)
    pair = source * switches + target
    exists = (source >= 0) & (target >= 0) & (source < switches) & (target < switches)
    pair[~exists | (source == target)] = -1
    return _keys(pair, paths[:, 2], paths[:, 3], paths[:, 4])


def _keys(
    pair: NDArray[np.int64],
    intermediate: NDArray[np.int32],
    first_link: NDArray[np.int32],
    second_link: NDArray[np.int32],
) -> PathKeys:
    # Ids are int32, valid or not, so different paths get different keys even where a sum wraps.
    shift = np.int64(1) << 32
    return PathKeys(pair * shift + intermediate, first_link * shift + second_link)


def members(left: PathKeys, right: PathKeys) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which paths of `left` are in `right`, and which of `right` in `left`."""
    switches = np.concatenate([left.switches, right.switches])
    links = np.concatenate([left.links, right.links])
    order = np.lexsort((links, switches))
    same = (np.diff(switches[order]) == 0) & (np.diff(links[order]) == 0)
    # A run of equal paths may hold several of one side; it counts if it holds both sides.
    run = np.concatenate([[0], np.cumsum(~same)]) if len(order) else np.zeros(0, dtype=np.int64)
    from_left = order < len(left.links)
    runs = int(run[-1]) + 1 if len(run) else 0
    both = np.bincount(run, weights=from_left, minlength=runs) > 0
    both &= np.bincount(run, weights=~from_left, minlength=runs) > 0
    member = np.zeros(len(order), dtype=bool)
    member[order] = both[run]
    return member[: len(left.links)], member[len(left.links) :]
