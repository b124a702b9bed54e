"""What failures leave of the rows of a table."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.paths import ABSENT, PathRows, all_pairs, min_rows
from tvlb.table.table import Table
from tvlb.topology import Topology, link_ids


@dataclass(frozen=True, eq=False)
class StruckOut:
    """A table without the paths that are down.

    Attributes
    ----------
    rows : those that are left, on the network with failures; the weights of a pair sum to 1.
    struck : how many rows are down.
    pairs_without_paths : pairs of switches that are up and lost all their VLB paths.
    pairs_without_min_paths : those that lost all MIN paths which they had; they have others now.
    """

    rows: PathRows
    struck: int
    pairs_without_paths: int
    pairs_without_min_paths: int


def strike_out(table: Table, topology: Topology) -> StruckOut:
    """Strike the paths out of a table that failures took down.

    Parameters
    ----------
    topology : what failures left of the table's network; see `tvlb.topology.without`.

    Raises
    ------
    InvalidInput : the table is of another network, or has rows that are no paths.
    """
    origin = topology.origin
    if origin is None or origin.network != table.topology:
        raise InvalidInput(
            f"the table is of {table.topology}, and {topology} is not what is left of it"
        )
    path_set = table.path_set("the table")
    before, ids = path_set.stored, link_ids(topology)
    alive, links = _survivors(before, ids)
    kept = before.select(alive)
    first, second = _renamed(kept, links[alive], topology)
    weight = kept.weight / np.repeat(_sums(kept), np.diff(kept.offset))
    source, target = all_pairs(table.topology)
    minimal = min_rows(table.topology, source, target)
    minimal_alive = _survivors(minimal, ids)[0]
    joined = topology.has_paths(source, target)
    return StruckOut(
        rows=PathRows(
            topology,
            kept.source,
            kept.target,
            kept.offset,
            kept.intermediate,
            first,
            second,
            kept.hops,
            weight,
        ),
        struck=int(np.count_nonzero(~alive)),
        pairs_without_paths=_bare(before, alive, topology.has_paths(before.source, before.target)),
        pairs_without_min_paths=_bare(minimal, minimal_alive, joined),
    )


def _survivors(
    rows: PathRows, ids: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Return which rows keep all their links, and these links by their new ids."""
    links = rows.links()
    taken = links != ABSENT
    now = np.where(taken, ids[links], ABSENT)
    return ~np.any(taken & (now == ABSENT), axis=1), now


def _sums(rows: PathRows) -> NDArray[np.float64]:
    """Sum of the weights of every pair, 1 where it has no rows."""
    sums = np.bincount(rows.pair_of_row, rows.weight, minlength=len(rows.source))
    return np.where(np.diff(rows.offset) > 0, sums, 1.0)


def _bare(rows: PathRows, alive: NDArray[np.bool_], joined: NDArray[np.bool_]) -> int:
    """Count pairs of switches that still have paths that had rows and have none alive."""
    left = np.bincount(rows.pair_of_row[alive], minlength=len(rows.source))
    return int(np.count_nonzero((np.diff(rows.offset) > 0) & (left == 0) & joined))


def _renamed(
    rows: PathRows, links: NDArray[np.int32], topology: Topology
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Name the halves of paths, given their links, as MIN paths of what is left."""
    ends = topology.network.link_target[links] == rows.intermediate[:, None]
    width = int(links.shape[1])
    place = np.arange(width, dtype=np.int64)
    first_hops = np.where(rows.intermediate == ABSENT, 0, ends.argmax(axis=1) + 1)
    first = np.where(place < first_hops[:, None], links, ABSENT)
    # The links of the second half to the front.
    moved = place + first_hops[:, None]
    beyond = moved >= width
    second = np.where(
        beyond, ABSENT, np.take_along_axis(links, np.minimum(moved, width - 1), axis=1)
    )
    pair = rows.pair_of_row
    return (
        _names(topology, rows.source[pair], rows.intermediate, first),
        _names(topology, rows.intermediate, rows.target[pair], second),
    )


def _names(
    topology: Topology,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    links: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Name MIN paths that are given by their links, int32 (paths, longest), -1 beyond."""
    if len(source) == 0:
        return np.zeros(0, dtype=np.int32)
    number = source.astype(np.int64) * topology.num_switches + target
    pairs = np.unique(number)
    starts, stops = np.divmod(pairs, topology.num_switches)
    known = min_rows(topology, starts.astype(np.int32), stops.astype(np.int32))
    width = max(known.links().shape[1], links.shape[1])
    table = np.concatenate([_padded(known.links(), width), _padded(links, width)])
    # A MIN path is known by its links alone.
    code = np.unique(table, axis=0, return_inverse=True)[1].ravel()
    name = np.full(code.max() + 1, ABSENT, dtype=np.int32)
    name[code[: len(known)]] = known.first_link
    return name[code[len(known) :]]


def _padded(links: NDArray[np.int32], width: int) -> NDArray[np.int32]:
    missing = width - links.shape[1]
    return np.pad(links, ((0, 0), (0, missing)), constant_values=ABSENT)
