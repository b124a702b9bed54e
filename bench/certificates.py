"""Recompute the bounds of Step 1 path by path.

    python bench/certificates.py 4,8,4,9 [--sample 50] [--seed 0] [--workers 2]

Draws linear programs (a pattern, and one of the 31 data points and seven strategic choices), has
them bounded to a relative gap of 1e-3, and takes only the rates per class and the link prices from
the answer. Every MIN and VLB path of every flow is then listed, and both bounds are computed from
the paths alone: what the rates ship over the most loaded link, and what the traffic costs at least
at those prices. Exit code 1 if a reported bound claims more than the paths say.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from threading import Event

import numpy as np

from tvlb.model import PathClasses, PatternModel, Proof, RegretSolver
from tvlb.model.instance import summed
from tvlb.paths import (
    PathRows,
    PathSet,
    data_points,
    min_rows,
    parse_expression,
    strategic_choices,
)
from tvlb.processes import gather, local_workers
from tvlb.search import choose_patterns
from tvlb.topology import Dragonfly, parse_topology
from tvlb.traffic import Pattern

GAP = 1e-3
ROUNDING = 1e-9
PATHS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Task:
    """One linear program."""

    topology: Dragonfly
    pattern: Pattern
    expression: str


@dataclass(frozen=True)
class Bounds:
    """Reported bounds, and the same from the paths."""

    low: float
    up: float
    low_of_paths: float
    up_of_paths: float

    @property
    def hold(self) -> bool:
        """Whether nothing is claimed that the paths do not give."""
        return (
            self.low <= self.low_of_paths + ROUNDING
            and self.up >= self.up_of_paths - ROUNDING
            and self.up - self.low <= GAP * self.up
        )


def check(task: Task) -> Bounds:
    """Bound one program and recompute the bounds."""
    path_set = parse_expression(task.expression, task.topology)
    proof = PatternModel(task.topology, task.pattern, solver=RegretSolver(GAP)).prove(path_set)
    loads = np.zeros(task.topology.num_links)
    flows = len(proof.instance.demand.rate)
    shipped, cheapest = np.zeros(flows), np.full(flows, np.inf)
    for first, rows, kind in listings(task.topology, path_set, proof):
        walk = Walk(rows, proof, first, kind)
        loads += walk.loads
        span = slice(first, first + len(rows.source))
        shipped[span] += walk.shipped
        cheapest[span] = np.minimum(cheapest[span], walk.cheapest)
    demand = proof.instance.demand.rate
    cap = proof.instance.theta_cap
    low = float((shipped / demand).min()) / max(1.0, float(loads.max()))
    worth, cost = float(proof.solution.price.sum()), float(demand @ cheapest)
    up = cap if cost * cap <= worth else worth / cost
    certificate = proof.certificate
    return Bounds(certificate.theta_low, certificate.theta_up, min(cap, low), up)


def listings(
    topology: Dragonfly, path_set: PathSet, proof: Proof
) -> Iterator[tuple[int, PathRows, str]]:
    """List all paths of some flows at a time: (first flow, rows, "minimal" or "detour")."""
    demand = proof.instance.demand
    cables = topology.links_per_group_pair[1]
    step = max(1, PATHS_AT_ONCE // (topology.num_switches * cables * cables))
    for first in range(0, len(demand.rate), step):
        ends = demand.source[first : first + step], demand.target[first : first + step]
        yield first, min_rows(topology, *ends), "minimal"
        yield first, path_set.rows(*ends), "detour"


class Walk:
    """Some listed paths, walked link by link."""

    def __init__(self, rows: PathRows, proof: Proof, first: int, kind: str) -> None:
        classes: PathClasses = getattr(proof.instance, kind)
        links = rows.links()
        longest = links.shape[1]
        shipped = getattr(proof.solution, kind) / classes.weight
        rate = classes.by_length(shipped, len(proof.instance.demand.rate), longest)
        pair = rows.pair_of_row
        used = links >= 0
        flow_on_path = rows.weight * rate[first + pair, rows.hops]
        on_link = np.broadcast_to(flow_on_path[:, np.newaxis], links.shape)[used]
        self.loads = summed(links[used], on_link, proof.instance.num_links)
        self.shipped = summed(pair, flow_on_path, len(rows.source))
        price = np.append(proof.solution.price, 0.0)[links].sum(axis=1)
        cell = pair * (longest + 1) + rows.hops
        cells = len(rows.source) * (longest + 1)
        weight = summed(cell, rows.weight, cells).reshape(-1, longest + 1)
        paid = summed(cell, rows.weight * price, cells).reshape(-1, longest + 1)
        if kind == "detour":
            # Shorter paths may not be used less, so a class comes with all shorter ones.
            weight, paid = weight.cumsum(axis=1), paid.cumsum(axis=1)
        mean = np.full_like(paid, np.inf)
        np.divide(paid, weight, out=mean, where=weight > 0)
        self.cheapest = mean.min(axis=1)


def main() -> int:
    """Command line entry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("topology")
    parser.add_argument("--sample", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    topology = parse_topology(options.topology)
    assert isinstance(topology, Dragonfly)
    sets = [str(one) for one in (*data_points(topology), *strategic_choices(topology))]
    patterns = choose_patterns(topology, "all", 0).everything
    random = Random(options.seed)
    tasks = [
        Task(topology, random.choice(patterns), random.choice(sets)) for _ in range(options.sample)
    ]
    with local_workers(options.workers) as workers:
        found = gather([workers.submit(check, task) for task in tasks], Event(), lambda: None)
    for task, bounds in zip(tasks, found, strict=True):
        print(
            f"{task.pattern!s:16} {task.expression:10} {bounds.low:.6f} {bounds.up:.6f} of paths "
            f"{bounds.low_of_paths:.6f} {bounds.up_of_paths:.6f} {'ok' if bounds.hold else 'FAILS'}"
        )
    failed = sum(not bounds.hold for bounds in found)
    worst_low = max(bounds.low - bounds.low_of_paths for bounds in found)
    worst_up = max(bounds.up_of_paths - bounds.up for bounds in found)
    print(
        f"{topology}: {failed} of {len(found)} violated; theta_low above that of the paths by at "
        f"most {worst_low:.1e}, theta_up below by at most {worst_up:.1e}"
    )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
