"""A client of the HTTP service: asks for tables, models and simulations, and follows their jobs.

It knows the service by its documents only (`tvlb.schemas`), and outlasts its restarts.
"""

from tvlb.client.client import Client, TableFormat
from tvlb.client.events import JobEvent
from tvlb.client.patience import Notice, unheard

__all__ = ["Client", "JobEvent", "Notice", "TableFormat", "unheard"]
