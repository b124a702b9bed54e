"""What paths guarantee whatever the traffic is, and the worst traffic that is found for them."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.guarantee.adversary import find_witness
from tvlb.guarantee.program import MOST_CELLS, check_cells
from tvlb.guarantee.split import best_split
from tvlb.guarantee.symmetry import Orbits, network_orbits, orbits
from tvlb.guarantee.usage import PairUsage, check_paths
from tvlb.model import require_same_topology
from tvlb.paths import PathSet, as_path_set, parse_expression
from tvlb.processes import Reporter, available_cores, check_workers, silent
from tvlb.statistics import check_seed
from tvlb.topology import Topology, as_topology
from tvlb.traffic import Assignments, MatrixPattern

STARTS = 8
MOST_STARTS = 1000
MOST_SENDERS = 1000
# Of the pattern worst(SET), which may be one of many that a run takes.
PATTERN_STARTS = 4
_MOST_PATTERN_SENDERS = 400
# Of a floor, where several are sought besides simulations: without symmetry one takes 10 CPU
# seconds on 36 switches, and 80 on 72.
_MOST_FLOOR_SENDERS = 100
_KEPT_WITNESSES = 8


@dataclass(frozen=True, eq=False)
class SplitShare:
    """What a fixed split sends on average by paths of a kind and length.

    Attributes
    ----------
    minimal : whether they are MIN paths.
    hops : their links.
    share : of the traffic, mean over all pairs of switches with nodes.
    """

    minimal: bool
    hops: int
    share: float


@dataclass(frozen=True, eq=False)
class Guarantee:
    """Throughput for every admissible traffic, packets/cycle/node.

    Traffic is admissible if no node sends or receives more than 1 packet/cycle.

    Attributes
    ----------
    path_set : the VLB paths beside all MIN paths.
    floor : a fixed split sustains it whatever the traffic is.
    floor_bound : no fixed split that the model allows guarantees more.
    ceiling : no routing by these paths that the model allows sustains more under `witness`.
    witness : a matrix between switches.
    witness_load : float64 (links,), of the best routing under `witness`, flits/cycle.
    usage : the pairs and classes that `split` is of.
    split : float64 (pairs, classes), the share of the traffic of each pair on each class.
    orbits : what symmetries of network and paths make alike.
    seconds : wall time by stage.
    """

    path_set: PathSet
    floor: float
    floor_bound: float
    ceiling: float
    witness: MatrixPattern
    witness_load: NDArray[np.float64]
    usage: PairUsage
    split: NDArray[np.float64]
    orbits: Orbits
    seconds: Mapping[str, float]

    @property
    def topology(self) -> Topology:
        """The network."""
        return self.path_set.topology

    @property
    def gap(self) -> float:
        """By how much the best fixed split may be better, 1 - floor / floor_bound."""
        return 1.0 - self.floor / self.floor_bound

    @property
    def split_shares(self) -> list[SplitShare]:
        """The split by kind and length of the paths, shares summing to 1."""
        kinds = (self.usage.minimal, self.usage.detour)
        classes = [(one is kinds[0], int(hops)) for one in kinds for hops in one.code]
        means = self.split.mean(axis=0).tolist()
        return [SplitShare(*one, share) for one, share in zip(classes, means, strict=True)]

    def __repr__(self) -> str:
        return (
            f"<Guarantee of {self.path_set} on {self.topology}: {self.floor:.4f} for any traffic, "
            f"at most {self.ceiling:.4f} for the worst found>"
        )


def check_starts(starts: object) -> None:
    """Raise InvalidInput unless so many starts can be made."""
    if isinstance(starts, bool) or not isinstance(starts, int):
        raise InvalidInput(f"starts {starts!r} is not an integer: 1..{MOST_STARTS}")
    if not 1 <= starts <= MOST_STARTS:
        raise InvalidInput(f"starts {starts} is out of range: 1..{MOST_STARTS}")


def check_network(topology: Topology) -> None:
    """Raise InvalidInput where there is no traffic between switches, or too much to prove.

    Of large networks the symmetries are found, which takes their time.
    """
    _check_senders(topology, MOST_SENDERS)
    senders = topology.num_senders
    # Pairs at every distance, or at every other one, have MIN paths of as many lengths.
    classes = senders * (senders - 1) * ((len(topology.longest_min_path) + 1) // 2)
    if classes * topology.num_links > MOST_CELLS:
        check_cells(topology, len(network_orbits(topology).first_links), classes)


def _check_senders(topology: Topology, most: int) -> None:
    senders = topology.num_senders
    if senders < 2:
        raise InvalidInput(f"{topology} has nodes at one switch only, and so no traffic on links")
    if senders > most:
        raise InvalidInput(f"{topology} has nodes at {senders:,} switches; the limit is {most:,}")
    Assignments.check(topology)


def check_floor(topology: Topology) -> None:
    """Raise InvalidInput if a network is too large for `floor`, or has no traffic on links."""
    _check_senders(topology, _MOST_FLOOR_SENDERS)
    check_paths(topology)


def floor(path_set: PathSet) -> float:
    """Return the floor of a `Guarantee` alone, on one thread, packets/cycle/node.

    Raises
    ------
    InvalidInput : as `check_floor`, or there is too little symmetry for so many classes of paths.
    """
    check_floor(path_set.topology)
    usage = PairUsage.of(path_set)
    return throughput_of(best_split(usage, orbits(usage)).load)


def check_worst_traffic(topology: Topology, path_set: str, seed: int) -> None:
    """Raise InvalidInput if `worst_traffic` would; searches nothing."""
    _check_senders(topology, _MOST_PATTERN_SENDERS)
    parse_expression(path_set, topology, seed)
    check_paths(topology)


def worst_traffic(topology: Topology, path_set: str, seed: int) -> MatrixPattern:
    """Return the worst traffic that a short search finds, from four starts, always the same.

    Parameters
    ----------
    path_set : an expression.
    seed : of random fractions in it, and of nothing else.

    Raises
    ------
    InvalidInput : the expression is none of the network, no two switches have nodes, a pair that
        has them has no path, or more than 400 switches have them.
    SolverFailed : the model of some traffic was not solved.
    """
    check_worst_traffic(topology, path_set, seed)
    return _worst_traffic(parse_expression(path_set, topology, seed), tuple(topology.labels))


# Every run of a request asks for it again. Equal networks may call switches differently.
@lru_cache(maxsize=_KEPT_WITNESSES)
def _worst_traffic(paths: PathSet, _labels: tuple[str, ...]) -> MatrixPattern:
    usage = PairUsage.of(paths)
    more = {"starts": PATTERN_STARTS, "seed": 0, "workers": 1}
    return find_witness(usage, paths, None, **more, report=silent).pattern


def worst(
    topology: Topology | str,
    path_set: PathSet | str,
    *,
    starts: int = STARTS,
    seed: int = 0,
    workers: int | None = None,
    report: Reporter = silent,
) -> Guarantee:
    """Bound from both sides what paths sustain whatever the traffic is.

    Parameters
    ----------
    topology, path_set : also as the texts that commands take; any network, degraded or not.
    starts : how often the search for the worst traffic begins anew, 1 at least.
    seed : of what it draws, and of random fractions in the text of a path set.
    workers : threads; None for one per core. Figures do not depend on it.
    report : called with `Progress` events.

    Raises
    ------
    InvalidInput : `starts`, `seed` or `workers` is out of range, path set and topology do not fit,
        no two switches have nodes, a pair that has them has no path, or the network is too large
        for so little symmetry.
    SolverFailed : the model of some traffic was not solved.

    Examples
    --------
    >>> worst("hyperx(2,3,3)", "all")
    <Guarantee of all on hyperx(2,3,3): 0.7500 for any traffic, at most 0.7500 for the worst found>

    Notes
    -----
    The floor is proved by assignments alone, whoever found the split; see docs/guarantees.md.

    References
    ----------
    Towles, Dally: Worst-case Traffic for Oblivious Routing Functions, SPAA'02; Towles, Dally, Boyd:
    Throughput-Centric Routing Algorithm Design, SPAA'03.
    """
    check_starts(starts)
    check_seed(seed)
    count = available_cores() if workers is None else workers
    check_workers(count)
    network = as_topology(topology)
    check_network(network)
    paths = as_path_set(path_set, network, seed)
    require_same_topology(network, paths)
    began = time.perf_counter()
    usage = PairUsage.of(paths, report)
    alike = orbits(usage)
    built = time.perf_counter()
    split = best_split(usage, alike, workers=count, report=report)
    settled = time.perf_counter()
    witness = find_witness(
        usage, paths, split.worst, starts=starts, seed=seed, workers=count, report=report
    )
    return Guarantee(
        path_set=paths,
        floor=throughput_of(split.load),
        floor_bound=throughput_of(split.least),
        ceiling=witness.theta,
        witness=witness.pattern.only_for(network),
        witness_load=witness.load,
        usage=usage,
        split=usage.to_classes(split.share),
        orbits=alike,
        seconds={
            "build": built - began,
            "split": settled - built,
            "adversary": time.perf_counter() - settled,
        },
    )


def throughput_of(load: float) -> float:
    """Return the throughput at which the most loaded link is full, 1 at most."""
    return 1.0 / max(load, 1.0)
