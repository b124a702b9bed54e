"""What only tables have: the paths of a pair of switches, fronts; and how tables are sent."""

from http import HTTPStatus
from pathlib import Path as FilePath
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Path, Query
from pydantic import Field, field_validator
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import FileResponse, Response, StreamingResponse

from api.problems import Problem
from api.responses import answer, file_responses, problems
from api.routes.reading import (
    DIGITS,
    IfNoneMatch,
    ResultId,
    StrictQuery,
    as_json,
    find_resource,
    is_known,
)
from api.services import Services, WithServices
from tvlb.documents import whole_number
from tvlb.languages import Whole, settings
from tvlb.requests import PairPaths, TableFormatText
from tvlb.requests.settings import with_options
from tvlb.table import (
    ForeignOptions,
    ForeignSettings,
    export_foreign,
    foreign_formats,
    foreign_suffix,
    is_archive,
    pair_summary,
    read_any_stream,
    table_formats,
    written_formats,
)

router = APIRouter()

_WHOLE = [name for name, one in settings(ForeignSettings).items() if isinstance(one.kind, Whole)]

_ARCHIVE, _OTHER = "application/zip", "application/octet-stream"
MEDIA_TYPES = [
    *(each.media_type for each in written_formats().values()),
    _ARCHIVE,
    _OTHER,
]


class _Download(StrictQuery):
    """The query of a route that sends a table."""

    format: TableFormatText = "parquet"
    min_share: Annotated[float, Field(ge=0, le=1)] | SkipJsonSchema[None] = Field(
        None, description="Share of MIN paths, for formats whose weights are fixed."
    )
    loop_free: bool = Field(
        False, description="Leave out paths that visit a switch twice, in formats of paths."
    )


class TableDownload(with_options(_Download, ForeignSettings)):
    """See the base, with the settings of all formats."""

    @field_validator("min_share", *settings(ForeignSettings), mode="before")
    @classmethod
    def _left_blank(cls, value: object) -> object:
        """Take what a form sends of a blank field for nothing."""
        return value or None if isinstance(value, str) else value

    @field_validator(*_WHOLE, mode="before")
    @classmethod
    def _read(cls, value: object) -> object:
        """Read an integer, which is a text in a query."""
        return whole_number(value) if isinstance(value, str) and value else value

    @property
    def options(self) -> ForeignOptions:
        """What is asked for besides the format."""
        asked = {name: getattr(self, name) for name in settings(ForeignSettings)}
        return ForeignOptions(self.min_share, self.loop_free, ForeignSettings(**asked))


_Switch = Annotated[str, Field(min_length=1, max_length=200)]


class _Pair(StrictQuery):
    src: _Switch = Field(description="Source switch, by number or name.")
    dst: _Switch = Field(description="Destination switch, by number or name.")
    limit: Annotated[int, Field(ge=1, le=1_000_000), DIGITS] | SkipJsonSchema[None] = Field(
        None, description="Most VLB paths to list; all without it."
    )


@router.get(
    "/tables/{table_id}/paths",
    operation_id="get_paths",
    tags=["tables"],
    response_class=Response,
    responses={200: answer(PairPaths), **problems(404, 422)},
)
async def get_paths(
    table_id: ResultId, services: WithServices, pair: Annotated[_Pair, Query()]
) -> Response:
    """List the MIN and the VLB paths of one switch pair, with their draw weights."""
    resource = await find_resource(services.library, "table", table_id)

    def read() -> object:
        table = services.library.table(resource.table_file)
        source, target = map(table.topology.switch_names.number, (pair.src, pair.dst))
        return pair_summary(table, source, target, pair.limit).plain()

    return as_json(await to_thread.run_sync(read, limiter=services.table_reader))


@router.get(
    "/tables/{table_id}/front/{point}/download",
    operation_id="download_front",
    tags=["tables"],
    response_class=Response,
    responses=file_responses(*MEDIA_TYPES),
)
async def download_front(
    table_id: ResultId,
    point: Annotated[int, Path(ge=1, le=2**31 - 1, description="Of the front, from 1."), DIGITS],
    services: WithServices,
    download: Annotated[TableDownload, Query()],
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
    return await send_table(services, resource.facts.front[point - 1], download, if_none_match)


async def send_links(services: Services, name: str, if_none_match: str | None) -> Response:
    """Answer with the links of a table's network and their usage, unless it is known already.

    Parameters
    ----------
    name : SHA-256 of its Parquet file.
    """
    etag = f'"{name}-links"'
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if is_known(if_none_match, etag):
        return Response(None, HTTPStatus.NOT_MODIFIED, headers)
    body = await to_thread.run_sync(services.library.links, name, limiter=services.table_reader)
    return Response(body, HTTPStatus.OK, headers, "application/json")


async def send_table(
    services: Services, name: str, download: TableDownload, if_none_match: str | None
) -> Response:
    """Answer with a table, unless it is known already.

    Parameters
    ----------
    name : SHA-256 of its Parquet file.

    Raises
    ------
    InvalidInput : the format cannot hold the table, or an option has no meaning for it.
    Problem : too many wait for such files, or it takes too long.
    """
    format_name = download.format
    download.options.check(format_name)
    if format_name in foreign_formats():
        return await _send_foreign(services, name, download, if_none_match)
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


async def _send_foreign(
    services: Services, name: str, download: TableDownload, if_none_match: str | None
) -> Response:
    chosen = download.format
    options = "-".join(map(str, download.model_dump(exclude={"format"}).values()))
    headers = {
        "ETag": f'"{name}-{chosen}-{options}"',
        "Cache-Control": "private, no-cache",
        "Content-Disposition": f'attachment; filename="tvlb-{name[:16]}{foreign_suffix(chosen)}"',
    }
    if is_known(if_none_match, headers["ETag"]):
        return Response(None, HTTPStatus.NOT_MODIFIED, {"ETag": headers["ETag"]})
    path = await to_thread.run_sync(services.library.table_file, name)
    content = await services.page_maker.call(_exported, path, f"tvlb-{name[:16]}", download)
    return Response(content, HTTPStatus.OK, headers, _ARCHIVE if is_archive(chosen) else _OTHER)


def _exported(path: FilePath, stem: str, asked: TableDownload) -> bytes:
    """Export the table in a file, in a process beside the server."""
    with path.open("rb") as stream:
        table = read_any_stream(".parquet", stream)
    return export_foreign(table, asked.format, stem, asked.options)
