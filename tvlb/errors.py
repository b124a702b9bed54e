"""Every exception that tvlb raises on purpose.

::

    TvlbError
    |-- InvalidInput          a value given by the user is malformed or out of range
    |-- SolverFailed          an LP was not solved to proven optimality
    |-- SimulationDeadlock    flits stopped moving inside the network
    |-- VerificationFailed    a table does not hold what it promises
    `-- Cancelled             the caller asked a running computation to stop
"""

from dataclasses import dataclass

__all__ = [
    "BlockedBuffer",
    "Cancelled",
    "InvalidInput",
    "SimulationDeadlock",
    "SolverFailed",
    "TvlbError",
    "VerificationFailed",
]


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


class Cancelled(TvlbError):
    """A running computation was stopped at the caller's request."""
