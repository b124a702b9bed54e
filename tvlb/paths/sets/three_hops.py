"""VAL_3h: a neighbour of the source, drawn as the first switch of a MIN path, then MIN."""

from dataclasses import dataclass

from tvlb.paths.shortcut_set import ShortcutSet


@dataclass(frozen=True, repr=False)
class ThreeHopSet(ShortcutSet):
    """A MIN path to any intermediate gives the first link, from whose end packets go on MIN."""

    only_to_neighbours = False

    name = "3h"
    examples = ("3h",)
    place = 7


PATH_SET = ThreeHopSet
