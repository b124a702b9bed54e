"""Why a policy of virtual channels is free of deadlock, checked on the network itself."""

from dataclasses import dataclass

import numpy as np
import scipy

from sim_bridge import _core
from sim_bridge.vct.config import VC_POLICIES
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
    InvalidInput : the policy does not, on this network.

    Notes
    -----
    `ladder`: the VC rises with every link, so buffers wait for buffers of higher VCs only. `reuse`:
    the VC numbered by the links taken is among those allowed in every state, and these VCs alone
    are a ladder; a head takes any allowed VC that opens, so one whose other VCs stay full leaves
    by that VC. `2phases` and `any`: the dependencies between links by MIN routes alone have no
    circle, and packets pass from the VCs of the first phase to those of the second only.
    """
    assert policy in VC_POLICIES
    links = min_ports.longest * (2 if has_intermediate else 1)
    if policy in ("ladder", "reuse"):
        _check_escape(policy, links)
        rises = "the VC rises with every link"
        return DeadlockProof(
            links, 1, False, rises if policy == "ladder" else f"a way out: {rises}"
        )
    if policy == "any" and has_intermediate:
        raise InvalidInput("vcs any is for routing min: two MIN halves may close a circle")
    splits = not is_acyclic(topology, min_ports, splits_local=False)
    if policy == "any" and splits:
        raise InvalidInput(f"vcs any may deadlock: MIN routes of {topology} close a circle")
    if splits and not is_acyclic(topology, min_ports, splits_local=True):
        raise InvalidInput(
            f"vcs {policy} may deadlock: MIN routes of {topology} close a circle even where "
            "local links behind the global one have VCs of their own"
        )
    step = 1 if policy == "any" else 4 if splits else 2
    return DeadlockProof(step, step, splits, "MIN routes close no circle")


def global_kind(topology: Topology) -> int:
    """Position of the kind of global links, -1 where there is none."""
    names = topology.kinds.names
    return names.index("global") if "global" in names else NO_KIND


def is_acyclic(topology: Topology, min_ports: _core.MinPorts, *, splits_local: bool) -> bool:
    """Whether links wait for each other in no circle along MIN routes.

    Parameters
    ----------
    splits_local : tell local links behind the global one of a route from those before it.
    """
    kind = global_kind(topology) if splits_local else NO_KIND
    found = np.array(min_ports.dependencies(compiled(topology), kind), dtype=np.int64)
    first, second = found.reshape(-1, 2).T
    size = 2 * topology.num_links
    graph = scipy.sparse.csr_array((np.ones(len(first)), (first, second)), shape=(size, size))
    parts, _ = scipy.sparse.csgraph.connected_components(graph, connection="strong")
    return parts == size and not (first == second).any()


def _check_escape(policy: str, links: int) -> None:
    """Check that the VC of a ladder is allowed after any number of links, in any phase."""
    for taken in range(links):
        for phase in (0, 1):
            vcs = _core.allowed_vcs(policy, taken, phase, _core.MAX_VCT_VCS)
            assert vcs >> taken & 1, f"{policy} after {taken} links"
