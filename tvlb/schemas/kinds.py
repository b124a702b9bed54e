"""The kinds of requests that a service answers."""

from collections.abc import Mapping

from pydantic import BaseModel, ValidationError

from tvlb.schemas.model_body import ModelBody
from tvlb.schemas.repair_body import RepairBody
from tvlb.schemas.requests import Question
from tvlb.schemas.routers import FIRST, routers
from tvlb.schemas.simulation_body import LoadsBody, simulation_body
from tvlb.schemas.stability_body import StabilityBody
from tvlb.schemas.sweep import SweepBody
from tvlb.schemas.table_body import TableBody

REQUESTS: Mapping[str, tuple[type[Question], ...]] = {
    TableBody.kind: (TableBody,),
    RepairBody.kind: (RepairBody,),
    ModelBody.kind: (ModelBody,),
    LoadsBody.kind: tuple(simulation_body(name) for name in routers()),
    StabilityBody.kind: (StabilityBody,),
    SweepBody.kind: (SweepBody,),
}
"""The classes of requests of each kind; `request_class` says which of them reads one."""


class _Routed(BaseModel):
    """The key of a simulation that says which class reads it."""

    router: str = FIRST


def request_class(kind: str, text: str | bytes) -> type[Question]:
    """Return the class that reads a request, and says what is wrong with it.

    Parameters
    ----------
    text : the request as JSON; simulations are of a class for each router.
    """
    usual = REQUESTS[kind][0]
    if kind != LoadsBody.kind:
        return usual
    try:
        router = _Routed.model_validate_json(text).router
    except ValidationError:
        return usual
    return simulation_body(router) if router in routers() else usual


def read_request(kind: str, text: str | bytes) -> Question:
    """Return a request of its JSON; raises ValidationError."""
    return request_class(kind, text).model_validate_json(text)
