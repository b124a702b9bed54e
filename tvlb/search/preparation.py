"""The candidates of Step 2 and their balancing."""

from collections.abc import Sequence
from dataclasses import dataclass

from sim_bridge import StopFlag
from tvlb.balance import Balanced, BalanceOptions, BalanceReport, balance
from tvlb.parallel import map_threads
from tvlb.paths import PathSet
from tvlb.progress import Progress, Reporter

__all__ = ["Candidate", "Preparation", "prepare"]


@dataclass(frozen=True, eq=False)
class Candidate:
    """A path set on its way through Step 2.

    Attributes
    ----------
    expression : the path set.
    path_set : what is simulated: balanced, or as it is.
    mean_hops : mean hops of a path drawn from it; see `Balanced.mean_hops`.
    balanced : the outcome of balancing, None without.
    """

    expression: str
    path_set: PathSet
    mean_hops: float
    balanced: Balanced | None

    @property
    def balance_report(self) -> BalanceReport | None:
        """What balancing did, None without."""
        return None if self.balanced is None else self.balanced.report


@dataclass(frozen=True, eq=False)
class Preparation:
    """What is to be simulated.

    Attributes
    ----------
    candidates : in the order of their expressions given.
    merged : expressions left out because they mean the paths of another, by expression.
    """

    candidates: tuple[Candidate, ...]
    merged: dict[str, str]


def prepare(
    sets: Sequence[PathSet],
    balancing: BalanceOptions | None,
    *,
    seed: int,
    workers: int,
    report: Reporter,
    stop: StopFlag,
) -> list[Candidate]:
    """Balance every candidate, or leave all as they are if `balancing` is None."""
    finished = 0

    def count() -> None:
        nonlocal finished
        finished += 1
        report(Progress("balance", finished, len(sets)))

    def one(path_set: PathSet) -> Candidate:
        if balancing is None:
            return Candidate(str(path_set), path_set, path_set.mean_hops(), None)
        balanced = balance(path_set, balancing, seed=seed)
        return Candidate(str(path_set), balanced.path_set, balanced.mean_hops, balanced)

    report(Progress("balance", 0, len(sets)))
    return map_threads(one, sets, workers, stop, count)
