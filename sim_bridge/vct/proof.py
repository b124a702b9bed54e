"""Why a policy of virtual channels is free of deadlock, checked on the network itself."""

import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from sim_bridge import _core
from tvlb.errors import InvalidInput
from tvlb.topology import Topology, compiled

__all__ = ["DeadlockProof", "global_kind", "prove"]

NO_KIND = -1


@dataclass(frozen=True)
class DeadlockProof:
    """What a policy needs on a network.

    Attributes
    ----------
    vcs_needed : fewest VCs per port; the number must be a multiple of `multiple`.
    splits_local : whether local links behind the global one of a phase need VCs of their own.
    argument : why no buffers can wait for each other in a circle.
    """

    vcs_needed: int
    multiple: int
    splits_local: bool
    argument: str

    def check(self, vc_count: int, policy: str) -> None:
        """Raise InvalidInput unless so many VCs are enough."""
        if vc_count < self.vcs_needed:
            raise InvalidInput(
                f"vc_count {vc_count} is too few: {policy} needs at least {self.vcs_needed} here"
            )
        if vc_count % self.multiple:
            raise InvalidInput(
                f"vc_count {vc_count} cannot be divided: {policy} takes multiples of "
                f"{self.multiple} here"
            )


def prove(
    topology: Topology, min_ports: _core.MinPorts, policy: str, *, has_intermediate: bool
) -> DeadlockProof:
    """Prove that a policy keeps routes of one or two MIN halves free of deadlock.

    Raises
    ------
    InvalidInput : the policy does not, on this network, with any number of VCs.

    Notes
    -----
    Reads what the policy allows in every state that a packet may be in, with every number of VCs
    that the proof lets through. A head takes any allowed VC that opens, so it leaves if the highest
    of them, its way out, opens at last. Buffers of which each waits for the way out of a head in
    another one must close no circle (Duato's condition for adaptive routes). `ladder` and `reuse`:
    no head waits for a VC that is not above its own. `2phases` and `any`: what waits for a VC that
    is not above its own is in the same phase, phases share no VCs, and the dependencies between
    links by MIN routes close no circle.
    """
    phases = 2 if has_intermediate else 1
    longest = phases * min_ports.longest
    for splits in (False, True) if policy == "2phases" else (False,):
        multiple = 1 if policy != "2phases" else 4 if splits else 2
        states = [
            _States(topology, min_ports, policy, phases, count, splits)
            for count in range(multiple, _core.MAX_VCT_VCS + 1, multiple)
        ]
        rising = [one for one in states if one.always_rise()]
        if rising and rising == states[-len(rising) :]:
            way = "the VC rises with every link"
            argument = way if all(one.have_one_vc() for one in rising) else f"a way out: {way}"
            return DeadlockProof(rising[0].vc_count, multiple, splits, argument)
        kind = global_kind(topology) if states[-1].part_local() else NO_KIND
        if all(one.part_phases() for one in states) and not min_ports.closes_circle(
            compiled(topology), kind
        ):
            return DeadlockProof(multiple, multiple, splits, "MIN routes close no circle")
    if policy in ("ladder", "reuse"):
        raise InvalidInput(
            f"vcs {policy} may deadlock: routes of {topology} take up to {longest} links and need "
            f"as many VCs; {_core.MAX_VCT_VCS} are the most"
        )
    if policy == "any" and has_intermediate:
        raise InvalidInput("vcs any is for routing min: two MIN halves may close a circle")
    even = (
        ""
        if policy == "any"
        else (" even where local links behind the global one have VCs of their own")
    )
    raise InvalidInput(f"vcs {policy} may deadlock: MIN routes of {topology} close a circle{even}")


class _States:
    """What a policy allows packets, by the links they took, their phase and the next link."""

    def __init__(
        self,
        topology: Topology,
        min_ports: _core.MinPorts,
        policy: str,
        phases: int,
        vc_count: int,
        splits: bool,
    ) -> None:
        self.vc_count = vc_count
        self._policy, self._splits = policy, splits
        self._kinds = (False,) if global_kind(topology) == NO_KIND else (False, True)
        self._most = [min_ports.longest * (phase + 1) for phase in range(phases)]

    def always_rise(self) -> bool:
        """Whether every way out is above all VCs that the packet may be in."""
        return all(held < way for held, way, _ in self._waits())

    def have_one_vc(self) -> bool:
        """Whether no packet has a choice."""
        return all(vcs.bit_count() == 1 for vcs in self._allowed.values())

    def part_phases(self) -> bool:
        """Whether phases share no VCs, and the way out into the next phase is above all others."""
        of_phase = [
            _union(vcs for (_, phase, _, _), vcs in self._allowed.items() if phase == each)
            for each in range(len(self._most))
        ]
        parted = not any(one & other for one, other in itertools.combinations(of_phase, 2))
        return parted and all(held < way for held, way, changes in self._waits() if changes)

    def part_local(self) -> bool:
        """Whether local links behind a global one share no VCs with other links of a phase."""
        allowed = self._allowed.items()
        return all(
            not _union(
                vcs for (_, phase, *at), vcs in allowed if phase == each and at == [True, False]
            )
            & _union(
                vcs for (_, phase, *at), vcs in allowed if phase == each and at != [True, False]
            )
            for each in range(len(self._most))
        )

    @cached_property
    def _allowed(self) -> dict[tuple[int, int, bool, bool], int]:
        """VCs as bits, by links taken, phase, whether a global one was, whether the next is one."""
        return {
            (links, phase, passed, is_global): _core.allowed_vcs(
                self._policy, links, phase, passed, is_global, self.vc_count, self._splits
            )
            for phase, most in enumerate(self._most)
            for links in range(most)
            for passed in self._kinds
            for is_global in self._kinds
        }

    def _waits(self) -> Iterator[tuple[int, int, bool]]:
        """Yield the highest VC of a packet, its way out, and whether its phase changes there."""
        allowed = self._allowed
        for (links, phase, passed, is_global), held in allowed.items():
            ahead = [(phase, passed or is_global), (phase + 1, False)]
            for then, behind in ahead:
                for next_global in self._kinds:
                    wanted = allowed.get((links + 1, then, behind, next_global))
                    if wanted is not None:
                        yield held.bit_length(), wanted.bit_length(), then != phase


def _union(masks: Iterable[int]) -> int:
    return functools.reduce(int.__or__, masks, 0)


def global_kind(topology: Topology) -> int:
    """Position of the kind of global links, -1 where there is none."""
    names = topology.kinds.names
    return names.index("global") if "global" in names else NO_KIND
