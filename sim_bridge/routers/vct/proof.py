"""Why a policy of virtual channels is free of deadlock, checked on the network itself."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sim_bridge import _core
from tvlb.errors import InvalidInput
from tvlb.languages import Text, Whole
from tvlb.languages.figures import figure
from tvlb.native import kernels
from tvlb.native.kernels import DependencyGraph, VcClaim
from tvlb.topology import Topology, compiled

_NO_KIND = -1


@dataclass(frozen=True)
class DeadlockProof:
    """Why no buffers can wait for each other in a circle.

    Attributes
    ----------
    split_kind : kind of links behind which other links of a phase need VCs of their own, -1 where
        none do.
    """

    vcs_needed: int = figure("Fewest VCs per port that the policy takes here", Whole(1))
    multiple: int = figure("What the number of VCs is a multiple of", Whole(1))
    argument: str = figure("The argument, in words", Text(""))
    split_kind: int = _NO_KIND

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
    topology: Topology,
    halves: _core.MinPorts | _core.MinHalves,
    policy: kernels.VcPolicy,
    *,
    has_intermediate: bool,
    decides_again: bool = False,
) -> DeadlockProof:
    """Prove that a policy keeps routes of one or two MIN halves free of deadlock.

    Parameters
    ----------
    halves : the MIN paths that these are, by their ports or whole.
    decides_again : whether the link before these may be the first one of a MIN path.

    Raises
    ------
    InvalidInput : the policy does not, on this network, with any number of VCs.

    Notes
    -----
    Where VCs are taken in one order for links of all kinds, the VCs that heads hold and their ways
    out, each with its kind, close no circle along the halves that there are. Elsewhere, reads what
    the policy allows in every state that a packet may be in, with every number of VCs that the
    proof lets through. A head takes any allowed VC that opens, so it leaves if the highest of them,
    its way out, opens at last. Buffers of which each waits for the way out of a head in another one
    must close no circle (Duato's condition for adaptive routes). Where VCs rise, no head waits for
    a VC that is not above its own. Elsewhere, what waits for a VC that is not above its own is in
    the same phase, phases share no VCs, and the dependencies between the VCs of links by MIN routes
    close no circle.
    """
    phases = 2 if has_intermediate else 1
    if policy.claim == VcClaim.ORDERED:
        return _ordered(topology, halves, policy, phases, decides_again)
    parts = policy.claim == VcClaim.PARTS_PHASES
    for splits in (False, True) if parts else (False,):
        multiple = (4 if splits else 2) if parts else 1
        split_kind = topology.kinds.global_kind if splits else _NO_KIND
        walks = [
            _Walks(
                topology,
                halves,
                phases,
                count,
                policy.table(count, split_kind).steps(),
                int(decides_again),
            )
            for count in range(multiple, _core.MAX_VCT_VCS + 1, multiple)
        ]
        rising = [one for one in walks if one.always_rise()]
        if rising and rising == walks[-len(rising) :]:
            way = "the VC rises with every link"
            argument = way if all(one.have_one_vc() for one in rising) else f"a way out: {way}"
            return DeadlockProof(rising[0].vc_count, multiple, argument, split_kind)
        # What is alike with several numbers of VCs is looked at once.
        known = dict.fromkeys(half for one in walks for half in one.halves())
        if all(one.part_phases() for one in walks) and not any(
            walks[0].closes_circle(*half) for half in known
        ):
            return DeadlockProof(multiple, multiple, "MIN routes close no circle", split_kind)
    if policy.claim == VcClaim.RISES:
        raise InvalidInput(
            f"vcs {policy.name} may deadlock: routes of {topology} take up to "
            f"{phases * halves.longest + decides_again} links and need as many VCs; "
            f"{_core.MAX_VCT_VCS} are the most"
        )
    if has_intermediate and not parts:
        raise InvalidInput(
            f"vcs {policy.name} is for routing min: two MIN halves may close a circle"
        )
    even = " even where local links behind the global one have VCs of their own" if parts else ""
    routes = "a link and a MIN route" if decides_again else "MIN routes"
    raise InvalidInput(
        f"vcs {policy.name} may deadlock: {routes} of {topology} close a circle{even}"
    )


_Class = tuple[int, int]  # kind of a link, and VC


def _ordered(
    topology: Topology,
    min_halves: _core.MinPorts | _core.MinHalves,
    policy: kernels.VcPolicy,
    phases: int,
    decides_again: bool,
) -> DeadlockProof:
    halves = min_halves.halves(compiled(topology))
    firsts = {half[0] for half in halves} if decides_again else set[int]()
    found: list[tuple[int, list[_Class]]] = []
    for count in range(_core.MAX_VCT_VCS, 0, -1):
        order = _order(_waits(policy.table(count).steps(), halves, phases, firsts))
        if order is None:
            break
        found.append((count, order))
    if not found or not halves:
        raise InvalidInput(
            f"vcs {policy.name} may deadlock: routes of {topology} take links that its order does "
            "not have"
        )
    vcs_needed, order = found[-1]
    names = topology.kinds.names
    told = ", ".join(f"{names[kind]} {vc}" for kind, vc in order)
    return DeadlockProof(vcs_needed, 1, f"VCs are taken in one order: {told}")


def _waits(
    steps: NDArray[np.uint16], halves: Sequence[Sequence[int]], phases: int, firsts: Set[int]
) -> dict[_Class, set[_Class]]:
    """Return for which VCs packets in others wait, along one or two halves; of the first a part.

    Before them is no link, or one of a kind of `firsts`.
    """
    parts = {tuple(half[:end]) for half in halves for end in range(len(half) + 1)}
    waits: dict[_Class, set[_Class]] = {}

    def walk(links: Sequence[tuple[int, int]]) -> None:
        state, held = 0, set[_Class]()
        for kind, phase in links:
            low, way, then = steps[state, phase, kind].tolist()
            for one in held:
                waits.setdefault(one, set()).add((kind, way))
            held = {(kind, vc) for vc in range(low, way + 1)}
            for one in held:
                waits.setdefault(one, set())
            state = then

    for half, before in product({*map(tuple, halves)}, ((), *((kind,) for kind in firsts))):
        for phase in range(phases):
            walk([*((kind, 0) for kind in before), *((kind, phase) for kind in half)])
        if phases == 2:
            for part in parts:
                walk([*((kind, 0) for kind in (*before, *part)), *((kind, 1) for kind in half)])
    return waits


def _order(waits: dict[_Class, set[_Class]]) -> list[_Class] | None:
    """Return the VCs so that each waits for later ones only; None where some close a circle."""
    try:
        return [*TopologicalSorter(waits).static_order()][::-1]
    except CycleError:
        return None


@dataclass(frozen=True, eq=False)
class _Walks:
    """What a policy allows packets on as many MIN halves as there are phases.

    Attributes
    ----------
    steps : of `VcTable`.
    before : links that a packet may have taken before its first half.
    """

    topology: Topology
    min_halves: _core.MinPorts | _core.MinHalves
    phases: int
    vc_count: int
    steps: NDArray[np.uint16]
    before: int

    def always_rise(self) -> bool:
        """Whether every way out is above all VCs that the packet may be in."""
        return all(held < way for held, _, way, _ in self._steps_taken)

    def have_one_vc(self) -> bool:
        """Whether no packet has a choice."""
        return all(low == way for _, low, way, _ in self._steps_taken)

    def part_phases(self) -> bool:
        """Whether phases share no VCs, and the way out into the next phase is above all others."""
        first, last, _ = self._known
        parted = np.all(last.max(axis=(0, 2))[:-1] < first.min(axis=(0, 2))[1:])
        return bool(parted) and all(
            held < way for held, _, way, changes in self._steps_taken if changes
        )

    def halves(self) -> Iterator[tuple[bytes, bytes, bytes, bool]]:
        """Yield of each phase the states behind links, the parts of VCs, and the first states.

        By state and kind; as uint16. VCs that a packet may choose between are of one part. And
        whether packets begin in the phase, each of which may have several.
        """
        starts = {0}
        for phase in range(self.phases):
            first, last, then = self._known[:, :, phase]
            joined = np.zeros(self.vc_count, dtype=bool)  # to the VC below
            for low, high in {*zip(first.flat, last.flat, strict=True)}:
                joined[low + 1 : high + 1] = True
            part = np.cumsum(~joined)[self.steps[:, phase, :, 0]]
            yield (
                self.steps[:, phase, :, 2].tobytes(),
                (part - part.min()).astype(np.uint16).tobytes(),
                np.array(sorted(starts), dtype=np.uint16).tobytes(),
                phase == 0,
            )
            ahead = [*starts]
            for state in ahead:
                new = {*then[state].tolist()} - starts
                starts |= new
                ahead += new

    def closes_circle(self, then: bytes, part: bytes, starts: bytes, begins: bool) -> bool:
        """Whether the VCs of links wait for each other in a circle in a phase; see `halves`."""
        behind, parts, first = (np.frombuffer(one, dtype=np.uint16) for one in (then, part, starts))
        count = 1 + int(parts.max())
        graph = DependencyGraph(self.topology.num_links * count)
        self.min_halves.add_dependencies(
            compiled(self.topology),
            then=behind,
            part=parts,
            parts=count,
            starts=first,
            begins=begins,
            graph=graph,
        )
        return bool(graph.find_cycle())

    @property
    def _known(self) -> NDArray[np.uint16]:
        """First and last VC and the state behind, of the phases and kinds that there are."""
        known = self.steps[:, : self.phases, : len(self.topology.kinds.names)]
        return np.moveaxis(known, -1, 0)

    @cached_property
    def _steps_taken(self) -> set[tuple[int, int, int, bool]]:
        """The highest VC of a packet, the lowest and highest next one, whether the phase changes.

        A packet that has taken no link has no VC: -1.
        """
        first, last, then = self._known.tolist()
        found: set[tuple[int, int, int, bool]] = set()
        at = {(0, 0, -1)}  # state, phase and highest VC
        longest = self.min_halves.longest
        for links in range(self.phases * longest + self.before):
            ahead: set[tuple[int, int, int]] = set()
            for state, phase, held in at:
                for next_phase in range(phase, self.phases):
                    if links >= (next_phase + 1) * longest + self.before:
                        continue
                    steps = (one[state][next_phase] for one in (first, last, then))
                    for low, way, behind in zip(*steps, strict=True):
                        found.add((held, low, way, next_phase != phase))
                        ahead.add((behind, next_phase, way))
            at = ahead
        return found
