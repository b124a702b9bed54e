"""Files of every format that is read, undamaged and damaged in many ways."""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import base64
import json
import random
import re
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tvlb.balance import WeightOptions
from tvlb.balance.by_weight import reweight
from tvlb.paths import MAX_ROWS, parse_expression
from tvlb.requests.examples import example
from tvlb.table import (
    TABLE_SUFFIXES,
    AnyTable,
    CompactTable,
    Table,
    write_stream,
)
from tvlb.topology import (
    Dragonfly,
    ListedTopology,
    kinds_of,
    network_formats,
)

__all__ = ["DISCOVERED", "SIMPLE", "mutated", "seed_files", "stored"]

_SWEEP = """name = "damaged"
topologies = ["dfly(2,4,2,9)", "4,8,4,9,palmtree"]
seeds = [0, 1]
[[generators]]
p = "1..3"
a = "2..8 step 2"
h = [1, 2]
g = "max"
constraints = ["a == 2*p == 2*h", "nodes <= 2000"]
[options]
simulated_patterns = 3
"""

_DATA = Path(__file__).parent.parent / "tests" / "data"
# What ibnetdiscover printed of a fabric, and what OpenSM dumped of it.
DISCOVERED = _DATA / "fabric.ibnetdiscover"
_DUMPED = _DATA / "fabric.lfts"

# Formats that hold no parallel cables.
SIMPLE = {"booksim-anynet"}

# Undamaged files.


def seed_files() -> dict[str, bytes]:
    """Return files of every format by name; the part before the first dash is the kind."""
    found = {f"table-{name}": stored(table, name) for name, table in _tables().items()}
    topology = Dragonfly(2, 4, 2, 5, "palmtree")
    found["topology-a.json"] = json.dumps(
        {"p": 2, "a": 4, "h": 2, "g": 5, "links": topology.cables.tolist()}
    ).encode()
    found |= _networks()
    entries = [f"{one},{(7 * one + 3) % 40},0.{one + 1}" for one in range(40)]
    for level in ("node", "switch"):
        lines = [f"# level={level}", "src,dst,rate", *entries]
        found[f"matrix-{level}.csv"] = "\n".join(lines).encode()
    found["dump-opensm.lfts"] = _DUMPED.read_bytes()
    found["sweep-a.toml"] = _SWEEP.encode()
    for name in ("table", "search", "simulation"):
        found[f"document-{name}.json"] = json.dumps(example(name)).encode()
    return found


def _networks() -> dict[str, bytes]:
    ring = [[one, (one + 1) % 12] for one in range(12)]
    chords = [[0, 6], [0, 6], [3, 9]]
    found: dict[str, bytes] = {}
    for name, form in network_formats().items():
        if form.read is not None and form.write is not None:
            network = ListedTopology(
                [one % 4 for one in range(12)],
                # Not every format holds parallel cables.
                [ring, chords[name in SIMPLE :]],
                kinds_of({"ring": 5, "chord": 20}),
                labels=[f"rack {one}" for one in range(12)],
            )
            content = b"".join(form.write(network, "network").files[""])
            kind = "fabric" if form.read_fabric is not None else "network"
            found[f"{kind}-{name}{form.suffixes[0]}"] = content
    found["network-names.edges"] = b"# endpoints 4\nspine-1 leaf-1\nspine-1 leaf-2 {}\n"
    found["network-default.graphml"] = (
        b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        b'<key id="d0" for="node" attr.name="endpoints" attr.type="int">'
        b"<default>2</default></key>\n"
        b'<graph edgedefault="undirected">\n<node id="a"/>\n<node id="b"/>\n<node id="c"/>\n'
        b'<edge source="a" target="b"/>\n<edge source="b" target="c"/>\n</graph></graphml>\n'
    )
    # The content tells the format.
    found["fabric-discovered.ibnet"] = DISCOVERED.read_bytes()
    found["network-content.data"] = found["network-graphml.graphml"]
    return found


def _tables() -> dict[str, AnyTable]:
    topology = Dragonfly(1, 3, 1, 4)
    base = parse_expression("<=4+60%", topology, 3)
    rows = base.all_rows()
    removed = (np.arange(len(rows)) % 7 == 0) & (rows.first_link >= 0)
    options = WeightOptions()
    weighted = reweight(rows, options)
    kinds: dict[str, AnyTable] = {
        "plain": Table.from_rows(base, rows.select(~removed), removed, seed=3, version="1"),
        "weights": Table.from_rows(base, weighted, weights=options, seed=3, version="1"),
        "listed": Table.from_rows(base, weighted, weights="listed", seed=3, version="1"),
        "compact": CompactTable.from_set(base, seed=3, version="1"),
    }
    return {f"{kind}{suffix}": table for kind, table in kinds.items() for suffix in TABLE_SUFFIXES}


def stored(table: AnyTable, name: str) -> bytes:
    """Return a table in the format of a file of this name."""
    stream = BytesIO()
    write_stream(table, Path(name).suffix, stream)
    return stream.getvalue()


# Mutations.

Mutation = Callable[[bytes, random.Random], bytes]


def _flip(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _truncate(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def _splice(content: bytes, chance: random.Random) -> bytes:
    begin, place = chance.randrange(len(content)), chance.randrange(len(content))
    piece = content[begin : begin + chance.randint(1, 200)]
    return content[:place] + piece + content[place + chance.choice((0, len(piece))) :]


def _repeat_line(content: bytes, chance: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    place = chance.randrange(len(lines))
    return b"".join(
        [*lines[:place], *lines[place : place + 1] * chance.randint(0, 3), *lines[place:]]
    )


def _replace(pattern: bytes, values: tuple[bytes, ...]) -> Mutation:
    def replace(content: bytes, chance: random.Random) -> bytes:
        found = list(re.finditer(pattern, content))
        if not found:
            return _flip(content, chance)
        one = chance.choice(found)
        return content[: one.start()] + chance.choice(values) + content[one.end() :]

    return replace


_HUGE = (b"9" * 30, b"9" * 5000, b"1e999", b"-1", b"1e308", b"-9223372036854775809", b"2147483648")
_ODD = tuple(
    text.encode() for text in ("\u0663", "1_0", "\uff11", "\u00b2", "0x1", "+1", "1.", "nan")
)
_OTHER = (b"null", b'"x"', b"[]", b"{}", b"true", b"-1", b"[[]]", b'""', b"0.5", b"NaN", b"inf")
_DEEP = (b"[" * 300, b"[" * 200_000, b'{"a":' * 150, b'{"a":' * 200_000, b".a" * 50_000)
_LONG = (
    b"1" * 200_000,
    b"a" * 2_000_000,
    b"[]," * 100_000,
    b"\n" * 300_000,
    b"0,1,0.1\n" * 200_000,
)
_VALUE = rb'"[^"\n]{0,80}"|-?[0-9][0-9.]*|true|false|null'
_ENTITIES = "".join(
    f"<!ENTITY e{one} '{f'&e{one - 1};' * 10 if one else 'x' * 1000}'>" for one in range(10)
)
_XML = (
    b"",
    b"<a>" * 200_000,
    b"<a/>" * 200_000,
    f"<!DOCTYPE graphml [{_ENTITIES}]><a>&e9;</a>".encode(),
    b"<!DOCTYPE graphml [<!ENTITY f SYSTEM 'file:///etc/passwd'>]>&f;",
    b"<?xml version='1.0' encoding='utf-16'?>",
    b"<node id='1'/>" * 100_000,
    b"<edge source='0' target='1'/>" * 100_000,
    b"<graph edgedefault='directed'>",
    b"<a " + b" ".join(b"a%d='1'" % one for one in range(100_000)) + b"/>",
    b"<![CDATA[" + b"1" * 1_000_000 + b"]]>",
)
_TEXT: tuple[Mutation, ...] = (
    _flip,
    _truncate,
    _splice,
    _repeat_line,
    _replace(rb"[0-9.]+", _HUGE),
    _replace(rb"[0-9]", _ODD),
    _replace(rb"[0-9]", tuple(b"%d" % digit for digit in range(10))),
    _replace(rb"[ ,]", (b"  ", b" ,", b",,", b"\t", b"\r\n")),
    _replace(_VALUE, _OTHER),
    _replace(rb"[0-9a-z]+", _DEEP),
    _replace(rb"[0-9]+|\n", _LONG),
    _replace(rb"<[^>]{0,200}>", _XML),
)
# Files that are costly to make, one in so many.
_RARE = 300
_BOMBS = (
    b"[]," * 12_000_000,
    b'{"a":1},' * 8_000_000,
    b"\n" * 60_000_000,
    b"1," * 60_000_000,
    b"[0,1]," * 1_900_000,
    b"\n0 1" * 1_900_000,
    b"<edge source='0' target='1'/>" * 900_000,
)


def mutated(name: str, content: bytes, chance: random.Random) -> bytes:
    """Return a damaged file."""
    if name.endswith(".parquet") and chance.random() < 0.75:
        return _rewritten(content, chance)
    if chance.randrange(_RARE) == 0:
        return _replace(rb"[0-9]+|\n", (chance.choice(_BOMBS),))(content, chance)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        content = chance.choice(_TEXT)(content, chance) or b"0"
    return content


def _rewritten(content: bytes, chance: random.Random) -> bytes:
    """Return a sound Parquet file whose header or rows are damaged."""
    with pq.ParquetFile(BytesIO(content)) as file:
        header, rows = file.metadata.metadata[b"tvlb.table"], file.read()
    kind = chance.random()
    if kind < 0.7:
        header = mutated("header.json", header, chance)
    elif kind < 0.9 and len(rows):
        rows = _changed(rows, chance)
    elif kind < 0.98:
        packed = base64.b64encode(zlib.compress(bytes(20 * chance.choice((1, 10**4, 10**7)))))
        header = json.dumps({**json.loads(header), "removed": packed.decode()}).encode()
    else:
        rows = _constant(rows.schema, chance.choice((10**6, 2 * 10**7, MAX_ROWS + 1)))
    stream = BytesIO()
    with pq.ParquetWriter(stream, rows.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata({b"tvlb.table": header})
    return stream.getvalue()


def _changed(rows: Any, chance: random.Random) -> Any:
    column, row = chance.randrange(rows.num_columns), chance.randrange(len(rows))
    values = np.array(rows.column(column)).copy()
    values[row] = chance.choice((-1, 0, 1, values[chance.randrange(len(rows))], values[row] + 1))
    return rows.set_column(column, rows.schema.field(column), pa.array(values))


def _constant(schema: Any, count: int) -> Any:
    return pa.Table.from_arrays(
        [pa.repeat(pa.scalar(0, kind), count) for kind in schema.types], schema=schema
    )
