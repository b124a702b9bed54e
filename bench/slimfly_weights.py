"""Weigh the short paths of a Slim Fly path by path for all adversarial patterns together: a study.

    python -m bench.slimfly_weights [--q 5 7] [--rounds 300]

Prints the modelled throughput of `<=3` and `near` with equal weights, weighed for the patterns of
Step 1 and uniform traffic, and for random permutations of switches besides, so many that a pair
sends in several; beside that of `ori` and `3h`, under patterns that were weighed for and random
permutations that were not.
"""

import argparse
from collections.abc import Iterator, Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

from tvlb.model import throughput
from tvlb.paths import PathRows, PathSet, RowSet, min_rows, pair_index, parse_expression
from tvlb.topology import SlimFly, Topology
from tvlb.traffic import (
    Pattern,
    Uniform,
    parse_pattern,
    switch_demand,
    type1_set,
    type2_set,
)

# Prices of the links of a pattern rise with their load: a link at 0.9 of the largest load costs
# exp(-3) of what the busiest one does.
_SHARPNESS = 30.0
_FIRST_STEP = 0.5
_FLOOR = 0.01
_MODEL = "rm+:0.001"
_PERMUTATIONS_PER_SWITCH, _MOST_PERMUTATIONS, _FIRST_PERMUTATION = 8, 800, 1000
_Loads = NDArray[np.float64]


def weights_for_patterns(
    path_set: PathSet, patterns: Sequence[Pattern], *, rounds: int = 300
) -> RowSet:
    """Weigh every path so that the busiest link of each pattern carries less.

    What is made small is the mean over the patterns of the logarithm of the largest load of a link,
    where every pair of switches divides its traffic among its MIN paths and the paths of the set in
    one way whatever the pattern. Pairs that send in no pattern keep their weights.

    Parameters
    ----------
    patterns : what has to be carried.
    rounds : steps of entropic mirror descent.

    Returns
    -------
    RowSet : the paths of the set, those without 1 % of the largest weight of their pair left out.

    References
    ----------
    Beck, Teboulle, Mirror descent and nonlinear projected subgradient methods, Operations Research
    Letters 31, 2003.
    """
    rows = path_set.all_rows()
    game = _Game(rows, patterns)
    share = game.start
    best, least = share, np.inf
    for number in range(rounds):
        loads = game.loads(share)
        largest = loads.max(axis=1, keepdims=True)
        if (mean := float(np.log(largest).mean())) < least:
            best, least = share, mean
        price = np.exp(_SHARPNESS * (loads / largest - 1))
        price /= price.sum(axis=1, keepdims=True) * largest
        share = game.moved(share, price, _FIRST_STEP / np.sqrt(number + 1))
    return RowSet(game.weighed(best), f"{path_set}, by patterns")


def step1_patterns(topology: Topology) -> list[Pattern]:
    """Return the patterns of Step 1, and uniform traffic."""
    return [*type1_set(topology), *type2_set(topology), Uniform()]


def many_permutations(topology: Topology) -> list[Pattern]:
    """Return random permutations of switches, with other seeds than those of Step 1."""
    count = min(_PERMUTATIONS_PER_SWITCH * topology.num_switches, _MOST_PERMUTATIONS)
    seeds = range(_FIRST_PERMUTATION, _FIRST_PERMUTATION + count)
    return [parse_pattern(f"switch-permutation(seed={seed})") for seed in seeds]


class _Game:
    """The paths of all pairs, MIN paths behind those of the set, and the links that they load."""

    def __init__(self, rows: PathRows, patterns: Sequence[Pattern]) -> None:
        self._rows = rows
        minimal = min_rows(rows.topology, rows.source, rows.target)
        self._pair = np.concatenate([rows.pair_of_row, minimal.pair_of_row])
        self._count = len(rows.source)
        weight = np.concatenate([rows.weight, minimal.weight])
        self.start = weight / self._sum(weight)[self._pair]
        links = _padded(rows.links(), minimal.links())
        rates = list(_rates(rows.topology, patterns))
        self._shape = len(rates), rows.topology.num_links
        self._usage = scipy.sparse.vstack([self._usage_of(one, links) for one in rates]).tocsr()
        self._prices = self._usage.T.tocsr()

    def _usage_of(
        self, rate: NDArray[np.float64], links: NDArray[np.int32]
    ) -> "scipy.sparse.csr_array":
        """Load of each link by the paths of a pattern, (links, paths)."""
        path, place = np.nonzero((links >= 0) & (rate[self._pair] > 0)[:, None])
        values = rate[self._pair[path]]
        return scipy.sparse.csr_array(
            (values, (links[path, place], path)), shape=(self._shape[1], len(links))
        )

    def _sum(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(self._pair, weights=values, minlength=self._count).astype(np.float64)

    def loads(self, share: NDArray[np.float64]) -> _Loads:
        """Load of every link under each pattern, float64 (patterns, links)."""
        return (self._usage @ share).reshape(self._shape)

    def moved(self, share: NDArray[np.float64], price: _Loads, step: float) -> NDArray[np.float64]:
        """Return shares with less on the paths that cost more than the mean of their pair."""
        cost = self._prices @ price.ravel()
        mean = self._sum(cost * share)[self._pair]
        relative = np.divide(cost, mean, out=np.ones_like(cost), where=mean > 0)
        changed = share * np.exp(-step * np.minimum(relative - 1, 20.0))
        return changed / self._sum(changed)[self._pair]

    def weighed(self, share: NDArray[np.float64]) -> PathRows:
        """Return the rows of the set with their shares as weights, without the smallest."""
        rows = self._rows
        own = share[: len(rows)]
        largest = np.zeros(self._count)
        np.maximum.at(largest, rows.pair_of_row, own)
        kept = own >= _FLOOR * largest[rows.pair_of_row]
        total = np.bincount(rows.pair_of_row[kept], weights=own[kept], minlength=self._count)
        weight = np.where(kept, own / np.maximum(total[rows.pair_of_row], 1e-300), 0.0)
        return rows.with_weights(weight).filtered(kept)


def _padded(first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.int32]:
    width = max(first.shape[1], second.shape[1])
    return np.concatenate(
        [
            np.pad(one, ((0, 0), (0, width - one.shape[1])), constant_values=-1)
            for one in (first, second)
        ]
    )


def _rates(topology: Topology, patterns: Sequence[Pattern]) -> Iterator[NDArray[np.float64]]:
    """Yield what each pair sends, float64 (pairs,), by pattern."""
    pairs = topology.num_switches * (topology.num_switches - 1)
    for pattern in patterns:
        demand = switch_demand(topology, pattern.resolve(topology, 0))
        rate = np.zeros(pairs)
        rate[pair_index(topology, demand.source, demand.target)] = demand.rate
        yield rate


def main() -> None:
    """Print the modelled throughputs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--q", type=int, nargs="+", default=[5, 7])
    parser.add_argument("--rounds", type=int, default=300)
    arguments = parser.parse_args()
    held_out = [f"switch-permutation(seed={seed})" for seed in range(500, 505)]
    for q in arguments.q:
        topology = SlimFly(q)
        few, more = step1_patterns(topology), many_permutations(topology)
        sets = {text: parse_expression(text, topology) for text in ("ori", "3h", "<=3", "near")}
        for text in ("<=3", "near"):
            for training in (few, few + more):
                name = f"{text} weighed for {len(training)} patterns"
                sets[name] = weights_for_patterns(sets[text], training, rounds=arguments.rounds)
        for pattern in ("alg2", "pair", *held_out):
            thetas = {
                name: throughput(topology, one, pattern, solver=_MODEL).theta
                for name, one in sets.items()
            }
            shown = ", ".join(f"{name} {theta:.3f}" for name, theta in thetas.items())
            print(f"slimfly({q}), {pattern}: {shown}", flush=True)


if __name__ == "__main__":
    main()
