"""Descriptions of responses for OpenAPI: problems, headers and links."""

from http import HTTPStatus
from typing import Any, get_args

from pydantic import BaseModel

from api.problems import MEDIA_TYPE
from tvlb.requests import JobResource

Responses = dict[int | str, dict[str, Any]]

_MEANING = {
    400: "The body is no JSON.",
    401: "No token, or one that is unknown, expired or revoked.",
    403: "The Host header is not a name of this service.",
    404: "There is no such resource.",
    405: "The method is not for this resource.",
    409: "The state of the resource does not allow it.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    416: "Range asks for bytes that the file does not have.",
    422: "A value is out of range, or more than this server computes.",
    429: "Too many requests, or too many waiting jobs.",
    500: "An unexpected error; it was logged.",
    503: "The database or the result store does not answer.",
}
_ALWAYS = (401, 403, 429, 500, 503)
_RETRY_AFTER = {
    "Retry-After": {
        "description": "Seconds to wait before trying again.",
        "schema": {"type": "integer", "minimum": 0},
    }
}


class ModelSchema(dict[str, Any]):
    """A schema by reference to models, which are described when the document is made.

    FastAPI, given the models themselves, makes what would validate answers, several times over.

    Attributes
    ----------
    models : what has this schema is a document of one of them.
    """

    def __init__(self, *models: type[BaseModel]) -> None:
        self.models = models
        each = [{"$ref": f"#/components/schemas/{one.__name__}"} for one in models]
        super().__init__(each[0] if len(each) == 1 else {"anyOf": each})


def answer(model: Any, **described: Any) -> dict[str, Any]:
    """Describe an answer that is a document of a model, or of one of a union of models."""
    schema = ModelSchema(*(get_args(model) or [model]))
    return {"content": {"application/json": {"schema": schema}}, **described}


def problems(*statuses: int) -> Responses:
    """Describe the problems that a route may answer with, besides those of every route."""
    return {status: _problem(status) for status in sorted({*statuses, *_ALWAYS})}


def _problem(status: int) -> dict[str, Any]:
    example = {
        "type": f"urn:tvlb:problem:{HTTPStatus(status).phrase.lower().replace(' ', '-')}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": _MEANING[status],
    }
    described: dict[str, Any] = {
        "description": _MEANING[status],
        "content": {
            MEDIA_TYPE: {
                "schema": {"$ref": "#/components/schemas/ProblemDocument"},
                "example": example,
            }
        },
    }
    if status in (429, 503):
        described["headers"] = _RETRY_AFTER
    return described


ETAG = {"ETag": {"description": "Hash of the content.", "schema": {"type": "string"}}}
NOT_MODIFIED: Responses = {
    304: {"description": "If-None-Match names the content.", "headers": ETAG}
}
_JOB_LINK = {"parameters": {"job_id": "$response.body#/id"}}
ACCEPTED = answer(
    JobResource,
    description="The job that computes it, new or already there for an equal request.",
    headers={
        "Location": {"description": "URL of the job.", "schema": {"type": "string"}},
        **_RETRY_AFTER,
    },
    links={
        "job": {"operationId": "get_job", **_JOB_LINK},
        "events": {"operationId": "follow_job", **_JOB_LINK},
        "cancel": {"operationId": "cancel_job", **_JOB_LINK},
        "delete": {"operationId": "delete_job", **_JOB_LINK},
    },
)


def file_responses(*media_types: str) -> Responses:
    """Describe the answers of a route that sends a file."""
    content_range = {"Content-Range": {"description": "Which bytes.", "schema": {"type": "string"}}}
    return {
        200: {
            "description": "The file.",
            "headers": ETAG,
            "content": {
                name: {"schema": {"type": "string", "format": "binary"}} for name in media_types
            },
        },
        206: {"description": "The bytes that Range asks for.", "headers": content_range},
        **NOT_MODIFIED,
        **problems(400, 404, 422),
        416: _problem(416) | {"headers": content_range},
    }
