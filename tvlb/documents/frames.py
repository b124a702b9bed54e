"""Results as data frames: every result has `to_arrow` and `to_pandas`, and a table in notebooks."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

from tvlb.errors import TvlbError

_SHOWN_ROWS = 40


class Frame(ABC):
    """A result that is a table of records."""

    @abstractmethod
    def records(self) -> list[dict[str, object]]:
        """Return the records, with equal keys in equal order."""

    def to_arrow(self) -> Any:
        """Return the records as a `pyarrow.Table`."""
        records = self.records()
        return arrow_table({name: [one[name] for one in records] for name in records[0]})

    def to_pandas(self) -> Any:
        """Return the records as a `pandas.DataFrame`.

        Raises
        ------
        TvlbError : pandas is not installed.
        """
        try:
            import_module("pandas")
        except ImportError as error:
            raise TvlbError(
                "pandas is not installed: pip install pandas, or use to_arrow()"
            ) from error
        return self.to_arrow().to_pandas()

    def _repr_html_(self) -> str:
        """Show the first records in a notebook."""
        frame = self.to_arrow()
        head = "".join(f"<th>{escape(name)}</th>" for name in frame.column_names)
        rows = "".join(map(_html_row, frame.slice(0, _SHOWN_ROWS).to_pylist()))
        more = frame.num_rows - _SHOWN_ROWS
        rest = f"<p>and {more:,} more rows</p>" if more > 0 else ""
        return f"<p>{escape(repr(self))}</p><table><tr>{head}</tr>{rows}</table>{rest}"


def _html_row(record: Mapping[str, object]) -> str:
    cells = (f"{one:.6g}" if isinstance(one, float) else str(one) for one in record.values())
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def arrow_table(columns: Mapping[str, Sequence[Any] | Any]) -> Any:
    """Return columns as a `pyarrow.Table`, which only those load who ask for it."""
    return import_module("pyarrow").table(dict(columns))
