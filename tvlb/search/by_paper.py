"""Algorithm 1 of the T-UGAL paper: balance the candidates, simulate, decide.

Reference: Rahman et al., SC'19, section 3.3.4.
"""

from tvlb.paths import parse_expression
from tvlb.search.candidates import loop_free_form
from tvlb.search.preparation import conventional, prepare
from tvlb.search.task import MethodResult, SearchTask
from tvlb.search.validation import validate


def _loop_free(task: SearchTask) -> list[str]:
    """Return the candidates without paths that visit a switch twice, if these are asked for."""
    if not task.options.loop_free:
        return []
    seed = task.options.seed
    sets = (parse_expression(one, task.topology, seed) for one in task.expressions)
    return [str(form) for form in map(loop_free_form, sets) if form is not None]


def find_by_paper(task: SearchTask) -> MethodResult:
    """Find a table by Algorithm 1."""
    topology, options = task.topology, task.options
    with task.watch.stage("balance"):
        candidates = prepare(
            topology,
            [*task.expressions, *_loop_free(task)],
            options.balancing,
            seed=options.seed,
            units=task.units,
            report=task.report,
        )
    by_name = {one.name: one for one in candidates}
    with task.watch.stage("simulate"):
        validation = validate(
            conventional(topology, options.seed).named_set,
            [one.named_set for one in candidates],
            options,
            task.units,
            task.report,
            note_best=lambda name: task.note_best(by_name[name]),
        )
    with task.watch.stage("table"), task.units.alone:
        table = task.chosen_table(candidates, validation)
    return MethodResult(candidates, validation, table, validation.work)
