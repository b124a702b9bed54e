"""The one retry policy: how often a piece of work is begun, who counts, and after what pause.

The innermost level that can begin a piece of work alone begins it again, and counts. What it gives
up is final: no level around it begins that again.

=================================  ====================================  ===============
what fails                         who begins it again                   pause
=================================  ====================================  ===============
a process dies or hangs in a unit  its executor (`tvlb.processes.workers`, Dask)   none
something else under a point       `tvlb.sweeps.engine`                  `pause_seconds`
something else under a job         `tvlb.jobs.lease`, by the attempts    `pause_seconds`
                                   in the database
the process or host of a job       `tvlb.jobs.reaper`, by the same       `pause_seconds`
=================================  ====================================  ===============

A unit that its executor gave up fails at once wherever else the same job or sweep needs it. What
killed its process beside the server goes on as a job that has those attempts behind it.

How long a client waits for a server that is away, which no work is to blame for, is decided by
`tvlb.client.backoff`.
"""

import time

from tvlb.errors import (
    InvalidInput,
    NoWorkers,
    SimulationDeadlock,
    SolverFailed,
    StoreLost,
    WorkerLost,
)
from tvlb.processes.parallel import Stop

MAX_ATTEMPTS = 3
"""How often a piece of work is begun, the first time included."""

_BACKOFF_SECONDS = 1.0
_POLL_SECONDS = 0.1
# The first three come again whatever the machine; the others were tried as often as they may be.
_FINAL = (InvalidInput, SolverFailed, SimulationDeadlock, WorkerLost, StoreLost)


def may_pass(error: BaseException) -> bool:
    """Whether work that ended with an error is worth another attempt."""
    return isinstance(error, NoWorkers) or not isinstance(error, _FINAL)


def pause_seconds(attempts: int) -> float:
    """Return how long to wait after so many attempts: a lack of memory or of disk may pass."""
    return _BACKOFF_SECONDS * attempts**2


def pause(attempts: int, stop: Stop) -> None:
    """Wait after so many attempts, or until `stop` is set."""
    end = time.monotonic() + pause_seconds(attempts)
    while not stop.is_set() and (left := end - time.monotonic()) > 0:
        time.sleep(min(left, _POLL_SECONDS))
