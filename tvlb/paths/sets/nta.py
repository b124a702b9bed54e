"""VAL_nta: Valiant's detours without turning around beside the target."""

from dataclasses import dataclass

from tvlb.paths.shortcut_set import ShortcutSet


@dataclass(frozen=True, repr=False)
class NoTurnAroundSet(ShortcutSet):
    """As `ori`, but packets that come by a neighbour of the target on the way turn there."""

    only_to_neighbours = True

    name = "nta"
    examples = ("nta",)
    place = 6


PATH_SET = NoTurnAroundSet
