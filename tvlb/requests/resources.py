"""What the service answers with: the documents with an identity, and jobs."""

import json
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AwareDatetime, ConfigDict, Field, GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema

from tvlb.documents import Document
from tvlb.processes import JobStatus
from tvlb.requests.examples import example
from tvlb.requests.kind import Form, RequestKind, request_kinds
from tvlb.requests.texts import OneOf

ResultId = Annotated[
    str,
    Field(
        pattern="^[0-9a-f]{64}$",
        description="SHA-256 of the resolved request and of the version that answered it.",
    ),
]


class _KindName:
    """Metadata of the name of a kind; other packages may have some."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return OneOf(request_kinds()).__get_pydantic_core_schema__(source, handler)


Kind = Annotated[str, _KindName()]
JobId = Annotated[str, Field(pattern="^[0-9a-f]{32}$", description="Id of the job.")]
EXAMPLE_ID = "9b6c" * 16
Label = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")]
_EXAMPLE_TIME = "2026-11-21T15:00:00Z"
# Number of the points of a front.
_EXAMPLE_FRONT = 2
_NEXT = "URL of the page of older ones; null if there are none."


class Identity(Document):
    """What every finished result has besides its document."""

    id: ResultId
    url: str = Field(description="Of this resource.")
    created_at: AwareDatetime


class Resource(Identity):
    """A finished result: the document of its kind, its identity and the resolved request."""

    if TYPE_CHECKING:
        # Its class is made when the kinds are known.
        def __getattr__(self, name: str) -> Any: ...


class Item(Resource):
    """A result among others; lists show a part of each."""

    label: Label | None = Field(description="Label that people gave it; null if none.")


def _exampled(kind: RequestKind, form: Form[Any], name: str) -> type[Resource]:
    """Return a base of a resource's model that has its example.

    Its request is made with the schema: every command would load a quarter longer.
    """

    def add(schema: dict[str, Any]) -> None:
        document, asked = example(name), example("requests")[name][-1]
        request = form.body.model_validate_json(json.dumps(asked))
        resource = {
            "id": EXAMPLE_ID,
            "created_at": _EXAMPLE_TIME,
            "request": request.model_dump(mode="json"),
            **kind.urls(EXAMPLE_ID, _EXAMPLE_FRONT),
            **document,
        }
        schema["examples"] = [resource]

    class Exampled(Resource):
        model_config = ConfigDict(json_schema_extra=add if name else None)

    return Exampled


def _link_fields(kind: RequestKind, *, in_lists: bool = False) -> dict[str, Any]:
    return {
        name: (tuple[str, ...] if "{}" in link.suffix else str, Field(description=link.text))
        for name, link in kind.links.items()
        if link.in_lists or not in_lists
    }


def resource_of(name: str, router: str = "", tables: str = "") -> type[Resource]:
    """Return the model of the results of a kind.

    Parameters
    ----------
    router : of simulations, that of their requests.
    tables : what the tables that requests name are called, where the answer depends on that.
    """
    kind = request_kinds()[name]
    form = kind.form_by(router)
    return _resource_of(kind, form, form.others.get(tables, form.document))


@cache
def _resource_of(kind: RequestKind, form: Form[Any], document: type[Document]) -> type[Resource]:
    is_first = document is form.document
    bases: Any = document, _exampled(kind, form, form.example if is_first else "")
    made: Any = create_model(
        f"{form.stem if is_first else document.__name__.removesuffix('Document')}Resource",
        __base__=bases,
        __doc__=(form.text if is_first else "") or document.__doc__,
        request=(form.body, Field(description="The resolved request.")),
        **_link_fields(kind),
    )
    return made


def resources_of(name: str) -> Any:
    """Return the type of the results of a kind."""
    return _either(
        resource_of(name, form.router, tables)
        for form in request_kinds()[name].forms
        for tables in ("", *form.others)
    )


def _either(models: Iterable[Any]) -> Any:
    first, *others = models
    for other in others:
        first |= other
    return first


@cache
def item_of(name: str) -> type[Item]:
    """Return the model of a result of a kind in lists."""
    kind = request_kinds()[name]
    bases: Any = (Item,) if kind.listed is None else (kind.listed, Item)
    fields = _link_fields(kind, in_lists=True)
    if kind.lists_request:
        fields["request"] = (_either(form.body for form in kind.forms), ...)
    made: Any = create_model(
        f"{kind.name.capitalize()}Item",
        __base__=bases,
        __doc__=f"A {kind.noun} among others.",
        **fields,
    )
    return made


@cache
def list_of(name: str) -> Any:
    """Return the model of a list of results of a kind."""
    kind = request_kinds()[name]
    fields: dict[str, Any] = {kind.plural: (tuple[item_of(name), ...], ...)}
    return create_model(
        f"{kind.name.capitalize()}List",
        __base__=Document,
        __doc__=f"{kind.nouns[0].upper()}{kind.nouns[1:]}, newest first.",
        **fields,
        next=(str | None, Field(description=_NEXT)),
    )


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
    next: str | None = Field(description=_NEXT)


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
