"""What a server is started with; resolved once, before anything listens."""

from dataclasses import dataclass, field
from pathlib import Path

from tvlb.jobs.queue import QueueLimits
from tvlb.requests import RequestLimits


@dataclass(frozen=True)
class ServerLimits:
    """What clients may do.

    Attributes
    ----------
    request : of one request.
    queue : of waiting jobs.
    requests_per_second : of one token; per API process.
    body_bytes : of one request.
    at_once_seconds : models and simulations that cost less CPU time are answered at once.
    """

    request: RequestLimits = field(default_factory=RequestLimits)
    queue: QueueLimits = field(default_factory=QueueLimits)
    requests_per_second: int = 200
    body_bytes: int = 1 << 20
    at_once_seconds: float = 2.0


@dataclass(frozen=True)
class Settings:
    """Where the service keeps its state, and whom it lets in.

    Attributes
    ----------
    database : URL of the job database.
    directory : of the result store.
    needs_token : whether every route but health needs a bearer token.
    hosts : accepted Host headers, None for any.
    limits : see `ServerLimits`.
    """

    database: str
    directory: Path
    needs_token: bool
    hosts: tuple[str, ...] | None
    limits: ServerLimits = field(default_factory=ServerLimits)
