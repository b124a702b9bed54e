"""The states of a job and the moves between them; nothing else may change a status.

::

                 claim                finish
      queued ------------> running ------------> succeeded
       |  ^                 | | |       fail
       |  |    hand back    | | +--------------> failed
       |  +-----------------+ |                    ^
       |  |      retry        | stop               | give up
       |  +-------------------+-----> cancelled    | (after three
       |                      |          ^         |  attempts)
       +----------------------|----------+         |
               cancel         +--------------------+

`retry` and `give up` follow an attempt that failed for a reason that may pass, or whose worker
died; `fail` follows an error that would come again, or was met often enough: see
`tvlb.processes.retry`. Of a running job, `cancel` only sets `cancel_requested`; its worker, or the
reaper, carries out `stop`. Jobs that have ended may be deleted.
"""

from enum import StrEnum

from tvlb.processes import JobStatus

ENDED = frozenset({JobStatus.SUCCEEDED, JobStatus.FAILED, JobStatus.CANCELLED})


class Move(StrEnum):
    """A change of status; `source` and `target` are the statuses before and after."""

    source: JobStatus
    target: JobStatus

    def __new__(cls, name: str, source: JobStatus, target: JobStatus) -> "Move":
        """Make a member whose text is `name`."""
        self = str.__new__(cls, name)
        self._value_ = name
        self.source = source
        self.target = target
        return self

    CLAIM = "claim", JobStatus.QUEUED, JobStatus.RUNNING
    CANCEL = "cancel", JobStatus.QUEUED, JobStatus.CANCELLED
    FINISH = "finish", JobStatus.RUNNING, JobStatus.SUCCEEDED
    FAIL = "fail", JobStatus.RUNNING, JobStatus.FAILED
    STOP = "stop", JobStatus.RUNNING, JobStatus.CANCELLED
    HAND_BACK = "hand back", JobStatus.RUNNING, JobStatus.QUEUED
    RETRY = "retry", JobStatus.RUNNING, JobStatus.QUEUED
    GIVE_UP = "give up", JobStatus.RUNNING, JobStatus.FAILED
