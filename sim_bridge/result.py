"""What a run found out, whatever the model of its routers."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, ClassVar, Self

from tvlb.documents import Frame


class RunResult(Frame):
    """What a run found out; the dataclass of every router declares its own figures.

    Attributes
    ----------
    about : what their documents are, in a sentence.
    population : whose latency and hops are told, in a word and in words.
    topology : the network, as it prints.
    load : offered, in the unit of the router, times the node's rate in the pattern.
    seed : of the run.
    """

    about: ClassVar[str] = "One run; it tells no intervals."
    population: ClassVar[tuple[str, str]]
    topology: str
    load: float
    seed: int

    @classmethod
    def of(cls, told: Mapping[str, Any], **computed: Any) -> Self:
        """Return the result of what the core told, and of what is computed from that."""
        declared: Any = cls
        names = {one.name for one in fields(declared)} - computed.keys()
        return cls(**computed, **{name: told[name] for name in names})

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one, of the figures that are single numbers or texts."""
        plain = int | float | str | bool
        return [{name: one for name, one in vars(self).items() if isinstance(one, plain)}]
