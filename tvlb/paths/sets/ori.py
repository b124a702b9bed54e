"""VAL_ori: detours as Valiant draws them, by any intermediate, on networks of diameter 2."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tvlb.languages import Call
from tvlb.paths.sets.short import ShortSet
from tvlb.paths.shortcut_set import is_valiant
from tvlb.topology import Topology


@dataclass(frozen=True, repr=False)
class OriginalSet(ShortSet):
    """Any intermediate, then any MIN path of either half; switches may repeat."""

    name = "ori"
    examples = ("ori",)
    place = 5

    @classmethod
    def of_call(cls, call: Call, topology: Topology) -> Self | None:
        """See `ExpressionSet.of_call`."""
        return None if call.arguments or call.keywords else cls(topology)

    @classmethod
    def forms(cls, topology: Topology) -> Sequence[str]:
        """See `ExpressionSet.forms`."""
        return (cls.name,) if is_valiant(topology) else ()

    @classmethod
    def regex(cls) -> str:
        """See `ExpressionSet.regex`."""
        return cls.name

    def __str__(self) -> str:
        return self.name


PATH_SET = OriginalSet
