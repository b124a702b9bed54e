"""Jobs: their state, their events, and ending them."""

from collections.abc import AsyncIterator
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, HTTPException, Path, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import JSONResponse, Response

from api.problems import Problem
from api.resources import job_resource
from api.responses import answer, problems
from api.routes.reading import DIGITS, ListQuery
from api.services import Owner, Services, WithServices
from tvlb.jobs.job import Job
from tvlb.jobs.logs import audit
from tvlb.jobs.status import JobStatus
from tvlb.requests import JobList, JobResource, Labelling
from tvlb.requests.texts import told_digits

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

JobId = Annotated[
    str,
    Path(pattern="^[0-9a-f]{32}$", description="Id of the job.", examples=["4e5d" * 8]),
    told_digits(32),
]
# A lost connection is noticed by the keep-alive of the stream, so this only bounds one wait.
_LOOK_AGAIN_SECONDS = 60.0


class _Jobs(ListQuery):
    limit: Annotated[int, Field(ge=1, le=100), DIGITS] = Field(20, description="Most jobs.")
    status: JobStatus | SkipJsonSchema[None] = Field(
        None, description="Only jobs with this status."
    )


@router.get(
    "",
    operation_id="list_jobs",
    response_class=Response,
    responses={200: answer(JobList), **problems(422)},
)
async def list_jobs(services: WithServices, listing: Annotated[_Jobs, Query()]) -> Response:
    """List the jobs, newest first."""

    def read() -> list[Job]:
        return services.queue.newest(
            before=listing.before,
            status=listing.status,
            search=listing.search,
            limit=listing.limit,
        )

    found = await to_thread.run_sync(read)
    following = listing.next_url("/v1/jobs", found)
    return JSONResponse({"jobs": [job_resource(job) for job in found], "next": following})


async def _may_go_on(services: Services, owner: str | None) -> bool:
    """Whether a token is still good that was when the stream began."""
    return owner is None or await to_thread.run_sync(services.tokens.is_active, owner)


async def _job(job_id: JobId, services: WithServices) -> Job:
    return _existing(await to_thread.run_sync(services.queue.get, job_id), job_id)


KnownJob = Annotated[Job, Depends(_job)]


@router.get(
    "/{job_id}",
    operation_id="get_job",
    response_class=Response,
    responses={200: answer(JobResource), **problems(404, 422)},
)
async def get_job(job: KnownJob) -> Response:
    """Return the state of a job."""
    return JSONResponse(job_resource(job))


def _last_event(
    job: KnownJob,
    last_event_id: Annotated[
        Annotated[str, Field(pattern="^[0-9]{1,9}$")] | SkipJsonSchema[None],
        Header(description="Number of the last event that was seen."),
    ] = None,
) -> int:
    last = min(int(last_event_id or 0), job.last_event)
    if job.ended and last == job.last_event:
        # Nothing more will come; a browser takes an empty stream for a lost connection.
        raise HTTPException(HTTPStatus.NO_CONTENT)
    return last


LastEvent = Annotated[int, Depends(_last_event)]


@router.get(
    "/{job_id}/events",
    operation_id="follow_job",
    response_class=EventSourceResponse,
    responses={
        200: {"description": "Events until the job has ended: state, progress, log."},
        204: {"description": "The job has ended, and its last event was seen."},
        **problems(404, 422),
    },
)
async def follow_job(
    job: KnownJob, services: WithServices, last: LastEvent, owner: Owner
) -> AsyncIterator[ServerSentEvent]:
    """Follow a job: its events from the beginning, or after Last-Event-ID, as they happen.

    Events are `state` (status, move), `progress` (stage, done, total, note, progress) and `log`
    (message); their ids count from 1 without gaps.
    """
    while not services.feed.closing.is_set() and await _may_go_on(services, owner):
        for event in await to_thread.run_sync(services.queue.events, job.id, last):
            last = event.number
            yield ServerSentEvent(raw_data=event.data, event=event.type, id=str(event.number))
        found = await to_thread.run_sync(services.queue.get, job.id)
        if found is None or (found.ended and last >= found.last_event):
            return
        if last < found.last_event:
            continue
        await services.feed.wait(job.id, last, _LOOK_AGAIN_SECONDS)


@router.post(
    "/{job_id}/cancel",
    operation_id="cancel_job",
    response_class=Response,
    responses={
        200: answer(JobResource, description="The job is cancelled."),
        202: answer(JobResource, description="Its worker will stop it within a second."),
        **problems(404, 409, 413, 415, 422),
    },
)
async def cancel_job(job_id: JobId, services: WithServices) -> Response:
    """End a job that has not ended. Others who asked for the same lose it too."""
    found, ended = await to_thread.run_sync(services.queue.cancel, job_id, limiter=services.writers)
    if ended is not None:
        audit(ended)
    job = _existing(found, job_id)
    if job.status in (JobStatus.SUCCEEDED, JobStatus.FAILED):
        raise _ended(job)
    done = job.status is JobStatus.CANCELLED
    return JSONResponse(job_resource(job), HTTPStatus.OK if done else HTTPStatus.ACCEPTED)


@router.patch(
    "/{job_id}",
    operation_id="label_job",
    response_class=Response,
    responses={200: answer(JobResource), **problems(400, 404, 413, 415, 422)},
)
async def label_job(job: KnownJob, services: WithServices, asked: Labelling) -> Response:
    """Give a job a label, which its result has, too."""
    await to_thread.run_sync(services.labels.set, job.key, asked.label, limiter=services.writers)
    return JSONResponse(job_resource(replace(job, label=asked.label)))


@router.delete(
    "/{job_id}",
    operation_id="delete_job",
    status_code=HTTPStatus.NO_CONTENT,
    response_class=Response,
    responses=problems(404, 409, 422),
)
async def delete_job(job_id: JobId, services: WithServices) -> Response:
    """Delete a job that has ended; its result stays."""
    found, gone = await to_thread.run_sync(services.queue.delete, job_id, limiter=services.writers)
    job = _existing(found, job_id)
    if not gone:
        raise Problem(
            HTTPStatus.CONFLICT,
            "job-not-ended",
            f"job {job.id} is {job.status}; cancel it before it is deleted",
        )
    return Response(None, HTTPStatus.NO_CONTENT)


def _existing(job: Job | None, job_id: str) -> Job:
    if job is None:
        raise Problem(HTTPStatus.NOT_FOUND, "not-found", f"there is no job {job_id}")
    return job


def _ended(job: Job) -> Problem:
    return Problem(HTTPStatus.CONFLICT, "job-ended", f"job {job.id} has ended before: {job.status}")
