"""What can be asked for: requests, what they cost, how they are computed, and their documents.

Bodies and documents are pydantic models, which describe the JSON, make it of the results of the
library, and check it. A `RequestKind` joins them; the kinds are in `tvlb.requests.kinds`.
"""

from tvlb.designs import quantity_names
from tvlb.documents import Document
from tvlb.requests.balance import Balance
from tvlb.requests.cost import Cost
from tvlb.requests.examples import example
from tvlb.requests.generators import Generator
from tvlb.requests.kind import (
    Answer,
    Context,
    Examination,
    FileRoute,
    Form,
    Link,
    RequestKind,
    StoredResult,
    TextFile,
    command_line,
    request_kinds,
)
from tvlb.requests.limits import BeyondLimits, RequestLimits
from tvlb.requests.probe import ProbeCurve
from tvlb.requests.repair import RepairOptions
from tvlb.requests.request import Question, Request, plural, request_key, result_url, shown_subject
from tvlb.requests.resources import (
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
from tvlb.requests.settings import WindowsBody
from tvlb.requests.simulation import SimulatedDocument, simulation_document
from tvlb.requests.simulation_body import LoadsBody, simulation_body
from tvlb.requests.sweep import MAX_POINTS, Expansion, SweepBody, TableOptions, TotalCost
from tvlb.requests.sweep_file import read_sweep_file
from tvlb.requests.table import LinkUsage, TableDocument
from tvlb.requests.table_body import TableBody
from tvlb.requests.texts import TableFormatText
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
    "Cost",
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
    "RepairOptions",
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
    "TextFile",
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
