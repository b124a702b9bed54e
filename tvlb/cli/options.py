"""Arguments and options that several commands share."""

import math
from typing import Annotated

import typer

from sim_bridge import LOAD
from tvlb.cli.numbers import parsed_integer, ranged
from tvlb.documents import decimal_number
from tvlb.errors import InvalidInput
from tvlb.languages import one_of
from tvlb.paths import expression_examples
from tvlb.statistics import check_seed
from tvlb.table import VcScheme
from tvlb.topology import describe_network_files, topology_forms
from tvlb.traffic import named_patterns

_MAX_LOADS = 1000


def _seed(text: str) -> int:
    seed = ranged(parsed_integer, "0..2^63-1")(text)
    check_seed(seed)
    return seed


TopologyArgument = Annotated[
    str,
    typer.Argument(
        metavar="TOPOLOGY",
        help=f"{topology_forms()}, or {describe_network_files()}.",
        show_default=False,
    ),
]
WithoutOption = Annotated[
    str | None,
    typer.Option(
        "--without",
        metavar="FILE",
        help="What of the network is down: a JSON file with the lists links, of switch pairs, and "
        "switches.",
    ),
]
FabricOption = Annotated[
    str | None,
    typer.Option(
        "--fabric",
        metavar="FILE",
        help="Output of ibnetdiscover: the fabric whose GUIDs, LIDs and ports are meant.",
    ),
]
PathSetOption = Annotated[
    str,
    typer.Option(
        metavar="EXPR",
        help=f"VLB path set: {', '.join(expression_examples())}, or a saved table.",
    ),
]
_PATTERNS = f"{', '.join(one.example for one in named_patterns())}, or a traffic-matrix CSV file."
PatternOption = Annotated[str, typer.Option("--pattern", metavar="PATTERN", help=_PATTERNS)]
AdversarialPatternOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATTERN",
        help=_PATTERNS,
        show_default="the first adversarial one of the network",
    ),
]
VcSchemeOption = Annotated[
    str | None,
    typer.Option(
        help=f"VC scheme: {one_of(VcScheme)}.", show_default="that of the network's family"
    ),
]
Seed = Annotated[
    int,
    typer.Option(parser=_seed, metavar="INTEGER", help="Seed of everything random, 0..2^63-1."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]


def parse_loads(text: str) -> list[float]:
    """Parse offered loads, packets/cycle/node: comma-separated numbers and START:STOP:STEP ranges.

    Raises
    ------
    InvalidInput : a load is not in 0..1, or a range is empty or has more than 1,000 loads.
    """
    loads = [load for part in text.split(",") for load in _load_range(part.strip())]
    return list(dict.fromkeys(loads))


def _load_range(part: str) -> list[float]:
    limits = [_load(number) for number in part.split(":")]
    if len(limits) == 1:
        return limits
    if len(limits) != 3:
        raise InvalidInput(f"load range {part!r} is malformed: expected START:STOP:STEP")
    start, stop, step = limits
    steps = min((stop - start) / step + 1e-9, _MAX_LOADS) if step > 0.0 else -1.0
    count = max(0, math.floor(steps) + 1)
    if not 1 <= count <= _MAX_LOADS:
        there = f"over {_MAX_LOADS}" if count else "no"
        raise InvalidInput(f"load range {part!r} has {there} loads: expected 1..{_MAX_LOADS}")
    return [round(start + step * i, 10) for i in range(count)]


def _load(text: str) -> float:
    try:
        return LOAD.checked("load", decimal_number(text))
    except ValueError:
        raise InvalidInput(f"load {text!r} is not a number: {LOAD}") from None
