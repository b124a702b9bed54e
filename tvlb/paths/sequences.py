"""Paths as a router sees them: the switches that they visit, in order.

Different paths, with other intermediates or other cables between two switches, may visit the same
switches; and the two MIN halves of a path may have a switch in common.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tvlb.paths.rows import ABSENT, PathRows, Switches, min_rows

_WORD_BITS = 63


@dataclass(frozen=True, eq=False)
class SwitchSequences:
    """The different switch sequences of a list of switch pairs.

    Attributes
    ----------
    source, target : int32 (pairs,), the switch pairs.
    offset : int64 (pairs+1,), pair i owns sequences ``offset[i]:offset[i+1]``, in ascending order.
    switches : int32 (sequences, longest + 1), from the source to the target, -1 beyond.
    weight : float64 (sequences,), the draw weights of all paths that visit these switches.
    links : int32 (sequences, longest), of one of these paths, -1 beyond; where sequences are told
        apart by their cables, of all of them.
    """

    source: Switches
    target: Switches
    offset: NDArray[np.int64]
    switches: NDArray[np.int32]
    weight: NDArray[np.float64]
    links: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.weight)

    def without_any(self) -> "SwitchSequences":
        """Return the same pairs, none of which has a sequence."""
        return self.select(np.zeros(len(self), dtype=bool))

    @property
    def pair_of_row(self) -> NDArray[np.int64]:
        """Position of the pair of each sequence, int64 (sequences,)."""
        return np.repeat(np.arange(len(self.source)), np.diff(self.offset))

    def select(self, keep: NDArray[np.bool_]) -> "SwitchSequences":
        """Return the sequences where `keep` is true, weights as they are."""
        counts = np.bincount(self.pair_of_row[keep], minlength=len(self.source))
        return replace(
            self,
            offset=_offset(counts),
            switches=self.switches[keep],
            weight=self.weight[keep],
            links=self.links[keep],
        )

    def joined(self, other: "SwitchSequences", *, by_cable: bool) -> "SwitchSequences":
        """Return these and others of the same pairs, equal ones merged; see `switch_sequences`."""
        parts = (self, other)
        longest = max(one.switches.shape[1] for one in parts)
        return _merged(
            self.source,
            self.target,
            np.concatenate([one.pair_of_row for one in parts]),
            np.concatenate([_widened(one.switches, longest) for one in parts]),
            np.concatenate([_widened(one.links, longest - 1) for one in parts]),
            np.concatenate([one.weight for one in parts]),
            by_cable=by_cable,
        )


def revisits(rows: PathRows) -> NDArray[np.bool_]:
    """Which paths visit a switch twice, bool (rows,)."""
    return _by_chunks(rows, _revisits)


def repeats(rows: PathRows) -> NDArray[np.bool_]:
    """Which paths visit the same switches in the same order as an earlier path of their pair.

    bool (rows,). So many rows are merged by `switch_sequences`.
    """
    return _by_chunks(rows, _repeats)


def minimal(rows: PathRows) -> NDArray[np.bool_]:
    """Which paths visit the same switches in the same order as a MIN path of their pair.

    bool (rows,).
    """
    return _by_chunks(rows, _minimal)


def simple_rows(rows: PathRows) -> PathRows:
    """Leave out the paths that visit a switch twice; weights of each pair are renormalised."""
    return rows.select(~revisits(rows))


def switch_sequences(rows: PathRows, *, by_cable: bool = False) -> SwitchSequences:
    """Merge paths of a pair that visit the same switches in the same order; weights are added.

    Parameters
    ----------
    by_cable : whether those that take other cables between two switches stay apart.
    """
    return _merged(
        rows.source,
        rows.target,
        rows.pair_of_row,
        _visited(rows),
        rows.links(),
        rows.weight,
        by_cable=by_cable,
    )


def _merged(
    source: Switches,
    target: Switches,
    pair: NDArray[np.int64],
    switches: NDArray[np.int32],
    links: NDArray[np.int32],
    weight: NDArray[np.float64],
    *,
    by_cable: bool,
) -> SwitchSequences:
    order, begins = _sorted_sequences(pair, switches, links if by_cable else links[:, :0])
    first = order[begins]
    sequence = np.cumsum(begins) - 1
    return SwitchSequences(
        source,
        target,
        _offset(np.bincount(pair[first], minlength=len(source))),
        switches[first],
        np.bincount(sequence, weights=weight[order]).astype(np.float64),
        links[first],
    )


def _offset(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _widened(columns: NDArray[np.int32], wanted: int) -> NDArray[np.int32]:
    more = wanted - columns.shape[1]
    return np.pad(columns, ((0, 0), (0, more)), constant_values=ABSENT)


def _by_chunks(rows: PathRows, mask: Callable[[PathRows], NDArray[np.bool_]]) -> NDArray[np.bool_]:
    masks = [mask(chunk) for chunk in rows.chunks()]
    return np.concatenate([np.zeros(0, dtype=bool), *masks])


def _revisits(rows: PathRows) -> NDArray[np.bool_]:
    ordered = np.sort(_visited(rows), axis=1)
    return ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != ABSENT)).any(axis=1)


def _repeats(rows: PathRows) -> NDArray[np.bool_]:
    switches = _visited(rows)
    order, begins = _sorted_sequences(rows.pair_of_row, switches, switches[:, :0])
    found = np.zeros(len(rows), dtype=bool)
    found[order] = ~begins
    return found


def _minimal(rows: PathRows) -> NDArray[np.bool_]:
    least = min_rows(rows.topology, rows.source, rows.target)
    found = rows.hops <= least.hops.max(initial=0)
    found[found] = np.isin(_keys(rows.filtered(found)), _keys(least))
    return found


def _keys(rows: PathRows) -> NDArray[np.void]:
    """Return what tells pairs and switch sequences apart, (rows,)."""
    switches = _visited(rows)[:, 1 : rows.topology.max_hops + 1]
    short = rows.topology.max_hops - switches.shape[1]
    words = _packed(
        np.pad(switches, ((0, 0), (0, short)), constant_values=ABSENT), rows.topology.num_switches
    )
    columns = np.column_stack([rows.pair_of_row, *words]).astype(np.int64)
    return columns.view([(f"word{column}", np.int64) for column in range(columns.shape[1])]).ravel()


def _visited(rows: PathRows) -> NDArray[np.int32]:
    """Switches of each path in travel order, int32 (rows, longest + 1), -1 beyond the target."""
    # Link -1 leads nowhere.
    ends = np.append(rows.topology.network.link_target, np.int32(ABSENT))
    first = rows.source[rows.pair_of_row]
    return np.concatenate([first[:, None], ends[rows.links()]], axis=1)


def _sorted_sequences(
    pair: NDArray[np.int64], switches: NDArray[np.int32], links: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the order of rows by pair, switches and links, and where in it new ones begin."""
    # All of a pair begin with its source.
    words = [
        word
        for ids in (switches[:, 1:], links)
        for word in _packed(ids, int(ids.max(initial=0)) + 1)
    ]
    order = np.lexsort((*words[::-1], pair))
    begins = np.ones(len(pair), dtype=bool)
    begins[1:] = np.diff(pair[order]) != 0
    for word in words:
        begins[1:] |= np.diff(word[order]) != 0
    return order, begins


def _packed(switches: NDArray[np.int32], count: int) -> list[NDArray[np.int64]]:
    """Pack the switches of each row into as few integers as hold them, in the order of the rows."""
    bits = count.bit_length()
    per_word = _WORD_BITS // bits
    words: list[NDArray[np.int64]] = []
    for begin in range(0, switches.shape[1], per_word):
        word = np.zeros(len(switches), dtype=np.int64)
        for column in switches[:, begin : begin + per_word].T:
            word = (word << bits) | (column + 1)
        words.append(word)
    return words
