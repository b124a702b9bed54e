"""Bearer tokens: made once, shown once, kept as hashes."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, insert, or_, select, update

from tvlb.errors import InvalidInput
from tvlb.jobs.database import Database, now
from tvlb.jobs.schema import tokens
from tvlb.languages import Whole

_FORM = re.compile(r"tvlb_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._@-]{0,99}")
_DAY = 86_400.0
_PUBLIC = [column for column in tokens.c if column is not tokens.c.secret_hash]

DAYS = Whole(0, 3650)
"""Of a token; 0 for one that never expires."""


@dataclass(frozen=True)
class Token:
    """What is known of a token; its secret is not.

    Attributes
    ----------
    id : 12 hexadecimal digits, the middle part of the token.
    name : whose it is.
    created_at, expires_at, revoked_at : seconds since 1970; None for never.
    active : neither expired nor revoked.
    """

    id: str
    name: str
    created_at: float
    expires_at: float | None
    revoked_at: float | None
    active: bool


class TokenStore:
    """Makes, lists, revokes and recognises tokens.

    Notes
    -----
    A secret has 256 random bits, so a plain SHA-256 is all the hashing it needs.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, name: str, days: int) -> str:
        """Make a token that is good for some days, 0 for ever, and return it.

        Raises
        ------
        InvalidInput : the name or the number of days is out of range.
        """
        if _NAME.fullmatch(name) is None:
            raise InvalidInput(
                f"token name {name!r}: expected up to 100 letters, digits, blanks and ._@-"
            )
        DAYS.checked("days", days)
        identifier, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        with self._database.writing() as connection:
            moment = now(connection)
            connection.execute(
                insert(tokens).values(
                    id=identifier,
                    name=name,
                    secret_hash=_hash(secret),
                    created_at=moment,
                    expires_at=moment + days * _DAY if days else None,
                )
            )
        return f"tvlb_{identifier}_{secret}"

    def newest(self) -> Sequence[Token]:
        """Return all tokens, the newest first."""
        with self._database.reading() as connection:
            active = _is_active(now(connection)).label("active")
            query = select(*_PUBLIC, active).order_by(tokens.c.created_at.desc())
            return [Token(**row) for row in connection.execute(query).mappings()]

    def revoke(self, identifier: str) -> None:
        """End a token at once.

        Raises
        ------
        InvalidInput : there is no such token, or it was revoked before.
        """
        with self._database.writing() as connection:
            revoked = connection.execute(
                update(tokens)
                .where(tokens.c.id == identifier, tokens.c.revoked_at.is_(None))
                .values(revoked_at=now(connection))
            )
        if revoked.rowcount == 0:
            raise InvalidInput(
                f"no token {identifier!r} that could be revoked; see tvlb token list"
            )

    def recognise(self, text: str) -> str | None:
        """Return the id of the token of this text if it is genuine and active, else None."""
        match = _FORM.fullmatch(text)
        if match is None:
            return None
        known = self._hash_of_active(match[1])
        genuine = known is not None and hmac.compare_digest(known, _hash(match[2]))
        return match[1] if genuine else None

    def is_active(self, identifier: str) -> bool:
        """Whether a token is neither expired nor revoked."""
        return self._hash_of_active(identifier) is not None

    def _hash_of_active(self, identifier: str) -> str | None:
        with self._database.reading() as connection:
            active = _is_active(now(connection))
            query = select(tokens.c.secret_hash).where(tokens.c.id == identifier, active)
            return connection.execute(query).scalar()


def _is_active(moment: float) -> ColumnElement[bool]:
    good = or_(tokens.c.expires_at.is_(None), tokens.c.expires_at > moment)
    return and_(tokens.c.revoked_at.is_(None), good)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
