"""The kinds of requests that a service answers."""

from collections.abc import Mapping

from pydantic import BaseModel, ValidationError

from tvlb.schemas.model_body import ModelBody
from tvlb.schemas.repair_body import RepairBody
from tvlb.schemas.requests import Question
from tvlb.schemas.simulation_body import SimulationBody
from tvlb.schemas.stability_body import StabilityBody
from tvlb.schemas.sweep import SweepBody
from tvlb.schemas.table_body import TableBody
from tvlb.schemas.vct_simulation_body import VctSimulationBody

# By the name of the router.
_SIMULATIONS: dict[str, type[Question]] = {"iq": SimulationBody, "vct": VctSimulationBody}

REQUESTS: Mapping[str, tuple[type[Question], ...]] = {
    TableBody.kind: (TableBody,),
    RepairBody.kind: (RepairBody,),
    ModelBody.kind: (ModelBody,),
    SimulationBody.kind: tuple(_SIMULATIONS.values()),
    StabilityBody.kind: (StabilityBody,),
    SweepBody.kind: (SweepBody,),
}
"""The classes of requests of each kind; `request_class` says which of them reads one."""


class _Routed(BaseModel):
    """The key of a simulation that says which class reads it."""

    router: str = "iq"


def request_class(kind: str, text: str | bytes) -> type[Question]:
    """Return the class that reads a request, and says what is wrong with it.

    Parameters
    ----------
    text : the request as JSON; simulations are of a class for each router.
    """
    usual = REQUESTS[kind][0]
    if kind != SimulationBody.kind:
        return usual
    try:
        return _SIMULATIONS.get(_Routed.model_validate_json(text).router, usual)
    except ValidationError:
        return usual


def read_request(kind: str, text: str | bytes) -> Question:
    """Return a request of its JSON; raises ValidationError."""
    return request_class(kind, text).model_validate_json(text)
