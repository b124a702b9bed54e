"""What the service answers with: the documents with an identity, and jobs."""

import json
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union

from pydantic import AwareDatetime, ConfigDict, Field, create_model

from tvlb.documents import Document
from tvlb.languages import one_of
from tvlb.processes import JobStatus
from tvlb.schemas.examples import example
from tvlb.schemas.found import Judgement
from tvlb.schemas.kinds import REQUESTS
from tvlb.schemas.model import ModelDocument
from tvlb.schemas.model_body import ModelBody
from tvlb.schemas.repair import RepairDocument
from tvlb.schemas.repair_body import RepairBody
from tvlb.schemas.requests import Question, plural
from tvlb.schemas.routers import routers
from tvlb.schemas.settings import WindowsBody
from tvlb.schemas.simulation import SimulatedDocument, simulation_document
from tvlb.schemas.simulation_body import LoadsBody, simulation_body
from tvlb.schemas.stability import StabilityDocument
from tvlb.schemas.stability_body import StabilityBody
from tvlb.schemas.table import TableDocument, TableSummary
from tvlb.schemas.table_body import TableBody
from tvlb.schemas.texts import OneOf
from tvlb.table import table_formats
from tvlb.topology import Failures

ResultId = Annotated[
    str,
    Field(
        pattern="^[0-9a-f]{64}$",
        description="SHA-256 of the resolved request and of the version that answered it.",
    ),
]
Kind = Annotated[str, OneOf(REQUESTS)]
JobId = Annotated[str, Field(pattern="^[0-9a-f]{32}$", description="Id of the job.")]
EXAMPLE_ID = "9b6c" * 16
Label = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")]
_EXAMPLE_TIME = "2026-11-21T15:00:00Z"


if TYPE_CHECKING:
    AnySimulation = LoadsBody
else:
    AnySimulation = Union[*map(simulation_body, routers())]


class Identity(Document):
    """What every finished result has besides its document."""

    id: ResultId
    url: str = Field(description="Of this resource.")
    created_at: AwareDatetime


def _searched() -> TableBody:
    """Return the request of the example."""
    parameters = example("search")["provenance"]["parameters"]
    asked = {name: parameters[name] for name in TableBody.model_fields if name in parameters}
    return TableBody.model_validate(
        {
            "topology": example("search")["topology"],
            **asked,
            "budget": int(parameters["budget"]),
            "patterns": int(parameters["patterns"]),
        }
    )


def _repaired() -> RepairBody:
    """Return the request of the example."""
    return RepairBody(
        table=EXAMPLE_ID,
        without=Failures(links=((0, 4),)),
        topology="dfly(2,4,2,5)",
        traffic=("shift(1,0)",),
        confirmation=WindowsBody(warmup=500, measured=500, grid=0.02),
    )


def urls_of(kind: str, key: str, front: int = 0) -> dict[str, Any]:
    """Return where a result is found, and its files.

    Parameters
    ----------
    front : number of the points of a table's front.
    """
    url, file = f"/v1/{plural(kind)}/{key}", "download?format=parquet"
    match kind:
        case "table":
            return {
                "url": url,
                "download_url": f"{url}/{file}",
                "paths_url": f"{url}/paths",
                "front_urls": [f"{url}/front/{1 + i}/{file}" for i in range(front)],
            }
        case "repair":
            return {"url": url, "download_url": f"{url}/{file}"}
        case "sweep":
            return {
                "url": url,
                "download_url": f"{url}/{file}",
                "report_url": f"{url}/report",
            }
        case _:
            return {"url": url}


def example_of(
    make_request: Callable[[], Question], document: dict[str, Any], front: int = 0
) -> ConfigDict:
    """Return the configuration of a resource's model with an example; `front` as in `urls_of`.

    Its request is made with the schema: every command would load a quarter longer.
    """

    def add(schema: dict[str, Any]) -> None:
        request = make_request()
        resource = {
            "id": EXAMPLE_ID,
            "created_at": _EXAMPLE_TIME,
            "request": request.model_dump(mode="json"),
            **urls_of(request.kind, EXAMPLE_ID, front),
            **document,
        }
        schema["examples"] = [resource]

    return ConfigDict(json_schema_extra=add)


class TableResource(TableDocument, Identity):
    """A T-VLB table and how it was found."""

    model_config = example_of(_searched, example("search"), front=2)

    request: TableBody = Field(description="The resolved request.")
    download_url: str = Field(
        description=f"Of the table file; format is {one_of(table_formats())}."
    )
    paths_url: str = Field(description="Of the paths of one switch pair: add ?src=S&dst=D.")
    front_urls: tuple[str, ...] = Field(
        description="Of the table files of a front, in the order of `search.front`; empty for "
        "other objectives."
    )


class RepairResource(RepairDocument, Identity):
    """The table for what failures left, and what it is worth beside the old one."""

    model_config = example_of(_repaired, example("repair"))

    request: RepairBody = Field(description="The resolved request.")
    download_url: str = Field(
        description=f"Of the file of the new table; format is {one_of(table_formats())}."
    )


class ModelResource(ModelDocument, Identity):
    """A solved throughput model."""

    model_config = example_of(lambda: ModelBody(topology="2,4,2,5"), example("model"))

    request: ModelBody = Field(description="The resolved request.")


class SimulatedResource(SimulatedDocument, Identity):
    """Simulated loads; `simulation_resource` has the class of a router."""

    if TYPE_CHECKING:
        request: LoadsBody


@cache
def simulation_resource(name: str) -> type[SimulatedResource]:
    """Return what the service answers simulations by a router with."""
    body, document = simulation_body(name), simulation_document(name)
    keys: dict[str, Any] = {"request": (body, Field(description="The resolved request."))}
    resource: Any = create_model(
        f"{document.model.prefix}SimulationResource",
        __base__=(document, SimulatedResource),
        __doc__=document.model.answers,
        **keys,
    )
    if shown := document.model.example:
        resource.model_config |= example_of(
            lambda: body.model_validate_json(json.dumps(example("requests")[shown][1])),
            example(shown),
        )
    return resource


if TYPE_CHECKING:
    AnySimulationResource = SimulatedResource
else:
    AnySimulationResource = Union[*map(simulation_resource, routers())]


class StabilityResource(StabilityDocument, Identity):
    """Whether throughput under full load lasts."""

    model_config = example_of(
        lambda: StabilityBody(topology="hyperx(2,2,2)", pattern="dshift(1)", cycles=100_000),
        example("stability"),
    )

    request: StabilityBody = Field(description="The resolved request.")


class JobError(Document):
    """Why a job failed."""

    type: str = Field(description="A short name for programs.")
    title: str
    detail: str
    log: tuple[str, ...] = Field(description="Last lines of the attempt, oldest first.")


class JobResource(Document):
    """A job."""

    model_config = ConfigDict(json_schema_extra={"examples": [example("job")]})

    id: JobId
    kind: Kind
    status: JobStatus
    cancel_requested: bool = Field(description="Whether somebody asked to cancel the job.")
    stalled: bool = Field(
        description="Whether a running job's worker has been silent for so long that another one "
        "will take the job."
    )
    stage: str | None = Field(
        description="The stage that it is in, or was in last; null before the first."
    )
    progress: float = Field(ge=0, le=1)
    attempt: int = Field(ge=0, description="Attempts that were begun and not handed back.")
    created_at: AwareDatetime
    started_at: AwareDatetime | None = Field(description="Of the last attempt.")
    heartbeat_at: AwareDatetime | None = Field(description="Last sign of life of its worker.")
    ended_at: AwareDatetime | None
    queue_position: int | None = Field(description="1 for the next; null unless queued.")
    eta_seconds: float | None = Field(description="Expected time to the end; null if unknown.")
    timings: dict[str, float] = Field(description="Seconds by stage, of finished stages.")
    url: str
    events_url: str = Field(description="Server-sent events of the job.")
    result_url: str | None = Field(description="Of the result; null unless succeeded.")
    label: Label | None = Field(None, description="Label that people gave it; null if none.")
    error: JobError | None = Field(description="Null unless failed.")
    request: dict[str, Any] = Field(description="The resolved request.")


class JobList(Document):
    """Jobs, newest first."""

    jobs: tuple[JobResource, ...]
    next: str | None = Field(description="URL of the page of older ones; null if there are none.")


class Item(Identity):
    """A result among others."""

    label: Label | None = Field(description="Label that people gave it; null if none.")


class Gain(Document):
    """A change against all VLB paths, paired by pattern, with its 95% interval.

    Shares of what all VLB paths have; null where that is not known. Of all VLB paths themselves 0.
    """

    mean: float | None
    low: float | None
    high: float | None


class TableItem(Item):
    """A table among others."""

    topology: str
    table: TableSummary
    gain: Gain = Field(description="Gain in saturation throughput of the chosen set.")
    request: TableBody


class RepairItem(Item):
    """A repair among others."""

    topology: str = Field(description="What is left of the network.")
    table_id: str = Field(description="Id of the new table.")
    judgements: tuple[Judgement, ...] = Field(description="As in the document.")
    request: RepairBody


class ModelItem(Item):
    """A solved model among others."""

    request: ModelBody


class SimulationItem(Item):
    """A simulation among others."""

    request: AnySimulation


class StabilityItem(Item):
    """A study of stability among others."""

    request: StabilityBody


class TableList(Document):
    """Tables, newest first."""

    tables: tuple[TableItem, ...]
    next: str | None = Field(description="URL of the page of older ones; null if there are none.")


class RepairList(Document):
    """Repairs, newest first."""

    repairs: tuple[RepairItem, ...]
    next: str | None = Field(description="URL of the page of older ones; null if there are none.")


class ModelList(Document):
    """Solved models, newest first."""

    models: tuple[ModelItem, ...]
    next: str | None = Field(description="URL of the page of older ones; null if there are none.")


class SimulationList(Document):
    """Simulations, newest first."""

    simulations: tuple[SimulationItem, ...]
    next: str | None = Field(description="URL of the page of older ones; null if there are none.")


class StabilityList(Document):
    """Studies of stability, newest first."""

    stabilities: tuple[StabilityItem, ...]
    next: str | None = Field(description="URL of the page of older ones; null if there are none.")


class Labelling(Document):
    """What people are to call a job or a result."""

    # Not deferred: FastAPI keeps a needless warning of pydantic from the log only while it declares
    # the routes.
    model_config = ConfigDict(
        extra="forbid",
        defer_build=False,
        json_schema_extra={"examples": [{"label": "the machine of 2027"}]},
    )

    label: Label | None = Field(description="null removes the label.")


class LinkUsage(Document):
    """The directed links of a network by link id, and how much the VLB paths of a table use them.

    The links inside groups come first. In networks without groups every switch is one of its own.
    """

    topology: str
    groups: int
    switches_per_group: int
    first_global_link: int = Field(description="Link id of the first link between groups.")
    places: tuple[tuple[float, float], ...] = Field(
        default=(),
        description="Where a picture has each switch: x and y from the top left corner of a square "
        "of side 1. Empty for a ring of groups, each a ring of switches.",
    )
    labels: tuple[tuple[float, float, str], ...] = Field(
        default=(), description="What is written beside such places: x, y and text."
    )
    where: tuple[str, ...] = Field(
        default=(), description="Of each switch its group, column or label; may be empty."
    )
    src: tuple[int, ...] = Field(description="Source switch of every link.")
    dst: tuple[int, ...] = Field(description="Target switch of every link.")
    usage: tuple[float, ...] = Field(
        description="Usage over the mean of the links of the same kind in use, when every switch "
        "pair draws its VLB paths equally often."
    )
    sampled_pairs: int | None = Field(
        description="Number of switch pairs between groups that usage was taken from; null for all."
    )


class CostItem(Document):
    """What a request is expected to take."""

    cpu_seconds: float
    memory_bytes: int
    stages: dict[str, float] = Field(description="CPU seconds by stage.")
    answer_bytes: int = Field(
        description="Of the document of a simulation or a stability study, else 0."
    )


class PointCount(Document):
    """How many points a sweep has."""

    total: int = Field(ge=1, description="All points.")
    known: int = Field(ge=0, description="Points whose table exists already.")


class Estimate(Document):
    """What would be computed, and what it takes."""

    kind: Kind
    result_id: ResultId
    known: bool = Field(
        description="Whether the result is there already; a sweep with failed points is computed "
        "again."
    )
    request: dict[str, Any] = Field(description="The resolved request.")
    cost: CostItem
    points: PointCount | None = Field(description="Of a sweep; null for all others.")
    command: str | None = Field(
        description="The command line that computes the same; null for a sweep, which needs a file."
    )
