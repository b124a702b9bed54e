"""Finished results as the bytes of their resources, and the table files behind them."""

import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from api.resources import identity
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.outputs import FRONT_FILES
from tvlb.jobs.results import Result, Results
from tvlb.jobs.store import forget_damaged
from tvlb.table import AnyTable, link_shares, read_stream, write_stream

__all__ = ["Library", "Resource"]

_KEPT_BYTES = 64 << 20
# Tables of which single pairs were asked for; a row takes about 30 bytes.
_KEPT_TABLES = 4
_KEPT_ROWS = 3_000_000
_USAGE_DIGITS = 4

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Resource:
    """A result, ready to be sent.

    Attributes
    ----------
    result : what the database knows.
    body : JSON.
    final : whether it never changes; a sweep with failed points may be computed again.
    front : SHA-256 of the table files of a front, in its order.
    """

    result: Result
    body: bytes
    final: bool = True
    front: tuple[str, ...] = ()

    @property
    def etag(self) -> str:
        """The hash of the content, as the header wants it."""
        return f'"{self.result.document}"'

    @property
    def table_file(self) -> str:
        """SHA-256 of the file of a table."""
        assert self.result.table_file is not None
        return self.result.table_file


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
    """Reads results, and keeps the last ones read in memory, but for those that may change.

    Files that are missing or do not match their hash raise DamagedBlob, and `StoreUnavailable` is
    raised where the store cannot be read. Reading drops nothing: `drop_damaged` does, for those who
    ask for the result to be computed.
    """

    def __init__(self, results: Results, blobs: BlobStore) -> None:
        self._results = results
        self._blobs = blobs
        self._kept = _Cache[Resource](_KEPT_BYTES, lambda resource: len(resource.body))
        self._tables = _Cache[AnyTable](_KEPT_TABLES)
        self._links = _Cache[bytes](_KEPT_TABLES)
        # Counting links takes memory: one at a time, and once for all who ask together.
        self._counting = Lock()

    def check_store(self) -> None:
        """Raise StoreUnavailable if the store is gone, or another one."""
        self._blobs.check_identity()

    def cached(self, kind: str, key: str) -> Resource | None:
        """Return a resource if it is in memory; takes no time."""
        found = self._kept.get(key)
        return None if found is None or found.result.kind != kind else found

    def get(self, kind: str, key: str) -> Resource | None:
        """Return a resource, None if there is none; raises DamagedBlob."""
        found = self.cached(kind, key)
        if found is not None:
            return found
        result = self._results.get(key)
        if result is None or result.kind != kind:
            return None
        return self.load(result)

    def load(self, result: Result) -> Resource:
        """Return the resource of a result; raises DamagedBlob."""
        found = self.cached(result.kind, result.key)
        if found is None:
            document: dict[str, Any] = json.loads(self._blobs.read(result.document))
            front: tuple[str, ...] = tuple(document.pop(FRONT_FILES, ()))
            whole = identity(result, len(front)) | document
            body = json.dumps(whole, separators=(",", ":")).encode()
            found = Resource(result, body, final=not document.get("failed"), front=front)
            if found.final:
                self._kept.put(result.key, found)
        return found

    def table_file(self, name: str) -> Path:
        """Return the path of a table's Parquet file, by its hash; raises DamagedBlob."""
        return self._blobs.path(name)

    def sweep_file(self, resource: Resource, name: str) -> tuple[str, Path]:
        """Return the hash and the path of a file of a sweep; raises DamagedBlob."""
        stored: str = json.loads(resource.body)["files"][name]
        return stored, self._blobs.path(stored)

    def table(self, name: str) -> AnyTable:
        """Return the table in a file, by its hash; raises DamagedBlob."""
        path = self.table_file(name)
        table = self._tables.get(name)
        if table is None:
            with path.open("rb") as stream:
                table = read_stream(".parquet", stream)
            if len(table.columns) <= _KEPT_ROWS:
                self._tables.put(name, table)
        return table

    def converted(self, name: str, suffix: str) -> bytes:
        """Return the table in a file, by its hash, in another format.

        Raises
        ------
        DamagedBlob : its file is damaged.
        InvalidInput : the table is too large for the format.
        """
        stream = BytesIO()
        write_stream(self.table(name), suffix, stream)
        return stream.getvalue()

    def links(self, name: str) -> bytes:
        """Return the links of a table's network with their usage, as JSON, by the hash of its file.

        Raises
        ------
        DamagedBlob : the file is damaged.
        """
        found = self._links.get(name)
        if found is None:
            with self._counting:
                found = self._links.get(name) or _links(self.table(name))
                self._links.put(name, found)
        return found

    def drop_damaged(self, result: Result) -> bool:
        """Forget a result if one of its files is damaged; return whether that was so."""
        damaged = forget_damaged(result, self._results, self._blobs)
        if damaged:
            self._kept.drop(result.key)
        return damaged


def _links(table: AnyTable) -> bytes:
    topology, shares = table.topology, link_shares(table)
    network = topology.network
    document = {
        "topology": str(topology),
        **asdict(topology.layout),
        "src": network.link_source.tolist(),
        "dst": network.link_target.tolist(),
        "usage": shares.relative.round(_USAGE_DIGITS).tolist(),
        "sampled_pairs": shares.sampled_pairs,
    }
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
