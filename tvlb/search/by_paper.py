"""Algorithm 1 of the T-UGAL paper: balance the candidates, simulate, decide.

Reference: Rahman et al., SC'19, section 3.3.4.
"""

from tvlb.search.preparation import prepare
from tvlb.search.task import Outcome, Task, conventional
from tvlb.search.validation import validate

__all__ = ["find_by_paper"]


def find_by_paper(task: Task) -> Outcome:
    """Find a table by Algorithm 1."""
    topology, options = task.topology, task.options
    with task.watch.stage("balance"):
        candidates = prepare(
            topology,
            task.expressions,
            options.balancing,
            seed=options.seed,
            units=task.units,
            report=task.report,
        )
    with task.watch.stage("simulate"):
        validation = validate(
            conventional(topology, options.seed).named_set,
            [one.named_set for one in candidates],
            options,
            task.units,
            task.report,
        )
    with task.watch.stage("table"), task.units.alone:
        table = task.chosen_table(candidates, validation)
    return Outcome(candidates, validation, table, validation.work)
