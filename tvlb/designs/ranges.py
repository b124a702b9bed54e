"""The range language: `4`, `5, 9, 17`, `2..8`, `2..16 step 2`, and for some `max` and `3..max`."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology import SizeParameter
from tvlb.topology.sizing import MAX_VALUE

MAX_VALUES = 1000
_MAX = "max"
_CLOSED = 'a number, numbers as in "4, 8", or a range as in "2..16 step 2"'
_OPEN = 'a number, "max", numbers as in "5, 9, max", or a range as in "3..max"'
_ITEM = rf"[0-9]{{1,8}}|{_MAX}"
_RUN = re.compile(rf"({_ITEM}) *\.\. *({_ITEM})(?: +step +([0-9]{{1,8}}))?", re.ASCII)
_LIST = re.compile(rf" *(?:{_ITEM}) *(?:, *(?:{_ITEM}) *)*", re.ASCII)

_Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Range:
    """Values of a parameter, ascending; made by `parse_range`.

    Attributes
    ----------
    values : the values of a list, ascending and distinct; empty for a run.
    largest : whether the list also has "max".
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
        """Number of values; None where it depends on what "max" stands for."""
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


def parse_range(text: str, parameter: SizeParameter) -> Range:
    """Parse the values of a parameter.

    Raises
    ------
    InvalidInput : the text is no range, it is empty, or a value is out of range.

    Examples
    --------
    >>> from tvlb.topology import families
    >>> p, a, h, g = families()["dfly"].sizing.parameters
    >>> str(parse_range("8,4, 4", p)), str(parse_range("2..9 step 2", p))
    ('4, 8', '2..8 step 2')
    >>> str(parse_range("max, 9", g)), str(parse_range("3..max", g))
    ('9, max', '3..max')
    """
    stripped, is_open = text.strip(" "), parameter.largest is not None
    if _MAX in text and not is_open:
        raise InvalidInput(f'"{text}" is no range of {parameter.name}, which has no "max"')
    if match := _RUN.fullmatch(stripped):
        return _run(text, parameter, *match.groups())
    if _LIST.fullmatch(stripped) is None:
        raise InvalidInput(f'"{text}" is no range; expected {_OPEN if is_open else _CLOSED}')
    return _listed(parameter, [item.strip(" ") for item in stripped.split(",")])


def _listed(parameter: SizeParameter, items: list[str]) -> Range:
    if len(items) > MAX_VALUES:
        raise InvalidInput(f"the list has {len(items)} values; at most {MAX_VALUES} are allowed")
    values = {_value(item, parameter.low, parameter.high) for item in items if item != _MAX}
    return Range(tuple(sorted(values)), _MAX in items)


def _run(text: str, parameter: SizeParameter, first: str, last: str, step: str | None) -> Range:
    if first == _MAX:
        raise InvalidInput(f'the range "{text}" is empty or one value; write "max" for the largest')
    low = _value(first, parameter.low, parameter.high)
    stride = _value(step or "1", 1, MAX_VALUE)
    if last == _MAX:
        return Range(first=low, step=stride)
    high = _value(last, parameter.low, parameter.high)
    if high < low:
        raise InvalidInput(f'the range "{text}" is empty: its last value is below its first')
    count = (high - low) // stride + 1
    if count == 1:
        return Range((low,))
    return Range(first=low, last=low + (count - 1) * stride, step=stride)


def _value(number: str, low: int, high: int) -> int:
    value = int(number)
    if not low <= value <= high:
        raise InvalidInput(f"{value} is out of range: {low}..{high}")
    return value
