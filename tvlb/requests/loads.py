"""How routes load links, as documents tell it."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from tvlb.documents import Document
from tvlb.forwarding import EfiBound, LinkLoads
from tvlb.requests.common import Count, Share

Percentiles = Annotated[tuple[float, ...], Field(min_length=101, max_length=101)]


def percentiles(values: NDArray[Any]) -> list[float]:
    """Return the least value, the percentiles 1 to 99 and the largest one."""
    every = np.arange(101)
    return np.percentile(values, every, method="nearest").tolist() if len(values) else [0.0] * 101


class LoadFigures(Document):
    """Loads of directed links between switches.

    A load is the number of ordered pairs of nodes whose route takes a link; of routes that split,
    the sum of their shares.
    """

    efi: Annotated[int | float, Field(ge=0)] = Field(
        description="Edge forwarding index: the highest load of a link."
    )
    efi_links: Count = Field(description="Links with that load.")
    efi_bound: Count = Field(
        description="A proven bound: no routes have a lower index, or no table if they are one."
    )
    efi_bound_kind: str = Field(
        description="What shows it: hops of shortest routes, a cut around a switch or a group, or "
        "the entries of a switch."
    )
    mean_load: float = Field(ge=0, description="Mean load of a link.")
    hops_mean: float = Field(
        ge=0, description="Mean links of a route, over all ordered pairs of nodes."
    )
    minimal_share: Share = Field(
        description="Share of the routes between two switches that are shortest in the graph."
    )
    load_percentiles: Percentiles = Field(
        description="Loads of the links: the least, percentiles 1 to 99 and the highest."
    )


def load_figures(loads: LinkLoads, bound: EfiBound) -> dict[str, Any]:
    """Return the values of the keys of `LoadFigures`."""
    return {
        "efi": loads.efi,
        "efi_links": loads.efi_links,
        "efi_bound": bound.value,
        "efi_bound_kind": bound.kind,
        "mean_load": loads.mean_load,
        "hops_mean": loads.hops_mean,
        # Shares that add up to 1, but for rounding.
        "minimal_share": min(loads.minimal_share, 1.0),
        "load_percentiles": percentiles(loads.of_link),
    }
