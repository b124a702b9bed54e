"""Forms of requests: what they ask for, from the fields of the bodies."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from sim_bridge.routers.vct import LongRun
from tvlb.languages import offered
from tvlb.requests import LoadsBody, Question, RequestKind, TableBody, quantity_names
from tvlb.requests.kind import Form
from tvlb.requests.kinds.stability import StabilityBody
from tvlb.requests.prices import Prices
from tvlb.requests.routers import router_named
from tvlb.requests.sweep import VARIED
from tvlb.requests.swept import section_of, swept_kinds
from tvlb.search import BUDGETS, ROUTERS, SearchOptions
from tvlb.topology import UNNAMED, network_formats, sized_families

# Any network: no default depends on it.
_NETWORK = "2,4,2,5"
_EXAMPLES = ("2,4,2,9", "4,8,4,9", "4,8,4,17", "4,8,4,33", "4,8,4,9,palmtree")
_OBJECTIVES = ("saturation", "latency@0.2", "worst-pattern", "guaranteed", "front")
_TITLES = {"topology": "Network", "vlb": "VLB paths", "vcs": "Virtual channels"}
_TEXTS = {
    "topology": "p,a,h,g of a Dragonfly, the text of another network, such as slimfly(7), or its "
    "JSON; what a file holds may be pasted, too",
}
_EXAMPLES_OF = {"topology": "4,8,4,9", "load": "0.1, 0.2, 0.3"}
_WORDS = {"vc": "virtual channel", "vcs": "virtual channels", "ugal": "UGAL", "vlb": "VLB"}
# How those are asked for that may be what a file holds, and the suffixes of such files.
_INPUTS = {
    "topology": "network",
    "pattern": "pattern",
    "traffic": "traffic",
    "screening": "windows",
    "confirmation": "windows",
}
_FILES = {
    "topology": tuple(
        suffix
        for one in network_formats().values()
        if one.read is not None
        for suffix in one.suffixes
    ),
    "pattern": (".csv",),
    "traffic": (".csv",),
}
_WIDE = ("topology", "lines", "json", "traffic")


def form_of(kind: RequestKind, router: str = "") -> tuple[list[str], dict[str, Any]]:
    """Return the templates of a kind's form, the first that there is counts, and what they show.

    Parameters
    ----------
    router : whose form it is, of kinds that have several.
    """
    if not kind.menu:
        return ["new.html"], {"fields": {}}
    form = kind.form_by(router)
    shown = {
        "fields": _fields(form.body),
        "more": _more(form.body),
        "routers": [router_named(one.router) for one in kind.forms if one.router],
        "router": form.router,
    }
    own = _OWN.get(kind.name, dict[str, Any])
    return [f"new_{kind.name}.html", "new.html"], shown | own()


def _more(body: type[Question]) -> list[str]:
    """Return the names of the fields that few will want to change."""
    if issubclass(body, LoadsBody):
        return [*offered(body.model.declaring[-1])]
    return [*offered(LongRun)] if issubclass(body, StabilityBody) else []


def _fields(body: type[BaseModel]) -> dict[str, dict[str, Any]]:
    """Return the fields of a body by name: how they are asked for, description and default."""
    schema = body.model_json_schema()
    return {
        name: _field(name, one) | {"needed": name in schema.get("required", ())}
        for name, one in schema["properties"].items()
    }


def _field(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    usual, asked = schema.get("default"), _input(schema)
    asked["input"] = _INPUTS.get(name, asked["input"])
    return {
        "name": name,
        "title": _TITLES.get(name) or title_of(name),
        # A form has nothing where JSON has null.
        "description": _TEXTS.get(name)
        or schema.get("description", "").replace("null for", "empty for"),
        "usual": usual,
        "shown": _EXAMPLES_OF.get(name) or _shown(usual),
        "choices": (),
        "suggested": (),
        "files": _FILES.get(name, ()),
        "wide": asked["input"] in _WIDE,
        **asked,
    }


def title_of(name: str) -> str:
    """Return what people call a field."""
    words = " ".join(_WORDS.get(word, word) for word in name.split("_"))
    return words[:1].upper() + words[1:]


def _shown(usual: Any) -> str:
    if isinstance(usual, list):
        return ", ".join(map(str, cast("list[object]", usual))) or "none"
    return "as usual" if usual is None else str(usual)


def _amounts(given: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {amount}" for name, amount in given.items())


def _input(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a value is asked for, and its choices."""
    every = schema.get("anyOf", [schema])
    given = [part for part in every if part.get("type") != "null"]
    match _widest(given):
        case {"oneOf": [value, {"type": "array"}]}:
            # A value or several: one a line, whatever it is.
            asked = {"input": "values", "shown": _shown_values(value, schema.get("default"))}
        case {"const": only} if len(given) < len(every):
            asked = {"input": "choice", "choices": [only]}
        case {"const": usual}:
            asked = {"input": "fixed", "usual": usual}
        case {"enum": choices}:
            asked = {"input": "choice", "choices": choices}
        case {"type": "boolean"}:
            asked = {"input": "check"}
        case {"type": "integer" | "number"}:
            asked = {"input": "number"}
        case {"type": "array", "items": {"enum": choices}}:
            asked = {"input": "choices", "choices": choices}
        case {"type": "array", "items": {"type": "number" | "integer"}}:
            asked = {"input": "numbers"}
        case {"type": "array", "items": {"type": "string"}}:
            asked = {"input": "lines"}
        case {"type": "string"}:
            asked = _text_input(schema, given)
        case {"type": "object", "additionalProperties": {"type": "number"}, "examples": given}:
            asked = {"input": "amounts", "shown": "; or ".join(map(_amounts, given))}
        case _:
            asked = {"input": "json"}
    return asked


def _widest(given: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the schema whose field takes what all of them admit.

    That of a number takes names, too, and that of a text those of a list of names.
    """
    if len(given) > 1 and all(part.get("type") == "string" for part in given):
        return {"type": "string"}
    return next((part for part in given if part.get("type") in ("integer", "number")), given[0])


def _text_input(schema: Mapping[str, Any], given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how a text is asked for, or one or several, a line each; with known ones of one."""
    if any(part.get("items", {}).get("type") == "string" for part in given):
        return {"input": "texts"}
    named = [name for part in given for name in part.get("enum", ())]
    shown = [text for text in schema.get("examples", ()) if isinstance(text, str)]
    return {"input": "text", "suggested": [*dict.fromkeys([*named, *shown])]}


def _shown_values(schema: Mapping[str, Any], usual: Any) -> str:
    """Return what the field of a value shows: the values that there are, the usual one first."""
    choices: list[Any] = schema.get("enum", [])
    return "\n".join([_shown(usual), *(str(one) for one in choices if one != usual)])


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


def _sweep() -> dict[str, Any]:
    sizings = {name: one.sizing for name, one in sized_families().items() if one.sizing}
    # The one that is meant unnamed comes first.
    ordered = sorted(sizings.items(), key=lambda each: each[0] != UNNAMED)
    return {
        "options": _fields(TableBody),
        "varied": VARIED,
        "computed": [
            # Of the first form, sections name no router.
            {
                "name": name if form is kind.forms[0] else f"{name}:{form.router}",
                "noun": f"{kind.nouns} by router {form.router}" if form.router else kind.nouns,
                "fields": _computed(kind, form),
            }
            for name, kind in swept_kinds().items()
            for form in kind.forms
        ],
        # Without any there are none.
        "prices": {name: one | {"needed": False} for name, one in _fields(Prices).items()},
        "families": [
            {"name": name, "parameters": sizing.parameters, "quantities": quantity_names(sizing)}
            for name, sizing in ordered
        ],
    }


def _computed(kind: RequestKind, form: Form[Any]) -> dict[str, dict[str, Any]]:
    """Return the fields of a section of a sweep: none is needed or ticked beforehand."""
    fields = _fields(section_of(kind, form)).items()
    untouched = {"needed": False, "usual": ()}
    return {
        name: one | (untouched if one["input"] in ("check", "choices") else {"needed": False})
        for name, one in fields
        if one["input"] != "fixed"
    }


_OWN: Mapping[str, Callable[[], dict[str, Any]]] = {"sweep": _sweep}
