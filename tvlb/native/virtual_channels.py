"""Policies of virtual channels: which VCs a packet may take on every link of its route.

They are defined in `tvlb/native/vc`, one file each; all routers run what the proofs read. Those of
other packages, and steerings, are in libraries that entry points of the group `tvlb.libraries`
name by their paths.
"""

import ctypes
from enum import StrEnum
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tvlb.languages import from_others, members
from tvlb.native import kernels

Kinds = NDArray[np.int8]
"""Kinds of the links of some routes in travel order: int8 (routes, links), -1 beyond the last."""

_HIGHEST = np.iinfo(np.int8).max


@cache
def load_libraries() -> None:
    """Load those of other packages, once: they register their members when they are loaded.

    To be called before anything lists these.
    """
    for library in from_others("tvlb.libraries", str).values():
        ctypes.CDLL(library)


load_libraries()
VC_POLICIES = tuple(one.name for one in kernels.vc_policies() if not one.is_of_source)
"""Policies by which every switch chooses among VCs; see docs/virtual-cut-through.md."""


class VcScheme(StrEnum):
    """How the virtual channel rises along a route."""

    # The policies by which the source fixes the VCs of the whole route.
    vars().update(members(one.name for one in kernels.vc_policies() if one.is_of_source))

    def vcs(self, kinds: Kinds, last_vc: int = _HIGHEST) -> NDArray[np.uint16]:
        """Return the VC of every link, of the shape of `kinds`, 0 beyond the last link.

        VCs beyond `last_vc` are clamped to it.
        """
        return vc_policy(self).table(last_vc + 1).vcs(kinds)

    def vcs_needed(self, kinds: Kinds) -> int:
        """Return 1 + the highest VC on these routes."""
        return 1 + int(self.vcs(kinds).max(initial=0))

    def most_vcs(self, links: int, kinds: int) -> int:
        """Return 1 + the highest VC of any route of so many links of so many kinds."""
        steps = vc_policy(self).table(_HIGHEST + 1).steps()[:, 0, :kinds]
        highest, states = 0, np.zeros(1, dtype=np.uint16)
        for _ in range(links):
            highest = max(highest, int(steps[states, :, 0].max()))
            states = np.unique(steps[states, :, 2])
        return 1 + highest


def vc_policy(name: str) -> kernels.VcPolicy:
    """Return the policy of this name."""
    return next(one for one in kernels.vc_policies() if one.name == name)
