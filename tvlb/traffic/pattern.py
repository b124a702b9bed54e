"""What a traffic pattern is, and what a member of `tvlb.traffic.patterns` declares."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Annotated, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import Signature, WholeArgument
from tvlb.statistics import MAX_SEED
from tvlb.topology import Topology
from tvlb.traffic.demand import NodeTraffic

_Family = TypeVar("_Family", bound=Topology)

# Of a pattern that draws something; None takes the seed of the run.
OwnSeed = Annotated[int | None, WholeArgument("N", 0, MAX_SEED, keyword=True)]


@dataclass(frozen=True)
class LoadStep:
    """A change of the offered load in the course of a run.

    Attributes
    ----------
    cycle : of the run, warm-up included, at whose start the load becomes another.
    load : that load, in the unit of the router.
    """

    cycle: int
    load: float


class Pattern(ABC):
    """A traffic pattern, a value; `str` says what documents call it.

    Attributes
    ----------
    is_adversarial : whether it is of a kind that loads few links with much of its traffic.
    """

    is_adversarial: ClassVar[bool] = False

    @abstractmethod
    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """Return what every node sends; `seed` is used where the pattern has no own seed.

        Raises
        ------
        InvalidInput : the pattern does not fit the network, or is not stationary.
        """

    @property
    def searched_paths(self) -> str | None:
        """The paths for which an engine has to find what is sent; None of other patterns."""
        return None

    @property
    def searched_runs(self) -> int:
        """Simulations by which that engine finds it; 0 where it needs none."""
        return 0

    def settled(self, topology: Topology, seed: int) -> "Pattern":
        """Return it with what an engine has to find, once for all that runs; itself of others.

        Raises
        ------
        InvalidInput : as `resolve`.
        """
        return self

    def outlined(self, topology: Topology, seed: int) -> "Pattern":
        """Return what stands for it where a request is only checked: an engine finds nothing.

        Raises
        ------
        InvalidInput : as `resolve`, at the latest when that is asked of what is returned.
        """
        return self

    @property
    def load_step(self) -> LoadStep | None:
        """How the load changes in the course of a run; None of stationary patterns."""
        return None

    @property
    def before_step(self) -> "Pattern":
        """The stationary pattern of which the load changes, or this one itself."""
        return self

    def check_stationary(self) -> None:
        """Raise InvalidInput if the load changes in the course of a run."""
        if self.load_step is not None:
            raise InvalidInput(
                f"{self} changes the load in the course of a run: only simulations at given loads "
                "take it"
            )

    @abstractmethod
    def count_flows(self, topology: Topology) -> float:
        """Pairs of switches that send to each other, expected over seeds; nothing is listed."""

    def count_idle(self, topology: Topology, seed: int) -> int:
        """Count the nodes that lack a partner, and so do not send what is not uniform traffic."""
        return 0

    @property
    def identity(self) -> str:
        """A text that differs where what is sent may differ."""
        return str(self)

    @property
    def text(self) -> str:
        """The text that parses back to it."""
        return str(self)

    @property
    def asked(self) -> str:
        """The text by which requests ask for it, which names no file."""
        return self.text


def idle_warnings(
    patterns: Iterable[Pattern], topology: Topology, seed: int = 0
) -> tuple[str, ...]:
    """Say of which patterns some nodes do not send, for lack of a partner."""
    idle = {str(one): one.count_idle(topology, seed) for one in patterns}
    return tuple(
        f"{count:,} of {topology.num_nodes:,} nodes do not send under {name}: the switch that they "
        "send to has no node in their place"
        for name, count in idle.items()
        if count
    )


class NamedPattern(Pattern):
    """A pattern that is written as a call: a frozen dataclass in a module of its own.

    Its fields are the arguments, annotated as `tvlb.languages.Signature` says; the first line of
    its docstring is what documents say of it.

    Attributes
    ----------
    name : of the call.
    example : a text for help.
    place : where lists name it, from 0; equal ones by name.
    family : class of the networks that it is made for.
    """

    name: ClassVar[str]
    example: ClassVar[str]
    place: ClassVar[int]
    family: ClassVar[type[Topology]] = Topology

    @classmethod
    def suits(cls, topology: Topology) -> bool:
        """Whether it is made for networks of this family."""
        return isinstance(topology, cls.family)

    def of_family(self, topology: Topology, family: type[_Family]) -> _Family:
        """Return the network; raise InvalidInput unless the pattern is made for its family."""
        if not isinstance(topology, family):
            # By its name: it looks for members, which are made of what is here.
            known = import_module("tvlb.traffic.parse").named_patterns()
            suited = ", ".join(signature_of(one).form for one in known if one.suits(topology))
            raise InvalidInput(f"{self} is no pattern of {topology}, which has {suited}")
        return topology

    def __str__(self) -> str:
        return signature_of(type(self)).text(self)


@cache
def signature_of(kind: type[NamedPattern]) -> Signature[NamedPattern]:
    """Return the arguments that a pattern declares."""
    return Signature(kind.name, kind)


class DestinationPattern(NamedPattern):
    """A pattern in which every node has one fixed destination.

    Step 1 probes adversarial patterns of the family: TYPE_1_SET has those of a rule, TYPE_2_SET
    random ones.
    """

    @abstractmethod
    def destinations(self, topology: Topology, seed: int) -> NDArray[np.int32]:
        """Return the destination node of every node, int32 (nodes,); see `Pattern.resolve`.

        -1 where a destination is down.
        """

    def count_idle(self, topology: Topology, seed: int) -> int:
        """See `Pattern.count_idle`."""
        return int(np.count_nonzero(self.destinations(topology, seed) < 0))

    def resolve(self, topology: Topology, seed: int) -> NodeTraffic:
        """See `Pattern.resolve`."""
        return NodeTraffic.towards(self.destinations(topology, seed))

    @classmethod
    def type1(cls, topology: Topology) -> Sequence[Self]:
        """Return those that TYPE_1_SET has on a network of the family, in its order."""
        return ()

    @classmethod
    def type2(cls, topology: Topology, seed: int) -> Self | None:
        """Return the one that TYPE_2_SET has for a seed; None if it is made of other patterns."""
        return None

    def count_flows(self, topology: Topology) -> float:
        """See `Pattern.count_flows`; every switch with nodes sends to one."""
        return topology.num_senders

    @staticmethod
    def to_switches(topology: Topology, target: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the destinations where node k of each switch sends to node k of its target.

        -1 where the target has no such node, or there is none.

        Parameters
        ----------
        target : int64 (switches,), the target switch of every switch, -1 for none.
        """
        switch, first = topology.network.node_switch, topology.first_node
        position = np.arange(topology.num_nodes) - first[switch]
        ends = target[switch]
        exists = (ends >= 0) & (position < topology.switch_nodes[ends])
        return np.where(exists, first[ends] + position, -1).astype(np.int32)
