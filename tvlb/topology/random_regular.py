"""Random networks: as many cables at every switch, paired at random."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field as Described

from tvlb.errors import InvalidInput
from tvlb.languages import WholeArgument
from tvlb.statistics import MAX_SEED, KeyedStream
from tvlb.topology.family import Family, NetworkSizes, TopologyMetadata, register
from tvlb.topology.network import MAX_PORTS, MAX_SWITCHES, LinkKinds, check_ports
from tvlb.topology.shortest_paths import ShortestPathTopology
from tvlb.topology.sizing import Numbers, SizeColumn, SizeParameter, Sizing

_FEWEST_SEARCHED = 3  # switches of which pairs have VLB paths
_MOST_TRIES = 1_000

_Pair = tuple[int, int]


@dataclass(frozen=True, repr=False)
class RandomRegular(ShortestPathTopology):
    """Switches with as many cables each, at random: no two join the same switches.

    Attributes
    ----------
    s : switches.
    p : compute nodes per switch.
    ports : cables of a switch, 1..s-1; at least 2 of more than two switches.
    seed : of the draw.

    Raises
    ------
    InvalidInput : there is no such network, or a switch has more than 128 ports.

    Notes
    -----
    The ends of all cables are paired at random; cables that lead to their own switch or are there
    already change partners with others, and so do cables of parts that are not joined. Of a network
    that has more than half of all possible cables those that are missing are drawn so.

    References
    ----------
    Bollobas, A Probabilistic Proof of an Asymptotic Formula for the Number of Labelled Regular
    Graphs, European Journal of Combinatorics 1(4), 1980.
    """

    s: Annotated[int, WholeArgument("S", 2, MAX_SWITCHES)]
    p: Annotated[int, WholeArgument("P", 1, MAX_PORTS)]
    ports: Annotated[int, WholeArgument("PORTS", 1, MAX_PORTS)]
    seed: Annotated[int, WholeArgument("N", 0, MAX_SEED, keyword=True)] = 0

    name = "random"
    kinds = LinkKinds(("link",), (10,), ("Links between switches.",))

    def cables(self) -> tuple[NDArray[np.int32], ...]:
        """See `ShortestPathTopology.cables`."""
        stream = KeyedStream(self.seed, "random-network")
        pairs = _drawn(self.s, self.ports, stream)
        _join(pairs, self.s, stream)
        return (np.sort(np.array(pairs, dtype=np.int32), axis=1),)

    def nodes_of_switches(self) -> NDArray[np.int32]:
        """See `ShortestPathTopology.nodes_of_switches`."""
        return np.full(self.s, self.p, dtype=np.int32)

    @property
    def metadata(self) -> Mapping[str, int | str]:
        """See `Topology`."""
        return {**super().metadata, "nodes_per_switch": self.p, "degree": self.ports}


def _drawn(switches: int, ports: int, stream: KeyedStream) -> list[_Pair]:
    """Draw different pairs of different switches, every switch in as many; maybe in parts."""
    if 2 * ports > switches - 1:
        missing = np.array(_drawn(switches, switches - 1 - ports, stream), dtype=np.int64)
        low, high = np.triu_indices(switches, 1)
        kept = ~np.isin(low * switches + high, np.sort(missing.reshape(-1, 2)) @ (switches, 1))
        return list(zip(low[kept].tolist(), high[kept].tolist(), strict=True))
    while True:  # once, but for the smallest networks
        ends = [end // ports for end in stream.permutation(switches * ports)]
        pairs = list(zip(ends[::2], ends[1::2], strict=True))
        if _make_simple(pairs, stream):
            return pairs


def _make_simple(pairs: list[_Pair], stream: KeyedStream) -> bool:
    """Let pairs of one switch, or that come again, change partners; whether all found another."""
    known, wrong = set[_Pair](), set[int]()
    for place, pair in enumerate(map(_ordered, pairs)):
        if pair[0] == pair[1] or pair in known:
            wrong.add(place)
        known.add(pair)
    for place in sorted(wrong):
        for _ in range(_MOST_TRIES):
            other = stream.below(len(pairs))
            swapped = _swapped(pairs[place], pairs[other])
            made = {*map(_ordered, swapped)}
            is_simple = len(made) == len(swapped) and all(low != high for low, high in made)
            if other not in wrong and is_simple and not made & known:
                known.remove(_ordered(pairs[other]))
                known |= made
                pairs[place], pairs[other] = swapped
                wrong.remove(place)
                break
        else:
            return False
    return True


def _join(pairs: list[_Pair], switches: int, stream: KeyedStream) -> None:
    """Let a pair of every part that is not joined to the first change partners with one of that.

    It is one that others of its part make up for, so that the part stays together.
    """
    part = list(range(switches))

    def root(switch: int) -> int:
        while part[switch] != switch:
            part[switch] = part[part[switch]]
            switch = part[switch]
        return switch

    spare = dict[int, int]()
    for place, (one, other) in enumerate(pairs):
        if (low := root(one)) != (high := root(other)):
            part[low] = high
        else:
            spare[one] = place
    of_part = {root(switch): place for switch, place in spare.items()}
    main = root(0)
    inside = [place for place, (one, _) in enumerate(pairs) if root(one) == main]
    for place in (place for known, place in of_part.items() if known != main):
        other = inside[stream.below(len(inside))]
        pairs[place], pairs[other] = _swapped(pairs[place], pairs[other])


def _ordered(pair: _Pair) -> _Pair:
    return min(pair), max(pair)


def _swapped(one: _Pair, other: _Pair) -> tuple[_Pair, _Pair]:
    return (one[0], other[0]), (one[1], other[1])


def _check(s: int, p: int, ports: int) -> None:
    text = f"random({s},{p},{ports})"
    fewest = 1 if s == 2 else 2
    if not fewest <= ports < s:
        raise InvalidInput(
            f"ports = {ports} is out of range: switches of {text} have {fewest}..{s - 1} cables"
        )
    if s * ports % 2:
        raise InvalidInput(
            f"{text} has {s * ports} ends of cables, an odd number: S or PORTS has to be even"
        )
    check_ports(text, p + ports)


def random_sizes(s: int, p: int, ports: int, seed: int = 0) -> NetworkSizes:
    """Return how large a random network is, of any seed; see `RandomRegular`."""
    _check(s, p, ports)
    return NetworkSizes(s, s * p, {"link": s * ports // 2})


def _radix(of: Mapping[str, Numbers]) -> Numbers:
    return of["p"] + of["ports"]


def _are_networks(of: Mapping[str, Numbers]) -> NDArray[np.bool_]:
    s, ports = of["s"], of["ports"]
    exist = (ports >= 2) & (ports < s) & (s * ports % 2 == 0)
    return exist & (s >= _FEWEST_SEARCHED) & (_radix(of) <= MAX_PORTS)


_PARAMETERS = (
    SizeParameter("s", "Switches.", "20..100 step 20", low=2, high=MAX_SWITCHES),
    SizeParameter("p", "Compute nodes per switch.", "4..8", high=MAX_PORTS),
    SizeParameter("ports", "Cables of a switch.", "4..12", high=MAX_PORTS),
)
SIZING = Sizing(
    parameters=_PARAMETERS,
    rule=(
        f"{_FEWEST_SEARCHED} switches, 2 <= ports < s, an even s * ports and at most {MAX_PORTS} "
        "ports per switch"
    ),
    are_networks=_are_networks,
    nodes=lambda of: of["s"] * of["p"],
    switches=((_radix, lambda of: of["s"]),),
    cables={"link": lambda of: of["s"] * of["ports"] / 2},
    columns=(
        *(one.column for one in _PARAMETERS),
        SizeColumn("radix", "integer", "ports", "Ports of a switch, p and those of its cables."),
        SizeColumn("link_cables", "integer", "cables", "Cables between switches."),
    ),
)


class RandomRegularMetadata(TopologyMetadata):
    """What a random network amounts to."""

    nodes_per_switch: int = Described(description="Compute nodes of every switch.")
    degree: int = Described(description="Links of a switch.")


register(
    Family(
        RandomRegular,
        random_sizes,
        example="random(20,4,4)",
        metadata=RandomRegularMetadata,
        sizing=SIZING,
    )
)
