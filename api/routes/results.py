"""Results of all kinds but sweeps: asking for them, and reading what was computed."""

from http import HTTPStatus
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Path, Query
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import FileResponse, Response, StreamingResponse

from api.problems import Problem
from api.responses import ETAG, NOT_MODIFIED, file_responses, problems
from api.routes.reading import (
    DIGITS,
    HashText,
    IfNoneMatch,
    Listing,
    ResultId,
    StrictQuery,
    add_listing,
    add_reading,
    as_json,
    find_resource,
    is_known,
    list_results,
    path_id,
)
from api.routes.submitting import add_submitting
from api.services import Services, WithServices
from tvlb.schemas import (
    AnySimulationResource,
    LinkUsage,
    ModelItem,
    ModelList,
    ModelResource,
    PairPaths,
    RepairItem,
    RepairList,
    RepairResource,
    SimulationItem,
    SimulationList,
    StabilityItem,
    StabilityList,
    StabilityResource,
    TableFormatText,
    TableItem,
    TableList,
    TableResource,
)
from tvlb.schemas.texts import told_digits
from tvlb.table import pair_summary, table_formats

router = APIRouter(prefix="/v1")

_MEDIA_TYPES = [each.media_type for each in table_formats().values() if each.write is not None]


def _own_link(kind: str) -> dict[str, Any]:
    here = {f"{kind}_id": "$response.body#/id"}
    return {"self": {"operationId": f"get_{kind}", "parameters": here}}


def _file_link(kind: str) -> dict[str, Any]:
    here = {f"{kind}_id": "$response.body#/id"}
    return {"file": {"operationId": f"download_{kind}", "parameters": here}}


_ID = {"table_id": "$response.body#/id"}
add_submitting(
    router,
    "table",
    TableResource,
    _own_link("table")
    | _file_link("table")
    | {
        "paths": {"operationId": "get_paths", "parameters": _ID | {"src": 0, "dst": 1}},
        "links": {"operationId": "get_links", "parameters": _ID},
    },
    "Ask for the T-VLB table of a network; the same request is computed once, ever.",
)
add_submitting(
    router,
    "repair",
    RepairResource,
    _own_link("repair") | _file_link("repair"),
    "Rebuild a stored table by its rule for what failures left of its network, and compare it with "
    "the old one.",
)
add_submitting(
    router,
    "model",
    ModelResource,
    _own_link("model"),
    "Solve one throughput model: at once if it is small, else as a job.",
)
add_submitting(
    router,
    "simulation",
    AnySimulationResource,
    _own_link("simulation"),
    "Simulate a routing cycle by cycle: at once if it is small, else as a job.",
)
add_submitting(
    router,
    "stability",
    StabilityResource,
    _own_link("stability"),
    "Run a network under full load for long, and tell whether throughput lasts.",
)


class _Tables(Listing):
    table_id: HashText | SkipJsonSchema[None] = Field(
        None, description="Only results with this table (table.id)."
    )


@router.get(
    "/tables",
    operation_id="list_tables",
    tags=["tables"],
    response_class=Response,
    responses={200: {"model": TableList}, **problems(422)},
)
async def list_tables(services: WithServices, listing: Annotated[_Tables, Query()]) -> Response:
    """List the computed tables, newest first."""
    return await list_results(services, listing, TableItem, "table", listing.table_id)


add_listing(router, "repair", RepairItem, RepairList, "List the repairs, newest first.")
add_listing(router, "model", ModelItem, ModelList, "List the solved models, newest first.")
add_listing(
    router, "simulation", SimulationItem, SimulationList, "List the simulations, newest first."
)
add_listing(
    router,
    "stability",
    StabilityItem,
    StabilityList,
    "List the studies of stability, newest first.",
)
add_reading(
    router,
    "table",
    TableResource,
    "Return a table's document: probe curve, candidates, choice, balance.",
)
add_reading(
    router,
    "repair",
    RepairResource,
    "Return a repair: the new table, and what it is worth beside the old one.",
)
add_reading(router, "model", ModelResource, "Return a solved model.")
add_reading(
    router,
    "simulation",
    AnySimulationResource,
    "Return the figures of a simulation.",
)
add_reading(router, "stability", StabilityResource, "Return a study of stability: case by case.")


class _Pair(StrictQuery):
    src: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] = Field(description="Source switch.")
    dst: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] = Field(
        description="Destination switch."
    )
    limit: Annotated[int, Field(ge=1, le=1_000_000), DIGITS] | SkipJsonSchema[None] = Field(
        None, description="Most VLB paths to list; all without it."
    )


@router.get(
    "/tables/{table_id}/paths",
    operation_id="get_paths",
    tags=["tables"],
    response_class=Response,
    responses={200: {"model": PairPaths}, **problems(404, 422)},
)
async def get_paths(
    table_id: ResultId, services: WithServices, pair: Annotated[_Pair, Query()]
) -> Response:
    """List the MIN and the VLB paths of one switch pair, with their draw weights."""
    resource = await find_resource(services.library, "table", table_id)

    def read() -> object:
        table = services.library.table(resource.table_file)
        return pair_summary(table, pair.src, pair.dst, pair.limit).plain()

    return as_json(await to_thread.run_sync(read, limiter=services.table_reader))


@router.get(
    "/tables/{table_id}/links",
    operation_id="get_links",
    tags=["tables"],
    response_class=Response,
    responses={200: {"model": LinkUsage, "headers": ETAG}, **NOT_MODIFIED, **problems(404, 422)},
)
async def get_links(
    table_id: ResultId, services: WithServices, if_none_match: IfNoneMatch = None
) -> Response:
    """List the links of the network, with their usage by the table's VLB paths."""
    resource = await find_resource(services.library, "table", table_id)
    etag = f'"{resource.table_file}-links"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if is_known(if_none_match, etag):
        return Response(None, HTTPStatus.NOT_MODIFIED, headers)
    body = await to_thread.run_sync(
        services.library.links, resource.table_file, limiter=services.table_reader
    )
    return Response(body, HTTPStatus.OK, headers, "application/json")


class _Download(StrictQuery):
    format: TableFormatText = "parquet"


def _add_download(kind: str) -> None:
    """Add the route that sends the table of a result of a kind."""

    async def download(
        result_id: Annotated[str, path_id(kind), told_digits(64)],
        services: WithServices,
        download: Annotated[_Download, Query()],
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        resource = await find_resource(services.library, kind, result_id)
        return await _file(services, resource.table_file, download.format, if_none_match)

    router.add_api_route(
        f"/{kind}s/{{{kind}_id}}/download",
        download,
        name=f"download_{kind}",
        operation_id=f"download_{kind}",
        tags=[f"{kind}s"],
        description=f"Download the table file, to the byte what `tvlb {kind}` writes.",
        response_class=Response,
        responses=file_responses(*_MEDIA_TYPES),
    )


_add_download("table")
_add_download("repair")


@router.get(
    "/tables/{table_id}/front/{point}/download",
    operation_id="download_front",
    tags=["tables"],
    response_class=Response,
    responses=file_responses(*_MEDIA_TYPES),
)
async def download_front(
    table_id: ResultId,
    point: Annotated[int, Path(ge=1, le=2**31 - 1, description="Of the front, from 1."), DIGITS],
    services: WithServices,
    download: Annotated[_Download, Query()],
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Download the table file of a point of a front; see `download_table`."""
    resource = await find_resource(services.library, "table", table_id)
    points = len(resource.facts.front)
    if point > points:
        raise Problem(
            HTTPStatus.NOT_FOUND,
            "not-found",
            f"there is no point {point} of a front: the table {table_id} has {points}",
        )
    return await _file(services, resource.facts.front[point - 1], download.format, if_none_match)


async def _file(
    services: Services, name: str, format_name: str, if_none_match: str | None
) -> Response:
    """Answer with a table, unless it is known already.

    Parameters
    ----------
    name : SHA-256 of its Parquet file.
    """
    chosen = table_formats()[format_name]
    suffix = chosen.suffixes[0]
    etag = f'"{name}-{format_name}"'
    headers = {
        "ETag": etag,
        "Cache-Control": "private, max-age=31536000, immutable",
        "Content-Disposition": f'attachment; filename="tvlb-{name[:16]}{suffix}"',
    }
    if is_known(if_none_match, etag):
        return Response(None, HTTPStatus.NOT_MODIFIED, {"ETag": etag})
    if format_name == "parquet":
        path = await to_thread.run_sync(services.library.table_file, name)
        return FileResponse(path, headers=headers, media_type=chosen.media_type)
    # Holding its turn to write before it reads: no table waits in memory for that.
    async with services.table_converter:
        table = await to_thread.run_sync(
            services.library.table, name, limiter=services.table_reader
        )
        size, pieces = await to_thread.run_sync(services.library.converted, table, suffix)
    headers["Content-Length"] = str(size)
    return StreamingResponse(pieces, HTTPStatus.OK, headers, chosen.media_type)
