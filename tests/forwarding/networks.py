"""Networks that tests of forwarding tables share, and the ways through them."""

from collections.abc import Callable
from itertools import product

import numpy as np
from hypothesis import strategies as st

from tvlb.forwarding import Forwarding
from tvlb.topology import ListedTopology


def torus(nodes: int, *sizes: int) -> ListedTopology:
    """Return a torus of rings of at least three switches, the first coordinate varying fastest."""
    strides = np.cumprod([1, *sizes[:-1]])
    cables: list[list[int]] = []
    for place in product(*map(range, sizes[::-1])):
        here = np.array(place[::-1])
        for axis, size in enumerate(sizes):
            there = here.copy()
            there[axis] = (there[axis] + 1) % size
            cables.append([int(here @ strides), int(there @ strides)])
    return ListedTopology([nodes] * int(np.prod(sizes)), [cables])


@st.composite
def connected_networks(draw: st.DrawFn) -> ListedTopology:
    """Draw a network in one part: a tree, more cables, parallel ones too, and nodes."""
    count = draw(st.integers(2, 9))
    cables = [[draw(st.integers(0, switch - 1)), switch] for switch in range(1, count)]
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    more = draw(st.lists(pairs.filter(lambda pair: pair[0] != pair[1]), max_size=12))
    nodes = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count).filter(any))
    return ListedTopology(nodes, [cables + [list(pair) for pair in more]])


def ways(forwarding: Forwarding) -> Callable[[int, int], list[int]]:
    """Return what follows entry by entry: the links from a switch to a node."""
    network = forwarding.topology.network
    link_to = forwarding.links().tolist()
    target, node_switch = network.link_target.tolist(), network.node_switch.tolist()

    def way(source: int, node: int) -> list[int]:
        taken: list[int] = []
        while source != node_switch[node]:
            taken.append(link_to[node][source])
            source = target[taken[-1]]
        return taken

    return way
