"""Labels: what people call a request, and so its job and its result."""

from typing import Any

from sqlalchemy import ColumnElement, delete, or_

from tvlb.jobs.database import Database, insert
from tvlb.jobs.schema import labels


class Labels:
    """Sets labels; readers of jobs and results find them there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set(self, key: str, label: str | None) -> None:
        """Give the request of a key a label instead of any it had, or with None take it away."""
        with self._database.writing() as connection:
            if label is None:
                connection.execute(delete(labels).where(labels.c.key == key))
                return
            connection.execute(
                insert(connection, labels)
                .values(key=key, label=label)
                .on_conflict_do_update(index_elements=["key"], set_={"label": label})
            )


def mentions(request: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Whether a label or a request has a text, whatever its case."""
    return or_(
        labels.c.label.icontains(text, autoescape=True), request.icontains(text, autoescape=True)
    )
