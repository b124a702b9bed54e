"""The pages."""

from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.staticfiles import StaticFiles
from markdown_it import MarkdownIt
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from api.pages import session
from api.pages.rendering import page, render
from api.pages.views import (
    View,
    Visitor,
    fields,
    long_run_options,
    render_results,
    router_options,
    view_comparison,
    view_model,
    view_repair,
    view_simulation,
    view_stability,
    view_sweep,
    view_table,
)
from api.resources import job_resource
from api.routes.jobs import KnownJob
from api.routes.reading import DIGITS, HashText, ResultId, StrictQuery, find_resource
from api.services import Services, WithServices
from tvlb.schemas import (
    RepairItem,
    StabilityItem,
    SweepBody,
    SweepItem,
    TableItem,
    quantity_names,
)
from tvlb.search import BUDGETS, VC_POLICIES, VCT_ROUTINGS
from tvlb.topology import UNNAMED, sized_families

router = APIRouter(include_in_schema=False)
router.include_router(session.router)

_LISTED = 20
_MOST_COMPARED = 8
_OBJECTIVES = ("saturation", "latency@0.2", "worst-pattern", "front")
_GLOSSARY = MarkdownIt().render((files("api.pages") / "glossary.md").read_text())
_EXAMPLES = ("2,4,2,9", "4,8,4,9", "4,8,4,17", "4,8,4,33", "4,8,4,9,palmtree")


@dataclass(frozen=True)
class _Visit:
    """A request for a page."""

    request: Request
    services: WithServices

    @property
    def visitor(self) -> Visitor:
        """Who asks."""
        needs_token = self.services.settings.needs_token
        signed_in = needs_token and session.COOKIE in self.request.cookies
        return Visitor(str(self.request.base_url).rstrip("/"), needs_token, signed_in)

    def show(self, template: str, **shown: Any) -> Response:
        """Answer with a page."""
        return page(render(template, signed_in=self.visitor.signed_in, **shown))

    async def show_results(
        self, template: str, view: View, kind: str, *keys: str, **more: Any
    ) -> Response:
        """Answer with the page of results of a kind, and more; raises as `find_resource`."""
        found = [await find_resource(self.services.library, kind, key) for key in keys]
        # What is in memory may have been read before it had its label.
        (first, *_) = keys
        known = await to_thread.run_sync(self.services.results.get, first)
        visitor = replace(self.visitor, label=None if known is None else known.label)
        given = render_results, template, view, found, visitor, more
        if all(one.body is not None for one in found):
            return page(await to_thread.run_sync(*given))
        return page(await self.services.page_maker.call(*given))


Visit = Annotated[_Visit, Depends()]


class _Older(StrictQuery):
    jobs_before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = None
    tables_before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = None
    network: Annotated[str, Field(max_length=1000)] | SkipJsonSchema[None] = None
    search: Annotated[str, Field(max_length=100)] = ""


@router.get("/")
async def show_home(visit: Visit, older: Annotated[_Older, Query()]) -> Response:
    """Show the form for a new table, the jobs and the tables."""
    services, search = visit.services, older.search
    shown = await to_thread.run_sync(_jobs, services, older.jobs_before, search)
    tables, more = await to_thread.run_sync(_tables, services, older.tables_before, search)
    return visit.show(
        "home.html",
        **shown,
        tables=tables,
        older_tables=more,
        disk=await to_thread.run_sync(visit.services.disk_use),
        part=_url("/parts/jobs", before=older.jobs_before, search=search),
        search=search,
        network=older.network,
        fields=fields(),
        router_options=router_options(),
        examples=_EXAMPLES,
        objectives=_OBJECTIVES,
        budgets=tuple(BUDGETS),
    )


class _Before(StrictQuery):
    before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = None
    search: Annotated[str, Field(max_length=100)] = ""


@router.get("/parts/jobs")
async def show_jobs_part(services: WithServices, listing: Annotated[_Before, Query()]) -> Response:
    """Show the list of jobs alone, for the page to renew it."""
    shown = await to_thread.run_sync(_jobs, services, listing.before, listing.search)
    return page(render("jobs_part.html", search=listing.search, **shown))


@router.get("/jobs/{job_id}")
async def show_job(visit: Visit, job: KnownJob) -> Response:
    """Show a job and follow it."""
    shown = job_resource(job)
    commands = visit.visitor.commands(job.kind, job.request)
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
    return page(render("job_part.html", job=job_resource(job)))


@router.get("/tables/{table_id}")
async def show_table(visit: Visit, table_id: ResultId) -> Response:
    """Show a table: what was chosen and why, the network, its paths and its links."""
    repairs = await to_thread.run_sync(_repairs, visit.services, table_id)
    return await visit.show_results("table.html", view_table, "table", table_id, repairs=repairs)


@router.get("/repairs/{repair_id}")
async def show_repair(visit: Visit, repair_id: ResultId) -> Response:
    """Show a repair: the new table, and what it is worth beside the old one."""
    return await visit.show_results("repair.html", view_repair, "repair", repair_id)


class _Compared(StrictQuery):
    table: list[HashText] = Field(
        min_length=1, max_length=_MOST_COMPARED, description="Ids of tables."
    )


@router.get("/compare")
async def show_comparison(visit: Visit, compared: Annotated[_Compared, Query()]) -> Response:
    """Show tables side by side."""
    names = dict.fromkeys(compared.table)
    return await visit.show_results("compare.html", view_comparison, "table", *names)


@router.get("/simulations/{simulation_id}")
async def show_simulation(visit: Visit, simulation_id: ResultId) -> Response:
    """Show simulated loads."""
    return await visit.show_results("simulation.html", view_simulation, "simulation", simulation_id)


@router.get("/stabilities/new")
async def show_new_stability(visit: Visit) -> Response:
    """Show the form for a new study of stability, and the studies."""
    return visit.show(
        "new_stability.html",
        studies=await to_thread.run_sync(_studies, visit.services),
        routings=VCT_ROUTINGS,
        policies=VC_POLICIES,
        options=long_run_options(),
    )


@router.get("/stabilities/{stability_id}")
async def show_stability(visit: Visit, stability_id: ResultId) -> Response:
    """Show a study of stability: its categories and accepted load over time."""
    return await visit.show_results("stability.html", view_stability, "stability", stability_id)


@router.get("/sweeps/new")
async def show_new_sweep(visit: Visit) -> Response:
    """Show the form for a new sweep, and the sweeps."""
    found = await to_thread.run_sync(_sweeps, visit.services)
    schema = SweepBody.model_json_schema()["properties"]
    return visit.show(
        "new_sweep.html",
        sweeps=found,
        methods=fields()["method"]["choices"],
        families=_sized(),
        arrangements=schema["arrangements"]["items"]["enum"],
        routings=schema["routings"]["items"]["enum"],
    )


@router.get("/sweeps/{sweep_id}")
async def show_sweep(visit: Visit, sweep_id: ResultId) -> Response:
    """Show a sweep: a row for each point, and the way to its report and its files."""
    return await visit.show_results("sweep.html", view_sweep, "sweep", sweep_id)


@router.get("/glossary")
async def show_glossary(visit: Visit) -> Response:
    """Show what the terms mean."""
    return visit.show("glossary.html", text=_GLOSSARY)


@router.get("/models/{model_id}")
async def show_model(visit: Visit, model_id: ResultId) -> Response:
    """Show a solved model."""
    return await visit.show_results("model.html", view_model, "model", model_id)


def mount_assets(app: FastAPI) -> None:
    """Serve Plotly, which comes with its own package, and what pages share with reports."""
    app.mount("/static/plotly", StaticFiles(packages=[("plotly", "package_data")]))
    app.mount("/static/report", StaticFiles(packages=[("tvlb.report", "assets")]))


def _sized() -> list[dict[str, Any]]:
    """Return what the form asks of each family; the one that is meant unnamed comes first."""
    sizings = {name: one.sizing for name, one in sized_families().items() if one.sizing}
    return [
        {"name": name, "parameters": sizing.parameters, "quantities": quantity_names(sizing)}
        for name, sizing in sorted(sizings.items(), key=lambda each: each[0] != UNNAMED)
    ]


def _sweeps(services: Services) -> list[dict[str, Any]]:
    found = services.results.newest("sweep", limit=_LISTED)
    return [services.library.listed(SweepItem, one) for one in found]


def _studies(services: Services) -> list[dict[str, Any]]:
    found = services.results.newest("stability", limit=_LISTED)
    return [services.library.listed(StabilityItem, one) for one in found]


def _repairs(services: Services, table_id: str) -> list[dict[str, Any]]:
    found = services.results.newest("repair", search=table_id, limit=_LISTED)
    return [services.library.listed(RepairItem, one) for one in found]


def _url(path: str, **query: str | int | None) -> str:
    given = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(given)}" if given else path


def _jobs(services: Services, before: int | None, search: str) -> dict[str, Any]:
    found = services.queue.newest(before=before, search=search or None, limit=_LISTED)
    more = None
    if len(found) == _LISTED:
        more = _url("/", jobs_before=found[-1].number, search=search) + "#jobs"
    return {"jobs": [job_resource(job) for job in found], "next": more}


def _tables(
    services: Services, before: int | None, search: str
) -> tuple[list[dict[str, Any]], str | None]:
    found = services.results.newest("table", before=before, search=search or None, limit=_LISTED)
    items = [services.library.listed(TableItem, one) for one in found]
    if len(found) < _LISTED:
        return items, None
    return items, _url("/", tables_before=found[-1].number, search=search) + "#tables"
