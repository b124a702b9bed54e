"""How files that people name are read: bounds on size, depth and expansion, for every reader.

A small file must not take much memory or time, whatever it holds. Every reader gets its bytes, its
JSON or TOML, its inflated data and its numbers here; whoever reads a table in Parquet bounds the
rows by the network (`tvlb.paths.most_rows`).
"""

import json
import re
import tomllib
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from pydantic_core import from_json

from tvlb.documents.files import explained
from tvlb.errors import InvalidInput

# Two million entries of a matrix take less than 64 bytes each, a million rows of a table 80.
MAX_BYTES = 128 << 20
MAX_LINES = 2_001_000
# One character that is rare makes all others of a text take four bytes.
_MAX_WIDE_BYTES = MAX_BYTES // 4
# Eight of them make a row; none takes more than 64 bytes of memory.
_MAX_VALUES = 10_000_000
_VALUE_MARKS = (b",", b"[", b"{", b":")
_MAX_KEY_PARTS = 16
# Of elements and attributes.
_MAX_XML_MARKS = 2_000_000
_MAX_XML_TOKEN = 1 << 20
_XML_CHUNK = 1 << 18
_MAX_XML_DEPTH = 100
_XML_ENCODING = re.compile(rb"""<\?xml\s[^>]{0,200}?\sencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})""")
_LATIN_1 = (b"iso-8859-1", b"latin1", b"latin-1")
# Quoted parts are bounded so that the search is linear.
_PART = r"""(?>[A-Za-z0-9_-]++|"(?>[^"\\\n]|\\.){0,1000}+"|'[^'\n]{0,1000}+')"""
# tomllib takes time and memory by the square of the parts of a key.
_LONG_KEY = re.compile(rf"(?<![A-Za-z0-9_-])(?>{_PART}[ \t]*+\.[ \t]*+){{{_MAX_KEY_PARTS}}}")
_WHOLE = re.compile(r"[ \t]*([+-]?[0-9]{1,100})[ \t]*")
# What could match in several ways is matched in one: digits may be many.
_DECIMAL = re.compile(
    r"[ \t]*+([+-]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+|nan|inf)[ \t]*+"
)
_MOST_DIGITS = 1000


def read_file(path: Path | str, what: str, most: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file.

    Parameters
    ----------
    what : the kind of file, for messages.
    most : bytes that such a file may have.

    Raises
    ------
    InvalidInput : it cannot be read, or is larger.
    """
    with explained(f"cannot read {what}", path), Path(path).open("rb") as stream:
        try:
            return bounded(stream, most)
        except InvalidInput as error:
            raise InvalidInput(f"{what} {path}: {error}") from error


def bounded(stream: BinaryIO, most: int = MAX_BYTES) -> bytes:
    """Return what an open file holds, without the mark that editors on Windows put in front.

    Raises
    ------
    InvalidInput : it is more than `most` bytes.
    """
    content = stream.read(most + 1)
    if len(content) > most:
        raise InvalidInput(f"the file is larger than {most:,} bytes, the most that is read")
    return content.removeprefix(BOM_UTF8)


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a text file, without their ends.

    Raises
    ------
    InvalidInput : it is not UTF-8, has more than `MAX_LINES` lines, or more than 32 MiB and
        characters besides ASCII.
    """
    _check_width(content)
    lines = content.count(b"\n") + (not content.endswith(b"\n"))
    if lines > MAX_LINES:
        raise InvalidInput(f"the file has {lines:,} lines; at most {MAX_LINES:,} are read")
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"no text file: {error}") from error
    found = [line.removesuffix("\r") for line in text.split("\n")]
    return found if found[-1] else found[:-1]


def _check_width(content: bytes) -> None:
    if len(content) > _MAX_WIDE_BYTES and not content.isascii():
        raise InvalidInput(f"the file is larger than {_MAX_WIDE_BYTES:,} bytes and not plain ASCII")


def json_text(content: bytes) -> bytes:
    """Return a JSON text that a parser may make objects of; raise InvalidInput as `parse_json`."""
    _check_width(content)
    values = sum(map(content.count, _VALUE_MARKS))
    if values > _MAX_VALUES:
        raise InvalidInput(f"the JSON has {values:,} values; at most {_MAX_VALUES:,} are read")
    return content


def parse_json(content: bytes | str) -> Any:
    """Return what a JSON text holds.

    Raises
    ------
    InvalidInput : it is no JSON, is nested more than 200 deep, has a number of more than 4,300
        digits, more than ten million values, or more than 32 MiB and characters besides ASCII.
    """
    try:
        return from_json(json_text(content if isinstance(content, bytes) else content.encode()))
    except ValueError as error:
        raise InvalidInput(f"no complete JSON document: {error}") from error


def parse_unique_json(content: bytes | str) -> Any:
    """Return what a JSON text holds in which no object has a key twice.

    Raises
    ------
    InvalidInput : an object has; as `parse_json` otherwise.
    """
    parse_json(content)
    return json.loads(content, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidInput(f"the key {twice[:40]!r} is there twice")
    return found


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text holds.

    Raises
    ------
    InvalidInput : it is nested too deeply, has a key of more than 16 parts, or a number with too
        many digits.
    tomllib.TOMLDecodeError : it is no TOML.
    """
    if match := _LONG_KEY.search(text):
        raise InvalidInput(
            f"a key has more than {_MAX_KEY_PARTS} parts joined by dots: {match[0][:40]!r}..."
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise InvalidInput("lists or tables are nested too deeply") from error
    except ValueError as error:
        raise InvalidInput("a number has too many digits") from error


def parse_xml(
    content: bytes,
    begin: Callable[[str, dict[str, str]], None],
    end: Callable[[str, str], None],
) -> None:
    """Read an XML text element by element.

    Parameters
    ----------
    begin : told the name of each element, without its namespace, and its attributes.
    end : told the name of each element, and the text in it, after the last element inside.

    Raises
    ------
    InvalidInput : it is no XML in UTF-8, UTF-16 or ISO-8859-1, has more than 2,000,000 `<` and `=`
        or a tag of more than 1 MiB, is nested more than 100 deep, or declares a document type,
        which may hold entities; or what `begin` or `end` raises, with the line.
    """
    marks = content.count(b"<") + content.count(b"=")
    if marks > _MAX_XML_MARKS:
        raise InvalidInput(f"the XML has {marks:,} < and =; at most {_MAX_XML_MARKS:,} are read")
    # Whatever else it declares: Python would look for any codec of this name.
    declared = _XML_ENCODING.match(content)
    encoding = b"utf-8" if declared is None else declared[1].lower()
    is_latin_1 = encoding in _LATIN_1
    parser = expat.ParserCreate("iso-8859-1" if is_latin_1 else "utf-8", namespace_separator="}")
    parser.buffer_text = True
    open_elements = 0
    text = list[str]()

    def refuse(*_: object) -> None:
        raise InvalidInput("the XML declares a document type, which is not read")

    def started(name: str, attributes: dict[str, str]) -> None:
        nonlocal open_elements
        open_elements += 1
        if open_elements > _MAX_XML_DEPTH:
            raise InvalidInput(f"elements are nested more than {_MAX_XML_DEPTH} deep")
        text.clear()
        begin(name.rpartition("}")[2], attributes)

    def ended(name: str) -> None:
        nonlocal open_elements
        open_elements -= 1
        end(name.rpartition("}")[2], "".join(text))
        text.clear()

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = started
    parser.EndElementHandler = ended
    parser.CharacterDataHandler = text.append
    try:
        for begin_of_chunk in range(0, len(content), _XML_CHUNK):
            end_of_chunk = begin_of_chunk + _XML_CHUNK
            parser.Parse(content[begin_of_chunk:end_of_chunk], False)
            if end_of_chunk - parser.CurrentByteIndex > _MAX_XML_TOKEN + _XML_CHUNK:
                raise InvalidInput(f"a tag or comment has more than {_MAX_XML_TOKEN:,} bytes")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        known = is_latin_1 or encoding.startswith((b"utf-8", b"utf-16", b"us-ascii"))
        other = (
            "" if known else f"; the encoding {encoding.decode()}, which it declares, is not read"
        )
        raise InvalidInput(f"no XML: {error}{other}") from error
    except InvalidInput as error:
        raise InvalidInput(f"line {parser.CurrentLineNumber}: {error}") from error


def inflated(data: bytes, most: int) -> bytes:
    """Undo `zlib.compress`.

    Raises
    ------
    InvalidInput : the data are damaged, or more than `most` bytes come out.
    """
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, most + 1)
    except zlib.error as error:
        raise InvalidInput(f"damaged compressed data: {error}") from error
    if len(content) > most:
        raise InvalidInput(f"compressed data hold more than {most:,} bytes")
    if not stream.eof or stream.unused_data:
        raise InvalidInput("damaged compressed data: their end is not where it should be")
    return content


def whole_number(text: str) -> int:
    """Return an integer of at most 100 ASCII digits; Python also takes `1_0` and other scripts.

    Raises
    ------
    ValueError : the text is none.
    """
    if match := _WHOLE.fullmatch(text):
        return int(match[1])
    raise ValueError(f"{text[:80]!r} is not an integer")


def decimal_number(text: str) -> float:
    """Return a number written in at most 1,000 ASCII characters, nan or inf.

    Raises
    ------
    ValueError : the text is none.
    """
    if len(text) <= _MOST_DIGITS and (match := _DECIMAL.fullmatch(text)):
        return float(match[1])
    raise ValueError(f"{text[:80]!r} is not a number")
