"""A client of the HTTP service: asks for what it computes, and follows the jobs.

It knows the service by its documents only (`tvlb.requests`), and outlasts its restarts.
"""

from tvlb.client.backoff import Notice, unheard
from tvlb.client.client import Client
from tvlb.client.events import JobEvent

__all__ = ["Client", "JobEvent", "Notice", "unheard"]
