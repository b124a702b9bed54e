"""Damages files of every format that is read, and counts what the readers make of them.

::

    python -m bench.mutated_files --files 20000
    python -m bench.mutated_files --files 10000 --kinds network topology
    python -m bench.mutated_files --files 10000 --kinds fabric dump

Tables in Parquet, JSON and CSV, dumps of forwarding tables, traffic matrices, networks in JSON,
GraphML, edge lists and as fabrics, sweep files and result documents are mutated: bytes flipped,
ends cut off, pieces spliced in, lines repeated, numbers made huge or written in other digits,
values exchanged for others, deep nesting, entities, and small files that expand. Two processes read
them, each file within 5 s of processor time and 1 GiB of address space beyond what the process has
when it begins. Every file has one outcome:

refused : InvalidInput.
faulty : a table that can be read, of which `verify` says what is wrong.
same : accepted, and equal when it is written and read again.
traceback, hang, memory, wrong : defects.

What is wrong, by format. A table that passes `verify` while its rows differ from those of the
undamaged file though topology, expression, seed, removed paths and balancing are the same (listed
weights follow from no rule, so that only their paths are compared). A matrix or a network that
differs from what a plain reading of its text with other means gives. Of all formats: what does not
come back when it is written and read again. A result document has no rules of its own; it is drawn.

Ends with exit 1 on any defect; the files that caused one are kept in the folder that is named.
"""

# pyarrow has no type information.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import argparse
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
import xml.etree.ElementTree as ET
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection
from io import BytesIO
from pathlib import Path
from typing import IO

import numpy as np

from bench.damage import DISCOVERED, SIMPLE, mutated, seed_files, stored
from tvlb.documents import parse_json
from tvlb.errors import InvalidInput
from tvlb.plots import figure_of
from tvlb.requests import SweepBody, read_sweep_file
from tvlb.table import (
    TABLE_SUFFIXES,
    AnyTable,
    read_dump,
    read_stream,
    read_table,
    verify,
)
from tvlb.table.kinds.forwarding import ForwardingTable
from tvlb.topology import (
    Dragonfly,
    Fabric,
    ListedTopology,
    network_formats,
    parse_topology,
    read_fabric,
)
from tvlb.traffic.matrix import MatrixPattern

_SECONDS = 5.0
_MORE_SECONDS = 60.0
_BYTES = 1 << 30
_DEFECTS = ("traceback", "hang", "memory", "wrong")
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
        again = read_stream(suffix, BytesIO(stored(table, f"again{suffix}")))
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
    plain = [[one.strip() for one in line.split(",")] for line in lines[2:] if line.strip()]

    def end(text: str) -> int | str:
        # What is no number is the name of a switch; there is none of a node.
        is_number = matrix.level == "node" or re.fullmatch(r"-?(0|[1-9][0-9]{0,99})", text)
        return int(text) if is_number else text

    numbers = [row[2] for row in plain]
    numbers += [one for row in plain for one in row[:2] if isinstance(end(one), int)]
    _check(all(re.fullmatch(r"[0-9+.eE-]+", one) for one in numbers), "odd digits")
    expected = [(end(row[0]), end(row[1]), float(row[2])) for row in plain]
    found = sorted(matrix.entries, key=repr)
    _check(found == sorted(expected, key=repr), "other entries than a plain reading gives")
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


def _look_at_network(path: Path, original: Path) -> str:
    network = parse_topology(str(path))
    assert isinstance(network, ListedTopology)
    nodes, cables = _PLAIN[original.suffix](path.read_bytes().removeprefix(BOM_UTF8))
    _check(nodes == network.nodes_of_switches().tolist(), "other nodes than a plain reading gives")
    found = [pair for one in network.cables() for pair in one.tolist()]
    _check(sorted(map(sorted, cables)) == sorted(found), "other cables than a plain reading gives")
    for name, form in network_formats().items():
        if form.read is not None and form.write is not None and name not in SIMPLE:
            written = form.write(network, "network")
            again = form.read(b"".join(written.files[""]), None).build()
            _check(
                bool(written.lost) or again == network, f"another network comes back from {name}"
            )
    return "same"


_Plain = tuple[list[int], list[tuple[int, int]]]


def _plain_anynet(content: bytes) -> _Plain:
    found = dict[int, int]()
    pairs = set[tuple[int, int]]()
    for line in content.decode().splitlines():
        items = re.findall(r"(router|node)\s+\+?(\d+)", line)
        for kind, number in items[1:]:
            if "node" in (kind, items[0][0]):
                ends = {kind: int(number), items[0][0]: int(items[0][1])}
                found[ends["node"]] = ends["router"]
            else:
                pairs.add((min(int(number), int(items[0][1])), max(int(number), int(items[0][1]))))
    routers = 1 + max(*found.values(), *(high for _, high in pairs))
    return [[*found.values()].count(one) for one in range(routers)], [*pairs]


def _plain_json(content: bytes) -> _Plain:
    found = json.loads(content)
    return found["endpoints"], [(first, second) for first, second in found["links"]]


def _plain_edges(content: bytes) -> _Plain:
    lines = content.decode().split("\n")
    words = [re.findall(r"[^\s#{}]+", line.partition("#")[0]) for line in lines]
    pairs = [(first, second) for first, second in filter(None, words)]
    names = [*dict.fromkeys(name for pair in pairs for name in pair)]
    (told,) = filter(None, (re.match(r"#\s*endpoints\b[\s:]*(.*)", one.strip()) for one in lines))
    counts = [int(one) for one in told[1].split()]
    if all(re.fullmatch("[0-9]+", one) for one in names):
        names = [str(one) for one in range(max(len(counts), 1 + max(map(int, names))))]
    nodes = counts * len(names) if len(counts) == 1 else counts
    return nodes, [(names.index(first), names.index(second)) for first, second in pairs]


def _plain_graphml(content: bytes) -> _Plain:
    root = ET.fromstring(content, ET.XMLParser(encoding="utf-8"))
    keys = {one.get("id"): one for one in root.iterfind("{*}key")}
    usual = {key.get("attr.name"): key.findtext("{*}default") for key in keys.values()}

    def endpoints(node: ET.Element) -> int:
        told = [
            one.text
            for one in node.iterfind("{*}data")
            if keys[one.get("key")].get("attr.name") == "endpoints"
        ]
        return int(float((told or [usual["endpoints"]])[-1] or ""))

    nodes = [*root.iterfind(".//{*}node")]
    names = [one.get("id") for one in nodes]
    pairs = [(one.get("source"), one.get("target")) for one in root.iterfind(".//{*}edge")]
    ends = [(names.index(first), names.index(second)) for first, second in pairs]
    return [endpoints(one) for one in nodes], ends


def _plain_fabric(content: bytes) -> _Plain:
    lines = [line.partition("#") for line in content.decode().split("\n")]
    ports = dict[str, list[tuple[str, ...]]]()
    switches: list[str] = []
    # Its own, not that of its port 0, which is in brackets.
    guid, guids = 0, dict[str, int]()
    for line, _, _ in lines:
        if told := re.search(r"guid=0x([0-9a-fA-F]+)(?:\([0-9a-fA-F]+\))?\s*$", line):
            guid = int(told[1], 16) if "sysimg" not in line else guid
        elif begun := re.search(r'(Switch|Ca|Hca)\s+[0-9]+\s+"([^"]+)"', line):
            ports[begun[2]], guids[begun[2]] = [], guid
            switches += [begun[2]] * (begun[1] == "Switch")
        elif cabled := re.search(r'\[([0-9]+)\].*"([^"]+)"\[([0-9]+)\]', line):
            ports[[*ports][-1]].append(cabled.groups())
    if b"switchguid=" in content:
        switches.sort(key=guids.__getitem__)
    nodes = [sum(peer not in switches for _, peer, _ in ports[one]) for one in switches]
    pairs = [
        (switches.index(one), switches.index(peer))
        for one in switches
        for own, peer, other in ports[one]
        if peer in switches and (one, int(own)) < (peer, int(other))
    ]
    return nodes, pairs


_PLAIN = {
    ".json": _plain_json,
    ".edgelist": _plain_edges,
    ".edges": _plain_edges,
    ".graphml": _plain_graphml,
    ".data": _plain_graphml,
    ".anynet": _plain_anynet,
    ".netlist": _plain_fabric,
    ".ibnet": _plain_fabric,
}


def _look_at_dump(path: Path, original: Path) -> str:
    fabric = read_fabric(DISCOVERED)
    dump = read_dump(path, fabric)
    table = ForwardingTable.of(dump.forwarding, "opensm")
    for (switch, node), port in _plain_entries(path.read_text(errors="replace"), fabric).items():
        found, target = -1, int(fabric.topology.network.node_switch[node])
        if (link := table.forwarding.links()[node, switch]) >= 0:
            found = int(fabric.link_port[link])
        known = fabric.link_port[fabric.topology.network.link_source == switch]
        expected = port if port in known and target != switch else -1
        _check(found == expected, "another port than a plain reading gives")
    return "faulty" if dump.findings else "same"


def _plain_entries(text: str, fabric: Fabric) -> dict[tuple[int, int], int]:
    """Return the first port by switch and node."""
    nodes = {one.guid: number for number, one in enumerate(fabric.nodes)}
    lids = {lid: number for number, one in enumerate(fabric.nodes) for lid in one.lids}
    switches = {one.guid: number for number, one in enumerate(fabric.switches)}
    found: dict[tuple[int, int], int] = {}
    for block in re.split(r"(?m)^[ \t]*Unicast lids ", text)[1:]:
        (guid,) = re.findall(r"^.{0,200}? guid 0x([0-9a-fA-F]+)\b", block)
        for line in block.split("\n")[1:]:
            if entry := re.match(r"\s*0x([0-9a-fA-F]+)\s+([0-9]+)\b(.*)", line):
                told = re.search(r"portguid 0x([0-9a-fA-F]+)(?=[:\s]|$)", entry[3])
                owner = nodes.get(int(told[1], 16)) if told else lids.get(int(entry[1], 16))
                if owner is not None:
                    found.setdefault((switches[int(guid, 16)], owner), int(entry[2]))
    return found


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
    "network": _look_at_network,
    "fabric": _look_at_network,
    "dump": _look_at_dump,
    "sweep": _look_at_sweep,
    "document": _look_at_document,
}


def _kind(path: Path) -> str:
    return path.name.split("-", maxsplit=1)[0]


def _outcome(path: Path, original: Path) -> tuple[str, str]:
    look = _LOOKS[_kind(path)]
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)
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
        signal.setitimer(signal.ITIMER_PROF, 0)


def _ring(number: int, frame: object) -> None:
    raise _Hang


def read_files(folder: Path) -> None:
    """Answer the names of files with their outcomes, a line each, until there are no more."""
    signal.signal(signal.SIGPROF, _ring)
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


def run(
    folder: Path, files: int, seed: int, kinds: Collection[str] = tuple(_LOOKS)
) -> dict[str, Counter[str]]:
    """Have mutated files read by two processes; return the outcomes by kind and format."""
    seeds = {name: one for name, one in seed_files().items() if _kind(Path(name)) in kinds}
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
    parser.add_argument("--kinds", nargs="+", choices=_LOOKS, default=[*_LOOKS])
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.read is not None:
        read_files(given.read)
        return 0
    folder, begin = Path(tempfile.mkdtemp(prefix="tvlb-mutated-")), time.monotonic()
    found = run(folder, given.files, given.seed, given.kinds)
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
