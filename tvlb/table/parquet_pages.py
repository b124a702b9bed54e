"""What the pages of a Parquet file take in memory, by their own headers.

The footer tells sizes too, but pages are inflated by what stands before each of them. That is a
struct of Thrift's compact protocol, of which only two numbers are wanted:
https://github.com/apache/parquet-format (PageHeader), thrift-compact-protocol.md.
"""

import os
from typing import BinaryIO

from tvlb.errors import InvalidInput

_MAX_HEADER_BYTES = 4096
_MAX_DEPTH = 8
# Fields of a page header.
_INFLATED, _COMPRESSED = 2, 3
# Types of fields: flags hold their value in the type.
_FLAGS, _BYTE, _NUMBERS, _DOUBLE, _BINARY, _LISTS, _STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12


def inflated_size(stream: BinaryIO, start: int, length: int, most_pages: int) -> int:
    """Add up what the pages of one column of a row group take.

    Parameters
    ----------
    start, length : of the compressed pages, bytes.
    most_pages : that there may be.

    Raises
    ------
    InvalidInput : a header cannot be read, there are more pages, or they are not in the file.
    """
    found, end = 0, start + length
    if not 0 <= start <= end <= stream.seek(0, os.SEEK_END):
        raise InvalidInput("the pages of a column are not in the file")
    for _ in range(most_pages):
        if start >= end:
            return found
        stream.seek(start)
        header = _Header(stream.read(_MAX_HEADER_BYTES))
        found += header.inflated
        start += header.length + header.compressed
    raise InvalidInput(f"a column has more than {most_pages:,} pages")


class _Header:
    """The header that some bytes begin with."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0
        self._numbers = {_INFLATED: -1, _COMPRESSED: -1}
        self._read_struct(depth=0)
        self.length = self._at
        self.inflated, self.compressed = self._numbers[_INFLATED], self._numbers[_COMPRESSED]
        if self.inflated < 0 or self.compressed < 0:
            raise InvalidInput("a page does not tell its size")

    def _read_struct(self, depth: int) -> None:
        name = 0
        while (head := self._byte()) != 0:
            step, kind = head >> 4, head & 15
            name = name + step if step else self._number()
            if kind in _NUMBERS and depth == 0 and name in self._numbers:
                self._numbers[name] = self._number()
            else:
                self._skip(kind, depth)

    def _skip(self, kind: int, depth: int) -> None:
        if depth == _MAX_DEPTH:
            raise InvalidInput("the header of a page is nested too deeply")
        if kind in _NUMBERS:
            self._varint()
        elif kind in (_BYTE, _DOUBLE):
            self._at += 1 if kind == _BYTE else 8
        elif kind == _BINARY:
            length = self._varint()
            self._at += length
        elif kind in _LISTS:
            self._skip_list(depth)
        elif kind == _STRUCT:
            self._read_struct(depth + 1)
        elif kind not in _FLAGS:
            raise InvalidInput(f"the header of a page has a field of type {kind}")

    def _skip_list(self, depth: int) -> None:
        head = self._byte()
        kind = head & 15
        for _ in range(self._varint() if head >> 4 == 15 else head >> 4):
            if kind in _FLAGS:
                self._at += 1
            else:
                self._skip(kind, depth + 1)
            self._check()

    def _number(self) -> int:
        """Return a signed number."""
        number = self._varint()
        return (number >> 1) ^ -(number & 1)

    def _varint(self) -> int:
        number = shift = 0
        while True:
            byte = self._byte()
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7

    def _byte(self) -> int:
        self._check()
        self._at += 1
        return self._content[self._at - 1]

    def _check(self) -> None:
        if self._at >= len(self._content):
            raise InvalidInput("the header of a page is cut short, or has no end")
