"""Programs that leave out most inner links, and bring in the crowded ones.

The local links of the groups that a flow only passes through are most of the matrix, and on large
networks few of them ever limit a routing. A program may leave them out (`Unlisted`): its prices
still prove an upper bound, because the flows then pay for less, and its rates are shrunk until all
links hold. Where that costs too much, the most loaded links are listed and the solver goes on.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tvlb.model.instance import Instance, classes_of
from tvlb.model.outcome import Outcome, Solution

_LEAST_ADDED = 300
_NEAR_LARGEST = 0.8
_ROUGH_MARGIN = 0.97


def within_capacity(instance: Instance, solution: Solution) -> Solution:
    """Shrink the rates until the links that the program leaves out hold, too."""
    if instance.unlisted is None:
        return solution
    largest = float(instance.loads(solution.minimal, solution.detour).max(initial=0.0))
    if not (np.isfinite(largest) and largest > 1.0):
        return solution
    return replace(
        solution,
        theta=solution.theta / largest,
        minimal=solution.minimal / largest,
        detour=solution.detour / largest,
    )


def crowded_links(instance: Instance, solution: Solution) -> NDArray[np.bool_]:
    """Return the unlisted links to list: those near the largest load, if one exceeds the others."""
    nothing = np.zeros(instance.num_links, dtype=bool)
    if instance.unlisted is None:
        return nothing
    hidden = instance.unlisted_loads(solution.detour)
    load = instance.listed_loads(solution.minimal, solution.detour) + hidden
    largest = float(load.max(initial=0.0))
    if not np.isfinite(largest):
        return nothing
    visible = hidden == 0.0
    # What is nearly the largest load of a rough solution may be the largest of a good one.
    margin = 1.0 if solution.outcome is Outcome.OPTIMAL else _ROUGH_MARGIN
    overloaded = int((load[~visible] > margin * load[visible].max(initial=0.0)).sum())
    if overloaded == 0:
        return nothing
    load[visible] = 0.0
    most_loaded = np.argsort(-load, kind="stable")[: max(_LEAST_ADDED, 2 * overloaded)]
    nothing[most_loaded] = load[most_loaded] >= _NEAR_LARGEST * largest
    return nothing


def list_also(instance: Instance, links: NDArray[np.bool_], solution: Solution) -> Instance:
    """Return the same program with more inner links listed, to go on from `solution`."""
    assert instance.unlisted is not None
    unlisted = replace(instance.unlisted, listed=instance.unlisted.listed | links)
    detour = classes_of(unlisted.usage.listed(unlisted.listed))
    return replace(instance, detour=detour, unlisted=unlisted, begun=solution.state)
