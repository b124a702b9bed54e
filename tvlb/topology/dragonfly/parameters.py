"""Which sizes and cables make a Dragonfly."""

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology.network import MAX_LINKS, MAX_NODES, MAX_SWITCHES


def check_parameters(p: int, a: int, h: int, g: int) -> None:
    """Raise InvalidInput unless there are Dragonflies of these sizes."""
    for name, value, low in (("p", p, 1), ("a", a, 1), ("h", h, 1), ("g", g, 2)):
        if value < low:
            raise InvalidInput(f"{name}={value} is out of range: {name} must be at least {low}")
    if g > a * h + 1:
        raise InvalidInput(
            f"g={g} is out of range: {a} switches with {h} global ports each reach at most "
            f"a*h+1 = {a * h + 1} groups"
        )
    if p * a * g > MAX_NODES:
        raise InvalidInput(
            f"p={p} is out of range: dfly({p},{a},{h},{g}) has {p * a * g} compute nodes; "
            f"the limit is {MAX_NODES}"
        )
    if a * g > MAX_SWITCHES or a * g * (a - 1 + h) > MAX_LINKS:
        raise InvalidInput(
            f"dfly({p},{a},{h},{g}) has {a * g} switches and {a * g * (a - 1 + h)} directed links; "
            f"the limits are {MAX_SWITCHES} and {MAX_LINKS}"
        )


def check_cables(pairs: NDArray[np.integer], a: int, h: int, g: int) -> None:
    """Raise InvalidInput unless switch pairs, (cables, 2), may be global cables."""
    outside = (pairs < 0) | (pairs >= a * g)
    if outside.any():
        raise InvalidInput(
            f"link end {pairs[outside][0]} is not a switch id; allowed are 0..{a * g - 1}"
        )
    inside = pairs[:, 0] // a == pairs[:, 1] // a
    if inside.any():
        first, second = pairs[inside][0]
        raise InvalidInput(f"link [{first},{second}] joins two switches of one group")
    degree = np.bincount(pairs.ravel(), minlength=a * g)
    if degree.max(initial=0) > h:
        switch = int(degree.argmax())
        raise InvalidInput(f"switch {switch} has {degree[switch]} global links; h allows {h}")


def local_cables(a: int, g: int) -> NDArray[np.int32]:
    """Return the cables inside groups as switch pairs, int32 (cables, 2)."""
    low, high = np.triu_indices(a, k=1)
    one_group = np.stack([low, high], axis=1)
    starts = np.arange(g) * a
    return (starts[:, None, None] + one_group[None]).reshape(-1, 2).astype(np.int32)
