"""Results of every kind: asking for them, listing, reading, labelling and deleting them."""

from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Query, Request
from pydantic import Field, create_model
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import FileResponse, Response

from api.problems import Problem
from api.responses import (
    ACCEPTED,
    ETAG,
    NOT_MODIFIED,
    ModelSchema,
    Responses,
    answer,
    file_responses,
    problems,
)
from api.routes import tables
from api.routes.reading import (
    HashText,
    IfNoneMatch,
    ListQuery,
    StrictQuery,
    as_json,
    find_resource,
    is_known,
    path_id,
)
from api.routes.tables import MEDIA_TYPES, TableDownload, send_links, send_table
from api.services import Owner, WithServices
from api.submission import SubmitHeaders, parse_wait
from tvlb.requests import (
    Estimate,
    FileRoute,
    Labelling,
    LinkUsage,
    RequestKind,
    list_of,
    request_kinds,
    resources_of,
)
from tvlb.requests.resources import Label
from tvlb.requests.texts import OneOf, told_digits

router = APIRouter(prefix="/v1")

# A page says itself what it may load, which is nothing. Here it gets an origin of its own, so that
# its scripts are not those of the service: they have neither its cookie nor its answers.
_SANDBOX = {
    "Content-Security-Policy": "sandbox allow-scripts allow-downloads; frame-ancestors 'none'",
    # The HTML standard has no page with both a sandbox and an opener policy; some browsers do.
    "Cross-Origin-Opener-Policy": "unsafe-none",
}


class _Options(StrictQuery):
    """What the query of a request may say."""

    validate_only: Annotated[str, OneOf(("true", "false"))] = Field(
        "false",
        description="true: answer with the resolved request and its cost, and compute nothing.",
    )
    label: Label | SkipJsonSchema[None] = Field(
        None, description="What to call the job and its result; it changes no result."
    )


class _Tables(ListQuery):
    table_id: HashText | SkipJsonSchema[None] = Field(
        None, description="Only results with this table (table.id)."
    )


def _headers(
    request: Request,
    owner: Owner,
    idempotency_key: Annotated[
        Annotated[str, Field(pattern=r"^[\x21-\x7e]{1,255}$")] | SkipJsonSchema[None],
        Header(description="A text of your own: the same key gives the same answer again."),
    ] = None,
    prefer: Annotated[
        str | SkipJsonSchema[None],
        Header(description="wait=N: hold the answer until the job ends, at most N seconds."),
    ] = None,
) -> SubmitHeaders:
    # The header may come in several lines, which mean the same as one.
    preferences = ",".join(request.headers.getlist("prefer")) if prefer is not None else None
    return SubmitHeaders(owner, idempotency_key, parse_wait(preferences))


async def _no_query() -> None:
    """Take what the query says for nothing."""


async def _sent(request: Request) -> bytes:
    return await request.body()


class _Routes:
    """Adds the routes of a kind.

    Parameters
    ----------
    kind : of the results.
    """

    def __init__(self, kind: RequestKind) -> None:
        self._kind = kind
        self._one = f"/{{{kind.name}_id}}"
        self._id = Annotated[str, path_id(kind.name), told_digits(64)]

    def _add(
        self,
        endpoint: Callable[..., Any],
        operation: str,
        about: str,
        responses: Responses,
        *,
        method: str = "GET",
        path: str = "",
        annotations: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        # What depends on the kind.
        endpoint.__annotations__.update(annotations or {})
        router.add_api_route(
            f"/{self._kind.plural}{path}",
            endpoint,
            methods=[method],
            name=operation,
            operation_id=operation,
            tags=[self._kind.plural],
            description=about,
            response_class=Response,
            responses=responses,
            **more,
        )

    def add_asking(self) -> None:
        """Add the route that asks for a result."""
        kind, name = self._kind, self._kind.name

        async def create(
            # As it was sent: reading a long one in the event loop would hold up everybody.
            sent: Annotated[bytes, Depends(_sent)],
            services: WithServices,
            headers: Annotated[SubmitHeaders, Depends(_headers)],
            options: Annotated[_Options, Query()],
        ) -> Response:
            if options.validate_only == "true":
                return await services.submitter.estimate(name, sent)
            labelled = replace(headers, label=options.label)
            return await services.submitter.submit(name, sent, labelled)

        schema = ModelSchema(*(form.body for form in kind.forms))
        content = {"content": {"application/json": {"schema": schema}}, "required": True}
        location = {"description": "URL of the result.", "schema": {"type": "string"}}
        found = answer(
            resources_of(name) | Estimate,
            description=f"The {name}; with validate_only what it would cost.",
            links=self._links(),
            headers={**ETAG, "Content-Location": location},
        )
        responses = {200: found, 202: ACCEPTED, **problems(400, 409, 413, 415, 422)}
        body = {"requestBody": content}
        self._add(
            create, f"create_{name}", kind.asking, responses, method="POST", openapi_extra=body
        )

    def _links(self) -> dict[str, Any]:
        kind = self._kind
        operations = {"self": f"get_{kind.name}"}
        if kind.makes_table:
            operations["file"] = f"download_{kind.name}"
        if kind.usage_route:
            operations["links"] = kind.usage_route
        operations |= {route.link: route.operation for route in kind.files}
        here = {f"{kind.name}_id": "$response.body#/id"}
        routes = {name: (operation, here) for name, operation in operations.items()}
        return {
            name: {"operationId": operation, "parameters": parameters}
            for name, (operation, parameters) in (routes | dict(kind.route_links)).items()
        }

    def add_listing(self) -> None:
        """Add the route that lists results."""
        kind = self._kind

        async def list_all(services: WithServices, listing: Any) -> Response:
            def read() -> dict[str, object]:
                found = services.results.newest(
                    kind.name,
                    before=listing.before,
                    table_id=listing.table_id if kind.lists_by_table else None,
                    search=listing.search,
                    limit=listing.limit,
                )
                items = [services.library.listed(one) for one in found]
                return {kind.plural: items, "next": listing.next_url(f"/v1/{kind.plural}", found)}

            return as_json(await to_thread.run_sync(read))

        query = Annotated[_Tables if kind.lists_by_table else ListQuery, Query()]
        self._add(
            list_all,
            f"list_{kind.plural}",
            f"List the {kind.nouns}, newest first.",
            {200: answer(list_of(kind.name)), **problems(422)},
            annotations={"listing": query},
        )

    def add_reading(self) -> None:
        """Add the routes that read a result, delete and label it."""
        kind, name = self._kind, self._kind.name

        async def get(
            result_id: str, services: WithServices, if_none_match: IfNoneMatch = None
        ) -> Response:
            found = await find_resource(services.library, name, result_id)
            headers = {"Cache-Control": "private, no-cache"}
            if is_known(if_none_match, found.etag):
                return Response(None, HTTPStatus.NOT_MODIFIED, headers | {"ETag": found.etag})
            return found.response(headers)

        async def delete(result_id: str, services: WithServices) -> Response:
            gone = await to_thread.run_sync(
                services.library.delete, name, result_id, limiter=services.writers
            )
            if not gone:
                raise Problem(HTTPStatus.NOT_FOUND, "not-found", f"there is no {name} {result_id}")
            return Response(None, HTTPStatus.NO_CONTENT)

        async def label(result_id: str, services: WithServices, asked: Labelling) -> Response:
            await find_resource(services.library, name, result_id)
            await to_thread.run_sync(
                services.labels.set, result_id, asked.label, limiter=services.writers
            )
            return Response(None, HTTPStatus.NO_CONTENT)

        found = answer(resources_of(name), headers=ETAG)
        given: dict[str, Any] = {"path": self._one, "annotations": {"result_id": self._id}}
        read = {200: found, **NOT_MODIFIED, **problems(404, 422)}
        self._add(get, f"get_{name}", kind.reading, read, **given)
        given["status_code"] = HTTPStatus.NO_CONTENT
        self._add(
            delete,
            f"delete_{name}",
            f"Delete a {name}; its job stays, and the same request computes it again. "
            "`tvlb store gc` frees its room on the disk.",
            problems(404, 422),
            method="DELETE",
            **given,
        )
        self._add(
            label,
            f"label_{name}",
            "Give it a label, which its job has, too. The document stays as it is.",
            problems(400, 404, 413, 415, 422),
            method="PATCH",
            **given,
        )

    def add_files(self) -> None:
        """Add the routes that send its table and other files."""
        if self._kind.makes_table:
            self._add_table()
        if self._kind.usage_route:
            self._add_links()
        for route in self._kind.files:
            self._add_file(route)

    def _add_table(self) -> None:
        kind = self._kind

        async def download(
            result_id: str,
            services: WithServices,
            download: Annotated[TableDownload, Query()],
            if_none_match: IfNoneMatch = None,
        ) -> Response:
            resource = await find_resource(services.library, kind.name, result_id)
            return await send_table(services, resource.table_file, download, if_none_match)

        self._add(
            download,
            f"download_{kind.name}",
            f"Download the table file, to the byte what `tvlb {kind.command}` or, in formats of "
            "other tools, `tvlb export` writes.",
            file_responses(*MEDIA_TYPES),
            path=f"{self._one}/download",
            annotations={"result_id": self._id},
        )

    def _add_links(self) -> None:
        kind = self._kind

        async def get_links(
            result_id: str, services: WithServices, if_none_match: IfNoneMatch = None
        ) -> Response:
            resource = await find_resource(services.library, kind.name, result_id)
            return await send_links(services, resource.table_file, if_none_match)

        self._add(
            get_links,
            kind.usage_route,
            "List the links of the network, with their usage by the table's routes.",
            {200: answer(LinkUsage, headers=ETAG), **NOT_MODIFIED, **problems(404, 422)},
            path=f"{self._one}/links",
            annotations={"result_id": self._id},
        )

    def _add_file(self, route: FileRoute) -> None:
        kind = self._kind.name
        names = tuple(route.names)
        query: Any = Annotated[None, Depends(_no_query)]
        if names != ("",):
            chosen: Any = Annotated[str, OneOf(names)]
            usual = Field(names[0], description="Of the file.")
            query = Annotated[
                create_model("_Download", __base__=StrictQuery, format=(chosen, usual)), Query()
            ]

        async def send(
            result_id: str,
            services: WithServices,
            download: Any,
            if_none_match: IfNoneMatch = None,
        ) -> Response:
            resource = await find_resource(services.library, kind, result_id)
            suffix = "" if download is None else download.format
            stored, path = await to_thread.run_sync(
                services.library.named_file, resource, route.names[suffix]
            )
            # Not for ever: the files of what is computed again may be replaced.
            headers = {"ETag": f'"{stored}"', "Cache-Control": "private, no-cache"}
            if route.sandboxed:
                # Also where nothing changed: a browser takes these headers for what it kept.
                headers |= _SANDBOX
            if is_known(if_none_match, headers["ETag"]):
                return Response(None, HTTPStatus.NOT_MODIFIED, headers)
            if suffix:
                name = f"tvlb-{result_id[:16]}.{suffix}"
                headers["Content-Disposition"] = f'attachment; filename="{name}"'
            return FileResponse(path, headers=headers, media_type=route.media_types[suffix])

        media_types = [one.partition(";")[0] for one in route.media_types.values()]
        self._add(
            send,
            route.operation,
            route.text,
            file_responses(*media_types),
            path=f"{self._one}/{route.suffix}",
            annotations={"result_id": self._id, "download": query},
        )


_ALL = [_Routes(kind) for kind in request_kinds().values()]
for _routes in _ALL:
    _routes.add_asking()
for _routes in _ALL:
    _routes.add_listing()
for _routes in _ALL:
    _routes.add_reading()
router.include_router(tables.router)
for _routes in _ALL:
    _routes.add_files()
