"""The Idempotency-Key header: a repeated request gets the response to the first."""

import hashlib
import json
import uuid
from dataclasses import dataclass
from http import HTTPStatus

from sqlalchemy import ColumnElement, delete, insert, select, update
from sqlalchemy.exc import IntegrityError
from starlette.responses import Response, StreamingResponse

from api.problems import Problem
from tvlb.jobs.database import Database, now
from tvlb.jobs.schema import idempotency

LONGEST_WAIT_SECONDS = 300.0
# The process that was to answer is gone if it has not done so by then.
_GRACE_SECONDS = 20.0
_KEPT_SECONDS = 86_400.0
_KEPT_HEADERS = ("location", "retry-after", "etag", "content-location", "preference-applied")


@dataclass(frozen=True)
class Attempt:
    """The first request with a key.

    Attributes
    ----------
    owner, key : whose key it is.
    id : tells it from one that took its place.
    """

    owner: str
    key: str
    id: str


class KeptResponses:
    """Responses by owner and key, kept for a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(
        self, owner: str | None, key: str, request: str, seconds: float
    ) -> Attempt | Response | None:
        """Return the known answer to a key, or the attempt whose answer is to be stored.

        None if the answer is a result too large to be stored twice.

        Parameters
        ----------
        request : what was asked, in a form that is equal for equal requests.
        seconds : how long the answer may take; 20 seconds later nobody will give it any more.

        Raises
        ------
        Problem : 422 if the key was used for another request, 409 if its first request is still
            being answered.
        """
        attempt = Attempt(owner or "", key, uuid.uuid4().hex)
        fingerprint = hashlib.sha256(request.encode()).hexdigest()
        try:
            with self._database.writing() as connection:
                moment = now(connection)
                connection.execute(
                    delete(idempotency).where(
                        (idempotency.c.created_at < moment - _KEPT_SECONDS)
                        | (idempotency.c.status.is_(None) & (idempotency.c.answer_by < moment))
                    )
                )
                row = connection.execute(select(idempotency).where(*_key(attempt))).first()
                if row is None:
                    connection.execute(
                        insert(idempotency).values(
                            owner=attempt.owner,
                            key=key,
                            fingerprint=fingerprint,
                            created_at=moment,
                            attempt=attempt.id,
                            answer_by=moment + seconds + _GRACE_SECONDS,
                        )
                    )
                    return attempt
        except IntegrityError:
            raise _in_flight(key) from None
        if row.fingerprint != fingerprint:
            raise Problem(
                HTTPStatus.UNPROCESSABLE_ENTITY,
                "idempotency-key-reused",
                f"Idempotency-Key {key!r} was used for another request",
            )
        if row.status is None:
            raise _in_flight(key)
        if row.body is None:
            return None
        return Response(row.body, row.status, json.loads(row.headers))

    def keep(self, attempt: Attempt, response: Response) -> None:
        """Store the answer of an attempt."""
        headers = {
            name: value
            for name, value in response.headers.items()
            if name in (*_KEPT_HEADERS, "content-type")
        }
        is_large = isinstance(response, StreamingResponse)
        with self._database.writing() as connection:
            connection.execute(
                update(idempotency)
                .where(*_of(attempt))
                .values(
                    status=response.status_code,
                    headers=json.dumps(headers),
                    body=None if is_large else bytes(response.body).decode(),
                )
            )

    def drop(self, attempt: Attempt) -> None:
        """Forget an attempt that had no answer worth repeating."""
        with self._database.writing() as connection:
            connection.execute(delete(idempotency).where(*_of(attempt)))


def _key(attempt: Attempt) -> tuple[ColumnElement[bool], ...]:
    return idempotency.c.owner == attempt.owner, idempotency.c.key == attempt.key


def _of(attempt: Attempt) -> tuple[ColumnElement[bool], ...]:
    return *_key(attempt), idempotency.c.attempt == attempt.id


def _in_flight(key: str) -> Problem:
    return Problem(
        HTTPStatus.CONFLICT,
        "idempotency-key-in-flight",
        f"the first request with Idempotency-Key {key!r} is still being answered",
        {"Retry-After": "1"},
    )
