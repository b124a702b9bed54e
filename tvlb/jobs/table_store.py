"""The results of the store, for all who compute some: jobs, and sweeps on the command line."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

from sqlalchemy.exc import DBAPIError

from tvlb.errors import StoreUnavailable
from tvlb.jobs.blobs import BlobStore
from tvlb.jobs.results import Results
from tvlb.jobs.store import forget_damaged
from tvlb.jobs.tasks import read_table, store_answer
from tvlb.requests import Answer, Question, request_key
from tvlb.sweeps import Stored


class ResultTableStore:
    """The finished results of a store, for sweeps; see `tvlb.sweeps.TableStore`."""

    def __init__(self, results: Results, blobs: BlobStore) -> None:
        self._results = results
        self._blobs = blobs

    def check(self) -> None:
        """See `TableStore.check`."""
        self._blobs.check_identity()
        self._results.check_files()

    def find(self, key: str) -> Stored | None:
        """See `TableStore.find`; a table with a damaged file is forgotten, and computed again."""
        with _answering():
            found = self._results.get(key)
            if found is None or forget_damaged(found, self._results, self._blobs):
                return None
        document, file = json.loads(self._blobs.read(found.document)), found.table_file
        read = None if file is None else partial(read_table, self._blobs, file)
        return Stored(document, found.created_at, found.table_id, read)

    def add(self, body: Question, answer: Answer) -> None:
        """See `TableStore.add`."""
        request = json.dumps(body.model_dump(mode="json"), separators=(",", ":"))
        output = store_answer(self._blobs, answer)
        with _answering():
            self._results.publish(body.kind, request_key(body), request, output)


@contextmanager
def _answering() -> Generator[None]:
    """Say in our own words that the database does not answer."""
    try:
        yield
    except DBAPIError as error:
        raise StoreUnavailable(f"the database of the store: {error.orig}") from error
