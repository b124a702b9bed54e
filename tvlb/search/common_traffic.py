"""Traffic that means the same on every network, so that networks of all families can be compared.

Each family has adversaries of its own, so that what networks carry of those says nothing of which
carries more. Here all carry uniform traffic, the same random permutations of nodes, and an
all-to-all exchange of which some rounds are drawn.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, harmonic_mean
from typing import Any

from tvlb.balance import WeightOptions
from tvlb.paths import UgalRule, parse_expression
from tvlb.processes import silent
from tvlb.processes.units import Units
from tvlb.search.options import SearchOptions
from tvlb.search.preparation import Candidate, conventional, prepare
from tvlb.search.simulation_units import Recipe, SaturationUnit
from tvlb.statistics import KeyedStream
from tvlb.topology import Topology
from tvlb.traffic import NodeShift, Pattern, Permutation, Uniform

PERMUTATION_SEEDS = (1, 2)
"""Of the random permutations of nodes."""
ROUNDS = 3
"""Of an all-to-all exchange, at most: those of small networks may come twice."""


@dataclass(frozen=True)
class CommonTraffic:
    """What a network carries of common traffic by one path set: saturation loads.

    Attributes
    ----------
    uniform : every node to every other at random, packets/cycle/node.
    permutation : random permutations of the nodes, the mean.
    all_to_all : an exchange round by round, which takes as long as its rounds: harmonic mean.
    least, least_pattern : the smallest load of all these runs, and where.
    """

    uniform: float
    permutation: float
    all_to_all: float
    least: float
    least_pattern: str

    @property
    def mean(self) -> float:
        """The mean of uniform traffic, permutations and all-to-all."""
        return fmean((self.uniform, self.permutation, self.all_to_all))

    @classmethod
    def of(cls, loads: Mapping[Pattern, float]) -> "CommonTraffic":
        """Return what follows from the saturation load of every pattern."""
        by_kind = {
            kind: [load for pattern, load in loads.items() if isinstance(pattern, kind)]
            for kind in (Uniform, Permutation, NodeShift)
        }
        worst = min(loads, key=lambda pattern: loads[pattern])
        return cls(
            fmean(by_kind[Uniform]),
            fmean(by_kind[Permutation]),
            harmonic_mean(by_kind[NodeShift]),
            loads[worst],
            str(worst),
        )


def common_patterns(topology: Topology) -> tuple[Pattern, ...]:
    """Return the patterns that every network is given."""
    stream, nodes = KeyedStream(0, "all-to-all"), topology.num_nodes
    rounds = dict.fromkeys(1 + stream.below(nodes - 1) for _ in range(ROUNDS))
    permutations = (Permutation(seed=seed) for seed in PERMUTATION_SEEDS)
    return (Uniform("others"), *permutations, *map(NodeShift, rounds))


def measure_common(
    topology: Topology, options: SearchOptions, document: Mapping[str, Any], units: Units
) -> tuple[CommonTraffic, CommonTraffic]:
    """Simulate what a network carries of common traffic: by its table, and conventionally.

    Parameters
    ----------
    options : of the table; simulations have its routing, routers, seed and screening windows.
    document : of the table, which tells what was chosen.

    Returns
    -------
    Of the chosen set and of the conventional one, which are one where that was kept.

    Raises
    ------
    SimulationDeadlock, Cancelled, WorkerLost : as `tvlb.search.optimize`.
    """
    settings = replace(options, config=options.config.on(topology))
    usual = conventional(topology, options.seed)
    found, loads = _carried(settings, usual, units, None)
    if not document["decision"]["replaces_all"]:
        return found, found
    chosen = _chosen(topology, settings, document, units)
    return _carried(settings, chosen, units, loads)[0], found


def _carried(
    options: SearchOptions, candidate: Candidate, units: Units, guesses: Sequence[float] | None
) -> tuple[CommonTraffic, list[float]]:
    windows = options.screening_windows
    patterns = common_patterns(candidate.path_set.topology)
    loads = [
        one.load
        for one in units.map(
            [
                SaturationUnit(
                    Recipe(candidate.named_set, options.routing, pattern, options.seed),
                    windows.on(options.config),
                    windows.grid,
                    None if guesses is None else guesses[number],
                )
                for number, pattern in enumerate(patterns)
            ]
        )
    ]
    return CommonTraffic.of(dict(zip(patterns, loads, strict=True))), loads


def _chosen(
    topology: Topology, options: SearchOptions, document: Mapping[str, Any], units: Units
) -> Candidate:
    """Return the chosen set of a document as its search had it, with its rule of UGAL."""
    name, seed = document["decision"]["expression"], options.seed
    one = next(each for each in document["candidates"] if each["expression"] == name)
    rule = UgalRule(**one["ugal"]) if "ugal" in one else None
    if one["balancing"] is None:
        found = parse_expression(one["path_set"], topology, seed)
        return Candidate.as_it_is(found, seed).ruled(rule)
    balancing = WeightOptions() if one["balancing"] == "weights" else options.balancing
    (balanced,) = prepare(
        topology, [one["path_set"]], balancing, seed=seed, units=units, report=silent
    )
    return balanced.ruled(rule)
