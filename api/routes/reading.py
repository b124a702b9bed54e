"""Reading what was computed: results by their ids, with ETags that spare known bodies."""

import json
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import Header, Path
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from api.library import Library
from api.problems import Problem
from api.resources import ServedResource
from tvlb.documents import whole_number
from tvlb.jobs.job import Job
from tvlb.jobs.results import Result
from tvlb.requests.texts import told_digits


def path_id(kind: str | None = None) -> Any:
    """Declare the id of a result in a path, under the name that belongs to its kind."""
    return Path(
        alias=None if kind is None else f"{kind}_id",
        pattern="^[0-9a-f]{64}$",
        description="Id of the result.",
        examples=["9b6c" * 16],
    )


ResultId = Annotated[str, path_id(), told_digits(64)]
HashText = Annotated[str, Field(pattern="^[0-9a-f]{64}$"), told_digits(64)]
IfNoneMatch = Annotated[
    str | SkipJsonSchema[None], Header(description="ETags that are known already.")
]


def _whole(value: object) -> object:
    return whole_number(value) if isinstance(value, str) else value


# Without this, pydantic takes `1_0` and digits of other scripts. Goes last, or the schema has no
# bounds.
DIGITS = BeforeValidator(_whole)


class StrictQuery(BaseModel):
    """What the query of a request may say, and nothing else."""

    model_config = ConfigDict(extra="forbid")


class ListQuery(StrictQuery):
    """The query of a list, newest first."""

    limit: Annotated[int, Field(ge=1, le=100), DIGITS] = Field(20, description="Most items.")
    before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = Field(
        None, description="Of `next`: where to go on with older ones."
    )

    search: Annotated[str, Field(min_length=1, max_length=100)] | SkipJsonSchema[None] = Field(
        None, description="Only those whose label or request has this text, whatever its case."
    )

    def next_url(self, path: str, found: Sequence[Result | Job]) -> str | None:
        """Return the URL of what is older than what was found; None where that is all."""
        if len(found) < self.limit:
            return None
        place = {"limit": self.limit, "before": found[-1].number}
        narrowed = self.model_dump(mode="json", exclude_none=True, exclude=set(place))
        return f"{path}?{urlencode(place | narrowed)}"


async def find_resource(library: Library, kind: str, key: str) -> ServedResource:
    """Return a result's resource; raises Problem if there is none, and DamagedBlob."""
    found = library.cached(kind, key) or await to_thread.run_sync(library.get, kind, key)
    if found is None:
        raise Problem(HTTPStatus.NOT_FOUND, "not-found", f"there is no {kind} {key}")
    return found


def is_known(if_none_match: str | None, etag: str) -> bool:
    """Whether If-None-Match names an ETag."""
    named = [one.strip().removeprefix("W/") for one in (if_none_match or "").split(",")]
    return etag in named or "*" in named


def as_json(document: object) -> Response:
    """Answer with a document."""
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return Response(text, HTTPStatus.OK, media_type="application/json")
