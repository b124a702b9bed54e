"""Links and switches that are down, as files and requests list them."""

import hashlib
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError
from pydantic_core import ErrorDetails

from tvlb.documents import WHOLE, parse_unique_json, read_file
from tvlb.errors import InvalidInput
from tvlb.topology.switch_names import SwitchNames

_MOST = 2_000_000
_DIGITS = 8

_Switch = (
    Annotated[int, Field(ge=0, lt=10**9), WHOLE]
    | Annotated[str, Field(min_length=1, max_length=200, description="What its owner calls it.")]
)
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
        ends = (sorted(pair, key=_order) for pair in self.links)
        links = sorted(((low, high) for low, high in ends), key=lambda pair: [*map(_order, pair)])
        switches = sorted(set(self.switches), key=_order)
        return self.model_copy(update={"links": tuple(links), "switches": tuple(switches)})

    def numbered(self, names: SwitchNames) -> Self:
        """Return the same failures with the numbers of all switches.

        Raises
        ------
        InvalidInput : a name is that of no switch, or of several.
        """
        links = tuple(tuple(map(names.number, pair)) for pair in self.links)
        switches = tuple(map(names.number, self.switches))
        return self.model_copy(update={"links": links, "switches": switches})

    @property
    def down_cables(self) -> list[tuple[int, int]]:
        """The cables of numbered failures."""
        ends = [[end for end in pair if isinstance(end, int)] for pair in self.links]
        return [(low, high) for low, high in ends]

    @property
    def down_switches(self) -> list[int]:
        """The switches of numbered failures."""
        return [one for one in self.switches if isinstance(one, int)]

    def __str__(self) -> str:
        # Many ways to lose as many cables are told apart by a hash.
        digest = hashlib.sha256(self.canonical().model_dump_json().encode()).hexdigest()
        cables, switches = len(self.links), len(set(self.switches))
        said = [f"{cables} cable{'s' * (cables != 1)}"] if cables or not switches else []
        if switches:
            said.append(f"{switches} switch{'es' * (switches != 1)}")
        return f"{' and '.join(said)} ({digest[:_DIGITS]})"


def _order(switch: int | str) -> tuple[bool, int, str]:
    """Say where a switch stands in sorted lists: numbers before names."""
    return (True, 0, switch) if isinstance(switch, str) else (False, switch, "")


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
            one = "pair of switches [u, v], each a number from 0 up or a name"
        case "switches":
            one = "switch, a number from 0 up or a name"
        case None:
            return "expected an object with the lists links and switches"
        case _:
            return f"unknown key {str(key)[:40]!r}; expected links and switches"
    return f"entry {place[0]} of {key} is no {one}" if place else f"{key} is no list"
