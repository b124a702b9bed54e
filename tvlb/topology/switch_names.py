"""How people name switches: by their numbers, or as their owner calls them."""

from collections.abc import Sequence

from tvlb.documents import whole_number
from tvlb.errors import InvalidInput

_SHOWN = 80
_MOST_LISTED = 5


class SwitchNames:
    """Finds switches by what they are called.

    Parameters
    ----------
    labels : what the owner calls every switch, by number; none if there are no such names.
    network : what messages call the network.
    """

    def __init__(self, labels: Sequence[str], network: str) -> None:
        self._network = network
        self._example = labels[0] if labels else None
        self._numbers: dict[str, list[int]] = {}
        for number, label in enumerate(labels):
            self._numbers.setdefault(label, []).append(number)

    def number(self, name: int | str) -> int:
        """Return the number of a switch; of a text the owner's name counts before a number.

        Raises
        ------
        InvalidInput : the text is no number, and no switch or several are called so.
        """
        if isinstance(name, int):
            return name
        found = self._numbers.get(name.strip(), [])
        if len(found) > 1:
            raise InvalidInput(
                f"{len(found)} switches of {self._network} are called {name[:_SHOWN]!r}: "
                f"numbers {', '.join(map(str, found[:_MOST_LISTED]))}"
            )
        if found:
            return found[0]
        try:
            return whole_number(name)
        except ValueError:
            such = "" if self._example is None else f", or a name such as {self._example!r}"
            raise InvalidInput(
                f"{name[:_SHOWN]!r} is no switch of {self._network}: expected a number{such}"
            ) from None
