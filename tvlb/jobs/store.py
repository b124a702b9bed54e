"""The store as a whole: what is in it, whether it is sound, and what can go."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from tvlb.jobs.blobs import BlobStore, DamagedBlob
from tvlb.jobs.file_store import STALE_SECONDS
from tvlb.jobs.results import Result, Results
from tvlb.jobs.units import UnitFiles
from tvlb.jobs.workspace import FRONT_FILES
from tvlb.processes import Progress, Reporter, silent, unsealed
from tvlb.requests import request_kinds


@dataclass(frozen=True)
class Holding:
    """A result with its files.

    Attributes
    ----------
    result : what the database knows.
    size : bytes of its files; files that results have in common count for each.
    """

    result: Result
    size: int


@dataclass(frozen=True)
class Findings:
    """What a check of the store found.

    Attributes
    ----------
    results, files, units : how many were looked at.
    damaged : one line for each that is damaged or missing; whoever needs it computes it again.
    """

    results: int
    files: int
    units: int
    damaged: tuple[str, ...]


@dataclass(frozen=True)
class Unused:
    """What nobody needs.

    Attributes
    ----------
    files, units : their names.
    size : bytes of both.
    """

    files: tuple[str, ...]
    units: tuple[str, ...]
    size: int


@dataclass(frozen=True)
class Expired:
    """What goes for its age, or to make room.

    Attributes
    ----------
    results : oldest first.
    units : their keys, least recently used first.
    """

    results: tuple[Result, ...] = ()
    units: tuple[str, ...] = ()


NOTHING = Expired()


class Store:
    """Results, their files, and the results of units of work.

    Parameters
    ----------
    results, blobs, units : the parts, see their classes.
    """

    def __init__(self, results: Results, blobs: BlobStore, units: UnitFiles) -> None:
        self._results = results
        self._blobs = blobs
        self._units = units

    def holdings(self) -> Iterator[Holding]:
        """Yield the results in the order in which they were finished."""
        for result in self._results.every():
            yield Holding(result, sum(map(self._blobs.size, self._files(result))))

    def disk_use(self) -> dict[str, int]:
        """Return the bytes of files and of units, and what is free on their disk."""
        return {
            "results": sum(map(self._blobs.size, self._blobs.names())),
            "units": sum(self.unit_sizes()),
            "free": self._blobs.free_bytes(),
        }

    def unit_sizes(self) -> list[int]:
        """Return the bytes of every result of a unit."""
        return list(map(self._units.size, self._units.names()))

    def verify(self, report: Reporter = silent) -> Findings:
        """Read everything and compare it with its hashes; reports the stage `verify`."""
        owners = {
            name: f"{result.kind} {result.key}"
            for result in self._results.every()
            for name in self._files(result)
        }
        files = list(dict.fromkeys([*owners, *self._blobs.names()]))
        units = list(self._units.names())
        damaged: list[str] = []
        total = len(files) + len(units)
        for done, name in enumerate(files):
            report(Progress("verify", done, total))
            if (problem := self._problem(name)) is not None:
                damaged.append(f"{owners.get(name, 'no result')}: {problem}")
        for done, key in enumerate(units, len(files)):
            report(Progress("verify", done, total))
            # One that is gone was removed meanwhile.
            if unsealed(key, self._units.peek(key)) is None and self._units.size(key):
                damaged.append(f"unit {key}: its content does not match its digest")
        report(Progress("verify", total, total))
        return Findings(len(set(owners.values())), len(files), len(units), tuple(damaged))

    def find_expired(self, older_seconds: float | None, most_bytes: int | None) -> Expired:
        """Return what is older, and what has to go besides so that the rest fits into the bytes.

        Parameters
        ----------
        older_seconds : of results; None for any age.
        most_bytes : of results and units together; None for any size.

        Notes
        -----
        Units go first, those ahead that were not used for longest, then the oldest results. Nothing
        of the last hour goes.
        """
        old: list[Result] = []
        if older_seconds is not None:
            old += self._results.older_than(max(older_seconds, STALE_SECONDS))
        if most_bytes is None:
            return Expired(tuple(old))
        gone = {result.number for result in old}
        users = Counter(
            name
            for result in self._results.every()
            if result.number not in gone
            for name in set(self._files(result))
        )
        size = sum(map(self._blobs.size, users)) + sum(self.unit_sizes())
        units: list[str] = []
        for _, key in sorted(self._units.stale()):
            if size <= most_bytes:
                break
            units.append(key)
            size -= self._units.size(key)
        for result in self._results.older_than(STALE_SECONDS):
            if size <= most_bytes:
                break
            if result.number in gone:
                continue
            old.append(result)
            for name in set(self._files(result)):
                users[name] -= 1
                size -= 0 if users[name] else self._blobs.size(name)
        return Expired(tuple(old), tuple(units))

    def find_unused(self, unused_seconds: float, expired: Expired = NOTHING) -> Unused:
        """Return the files that no result refers to, and the units not used for so long.

        Parameters
        ----------
        unused_seconds : of units of work; an hour at least.
        expired : goes as well.

        Notes
        -----
        What was written within the last hour is not among them: a result may be about to be
        recorded, and a sweep may be about to need its units.
        """
        gone = {result.number for result in expired.results}
        staying = (result for result in self._results.every() if result.number not in gone)
        used = {name for result in staying for name in self._files(result)}
        files = self._blobs.unused(used)
        units = list(dict.fromkeys([*expired.units, *self._units.unused(unused_seconds)]))
        size = sum(map(self._blobs.size, files)) + sum(map(self._units.size, units))
        return Unused(tuple(files), tuple(units), size)

    def remove(self, unused: Unused, expired: Expired = NOTHING) -> None:
        """Remove what is unused or expired, and what writers that died left behind."""
        for result in expired.results:
            self._results.forget(result)
        for name in unused.files:
            self._blobs.remove(name)
        for key in unused.units:
            self._units.remove(key)
        self._blobs.drop_leftovers()
        self._units.drop_leftovers()

    def _problem(self, name: str) -> str | None:
        try:
            self._blobs.path(name)
        except DamagedBlob as error:
            return str(error)
        return None

    def _files(self, result: Result) -> list[str]:
        """Name the files of a result, as far as its document can be read."""
        try:
            return files_of(result, self._blobs)
        except DamagedBlob:
            return [result.document]


def files_of(result: Result, blobs: BlobStore) -> list[str]:
    """Return the hashes of all files of a result; raises DamagedBlob if its document is."""
    names = [result.document]
    if result.table_file is not None:
        names.append(result.table_file)
    if names_files(result):
        document = json.loads(blobs.read(result.document))
        names += document.get(FRONT_FILES, [])
        names += document.get("files", {}).values()
    return names


def names_files(result: Result) -> bool:
    """Whether the document of a result may name files; others need not be read for that."""
    kind = request_kinds().get(result.kind)
    # Kinds of another package may be gone.
    return kind is None or kind.names_files(result.request)


def forget_damaged(result: Result, results: Results, blobs: BlobStore) -> bool:
    """Forget a result if one of its files is damaged; return whether that was so."""
    try:
        for name in files_of(result, blobs):
            blobs.path(name)
    except DamagedBlob:
        results.forget(result)
        return True
    return False
