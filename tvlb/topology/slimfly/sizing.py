"""The sizes of Slim Flies: which there are, and what sweeps know of them."""

from typing import TypeVar

import numpy as np

from tvlb.topology.sizing import Numbers, SizeColumn, SizeParameter, Sizing
from tvlb.topology.slimfly.field import is_prime_power

SMALLEST, LARGEST = 3, 53
MOST_PORTS = 128
KNOWN = tuple(q for q in range(SMALLEST, LARGEST + 1) if is_prime_power(q))

_Size = TypeVar("_Size", int, Numbers)


def parts(q: _Size) -> tuple[_Size, _Size]:
    """Return l and d of q = 4l + d."""
    d = (q + 1) % 4 - 1
    return (q - d) // 4, d


def degree(q: _Size) -> _Size:
    """Return the links of a switch."""
    return (3 * q - parts(q)[1]) // 2


def usual_nodes(q: _Size) -> _Size:
    """Return the compute nodes per switch where nothing is said."""
    return -(-degree(q) // 2)


def cables(q: _Size) -> dict[str, _Size]:
    """Return the cables by kind: inside columns, and between the two subgraphs."""
    return {"local": q * q * (degree(q) - q), "global": q * q * q}


_PARAMETERS = (
    SizeParameter(
        "q",
        "Columns of a subgraph, and switches of a column.",
        f"{SMALLEST}..13",
        low=SMALLEST,
        high=LARGEST,
    ),
    SizeParameter(
        "p",
        "Compute nodes per switch.",
        "4..8",
        high=MOST_PORTS,
        usual=lambda of: usual_nodes(of["q"]),
    ),
)
SIZING = Sizing(
    parameters=_PARAMETERS,
    rule=f"q a prime power {SMALLEST}..{LARGEST} and at most {MOST_PORTS} ports per switch",
    are_networks=lambda of: np.isin(of["q"], KNOWN) & (degree(of["q"]) + of["p"] <= MOST_PORTS),
    nodes=lambda of: 2 * of["q"] ** 2 * of["p"],
    switches=((lambda of: degree(of["q"]) + of["p"], lambda of: 2 * of["q"] ** 2),),
    cables={
        "global": lambda of: cables(of["q"])["global"],
        "local": lambda of: cables(of["q"])["local"],
    },
    others={"degree": lambda of: degree(of["q"])},
    columns=(
        *(one.column for one in _PARAMETERS),
        SizeColumn("degree", "integer", "ports", "Links of a switch, k'."),
        SizeColumn("radix", "integer", "ports", "Ports of a switch, degree+p."),
        SizeColumn("global_cables", "integer", "cables", "Cables between the two subgraphs."),
        SizeColumn("local_cables", "integer", "cables", "Cables between the switches of a column."),
    ),
)
