"""The JSON documents that tvlb prints and serves, and the requests for them, as pydantic models.

The models describe the documents, make them of the results of the library, and check them.
"""

from tvlb.designs import quantity_names
from tvlb.documents import Document
from tvlb.schemas.balance import Balance
from tvlb.schemas.examples import example
from tvlb.schemas.generators import Generator
from tvlb.schemas.kind import (
    Answer,
    Context,
    Examination,
    FileRoute,
    Form,
    Link,
    RequestKind,
    StoredResult,
    command_line,
    request_kinds,
)
from tvlb.schemas.limits import BeyondLimits, RequestLimits
from tvlb.schemas.probe import ProbeCurve
from tvlb.schemas.requests import Question, Request, plural, request_key, result_url, shown_subject
from tvlb.schemas.resources import (
    Estimate,
    Item,
    JobError,
    JobList,
    JobResource,
    Labelling,
    Resource,
    item_of,
    list_of,
    resource_of,
    resources_of,
)
from tvlb.schemas.settings import WindowsBody
from tvlb.schemas.simulation import SimulatedDocument, simulation_document
from tvlb.schemas.simulation_body import LoadsBody, simulation_body
from tvlb.schemas.sweep import MAX_POINTS, Expansion, SweepBody, TableOptions, TotalCost
from tvlb.schemas.sweep_file import read_sweep_file
from tvlb.schemas.table import LinkUsage, TableDocument
from tvlb.schemas.table_body import TableBody
from tvlb.schemas.texts import TableFormatText
from tvlb.table import PairPaths

# Those of the routers of tvlb itself.
SimulationBody, VctSimulationBody = simulation_body("iq"), simulation_body("vct")
SimulationDocument, VctDocument = simulation_document("iq"), simulation_document("vct")

__all__ = [
    "MAX_POINTS",
    "Answer",
    "Balance",
    "BeyondLimits",
    "Context",
    "Document",
    "Estimate",
    "Examination",
    "Expansion",
    "FileRoute",
    "Form",
    "Generator",
    "Item",
    "JobError",
    "JobList",
    "JobResource",
    "Labelling",
    "Link",
    "LinkUsage",
    "LoadsBody",
    "PairPaths",
    "ProbeCurve",
    "Question",
    "Request",
    "RequestKind",
    "RequestLimits",
    "Resource",
    "SimulatedDocument",
    "SimulationBody",
    "SimulationDocument",
    "StoredResult",
    "SweepBody",
    "TableBody",
    "TableDocument",
    "TableFormatText",
    "TableOptions",
    "TotalCost",
    "VctDocument",
    "VctSimulationBody",
    "WindowsBody",
    "command_line",
    "example",
    "item_of",
    "list_of",
    "plural",
    "quantity_names",
    "read_sweep_file",
    "request_key",
    "request_kinds",
    "resource_of",
    "resources_of",
    "result_url",
    "shown_subject",
    "simulation_body",
    "simulation_document",
]
