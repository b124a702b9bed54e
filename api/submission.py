"""What happens to a request that something be computed."""

import json
import re
import time
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

from anyio import CapacityLimiter, to_thread
from starlette.responses import JSONResponse, Response

from api.examination import Examined, Examiner
from api.feed import Feed
from api.idempotency import LONGEST_WAIT_SECONDS, Attempt, KeptResponses
from api.library import Library
from api.quick import NotQuick, QuickExecutor
from api.resources import ServedResource, job_resource
from api.settings import ServerLimits
from tvlb.errors import StoreUnavailable
from tvlb.jobs.blobs import DamagedBlob
from tvlb.jobs.job import Job
from tvlb.jobs.labels import Labels
from tvlb.jobs.queue import JobQueue, Submission
from tvlb.jobs.results import Results
from tvlb.jobs.status import JobStatus
from tvlb.jobs.workspace import Task, TaskOutput
from tvlb.requests import result_url

_POLL_AGAIN_SECONDS = 2
_WAIT = re.compile(r"\s*wait\s*=\s*\"?([0-9]{1,9})\"?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class SubmitHeaders:
    """How something is asked for.

    Attributes
    ----------
    owner : id of the token, None without tokens.
    idempotency_key : of the header, None without.
    wait_seconds : how long the answer may take, of the Prefer header; None without.
    label : what to call it; None leaves the label that it has.
    """

    owner: str | None
    idempotency_key: str | None
    wait_seconds: float | None
    label: str | None = None


@dataclass(frozen=True)
class Submitter:
    """Answers with the result, or with the job that will have it."""

    limits: ServerLimits
    queue: JobQueue
    results: Results
    labels: Labels
    library: Library
    feed: Feed
    quick: QuickExecutor
    kept_responses: KeptResponses
    writers: CapacityLimiter
    examiner: Examiner

    async def estimate(self, kind: str, sent: bytes) -> Response:
        """Answer with the resolved request and what it costs, and compute nothing.

        Parameters
        ----------
        kind, sent : as `api.examination.examine`.

        Raises
        ------
        RequestValidationError : the body is none of its kind.
        InvalidInput, DamagedBlob, StoreUnavailable : as `api.examination.examine`.
        Problem : too many requests are being examined.
        """
        examined = await self.examiner.run(kind, sent)
        return JSONResponse(await to_thread.run_sync(self._estimate, examined))

    def _estimate(self, examined: Examined) -> dict[str, Any]:
        points = examined.points
        return {
            "kind": examined.kind,
            "result_id": examined.key,
            "known": self._is_known(examined.key),
            "request": json.loads(examined.text),
            "cost": asdict(examined.cost.on(self.results.measured_speed())),
            "points": self._count_points(points) if points else None,
            "command": examined.command,
        }

    def _is_known(self, key: str) -> bool:
        result = self.results.get(key)
        try:
            return result is not None and self.library.load(result).facts.final
        except DamagedBlob:
            return False

    def _count_points(self, points: tuple[str, ...]) -> dict[str, int]:
        known = self.results.known(points)
        return {"total": len(points), "known": len(known)}

    async def submit(self, kind: str, sent: bytes, headers: SubmitHeaders) -> Response:
        """Answer with the result if it is known, small or finished in time, else with its job.

        Parameters
        ----------
        kind, sent : as `api.examination.examine`.

        Raises
        ------
        RequestValidationError : the body is none of its kind.
        InvalidInput, DamagedBlob, StoreUnavailable : as `api.examination.examine`.
        QueueFull : no job was made for it.
        Problem : its Idempotency-Key cannot be used, or too many requests are being examined.
        """
        examined = await self.examiner.run(kind, sent)
        if headers.label is not None:
            await to_thread.run_sync(
                self.labels.set, examined.key, headers.label, limiter=self.writers
            )
        if headers.idempotency_key is None:
            return await self._answer(examined, headers)
        begun = await to_thread.run_sync(
            self.kept_responses.begin,
            headers.owner,
            headers.idempotency_key,
            f"{kind} {examined.text}",
            headers.wait_seconds or 0.0,
            limiter=self.writers,
        )
        if isinstance(begun, Response):
            return begun
        if begun is None:
            return await self._answer(examined, headers)
        return await self._answer_once(begun, examined, headers)

    async def _answer_once(
        self, attempt: Attempt, examined: Examined, headers: SubmitHeaders
    ) -> Response:
        try:
            response = await self._answer(examined, headers)
            await to_thread.run_sync(
                self.kept_responses.keep, attempt, response, limiter=self.writers
            )
        except BaseException:
            await to_thread.run_sync(self.kept_responses.drop, attempt, limiter=self.writers)
            raise
        return response

    async def _answer(self, examined: Examined, headers: SubmitHeaders) -> Response:
        attempts = 0
        if self._is_small(examined):
            try:
                return self._found(await self._compute(examined))
            except NotQuick as begun:
                attempts = begun.attempts
        found = await to_thread.run_sync(
            self._find_or_submit, examined, headers.owner, attempts, limiter=self.writers
        )
        if isinstance(found, ServedResource):
            return self._found(found)
        if headers.wait_seconds is None:
            return _accepted(found)
        return await self._wait(found, headers.wait_seconds)

    def _is_small(self, examined: Examined) -> bool:
        small = examined.cost.cpu_seconds <= self.limits.at_once_seconds
        return small and examined.may_be_quick

    async def _compute(self, examined: Examined) -> ServedResource:
        known = await to_thread.run_sync(self._known, examined.key)
        if known is not None:
            return known
        task = Task(examined.kind, examined.key, examined.text)
        try:
            output = await self.quick.run(task)
        except OSError as error:
            raise StoreUnavailable(f"the result store: {error.strerror}") from error
        return await to_thread.run_sync(self._publish, task, output, limiter=self.writers)

    def _publish(self, task: Task, output: TaskOutput) -> ServedResource:
        # Else the files may be in a directory that was made in its place.
        self.library.check_store()
        result = self.results.publish(task.kind, task.key, task.request, output)
        return self.library.load(result)

    def _known(self, key: str) -> ServedResource | None:
        """Return the result if it is there and its files are whole; raises StoreUnavailable."""
        self.library.check_store()
        result = self.results.get(key)
        if result is None or self.library.drop_damaged(result):
            return None
        return self.library.load(result)

    def _find_or_submit(
        self, examined: Examined, owner: str | None, attempts: int
    ) -> ServedResource | Job:
        request = json.loads(examined.text)
        while True:
            known = self._known(examined.key)
            if known is not None and known.facts.final:
                return known
            # What may change stays readable until the new one takes its place.
            replaced = None if known is None else known.result.number
            found = self.queue.submit(
                Submission(examined.kind, examined.key, request, owner, replaced, attempts)
            )
            if isinstance(found, Job):
                return found

    async def _wait(self, job: Job, seconds: float) -> Response:
        """Hold the answer until the job has ended, but no longer than was asked for."""
        deadline = time.monotonic() + seconds
        while not job.ended and (left := deadline - time.monotonic()) > 0:
            if not await self.feed.wait(job.id, job.last_event, left):
                break
            found = await to_thread.run_sync(self.queue.get, job.id)
            if found is None or self.feed.closing.is_set():
                break
            job = found
        applied = {"Preference-Applied": f"wait={seconds:.0f}"}
        if job.status is not JobStatus.SUCCEEDED:
            response = _accepted(job)
        else:
            resource = await to_thread.run_sync(self.library.get, job.kind, job.key)
            response = _accepted(job) if resource is None else self._found(resource)
        response.headers.update(applied)
        return response

    def _found(self, resource: ServedResource) -> Response:
        url = result_url(resource.result.kind, resource.result.key)
        return resource.response({"Content-Location": url})


def _accepted(job: Job) -> Response:
    return JSONResponse(
        job_resource(job),
        HTTPStatus.ACCEPTED,
        {"Location": f"/v1/jobs/{job.id}", "Retry-After": str(_POLL_AGAIN_SECONDS)},
    )


def parse_wait(prefer: str | None) -> float | None:
    """Return the seconds of ``Prefer: wait=N``, at most 300; None without.

    Preferences that are not understood are passed over, as RFC 7240 wants.
    """
    for part in (prefer or "").split(","):
        match = _WAIT.fullmatch(part.split(";")[0])
        if match is not None:
            return min(float(match.group(1)), LONGEST_WAIT_SECONDS)
    return None
