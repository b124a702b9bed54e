"""What a search is to find: the objective, and how much work it may take.

Both are texts of the command line, REST and sweep files, and print as they are parsed.
"""

import math
import re
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from tvlb.errors import InvalidInput
from tvlb.languages import NamesOrWhole
from tvlb.topology import Topology

_LATENCY = re.compile(r"latency@([0-9.]{1,12})", re.ASCII)
_FLIT_HOPS = re.compile(r"[0-9][0-9_]{0,30}(?:\.[0-9]{1,30})?(?:e\+?[0-9]{1,2})?", re.ASCII)
_GRAMMAR = "expected saturation, latency@LOAD, worst-pattern, guaranteed or front"
_LEAST_LOAD = 0.001
# How much a change of latency counts beside an equal change of throughput, by objective.
_SATURATION_WEIGHT = 0.25
_LATENCY_WEIGHT = 0.9
_FRONT_WEIGHTS = (0.1, 0.4, 0.8)
_MEAN_BESIDE_WORST = 0.1
# No pattern should pay for the others: where one is worse than the reference by more than this in
# either figure, the worst loss counts once more, whatever the share of its pattern.
_TOLERATED_LOSS, _LOSS_FACTOR = 0.02, 1.0

REFERENCE_LOAD = 0.1
"""Where latencies are compared unless something asks for another load, packets/cycle/node."""

# Flit-hops per compute node: equal names look equally closely at networks of any size. What both
# together take less is spent where their parts are judged.
BUDGETS = {"small": 300_000, "default": 1_000_000, "large": 10_000_000}
_OF_BOTH = 0.75
BUDGET = NamesOrWhole(tuple(BUDGETS), 0, 10**15, "flit-hops", "FLIT_HOPS")


class Searched(StrEnum):
    """What a search looks for: path sets, the rule by which UGAL compares, or both together."""

    PATHS = "paths"
    RULE = "rule"
    BOTH = "both"


class Method(StrEnum):
    """How a table is found."""

    SEARCH = "search"
    PAPER = "paper"


class Aim(StrEnum):
    """What an objective is about."""

    SATURATION = "saturation"
    LATENCY = "latency"
    WORST_PATTERN = "worst-pattern"
    GUARANTEED = "guaranteed"
    FRONT = "front"


@dataclass(frozen=True)
class Objective:
    """What makes a path set good.

    Attributes
    ----------
    aim : what counts most. Of `guaranteed`, saturation while sets are sought, and where one is
        chosen also what a fixed split over its paths guarantees. Of `front`, the tables that no
        other beats in both saturation and latency.
    load : of latencies, packets/cycle/node; None for the reference load of the network.
    """

    aim: Aim
    load: float | None = None

    def __str__(self) -> str:
        if self.aim is not Aim.LATENCY:
            return self.aim.value
        # The shortest text that parses back to the same number.
        return f"latency@{str(self.load).removesuffix('.0')}"

    @property
    def latency_weights(self) -> tuple[float, ...]:
        """Weight of latency beside throughput, 0..1; of `front` one after another."""
        match self.aim:
            case Aim.FRONT:
                return _FRONT_WEIGHTS
            case Aim.LATENCY:
                return (_LATENCY_WEIGHT,)
            case _:
                return (_SATURATION_WEIGHT,)

    def score(
        self,
        share: NDArray[np.float64],
        throughput: NDArray[np.float64],
        latency: NDArray[np.float64],
        latency_weight: float,
        resolution: NDArray[np.float64] | float = 0.0,
    ) -> float:
        """Tell how good a set is; higher is better, the reference has 0.

        Parameters
        ----------
        share : float64 (patterns,), how much each pattern counts; sums to 1.
        throughput, latency : float64 (patterns,), logarithms of throughput and of latency over
            those of the reference.
        resolution : of the throughput, float64 (patterns,): a loss as small is none.
        """
        gain = (1 - latency_weight) * throughput - latency_weight * latency
        if not np.isfinite(gain).all():
            return -math.inf
        tolerated = np.maximum(_TOLERATED_LOSS, resolution)
        excess = float(np.maximum(-throughput - tolerated, latency - _TOLERATED_LOSS).max())
        mean = float(share @ gain)
        if self.aim is Aim.WORST_PATTERN:
            mean = float(gain.min()) + _MEAN_BESIDE_WORST * mean
        return mean - _LOSS_FACTOR * max(0.0, excess)


def parse_objective(text: str) -> Objective:
    """Parse an objective.

    Raises
    ------
    InvalidInput : it is none, or its load is out of range; shows what is expected.

    Examples
    --------
    >>> str(parse_objective("latency@0.20"))
    'latency@0.2'
    """
    stripped = text.strip()
    if stripped in {*Aim} - {Aim.LATENCY}:
        return Objective(Aim(stripped))
    match = _LATENCY.fullmatch(stripped)
    try:
        load = float(match[1]) if match else math.nan
    except ValueError:
        load = math.nan
    if math.isnan(load):
        raise InvalidInput(f"unknown objective {text!r}: {_GRAMMAR}")
    if not _LEAST_LOAD <= load <= 1:
        raise InvalidInput(f"objective {text!r}: loads are {_LEAST_LOAD}..1; {_GRAMMAR}")
    return Objective(Aim.LATENCY, load)


def flit_hop_budget(text: str, topology: Topology, searched: Searched) -> int:
    """Return how many flit-hops a budget allows for looking for better sets.

    Parameters
    ----------
    text : small, default, large, or a number of flit-hops.
    searched : what names of budgets depend on.

    Raises
    ------
    InvalidInput : it is none of these.
    """
    stripped = text.strip()
    if stripped in BUDGETS:
        return _named_budget(stripped, topology, searched)
    value = float(stripped.replace("_", "")) if _FLIT_HOPS.fullmatch(stripped) else math.nan
    if not (BUDGET.low <= value <= BUDGET.high and value.is_integer()):
        raise BUDGET.refused("budget", text)
    return int(value)


def _named_budget(name: str, topology: Topology, searched: Searched) -> int:
    share = _OF_BOTH if searched is Searched.BOTH else 1.0
    return round(share * BUDGETS[name]) * topology.num_nodes


def budget_text(text: str, topology: Topology, searched: Searched) -> str:
    """Return a budget as it prints: by its name, if it has one for this network.

    Raises
    ------
    InvalidInput : as `flit_hop_budget`.
    """
    flit_hops = flit_hop_budget(text, topology, searched)
    names = (name for name in BUDGETS if _named_budget(name, topology, searched) == flit_hops)
    return next(names, str(flit_hops))
