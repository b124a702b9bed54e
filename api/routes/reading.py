"""Reading what was computed: results by their ids, with ETags that spare known bodies."""

import json
from collections.abc import Sequence
from http import HTTPStatus
from types import UnionType
from typing import Annotated, Any
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from api.library import Library
from api.problems import Problem
from api.resources import Resource
from api.responses import ETAG, NOT_MODIFIED, problems
from api.services import Services, WithServices
from tvlb.documents import whole_number
from tvlb.jobs.job import Job
from tvlb.jobs.results import Result
from tvlb.schemas import Labelling, plural
from tvlb.schemas.resources import Item
from tvlb.schemas.texts import told_digits


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


class Listing(StrictQuery):
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


def add_reading(
    router: APIRouter, kind: str, result: UnionType | type[BaseModel], about: str
) -> None:
    """Add the routes that read a result of a kind, and label it.

    Parameters
    ----------
    result : of what was computed.
    about : what the route does.
    """

    async def get(
        result_id: Annotated[str, path_id(kind), told_digits(64)],
        services: WithServices,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        found = await find_resource(services.library, kind, result_id)
        headers = {"Cache-Control": "private, no-cache"}
        if is_known(if_none_match, found.etag):
            return Response(None, HTTPStatus.NOT_MODIFIED, headers | {"ETag": found.etag})
        return found.response(headers)

    router.add_api_route(
        f"/{plural(kind)}/{{{kind}_id}}",
        get,
        name=f"get_{kind}",
        operation_id=f"get_{kind}",
        tags=[plural(kind)],
        description=about,
        response_class=Response,
        responses={200: {"model": result, "headers": ETAG}, **NOT_MODIFIED, **problems(404, 422)},
    )
    _add_deleting(router, kind)


def _add_deleting(router: APIRouter, kind: str) -> None:
    """Add the route that deletes a result of a kind."""

    async def delete(
        result_id: Annotated[str, path_id(kind), told_digits(64)], services: WithServices
    ) -> Response:
        gone = await to_thread.run_sync(
            services.library.delete, kind, result_id, limiter=services.writers
        )
        if not gone:
            raise Problem(HTTPStatus.NOT_FOUND, "not-found", f"there is no {kind} {result_id}")
        return Response(None, HTTPStatus.NO_CONTENT)

    router.add_api_route(
        f"/{plural(kind)}/{{{kind}_id}}",
        delete,
        methods=["DELETE"],
        name=f"delete_{kind}",
        operation_id=f"delete_{kind}",
        tags=[plural(kind)],
        description=f"Delete a {kind}; its job stays, and the same request computes it again. "
        "`tvlb store gc` frees its room on the disk.",
        status_code=HTTPStatus.NO_CONTENT,
        response_class=Response,
        responses=problems(404, 422),
    )

    async def label(
        result_id: Annotated[str, path_id(kind)], services: WithServices, asked: Labelling
    ) -> Response:
        await find_resource(services.library, kind, result_id)
        await to_thread.run_sync(
            services.labels.set, result_id, asked.label, limiter=services.writers
        )
        return Response(None, HTTPStatus.NO_CONTENT)

    router.add_api_route(
        f"/{plural(kind)}/{{{kind}_id}}",
        label,
        methods=["PATCH"],
        name=f"label_{kind}",
        operation_id=f"label_{kind}",
        tags=[plural(kind)],
        description="Give it a label, which its job has, too. The document stays as it is.",
        status_code=HTTPStatus.NO_CONTENT,
        response_class=Response,
        responses=problems(400, 404, 413, 415, 422),
    )


def add_listing(
    router: APIRouter, kind: str, item: type[Item], listed: type[BaseModel], about: str
) -> None:
    """Add the route that lists the results of a kind.

    Parameters
    ----------
    item, listed : of a result in the list, and of the list.
    about : what the route does.
    """

    async def list_all(services: WithServices, listing: Annotated[Listing, Query()]) -> Response:
        return await list_results(services, listing, item, kind)

    router.add_api_route(
        f"/{plural(kind)}",
        list_all,
        name=f"list_{plural(kind)}",
        operation_id=f"list_{plural(kind)}",
        tags=[plural(kind)],
        description=about,
        response_class=Response,
        responses={200: {"model": listed}, **problems(422)},
    )


async def list_results(
    services: Services,
    listing: Listing,
    item: type[Item],
    kind: str,
    table_id: str | None = None,
) -> Response:
    """Answer with the results of a kind, newest first; `table_id` narrows them."""

    def read() -> dict[str, object]:
        found = services.results.newest(
            kind,
            before=listing.before,
            table_id=table_id,
            search=listing.search,
            limit=listing.limit,
        )
        items = [services.library.listed(item, one) for one in found]
        return {plural(kind): items, "next": listing.next_url(f"/v1/{plural(kind)}", found)}

    return as_json(await to_thread.run_sync(read))


async def find_resource(library: Library, kind: str, key: str) -> Resource:
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
