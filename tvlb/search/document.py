"""Results as JSON documents: the shapes shared by the command line, services and plots.

Numbers that do not exist (nan) become null, so that every document is valid JSON.
"""

from collections.abc import Sequence
from dataclasses import asdict

from tvlb.balance import BalanceReport, KindUsage, unbalanced
from tvlb.documents import plain
from tvlb.search.decision import Comparison
from tvlb.search.found_document import found_document
from tvlb.search.objective import budget_text
from tvlb.search.optimize import TableResult
from tvlb.search.preparation import Candidate
from tvlb.search.probe import ProbePoint, ProbeResult
from tvlb.search.validation import SimulatedSet
from tvlb.topology import LinkKind

__all__ = [
    "balance_document",
    "probe_document",
    "table_document",
    "usage_document",
]

Document = dict[str, object]


def probe_document(probe: ProbeResult, tolerance: float) -> Document:
    """Document of Step 1 alone."""
    return {
        "probe": [_point(point) for point in probe.points],
        "strategic": [_point(point) for point in probe.strategic],
        "best": probe.best,
        "cut": probe.cut,
        "tolerance": tolerance,
        "patterns": list(probe.sample.patterns),
        "patterns_available": probe.sample.available,
        "half_width": plain(probe.sample.half_width),
        "stopped": probe.sample.stopped,
    }


def _point(point: ProbePoint) -> object:
    return plain(asdict(point) | {"within_tolerance": point.within_tolerance})


def usage_document(before: KindUsage, after: KindUsage) -> object:
    """Usage of one kind of link before and after balancing: max over mean, percentiles."""
    return plain(
        {
            "before": before.max_over_mean,
            "after": after.max_over_mean,
            "pair_mean_before": before.pair_mean,
            "pair_mean_after": after.pair_mean,
            "pair_max_before": before.pair_max,
            "pair_max_after": after.pair_max,
            "percentiles_before": before.quantiles,
            "percentiles_after": after.quantiles,
        }
    )


def balance_document(report: BalanceReport) -> Document:
    """Document of balancing one path set."""
    return {
        "local": usage_document(report.before[LinkKind.LOCAL], report.after[LinkKind.LOCAL]),
        "global": usage_document(report.before[LinkKind.GLOBAL], report.after[LinkKind.GLOBAL]),
        "paths": report.paths_before,
        "removed": report.removed,
        "removed_locally": report.removed_locally,
        "removed_globally": report.removed_globally,
        "pairs_at_floor": report.pairs_at_floor,
        "sampled_pairs": report.sampled_pairs,
    }


def table_document(result: TableResult) -> Document:
    """Document of a whole search."""
    validation = result.validation
    candidates = zip(result.candidates, validation.candidates, strict=True)
    comparisons = {one.expression: one for one in validation.decision.comparisons}
    return {
        "topology": str(result.topology),
        "table": _table(result),
        "topology_metadata": result.topology.metadata,
        **probe_document(result.probe, result.options.tolerance),
        "candidates": [
            _simulated(
                simulated,
                validation.patterns,
                candidate,
                comparisons.get(candidate.name),
            )
            for candidate, simulated in candidates
        ],
        "merged": result.merged,
        "baseline": _simulated(validation.baseline, validation.patterns)
        | {"mean_vlb_hops": result.baseline_hops},
        "decision": {
            "expression": validation.decision.expression,
            "replaces_all": validation.decision.replaces_all,
            "reason": validation.decision.reason,
        },
        "reference_load": validation.reference_load,
        "curves": plain(
            {
                expression: [asdict(point) for point in curve]
                for expression, curve in validation.curves.items()
            }
        ),
        "balance": _chosen_balance(result),
        "search": None if result.found is None else found_document(result.found),
        "timings": plain(result.timings),
        "work": asdict(result.work),
        "provenance": result.provenance | {"parameters": _parameters(result)},
    }


def _table(result: TableResult) -> Document:
    table, compact = result.table, result.table.header.compact
    removed = _removed_by_balance(result)
    given = sum(table.header.paths_by_hops.values())
    return {
        "id": table.id,
        "form": "full" if compact is None else "compact",
        "expression": table.header.expression,
        "mean_vlb_hops": table.header.mean_vlb_hops,
        "paths": given if compact is None else given - (removed or 0),
        "removed_by_balance": removed,
        "balancing": None if result.chosen is None else result.chosen.form,
        "sampled_pairs": None if compact is None else compact.sampled_pairs,
    }


def _removed_by_balance(result: TableResult) -> int | None:
    """Count removed paths; None where balancing only saw a sample."""
    report = None if result.chosen is None else result.chosen.balance_report
    if report is None:
        return 0
    return report.removed if report.sampled_pairs is None else None


def _simulated(
    simulated: SimulatedSet,
    patterns: Sequence[str],
    candidate: Candidate | None = None,
    comparison: Comparison | None = None,
) -> Document:
    measured = simulated.measured
    report = candidate.balance_report if candidate is not None else None
    return _plain_document(
        {
            "expression": measured.expression,
            "path_set": measured.expression if candidate is None else candidate.expression,
            "balancing": None if candidate is None else candidate.form,
            "mean_vlb_hops": None if candidate is None else candidate.mean_hops,
            "saturation_mean": measured.saturation_mean,
            "saturation_sem": measured.saturation_sem,
            "latency_at_reference_load": measured.latency_mean,
            "latency_sem": measured.latency_sem,
            "per_pattern": [
                {"pattern": pattern, "saturation": saturation, "latency": latency}
                for pattern, saturation, latency in zip(
                    patterns,
                    measured.saturation.tolist(),
                    measured.latency.tolist(),
                    strict=True,
                )
            ],
            "confirmed": simulated.confirmed,
            "windows": asdict(simulated.windows),
            "balance": None if report is None else balance_document(report),
            "comparison": None if comparison is None else asdict(comparison),
        }
    )


def _plain_document(document: Document) -> Document:
    return {name: plain(value) for name, value in document.items()}


def _chosen_balance(result: TableResult) -> object:
    chosen = result.chosen
    if chosen is not None and chosen.balance_report is not None:
        return balance_document(chosen.balance_report)
    return balance_document(unbalanced(result.table.base_set))


def _parameters(result: TableResult) -> object:
    options = result.options
    parameters = asdict(options.resolved())
    # The number of workers never changes a result; the windows replace those of the config.
    del parameters["workers"]
    parameters["budget"] = budget_text(options.budget, result.topology)
    for name in ("warmup_cycles", "measured_cycles", "stop_when_saturated"):
        del parameters["config"][name]
    return plain(parameters)
