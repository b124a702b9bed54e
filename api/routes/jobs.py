"""Jobs: their state, their events, and ending them."""

from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated, Any
from urllib.parse import urlencode

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Path, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import JSONResponse, Response

from api.problems import Problem
from api.resources import job_resource
from api.responses import problems
from api.services import WithServices
from tvlb.jobs.job import Job
from tvlb.jobs.lease import Ended
from tvlb.jobs.logs import audit
from tvlb.jobs.status import JobStatus
from tvlb.schemas import JobList, JobResource

__all__ = ["router"]

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

JobId = Annotated[
    str, Path(pattern="^[0-9a-f]{32}$", description="Id of the job.", examples=["4e5d" * 8])
]
# A lost connection is noticed by the keep-alive of the stream, so this only bounds one wait.
_LOOK_AGAIN_SECONDS = 60.0


class _Listing(BaseModel):
    model_config = ConfigDict(extra="forbid")

    limit: int = Field(20, ge=1, le=100, description="Most jobs.")
    before: Annotated[int, Field(ge=0, le=2**31 - 1)] | SkipJsonSchema[None] = Field(
        None, description="Of `next`: where to go on with older ones."
    )
    status: JobStatus | SkipJsonSchema[None] = Field(
        None, description="Only jobs with this status."
    )


@router.get(
    "",
    operation_id="list_jobs",
    response_class=Response,
    responses={200: {"model": JobList}, **problems(422)},
)
async def list_jobs(services: WithServices, listing: Annotated[_Listing, Query()]) -> Response:
    """List the jobs, newest first."""

    def read() -> list[Job]:
        return services.queue.newest(
            before=listing.before, status=listing.status, limit=listing.limit
        )

    found = await to_thread.run_sync(read)
    following = None
    if len(found) == listing.limit:
        query: dict[str, Any] = {"limit": listing.limit, "before": found[-1].number}
        if listing.status is not None:
            query["status"] = str(listing.status)
        following = f"/v1/jobs?{urlencode(query)}"
    return JSONResponse({"jobs": [job_resource(job) for job in found], "next": following})


async def _job(job_id: JobId, services: WithServices) -> Job:
    return _existing(await to_thread.run_sync(services.queue.get, job_id), job_id)


KnownJob = Annotated[Job, Depends(_job)]


@router.get(
    "/{job_id}",
    operation_id="get_job",
    response_class=Response,
    responses={200: {"model": JobResource}, **problems(404, 422)},
)
async def get_job(job: KnownJob) -> Response:
    """Return the state of a job."""
    return JSONResponse(job_resource(job))


@router.get(
    "/{job_id}/events",
    operation_id="follow_job",
    response_class=EventSourceResponse,
    responses={
        200: {"description": "Events until the job has ended: state, progress, log."},
        **problems(404, 422),
    },
)
async def follow_job(
    job: KnownJob,
    services: WithServices,
    last_event_id: Annotated[
        Annotated[str, Field(pattern="^[0-9]{1,9}$")] | SkipJsonSchema[None],
        Header(description="Number of the last event that was seen."),
    ] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Follow a job: its events from the beginning, or after Last-Event-ID, as they happen.

    Events are `state` (status, move), `progress` (stage, done, total, note, progress) and `log`
    (message); their ids count from 1 without gaps.
    """
    last = int(last_event_id or 0)
    while not services.feed.closing.is_set():
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
        200: {"model": JobResource, "description": "The job is cancelled."},
        202: {"model": JobResource, "description": "Its worker will stop it within a second."},
        **problems(404, 409, 413, 415, 422),
    },
)
async def cancel_job(job_id: JobId, services: WithServices) -> Response:
    """End a job that has not ended. Others who asked for the same lose it too."""
    before = await to_thread.run_sync(services.queue.get, job_id)
    job = _existing(await to_thread.run_sync(services.queue.cancel, job_id), job_id)
    if job.status in (JobStatus.SUCCEEDED, JobStatus.FAILED):
        raise _ended(job)
    if job.status is JobStatus.CANCELLED and before is not None and not before.ended:
        audit(Ended(job.id, job.kind, job.key, job.owner, job.status, job.attempt, None))
    done = job.status is JobStatus.CANCELLED
    return JSONResponse(job_resource(job), HTTPStatus.OK if done else HTTPStatus.ACCEPTED)


@router.delete(
    "/{job_id}",
    operation_id="delete_job",
    status_code=HTTPStatus.NO_CONTENT,
    response_class=Response,
    responses=problems(404, 409, 422),
)
async def delete_job(job_id: JobId, services: WithServices) -> Response:
    """Delete a job that has ended; its result stays."""
    job = _existing(await to_thread.run_sync(services.queue.delete, job_id), job_id)
    if not job.ended:
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
