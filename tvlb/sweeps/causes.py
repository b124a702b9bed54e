"""Why a point failed, in words that are the same wherever it was computed."""

from tvlb.errors import TvlbError, WorkerLost

__all__ = ["cause_of"]


def cause_of(error: Exception) -> str:
    """Return the cause without hosts, processes and paths; `str(error)` may have more."""
    match error:
        case WorkerLost():
            return "the processes that computed a part of it died again and again"
        case MemoryError():
            return "the memory did not suffice"
        case TvlbError():
            return str(error)
        case _:
            return f"{type(error).__name__}: {error}"
