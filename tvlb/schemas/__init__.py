"""The JSON documents that tvlb prints and serves, and the requests for them, as pydantic models.

The models describe the documents, make them of the results of the library, and check them.
"""

from tvlb.designs import quantity_names
from tvlb.documents import Document
from tvlb.schemas.balance import Balance
from tvlb.schemas.command import command_line
from tvlb.schemas.examples import example
from tvlb.schemas.generators import Generator
from tvlb.schemas.kinds import REQUESTS, read_request, request_class
from tvlb.schemas.limits import BeyondLimits, RequestLimits
from tvlb.schemas.model import ModelDocument, ModelledCase
from tvlb.schemas.model_body import ModelBody
from tvlb.schemas.probe import ProbeCurve
from tvlb.schemas.repair import RepairDocument
from tvlb.schemas.repair_body import RepairBody
from tvlb.schemas.requests import Question, Request, plural, request_key, shown_subject
from tvlb.schemas.resources import (
    AnySimulationResource,
    Estimate,
    JobError,
    JobList,
    JobResource,
    JobStatus,
    Labelling,
    LinkUsage,
    ModelItem,
    ModelList,
    ModelResource,
    PointCount,
    RepairItem,
    RepairList,
    RepairResource,
    SimulatedResource,
    SimulationItem,
    SimulationList,
    StabilityItem,
    StabilityList,
    StabilityResource,
    TableItem,
    TableList,
    TableResource,
    simulation_resource,
)
from tvlb.schemas.settings import WindowsBody
from tvlb.schemas.simulation import SimulatedDocument, simulation_document
from tvlb.schemas.simulation_body import LoadsBody, simulation_body
from tvlb.schemas.stability import StabilityDocument
from tvlb.schemas.stability_body import StabilityBody
from tvlb.schemas.sweep import MAX_POINTS, Expansion, SweepBody, TableOptions, TotalCost
from tvlb.schemas.sweep_file import read_sweep_file
from tvlb.schemas.sweep_resources import SweepItem, SweepList, SweepResource
from tvlb.schemas.table import TableDocument
from tvlb.schemas.table_body import TableBody
from tvlb.schemas.texts import TableFormatText
from tvlb.table import PairPaths

# Those of the routers of tvlb itself.
SimulationBody, VctSimulationBody = simulation_body("iq"), simulation_body("vct")
SimulationDocument, VctDocument = simulation_document("iq"), simulation_document("vct")
SimulationResource, VctSimulationResource = simulation_resource("iq"), simulation_resource("vct")

__all__ = [
    "MAX_POINTS",
    "REQUESTS",
    "AnySimulationResource",
    "Balance",
    "BeyondLimits",
    "Document",
    "Estimate",
    "Expansion",
    "Generator",
    "JobError",
    "JobList",
    "JobResource",
    "JobStatus",
    "Labelling",
    "LinkUsage",
    "LoadsBody",
    "ModelBody",
    "ModelDocument",
    "ModelItem",
    "ModelList",
    "ModelResource",
    "ModelledCase",
    "PairPaths",
    "PointCount",
    "ProbeCurve",
    "Question",
    "RepairBody",
    "RepairDocument",
    "RepairItem",
    "RepairList",
    "RepairResource",
    "Request",
    "RequestLimits",
    "SimulatedDocument",
    "SimulatedResource",
    "SimulationBody",
    "SimulationDocument",
    "SimulationItem",
    "SimulationList",
    "SimulationResource",
    "StabilityBody",
    "StabilityDocument",
    "StabilityItem",
    "StabilityList",
    "StabilityResource",
    "SweepBody",
    "SweepItem",
    "SweepList",
    "SweepResource",
    "TableBody",
    "TableDocument",
    "TableFormatText",
    "TableItem",
    "TableList",
    "TableOptions",
    "TableResource",
    "TotalCost",
    "VctDocument",
    "VctSimulationBody",
    "VctSimulationResource",
    "WindowsBody",
    "command_line",
    "example",
    "plural",
    "quantity_names",
    "read_request",
    "read_sweep_file",
    "request_class",
    "request_key",
    "shown_subject",
    "simulation_body",
    "simulation_document",
    "simulation_resource",
]
