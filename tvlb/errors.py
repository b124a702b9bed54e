"""Every exception that tvlb raises on purpose.

::

    TvlbError
    |-- InvalidInput          a value given by the user is malformed or out of range
    |-- SolverFailed          an LP was not solved to proven optimality
    |-- SimulationDeadlock    flits stopped moving inside the network
    |-- VerificationFailed    a table does not hold what it promises
    |-- ServerProblem         a server refused a request, or could not answer it
    |-- Unreachable           there is no connection to a server
    |-- JobFailed             a server could not compute what it was asked for
    |-- StoreUnavailable      finished work cannot be read or kept at the moment
    |   `-- StoreLost         nor could it on any attempt
    |-- WorkerLost            processes that computed a part of the work died
    |   `-- NoWorkers         no process can be had that would compute anything
    `-- Cancelled             the caller asked a running computation to stop
"""

from dataclasses import dataclass

_LONGEST_LINE = 1000


class TvlbError(Exception):
    """Base class of all errors raised by tvlb."""


class InvalidInput(TvlbError):
    """A value given by the user is malformed or out of range; nothing was computed."""


class SolverFailed(TvlbError):
    """A linear program was not solved to proven optimality."""


@dataclass(frozen=True)
class BlockedBuffer:
    """A full input buffer at the end of a link, whose first flit can never leave.

    Attributes
    ----------
    source, target : the switches that the link joins; the buffer is at the target.
    vc : its virtual channel.
    """

    source: int
    target: int
    vc: int

    def __str__(self) -> str:
        return f"{self.source}->{self.target} VC {self.vc}"


class SimulationDeadlock(TvlbError):
    """Flits can never move again.

    Attributes
    ----------
    cycle : simulated cycle in which this was found.
    blocked : input buffers, each of them full and waiting for room in the next, the last one for
        room in the first.
    """

    _SHOWN = 12

    def __init__(self, cycle: int, blocked: tuple[BlockedBuffer, ...]) -> None:
        super().__init__(cycle, blocked)
        self.cycle = cycle
        self.blocked = blocked

    def __str__(self) -> str:
        shown = [str(one) for one in self.blocked[: self._SHOWN]]
        left_out = len(self.blocked) - len(shown)
        more = [f"{left_out} more"] if left_out else []
        return (
            f"deadlock found in cycle {self.cycle}: {len(self.blocked)} full input buffers (link, "
            f"VC) wait for each other in a circle: {', '.join(shown + more)}"
        )


class VerificationFailed(TvlbError):
    """A T-VLB table is inconsistent, incomplete or not deadlock free."""


class ServerProblem(TvlbError):
    """A server refused a request, or could not answer it.

    Attributes
    ----------
    status : of the HTTP answer.
    type : the kind of problem for programs, a URI (RFC 9457).
    title : the kind in words.
    detail : what happened this time.
    retry_after : seconds after which the server wants to be asked again; None if it did not say.
    """

    def __init__(
        self, status: int, kind: str, title: str, detail: str, retry_after: float | None = None
    ) -> None:
        super().__init__(status, kind, title, detail, retry_after)
        self.status = status
        self.type = kind
        self.title = title
        self.detail = detail
        self.retry_after = retry_after

    @property
    def is_bad_input(self) -> bool:
        """Whether the request has to change before it can succeed."""
        return 400 <= self.status < 500

    def __str__(self) -> str:
        return f"the server answers {self.status} {self.title}: {self.detail}"


class Unreachable(TvlbError):
    """There is no connection to a server, or it was given up."""


class JobFailed(TvlbError):
    """A server could not compute what it was asked for.

    Attributes
    ----------
    type : a short name for programs.
    title, detail : what happened.
    log : the last lines of the job, oldest first.
    """

    def __init__(self, kind: str, title: str, detail: str, log: tuple[str, ...] = ()) -> None:
        super().__init__(kind, title, detail, log)
        self.type = kind
        self.title = title
        self.detail = detail
        self.log = log

    def __str__(self) -> str:
        return f"the job failed at the server: {self.title}: {self.detail}"


class StoreUnavailable(TvlbError):
    """The store cannot be read or written at the moment; nothing is known of what it holds."""


class StoreLost(StoreUnavailable):
    """The store failed as often as it was tried; see `tvlb.processes.retry`."""


class WorkerLost(TvlbError):
    """Worker processes died of a task as often as it was tried; see `tvlb.processes.retry`."""


class NoWorkers(WorkerLost):
    """There is no worker any more, and none can be had."""


class Cancelled(TvlbError):
    """A running computation was stopped at the caller's request."""


def one_line(message: str) -> str:
    """Return what people are told of an error: one line, without the middle of a long one."""
    line = " ".join(message.split())
    if len(line) <= _LONGEST_LINE:
        return line
    return f"{line[: _LONGEST_LINE // 2]} ... {line[-_LONGEST_LINE // 2 :]}"
