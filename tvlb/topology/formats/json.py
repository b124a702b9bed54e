"""JSON: the same document that requests hold."""

import json

from pydantic import TypeAdapter, ValidationError

from tvlb.documents import json_text
from tvlb.errors import InvalidInput
from tvlb.topology.explicit import explicit_type
from tvlb.topology.family import ExplicitTopology, families
from tvlb.topology.formats import NetworkFormat, WrittenNetwork, lost_family, lost_kinds
from tvlb.topology.listed import Listing, listed
from tvlb.topology.topology import Topology

# A location names the family, then the key.
_TOP = 2


def _read(content: bytes, endpoints: int | None) -> ExplicitTopology:
    if endpoints is not None:
        raise InvalidInput("a JSON file says how many compute nodes a switch has")
    try:
        return TypeAdapter[ExplicitTopology](explicit_type()).validate_json(json_text(content))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in problem["loc"][1:])
        if problem["type"] == "missing" and len(problem["loc"]) == _TOP:
            forms = " or ".join(map(", ".join, _needed()))
            raise InvalidInput(f"the key {where!r} is missing; expected {forms}") from error
        raise InvalidInput(f"{where}: {problem['msg']}" if where else problem["msg"]) from error


def _needed() -> list[list[str]]:
    """Return the keys without which there is no network, of each family."""
    models = [one.explicit for one in families().values() if one.explicit is not None]
    return [
        [name for name, field in model.model_fields.items() if field.is_required()]
        for model in models
    ]


def _write(topology: Topology, name: str) -> WrittenNetwork:
    network = listed(topology)
    parts = Listing.of(network).model_dump(mode="json")
    if not lost_kinds(network):
        del parts["kinds"]
    lines = [
        f"{json.dumps(key)}: {json.dumps(part)}"
        for key, part in parts.items()
        if part not in ([], "")
    ]
    text = ",\n ".join(lines)
    return WrittenNetwork({"": [f"{{{text}}}\n".encode()]}, lost_family(topology))


FORMAT = NetworkFormat(
    name="json",
    suffixes=(".json",),
    read=_read,
    recognise=lambda content: content.lstrip().startswith(b"{"),
    write=_write,
)
