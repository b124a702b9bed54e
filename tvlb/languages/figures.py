"""Figures of a run, each declared once: kind, text, unit, and how several runs are told together.

A field of the dataclass of a router's results declares one with `figure`. From it come the keys of
documents (`tvlb.requests.figures`), the columns of tables and what is told of several seeds.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from tvlb.languages.settings import Kind, Number, Whole


@dataclass(frozen=True)
class Quantity(Number):
    """A number in a unit; any without limits."""

    low: float = -math.inf
    unit: str = ""


REAL = Number(-math.inf)
CYCLES = Quantity(unit="cycles")
SECONDS = Quantity(0.0, unit="seconds")
COUNT = Whole(0)


class BySwitch(Kind):
    """A rate of every switch, float64 (switches,)."""


class ByLink(Kind):
    """The load of every link, float64 (links,), by link id."""


@dataclass(frozen=True)
class Values(Kind):
    """An array of values of a kind, one for each interval or the like; also of such arrays."""

    kind: Kind


@dataclass(frozen=True)
class Named(Kind):
    """A mapping from names to values of a kind."""

    kind: Kind


@dataclass(frozen=True, eq=False)
class Parts(Kind):
    """One or more instances of a dataclass that declares figures; its text is their text.

    Attributes
    ----------
    declaring : the dataclass.
    name : of the documents of its instances.
    many : whether there are any number of them.
    of : makes one of the result that has the figure; None where the figure is one.
    """

    declaring: type
    name: str
    many: bool = False
    of: Callable[[Any], Any] | None = None


def _mean(values: Sequence[float | None]) -> float | None:
    """Return the mean; None where nothing is told."""
    return None if None in values else float(np.array(values, dtype=np.float64).mean())


def _most(values: Sequence[bool | None]) -> bool | None:
    known = [one for one in values if one is not None]
    return 2 * sum(known) > len(known) if known else None


OVER_SEEDS: Mapping[str, Callable[[Sequence[Any]], float | bool | None]] = MappingProxyType(
    {
        "mean": _mean,
        "sum": sum,
        "most": _most,
        "all": all,
    }
)
"""What may be told of runs that differ in the seed: mean, sum, whether most of those that can tell
or all are so."""


@dataclass(frozen=True)
class Figure:
    """What is known of a figure.

    Attributes
    ----------
    text : what it is, without unit and full stop; empty where its kind says all.
    kind : what values it has.
    over_seeds : what is told of several runs, of `OVER_SEEDS`; empty where only the single runs
        have it.
    null : when a document has none, in words; empty where another figure says that, None where
        there is always one.
    has_interval : whether half the 95% confidence interval of it is told, too.
    column : of the table that people read: heading, decimals, and the heading of a column for the
        interval if it is to have one; empty without a column.
    is_later : whether documents of earlier versions lack it.
    name : of its field, known to `figures`.
    """

    text: str
    kind: Kind
    over_seeds: str = ""
    null: str | None = None
    has_interval: bool = False
    column: tuple[()] | tuple[str, int] | tuple[str, int, str] = ()
    is_later: bool = False
    name: str = ""

    @property
    def unit(self) -> str:
        """Of its values; empty without one."""
        kind = self.kind.kind if isinstance(self.kind, Values) else self.kind
        return kind.unit if isinstance(kind, Quantity) else ""

    @property
    def interval(self) -> str:
        """Name of the half of its interval; empty where none is told."""
        return f"{self.name.removesuffix('_mean')}_ci95" if self.has_interval else ""

    @property
    def described(self) -> str | None:
        """What it is, in a sentence; None where its kind says all."""
        if not self.text:
            return None
        unit = f", {self.unit}" if self.unit else ""
        null = f"; null {self.null}" if self.null else ""
        judged = self.over_seeds in ("most", "all")
        several = f"; of several runs, whether {self.over_seeds} are" if judged else ""
        return f"{self.text}{unit}{null}{several}."


def figure(
    text: str, kind: Kind, over_seeds: str = "", *, default: Any = MISSING, **more: Any
) -> Any:
    """Declare a figure as a field of a dataclass; see `Figure`."""
    return field(default=default, metadata={"figure": Figure(text, kind, over_seeds, **more)})


@cache
def figures(declaring: Any) -> Mapping[str, Figure]:
    """Return the figures that a dataclass declares by name, in its order."""
    declared = {one.name: one.metadata.get("figure") for one in fields(declaring)}
    return {name: replace(one, name=name) for name, one in declared.items() if one is not None}
