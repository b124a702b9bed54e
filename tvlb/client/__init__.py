"""A client of the HTTP service: asks for what it computes, and follows the jobs.

It knows the service by its documents only (`tvlb.schemas`), and outlasts its restarts.
"""

from tvlb.client.client import Client, SweepFormat, TableFormat
from tvlb.client.events import JobEvent
from tvlb.client.patience import Notice, unheard

__all__ = ["Client", "JobEvent", "Notice", "SweepFormat", "TableFormat", "unheard"]
