"""The pages."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.staticfiles import StaticFiles
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from api.pages import session
from api.pages.commands import Commands, commands_of
from api.pages.rendering import page
from api.pages.views import (
    fields,
    plotted_simulation,
    plotted_table,
    shown_table,
    simulated_sets,
)
from api.resources import job_resource, listed
from api.routes.jobs import KnownJob
from api.routes.reading import DIGITS, ResultId, StrictQuery, find_resource
from api.services import Services, WithServices
from tvlb.schemas import TableItem
from tvlb.search import BUDGETS

__all__ = ["mount_assets", "router"]

router = APIRouter(include_in_schema=False)
router.include_router(session.router)

_LISTED = 20
_MOST_COMPARED = 8
_OBJECTIVES = ("saturation", "latency@0.2", "worst-pattern", "front")
_EXAMPLES = ("2,4,2,9", "4,8,4,9", "4,8,4,17", "4,8,4,33", "4,8,4,9,palmtree")


@dataclass(frozen=True)
class _Visit:
    """A request for a page."""

    request: Request
    services: WithServices

    def show(self, template: str, **shown: Any) -> Response:
        """Answer with a page."""
        signed_in = self.services.settings.needs_token and session.COOKIE in self.request.cookies
        return page(template, signed_in=signed_in, **shown)

    def commands(self, kind: str, body: dict[str, Any]) -> Commands:
        """Return the commands of a resolved request."""
        base = str(self.request.base_url).rstrip("/")
        return commands_of(kind, body, base, token=self.services.settings.needs_token)

    async def document(self, kind: str, key: str) -> dict[str, Any]:
        """Return the document of a result; raises as `find_resource`."""
        found = await find_resource(self.services.library, kind, key)
        document: dict[str, Any] = await to_thread.run_sync(json.loads, found.body)
        return document


Visit = Annotated[_Visit, Depends()]


class _Older(StrictQuery):
    jobs_before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = None
    tables_before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = None
    network: Annotated[str, Field(max_length=1000)] | SkipJsonSchema[None] = None


@router.get("/")
async def show_home(visit: Visit, older: Annotated[_Older, Query()]) -> Response:
    """Show the form for a new table, the jobs and the tables."""
    shown = await to_thread.run_sync(_jobs, visit.services, older.jobs_before)
    tables, more = await to_thread.run_sync(_tables, visit.services, older.tables_before)
    part = "/parts/jobs" if older.jobs_before is None else f"/parts/jobs?before={older.jobs_before}"
    return visit.show(
        "home.html",
        **shown,
        tables=tables,
        older_tables=more,
        part=part,
        network=older.network,
        fields=fields(),
        examples=_EXAMPLES,
        objectives=_OBJECTIVES,
        budgets=tuple(BUDGETS),
    )


class _Before(StrictQuery):
    before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = None


@router.get("/parts/jobs")
async def show_jobs_part(services: WithServices, listing: Annotated[_Before, Query()]) -> Response:
    """Show the list of jobs alone, for the page to renew it."""
    return page("jobs_part.html", **await to_thread.run_sync(_jobs, services, listing.before))


@router.get("/jobs/{job_id}")
async def show_job(visit: Visit, job: KnownJob) -> Response:
    """Show a job and follow it."""
    shown = job_resource(job)
    commands = visit.commands(job.kind, job.request)
    return visit.show(
        "job.html",
        job=shown,
        commands={
            "line": commands.line,
            "curl": commands.curl,
            "cancel": commands.curl_of("POST", f"{shown['url']}/cancel"),
        },
    )


@router.get("/jobs/{job_id}/part")
async def show_job_part(job: KnownJob) -> Response:
    """Show the state of a job alone, for the page to renew it."""
    return page("job_part.html", job=job_resource(job))


@router.get("/tables/{table_id}")
async def show_table(visit: Visit, table_id: ResultId) -> Response:
    """Show a table: what was chosen and why, the network, its paths and its links."""
    table = await visit.document("table", table_id)
    commands = visit.commands("table", table["request"])
    return visit.show(
        "table.html",
        **shown_table(table),
        commands={
            "line": commands.with_output("table.parquet"),
            "curl": commands.curl,
            "download": commands.curl_of("GET", table["download_url"], "table.parquet"),
        },
    )


class _Compared(StrictQuery):
    table: list[Annotated[str, Field(pattern="^[0-9a-f]{64}$")]] = Field(
        min_length=1, max_length=_MOST_COMPARED, description="Ids of tables."
    )


@router.get("/compare")
async def show_comparison(visit: Visit, compared: Annotated[_Compared, Query()]) -> Response:
    """Show tables side by side."""
    names = dict.fromkeys(compared.table)
    tables = [await visit.document("table", name) for name in names]
    return visit.show(
        "compare.html",
        tables=[
            (table, simulated_sets(table)[0], visit.commands("table", table["request"]).line)
            for table in tables
        ],
        data=[plotted_table(table) for table in tables],
    )


@router.get("/simulations/{simulation_id}")
async def show_simulation(visit: Visit, simulation_id: ResultId) -> Response:
    """Show simulated loads."""
    simulation = await visit.document("simulation", simulation_id)
    rows, data = plotted_simulation(simulation)
    return visit.show(
        "simulation.html",
        simulation=simulation,
        rows=rows,
        data=data,
        commands=visit.commands("simulation", simulation["request"]),
    )


@router.get("/sweeps/{sweep_id}")
async def show_sweep(visit: Visit, sweep_id: ResultId) -> Response:
    """Show a sweep: a row for each point, and the way to its report and its files."""
    sweep = await visit.document("sweep", sweep_id)
    commands = visit.commands("sweep", sweep["request"])
    return visit.show("sweep.html", sweep=sweep, commands=commands)


@router.get("/models/{model_id}")
async def show_model(visit: Visit, model_id: ResultId) -> Response:
    """Show a solved model."""
    model = await visit.document("model", model_id)
    return visit.show(
        "model.html",
        model=model,
        facts={
            name: value
            for name, value in model.items()
            if isinstance(value, int | float | str) and name not in ("id", "url")
        },
        commands=visit.commands("model", model["request"]),
    )


def mount_assets(app: FastAPI) -> None:
    """Serve Plotly, which comes with its own package, and what pages share with reports."""
    app.mount("/static/plotly", StaticFiles(packages=[("plotly", "package_data")]))
    app.mount("/static/report", StaticFiles(packages=[("tvlb.report", "assets")]))


def _jobs(services: Services, before: int | None) -> dict[str, Any]:
    found = services.queue.newest(before=before, status=None, limit=_LISTED)
    more = f"/?jobs_before={found[-1].number}#jobs" if len(found) == _LISTED else None
    return {"jobs": [job_resource(job) for job in found], "next": more}


def _tables(services: Services, before: int | None) -> tuple[list[dict[str, Any]], str | None]:
    found = services.results.newest("table", before=before, limit=_LISTED)
    items = [listed(TableItem, services.library.load(one).body) for one in found]
    more = f"/?tables_before={found[-1].number}#tables" if len(found) == _LISTED else None
    return items, more
