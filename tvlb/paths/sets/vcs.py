"""Paths that need no more than a number of virtual channels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from tvlb.languages import Call, WholeArgument, choose
from tvlb.native.virtual_channels import VcScheme
from tvlb.paths.filter_set import FilterSet
from tvlb.paths.rows import PathRows
from tvlb.topology import Topology

_COUNT = WholeArgument("N", 1, 99)


@dataclass(frozen=True, repr=False)
class VcsSet(FilterSet):
    """All VLB paths that take at most so many virtual channels.

    Attributes
    ----------
    most : virtual channels.
    scheme : `VcScheme` by which they are given.
    """

    most: int
    scheme: str

    name = "vcs"
    examples = ("vcs(4,per-hop)",)
    place = 5

    @classmethod
    def of_call(cls, call: Call, topology: Topology) -> Self | None:
        """See `ExpressionSet.of_call`; by default the scheme is that of the family."""
        match call:
            case Call(_, (most,), ()):
                scheme = topology.vc_scheme
            case Call(_, (most, scheme), ()):
                scheme = choose(VcScheme, "VC scheme", scheme)
            case _:
                return None
        return cls(topology, _COUNT.parse(most), str(scheme))

    @classmethod
    def forms(cls, topology: Topology) -> Sequence[str]:
        """See `ExpressionSet.forms`."""
        return (f"{cls.name}(N[,SCHEME])",)

    @classmethod
    def regex(cls) -> str:
        """See `ExpressionSet.regex`."""
        return rf"{cls.name} *\( *{_COUNT.regex} *(, *({'|'.join(VcScheme)}) *)?\)"

    def passing(self, rows: PathRows) -> NDArray[np.bool_]:
        """See `FilterSet.passing`."""
        kind = np.append(self.topology.network.link_kind.astype(np.int8), np.int8(-1))
        parts = [
            VcScheme(self.scheme).vcs(kind[chunk.links()]).max(axis=1, initial=0) < self.most
            for chunk in rows.chunks()
        ]
        return np.concatenate([np.zeros(0, dtype=bool), *parts])

    def __str__(self) -> str:
        return f"{self.name}({self.most},{self.scheme})"


PATH_SET = VcsSet
