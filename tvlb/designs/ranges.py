"""The range language: `4`, `5, 9, 17`, `2..8`, `2..16 step 2`, and for g `max` and `3..max`."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput

__all__ = ["MAX_VALUE", "MAX_VALUES", "Range", "parse_group_range", "parse_range"]

# No Dragonfly within the limits of `tvlb.topology` has more ports or groups than this.
MAX_VALUE = 10_000_000
MAX_VALUES = 1000
_MAX = "max"
_ITEM = rf"[0-9]{{1,8}}|{_MAX}"
_RUN = re.compile(rf"({_ITEM}) *\.\. *({_ITEM})(?: +step +([0-9]{{1,8}}))?", re.ASCII)
_LIST = re.compile(rf" *(?:{_ITEM}) *(?:, *(?:{_ITEM}) *)*", re.ASCII)

_Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Range:
    """Values of p, a, h or g, ascending; made by `parse_range` and `parse_group_range`.

    Attributes
    ----------
    values : the values of a list, ascending and distinct; empty for a run.
    largest : whether the list also has "max", the largest g that a and h allow.
    first, last, step : of a run; a `last` of None is "max".
    """

    values: tuple[int, ...] = ()
    largest: bool = False
    first: int = 1
    last: int | None = None
    step: int = 1

    @property
    def is_list(self) -> bool:
        """Whether the range is a list."""
        return self.largest or bool(self.values)

    @property
    def fixed_count(self) -> int | None:
        """Number of values; None where it depends on a and h."""
        if self.is_list:
            return len(self.values) + self.largest
        return None if self.last is None else (self.last - self.first) // self.step + 1

    @property
    def count(self) -> int:
        """Number of values of a range without "max"."""
        assert self.fixed_count is not None
        return self.fixed_count

    def numbers(self) -> NDArray[np.int64]:
        """Return the values of a range without "max", int64 (values,), ascending."""
        index = np.arange(self.count)
        return self.take(index, index)

    def counts(self, most: _Integers) -> _Integers:
        """Return how many values there are where "max" is `most`, int64 of its shape."""
        if self.fixed_count is not None:
            return np.full(most.shape, self.fixed_count, dtype=np.int64)
        return np.maximum((most - self.first) // self.step + 1, 0)

    def take(self, index: _Integers, most: _Integers) -> _Integers:
        """Return the values of indices, where "max" is `most`, int64; all of one shape."""
        if not self.is_list:
            return self.first + self.step * index
        if not self.values:
            return most
        listed = np.array(self.values, dtype=np.int64)
        return np.where(index < len(listed), listed[np.minimum(index, len(listed) - 1)], most)

    def __str__(self) -> str:
        if self.is_list:
            return ", ".join([*map(str, self.values), *([_MAX] if self.largest else [])])
        step = "" if self.step == 1 else f" step {self.step}"
        return f"{self.first}..{_MAX if self.last is None else self.last}{step}"


def parse_range(text: str) -> Range:
    """Parse the values of p, a or h.

    Raises
    ------
    InvalidInput : the text is no range, it is empty, or a value is out of range.

    Examples
    --------
    >>> str(parse_range("8,4, 4")), str(parse_range("2..9 step 2"))
    ('4, 8', '2..8 step 2')
    """
    if _MAX in text:
        raise InvalidInput(f'"{text}" is no range of p, a or h; only g has a largest value, max')
    return _parse(text, 'a number, numbers as in "4, 8", or a range as in "2..16 step 2"')


def parse_group_range(text: str) -> Range:
    """Parse the values of g, where "max" stands for a*h + 1.

    Raises
    ------
    InvalidInput : the text is no range, it is empty, or a value is out of range.

    Examples
    --------
    >>> str(parse_group_range("max, 9")), str(parse_group_range("3..max"))
    ('9, max', '3..max')
    """
    return _parse(text, 'a number, "max", numbers as in "5, 9, max", or a range as in "3..max"')


def _parse(text: str, expected: str) -> Range:
    stripped = text.strip(" ")
    if match := _RUN.fullmatch(stripped):
        return _run(text, *match.groups())
    if _LIST.fullmatch(stripped) is None:
        raise InvalidInput(f'"{text}" is no range; expected {expected}')
    return _listed([item.strip(" ") for item in stripped.split(",")])


def _listed(items: list[str]) -> Range:
    if len(items) > MAX_VALUES:
        raise InvalidInput(f"the list has {len(items)} values; at most {MAX_VALUES} are allowed")
    values = {_value(item) for item in items if item != _MAX}
    return Range(tuple(sorted(values)), _MAX in items)


def _run(text: str, first: str, last: str, step: str | None) -> Range:
    if first == _MAX:
        raise InvalidInput(f'the range "{text}" is empty or one value; write "max" for the largest')
    low, stride = _value(first), _value(step or "1")
    if last == _MAX:
        return Range(first=low, step=stride)
    high = _value(last)
    if high < low:
        raise InvalidInput(f'the range "{text}" is empty: its last value is below its first')
    count = (high - low) // stride + 1
    if count == 1:
        return Range((low,))
    return Range(first=low, last=low + (count - 1) * stride, step=stride)


def _value(number: str) -> int:
    value = int(number)
    if not 1 <= value <= MAX_VALUE:
        raise InvalidInput(f"{value} is out of range: 1..{MAX_VALUE}")
    return value
