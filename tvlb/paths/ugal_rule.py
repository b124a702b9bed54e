"""The rule of UGAL: how it compares a MIN path with the VLB paths that it draws.

References: Rahman et al., SC'19, section 2.3 (queues times hops, a threshold); Singh, 2005 (twice
the queue of VLB); Won et al., HPCA'15 (credits of flits in transit are no queue).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from itertools import permutations
from typing import Any

from tvlb.languages import Names, Number, Whole, check_settings, members, setting

_COUNTED = ("port", "vc", "waiting")


class QueueFactor(StrEnum):
    """What UGAL-L and PAR compare: queues times hops, or the MIN queue with twice the VLB queue."""

    HOPS = "hops"
    TWO = "two"


class Queue(StrEnum):
    """What UGAL counts of a link as its queue, for MIN and VLB alike or for each.

    Credits in use of its port; those of the VC that the packet would take; those of that VC without
    the flits that left by it within the last round trip. A hybrid counts the VC's where both paths
    leave by one port, else the port's.
    """

    vars().update(
        members((*_COUNTED, "hybrid", *(f"{one}/{two}" for one, two in permutations(_COUNTED, 2))))
    )


@dataclass(frozen=True)
class UgalRule:
    """What UGAL compares; the defaults are the published rule.

    Raises
    ------
    InvalidInput : a value is out of range.

    Examples
    --------
    >>> str(UgalRule()), str(UgalRule(queue="vc", threshold=-8))
    ('the published rule', 'queue vc, threshold -8')
    """

    ugal_rule: str = setting(
        QueueFactor.HOPS, "What UGAL-L and PAR multiply queues by", Names(QueueFactor)
    )
    queue: str = setting(
        Queue("port"),
        "Credits in use that UGAL compares: of the port, of the VC that the packet would take, of "
        "that VC without flits in transit, of the VC where both paths leave by one port only; or "
        "MIN's/VLB's",
        Names(Queue),
        is_later=True,
    )
    threshold: int = setting(0, "UGAL bias T towards MIN, flits", Whole(-1_000_000, 1_000_000))
    vlb_factor: float = setting(
        1.0, "What UGAL multiplies the VLB side by", Number(0.01, 100), is_later=True
    )
    candidates: int = setting(
        1,
        "VLB paths that UGAL draws per decision, of which it takes the best",
        Whole(1, 16),
        is_later=True,
    )

    def __post_init__(self) -> None:
        check_settings(self)
        object.__setattr__(self, "vlb_factor", float(self.vlb_factor))

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> "UgalRule":
        """Return the rule of settings by name; what is left open is as published."""
        given = {name: settings.get(name) for name in RULE_SETTINGS}
        return cls(**{name: one for name, one in given.items() if one is not None})

    @property
    def by(self) -> str:
        """What to say behind what is ruled by it; nothing of the published rule."""
        return "" if self == PUBLISHED_RULE else f" by {self}"

    def __str__(self) -> str:
        told = (
            f"{name.replace('_', '-')} {f'{value:g}' if isinstance(value, float) else value}"
            for name, value in asdict(self).items()
            if value != getattr(PUBLISHED_RULE, name)
        )
        return ", ".join(told) or "the published rule"


PUBLISHED_RULE = UgalRule()
"""Queues of ports times hops, as BookSim and the papers on T-UGAL and Dragonflies have it."""

RULE_SETTINGS = tuple(one.name for one in fields(UgalRule))
