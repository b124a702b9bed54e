"""Sweeps: many tables in one request, and their files and reports."""

from http import HTTPStatus
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import FileResponse, Response

from api.responses import file_responses
from api.routes.reading import (
    IfNoneMatch,
    ResultId,
    StrictQuery,
    add_listing,
    add_reading,
    find_resource,
    is_known,
)
from api.routes.submitting import add_submitting
from api.services import Services, WithServices
from tvlb.schemas import SweepItem, SweepList, SweepResource

router = APIRouter(prefix="/v1")

_MEDIA_TYPES = {"parquet": "application/vnd.apache.parquet", "csv": "text/csv"}
# The report says itself what it may load, which is nothing. Here it gets an origin of its own, so
# that its scripts are not those of the service: they have neither its cookie nor its answers.
_REPORT_HEADERS = {
    "Content-Security-Policy": "sandbox allow-scripts allow-downloads; frame-ancestors 'none'",
    # The HTML standard has no page with both a sandbox and an opener policy; some browsers do.
    "Cross-Origin-Opener-Policy": "unsafe-none",
}
_ID = {"sweep_id": "$response.body#/id"}
_LINKS: dict[str, Any] = {
    "self": {"operationId": "get_sweep", "parameters": _ID},
    "file": {"operationId": "download_sweep", "parameters": _ID},
    "report": {"operationId": "get_report", "parameters": _ID},
}


add_submitting(
    router,
    "sweep",
    SweepResource,
    _LINKS,
    "Ask for the tables of many networks; those that are there are not computed again.\n\n"
    "A sweep that is there but has failed points is computed again. Until that has ended, the old "
    "one\ncan be read.",
)
add_listing(router, "sweep", SweepItem, SweepList, "List the computed sweeps, newest first.")
add_reading(router, "sweep", SweepResource, "Return a sweep: a row for each point.")


class _Download(StrictQuery):
    format: Literal["parquet", "csv"] = Field("parquet", description="Of the file.")


@router.get(
    "/sweeps/{sweep_id}/download",
    operation_id="download_sweep",
    tags=["sweeps"],
    response_class=Response,
    responses=file_responses(*_MEDIA_TYPES.values()),
)
async def download_sweep(
    sweep_id: ResultId,
    services: WithServices,
    download: Annotated[_Download, Query()],
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Download the result rows, to the byte what `tvlb sweep` writes."""
    suffix = download.format
    saved = {"Content-Disposition": f'attachment; filename="tvlb-{sweep_id[:16]}.{suffix}"'}
    return await _file(
        services, sweep_id, f"results.{suffix}", _MEDIA_TYPES[suffix], saved, if_none_match
    )


@router.get(
    "/sweeps/{sweep_id}/report",
    operation_id="get_report",
    tags=["sweeps"],
    response_class=Response,
    responses=file_responses("text/html"),
)
async def get_report(
    sweep_id: ResultId, services: WithServices, if_none_match: IfNoneMatch = None
) -> Response:
    """Return the report of a sweep: one page that needs nothing else."""
    media_type = "text/html; charset=utf-8"
    return await _file(
        services, sweep_id, "report.html", media_type, _REPORT_HEADERS, if_none_match
    )


async def _file(
    services: Services,
    sweep_id: str,
    name: str,
    media_type: str,
    more: dict[str, str],
    if_none_match: str | None,
) -> Response:
    """Answer with a file of a sweep, unless it is known already."""
    resource = await find_resource(services.library, "sweep", sweep_id)
    stored, path = await to_thread.run_sync(services.library.sweep_file, resource, name)
    # Not for ever: the files of a sweep with failed points may be replaced.
    headers = {"ETag": f'"{stored}"', "Cache-Control": "private, no-cache"}
    if is_known(if_none_match, headers["ETag"]):
        return Response(None, HTTPStatus.NOT_MODIFIED, headers)
    return FileResponse(path, headers=headers | more, media_type=media_type)
