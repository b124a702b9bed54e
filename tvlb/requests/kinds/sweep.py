"""Sweeps: the tables of many networks, a row for each."""

from pydantic import Field

from tvlb.documents import Document
from tvlb.processes import Reporter, Stages
from tvlb.requests import (
    Answer,
    Context,
    Examination,
    FileRoute,
    Form,
    Link,
    RequestKind,
    RequestLimits,
    SweepBody,
)
from tvlb.requests.common import OptionalKey


class _Listed(Document):
    name: str = Field(description="Of the sweep, as it was asked for.")
    points: int = Field(ge=1, description="Number of points.")
    failed: int = Field(
        ge=0, description="Points that could not be computed; asking again tries them again."
    )


class SweepDocument(_Listed):
    """Many tables, a row for each."""

    rows: tuple[dict[str, str | int | float | bool | None], ...] = Field(
        description="A row for each point, with the columns of the file of results; the example "
        "has some of them. `key` is the id of the point's table."
    )
    computed: OptionalKey[tuple[str, ...]] = Field(
        None, description="Kinds of requests of a point; absent where points are tables."
    )
    varied: OptionalKey[tuple[str, ...]] = Field(
        None, description="Columns of options in which points differ; absent with `computed`."
    )
    shown: OptionalKey[tuple[str, ...]] = Field(
        None, description="Columns of the first figures; absent with `computed`."
    )
    files: dict[str, str] = Field(
        description="SHA-256 of the files that were written. timings.parquet, which tells what "
        "computing them took, is in the store only."
    )


def _examine(body: SweepBody, limits: RequestLimits | None, _: Context) -> Examination:
    expansion = body.expanded(limits)
    return Examination(body, expansion.cost, expansion.points)


def _compute(body: SweepBody, context: Context, report: Reporter) -> Answer:
    return context.sweep(body, report)


KIND = RequestKind(
    "sweep",
    (
        Form(
            SweepBody,
            SweepDocument,
            _compute,
            example="sweep",
        ),
    ),
    asking="Ask for the tables of many networks; those that are there are not computed again.\n\n"
    "A sweep that is there but has failed points is computed again. Until that has ended, the old "
    "one\ncan be read.",
    reading="Return a sweep: a row for each point.",
    links={
        "download_url": Link(
            "/download?format=parquet", "Of the result rows; format is parquet or csv.", True
        ),
        "report_url": Link("/report", "Of the report, an HTML page.", True),
    },
    files=(
        FileRoute(
            "download",
            "download_sweep",
            "Download the result rows, to the byte what `tvlb sweep` writes.",
            {"parquet": "results.parquet", "csv": "results.csv"},
            {"parquet": "application/vnd.apache.parquet", "csv": "text/csv"},
            "file",
        ),
        FileRoute(
            "report",
            "get_report",
            "Return the report of a sweep: one page that needs nothing else.",
            {"": "report.html"},
            {"": "text/html; charset=utf-8"},
            "report",
            sandboxed=True,
        ),
    ),
    listed=_Listed,
    lists_request=False,
    expands=True,
    examine=_examine,
    stages=Stages({"expand": ("expand", 0.0, 0.0), "sweep": ("sweep", 0.0, 1.0)}),
    names_files=lambda _: True,
    menu="New sweep",
    rank=6,
)
