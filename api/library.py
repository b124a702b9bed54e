"""Finished results as the bytes of their resources, and the table files behind them."""

import json
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from api.resources import Facts, ServedResource, facts_of, identity, pieces_of
from tvlb.jobs.blobs import BlobStore, store_errors
from tvlb.jobs.results import Result, Results
from tvlb.jobs.store import forget_damaged, names_files
from tvlb.requests import item_of, request_kinds
from tvlb.table import StoredTable, link_shares, read_any_stream, write_stream
from tvlb.topology import Topology

# Longer documents stay in their files: a simulation's may have 48 MiB.
_SMALL_BYTES = 512 << 10
_KEPT_BYTES = 64 << 20
# Of documents, and items of lists.
_KEPT_FACTS = 1000
# Tables of which single pairs were asked for; a row takes about 30 bytes.
_KEPT_TABLES = 4
_KEPT_ROWS = 3_000_000
_USAGE_DIGITS = 4

# For so long others may read what another process has deleted; asking the database takes longer.
_TRUSTED_SECONDS = 5.0

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class _Kept:
    """A resource in memory, and until when it is known to be there."""

    resource: ServedResource
    until: float


class _Cache(Generic[_Value]):
    """The values that were used last, up to a total size; the size of a value is 1 by default."""

    def __init__(self, most: int, size: Callable[[_Value], int] = lambda _: 1) -> None:
        self._most = most
        self._size = size
        self._total = 0
        self._values: OrderedDict[str, _Value] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> _Value | None:
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: str, value: _Value) -> None:
        with self._lock:
            self._forget(key)
            self._values[key] = value
            self._total += self._size(value)
            while self._total > self._most and len(self._values) > 1:
                self._forget(next(iter(self._values)))

    def drop(self, key: str) -> None:
        with self._lock:
            self._forget(key)

    def _forget(self, key: str) -> None:
        if key in self._values:
            self._total -= self._size(self._values.pop(key))


class Library:
    """Reads results, and keeps the last small ones in memory, but for those that may change.

    Files that are missing or do not match their hash raise DamagedBlob, and `StoreUnavailable` is
    raised where the store cannot be read. Reading drops nothing: `drop_damaged` does, for those who
    ask for the result to be computed.
    """

    def __init__(self, results: Results, blobs: BlobStore) -> None:
        self._results = results
        self._blobs = blobs
        self._kept = _Cache[_Kept](_KEPT_BYTES, lambda kept: len(kept.resource.body or b""))
        self._facts = _Cache[Facts](_KEPT_FACTS)
        # What lists show, by the hash of the document.
        self._listed = _Cache[dict[str, Any]](_KEPT_FACTS)
        self._tables = _Cache[StoredTable](_KEPT_TABLES)
        self._links = _Cache[bytes](_KEPT_TABLES)
        # Parsing holds up all other threads: one document at a time, and once where facts are kept.
        self._parsing = Lock()

    def check_store(self) -> None:
        """Raise StoreUnavailable if the store is gone, or another one."""
        self._blobs.check_identity()

    def cached(self, kind: str, key: str) -> ServedResource | None:
        """Return a resource if it is in memory; takes no time."""
        found = self._kept.get(key)
        if found is None or found.resource.result.kind != kind or found.until < time.monotonic():
            return None
        return found.resource

    def get(self, kind: str, key: str) -> ServedResource | None:
        """Return a resource, None if there is none; raises DamagedBlob."""
        found = self.cached(kind, key)
        if found is not None:
            return found
        result = self._results.get(key)
        if result is None or result.kind != kind:
            self._kept.drop(key)
            return None
        return self.load(result)

    def delete(self, kind: str, key: str) -> bool:
        """Forget a result; return whether there was one. Its files are unused from then on."""
        gone = self._results.delete(kind, key)
        self._kept.drop(key)
        return gone

    def load(self, result: Result) -> ServedResource:
        """Return the resource of a result; raises DamagedBlob."""
        kept = self._kept.get(result.key)
        is_known = kept is not None and kept.resource.result.number == result.number
        found = kept.resource if kept is not None and is_known else self._resource(result)
        if found.facts.final and found.body is not None:
            self._kept.put(result.key, _Kept(found, time.monotonic() + _TRUSTED_SECONDS))
        return found

    def _resource(self, result: Result) -> ServedResource:
        path = self._blobs.path(result.document)
        with store_errors():
            facts = self._facts_of(result, path)
            own = json.dumps(identity(result, len(facts.front)), separators=(",", ":")).encode()
            found = ServedResource(result, own[:-1] + b",", path, facts)
            if facts.end <= _SMALL_BYTES:
                found = replace(found, body=b"".join(found.pieces()))
        return found

    def _facts_of(self, result: Result, path: Path) -> Facts:
        if not names_files(result):
            return Facts(path.stat().st_size - 1)
        facts = self._facts.get(result.document)
        if facts is None:
            with self._parsing:
                facts = self._facts.get(result.document) or facts_of(path.read_bytes())
                self._facts.put(result.document, facts)
        return facts

    def listed(self, result: Result) -> dict[str, Any]:
        """Return what a list shows of a result; raises DamagedBlob."""
        kind = request_kinds()[result.kind]
        item = item_of(result.kind)
        own = identity(result) | {"label": result.label}
        if not item.model_fields.keys() - own:
            return {name: own[name] for name in item.model_fields}
        stored = self._listed.get(result.document)
        if stored is None:
            resource = self.load(result)
            with self._parsing:
                stored = self._listed.get(result.document)
                if stored is None:
                    document = kind.complete(resource.parsed())
                    # What may be left out, as by documents about other kinds of tables, is.
                    named = item.model_fields.keys() - own
                    stored = {name: document[name] for name in named if name in document}
                    self._listed.put(result.document, stored)
        found = own | stored
        return {name: found[name] for name in item.model_fields if name in found}

    def table_file(self, name: str) -> Path:
        """Return the path of a table's Parquet file, by its hash; raises DamagedBlob."""
        return self._blobs.path(name)

    def named_file(self, resource: ServedResource, name: str) -> tuple[str, Path]:
        """Return hash and path of a file that a document names; raises DamagedBlob."""
        stored = resource.facts.files[name]
        return stored, self._blobs.path(stored)

    def table(self, name: str) -> StoredTable:
        """Return the table in a file, by its hash; raises DamagedBlob."""
        path = self.table_file(name)
        table = self._tables.get(name)
        if table is None:
            with store_errors(), path.open("rb") as stream:
                table = read_any_stream(".parquet", stream)
            if table.num_rows <= _KEPT_ROWS:
                self._tables.put(name, table)
        return table

    def converted(self, table: StoredTable, suffix: str) -> tuple[int, Iterator[bytes]]:
        """Return a table in another format: its bytes, and their number.

        Raises
        ------
        InvalidInput : the table is too large for the format.
        StoreUnavailable : there is no room for it.
        """
        with store_errors(), ExitStack() as unfinished:
            stream = unfinished.enter_context(self._blobs.temporary_file())
            write_stream(table, suffix, stream)
            size = stream.tell()
            stream.seek(0)
            unfinished.pop_all()
        return size, pieces_of(stream, size)

    def links(self, name: str) -> bytes:
        """Return the links of a table's network with their usage, as JSON, by the hash of its file.

        Raises
        ------
        DamagedBlob : the file is damaged.
        """
        found = self._links.get(name)
        if found is None:
            found = _links(self.table(name))
            self._links.put(name, found)
        return found

    def drop_damaged(self, result: Result) -> bool:
        """Forget a result if one of its files is damaged; return whether that was so."""
        damaged = forget_damaged(result, self._results, self._blobs)
        if damaged:
            self._kept.drop(result.key)
        return damaged


def _links(table: StoredTable) -> bytes:
    shares = link_shares(table)
    document = links_document(table.topology, shares.relative, shares.sampled_pairs)
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode()


def links_document(
    topology: Topology, usage: NDArray[np.float64], sampled_pairs: int | None = None
) -> dict[str, Any]:
    """Return what pictures show of the links of a network, as `LinkUsage` has it.

    Parameters
    ----------
    usage : (links,), of each, however it is told.
    """
    network = topology.network
    return {
        "topology": str(topology),
        **asdict(topology.layout),
        "where": [topology.where(switch) for switch in range(topology.num_switches)],
        "src": network.link_source.tolist(),
        "dst": network.link_target.tolist(),
        "usage": usage.round(_USAGE_DIGITS).tolist(),
        "sampled_pairs": sampled_pairs,
    }
