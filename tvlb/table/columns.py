"""The seven columns of a table file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.paths import PathRows, all_pairs, pair_index
from tvlb.topology import Topology

COLUMN_TYPES: dict[str, np.dtype[Any]] = {
    "src_switch": np.dtype(np.int32),
    "dst_switch": np.dtype(np.int32),
    "intermediate": np.dtype(np.int32),
    "first_link": np.dtype(np.int32),
    "second_link": np.dtype(np.int32),
    "hops": np.dtype(np.int8),
    "weight": np.dtype(np.float64),
}

Row = tuple[int, int, int, int, int, int, float]
"""One row as Python numbers."""


@dataclass(frozen=True, eq=False)
class Columns:
    """The rows of a table as they stand in its file, whether or not they make sense.

    Attributes
    ----------
    src_switch, dst_switch : int32 (rows,), the switch pair.
    intermediate, first_link, second_link : int32 (rows,), -1 where absent.
    hops : int8 (rows,), network links of the path.
    weight : float64 (rows,), draw weights; a good table has sum 1 for every pair.
    """

    src_switch: NDArray[np.int32]
    dst_switch: NDArray[np.int32]
    intermediate: NDArray[np.int32]
    first_link: NDArray[np.int32]
    second_link: NDArray[np.int32]
    hops: NDArray[np.int8]
    weight: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.hops)

    @classmethod
    def from_rows(cls, rows: PathRows) -> "Columns":
        """Write out the switch pair of every row."""
        pair = rows.pair_of_row
        return cls(
            rows.source[pair],
            rows.target[pair],
            rows.intermediate,
            rows.first_link,
            rows.second_link,
            rows.hops,
            rows.weight,
        )

    @classmethod
    def none(cls) -> "Columns":
        """Return the columns of no rows."""
        return cls(**{name: np.zeros(0, dtype=kind) for name, kind in COLUMN_TYPES.items()})

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "Columns":
        """Narrow integer and float arrays to the column types.

        Raises
        ------
        InvalidInput : a value does not fit into its column.
        """
        return cls(**{name: _narrow(name, arrays[name]) for name in COLUMN_TYPES})

    @classmethod
    def from_numbers(cls, rows: Sequence[Row]) -> "Columns":
        """Undo `numbers`; raises InvalidInput if a number does not fit into its column."""
        values = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMN_TYPES)
        return cls.from_arrays(
            {name: _array(name, column) for name, column in zip(COLUMN_TYPES, values, strict=True)}
        )

    def numbers(self) -> Iterator[Row]:
        """Yield the rows; `repr` of a weight is its shortest text that reads back bit for bit."""
        columns = [values.tolist() for values in self.arrays().values()]
        return cast("Iterator[Row]", zip(*columns, strict=True))

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name, in file order."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def of_source(self, switch: int) -> "Columns":
        """Return the rows of one source switch."""
        mine = self.src_switch == switch
        return Columns(**{name: values[mine] for name, values in self.arrays().items()})

    def to_rows(self, topology: Topology) -> PathRows:
        """Group the rows by switch pair; pairs without rows are present and empty.

        Raises
        ------
        InvalidInput : a switch id is out of range, or the rows are not sorted by pair.
        """
        pair = self._pair_of_row(topology)
        source, target = all_pairs(topology)
        counts = np.bincount(pair, minlength=len(source))
        return PathRows(
            topology,
            source,
            target,
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            self.intermediate,
            self.first_link,
            self.second_link,
            self.hops,
            self.weight,
        )

    def _pair_of_row(self, topology: Topology) -> NDArray[np.int64]:
        switches = topology.num_switches
        source, target = self.src_switch, self.dst_switch
        wrong = (source < 0) | (target < 0) | (source >= switches) | (target >= switches)
        wrong |= source == target
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidInput(
                f"row {row}: {source[row]} -> {target[row]} is not a pair of different switches "
                f"of {topology}"
            )
        pair = pair_index(topology, source, target)
        if (backwards := np.diff(pair) < 0).any():
            row = int(backwards.argmax()) + 1
            raise InvalidInput(
                f"row {row}: {source[row]} -> {target[row]} is out of order; rows must be sorted "
                "by switch pair"
            )
        return pair


def _narrow(name: str, values: NDArray[Any]) -> NDArray[Any]:
    wanted = COLUMN_TYPES[name]
    if wanted.kind == "i" and len(values):
        limits = np.iinfo(wanted)
        outside = (values < limits.min) | (values > limits.max)
        if outside.any():
            row = int(outside.argmax())
            raise InvalidInput(f"row {row}: {name} {values[row]} is out of range")
    return np.ascontiguousarray(values, dtype=wanted)


def _array(name: str, column: Sequence[float]) -> NDArray[Any]:
    wide = np.int64 if COLUMN_TYPES[name].kind == "i" else np.float64
    try:
        return np.array(column, dtype=wide)
    except OverflowError as error:
        raise InvalidInput(f"column {name} holds a number that is out of range") from error
