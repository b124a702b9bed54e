"""Tables: the T-VLB table of a network, found by a search."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from tvlb.documents import Document
from tvlb.languages import one_of
from tvlb.processes import Reporter, Stages
from tvlb.requests import Answer, Context, Form, Link, RequestKind, TableBody, TableDocument
from tvlb.requests.common import OptionalKey
from tvlb.requests.table import TableSummary
from tvlb.requests.verdict import VerdictDocument
from tvlb.search import Aim, TableResult, optimize
from tvlb.table import table_formats

# Of either method: the stages that simulate.
_SIMULATING = ("simulate", "search", "compare")


class _Listed(Document):
    topology: str
    table: TableSummary
    verdict: OptionalKey[VerdictDocument] = Field(None, description="As in the document.")


def answer_of(result: TableResult) -> Answer:
    """Return the answer that a finished search is."""
    is_front = result.found is not None and result.options.aim.aim is Aim.FRONT
    work = {
        "programs": result.work.programs,
        "probe_seconds": result.timings["probe"],
        "flit_hops": result.work.flit_hops,
        "simulate_seconds": sum(result.timings.get(stage, 0.0) for stage in _SIMULATING),
    }
    return Answer(
        TableDocument.of(result).plain(),
        result.timings,
        # What was computed before took time that is not known here.
        {} if result.units.reused else work,
        result.units,
        result.table,
        result.found.front if result.found is not None and is_front else (),
    )


def _compute(body: TableBody, context: Context, report: Reporter) -> Answer:
    with context.unit_cache() as cache:
        network, options = body.network(), body.options()
        return answer_of(
            optimize(network, options, report=report, stop=context.stop, unit_cache=cache)
        )


def _names_files(request: Mapping[str, Any]) -> bool:
    return request.get("objective") == Aim.FRONT


# Shares were read off dfly(4,8,4,9) with the default windows; elsewhere the progress runs unevenly.
# Curves belong to whatever group is on, since they end the runs of either method.
_STAGES = Stages(
    {
        "probe": ("probe", 0.00, 0.05),
        "balance": ("balance", 0.05, 0.07),
        "screen all": ("simulate", 0.07, 0.12),
        "screen pilot": ("simulate", 0.12, 0.16),
        "screen candidates": ("simulate", 0.16, 0.32),
        "screen latency": ("simulate", 0.32, 0.36),
        "confirm": ("simulate", 0.36, 0.80),
        "confirm latency": ("simulate", 0.80, 0.88),
        "search": ("search", 0.07, 0.50),
        "compare": ("compare", 0.50, 0.88),
        "floors": ("compare", 0.88, 0.90),
        "curves": (None, 0.88, 0.98),
    }
)
_FILE = "/download?format=parquet"
_ID = {"table_id": "$response.body#/id"}
KIND = RequestKind(
    "table",
    (
        Form(
            TableBody,
            TableDocument,
            _compute,
            text="A T-VLB table and how it was found.",
            example="search",
        ),
    ),
    asking="Ask for the T-VLB table of a network; the same request is computed once, ever.",
    reading="Return a table's document: probe curve, candidates, choice, balance.",
    makes_table=True,
    links={
        "download_url": Link(_FILE, f"Of the table file; format is {one_of(table_formats())}."),
        "paths_url": Link("/paths", "Of the paths of one switch pair: add ?src=S&dst=D."),
        "front_urls": Link(
            f"/front/{{}}{_FILE}",
            "Of the table files of a front, in the order of `search.front`; empty for other "
            "objectives.",
        ),
    },
    usage_route="get_links",
    route_links={"paths": ("get_paths", _ID | {"src": 0, "dst": 1})},
    listed=_Listed,
    lists_by_table=True,
    in_units=True,
    stages=_STAGES,
    names_files=_names_files,
    # There was only one method.
    earlier={"method": "paper"},
    menu="New table",
    form_url="/#submit",
    rank=1,
)
