"""Virtual-channel schemes: which VC a packet uses on every link of its path.

A scheme is a function from the kinds of a path's links to VC indices; a packet enters a group
exactly where it takes a global link. Adding a scheme is adding a function and its entry in
`VC_SCHEMES`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.topology import LinkKind

__all__ = ["VC_SCHEMES", "Kinds", "VcScheme", "per_hop", "vc_scheme", "won"]

Kinds = NDArray[np.int8]
"""Kinds of the links of some paths in travel order: int8 (paths, hops), -1 beyond the last."""

VcScheme = Callable[[Kinds], NDArray[np.int8]]
"""Maps `Kinds` to VC indices of the same shape; what it says beyond the last hop has no meaning."""


def won(kinds: Kinds) -> NDArray[np.int8]:
    """Rise when a group was just entered, and before every other local link (Won et al.).

    References
    ----------
    Won et al., Overcoming far-end congestion in large-scale networks, HPCA'15.
    """
    vcs = np.zeros(kinds.shape, dtype=np.int8)
    for hop in range(1, kinds.shape[1]):
        entered_group = kinds[:, hop - 1] == LinkKind.GLOBAL
        next_is_local = kinds[:, hop] == LinkKind.LOCAL
        vcs[:, hop] = vcs[:, hop - 1] + (entered_group | next_is_local)
    return vcs


def per_hop(kinds: Kinds) -> NDArray[np.int8]:
    """Use the number of links already taken."""
    return np.broadcast_to(np.arange(kinds.shape[1], dtype=np.int8), kinds.shape)


VC_SCHEMES: dict[str, VcScheme] = {"won": won, "per-hop": per_hop}


def vc_scheme(name: str) -> VcScheme:
    """Return the scheme of that name; raises InvalidInput if there is none."""
    if name not in VC_SCHEMES:
        raise InvalidInput(f"unknown VC scheme {name!r}; choose one of {', '.join(VC_SCHEMES)}")
    return VC_SCHEMES[name]
