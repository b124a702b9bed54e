"""Finished results as the bytes of their resources, and the table files behind them."""

import json
from collections import OrderedDict
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

from api.resources import identity
from tvlb.jobs.blobs import BlobStore, DamagedBlob
from tvlb.jobs.outputs import FRONT_FILES
from tvlb.jobs.results import Result, Results
from tvlb.jobs.store import files_of
from tvlb.table import AnyTable, link_shares, read_stream, write_stream

__all__ = ["Library", "Resource"]

_KEPT_BYTES = 64 << 20
# Tables of which single pairs were asked for; a row takes about 30 bytes.
_KEPT_TABLES = 4
_KEPT_ROWS = 3_000_000
_USAGE_DIGITS = 4


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


class Library:
    """Reads results, and keeps the last ones read in memory, but for those that may change.

    Files that are missing or do not match their hash raise DamagedBlob, and `StoreUnavailable` is
    raised where the store cannot be read. Reading drops nothing: `drop_damaged` does, for those who
    ask for the result to be computed.
    """

    def __init__(self, results: Results, blobs: BlobStore) -> None:
        self._results = results
        self._blobs = blobs
        self._kept: OrderedDict[str, Resource] = OrderedDict()
        self._bytes = 0
        self._tables: OrderedDict[str, AnyTable] = OrderedDict()
        self._links: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()
        # Counting links takes memory: one at a time, and once for all who ask together.
        self._counting = Lock()

    def check_store(self) -> None:
        """Raise StoreUnavailable if the store is gone, or another one."""
        self._blobs.check_identity()

    def cached(self, kind: str, key: str) -> Resource | None:
        """Return a resource if it is in memory; takes no time."""
        with self._lock:
            found = self._kept.get(key)
            if found is None or found.result.kind != kind:
                return None
            self._kept.move_to_end(key)
            return found

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
                self._keep(found)
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
        with self._lock:
            if name in self._tables:
                self._tables.move_to_end(name)
                return self._tables[name]
        with path.open("rb") as stream:
            table = read_stream(".parquet", stream)
        if len(table.columns) <= _KEPT_ROWS:
            with self._lock:
                self._tables[name] = table
                while len(self._tables) > _KEPT_TABLES:
                    self._tables.popitem(last=False)
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
        with self._lock:
            if name in self._links:
                self._links.move_to_end(name)
                return self._links[name]
        with self._counting:
            with self._lock:
                if name in self._links:
                    return self._links[name]
            body = _links(self.table(name))
        with self._lock:
            self._links[name] = body
            while len(self._links) > _KEPT_TABLES:
                self._links.popitem(last=False)
        return body

    def drop_damaged(self, result: Result) -> bool:
        """Forget a result if one of its files is damaged; return whether that was so."""
        try:
            for name in files_of(result, self._blobs):
                self._blobs.path(name)
        except DamagedBlob:
            self._results.forget(result)
            with self._lock:
                kept = self._kept.pop(result.key, None)
                self._bytes -= 0 if kept is None else len(kept.body)
            return True
        return False

    def _keep(self, resource: Resource) -> None:
        with self._lock:
            if resource.result.key in self._kept:
                return
            self._kept[resource.result.key] = resource
            self._bytes += len(resource.body)
            while self._bytes > _KEPT_BYTES and len(self._kept) > 1:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= len(oldest.body)


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
