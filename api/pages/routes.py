"""The pages."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Query, Request
from fastapi.staticfiles import StaticFiles
from markdown_it import MarkdownIt
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import RedirectResponse, Response

from api.pages import session
from api.pages.documentation import documented
from api.pages.forms import form_of, table_form
from api.pages.rendering import page, render
from api.pages.views import PAGES, Page, Visitor, render_comparison, render_result
from api.resources import job_resource
from api.routes.jobs import KnownJob
from api.routes.operations import described_routes
from api.routes.reading import DIGITS, HashText, ResultId, StrictQuery, find_resource
from api.services import Services, WithServices
from tvlb.requests import RequestKind, request_kinds

router = APIRouter(include_in_schema=False)
router.include_router(session.router)

_LISTED = 20
_MOST_COMPARED = 8
_HOME_FORM = "/#submit"
_GLOSSARY = MarkdownIt().render((files("api.pages") / "glossary.md").read_text())


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

    def show(self, template: str | list[str], **shown: Any) -> Response:
        """Answer with a page."""
        return page(render(template, signed_in=self.visitor.signed_in, **shown))

    async def show_results(
        self, kind: str, *keys: str, make: Callable[..., str], **more: Any
    ) -> Response:
        """Answer with the page that is made of results of a kind; raises as `find_resource`."""
        found = [await find_resource(self.services.library, kind, key) for key in keys]
        # What is in memory may have been read before it had its label.
        known = await to_thread.run_sync(self.services.results.get, keys[0])
        visitor = replace(self.visitor, label=None if known is None else known.label)
        given = make, kind, found, visitor, more
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
        **table_form(),
    )


class _Before(StrictQuery):
    before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = None
    search: Annotated[str, Field(max_length=100)] = ""


class _Asked(BaseModel):
    """The query of a form: of its list, and what is to be filled in."""

    model_config = ConfigDict(extra="ignore")

    before: Annotated[int, Field(ge=0, le=2**31 - 1), DIGITS] | SkipJsonSchema[None] = None
    search: Annotated[str, Field(max_length=100)] = ""
    router: Annotated[str, Field(max_length=100)] = ""


@router.get("/jobs")
@router.get("/tables")
async def show_list(request: Request) -> Response:
    """Lead to the lists of the first page."""
    return RedirectResponse(f"/#{request.url.path[1:]}")


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
    cancelling = commands.curl_of("POST", f"{shown['url']}/cancel")
    return visit.show("job.html", job=shown, commands=commands.shown() | {"cancelling": cancelling})


@router.get("/jobs/{job_id}/part")
async def show_job_part(job: KnownJob) -> Response:
    """Show the state of a job alone, for the page to renew it."""
    return page(render("job_part.html", job=job_resource(job)))


class _Compared(StrictQuery):
    table: list[HashText] = Field(
        min_length=1, max_length=_MOST_COMPARED, description="Ids of tables."
    )


@router.get("/compare")
async def show_comparison(visit: Visit, compared: Annotated[_Compared, Query()]) -> Response:
    """Show tables side by side."""
    names = dict.fromkeys(compared.table)
    return await visit.show_results("table", *names, make=render_comparison)


@router.get("/glossary")
async def show_glossary(visit: Visit) -> Response:
    """Show what the terms mean."""
    return visit.show("glossary.html", text=_GLOSSARY)


@router.get("/docs")
async def show_documentation(visit: Visit) -> Response:
    """Show all routes."""
    document, signed_in = await described_routes(visit.request), visit.visitor.signed_in
    return page(await to_thread.run_sync(_documentation, document, signed_in))


@lru_cache(maxsize=2)
def _documentation(document: bytes, signed_in: bool) -> str:
    # Made once: it takes a quarter of a second.
    return render("docs.html", signed_in=signed_in, **documented(json.loads(document)))


def _add_kind(kind: RequestKind) -> None:
    """Add the pages of a kind: its form with the results, and that of a result."""

    async def show_new(visit: Visit, listing: Annotated[_Asked, Query()]) -> Response:
        template, shown = form_of(kind, listing.router)
        found = await to_thread.run_sync(_page_of, visit.services, kind, listing)
        return visit.show(template, kind=kind, search=listing.search, **found, **shown)

    async def show(visit: Visit, result_id: ResultId) -> Response:
        known = await to_thread.run_sync(visit.services.results.get, result_id)
        if known is not None and known.kind != kind.name:
            # A repair names its table by the id alone, which may be that of a repair.
            return RedirectResponse(f"/{request_kinds()[known.kind].plural}/{result_id}")
        related = PAGES.get(kind.name, Page()).related
        more = {
            request_kinds()[name].plural: await to_thread.run_sync(
                _listed, visit.services, name, result_id
            )
            for name in related
        }
        return await visit.show_results(kind.name, result_id, make=render_result, **more)

    if kind.menu and kind.form_url != _HOME_FORM:
        router.add_api_route(kind.form_url, show_new)
    if kind.form_url != _HOME_FORM:
        router.add_api_route(f"/{kind.plural}", show_new)
    router.add_api_route(f"/{kind.plural}/{{result_id}}", show)


for _kind in request_kinds().values():
    _add_kind(_kind)


def mount_assets(app: FastAPI) -> None:
    """Serve what pages load: Plotly comes with its own package, some is shared with reports."""
    app.mount("/static/plotly", StaticFiles(packages=[("plotly", "package_data")]))
    app.mount("/static/report", StaticFiles(packages=[("tvlb.report", "assets")]))
    app.mount("/static", StaticFiles(packages=[("api", "static")]))


def _listed(services: Services, kind: str, search: str | None = None) -> list[dict[str, Any]]:
    found = services.results.newest(kind, search=search, limit=_LISTED)
    return [services.library.listed(one) for one in found]


def _page_of(services: Services, kind: RequestKind, listing: "_Asked") -> dict[str, Any]:
    search, limit = listing.search or None, _LISTED
    found = services.results.newest(kind.name, before=listing.before, search=search, limit=limit)
    older = None
    if len(found) == _LISTED:
        older = _url(f"/{kind.plural}", before=found[-1].number, search=search)
    return {"listed": [services.library.listed(one) for one in found], "older": older}


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
    items = [services.library.listed(one) for one in found]
    if len(found) < _LISTED:
        return items, None
    return items, _url("/", tables_before=found[-1].number, search=search) + "#tables"
