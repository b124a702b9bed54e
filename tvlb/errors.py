"""Every exception that tvlb raises on purpose.

::

    TvlbError
    |-- InvalidInput          a value given by the user is malformed or out of range
    |-- SolverFailed          an LP was not solved to proven optimality
    |-- SimulationDeadlock    flits stopped moving inside the network
    |-- VerificationFailed    a table does not hold what it promises
    `-- Cancelled             the caller asked a running computation to stop
"""

__all__ = [
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


class SimulationDeadlock(TvlbError):
    """Flits stopped moving while the network still held some."""


class VerificationFailed(TvlbError):
    """A T-VLB table is inconsistent, incomplete or not deadlock free."""


class Cancelled(TvlbError):
    """A running computation was stopped at the caller's request."""
