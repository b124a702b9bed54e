"""The kinds of requests that a service answers."""

from tvlb.schemas.requests import ModelBody, Question, SimulationBody, TableBody
from tvlb.schemas.sweep import SweepBody

__all__ = ["REQUESTS"]

REQUESTS: dict[str, type[Question]] = {
    body.kind: body for body in (TableBody, ModelBody, SimulationBody, SweepBody)
}
