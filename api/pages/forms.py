"""Forms of requests: what they ask for, from the fields of the bodies."""

from collections.abc import Callable, Mapping
from typing import Any

from sim_bridge import VCT_ROUTINGS
from sim_bridge.routers.vct import VC_POLICIES, LongRun
from tvlb.languages import offered
from tvlb.requests import Question, RequestKind, SweepBody, TableBody, quantity_names
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.search import BUDGETS, ROUTERS, SearchOptions
from tvlb.topology import UNNAMED, sized_families

# Any network: no default depends on it.
_NETWORK = "2,4,2,5"
_EXAMPLES = ("2,4,2,9", "4,8,4,9", "4,8,4,17", "4,8,4,33", "4,8,4,9,palmtree")
_OBJECTIVES = ("saturation", "latency@0.2", "worst-pattern", "front")


def form_of(kind: RequestKind) -> tuple[list[str], dict[str, Any]]:
    """Return the templates of a kind's form, the first that there is counts, and what they show."""
    own = _OWN.get(kind.name)
    shown = {"fields": _fields(kind.forms[0].body)} if own is None else own()
    return [f"new_{kind.name}.html", "new.html"], shown


def _fields(body: type[Question]) -> dict[str, dict[str, Any]]:
    """Return the fields of a body by name: how they are asked for, description and default."""
    schema = body.model_json_schema()
    return {
        name: {
            "name": name,
            "description": one.get("description", ""),
            "usual": one.get("default"),
            "needed": name in schema.get("required", ()),
            "choices": (),
            **_input(one),
        }
        for name, one in schema["properties"].items()
    }


def _input(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a value is asked for, and its choices."""
    one = next((part for part in schema.get("anyOf", ()) if part.get("type") != "null"), schema)
    match one:
        case {"enum": choices}:
            return {"input": "choice", "choices": choices}
        case {"type": "boolean"}:
            return {"input": "check"}
        case {"type": "integer" | "number"}:
            return {"input": "number"}
        case {"type": "array", "items": {"type": "string"}}:
            return {"input": "lines"}
        case {"type": "string"}:
            return {"input": "text"}
        case _:
            return {"input": "json"}


def table_form() -> dict[str, Any]:
    """Return what the form of tables shows; defaults are texts by method, empty for none."""
    every = _fields(TableBody)
    usual = {
        method: TableBody(topology=_NETWORK, method=method).usual()
        for method in every["method"]["choices"]
    }
    texts = {
        name: {
            method: "" if values[name] is None else str(values[name])
            for method, values in usual.items()
        }
        for name in every
    }
    routers = [
        name for name, one in offered(SearchOptions).items() if one in ROUTERS.inner.values()
    ]
    return {
        "fields": {name: one | {"usual": texts[name]} for name, one in every.items()},
        "router_options": [every[name] for name in routers],
        "examples": _EXAMPLES,
        "objectives": _OBJECTIVES,
        "budgets": tuple(BUDGETS),
    }


def _stability() -> dict[str, Any]:
    every = _fields(StabilityBody)
    options = [every[name] for name in offered(LongRun)]
    return {"routings": VCT_ROUTINGS, "policies": VC_POLICIES, "options": options}


def _sweep() -> dict[str, Any]:
    schema = SweepBody.model_json_schema()["properties"]
    sizings = {name: one.sizing for name, one in sized_families().items() if one.sizing}
    # The one that is meant unnamed comes first.
    ordered = sorted(sizings.items(), key=lambda each: each[0] != UNNAMED)
    return {
        "methods": _fields(TableBody)["method"]["choices"],
        "families": [
            {"name": name, "parameters": sizing.parameters, "quantities": quantity_names(sizing)}
            for name, sizing in ordered
        ],
        "arrangements": schema["arrangements"]["items"]["enum"],
        "routings": schema["routings"]["items"]["enum"],
    }


_OWN: Mapping[str, Callable[[], dict[str, Any]]] = {"stability": _stability, "sweep": _sweep}
