"""The kinds of requests that a service answers."""

from tvlb.schemas.model_body import ModelBody
from tvlb.schemas.repair_body import RepairBody
from tvlb.schemas.requests import Question
from tvlb.schemas.simulation_body import SimulationBody
from tvlb.schemas.stability_body import StabilityBody
from tvlb.schemas.sweep import SweepBody
from tvlb.schemas.table_body import TableBody

__all__ = ["REQUESTS"]

REQUESTS: dict[str, type[Question]] = {
    body.kind: body
    for body in (TableBody, RepairBody, ModelBody, SimulationBody, StabilityBody, SweepBody)
}
