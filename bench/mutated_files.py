"""Damages files of every format that is read, and counts what the readers make of them.

::

    python -m bench.mutated_files --files 20000

Tables in Parquet, JSON and CSV, traffic matrices, topologies, sweep files and result documents are
mutated: bytes flipped, ends cut off, pieces spliced in, lines repeated, numbers made huge or
written in other digits, values exchanged for others, deep nesting, and small files that expand. Two
processes read them, each file within 5 s and 1 GiB of address space beyond what the process has
when it begins. Every file has one outcome:

refused : InvalidInput.
faulty : a table that can be read, of which `verify` says what is wrong.
same : accepted, and equal when it is written and read again.
traceback, hang, memory, wrong : defects.

What is wrong, by format. A table that passes `verify` while its rows differ from those of the
undamaged file though topology, expression, seed, removed paths and balancing are the same (listed
weights follow from no rule, so that only their paths are compared). A matrix or a topology that
differs from what a plain reading of its text with other means gives. Of all formats: what does not
come back when it is written and read again. A result document has no rules of its own; it is drawn.

Ends with exit 1 on any defect; the files that caused one are kept in the folder that is named.
"""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import argparse
import base64
import json
import os
import random
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tvlb.balance import WeightOptions
from tvlb.balance.by_weight import reweight
from tvlb.errors import InvalidInput
from tvlb.paths import MAX_ROWS, parse_expression
from tvlb.plots import figure_of
from tvlb.reading import parse_json
from tvlb.schemas import SweepBody, read_sweep_file
from tvlb.schemas.examples import example
from tvlb.table import (
    TABLE_SUFFIXES,
    AnyTable,
    CompactTable,
    Table,
    read_stream,
    read_table,
    verify,
    write_stream,
)
from tvlb.topology import Dragonfly, parse_topology
from tvlb.traffic.matrix import MatrixPattern

_SECONDS = 5.0
_MORE_SECONDS = 15.0
_BYTES = 1 << 30
_DEFECTS = ("traceback", "hang", "memory", "wrong")
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

# Undamaged files.


def seed_files() -> dict[str, bytes]:
    """Return files of every format by name; the part before the first dash is the kind."""
    found = {f"table-{name}": _stored(table, name) for name, table in _tables().items()}
    topology = Dragonfly(2, 4, 2, 5, "palmtree")
    found["topology-a.json"] = json.dumps(
        {"p": 2, "a": 4, "h": 2, "g": 5, "links": topology.cables.tolist()}
    ).encode()
    entries = [f"{one},{(7 * one + 3) % 40},0.{one + 1}" for one in range(40)]
    for level in ("node", "switch"):
        lines = [f"# level={level}", "src,dst,rate", *entries]
        found[f"matrix-{level}.csv"] = "\n".join(lines).encode()
    found["sweep-a.toml"] = _SWEEP.encode()
    for name in ("table", "search", "simulation"):
        found[f"document-{name}.json"] = json.dumps(example(name)).encode()
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


def _stored(table: AnyTable, name: str) -> bytes:
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
)
# Files that are costly to make, one in so many.
_RARE = 300
_BOMBS = (b"[]," * 12_000_000, b'{"a":1},' * 8_000_000, b"\n" * 60_000_000, b"1," * 60_000_000)


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


# What the readers make of them; runs in a process of its own.


class _Hang(BaseException):
    """The alarm rang."""


class _Wrong(Exception):
    """A file was accepted that says something else."""


def _check(holds: bool, what: str) -> None:
    if not holds:
        raise _Wrong(what)


def _look_at_table(path: Path, original: Path) -> str:
    table = read_table(path)
    if not verify(table).ok:
        return "faulty"
    for suffix in TABLE_SUFFIXES:
        again = read_stream(suffix, BytesIO(_stored(table, f"again{suffix}")))
        _check(again.id == table.id, f"another table comes back from {suffix}")
    before = read_table(original)
    if _rule(before) == _rule(table):
        _check(len(before.columns) == len(table.columns), "other rows by the same rule")
        listed = table.header.weights == "listed"
        for name, values in before.columns.arrays().items():
            if not (listed and name == "weight"):
                close = np.allclose(table.columns.arrays()[name], values, rtol=0, atol=1e-9)
                _check(close, f"another {name} by the same rule")
    return "same"


def _rule(table: AnyTable) -> tuple[object, ...]:
    header = table.header
    removed = table.removed.tobytes()
    return header.topology, header.expression, header.seed, header.compact, header.weights, removed


def _look_at_matrix(path: Path, original: Path) -> str:
    matrix = MatrixPattern.read(str(path))
    lines = path.read_text("utf-8-sig").split("\n")
    plain = [re.split(r"[\s,]+", line.strip()) for line in lines[2:] if line.strip()]
    _check(all(re.fullmatch(r"[0-9+.eE-]+", "".join(row)) for row in plain), "odd digits")
    expected = sorted((int(row[0]), int(row[1]), float(row[2])) for row in plain)
    _check(list(matrix.entries) == expected, "other entries than a plain reading gives")
    rows = [f"{source},{target},{rate!r}" for source, target, rate in matrix.entries]
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as again:
        again.write("\n".join([f"# level={matrix.level}", "src,dst,rate", *rows]))
        again.flush()
        same = MatrixPattern.read(again.name).entries == matrix.entries
    _check(same, "another matrix comes back")
    return "same"


def _look_at_topology(path: Path, original: Path) -> str:
    network = parse_topology(str(path))
    assert isinstance(network, Dragonfly)
    plain = json.loads(path.read_bytes())
    links = sorted(sorted(link) for link in plain["links"])
    _check(links == network.cables.tolist(), "other links than a plain reading gives")
    again = Dragonfly.from_cables(plain["p"], plain["a"], plain["h"], plain["g"], links)
    _check(again == network, "another network comes back")
    return "same"


def _look_at_sweep(path: Path, original: Path) -> str:
    body = read_sweep_file(path)
    again = SweepBody.model_validate_json(body.model_dump_json())
    _check(again == body, "another sweep comes back")
    return "same"


def _look_at_document(path: Path, original: Path) -> str:
    content = path.read_bytes()
    document = parse_json(content)
    if not isinstance(document, dict):
        raise InvalidInput("no result")
    figure_of(document).savefig(BytesIO(), format="svg")
    _check(repr(parse_json(json.dumps(document))) == repr(document), "another document comes back")
    return "same"


_LOOKS = {
    "table": _look_at_table,
    "matrix": _look_at_matrix,
    "topology": _look_at_topology,
    "sweep": _look_at_sweep,
    "document": _look_at_document,
}


def _kind(path: Path) -> str:
    return path.name.split("-", maxsplit=1)[0]


def _outcome(path: Path, original: Path) -> tuple[str, str]:
    look = _LOOKS[_kind(path)]
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        return look(path, original), ""
    except InvalidInput as error:
        return "refused", str(error)
    except _Wrong as error:
        return "wrong", str(error)
    except _Hang:
        return "hang", ""
    except MemoryError as error:
        return "memory", repr(error)
    except Exception as error:
        return "traceback", repr(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _ring(number: int, frame: object) -> None:
    raise _Hang


def read_files(folder: Path) -> None:
    """Answer the names of files with their outcomes, a line each, until there are no more."""
    signal.signal(signal.SIGALRM, _ring)
    # What is loaded and kept on first use is not the fault of a file.
    for original in sorted((folder / "seeds").iterdir()):
        assert _LOOKS[_kind(original)](original, original) == "same", original
    print(json.dumps("ready"), flush=True)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + _BYTES
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for line in sys.stdin:
        name, original = line.split()
        found = _outcome(folder / name, folder / "seeds" / original)
        print(json.dumps(found), flush=True)


class Reader:
    """A process that reads files, and is started again when it dies or hangs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._start()

    def _start(self) -> None:
        command = [sys.executable, "-m", "bench.mutated_files", "--read", str(self._folder)]
        threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "ARROW_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | threads
        )
        if not _pipe(self._process.stdout).readline():
            raise SystemExit("an undamaged file is not read as it should be")

    def ask(self, name: str, original: str) -> None:
        """Have a file read."""
        _pipe(self._process.stdin).write(f"{name} {original}\n".encode())
        _pipe(self._process.stdin).flush()

    def answer(self) -> tuple[str, str]:
        """Return the outcome."""
        output = _pipe(self._process.stdout)
        ready = select.select([output], [], [], _SECONDS + _MORE_SECONDS)[0]
        line = output.readline() if ready else b""
        if line:
            outcome, detail = json.loads(line)
            return outcome, detail
        self.end()
        code = self._process.wait()
        self._start()
        return ("traceback", f"exit code {code}") if ready else ("hang", "not to be interrupted")

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def run(folder: Path, files: int, seed: int) -> dict[str, Counter[str]]:
    """Have mutated files read by two processes; return the outcomes by kind and format."""
    seeds = seed_files()
    (folder / "seeds").mkdir()
    for name, content in seeds.items():
        (folder / "seeds" / name).write_bytes(content)
    found: dict[str, Counter[str]] = {}
    readers, names = [Reader(folder), Reader(folder)], sorted(seeds)
    for first in range(0, files, len(readers)):
        asked: list[tuple[Reader, Path]] = []
        for number in range(first, min(first + len(readers), files)):
            original = names[number % len(names)]
            path = folder / original.replace("-", f"-{number}-", 1)
            path.write_bytes(mutated(original, seeds[original], random.Random(f"{seed} {number}")))
            readers[number - first].ask(path.name, original)
            asked.append((readers[number - first], path))
        for reader, path in asked:
            _count(found, path, *reader.answer())
    for reader in readers:
        reader.end()
    return found


def _count(found: dict[str, Counter[str]], path: Path, outcome: str, detail: str) -> None:
    kind = f"{_kind(path)}{path.suffix}"
    found.setdefault(kind, Counter())[outcome] += 1
    if outcome in _DEFECTS:
        print(f"{outcome}: {path}: {detail[:300]}", file=sys.stderr)
    else:
        path.unlink()


def main() -> int:
    """Run it and print what was found."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read is not None:
        read_files(given.read)
        return 0
    folder, begin = Path(tempfile.mkdtemp(prefix="tvlb-mutated-")), time.monotonic()
    found = run(folder, given.files, given.seed)
    total = sum(found.values(), Counter[str]())
    print(json.dumps({"by_format": found, "all": total}, indent=2))
    defects = sum(total[one] for one in _DEFECTS)
    print(
        f"{given.files:,} files in {time.monotonic() - begin:.0f} s: "
        + (f"{defects} defects, see {folder}" if defects else "no defect")
    )
    return 1 if defects else 0


if __name__ == "__main__":
    sys.exit(main())
