"""What failures leave of the rows of a table."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.paths import (
    ABSENT,
    FilterSet,
    PathRows,
    keys_of_rows,
    members,
    min_rows,
    parse_expression,
)
from tvlb.table.header import StruckRecord
from tvlb.table.networks import record_of
from tvlb.table.rows import Columns
from tvlb.table.table import Table, mean_vlb_hops, paths_by_hops
from tvlb.topology import Failures, Topology, links_left

_WEIGHT_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class RowChanges:
    """How many rows of a table become others, int64 (switches,) each, by source switch.

    Attributes
    ----------
    removed, added : paths that only the old table has, and only the new one.
    reweighted : those of both that have another draw weight.
    """

    removed: NDArray[np.int64]
    added: NDArray[np.int64]
    reweighted: NDArray[np.int64]

    @property
    def switches(self) -> NDArray[np.int64]:
        """Switches with any change, in order."""
        return np.flatnonzero(self.removed + self.added + self.reweighted)


@dataclass(frozen=True, eq=False)
class StruckOut:
    """A table without the paths that are down.

    Attributes
    ----------
    rows : those that are left, on the network with failures; the weights of a pair sum to 1.
    struck : how many rows are down.
    left_out : how many others are not in the set that was asked for.
    pairs_without_min_paths : pairs of switches that are up and lost all MIN paths that they had;
        they have others now.
    record : how the rows follow from the rule of the table.
    survivors : the rows that are not down, with the weights that they had.
    minimal : the MIN paths of before that are not down.
    down : int64 (switches,), rows that are down by source switch.
    had_paths : bool (pairs,), whether a pair had VLB paths and its switches are up.
    """

    rows: PathRows
    struck: int
    left_out: int
    pairs_without_min_paths: int
    record: StruckRecord
    survivors: PathRows
    minimal: PathRows
    down: NDArray[np.int64]
    had_paths: NDArray[np.bool_]

    @property
    def pairs_without_paths(self) -> int:
        """Pairs of switches that are up and lost all their VLB paths."""
        return self.bare(self.rows)

    def bare(self, rows: PathRows) -> int:
        """Count pairs of switches without a VLB path among `rows` that had one and are up."""
        return int(np.count_nonzero(self.had_paths & (np.diff(rows.offset) == 0)))

    def changes(self, rows: PathRows) -> RowChanges:
        """Compare the table as it was with the rows of another for what is left."""
        old = self.survivors
        stays, known = members(keys_of_rows(old), keys_of_rows(rows))
        # Both are sorted alike.
        differs = np.abs(old.weight[stays] - rows.weight[known]) > _WEIGHT_TOLERANCE
        switches, source = len(self.down), old.source[old.pair_of_row]
        gone = np.bincount(source[~stays], minlength=switches)
        come = np.bincount(rows.source[rows.pair_of_row[~known]], minlength=switches)
        other = np.bincount(source[stays][differs], minlength=switches)
        return RowChanges(self.down + gone, come, other)

    def table(self, old: Table, version: str) -> Table:
        """Return the table of the rows that are left; `old` is the one that was struck."""
        told: Mapping[str, object] = {
            "version": version,
            "topology": record_of(self.rows.topology),
            "paths_by_hops": paths_by_hops(self.rows.hops),
            "mean_vlb_hops": mean_vlb_hops(self.rows),
            "struck": self.record,
        }
        header = old.header.model_copy(update=told)
        return replace(old, header=header, columns=Columns.from_rows(self.rows))


def strike_out(table: Table, topology: Topology, passing: str | None = None) -> StruckOut:
    """Strike the paths out of a table that failures took down.

    Parameters
    ----------
    topology : what failures left of the table's network; see `tvlb.topology.without`.
    passing : expression of a set that says of every path by itself whether it belongs to it, to
        leave out others; None for all paths.

    Raises
    ------
    InvalidInput : the table is of another network or of one with other failures, has rows that are
        no paths, or `passing` is no such set.
    """
    ids = links_left(table.topology, topology)
    before = table.path_set("the table").stored
    alive, survivors = _struck(before, topology, ids)
    rows = passing_rows(survivors, passing)
    minimal = min_rows(table.topology, before.source, before.target)
    joined = topology.has_paths(before.source, before.target)
    down = np.bincount(before.source[before.pair_of_row[~alive]], minlength=topology.num_switches)
    return StruckOut(
        rows=_scaled(rows),
        struck=int(np.count_nonzero(~alive)),
        left_out=len(survivors) - len(rows),
        pairs_without_min_paths=int(np.count_nonzero(joined & _lost(minimal, ids))),
        record=_record(table, passing),
        survivors=survivors,
        minimal=_min_left(minimal, topology, ids),
        down=down,
        had_paths=joined & (np.diff(before.offset) > 0),
    )


def strike_rows(rows: PathRows, topology: Topology, passing: str | None) -> PathRows:
    """Return what failures leave of rows of a network with fewer of them; see `strike_out`."""
    return _scaled(
        passing_rows(_struck(rows, topology, links_left(rows.topology, topology))[1], passing)
    )


def _record(table: Table, passing: str | None) -> StruckRecord:
    earlier, origin = table.header.struck, table.topology.origin
    if earlier is None:
        gone = Failures() if origin is None else origin.failures
        return StruckRecord(without=gone, passing=passing)
    both = [one for one in (earlier.passing, passing) if one is not None]
    return StruckRecord(without=earlier.without, passing=" & ".join(both) or None)


def passing_rows(rows: PathRows, passing: str | None) -> PathRows:
    """Keep the paths of a set that says of every path by itself whether it has it; None for all.

    Raises
    ------
    InvalidInput : it is no such set.
    """
    for text in () if passing is None else passing.split("&"):
        test = parse_expression(text, rows.topology)
        if not isinstance(test, FilterSet):
            raise InvalidInput(f"{test} does not say of every path by itself whether it has it")
        rows = rows.filtered(test.passing(rows))
    return rows


def _struck(
    before: PathRows, topology: Topology, ids: NDArray[np.int32]
) -> tuple[NDArray[np.bool_], PathRows]:
    """Return which rows keep all their links, and these with their new names, weights as before."""
    alive, links = _survivors(before, ids)
    kept = before.filtered(alive)
    first, second = _renamed(kept, links[alive], topology)
    # Names by position may be in another order than those before.
    order = np.lexsort((second, first, kept.intermediate, kept.pair_of_row))
    columns = {"first_link": first, "second_link": second}
    columns |= {name: getattr(kept, name) for name in ("intermediate", "hops", "weight")}
    ordered = {name: values[order] for name, values in columns.items()}
    return alive, replace(kept, topology=topology, **ordered)


def _scaled(rows: PathRows) -> PathRows:
    """Scale the weights of every pair to sum 1."""
    return rows.with_weights(rows.weight / np.repeat(_sums(rows), np.diff(rows.offset)))


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


def _lost(minimal: PathRows, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether a pair had paths and has none left, bool (pairs,)."""
    alive = minimal.pair_of_row[_survivors(minimal, ids)[0]]
    left = np.bincount(alive, minlength=len(minimal.source))
    return (np.diff(minimal.offset) > 0) & (left == 0)


def _min_left(minimal: PathRows, topology: Topology, ids: NDArray[np.int32]) -> PathRows:
    """Return the MIN paths of before that are left, as they are named now."""
    alive, links = _survivors(minimal, ids)
    now = min_rows(topology, minimal.source, minimal.target)
    # A path is known by its links alone.
    width = max(links.shape[1], now.links().shape[1])
    both = np.concatenate([_padded(links[alive], width), _padded(now.links(), width)])
    code = np.unique(both, axis=0, return_inverse=True)[1].ravel()
    count = int(np.count_nonzero(alive))
    return now.select(np.isin(code[count:], code[:count]))


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
