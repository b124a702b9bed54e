"""The texts of networks that parameters give: `4,8,4,9`, `dfly(4,8,4,9,palmtree)`."""

from tvlb.errors import InvalidInput
from tvlb.languages import Call, one_of, parse_call
from tvlb.topology.family import Family, NamedTopology, named_families

_SHOWN = 80
UNNAMED = "dfly"
"""The family that is meant where none is named."""


def parse_named_topology(text: str) -> NamedTopology:
    """Parse a topology that is given by its parameters and never by a file; builds nothing.

    Raises
    ------
    InvalidInput : the text is no such topology.
    """
    known = named_families()
    expected, examples = topology_forms(), [one.example for one in known.values()]
    try:
        call = parse_topology_call(text)
        if call.name not in known:
            raise InvalidInput(f"{call.name!r} is not {one_of(known)}")
        family = known[call.name]
        if "(" in text:
            expected, examples = family.signature.form, [family.example]
        return NamedTopology(family, family.signature.values(call))
    except InvalidInput as error:
        raise InvalidInput(
            f"topology {text[:_SHOWN]!r}: {error}; expected {expected}, such as {one_of(examples)}"
        ) from error


def parse_topology_call(text: str) -> Call:
    """Take the text of a topology apart.

    Raises
    ------
    InvalidInput : it has not the form of one.
    """
    is_call = "(" in text or "," not in text
    return parse_call(text if is_call else f"{UNNAMED}({text})")


def topology_forms() -> str:
    """Say how topologies are written."""
    known = named_families()
    return one_of([_inner(known[UNNAMED]), *(one.signature.form for one in known.values())])


def _inner(family: Family) -> str:
    return family.signature.form.removeprefix(f"{family.name}(").removesuffix(")")


def topology_regex() -> str:
    """Regular expression of the texts that `parse_named_topology` takes, as in JSON Schema."""
    signatures = {name: family.signature for name, family in named_families().items()}
    calls = [one.regex for one in signatures.values()]
    return f"({'|'.join([signatures[UNNAMED].inner_regex, *calls])})"
