"""The command line of a request: the real commands read the same out of it."""

import shlex
from typing import Any

import pytest
from typer.main import get_group

from tvlb.cli.app import app
from tvlb.requests import Request, SimulationBody, TableBody, VctSimulationBody, command_line
from tvlb.requests.kinds.model import ModelBody
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.requests.request import TOPOLOGY_FILE
from tvlb.requests.routers import router_named
from tvlb.topology.dragonfly import Wiring

WIRING = Wiring(p=1, a=2, h=1, g=2, links=((0, 2), (1, 3)))


def parsed(text: str) -> dict[str, Any]:
    """Return the options that the real command finds in a command line."""
    name, command, *words = shlex.split(text)
    assert name == "tvlb"
    group = get_group(app)
    with group.make_context("tvlb", [command]) as context:
        found = group.get_command(context, command)
        assert found is not None
        with found.make_context(command, words, parent=context) as inner:
            return inner.params


def test_defaults_are_left_out() -> None:
    assert command_line(TableBody(topology="4,8,4,9")) == "tvlb table 4,8,4,9"
    assert command_line(ModelBody(topology="2,4,2,5")) == "tvlb model 2,4,2,5"


def test_a_table() -> None:
    body = TableBody.model_validate(
        {
            "topology": "dfly(2,4,2,5)",
            "routing": "par",
            "method": "paper",
            "patterns": 7,
            "tolerance": 0.1,
            "balance": False,
            "screening": {"warmup": 1, "measured": 2, "grid": 0.03},
            "confirmation": {"warmup": 4, "measured": 5, "grid": 0.06},
            "finalists": 3,
            "data_points": 4,
            "simulated_patterns": 2,
            "seed": 2**63 - 1,
        }
    )
    found = parsed(command_line(body))
    assert found["topology"] == "dfly(2,4,2,5)"
    assert (found["routing"], found["patterns"], found["tolerance"]) == ("par", "7", 0.1)
    assert (found["balance"], found["method"]) == (False, "paper")
    assert (str(found["screening"]), str(found["confirmation"])) == ("1,2,0.03", "4,5,0.06")
    assert (found["finalists"], found["data_points"], found["simulated_patterns"]) == (3, 4, 2)
    assert found["seed"] == 2**63 - 1


def test_a_search() -> None:
    body = TableBody(
        topology="dfly(2,4,2,5)",
        objective="latency@0.2",
        budget=7,
        traffic=("uniform", "mixed(75,25,shift(1,0)):3"),
    )
    for asked in (body, body.resolved()):
        found = parsed(command_line(asked))
        assert (found["objective"], found["budget"]) == ("latency@0.2", "7")
        assert len(found["traffic"]) == 2
        # What was not asked for is left to the method.
        for name in ("screening", "confirmation", "finalists", "data_points"):
            assert found[name] is None, name


def test_defaults_of_the_method_are_left_out() -> None:
    for method, option in (("search", ""), ("paper", " --method paper")):
        body = TableBody.model_validate({"topology": "dfly(2,4,2,5)", "method": method})
        for asked in (body, body.resolved()):
            assert command_line(asked) == f"tvlb table 'dfly(2,4,2,5)'{option}"


def test_a_model() -> None:
    body = ModelBody(
        topology="2,4,2,9", vlb="<=4+60%", pattern="shift(2,0)", monotone=False, seed=5
    )
    found = parsed(command_line(body))
    assert (found["vlb"], found["pattern"]) == ("<=4+60%", "shift(2,0)")
    assert (found["monotone"], found["seed"]) == (False, 5)


def test_a_simulation() -> None:
    body = SimulationBody.model_validate(
        {
            "topology": "2,4,2,9",
            "routing": "ugal-g",
            "vlb": "short(2,3)",
            "pattern": "mixed(75,25,shift(1,0))",
            "load": [0.1, 0.25],
            "saturation": True,
            "warmup": "detect:500",
            "cycles": 700,
            "vcs": "per-hop",
            "vc_count": 7,
            "buffer": 16,
            "local_latency": 5,
            "global_latency": 50,
            "speedup": 1,
            "threshold": -3,
            "decide": "each-attempt",
            "traces": 2,
            "seed": 9,
            "seeds": 3,
        }
    )
    found = parsed(command_line(body))
    # What is at its default is not in the line.
    router = router_named("iq")
    found |= router.asked({name: found[name] for name in router.options})
    for name, value in body.model_dump().items():
        expected = "0.1,0.25" if name == "load" else value
        assert found[name] == expected, name


def test_a_simulation_of_virtual_cut_through() -> None:
    body = VctSimulationBody(
        topology="hyperx(2,3,3)",
        router="vct",
        routing="valiant(minlast)",
        pattern="dshift(1)",
        load=(0.1, 0.25),
        warmup=300,
        cycles=700,
        vcs="2phases",
        vc_count=4,
        packet=8,
        input_buffer=32,
        output_buffer=16,
        source_queue=9,
        local_latency=5,
        server_latency=2,
        seed=9,
        seeds=3,
    )
    found = parsed(command_line(body))
    router = router_named("vct")
    given = {name: found[name] for name in router.options if found[name] != ()}
    found |= router.asked(given)
    asked = body.model_dump() | {"load": "0.1,0.25", "warmup": "300"}
    assert {name: found[name] for name in asked} == asked
    short = VctSimulationBody(topology="hyperx(2,3,3)", router="vct", load=(0.1,))
    assert command_line(short) == "tvlb simulate 'hyperx(2,3,3)' --load 0.1 --router vct"


def test_a_study_of_stability() -> None:
    body = StabilityBody(
        topology="hyperx(2,3,3)",
        pattern="dshift(1)",
        routing=("min", "valiant(minlast)"),
        vcs=("reuse", "2phases:4"),
        load=0.9,
        cycles=200_000,
        packet=8,
        input_buffer=32,
        output_buffer=16,
        source_queue=9,
        local_latency=5,
        seed=9,
        seeds=3,
        until_collapse=True,
    )
    found = parsed(command_line(body))
    asked = body.model_dump() | {"routing": [*body.routing], "vcs": [*body.vcs]}
    assert {name: found[name] for name in asked} == asked


@pytest.mark.parametrize("body", [TableBody(topology=WIRING), ModelBody(topology=WIRING)])
def test_a_wiring_is_named_by_a_file(body: Request) -> None:
    assert shlex.split(command_line(body))[2] == TOPOLOGY_FILE
