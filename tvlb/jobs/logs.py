"""Structured logs: JSON lines on stderr, or coloured text on a terminal."""

import logging
import os
import sys
import time
from dataclasses import asdict

import structlog

from tvlb.jobs.accounting import EndedJob

_SELDOM_SECONDS = 10.0
_MOST_MESSAGES = 100


def configure_logs() -> None:
    """Set the format of this process's logs, and keep others from writing between them."""
    # Where a process with semaphores was killed, Python tells so in plain text. They are gone, as
    # they have no names any more once they are in use.
    os.environ.setdefault("PYTHONWARNINGS", "ignore::UserWarning:multiprocessing.resource_tracker")
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer()
        if sys.stderr.isatty()
        else structlog.processors.JSONRenderer()
    )
    logging.basicConfig(level=logging.WARNING, handlers=[_Forward()], force=True)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


class _Forward(logging.Handler):
    """Passes on what libraries log, the same message once in ten seconds.

    Some of it clients can cause at will.
    """

    def __init__(self) -> None:
        super().__init__()
        self._next: dict[tuple[str, str, object], float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """See `logging.Handler`."""
        told, moment = (record.name, record.msg, (record.exc_info or (None,))[0]), time.monotonic()
        if moment < self._next.get(told, 0.0):
            return
        if len(self._next) >= _MOST_MESSAGES:
            self._next.clear()
        self._next[told] = moment + _SELDOM_SECONDS
        tell = logger(record.name).error if record.levelno >= logging.ERROR else None
        (tell or logger(record.name).warning)(record.getMessage())


def logger(name: str) -> structlog.typing.FilteringBoundLogger:
    """Return the logger of a part of the service."""
    return structlog.get_logger(part=name)


def audit(ended: EndedJob) -> None:
    """Write the one audit line of a job that ended."""
    logger("audit").info("job ended", **asdict(ended))
