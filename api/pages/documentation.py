"""The description of all routes as a page, made of the OpenAPI document."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

_Schema = Mapping[str, Any]
_METHODS = ("get", "post", "patch", "delete")


def documented(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page shows of an OpenAPI document: routes by tag, and schemas by name."""
    tags: dict[str, list[dict[str, Any]]] = {}
    for path, methods in document["paths"].items():
        for method in _METHODS:
            if method in methods:
                route = methods[method]
                tags.setdefault(route.get("tags", ["other"])[0], []).append(
                    _route(method, path, route)
                )
    schemas = document["components"]["schemas"]
    return {
        "about": document["info"]["description"],
        "version": document["info"]["version"],
        "tags": tags,
        "schemas": {name: _described(one) for name, one in sorted(schemas.items())},
    }


def _route(method: str, path: str, route: _Schema) -> dict[str, Any]:
    return {
        "id": route["operationId"],
        "method": method.upper(),
        "path": path,
        "text": route.get("description", ""),
        "parameters": [
            {
                "name": one["name"],
                "place": one["in"],
                "type": _type(one["schema"]),
                "text": one.get("description", ""),
                "needed": one.get("required", False),
            }
            for one in route.get("parameters", ())
        ],
        "bodies": [*_bodies(route.get("requestBody", {}))],
        "answers": {
            status: (one["description"], [*_bodies(one)])
            for status, one in route["responses"].items()
        },
    }


def _bodies(part: _Schema) -> Iterator[tuple[str, str]]:
    """Yield media type and type of what is sent or answered."""
    for media_type, content in part.get("content", {}).items():
        yield media_type, _type(content.get("schema", {}))


def _described(schema: _Schema) -> dict[str, Any]:
    needed = schema.get("required", ())
    return {
        "text": schema.get("description", ""),
        "type": "" if "properties" in schema else _type(schema),
        "keys": [
            {
                "name": name,
                "type": _type(one),
                "text": one.get("description", ""),
                "needed": name in needed,
            }
            for name, one in schema.get("properties", {}).items()
        ],
    }


def _type(schema: _Schema) -> str:
    """Return in words what values a schema allows."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(map(_type, schema[key])))
    if "const" in schema or "enum" in schema:
        values = schema.get("enum", [schema.get("const")])
        return ", ".join(one if isinstance(one, str) else json.dumps(one) for one in values)
    kind = str(schema.get("type", "any value"))
    if kind == "array":
        items = cast("_Schema", schema.get("items", {}))
        return f"list of {_type(items)}"
    low, high = (schema.get(end, "") for end in ("minimum", "maximum"))
    return f"{kind} {low}..{high}" if high != "" else kind
