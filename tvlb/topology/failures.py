"""Links and switches that are down, as files and requests list them."""

import hashlib
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError
from pydantic_core import ErrorDetails

from tvlb.documents import WHOLE, parse_unique_json, read_file
from tvlb.errors import InvalidInput

_MOST = 2_000_000
_DIGITS = 8

_Switch = Annotated[int, Field(ge=0, lt=10**9), WHOLE]
# JSON has lists only, which a strict tuple refuses.
_Cable = Annotated[tuple[_Switch, _Switch], Field(strict=False)]


class Failures(BaseModel):
    """What of a network is down."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    links: Annotated[
        tuple[_Cable, ...],
        Field(
            max_length=_MOST,
            strict=False,
            description="Cables that are down, as switch pairs; listed twice: two parallel ones.",
        ),
        # The errors of a long list would take many times its memory.
        FailFast(),
    ] = ()
    switches: Annotated[
        tuple[_Switch, ...],
        Field(
            max_length=_MOST,
            strict=False,
            description="Switches that are down, with their cables and compute nodes.",
        ),
        FailFast(),
    ] = ()

    def canonical(self) -> Self:
        """Return the same failures as all descriptions of them are written: sorted."""
        links = tuple(sorted((min(pair), max(pair)) for pair in self.links))
        return self.model_copy(
            update={"links": links, "switches": tuple(sorted(set(self.switches)))}
        )

    def __str__(self) -> str:
        # Many ways to lose as many cables are told apart by a hash.
        digest = hashlib.sha256(self.canonical().model_dump_json().encode()).hexdigest()
        cables, switches = len(self.links), len(set(self.switches))
        said = [f"{cables} cable{'s' * (cables != 1)}"] if cables or not switches else []
        if switches:
            said.append(f"{switches} switch{'es' * (switches != 1)}")
        return f"{' and '.join(said)} ({digest[:_DIGITS]})"


def read_failures(path: str) -> Failures:
    """Read the failures of a JSON file, ``{"links": [[u, v], ...], "switches": [u, ...]}``.

    Raises
    ------
    InvalidInput : there is no such file, or it is malformed; a key that is there twice would hide
        failures, and is refused.
    """
    content = read_file(path, "failures file")
    try:
        return Failures.model_validate(parse_unique_json(content))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise InvalidInput(f"failures file {path}: {_in_words(problem)}") from error
    except InvalidInput as error:
        raise InvalidInput(f"failures file {path}: {error}") from error


def _in_words(problem: ErrorDetails) -> str:
    key, *place = problem["loc"] or (None,)
    match key:
        case "links":
            one = "pair of switches [u, v], each 0 or more"
        case "switches":
            one = "switch, 0 or more"
        case None:
            return "expected an object with the lists links and switches"
        case _:
            return f"unknown key {str(key)[:40]!r}; expected links and switches"
    return f"entry {place[0]} of {key} is no {one}" if place else f"{key} is no list"
