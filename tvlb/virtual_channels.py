"""Virtual-channel schemes: which VC a packet uses on every link of its route.

The schemes are defined in `tvlb/native/vc`, one file each; the simulator runs what the proof reads.
"""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tvlb import _native
from tvlb.choices import members

__all__ = ["Kinds", "VcScheme"]

Kinds = NDArray[np.int8]
"""Kinds of the links of some routes in travel order: int8 (routes, links), -1 beyond the last."""

_HIGHEST = np.iinfo(np.int8).max


class VcScheme(StrEnum):
    """How the virtual channel rises along a route."""

    vars().update(members(_native.vc_schemes()))

    def vcs(self, kinds: Kinds, last_vc: int = _HIGHEST) -> NDArray[np.uint16]:
        """Return the VC of every link, of the shape of `kinds`, 0 beyond the last link.

        VCs beyond `last_vc` are clamped to it.
        """
        return _native.vcs_of_routes(self.value, kinds, last_vc)

    def vcs_needed(self, kinds: Kinds) -> int:
        """Return 1 + the highest VC on these routes."""
        return 1 + int(self.vcs(kinds).max(initial=0))
