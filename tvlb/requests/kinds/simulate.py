"""Simulations: a routing cycle by cycle, by the routers of any model."""

from typing import Any

from sim_bridge import simulate_request
from tvlb.processes import Reporter
from tvlb.requests import (
    Answer,
    Context,
    Form,
    LoadsBody,
    RequestKind,
    simulation_body,
    simulation_document,
)
from tvlb.requests.routers import Router, routers
from tvlb.requests.stored_tables import examine_with_tables, paths_of, table_of


def _compute(body: LoadsBody, context: Context, report: Reporter) -> Answer:
    request = body.simulation(body.network(), paths_of(context), table_of(context))
    found = simulate_request(request, workers=context.cores, report=report)
    document = simulation_document(body.model.name).of(request, found)
    # Of packets of one flit: a phit is a part of a packet, and takes less time than such a packet.
    work = {name: found.total(name) for name in body.model.figures if name == "flit_hops"}
    seconds = sum(found.seconds.values())
    return Answer(document.plain(), dict(found.seconds), work | {"simulate_seconds": seconds})


def _form(router: Router) -> Form[Any]:
    body, document = simulation_body(router.name), simulation_document(router.name)
    return Form(body, document, _compute, router.answers, router.name, router.example)


KIND = RequestKind(
    "simulation",
    tuple(map(_form, routers().values())),
    asking="Simulate a routing cycle by cycle: at once if it is small, else as a job.",
    reading="Return the figures of a simulation.",
    command="simulate",
    at_once=True,
    swept=True,
    examine=examine_with_tables,
    rank=4,
)
