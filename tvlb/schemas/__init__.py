"""The JSON documents that tvlb prints and serves, and the requests for them, as pydantic models.

The models describe the documents and check them; they are built by `tvlb.search.table_document`,
`tvlb.model.model_document` and `tvlb.search.simulation_document`.
"""

from tvlb.schemas.command import command_line
from tvlb.schemas.common import Document
from tvlb.schemas.examples import example
from tvlb.schemas.limits import BeyondLimits, RequestLimits
from tvlb.schemas.model import ModelDocument
from tvlb.schemas.requests import (
    REQUESTS,
    ModelBody,
    Request,
    SimulationBody,
    TableBody,
    WindowsBody,
    Wiring,
    request_key,
)
from tvlb.schemas.resources import (
    Estimate,
    JobError,
    JobList,
    JobResource,
    JobStatus,
    LinkUsage,
    ModelResource,
    PairPaths,
    SimulationResource,
    TableItem,
    TableList,
    TableResource,
)
from tvlb.schemas.simulation import SimulationDocument
from tvlb.schemas.table import TableDocument

__all__ = [
    "REQUESTS",
    "BeyondLimits",
    "Document",
    "Estimate",
    "JobError",
    "JobList",
    "JobResource",
    "JobStatus",
    "LinkUsage",
    "ModelBody",
    "ModelDocument",
    "ModelResource",
    "PairPaths",
    "Request",
    "RequestLimits",
    "SimulationBody",
    "SimulationDocument",
    "SimulationResource",
    "TableBody",
    "TableDocument",
    "TableItem",
    "TableList",
    "TableResource",
    "WindowsBody",
    "Wiring",
    "command_line",
    "example",
    "request_key",
]
