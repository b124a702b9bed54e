"""Modelled saturation throughput of a path set under a traffic pattern."""

import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tvlb.documents import Frame
from tvlb.errors import InvalidInput, SolverFailed
from tvlb.model.bounds import BoundKind, capacity_bound
from tvlb.model.certificate import Certificate, certify, require_proof
from tvlb.model.instance import (
    Instance,
    PathClasses,
    RateOrder,
    Unlisted,
    build_instance,
    classes_of,
    detour_classes,
    minimal_classes,
)
from tvlb.model.outcome import Outcome, Solution
from tvlb.model.separation import crowded_links, list_also, within_capacity
from tvlb.model.solvers import LpSolver, parse_solver
from tvlb.model.solvers.pulp import write_model
from tvlb.paths import Pairs, PathSet, as_path_set
from tvlb.topology import Topology, as_topology
from tvlb.traffic import Pattern, as_pattern, switch_demand

# Flows times links. Below, solving again when links crowd costs more than listing all of them:
# dfly(4,8,4,33) has 0.8 million, dfly(13,26,13,27) 19 million.
_MOST_CELLS_LISTED = 2_000_000


@dataclass(frozen=True)
class Throughput(Frame):
    """Solution of one linear program, proven optimal to the gap of the solver.

    Attributes
    ----------
    theta : modelled saturation throughput, packets/cycle/node; a feasible value (`theta_low`).
    theta_low, theta_up : certified bounds on the optimum, recomputed outside the solver.
    theta_cap : largest theta that 1 and the busiest injection and ejection port allow.
    bound, bound_kind : upper bound that holds for every path set, and what limits it.
    status : how the solver ended; always OPTIMAL.
    primal_residual : largest violated constraint of the solver's answer, flits/cycle.
    relative_gap : (theta_up - theta_low) / theta_up.
    rows, columns, nonzeros : size of the linear program as solved; rows 0 if no flow uses a link.
    build_seconds, solve_seconds : wall time to build the path classes, and to solve and check.
    solver : the solver's name as given to `throughput`.
    """

    theta: float
    theta_low: float
    theta_up: float
    theta_cap: float
    bound: float
    bound_kind: BoundKind
    status: Outcome
    primal_residual: float
    relative_gap: float
    rows: int
    columns: int
    nonzeros: int
    build_seconds: float
    solve_seconds: float
    solver: str

    def records(self) -> list[dict[str, object]]:
        """See `Frame.records`: one record."""
        return [asdict(self)]

    def __repr__(self) -> str:
        return (
            f"<Throughput {self.theta:.4f} packets/cycle/node, at most {self.bound:.4f} with any "
            "paths>"
        )


@dataclass(frozen=True, eq=False)
class Proof:
    """A program, the rates and prices found for it, and the bounds that they prove."""

    instance: Instance
    solution: Solution
    certificate: Certificate


class PatternModel:
    """The model of one pattern, to be solved for many path sets.

    Parameters
    ----------
    topology : the network.
    pattern : the traffic.
    monotone : whether VLB rates must not rise with path length.
    solver : its text, such as "highs"; see `parse_solver`.
    seed : used where the pattern has no own seed.
    listed : bool (links,), inner links (`SetUsage`) that the programs of a solver that separates
        list from the start; None: all on small networks, none on large ones.

    Raises
    ------
    InvalidInput : the pattern does not fit the topology or the solver is unknown.

    Notes
    -----
    Demand, MIN classes, the capacity bound and its prices are computed once.
    """

    def __init__(
        self,
        topology: Topology,
        pattern: Pattern,
        *,
        monotone: bool = True,
        solver: str | LpSolver = "highs",
        seed: int = 0,
        listed: NDArray[np.bool_] | None = None,
    ) -> None:
        started = time.perf_counter()
        self.topology = topology
        self.demand = switch_demand(topology, pattern.resolve(topology, seed))
        self.bound = capacity_bound(topology, self.demand)
        self._start_price = topology.capacity_prices(self.demand.source, self.demand.target)
        self.order = _order(monotone)
        self.solver = parse_solver(solver) if isinstance(solver, str) else solver
        self._minimal = minimal_classes(topology, self.demand)
        self._pairs = Pairs(topology, self.demand.source, self.demand.target)
        cells = len(self.demand.rate) * topology.num_links
        if listed is None:
            listed = np.full(topology.num_links, cells <= _MOST_CELLS_LISTED)
        self._listed = listed.copy()
        self.build_seconds = time.perf_counter() - started

    def instance(self, path_set: PathSet) -> Instance:
        """Build the linear program of one path set.

        Notes
        -----
        On large networks, for a solver that separates, it leaves out the inner links that were
        never crowded so far.
        """
        require_same_topology(self.topology, path_set)
        detour, unlisted = self._detour(path_set)
        return Instance(
            demand=self.demand,
            minimal=self._minimal,
            detour=detour,
            order=self.order,
            start_price=self._start_price,
            unlisted=unlisted,
        )

    def _detour(self, path_set: PathSet) -> tuple[PathClasses, Unlisted | None]:
        if not self.solver.separates:
            return detour_classes(path_set, self.demand), None
        usage = path_set.usage(self._pairs)
        classes = classes_of(usage.listed(self._listed))
        if self._listed.all():
            return classes, None
        return classes, Unlisted(usage, path_set.topology.max_hops, self._listed)

    def solve(self, path_set: PathSet) -> Throughput:
        """Solve for one path set; `build_seconds` leaves out what is shared by all sets.

        Raises
        ------
        InvalidInput : the path set belongs to another topology.
        SolverFailed : no solution was proven optimal.
        """
        started = time.perf_counter()
        instance = self.instance(path_set)
        built = time.perf_counter()
        proof = self._proven(instance)
        solved = time.perf_counter()
        solution, certificate = proof.solution, proof.certificate
        return Throughput(
            theta=certificate.theta_low,
            theta_low=certificate.theta_low,
            theta_up=certificate.theta_up,
            theta_cap=instance.theta_cap,
            bound=self.bound.value,
            bound_kind=self.bound.kind,
            status=solution.outcome,
            primal_residual=certificate.primal_residual,
            relative_gap=certificate.relative_gap,
            rows=solution.rows,
            columns=solution.columns,
            nonzeros=solution.nonzeros,
            build_seconds=built - started,
            solve_seconds=solved - built,
            solver=str(self.solver),
        )

    def prove(self, path_set: PathSet) -> Proof:
        """Solve for one path set and return the rates and prices behind the bounds.

        Raises
        ------
        InvalidInput, SolverFailed : as `solve`.
        """
        return self._proven(self.instance(path_set))

    def _proven(self, instance: Instance) -> Proof:
        """Return the first attempt that the certificate supports; list links as they crowd."""
        if len(instance.demand.rate) == 0:
            solution = _without_flows(instance)
            return Proof(instance, solution, certify(instance, solution))
        failures: list[str] = []
        for attempt in self.solver.attempts(instance):
            crowded = crowded_links(instance, attempt)
            # Rates that are only roughly right prove nothing; their check would be for nothing.
            if not (attempt.outcome is Outcome.LIMIT and crowded.any()):
                solution = within_capacity(instance, attempt)
                certificate = certify(instance, solution)
                try:
                    require_proof(solution, certificate, self.bound.value, self.solver.gap)
                    return Proof(instance, solution, certificate)
                except SolverFailed as failure:
                    failures.append(str(failure))
            if crowded.any():
                self._listed |= crowded
                return self._proven(list_also(instance, crowded, attempt))
        raise SolverFailed("; then ".join(failures) or "throughput model: the solver gave nothing")


def throughput(
    topology: Topology | str,
    path_set: PathSet | str,
    pattern: Pattern | str,
    *,
    monotone: bool = True,
    solver: str | LpSolver = "highs",
    seed: int = 0,
) -> Throughput:
    """Solve the throughput model of one path set under one pattern.

    Parameters
    ----------
    topology, path_set, pattern : also as the texts that commands take.
    monotone : whether VLB rates must not rise with path length.
    solver : its text, such as "highs"; see `parse_solver`.
    seed : used where the pattern has no own seed.

    Raises
    ------
    InvalidInput : pattern, path set and topology do not fit, or the solver is unknown.
    SolverFailed : no solution was proven optimal.

    Examples
    --------
    >>> result = throughput("2,4,2,3", "all", "shift(1,0)")
    >>> f"{result.theta:.4f} {result.bound:.4f} {result.status}"
    '0.7500 0.7500 optimal'
    >>> result
    <Throughput 0.7500 packets/cycle/node, at most 0.7500 with any paths>

    References
    ----------
    Mollah et al., PMBS'17, Model 3; Rahman et al., SC'19, section 3.3.2.
    """
    network = as_topology(topology)
    paths = as_path_set(path_set, network, seed)
    model = PatternModel(network, as_pattern(pattern), monotone=monotone, solver=solver, seed=seed)
    result = model.solve(paths)
    return replace(result, build_seconds=model.build_seconds + result.build_seconds)


def export_model(
    topology: Topology | str,
    path_set: PathSet | str,
    pattern: Pattern | str,
    path: str | Path,
    *,
    monotone: bool = True,
    seed: int = 0,
) -> None:
    """Write the linear program to an .lp or .mps file for use with any solver.

    Parameters
    ----------
    topology, path_set, pattern : also as the texts that commands take.

    Raises
    ------
    InvalidInput : the suffix is neither .lp nor .mps, the file cannot be written, or pattern,
        path set and topology do not fit.
    """
    network = as_topology(topology)
    paths = as_path_set(path_set, network, seed)
    require_same_topology(network, paths)
    demand = switch_demand(network, as_pattern(pattern).resolve(network, seed))
    write_model(build_instance(network, paths, demand, _order(monotone)), Path(path))


def _order(monotone: bool) -> RateOrder:
    return RateOrder.SHORTER_FIRST if monotone else RateOrder.FREE


def require_same_topology(topology: Topology, path_set: PathSet) -> None:
    """Raise InvalidInput if the paths are those of another network."""
    if path_set.topology != topology:
        raise InvalidInput(
            f"path set {path_set} belongs to {path_set.topology} and not to {topology}"
        )


def _without_flows(instance: Instance) -> Solution:
    """No flow leaves its switch, so only the ports limit theta."""
    nothing = instance.minimal.share
    return Solution(
        outcome=Outcome.OPTIMAL,
        reported="no flow uses a link",
        theta=instance.theta_cap,
        minimal=nothing,
        detour=nothing,
        price=instance.detour.share,
        rows=0,
        columns=1,
        nonzeros=0,
    )
